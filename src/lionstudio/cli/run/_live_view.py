"""What a run looks like while it happens: messages as they are kept, and one line about now on a terminal."""

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

_RESULT_LINES = 4  # of what a tool gave back; the rest is kept and shown by `li state show`
_LONGEST = 300  # characters of a tool's arguments or output on one line


class LiveView:
    """Prints a run: to a terminal with what it does now, to a pipe only what was said."""

    def __init__(self, *, quiet: bool = False, plain: bool = False, several: bool = False) -> None:
        self._terminal = sys.stdout.isatty()
        self._now = sys.stderr.isatty() and not quiet
        self._paint = styles_for(sys.stdout, refused=plain)
        self._started = time.monotonic()
        self._usage = Usage()
        self._doing = "starting"
        self._several = several  # more than one agent speaks: say who

    def watch(self, part: str, event: Event) -> None:
        """Show one event that was kept."""
        self._clear()
        who = f"{part}: " if self._several else ""
        if isinstance(event, MessageEvent):
            self._usage = self._usage.plus(event.message.usage)
            self._said(who, event)
        elif isinstance(event, LaneOpened):
            self._line(f"{who}{self._paint('agent', 'cyan')} {inline(event.name or event.lane)}")
        elif isinstance(event, WaitingEvent):
            self._doing = f"waits for {inline(event.what_for)}" if event.what_for else "working"
        elif isinstance(event, MetadataEvent):
            self._doing = "working"
        elif isinstance(event, TextDelta):
            self._doing = "answering"
        elif event.detail:
            self._line(f"{who}{inline(event.detail)[:_LONGEST]}")
        self.tick()

    def _said(self, who: str, event: MessageEvent) -> None:
        message, content = event.message, event.message.content
        given = content if isinstance(content, dict) else {}
        if isinstance(message, ActionRequest):
            self._doing = f"running {inline(str(given.get('function')))}"
            self._line(f"{who}{self._paint('▸', 'blue')} {_call(given)}")
        elif isinstance(message, ActionResponse):
            self._doing = "working"
            failed = "error" in given
            result = str(given.get("error" if failed else "output") or "")
            shown = result.strip().splitlines()[:_RESULT_LINES]
            for number, line in enumerate(shown):
                mark = "  " if number else self._paint("✗ ", "red") if failed else self._paint("→ ", "dim")
                self._line(f"{who}  {mark}{self._paint(inline(line)[:_LONGEST], 'dim')}")
            more = len(result.strip().splitlines()) - len(shown)
            if more > 0:
                self._line(f"{who}    {self._paint(f'… {more} more lines', 'dim')}")
        else:
            thought = given.get("thinking")
            if isinstance(thought, str) and thought:
                self._line(f"{who}{self._paint(body(thought), 'dim')}")
            text = given.get("assistant_response") if given else None
            if not isinstance(text, str):
                self._line(f"{who}{self._paint(inline(message.text)[:_LONGEST], 'dim')}")  # a notice, not an answer
            said = text if isinstance(text, str) else ""
            if said:
                emit(f"{who}{body(said)}\n")
                flush()

    def _line(self, text: str) -> None:
        """About the work, not its result: on a terminal only."""
        if self._terminal:
            emit(text + "\n")
            flush()

    def tick(self) -> None:
        """Refresh the line about now."""
        if not self._now:
            return
        spent = [f"{time.monotonic() - self._started:.0f} s", self._doing]
        if self._usage.input_tokens or self._usage.output_tokens:
            spent.append(f"{tokens(self._usage.input_tokens)} in, {tokens(self._usage.output_tokens)} out")
        if self._usage.cost_microusd is not None:
            spent.append(cost(self._usage.cost_microusd))
        self._aside("\r\x1b[K" + " · ".join(spent)[: width_of(sys.stderr) - 1])

    def _clear(self) -> None:
        if self._now:
            self._aside("\r\x1b[K")

    def _aside(self, text: str) -> None:
        """To standard error; a terminal that was closed must not keep the run from its end."""
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except OSError:
            self._now = False

    def close(self) -> None:
        """Leave a clean line behind."""
        self._clear()


def _call(given: dict[str, object]) -> str:
    arguments = given.get("arguments")
    shown = next(iter(arguments.values()), "") if isinstance(arguments, dict) and len(arguments) == 1 else arguments
    return inline(f"{given.get('function')} {shown or ''}".rstrip())[:_LONGEST]
