"""The live view of a run: messages as they are recorded, and a status line on a terminal."""

from __future__ import annotations

import sys
import time

from lionstudio.agents.events import Event, LaneOpened, MessageEvent, MetadataEvent, TextDelta, WaitingEvent
from lionstudio.cli._toolkit.escape import body, inline
from lionstudio.cli._toolkit.humanize import cost, tokens
from lionstudio.cli._toolkit.output import emit, flush
from lionstudio.cli._toolkit.terminal import styles_for, width_of
from lionstudio.model.messages import ActionRequest, ActionResponse
from lionstudio.model.usage import Usage

_RESULT_LINES = 4  # of a tool result; `li state show` prints all of it
_LONGEST = 300  # characters of a tool's arguments or output on one line


class LiveView:
    """Prints tool calls and a status line on a terminal; a pipe gets only the answers."""

    def __init__(self, *, quiet: bool = False, plain: bool = False, several: bool = False) -> None:
        self._terminal = sys.stdout.isatty()
        self._has_status = sys.stderr.isatty() and not quiet
        self._paint = styles_for(sys.stdout, refused=plain)
        self._started = time.monotonic()
        self._usage = Usage()
        self._activity = "starting"
        self._several = several  # prefix lines with the agent's name

    def watch(self, part: str, event: Event) -> None:
        self._clear()
        prefix = f"{part}: " if self._several else ""
        if isinstance(event, MessageEvent):
            self._usage = self._usage.plus(event.message.usage)
            self._message(prefix, event)
        elif isinstance(event, LaneOpened):
            self._line(f"{prefix}{self._paint('agent', 'cyan')} {inline(event.name or event.lane)}")
        elif isinstance(event, WaitingEvent):
            self._activity = f"waiting for {inline(event.what_for)}" if event.what_for else "working"
        elif isinstance(event, MetadataEvent):
            self._activity = "working"
        elif isinstance(event, TextDelta):
            self._activity = "answering"
        elif event.detail:
            self._line(f"{prefix}{inline(event.detail)[:_LONGEST]}")
        self.tick()

    def _message(self, prefix: str, event: MessageEvent) -> None:
        message, content = event.message, event.message.content
        fields = content if isinstance(content, dict) else {}
        if isinstance(message, ActionRequest):
            self._activity = f"running {inline(str(fields.get('function')))}"
            self._line(f"{prefix}{self._paint('▸', 'blue')} {_call(fields)}")
        elif isinstance(message, ActionResponse):
            self._activity = "working"
            failed = "error" in fields
            result = str(fields.get("error" if failed else "output") or "")
            lines = result.strip().splitlines()
            for number, line in enumerate(lines[:_RESULT_LINES]):
                mark = "  " if number else self._paint("✗ ", "red") if failed else self._paint("→ ", "dim")
                self._line(f"{prefix}  {mark}{self._paint(inline(line)[:_LONGEST], 'dim')}")
            if (more := len(lines) - _RESULT_LINES) > 0:
                self._line(f"{prefix}    {self._paint(f'… {more} more lines', 'dim')}")
        else:
            thinking = fields.get("thinking")
            if isinstance(thinking, str) and thinking:
                self._line(f"{prefix}{self._paint(body(thinking), 'dim')}")
            text = fields.get("assistant_response") if fields else None
            if not isinstance(text, str):
                self._line(f"{prefix}{self._paint(inline(message.text)[:_LONGEST], 'dim')}")  # a notice, not an answer
            elif text:
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
        facts = [f"{time.monotonic() - self._started:.0f} s", self._activity]
        if self._usage.input_tokens or self._usage.output_tokens:
            facts.append(f"{tokens(self._usage.input_tokens)} in, {tokens(self._usage.output_tokens)} out")
        if self._usage.cost_microusd is not None:
            facts.append(cost(self._usage.cost_microusd))
        self._write_stderr("\r\x1b[K" + " · ".join(facts)[: width_of(sys.stderr) - 1])

    def _clear(self) -> None:
        if self._has_status:
            self._write_stderr("\r\x1b[K")

    def _write_stderr(self, text: str) -> None:
        """A closed terminal must not stop the run."""
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except OSError:
            self._has_status = False

    def close(self) -> None:
        self._clear()


def _call(fields: dict[str, object]) -> str:
    arguments = fields.get("arguments")
    only = next(iter(arguments.values()), "") if isinstance(arguments, dict) and len(arguments) == 1 else arguments
    return inline(f"{fields.get('function')} {only or ''}".rstrip())[:_LONGEST]
