"""What a show needs of a durable engine, and the plain one that remembers nothing beyond its process.

A workflow is code around steps: it decides by what steps gave back and by nothing else, so that an engine may play it
again from what it wrote down. A step does something and may be done twice; every step of a show bears that. Arguments
and results are plain JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

Workflow = Callable[..., Any]


class Engine(Protocol):
    """Runs the workflows of one show; every name in `workflows` can be started."""

    def run(self, workflow_id: str, name: str, *args: Any) -> Any:
        """Start a workflow, or take it up where it was left, and wait for its result."""

    def step(self, name: str, work: Callable[..., Any], *args: Any) -> Any:
        """From within a workflow: do some work and remember what it gave back."""

    def close(self) -> None:
        """Let go; what runs is left to be taken up again."""


class PlainEngine:
    """The engine without a memory: for tests of everything else, and for showing what the other one adds."""

    def __init__(self, workflows: Mapping[str, Workflow]) -> None:
        self._workflows = workflows

    def run(self, workflow_id: str, name: str, *args: Any) -> Any:
        """Run it here and now."""
        return self._workflows[name](*args)

    def step(self, name: str, work: Callable[..., Any], *args: Any) -> Any:
        """Do it."""
        return work(*args)

    def close(self) -> None:
        """There is nothing to let go of."""
