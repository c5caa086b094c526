"""Rows of shows and plays, and transitions of their statuses (ADR-0011)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.builders import T0, begin, read, sql, write

from lionstudio.errors import IllegalTransition
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.statuses import PlayStatus, ShowStatus
from lionstudio.state import shows
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.shows import (
    StatusOrigin,
    find_play,
    find_show,
    get_play,
    get_show,
    list_plays,
    list_shows,
    play_of_session,
    put_play,
    put_show,
    sync_play,
    sync_show,
    transition_play,
    transition_show,
)


def show(db: Database, topic: str = "docs", **plays: tuple[str, ...]) -> Show:
    """Insert a show with plays and their dependencies."""
    made = write(db, put_show, Show(id=f"id of {topic}", topic=topic, show_dir=f"/shows/{topic}", created_at=T0))
    for number, (name, needs) in enumerate(plays.items()):
        play = Play(
            id=f"{topic}.{name}", show_id=made.id, name=name, depends_on=needs, sort_order=number, created_at=T0
        )
        write(db, put_play, play)
    return made


def test_put_show_keeps_one_row_per_topic(db: Database) -> None:
    first = write(db, put_show, Show(id="first", topic="t", show_dir="/a", goal="old", created_at=T0))
    second = Show(id="second", topic="t", show_dir="/b", goal="new", created_at=T0 + 5, metadata={"k": 1})

    stored = write(db, put_show, second)

    assert stored == Show(
        id="first", topic="t", show_dir="/b", goal="new", created_at=T0, updated_at=T0 + 5, metadata={"k": 1}
    )
    assert (first.id, len(read(db, list_shows))) == ("first", 1)


def test_put_play_keeps_one_row_per_name_in_order(db: Database) -> None:
    made = show(db, c=(), a=("c",), b=())
    write(db, put_play, Play(id="again", show_id=made.id, name="a", sort_order=9, attempt=2, created_at=T0))

    plays = read(db, list_plays, made.id)

    assert [(play.id, play.name, play.attempt) for play in plays] == [
        ("docs.c", "c", 1),
        ("docs.b", "b", 1),
        ("docs.a", "a", 2),
    ]
    assert read(db, find_play, made.id, "missing") is None
    assert read(db, find_show, "missing") is None


def test_list_shows_newest_first(db: Database) -> None:
    for number, topic in enumerate("abc"):
        write(db, put_show, Show(topic=topic, show_dir="/", created_at=T0, updated_at=T0 + number))
    write(db, transition_show, "a", "completed", at=T0 + 10)

    assert [one.topic for one in read(db, list_shows)] == ["a", "c", "b"]
    assert [one.topic for one in read(db, list_shows, limit=1)] == ["a"]


def test_transition_play_follows_the_table(db: Database) -> None:
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


def test_transition_refuses_a_concurrent_change(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    made = show(db, p=())
    stale = read(db, get_play, made.id, "p")
    write(db, transition_play, made.id, "p", "prepared")

    def remembered(conn: Connection, show_id: str, name: str) -> Play:
        return stale

    monkeypatch.setattr(shows, "get_play", remembered)
    with pytest.raises(IllegalTransition, match="another process"):
        write(db, transition_play, made.id, "p", "blocked")
    monkeypatch.undo()
    assert read(db, get_play, made.id, "p").status == "prepared"

    old = read(db, get_show, "docs")
    write(db, transition_show, "docs", "aborted")
    monkeypatch.setattr(shows, "get_show", lambda conn, topic: old)
    with pytest.raises(IllegalTransition, match="another process"):
        write(db, transition_show, "docs", "completed")


def test_play_of_session_finds_the_play_of_a_run(db: Database) -> None:
    made = show(db, review=(), other=())
    begin(db, "run")
    write(db, put_play, Play(show_id=made.id, name="review", session_id="run", created_at=T0))

    assert read(db, play_of_session, "run") == ("docs", read(db, get_play, made.id, "review"))
    assert read(db, play_of_session, "other") is None


def test_delete_of_a_show_deletes_plays_and_keeps_sessions(db: Database) -> None:
    made = show(db, p=())
    begin(db, "run")
    write(db, put_play, Play(show_id=made.id, name="p", session_id="run", created_at=T0))

    sql(db, "DELETE FROM shows")

    assert read(db, list_plays, made.id) == []
    assert sql(db, "SELECT id FROM sessions") == [("run",)]


def test_put_never_changes_a_status(db: Database) -> None:
    made = show(db, p=())
    write(db, put_show, replace(made, status=ShowStatus.COMPLETED, goal="new"))
    write(db, put_play, Play(show_id=made.id, name="p", status=PlayStatus.MERGED, attempt=2))

    assert (read(db, get_show, "docs").status, read(db, get_show, "docs").goal) == ("active", "new")
    play = read(db, get_play, made.id, "p")
    assert (play.status, play.attempt) == ("pending", 2)


@pytest.mark.parametrize(
    ("via", "old", "new", "jump"),
    [
        ("file", "pending", "prepared", False),
        ("file", "pending", "merged", True),
        ("file", "merged", "pending", True),
        ("import", "pending", "prepared", False),
        ("import", "pending", "merged", True),
    ],
)
def test_sync_play_records_a_status_that_skips_steps(
    db: Database, via: StatusOrigin, old: str, new: str, jump: bool
) -> None:
    made = write(db, put_show, Show(topic="t", show_dir="/t"))
    play = write(db, put_play, Play(show_id=made.id, name="p", status=PlayStatus(old), updated_at=T0))

    synced = write(db, sync_play, replace(play, status=PlayStatus(new), updated_at=T0 + 1), play, via=via)

    assert synced == read(db, get_play, made.id, "p")
    assert (synced.status, synced.updated_at) == (new, T0 + 1)
    expected = {"status_jump": {"from": old, "to": new, "at": T0 + 1, "via": via}} if jump else {}
    assert synced.metadata == expected


def test_sync_of_an_import_refuses_a_status_that_cannot_follow(db: Database) -> None:
    made = write(db, put_show, Show(topic="t", show_dir="/t"))
    play = write(db, put_play, Play(show_id=made.id, name="p", status=PlayStatus.MERGED))

    with pytest.raises(IllegalTransition):
        write(db, sync_play, replace(play, status=PlayStatus.PENDING), play, via="import")
    with pytest.raises(IllegalTransition):
        write(db, sync_show, replace(made, status=ShowStatus.IMPORTED), made, via="import")
    ended = write(db, sync_show, replace(made, status=ShowStatus.COMPLETED), made, via="import")
    assert (ended.status, ended.metadata) == ("completed", {})


def test_transition_show_from_imported(db: Database) -> None:
    for status in (ShowStatus.ACTIVE, ShowStatus.COMPLETED, ShowStatus.ABORTED):
        topic = f"to {status}"
        write(db, put_show, Show(topic=topic, show_dir="/", status=ShowStatus.IMPORTED))
        write(db, transition_show, topic, status)
        assert read(db, get_show, topic).status is status
