"""The live view of a run: messages as they are recorded, and a status line on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable

from lionstudio.agents.events import Ended, Event, LaneOpened, MessageEvent, QuestionAsked, TextDelta
from lionstudio.cli._toolkit.escape import body, inline
from lionstudio.cli._toolkit.humanize import cost, tokens
from lionstudio.cli._toolkit.output import emit, flush
from lionstudio.cli._toolkit.terminal import CLEAR_LINE, say, styles_for, width_of, write_stderr
from lionstudio.model.messages import ActionRequest, ActionResponse
from lionstudio.model.questions import Question
from lionstudio.model.usage import Usage

_RESULT_LINES = 4  # of a tool result; `li state show` prints all of it
_LONGEST = 300  # characters of a tool's arguments or output on one line


class LiveView:
    """Prints tool calls and a status line on a terminal; a pipe gets only the answers."""

    def __init__(self, *, quiet: bool = False, plain: bool = False, several: bool = False) -> None:
        self._terminal = sys.stdout.isatty()
        self._has_status = sys.stderr.isatty() and not quiet
        self._quiet = quiet
        self.paint = styles_for(sys.stdout, refused=plain)
        self._started = time.monotonic()
        self._usage = Usage()
        self._activity = "starting"
        self._several = several  # prefix lines with the agent's name
        self.last_text = ""  # the last answer or notice that was printed
        self.printed: set[str] = set()  # the ends of agents that were printed
        self.can_answer: Callable[[], bool] = lambda: False  # whether questions are asked on this terminal
        self.prompt: Callable[[], str] | None = None  # the line that is being typed, in place of the status line

    def watch(self, part: str, event: Event) -> None:
        self._clear()
        prefix = f"{part}: " if self._several else ""
        if isinstance(event, MessageEvent):
            self._usage = self._usage.plus(event.message.usage)
            self._message(prefix, event)
        elif isinstance(event, LaneOpened):
            self._line(f"{prefix}{self.paint('agent', 'cyan')} {inline(event.name or event.lane)}")
        elif isinstance(event, QuestionAsked):
            self._activity = "waiting for you"
            if not self.can_answer():
                self._question(prefix, event.question)
        elif isinstance(event, TextDelta):
            self._activity = "answering"
        elif not isinstance(event, Ended):
            self._activity = "working"
        elif event.detail and self._several:  # of one agent, the end of the run has it
            self.printed.add(f"{part}: {event.detail}" if self._terminal else "")
            self._line(f"{prefix}{inline(event.detail)[:_LONGEST]}")
        self.tick()

    def _question(self, prefix: str, question: Question) -> None:
        """Name the question and the command that answers it; in a pipe, on stderr."""
        if self._terminal:
            self._line(f"{prefix}{self.paint('waits for you:', 'yellow')} {inline(question.title)}")
        else:
            say(f"Waiting for a person: {inline(question.title)}", quiet=self._quiet)
        say(f"Answer: li ask answer {question.id}", quiet=self._quiet)

    def print_lines(self, lines: Iterable[str]) -> None:
        """Print lines above the status line."""
        self._clear()
        for line in lines:
            self._line(line)
        self.tick()

    def _message(self, prefix: str, event: MessageEvent) -> None:
        message, content = event.message, event.message.content
        fields = content if isinstance(content, dict) else {}
        if isinstance(message, ActionRequest):
            self._activity = f"running {inline(str(fields.get('function')))}"
            self._line(f"{prefix}{self.paint('▸', 'blue')} {_call(fields)}")
        elif isinstance(message, ActionResponse):
            self._activity = "working"
            failed = "error" in fields
            from lionstudio.cli._session.transcript import text_of_value  # slow to load

            result = text_of_value(fields.get("error" if failed else "output"))
            lines = result.strip().splitlines() or (["failed without output"] if failed else [])
            for number, line in enumerate(lines[:_RESULT_LINES]):
                mark = "  " if number else self.paint("✗ ", "red") if failed else self.paint("→ ", "dim")
                self._line(f"{prefix}  {mark}{self.paint(inline(line)[:_LONGEST], 'dim')}")
            if (more := len(lines) - _RESULT_LINES) > 0:
                self._line(f"{prefix}    {self.paint(f'… {more} more lines', 'dim')}")
        else:
            thinking = fields.get("thinking")
            if isinstance(thinking, str) and thinking:
                self._line(f"{prefix}{self.paint(body(thinking), 'dim')}")
            text = fields.get("assistant_response") if fields else None
            if not isinstance(text, str):
                self._line(f"{prefix}{self.paint(inline(message.text)[:_LONGEST], 'dim')}")  # a notice, not an answer
                self.last_text = message.text if self._terminal else ""
            elif text:
                self.last_text = text
                emit(f"{prefix}{body(text)}\n")
                flush()

    def _line(self, text: str) -> None:
        """Print a line about the work, on a terminal only."""
        if self._terminal:
            emit(text + "\n")
            flush()

    def tick(self) -> None:
        """Redraw the status line."""
        if not self._has_status:
            return
        if self.prompt is not None:
            self._write_status(self.prompt())
            return
        facts = [f"{time.monotonic() - self._started:.0f} s", self._activity]
        if self._usage.tokens:
            facts.append(f"{tokens(self._usage.tokens)} total tokens")
        if self._usage.cost_microusd is not None:
            facts.append(cost(self._usage.cost_microusd))
        self._write_status(" · ".join(facts)[: width_of(sys.stderr) - 1])

    def _clear(self) -> None:
        if self._has_status:
            self._write_status("")

    def _write_status(self, text: str) -> None:
        self._has_status = write_stderr(text, controls=CLEAR_LINE)

    def close(self) -> None:
        self._clear()


def _call(fields: dict[str, object]) -> str:
    from lionstudio.cli._session.transcript import one_line  # slow to load

    return inline(f"{fields.get('function')} {one_line(fields.get('arguments'))}".rstrip())[:_LONGEST]
