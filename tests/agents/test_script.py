"""A script with a mistake is refused with its line before anything runs."""

from __future__ import annotations

import pytest

from lionstudio.agents.provider import Task
from lionstudio.agents.script import Script
from lionstudio.errors import InvalidInput


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
