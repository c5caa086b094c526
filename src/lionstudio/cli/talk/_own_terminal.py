"""Answers typed into the terminal of a run: while one of its questions is open, lines answer it."""

from __future__ import annotations

import argparse
import asyncio

from lionstudio.agents.events import AnswerTaken, Event, QuestionAsked, QuestionClosed
from lionstudio.cli._toolkit import db_access
from lionstudio.cli.run._live_view import LiveView
from lionstudio.cli.talk._keyboard import Keyboard, TypedLine
from lionstudio.cli.talk._talk import LeftTalk, Talk


class OwnTerminal:
    """Reads the keyboard only while a question is open: at other times the terminal is as the user left it."""

    def __init__(self, args: argparse.Namespace, session_id: str, view: LiveView) -> None:
        self._db = db_access.settings_of(args).db
        self._view = view
        self._talk = Talk(args, session_id, view.paint, surface="terminal")
        self._keyboard: Keyboard | None = None
        self._asked: set[str] = set()  # a question is shown after the messages that came before it
        view.can_answer = _can_type

    def watch(self, event: Event) -> None:
        """Ask on the terminal what the agent asks; called after the event is stored."""
        if isinstance(event, QuestionAsked):
            self._asked.add(event.question.id)
            if self._keyboard is None and _can_type():
                self._start()
        if self._keyboard is not None and isinstance(event, (QuestionAsked, AnswerTaken, QuestionClosed)):
            self._refresh()

    def _start(self) -> None:
        self._keyboard = keyboard = Keyboard()
        keyboard.start()
        self._view.prompt = keyboard.shown
        asyncio.get_running_loop().add_reader(keyboard.fileno(), self._read)

    def stop(self) -> None:
        """Give the terminal back."""
        if self._keyboard is not None:
            asyncio.get_running_loop().remove_reader(self._keyboard.fileno())
            self._keyboard.stop()
            self._keyboard, self._view.prompt = None, None

    def resume(self) -> None:
        """Take the terminal again after the job was stopped, unless it now runs in the background."""
        if self._talk.question is not None and _can_type():
            self._start()

    def _refresh(self) -> None:
        with db_access.reading(self._db) as conn:
            self._view.print_lines(self._talk.refresh(conn, self._asked))
        if self._talk.question is None:
            self.stop()

    def _read(self) -> None:
        assert self._keyboard is not None
        if not _can_type():  # moved to the background
            self.stop()
            return
        lines, ended = self._keyboard.read()
        for line in lines:
            self._enter(line)
        if ended:
            self.stop()
        self._view.tick()

    def _enter(self, line: TypedLine) -> None:
        try:
            self._view.print_lines(self._talk.enter(line))
        except LeftTalk:
            self._view.print_lines(["The run belongs to this terminal: Ctrl-C stops it, Ctrl-Z suspends it."])


def _can_type() -> bool:
    return Keyboard().is_terminal
