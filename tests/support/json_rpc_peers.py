"""A scripted program that speaks JSON-RPC on its standard input and output, for the odd cases of a protocol."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

from tests.support.agent_programs import Run

from lionstudio.agents.dialog import Dialog
from lionstudio.agents.events import Event
from lionstudio.agents.provider import Provider, Task

_PRELUDE = '''
import json, sys

def send(**message):
    print(json.dumps(message), flush=True)

def receive(method=None):
    """The next message; with a method, the next request or notification of that name."""
    while line := sys.stdin.readline():
        message = json.loads(line)
        if method in (None, message.get("method")):
            return message
    sys.exit(9)

def answer(method, **result):
    request = receive(method)
    send(id=request["id"], result=result)
    return request

def reply_to(number):
    """The reply to a request of ours."""
    while True:
        message = receive()
        if message.get("id") == number and "method" not in message:
            return message
'''


def write_peer(path: Path, *parts: str) -> Path:
    """A program that plays these parts."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{sys.executable}\n" + "\n".join(map(dedent, (_PRELUDE, *parts))))
    path.chmod(0o755)
    return path


def play(provider: Provider, task: Task, *acts: Callable[[Dialog, Event], None]) -> Run:
    """Run it with a person who acts on its events."""
    result, dialog = Run(), Dialog()
    told = task._replace(dialog=dialog)

    async def collect() -> None:
        provider.check(told)
        async for event in provider.run(told):
            result.events.append(event)
            for act in acts:
                act(dialog, event)

    asyncio.run(asyncio.wait_for(collect(), 30))
    return result
