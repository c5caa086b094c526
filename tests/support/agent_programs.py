"""Find and run the real agent programs in a network namespace of their own."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lionstudio.agents.events import Ended, Event, MessageEvent, MetadataEvent
from lionstudio.agents.provider import Task, get_provider
from lionstudio.model.messages import ActionRequest, ActionResponse, Message
from lionstudio.model.usage import NOTHING, Usage
from lionstudio.system.program import Program

ROOT = Path(__file__).resolve().parents[2]
_PLACES = (
    os.environ.get("LIONAGI_AGENT_BIN"),
    str(ROOT / ".agents" / "node_modules" / ".bin"),
    str(ROOT / ".agents" / "acp" / "node_modules" / ".bin"),
    os.environ.get("PATH"),
)


def find_agent(name: str) -> str | None:
    """The program where `make test-agents` and `make test-acp` put it, or where the user has it."""
    return next((path for place in _PLACES if place and (path := shutil.which(name, path=place))), None)


@dataclass
class Network:
    """A network with a model server in it and nothing else."""

    pid: int
    url: str
    log: Path

    def wrap(self, program: str, folder: Path) -> None:
        """Put a program of the same name into a folder that runs it in this network."""
        enter = shlex.join(["nsenter", f"--target={self.pid}", "--net", "--", program])
        script = folder / Path(program).name
        script.write_text(f'#!/bin/sh\nexec {enter} "$@"\n')
        script.chmod(0o755)

    def requests(self) -> list[dict[str, Any]]:
        """The requests that the server received."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def bodies(self, after: int = 0) -> str:
        """Everything that programs sent to the model, from a position on."""
        path = self.log.with_name(f"{self.log.name}.bodies")
        return path.read_text()[after:] if path.exists() else ""


@dataclass
class Run:
    """One run of an agent: its output, its events and its process id."""

    printed: list[dict[str, Any]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    pid: int = 0

    @property
    def said(self) -> list[MessageEvent]:
        return [event for event in self.events if isinstance(event, MessageEvent)]

    @property
    def messages(self) -> list[Message]:
        return [said.message for said in self.said]

    @property
    def ended(self) -> Ended:
        last = self.events[-1]
        assert isinstance(last, Ended)
        return last

    @property
    def facts(self) -> dict[str, Any]:
        return {
            name: fact
            for event in self.events
            if isinstance(event, MetadataEvent)
            for name, fact in event.facts.items()
        }

    @property
    def usage(self) -> Usage:
        total = NOTHING
        for message in self.messages:
            total = total.plus(message.usage)
        return total

    @property
    def calls(self) -> list[tuple[ActionRequest, ActionResponse]]:
        """Each call with its result, by id."""
        asked = {message.id: message for message in self.messages if isinstance(message, ActionRequest)}
        answers = [message for message in self.messages if isinstance(message, ActionResponse)]
        assert len({answer.content["action_request_id"] for answer in answers}) == len(answers)
        return [(asked[answer.content["action_request_id"]], answer) for answer in answers]

    def texts(self, lane: str = "main") -> list[str]:
        """The answers of the model."""
        contents = [said.message.content for said in self.said if said.lane == lane]
        return [content["assistant_response"] for content in contents if content.get("assistant_response")]


_run: ContextVar[Run] = ContextVar("_run")
_line = Program.line


async def heard_line(self: Program, within: float | None = None) -> bytes | None:
    """Program.line that also records the output."""
    line = await _line(self, within)
    run = _run.get(None)
    if run is not None:
        run.pid = self.pid
        if line is not None and line.strip():
            run.printed.append(json.loads(line))
    return line


@dataclass
class Agent:
    """An installed program, ready to be run in the network."""

    name: str
    task: Task
    network: Network

    def run(self, prompt: str, **changes: Any) -> Run:
        """Run it to its end."""
        return asyncio.run(self.play(prompt, **changes))

    async def play(self, prompt: str, *, until: Callable[[Event], bool] = lambda event: False, **changes: Any) -> Run:
        """Run it to its end, or to the first event that is enough."""
        run = Run()
        token = _run.set(run)
        provider = get_provider(self.name)
        task = self.task._replace(prompt=prompt, **changes)
        provider.check(task)
        events = provider.run(task)
        try:
            async for event in events:
                run.events.append(event)
                if until(event):
                    break
        finally:
            await events.aclose()  # type: ignore[attr-defined]
            _run.reset(token)
        return run
