"""Keeping up with a tool while it writes: a first pass, then whatever the watcher names, until it is stopped."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator

from lionstudio.imports.report import Report
from lionstudio.imports.transcripts.sync import Mirror
from lionstudio.imports.transcripts.tools import Tool
from lionstudio.system.watch_tree import watch

_SETTLE_EVERY = 15.0  # seconds between two looks for sessions that have fallen silent


def follow(
    mirror: Mirror, tool: Tool, root: str, *, ended: Callable[[], bool] = lambda: False, patience: float = _SETTLE_EVERY
) -> Generator[Report, None, None]:
    """The report of the first pass, then one for every change that was taken up."""
    # watched before the first look, so that nothing falls between
    watcher = watch([os.path.join(root, tree) for tree in tool.trees])
    try:
        yield _whole(mirror)
        settled = time.monotonic()
        while not ended():
            changed = watcher.wait(patience)
            report = Report()
            if changed is None:
                mirror.run(report)
            elif changed:
                mirror.read_paths(changed, report)
            if report.counts:
                yield report
            if time.monotonic() - settled >= _SETTLE_EVERY:
                mirror.settle()
                settled = time.monotonic()
    finally:
        watcher.close()


def _whole(mirror: Mirror) -> Report:
    report = Report()
    mirror.run(report)
    return report
