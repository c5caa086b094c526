"""What a show needs of a durable engine, and the plain one that remembers nothing beyond its process.

A workflow is code around steps: it decides by what steps gave back and by nothing else, so that an engine may play it
again from what it wrote down. A step does something and may be done twice; every step of a show bears that. Arguments
and results are plain JSON.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

Workflow = Callable[..., Any]
LOST: dict[str, Any] = {}  # the answer of a workflow that ended in an error


class Known(NamedTuple):
    """A workflow that an engine knows."""

    id: str
    over: bool


class Engine(Protocol):
    """Runs the workflows of one show; every name in `workflows` can be started."""

    def run(self, workflow_id: str, name: str, *args: Any) -> Any:
        """Start a workflow, or take it up where it was left, and wait for its result."""

    def start(self, workflow_id: str, name: str, *args: Any) -> None:
        """From within a workflow: start another one beside it, once however often this is played."""

    def step(self, name: str, work: Callable[..., Any], *args: Any) -> Any:
        """From within a workflow: do some work and remember what it gave back."""

    def answer(self, workflow_id: str) -> Any:
        """What a workflow that has ended gave back, LOST when it failed, None while it has not."""

    def cancel(self, workflow_id: str) -> None:
        """Never take it up again, nor what it started."""

    def known(self) -> list[Known]:
        """The workflows of this show, oldest first."""

    def close(self) -> None:
        """Let go; what runs is left to be taken up again."""


class PlainEngine:
    """The engine without a memory: for tests of everything else, and for showing what the other one adds."""

    def __init__(self, workflows: Mapping[str, Workflow]) -> None:
        self._workflows = workflows
        self._threads: dict[str, threading.Thread] = {}
        self._answers: dict[str, Any] = {}

    def run(self, workflow_id: str, name: str, *args: Any) -> Any:
        """Run it here and now."""
        self._answers[workflow_id] = None
        self._answers[workflow_id] = self._workflows[name](workflow_id, *args)
        return self._answers[workflow_id]

    def start(self, workflow_id: str, name: str, *args: Any) -> None:
        """Run it on a thread."""
        thread = threading.Thread(target=self.run, args=(workflow_id, name, *args), daemon=True, name=workflow_id)
        self._threads[workflow_id] = thread
        thread.start()

    def step(self, name: str, work: Callable[..., Any], *args: Any) -> Any:
        """Do it."""
        return work(*args)

    def answer(self, workflow_id: str) -> Any:
        """What its function returned."""
        return self._answers.get(workflow_id)

    def cancel(self, workflow_id: str) -> None:
        """There is nothing to forget."""

    def known(self) -> list[Known]:
        """What was started in this process."""
        return [Known(workflow_id, answer is not None) for workflow_id, answer in self._answers.items()]

    def close(self) -> None:
        """Wait for what still runs."""
        for thread in self._threads.values():
            thread.join()
