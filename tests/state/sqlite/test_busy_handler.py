"""The busy handler sleeps briefly at first, longer while the lock is held for long, and gives up after the timeout."""

from __future__ import annotations

import pytest

from lionstudio.state.sqlite import busy_handler


class Clock:
    """A clock that moves by what is slept."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def monotonic_ns(self) -> int:
        return len(self.slept) * 7919

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def test_busy_handler_sleeps_briefly_then_longer_then_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(busy_handler, "time", clock)
    wait = busy_handler._handler(3.0)

    tries = 0
    while wait(tries):
        tries += 1

    early = [slept for slept in clock.slept if slept <= 0.001]
    assert len(set(early)) > 100  # of every length, or two that wait would meet again and again
    assert min(early) >= 0.0002
    assert set(clock.slept[len(early) :]) == {0.02}
    assert 3.0 <= clock.now - 100.0 < 3.03

    clock.now += 1000.0
    assert wait(0)  # another lock, another patience
