"""Which session a reference on the command line means."""

from __future__ import annotations

import pytest
from tests.support.builders import T0, read, write
from tests.support.sql_trace import plan, traced

from lionstudio.errors import Ambiguous, NotFound
from lionstudio.model.run_name import play_run_name
from lionstudio.model.sessions import Session
from lionstudio.state.database import Database
from lionstudio.state.runs.reference import resolve_session
from lionstudio.state.sessions import create_session


def add(db: Database, id_: str, after: float = 0.0, **fields: str) -> None:
    write(db, create_session, Session(id=id_, created_at=T0 + after, **fields))  # type: ignore[arg-type]


def candidates(db: Database, reference: str) -> list[object]:
    with pytest.raises(Ambiguous) as error:
        read(db, resolve_session, reference)
    return [candidate["id"] for candidate in error.value.candidates]


def test_resolve_session_by_id_prefix_and_name(db: Database) -> None:
    for id_, name in (("abcd-1", "one"), ("xyzw", "abcd-1"), ("one", "")):
        add(db, id_, name=name)

    assert read(db, resolve_session, "abcd-1") == "abcd-1"
    assert read(db, resolve_session, "xyzw") == "xyzw"
    assert read(db, resolve_session, "abcd") == "abcd-1"
    assert read(db, resolve_session, "one") == "one"
    for unknown in ("xyz", "", "missing", "%", "abcd_1", '"', "a/b"):
        with pytest.raises(NotFound):
            read(db, resolve_session, unknown)


@pytest.mark.sqlite
def test_resolve_session_by_the_start_of_the_id_of_a_vendor(db: Database) -> None:
    add(db, "ours", conversation_id="6f1c2d3e-aaaa")
    add(db, "other", 1, conversation_id="6f1c2d3f-aaaa")

    for typed in ("6f1c2d3e", "6f1c2d3e-aaaa"):
        assert read(db, resolve_session, typed) == "ours"
    for unknown in ("6f1c2d3", "6f1c2d3g", "6f1c2d3e-aaaab"):
        with pytest.raises(NotFound):
            read(db, resolve_session, unknown)
    with db.reader() as conn, traced(conn) as ran:
        resolve_session(conn, "6f1c2d3e")
    (by_conversation,) = [each.sql for each in ran if "conversation_id >=" in each.sql]
    with db.reader() as conn:
        assert "idx_sessions_conversation" in plan(conn, by_conversation, {"prefix": "", "end": "", "limit": 1})[0]


def test_resolve_session_lists_runs_that_share_a_name_or_prefix(db: Database) -> None:
    add(db, "older", name="twice")
    add(db, "newer", 1, name="twice")
    add(db, "abcd-1", title="Fix it")
    add(db, "abcd-2", 1, title="Fix it")

    assert candidates(db, "twice") == ["newer", "older"]
    assert candidates(db, "abcd") == ["abcd-2", "abcd-1"]
    assert candidates(db, "Fix it") == ["abcd-2", "abcd-1"]


def test_resolve_session_lists_at_most_ten_runs(db: Database) -> None:
    for number in range(12):
        add(db, f"{number:02}", number, agent_name="claude")

    with pytest.raises(Ambiguous, match="more than 10 runs") as error:
        read(db, resolve_session, "claude")

    assert [candidate["id"] for candidate in error.value.candidates] == [f"{number:02}" for number in range(11, 1, -1)]
    assert error.value.candidates[0] == {"id": "11", "status": "running", "started_at": T0 + 11, "name": "claude"}


def test_resolve_session_prefers_names_to_plays_titles_and_agents(db: Database) -> None:
    add(db, "by-name", name="codex", agent_name="script")
    add(db, "by-agent", 1, title="codex", agent_name="codex")
    add(db, "by-title", title="Explain calc / mul", agent_name="codex")
    add(db, "by-play", name=play_run_name("calc", "mul"), show_topic="calc", show_play_name="mul")

    assert read(db, resolve_session, "codex") == "by-name"
    assert read(db, resolve_session, "Explain calc / mul") == "by-title"
    for play in ("calc/mul", "calc / mul", "show_calc_mul", "calc"):
        assert read(db, resolve_session, play) == "by-play"


def test_resolve_session_last_is_the_newest(db: Database) -> None:
    with pytest.raises(NotFound):
        read(db, resolve_session, "last")
    add(db, "new", 2)
    add(db, "named", 1, name="last")

    assert read(db, resolve_session, "last") == "new"


def test_resolve_session_takes_the_newest_of_runs_that_continue_each_other(db: Database) -> None:
    add(db, "first", name="nightly")
    add(db, "second", 1, name="other", continues="first")
    add(db, "third", 2, name="nightly", continues="second")

    assert read(db, resolve_session, "nightly") == "third"
    add(db, "stranger", 3, name="nightly")
    assert candidates(db, "nightly") == ["stranger", "third", "first"]
