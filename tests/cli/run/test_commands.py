"""`li ps` and `li logs`: one tab-separated line per item, whatever the text contains."""

from __future__ import annotations

import time

import pytest
from tests.support.builders import begin, said, write
from tests.support.commands import run_li, run_on_terminal

from lionstudio.model.messages import create_message
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.sessions import finish_session


@pytest.fixture
def talk(db: Database) -> Database:
    """A run with text that could break a line."""
    now = time.time()
    session = begin(db, "run-1", name="a\tname", created_at=now, started_at=now)
    call = create_message({"function": "grep", "arguments": {"word": "x"}}, id="call", created_at=now)
    result = create_message({"output": "one\ntwo", "action_request_id": "call"}, created_at=now)
    for message in (said("first\nsecond\tthird\x1b[31m", created_at=now), call, result, said("y" * 5000)):
        write(db, append, session.branch_id, message)
    return db


def test_ps_prints_one_line_per_run(talk: Database) -> None:
    done = run_li("ps", "--db", talk.path)
    [line] = done.out.splitlines()
    cells = line.split("\t")
    assert (cells[0], cells[4], cells[5], len(cells)) == ("run-1", "4", "a\\tname", 7)
    assert cells[1] == "unknown"
    assert cells[2].endswith("Z")
    write(talk, finish_session, "run-1", "completed")
    assert run_li("ps", "--db", talk.path) == (0, "", "No active runs.\n")


def test_logs_prints_one_line_per_message(talk: Database) -> None:
    rows = [line.split("\t") for line in run_li("logs", "run-1", "--db", talk.path).out.splitlines()]
    assert [(row[0], *row[2:]) for row in rows[:3]] == [
        ("0", "user", "", "first\\nsecond\\tthird\\x1b[31m"),
        ("1", "assistant", "grep", '{"word":"x"}'),
        ("2", "tool", "", "one\\ntwo"),
    ]
    assert rows[3][4].endswith("y…")
    full = run_li("logs", "run-1", "--full", "--db", talk.path).out.splitlines()[3]
    assert full.endswith("y" * 5000)


def test_logs_prints_every_line_of_a_program(db: Database) -> None:
    session = begin(db, "run-1")
    lines = [f"line {number}" for number in range(40)]
    output = create_message({"assistant_response": "\n".join(lines)}, metadata={"lines": 40}, created_at=time.time())
    write(db, append, session.branch_id, output)

    rows = [line.split("\t") for line in run_li("logs", "run-1", "--db", db.path).out.splitlines()]
    terminal = run_on_terminal("logs", "run-1", "--db", db.path, "--no-color").out

    assert [(row[0], row[2], row[4]) for row in rows] == [("0", "assistant", line) for line in lines]
    assert [line.strip() for line in terminal.splitlines() if "line" in line] == lines
    assert "28 more lines" in run_li("state", "show", "run-1", "--db", db.path).out


def test_ps_and_logs_on_a_terminal(talk: Database) -> None:
    assert "HEALTH" in run_on_terminal("ps", "--db", talk.path).out
    output = run_on_terminal("logs", "run-1", "--db", talk.path, "--no-color").out
    assert "    second" in output
    assert "tool grep" in output
