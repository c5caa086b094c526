"""A script with a mistake is refused with its line before anything runs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lionstudio.agents.events import MessageEvent
from lionstudio.agents.provider import Task
from lionstudio.agents.script import Script
from lionstudio.errors import InvalidInput
from lionstudio.model.file_changes.change import ChangeKind, FileChange, Hunk
from lionstudio.model.file_changes.tool_calls import changes_of_call
from lionstudio.model.messages import Message


def task(prompt: str) -> Task:
    return Task(prompt=prompt, cwd="/", env={})


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("@bogus", "@bogus is unknown"),
        ("@write b.txt", "@write needs a file and"),
        ("@write", "@write needs a file and"),
        ("@run", "@run needs a command"),
        ("@tool", "@tool needs the name"),
        ("@sleep x", "@sleep needs a number"),
        ("@sleep nan", "@sleep needs a number"),
        ("@usage a b", "@usage needs integer"),
        ("@usage", "@usage needs integer"),
    ],
)
def test_check_reports_line_of_mistake(line: str, wrong: str) -> None:
    with pytest.raises(InvalidInput, match=f"line 2 of the script: {wrong}"):
        Script().check(task(f"@say hello\n  {line}"))


def test_check_accepts_valid_scripts() -> None:
    Script().check(task("@write a.txt one\n@sleep\n@sleep 0.5\n@usage 1 2\n@tool grep\n@fail\n@limit\nno directive @x"))


def test_write_records_the_change_of_a_file(tmp_path: Path) -> None:
    script = Task(prompt="@write a.txt one\\ntwo\n@write a.txt one\\nthree", cwd=str(tmp_path), env={})

    async def play() -> list[Message]:
        return [event.message async for event in Script().run(script) if isinstance(event, MessageEvent)]

    calls = asyncio.run(play())

    changes = [
        changes_of_call(call.content, result.content, result.metadata)
        for call, result in zip(calls[::2], calls[1::2], strict=True)
    ]
    assert [change and change.files[0] for change in changes] == [
        FileChange("a.txt", ChangeKind.CREATED, 2, 0, (Hunk(("+one", "+two"), 0, 1),)),
        FileChange("a.txt", ChangeKind.EDITED, 1, 1, (Hunk((" one", "-two", "+three"), 1, 1),)),
    ]
