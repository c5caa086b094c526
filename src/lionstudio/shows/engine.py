"""What a show needs of a durable engine, and the plain one that remembers nothing beyond its process.

A workflow is code around steps: it decides by what steps gave back and by nothing else, so that an engine may play it
again from what it wrote down. A step does something and may be done twice; every step of a show bears that. Arguments
and results are plain JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

Workflow = Callable[..., Any]


class Known(NamedTuple):
    """A workflow that an engine knows."""

    id: str
    over: bool


class Engine(Protocol):
    """Runs the workflows of one show; every name in `workflows` can be started."""

    def run(self, workflow_id: str, name: str, *args: Any) -> Any:
        """Start a workflow, or take it up where it was left, and wait for its result."""

    def step(self, name: str, work: Callable[..., Any], *args: Any) -> Any:
        """From within a workflow: do some work and remember what it gave back."""

    def cancel(self, workflow_id: str) -> None:
        """Never take it up again."""

    def known(self) -> list[Known]:
        """The workflows of this show, oldest first."""

    def close(self) -> None:
        """Let go; what runs is left to be taken up again."""


class PlainEngine:
    """The engine without a memory: for tests of everything else, and for showing what the other one adds."""

    def __init__(self, workflows: Mapping[str, Workflow]) -> None:
        self._workflows = workflows
        self._known: dict[str, bool] = {}

    def run(self, workflow_id: str, name: str, *args: Any) -> Any:
        """Run it here and now."""
        self._known[workflow_id] = False
        answer = self._workflows[name](*args)
        self._known[workflow_id] = True
        return answer

    def step(self, name: str, work: Callable[..., Any], *args: Any) -> Any:
        """Do it."""
        return work(*args)

    def cancel(self, workflow_id: str) -> None:
        """There is nothing to forget."""

    def known(self) -> list[Known]:
        """What was started in this process."""
        return [Known(workflow_id, over) for workflow_id, over in self._known.items()]

    def close(self) -> None:
        """There is nothing to let go of."""
