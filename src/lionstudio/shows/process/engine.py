"""The interface of a durable engine.

A workflow is code around steps. It decides only by the results of its steps, so that an engine can replay it from the
recorded results. A step may run twice; every step of a show tolerates that. Arguments and results are plain JSON.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol

from lionstudio.shows.director.commands import Command

Workflow = Callable[..., Any]
SHAPE = "shows-8"  # raise it when the order or results of steps change; runs of another shape restart from the files


class Engine(Protocol):
    """Keeps the steps of one show, and has its commands carried out."""

    def step(self, name: str, work: Callable[..., Any], *args: Any) -> Any:
        """Run a step of a workflow and record its result."""

    def order(
        self, job: str, command: Command, carry_out: Callable[[Command], Any], answer: Callable[[str, Any], None]
    ) -> None:
        """Have a command carried out, here or by another machine, and pass its job and its result to `answer`.

        The same job ordered again, by a director that was killed, is the same order.
        """

    def close(self) -> None:
        """Stop; unfinished workflows can be resumed later."""


class DirectorEngine(Engine, Protocol):
    """The engine of a director process, which runs nothing but its show."""

    def run(self, workflow_id: str, name: str, *args: Any) -> Any:
        """Start a workflow, or resume an unfinished one, and wait for its result."""


def order_in_thread(
    job: str, command: Command, carry_out: Callable[[Command], Any], answer: Callable[[str, Any], None]
) -> None:
    """Carry a command out in a thread of this process."""
    name = type(command).__name__
    threading.Thread(target=lambda: answer(job, carry_out(command)), daemon=True, name=name).start()
