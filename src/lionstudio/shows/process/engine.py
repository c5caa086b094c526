"""The interface of a durable engine.

A workflow is code around steps. It decides only by the results of its steps, so that an engine can replay it from the
recorded results. A step may run twice; every step of a show tolerates that. Arguments and results are plain JSON.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

Workflow = Callable[..., Any]


class Engine(Protocol):
    """Runs the workflows of one show."""

    def run(self, workflow_id: str, name: str, *args: Any) -> Any:
        """Start a workflow, or resume an unfinished one, and wait for its result."""

    def step(self, name: str, work: Callable[..., Any], *args: Any) -> Any:
        """Run a step of a workflow and record its result."""

    def close(self) -> None:
        """Stop; unfinished workflows can be resumed later."""
