"""Titles: the first line of the first prompt, whoever creates the session."""

from __future__ import annotations

import pytest
from tests.support.builders import begin, read, said, write

from lionstudio.model.messages import create_message
from lionstudio.model.run_name import run_name, title_of
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.messages.append_many import PendingRow, append_many
from lionstudio.state.messages.rows import to_row
from lionstudio.state.sessions import get_session


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("Fix  the\tlogin\nand more", "Fix the login"),
        ("\n \n  second line", "second line"),
        ("x" * 61, "x" * 59 + "…"),
        ("x" * 60, "x" * 60),
        (" \n", None),
        ("", None),
        ("a" * 10_000_000, "a" * 59 + "…"),
    ],
)
def test_title_of_is_the_first_line(prompt: str, title: str | None) -> None:
    assert title_of(prompt) == title


def title(db: Database) -> str | None:
    return read(db, get_session, "s").title


def test_append_titles_a_session_by_its_first_prompt(db: Database) -> None:
    _, branch = begin(db)
    write(db, append, branch, create_message({"system_message": "be kind"}))
    assert title(db) is None
    write(db, append, branch, said("<context>", metadata={"injected": True}))
    assert title(db) is None
    write(db, append, branch, said("Fix the login"))
    write(db, append, branch, said("and the logout"))

    assert title(db) == "Fix the login"


def test_append_keeps_the_title_of_the_creator(db: Database) -> None:
    _, branch = begin(db, title="given")
    write(db, append, branch, said("other"))

    assert title(db) == "given"


def test_append_many_titles_a_session(db: Database) -> None:
    _, branch = begin(db)
    messages = [create_message({"assistant_response": "hello"}), said("Fix the login"), said("later")]
    db.write(lambda conn: append_many(conn, branch, [PendingRow(one, to_row(conn, one)) for one in messages]))

    assert title(db) == "Fix the login"


def test_run_name_prefers_a_name_then_the_play_then_the_title() -> None:
    row = {"id": "0123456789", "agent_name": "coder", "title": "Fix the login"}

    assert run_name(row) == "Fix the login"
    assert run_name(row | {"show_topic": "docs", "show_play_name": "intro"}) == "docs / intro"
    assert run_name(row | {"name": "mine"}) == "mine"
