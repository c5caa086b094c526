"""Shows and plays: rows beside folders, links to sessions, and questions across all shows (ADR-0011)."""

from __future__ import annotations

import pytest
from tests.support.builders import T0, begin, read, sql, write

from lionstudio.errors import IllegalTransition, NotFound
from lionstudio.model.sessions import Session
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.statuses import PlayStatus, ShowStatus
from lionstudio.state import shows
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.sessions import create_session
from lionstudio.state.shows import (
    blocked_plays,
    critical_path,
    delete_show,
    find_play,
    find_show,
    get_play,
    get_show,
    link_session,
    list_plays,
    list_shows,
    play_of_session,
    plays_with_status,
    put_play,
    put_show,
    transition_play,
    transition_show,
)


def show(db: Database, topic: str = "docs", **plays: tuple[str, ...]) -> Show:
    """A show with plays and what they depend on."""
    made = write(db, put_show, Show(id=f"id of {topic}", topic=topic, show_dir=f"/shows/{topic}", created_at=T0))
    for number, (name, needs) in enumerate(plays.items()):
        play = Play(
            id=f"{topic}.{name}", show_id=made.id, name=name, depends_on=needs, sort_order=number, created_at=T0
        )
        write(db, put_play, play)
    return made


def test_a_show_is_put_once_per_topic(db: Database) -> None:
    first = write(db, put_show, Show(id="first", topic="t", show_dir="/a", goal="old", created_at=T0))
    second = Show(id="second", topic="t", show_dir="/b", goal="new", created_at=T0 + 5, metadata={"k": 1})

    stored = write(db, put_show, second)

    assert stored == Show(
        id="first", topic="t", show_dir="/b", goal="new", created_at=T0, updated_at=T0 + 5, metadata={"k": 1}
    )
    assert (first.id, len(read(db, list_shows))) == ("first", 1)


def test_plays_are_put_once_per_name_and_listed_in_order(db: Database) -> None:
    made = show(db, c=(), a=("c",), b=())
    write(db, put_play, Play(id="again", show_id=made.id, name="a", sort_order=9, attempt=2, created_at=T0))

    plays = read(db, list_plays, made.id)

    assert [(play.id, play.name, play.attempt) for play in plays] == [
        ("docs.c", "c", 1),
        ("docs.b", "b", 1),
        ("docs.a", "a", 2),
    ]
    assert read(db, find_play, made.id, "nobody") is None
    assert read(db, find_show, "nobody") is None


def test_shows_are_listed_newest_first(db: Database) -> None:
    for number, topic in enumerate("abc"):
        write(db, put_show, Show(topic=topic, show_dir="/", created_at=T0, updated_at=T0 + number))
    write(db, transition_show, "a", "completed", at=T0 + 10)

    assert [one.topic for one in read(db, list_shows)] == ["a", "c", "b"]
    assert [one.topic for one in read(db, list_shows, limit=1)] == ["a"]


def test_a_play_goes_its_way(db: Database) -> None:
    made = show(db, p=())
    way = (
        "prepared",
        "running",
        "running_complete",
        "gated",
        "redoing",
        "running",
        "running_complete",
        "gated",
        "merged",
    )
    for number, status in enumerate(way):
        write(db, transition_play, made.id, "p", status, at=T0 + number)

    play = read(db, get_play, made.id, "p")
    assert (play.status, play.updated_at) == (PlayStatus.MERGED, T0 + 8)
    with pytest.raises(IllegalTransition, match="is merged and cannot become redoing") as refusal:
        write(db, transition_play, made.id, "p", "redoing")
    assert refusal.value.hint == "allowed from merged: nothing, it is final"


def test_two_directors_do_not_overtake_each_other(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    made = show(db, p=())
    stale = read(db, get_play, made.id, "p")
    write(db, transition_play, made.id, "p", "prepared")

    def remembered(conn: Connection, show_id: str, name: str) -> Play:
        return stale

    monkeypatch.setattr(shows, "get_play", remembered)
    with pytest.raises(IllegalTransition, match="somebody else"):
        write(db, transition_play, made.id, "p", "blocked")
    monkeypatch.undo()
    assert read(db, get_play, made.id, "p").status == "prepared"

    old = read(db, get_show, "docs")
    write(db, transition_show, "docs", "aborted")
    monkeypatch.setattr(shows, "get_show", lambda conn, topic: old)
    with pytest.raises(IllegalTransition, match="somebody else"):
        write(db, transition_show, "docs", "completed")


def test_a_play_finds_the_newest_session_with_its_name(db: Database) -> None:
    made = show(db, review=(), other=())
    assert write(db, link_session, made, "review") is None
    for id_, at in (("old", T0), ("new", T0 + 2), ("middle", T0 + 1)):
        write(db, create_session, Session(id=id_, name="show_docs_review", created_at=at))

    assert write(db, link_session, made, "review", at=T0 + 9) == "new"

    play = read(db, get_play, made.id, "review")
    assert (play.session_id, play.updated_at) == ("new", T0 + 9)
    assert read(db, play_of_session, "new") == ("docs", play)
    assert read(db, play_of_session, "old") is None


def test_a_show_takes_its_plays_along_and_leaves_their_sessions(db: Database) -> None:
    made = show(db, p=())
    begin(db, "run", name="show_docs_p")
    write(db, link_session, made, "p")

    write(db, delete_show, "docs")

    assert read(db, list_plays, made.id) == []
    assert sql(db, "SELECT id FROM sessions") == [("run",)]
    with pytest.raises(NotFound):
        write(db, delete_show, "docs")


def test_questions_across_all_shows(db: Database) -> None:
    one, two = show(db, "one", a=(), b=("a",), c=("b",), d=()), show(db, "two", x=(), y=("x",))
    for made, name in ((one, "a"), (two, "x")):
        write(db, transition_play, made.id, name, "escalated", at=T0)

    assert [(found.topic, found.play.name) for found in read(db, plays_with_status, "escalated")] == [
        ("one", "a"),
        ("two", "x"),
    ]
    assert read(db, blocked_plays, "one") == {"b": ("a",), "c": ("b",)}
    assert read(db, critical_path, "one", T0) == ("a", "b", "c")
    with pytest.raises(NotFound):
        read(db, blocked_plays, "nobody")


def test_the_critical_path_follows_time_where_it_is_known(db: Database) -> None:
    made = show(db, slow=(), quick=(), more=("quick",), end=("more", "slow"))
    for name, seconds in (("slow", 900.0), ("quick", 5.0), ("more", 5.0)):
        play = read(db, get_play, made.id, name)
        sql(db, "UPDATE plays SET started_at = ?, ended_at = ? WHERE id = ?", (T0, T0 + seconds, play.id))

    assert read(db, critical_path, "docs", T0) == ("slow", "end")


def test_an_imported_show_may_become_anything(db: Database) -> None:
    for status in (ShowStatus.ACTIVE, ShowStatus.COMPLETED, ShowStatus.ABORTED):
        topic = f"to {status}"
        write(db, put_show, Show(topic=topic, show_dir="/", status=ShowStatus.IMPORTED))
        write(db, transition_show, topic, status)
        assert read(db, get_show, topic).status is status
