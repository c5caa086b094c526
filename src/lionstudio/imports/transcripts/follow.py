"""Following a tool while it writes: one full pass, then every change that the watcher reports."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator

from lionstudio.agents.transcript import TranscriptTool
from lionstudio.imports.report import Report
from lionstudio.imports.transcripts.sync import Mirror
from lionstudio.system.watch_tree import watch

_CLOSE_IDLE_EVERY = 15.0  # seconds


def follow(
    mirror: Mirror,
    tool: TranscriptTool,
    root: str,
    *,
    ended: Callable[[], bool] = lambda: False,
    patience: float = _CLOSE_IDLE_EVERY,
) -> Generator[Report, None, None]:
    """Yield the report of the first pass, then one for every change."""
    # the watcher starts before the first pass, so that no change falls between them
    watcher = watch([os.path.join(root, folder) for folder in tool.folders])
    try:
        first = Report()
        mirror.run(first)
        yield first
        closed_at = time.monotonic()
        while not ended():
            changed = watcher.wait(patience)
            report = Report()
            if changed is None:
                mirror.run(report)
            elif changed:
                mirror.read_paths(changed, report)
            if report.counts:
                yield report
            if time.monotonic() - closed_at >= _CLOSE_IDLE_EVERY:
                mirror.close_idle_sessions()
                closed_at = time.monotonic()
    finally:
        watcher.close()
