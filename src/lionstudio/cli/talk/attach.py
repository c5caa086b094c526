"""`li attach`: follow a run and type."""

from __future__ import annotations

import argparse
import select
import sys
import time
from collections.abc import Iterable

from lionstudio.cli._person import require_person
from lionstudio.cli._session.row import state_of
from lionstudio.cli._session.transcript import Shown, plain_lines, transcript
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import SESSION_HELP, integer, utf8
from lionstudio.cli._toolkit.output import emit_lines, flush
from lionstudio.cli._toolkit.terminal import Paint, is_terminal, say, styles_for
from lionstudio.cli.ask._answer import RECEIPT_SECONDS
from lionstudio.cli.run._targets import exit_code_of
from lionstudio.cli.talk._keyboard import Keyboard, TypedLine
from lionstudio.cli.talk._talk import LeftTalk, Talk, help_of
from lionstudio.state.backends import open_tail
from lionstudio.state.connection import Connection
from lionstudio.state.messages.windows import WindowMessage, messages_after, messages_before
from lionstudio.state.runs.reference import resolve_session
from lionstudio.state.sessions import get_session
from lionstudio.state.sqlite.tail import Tail

DESCRIPTION = """\
Follow a run in this terminal, answer its questions and write to its agent. A line is sent to the agent (as with
`li send`); while a question is open, a line answers it: type the number of an option, or words. /now TEXT, /next TEXT
and /instead TEXT send a message at any time. /quit, Ctrl-D and Ctrl-C detach: the run goes on.

The exit code is that of the run, or 0 after you detached."""
EXAMPLES = (
    ("li attach last", "follow the newest run and type"),
    ("li attach 019e2f3c --last 100", "print the last hundred messages first"),
    ("echo 'the tests are in tests/unit' | li attach 019e2f3c", "send lines of a pipe, then detach"),
)
_CHUNK = 200
_POLL_SECONDS = 1.0  # a change rings; this is the net
_CHECK_SECONDS = 5.0  # between two liveness checks


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", type=utf8, metavar="SESSION", help=SESSION_HELP)
    parser.add_argument(
        "--last",
        type=integer(0),
        default=20,
        metavar="N",
        help="number of recent messages to print first (default %(default)s)",
    )


def run(args: argparse.Namespace) -> int:
    require_person(args, "li attach")
    db = db_access.settings_of(args).db
    keyboard = Keyboard()
    with open_tail(db) as tail, db_access.reading(db) as conn:  # listen before reading, so that no message is missed
        session_id = resolve_session(conn, args.session)
        attached = _Attached(conn, session_id, args, keyboard)
        attached.print_recent(args.last)
        if exit_code_of(conn, session_id) is None:
            say(help_of(get_session(conn, session_id)), quiet=args.quiet or not keyboard.is_terminal)
        try:
            with keyboard.in_use():
                code = attached.follow(tail)
        except KeyboardInterrupt:
            code = None
        if code is None:
            say(f"Detached; the run goes on. Reattach: li attach {session_id}", quiet=args.quiet)
            return 0
        say(f"Run ended: {get_session(conn, session_id).status}, exit code {code}", quiet=args.quiet)
        return code


class _Attached:
    def __init__(self, conn: Connection, session_id: str, args: argparse.Namespace, keyboard: Keyboard) -> None:
        self._conn, self._session_id, self._keyboard = conn, session_id, keyboard
        self._paint = styles_for(sys.stdout, refused=args.no_color)
        self._talk = Talk(args, session_id, self._paint, surface="attach")
        self._after = -1

    def print_recent(self, count: int) -> None:
        recent = messages_before(self._conn, self._session_id, 2**62, count) if count else []
        self._print(_rendered(recent, self._paint))
        self._after = recent[-1].ord if recent else get_session(self._conn, self._session_id).message_count - 1

    def follow(self, tail: Tail) -> int | None:
        """Print and read until the run ends, which gives its exit code, or the person leaves."""
        leave_at: float | None = None  # the end of a pipe: the receipts of its lines may still come
        checked_at, has_news = time.monotonic(), True
        while True:
            if has_news:
                code = exit_code_of(self._conn, self._session_id)  # read before the messages, which are written first
                self._print_new()
                if code is not None:
                    return code
            now = time.monotonic()
            if leave_at is not None and (now >= leave_at or not self._talk.has_queued):
                return None
            if now - checked_at > _CHECK_SECONDS:
                checked_at = now
                _, proof = state_of(get_session(self._conn, self._session_id).to_dict(), time.time())
                if proof is not None and proof.answer == "dead":
                    self._print(["The run is marked running, but its process is gone. Check: li state doctor"])
                    return 1
            watched = [tail.bell, None if leave_at is not None else self._keyboard.fileno()]
            ready, _, _ = select.select([item for item in watched if item is not None], [], [], _POLL_SECONDS)
            changes = tail.look()
            has_news = bool(ready or changes.rows or changes.resync)
            if leave_at is None and self._keyboard.fileno() in ready:
                lines, ended = self._keyboard.read()
                self._keyboard.draw()
                try:
                    self._enter(lines)
                except LeftTalk:
                    return None
                if ended:
                    leave_at = now if self._keyboard.is_terminal else now + RECEIPT_SECONDS

    def _enter(self, lines: list[TypedLine]) -> None:
        for line in lines:
            self._print(self._talk.enter(line))
            self._print_new()  # the next line is for the next question

    def _print_new(self) -> None:
        while chunk := messages_after(self._conn, self._session_id, self._after, _CHUNK):
            self._print(_rendered(chunk, self._paint))
            self._after = chunk[-1].ord
        self._print(self._talk.refresh(self._conn))

    def _print(self, lines: Iterable[str]) -> None:
        printed = list(lines)
        if printed:
            self._keyboard.clear()
            emit_lines(printed)
            flush()
            self._keyboard.draw()


def _rendered(messages: list[WindowMessage], paint: Paint) -> Iterable[str]:
    shown = [Shown(item.ord, item.message_id, item.message) for item in messages]
    return transcript(shown, paint, full_output=True) if is_terminal() else plain_lines(shown)
