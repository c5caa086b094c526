"""The live view prints calls and results as text, never as Python objects."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.commands import run_li, run_on_terminal
from tests.support.talks import Terminal, home_in

from lionstudio.cli._session.header import source_name
from lionstudio.cli._session.transcript import one_line
from lionstudio.state.database import Database


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"command": "ls"}, "ls"),
        ({"command": "ls -l\n  /tmp", "timeout": 5}, "command: ls -l /tmp, timeout: 5"),
        ({"todos": [{"done": True}]}, '[{"done":true}]'),
        ({}, ""),
        (None, ""),
        ("text", "text"),
    ],
)
def test_one_line_shows_arguments_as_text(arguments: object, text: str) -> None:
    assert one_line(arguments) == text


def test_live_view_shows_calls_without_python(db: Database) -> None:
    shown = run_on_terminal("agent", "script", "@run echo one two", "--db", db.path, "--no-color").out

    assert "echo one two" in shown
    assert "{'" not in shown


def test_live_view_and_header_say_what_a_run_waits_for_and_where_it_is_from(tmp_path: Path) -> None:
    with home_in(tmp_path) as home, Terminal(home, "agent", "script", "@wait Which colour?") as terminal:
        terminal.expect("waits for you: Which colour?")
        terminal.type("red\n")
        terminal.expect("You answered: red")
        assert terminal.wait() == 0
        header = home.li("state", "show", "last").out
    assert "  kind      agent · recorded\n" in header
    assert "  model     script\n" in header


@pytest.mark.parametrize(
    ("kind", "name"),
    [("live", "recorded"), ("imported_claude", "Claude Code"), ("imported_x_y", "imported x y"), (None, "")],
)
def test_source_name_labels_every_kind(kind: str | None, name: str) -> None:
    assert source_name(kind) == name


def test_export_is_headed_by_what_the_run_is_called(db: Database) -> None:
    run_li("agent", "script", "@say hello", "--db", db.path)

    assert run_li("state", "export", "last", "--format", "md", "--db", db.path).out.startswith("# @say hello\n")
