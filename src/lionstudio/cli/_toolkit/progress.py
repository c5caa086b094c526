"""A progress bar on stderr with count, rate and remaining time; silent unless stderr is a terminal."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from lionstudio.cli._toolkit.humanize import span
from lionstudio.cli._toolkit.terminal import CLEAR_LINE, width_of, write_stderr

_EVERY = 0.1  # seconds between two redraws
_BAR = 24


class ProgressBar:
    """Use as a context manager, and call `show` with the number of finished items."""

    def __init__(self, what: str, total: int, *, quiet: bool = False) -> None:
        self._what = what
        self._total = total
        self._began = time.monotonic()
        self._drawn = 0.0
        self._on = not quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._full, self._empty = "━─" if (sys.stderr.encoding or "").lower() == "utf-8" else "#-"

    def __enter__(self) -> ProgressBar:
        if self._on:
            self._draw(0)
        return self

    def __exit__(self, *_: object) -> None:
        if self._on:
            write_stderr("", controls=CLEAR_LINE)

    def show(self, done: int) -> None:
        """Redraw the bar, at most ten times a second."""
        if self._on and time.monotonic() - self._drawn >= _EVERY:
            self._draw(done)

    def _draw(self, done: int) -> None:
        self._drawn = time.monotonic()
        line = self._line(done, self._drawn - self._began)[: width_of(sys.stderr) - 1]
        write_stderr(line, controls=CLEAR_LINE)

    def _line(self, done: int, elapsed: float) -> str:
        if not self._total:
            return f"{self._what}  {span(elapsed)}"
        share = min(1.0, done / self._total)
        bar = self._full * round(share * _BAR) + self._empty * (_BAR - round(share * _BAR))
        rate = done / elapsed if elapsed > 0.5 else 0
        speed = f"  {rate:,.0f}/s  {span((self._total - done) / rate)} left" if rate and done < self._total else ""
        return f"{self._what}  {bar}  {done:,}/{self._total:,}{speed}"


@contextmanager
def progress_when_known(
    what: str, *, quiet: bool = False, unit: int = 1, home: str | None = None
) -> Iterator[Callable[[int, int], None]]:
    """A bar that appears with the first `watch(done, total)`, once the total is known.

    With a home, progress is also written there for the web UI.
    """
    from lionstudio.files.progress_notes import ProgressNote

    bars: list[ProgressBar] = []
    notes: list[ProgressNote] = []
    with ExitStack() as stack:

        def watch(done: int, total: int) -> None:
            if over:
                return
            if not bars:
                bars.append(stack.enter_context(ProgressBar(what, max(1, total // unit), quiet=quiet)))
                notes.extend(
                    [stack.enter_context(ProgressNote(home, what, max(1, total // unit)))] if home is not None else []
                )
            bars[0].show(done // unit)
            for note in notes:
                note.update(done // unit, max(1, total // unit))

        over = False
        yield watch
        over = True
