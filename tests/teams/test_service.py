"""Teams and their messages as rows (ADR-0019 A)."""

from __future__ import annotations

import pytest
from tests.support.builders import T0, begin, read, sql, write

from lionstudio.errors import NotFound
from lionstudio.model.teams import Team, TeamMessage
from lionstudio.state.database import Database
from lionstudio.state.teams import (
    find_team,
    find_team_message,
    get_team,
    list_teams,
    message_counts,
    put_team,
    put_team_message,
    sessions_of_team,
    team_messages,
    transition_team,
)


def team(db: Database, id_: str = "team", **fields: object) -> Team:
    return write(db, put_team, Team(**{"id": id_, "name": "review", "created_at": T0, **fields}))  # type: ignore[arg-type]


def message(id_: str, at: float = T0, **fields: object) -> TeamMessage:
    values = {"id": id_, "team_id": "team", "sender": "ada", "content": id_, "created_at": at, **fields}
    return TeamMessage(**values)  # type: ignore[arg-type]


def test_get_team_by_id_and_name(db: Database) -> None:
    team(db, "older", created_at=T0)
    newer = team(db, "newer", created_at=T0 + 1, members=("a", "b"), metadata={"mode": "x"})
    team(db, "review", name="its id is a name")

    assert read(db, get_team, "newer") == newer
    assert read(db, get_team, "review").id == "review"
    sql(db, "DELETE FROM teams WHERE id = 'review'")
    assert read(db, get_team, "review").id == "newer"
    assert read(db, find_team, "unknown") is None
    assert sql(db, "SELECT member_count FROM teams WHERE id = 'newer'") == [(2,)]


def test_put_team_updates_a_row(db: Database) -> None:
    team(db, members=("a",))
    stored = team(db, members=("a", "b"), updated_at=T0 + 9, created_at=T0 + 5, name="other")

    assert stored == Team(id="team", name="other", members=("a", "b"), created_at=T0, updated_at=T0 + 9)


def test_list_teams_by_last_use(db: Database) -> None:
    for number, id_ in enumerate("abc"):
        team(db, id_, updated_at=T0 + number)
    write(db, put_team_message, message("m", T0 + 10, team_id="a"))

    assert [one.id for one in read(db, list_teams)] == ["a", "c", "b"]
    assert [one.id for one in read(db, list_teams, limit=2)] == ["a", "c"]


def test_move_team_archives_and_reopens(db: Database) -> None:
    team(db)
    write(db, transition_team, "review", "archived")
    assert read(db, get_team, "team").status == "archived"
    write(db, transition_team, "team", "active")
    assert read(db, get_team, "team").status == "active"


def test_team_messages_in_order_and_pages(db: Database) -> None:
    team(db)
    sent = [message("b", T0 + 1), message("a", T0 + 1), message("first", T0), message("last", T0 + 2, recipient="bob")]
    for one in sent:
        write(db, put_team_message, one)

    everything = read(db, team_messages, "team")
    assert [one.id for one in everything] == ["first", "a", "b", "last"]
    page = read(db, team_messages, "team", limit=2)
    rest = read(db, team_messages, "team", after=(page[-1].created_at, page[-1].id))
    assert page + rest == everything
    assert everything[-1] == sent[-1]


def test_post_updates_an_existing_message(db: Database) -> None:
    team(db)
    write(db, put_team_message, message("m", read_by=("ada",)))
    write(db, put_team_message, message("m", read_by=("ada", "bob"), content="corrected"))

    assert read(db, team_messages, "team") == [message("m", read_by=("ada", "bob"), content="corrected")]
    assert read(db, find_team_message, "m") == read(db, team_messages, "team")[0]
    assert read(db, find_team_message, "unknown") is None
    assert read(db, message_counts) == {"team": 1}


def test_post_summarizes_long_messages(db: Database) -> None:
    team(db)
    for one in (
        message("short", content="x" * 200),
        message("long", content="\n\n  The point.  \n" + "x" * 300),
        message("one line", content="y" * 300),
        message("given", content="x" * 300, summary="mine"),
    ):
        write(db, put_team_message, one)

    assert {one.id: one.summary for one in read(db, team_messages, "team")} == {
        "short": None,
        "long": "The point.",
        "one line": "y" * 199 + "…",
        "given": "mine",
    }


def test_sessions_of_team(db: Database) -> None:
    team(db)
    for id_ in ("s1", "s2", "s3"):
        begin(db, id_)
    for number, session in enumerate(("s2", "s1", "s2", None)):
        write(db, put_team_message, message(f"m{number}", session_id=session))

    assert read(db, sessions_of_team, "team") == ["s1", "s2"]


def test_post_to_unknown_team_is_refused(db: Database) -> None:
    with pytest.raises(NotFound):
        write(db, put_team_message, message("m", team_id="unknown"))

    assert sql(db, "SELECT count(*) FROM team_messages") == [(0,)]


def test_deleting_a_team_deletes_its_messages(db: Database) -> None:
    team(db)
    write(db, put_team_message, message("m"))
    sql(db, "DELETE FROM teams")

    assert sql(db, "SELECT count(*) FROM team_messages") == [(0,)]
