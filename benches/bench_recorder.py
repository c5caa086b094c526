"""The cost of recording: CPU for each message, and its share of the time of an agent with pauses.

The recorder reads the events of an agent that costs nothing itself, and redacts secrets as in a real run. The baseline
is the bare loop that writes the same rows.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence

from benches.contestants import Bare
from benches.measure import Contest, cpu_us
from benches.stores import begin, clean_up, fresh_path
from benches.table import Table, at_most, options
from lionstudio.agents.events import Ended, Event, MessageEvent
from lionstudio.model.messages import AssistantResponse
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.runs.event_writer import LaneBranches
from lionstudio.runs.recorder import Recorder
from lionstudio.runs.redaction import EventRedactor
from lionstudio.state.database import Database

_COUNT = 256
_TEXT = "The parser reads one token after the other and keeps what it has seen on a stack. " * 6
_THINKS = 0.05  # seconds between two messages: a model that answers twenty times a second


class Recorded:
    """A run of scripted messages through the recorder."""

    def __init__(self, pause: float = 0) -> None:
        self._database = Database(fresh_path("recorder"), long_lived=True)
        self._pause = pause
        self._session, self._branch = begin(self._database)

    def __call__(self) -> Sequence[float]:
        count = _COUNT if not self._pause else 40
        start = time.perf_counter_ns()
        lanes = LaneBranches(self._session, self._branch)
        asyncio.run(
            Recorder(self._database, lanes, redact=EventRedactor(["a-secret-value"]).event).record(self._events(count))
        )
        return [(time.perf_counter_ns() - start) / 1000 / count] * count

    async def _events(self, count: int) -> AsyncIterator[Event]:
        for _ in range(count):
            if self._pause:
                await asyncio.sleep(self._pause)
            yield MessageEvent(AssistantResponse(content={"assistant_response": _TEXT}))
        yield Ended(SessionStatus.COMPLETED, 0)


class Idle:
    """The same run without a recorder."""

    def __call__(self) -> Sequence[float]:
        start = time.perf_counter_ns()
        asyncio.run(self._think())
        return [(time.perf_counter_ns() - start) / 1000 / 40] * 40

    async def _think(self) -> None:
        for _ in range(40):
            await asyncio.sleep(_THINKS)


def main() -> None:
    args = options(__doc__)
    try:
        table = Table("Recording a run", args)
        contest = Contest({"bare loop": Bare(_COUNT), "recorder": Recorded()})
        contest.run(6 if args.quick else 40, settle=0.02)
        table.row("recorder, CPU of a message", contest.median("recorder", cpu_us) / 1000, "ms", at_most(1))
        table.row("recorder, CPU / bare", contest.ratio("recorder", cpu_us), "×")
        slow = Contest({"alone": Idle(), "recorded": Recorded(_THINKS)})
        slow.run(12 if args.quick else 40)
        share = (slow.ratio("recorded", lambda measured: measured.wall) - 1) * 100
        table.row("recorder, share of the run's time", share, "%", at_most(2))
        table.close()
    finally:
        clean_up()


if __name__ == "__main__":
    main()
