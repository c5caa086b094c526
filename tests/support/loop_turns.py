"""Whether an event loop turns while a long text is redacted."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from lionstudio.model.redaction.redactor import Redactor
from lionstudio.model.redaction.spans import Spans

_LONG_ENOUGH = 60.0  # seconds for one turn of a loop that is free


@contextmanager
def turns_between_pieces(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """For each piece that is searched: whether the loop made a turn before the search went on.

    A search on the loop itself cannot wait for its turn, and counts as none.
    """
    turns: list[bool] = []
    loops: list[asyncio.AbstractEventLoop] = []
    find, run = Redactor._find_in, asyncio.BaseEventLoop.run_forever

    def running(self: asyncio.BaseEventLoop) -> None:
        loops.append(self)
        run(self)

    def watched(self: Redactor, text: str) -> Spans:
        if len(text) > 100_000 and loops:
            turned = threading.Event()
            is_free = threading.current_thread() is not threading.main_thread()
            if is_free:
                loops[-1].call_soon_threadsafe(turned.set)
            turns.append(is_free and turned.wait(_LONG_ENOUGH))
        return find(self, text)

    with monkeypatch.context() as patch:
        patch.setattr(asyncio.BaseEventLoop, "run_forever", running)
        patch.setattr(Redactor, "_find_in", watched)
        yield turns
