"""Bad input is refused with the right error and leaves no trace."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import T0, begin, read, read_history, said, say, write
from tests.support.hostile import nested
from tests.support.records import dump

from lionstudio.errors import Conflict, IllegalTransition, InvalidInput, LionError, NotFound
from lionstudio.model.branches import Branch
from lionstudio.model.json_codec import MAX_DEPTH
from lionstudio.model.messages import Message
from lionstudio.model.sessions import Session
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status import statuses
from lionstudio.model.status.statuses import PlayStatus, SessionStatus, ShowStatus, TeamStatus
from lionstudio.model.teams import Team, TeamMessage
from lionstudio.state.branches import create_branch, get_branch
from lionstudio.state.database import Database
from lionstudio.state.definitions import save_version
from lionstudio.state.exchange.mailboxes import mark_read, send
from lionstudio.state.messages.append import append
from lionstudio.state.messages.rows import get_message
from lionstudio.state.sessions import create_session, finish_session, get_session
from lionstudio.state.shows import get_play, get_show, put_play, put_show, transition_play, transition_show
from lionstudio.state.teams import get_team, put_team, put_team_message, transition_team

ROOT = Path(__file__).resolve().parents[2]
Refusal = tuple[Callable[[Database], Any], type[LionError]]


def session(**fields: Any) -> Callable[[Database], Any]:
    return lambda db: write(db, create_session, Session(**{"id": "new", **fields}))


def branch(**fields: Any) -> Callable[[Database], Any]:
    return lambda db: write(db, create_branch, Branch(**{"id": "new", "session_id": "s", **fields}))


def message(content: Any = "x", **fields: Any) -> Callable[[Database], Any]:
    made = {"id": "new", "content": {"instruction": content}, **fields}
    return lambda db: write(db, append, "s.main", Message(**made))


def show(**fields: Any) -> Callable[[Database], Any]:
    return lambda db: write(db, put_show, Show(**{"id": "new", "topic": "new", "show_dir": "/d", **fields}))


def play(**fields: Any) -> Callable[[Database], Any]:
    return lambda db: write(db, put_play, Play(**{"id": "new", "show_id": "show", "name": "new", **fields}))


def team(**fields: Any) -> Callable[[Database], Any]:
    return lambda db: write(db, put_team, Team(**{"id": "new", "name": "new", **fields}))


def letter(**fields: Any) -> Callable[[Database], Any]:
    made = {"id": "new", "team_id": "team", "sender": "a", "content": "c", **fields}
    return lambda db: write(db, put_team_message, TeamMessage(**made))


def circle() -> list[Any]:
    array: list[Any] = []
    array.append(array)
    return array


REFUSED: Mapping[str, Refusal] = {
    # unknown codes
    "session status": (session(status="stuck"), InvalidInput),
    "session kind": (session(invocation_kind="dream"), InvalidInput),
    "session source": (session(source_kind="thin air"), InvalidInput),
    "end of a session": (lambda db: write(db, finish_session, "s", "done"), InvalidInput),
    "play status": (play(status="done"), InvalidInput),
    "move of a play": (lambda db: write(db, transition_play, "show", "p", "done"), InvalidInput),
    "show status": (show(status="done"), InvalidInput),
    "move of a show": (lambda db: write(db, transition_show, "t", "done"), InvalidInput),
    "team status": (team(status="done"), InvalidInput),
    "move of a team": (lambda db: write(db, transition_team, "team", "done"), InvalidInput),
    "kind of a definition": (lambda db: write(db, save_version, "poem", "a", "text"), InvalidInput),
    # missing rows
    "branch of no session": (branch(session_id="missing"), NotFound),
    "branch without a session": (branch(session_id=None), NotFound),
    "message to no branch": (lambda db: write(db, append, "missing", said()), NotFound),
    "play of no show": (play(show_id="missing"), InvalidInput),
    "play of no session": (play(session_id="missing"), InvalidInput),
    "letter to no team": (letter(team_id="missing"), NotFound),
    "letter of no session": (letter(session_id="missing"), InvalidInput),
    "end of nothing": (lambda db: write(db, finish_session, "missing", "failed"), NotFound),
    "move of no play": (lambda db: write(db, transition_play, "show", "missing", "prepared"), NotFound),
    "move of no show": (lambda db: write(db, transition_show, "missing", "aborted"), NotFound),
    "move of no team": (lambda db: write(db, transition_team, "missing", "archived"), NotFound),
    "reading an inbox that is not there": (lambda db: write(db, mark_read, "missing", 1), NotFound),
    # ids
    "empty id": (session(id=""), InvalidInput),
    "long id": (session(id="x" * 201), InvalidInput),
    "id with a line break": (branch(id="a\nb"), InvalidInput),
    "id with NUL": (message(id="a\0b"), InvalidInput),
    "id that is not Unicode": (message(id="\ud800"), InvalidInput),
    "id that is not text": (message(id=5), InvalidInput),
    "topic with a slash and a line break": (show(topic="a/\nb"), InvalidInput),
    "taken session": (session(id="s"), Conflict),
    "taken branch": (branch(id="s.main"), Conflict),
    "taken message": (message("other", id="m"), Conflict),
    "taken show": (show(id="show"), Conflict),
    "taken play": (play(id="play", name="other"), Conflict),
    "letter of another team": (letter(id="tm", team_id="team"), Conflict),
    # JSON
    "10,000 levels": (message(nested(10_000)), InvalidInput),
    "one level too many": (message(nested(MAX_DEPTH)), InvalidInput),
    "10,000 levels of metadata": (message(metadata={"a": nested(10_000)}), InvalidInput),
    "10,000 levels of a session": (session(metadata={"a": nested(10_000)}), InvalidInput),
    "an array that contains itself": (message(circle()), InvalidInput),
    "NaN": (message(math.nan), InvalidInput),
    "infinity": (message([-math.inf]), InvalidInput),
    "bytes": (message(b"raw"), InvalidInput),
    "an object": (message(object()), InvalidInput),
    "a number of 5,000 digits": (message(10**5000), InvalidInput),
    "a number alone": (lambda db: write(db, append, "s.main", Message(content=12)), InvalidInput),
    "NaN in the metadata": (branch(metadata={"a": math.nan}), InvalidInput),
    # columns
    "exit code of 65 bits": (session(exit_code=2**64), InvalidInput),
    "exit code at the end": (lambda db: write(db, finish_session, "s", "failed", exit_code=-(2**64)), InvalidInput),
    "exit code of a play": (play(exit_code=2**64), InvalidInput),
    "attempt": (play(attempt=2**64), InvalidInput),
    "sort order": (play(sort_order=-(2**64)), InvalidInput),
    "place in an inbox": (lambda db: write(db, mark_read, "reader", 2**64), InvalidInput),
    "usage of 65 bits": (message(metadata={"usage": {"input_tokens": 2**64}}), InvalidInput),
    "usage below nothing": (message(metadata={"usage": {"input_tokens": -1}}), InvalidInput),
    "usage in words": (message(metadata={"usage": {"input_tokens": "many"}}), InvalidInput),
    "usage that is not an object": (message(metadata={"usage": "much"}), InvalidInput),
    "birth of a session at NaN": (session(created_at=math.nan), InvalidInput),
    "birth of a session in eternity": (session(created_at=math.inf), InvalidInput),
    "start of a session at NaN": (session(started_at=math.nan), InvalidInput),
    "end of a session in eternity": (session(ended_at=-math.inf), InvalidInput),
    "end at NaN": (lambda db: write(db, finish_session, "s", "failed", at=math.nan), InvalidInput),
    "birth of a branch at NaN": (branch(created_at=math.nan), InvalidInput),
    "birth of a branch in eternity": (branch(created_at=math.inf), InvalidInput),
    "birth of a show at NaN": (show(created_at=math.nan), InvalidInput),
    "start of a play in eternity": (play(started_at=math.inf), InvalidInput),
    "birth of a team in eternity": (team(created_at=math.inf), InvalidInput),
    "birth of a letter at NaN": (letter(created_at=math.nan), InvalidInput),
    "embedding beyond float32": (message(embedding=(1e300,)), InvalidInput),
    "embedding without end": (message(embedding=(math.inf,)), InvalidInput),
    "embedding that is not a number": (message(embedding=(math.nan,)), InvalidInput),
    "embedding of words": (message(embedding=("a",)), InvalidInput),
    "a message without a recipient": (lambda db: write(db, send, said(sender="a")), InvalidInput),
    "a message without a sender": (lambda db: write(db, send, said(recipient="a")), InvalidInput),
}


@pytest.fixture
def world(db: Database) -> Database:
    """One row of every table."""
    say(db, begin(db).branch_id, "m")
    write(db, put_show, Show(id="show", topic="t", show_dir="/t", created_at=T0))
    write(db, put_play, Play(id="play", show_id="show", name="p", created_at=T0))
    write(db, create_session, Session(id="of a play", name="show_t_missing", created_at=T0))
    write(db, put_team, Team(id="team", name="n", created_at=T0))
    write(db, put_team, Team(id="other team", name="o", created_at=T0))
    write(db, put_team_message, TeamMessage(id="tm", team_id="other team", sender="a", content="c", created_at=T0))
    write(db, send, said("letter", sender="writer", recipient="reader"))
    return db


@pytest.mark.parametrize("what", REFUSED)
def test_bad_input_is_refused_without_a_trace(world: Database, what: str) -> None:
    attempt, answer = REFUSED[what]
    before = dump(world.path)

    with pytest.raises(answer) as refusal:
        attempt(world)

    assert type(refusal.value) is answer
    assert len(str(refusal.value)) < 300
    assert dump(world.path) == before


def test_append_rejects_an_ended_session(world: Database) -> None:
    for status in SESSION_ENDS:
        begun = begin(world, f"ended {status}")
        write(world, finish_session, begun.session_id, status)
        with pytest.raises(IllegalTransition):
            write(world, append, begun.branch_id, said())
        assert read_history(world, begun.branch_id) == []


SESSION_ENDS = [status for status in SessionStatus if status is not SessionStatus.RUNNING]


# ── Transitions ───────────────────────────────────────────────────────────────


def pairs(moves: Mapping[Any, frozenset[Any]]) -> list[tuple[StrEnum, StrEnum, bool]]:
    return [(old, new, new in moves[old]) for old in moves for new in moves]


def attempt(legal: bool, move: Callable[[], Any]) -> None:
    if legal:
        move()
    else:
        with pytest.raises(IllegalTransition):
            move()


def test_session_transitions_follow_their_table(db: Database) -> None:
    for old, new, legal in pairs(statuses.SESSION_TRANSITIONS):
        id_ = f"{old} {new}"
        write(db, create_session, Session(id=id_, status=old))  # type: ignore[arg-type]
        attempt(legal, lambda id_=id_, new=new: write(db, finish_session, id_, new))  # type: ignore[misc]
        assert read(db, get_session, id_).status == (new if legal else old)


def test_play_transitions_follow_their_table(db: Database) -> None:
    write(db, put_show, Show(id="show", topic="t", show_dir="/t"))
    for old, new, legal in pairs(statuses.PLAY_TRANSITIONS):
        name = f"{old} {new}"
        write(db, put_play, Play(show_id="show", name=name, status=old))  # type: ignore[arg-type]
        attempt(legal, lambda name=name, new=new: write(db, transition_play, "show", name, new))  # type: ignore[misc]
        assert read(db, get_play, "show", name).status == (new if legal else old)


def test_show_transitions_follow_their_table(db: Database) -> None:
    for old, new, legal in pairs(statuses.SHOW_TRANSITIONS):
        topic = f"{old} {new}"
        write(db, put_show, Show(topic=topic, show_dir="/t", status=old))  # type: ignore[arg-type]
        attempt(legal, lambda topic=topic, new=new: write(db, transition_show, topic, new))  # type: ignore[misc]
        assert read(db, get_show, topic).status == (new if legal else old)


def test_team_transitions_follow_their_table(db: Database) -> None:
    for old, new, legal in pairs(statuses.TEAM_TRANSITIONS):
        id_ = f"{old} {new}"
        write(db, put_team, Team(id=id_, name="n", status=old))  # type: ignore[arg-type]
        attempt(legal, lambda id_=id_, new=new: write(db, transition_team, id_, new))  # type: ignore[misc]
        assert read(db, get_team, id_).status == (new if legal else old)


def test_transition_tables_name_every_status() -> None:
    tables: list[tuple[Any, Any]] = [
        (statuses.SESSION_TRANSITIONS, SessionStatus),
        (statuses.PLAY_TRANSITIONS, PlayStatus),
        (statuses.SHOW_TRANSITIONS, ShowStatus),
        (statuses.TEAM_TRANSITIONS, TeamStatus),
    ]
    assert [set(moves) for moves, _ in tables] == [set(words) for _, words in tables]


# ── Odd content that is stored ───────────────────────────────────────────

KEPT: Mapping[str, Any] = {
    "NUL": "a\0b",
    "half a character": "x\ud800y",
    "four bytes": "🦁",
    "right to left": "\u202eabc",
    "2^64": 2**64,
    "4,300 digits": 10**4299,
    "a tiny number": 5e-324,
    "as deep as allowed": nested(MAX_DEPTH - 1),
    "an empty key": {"": {"": [""]}},
    "control bytes": "\x1b[2J\x07",
    "what looks like SQL": "'); DROP TABLE messages; --",
}


@pytest.mark.parametrize("what", KEPT)
def test_odd_content_is_stored_unchanged(world: Database, what: str) -> None:
    made = Message(id="kept", created_at=T0, content={"instruction": KEPT[what]}, metadata={"also": KEPT[what]})
    write(world, append, "s.main", made)

    assert read(world, get_message, "kept") == made


def test_names_are_escaped_where_a_column_cannot_hold_them(world: Database) -> None:
    write(world, create_session, Session(id="odd", name="a\0b\ud800"))
    write(world, create_branch, Branch(id="odd", session_id="odd", name="\udfff"))

    assert read(world, get_session, "odd").name == "a\\x00b\\ud800"
    assert read(world, get_branch, "odd").name == "\\udfff"


# In its own process: the peak memory of a process never shrinks.
HUGE = """
import resource, sys
from tests.support.builders import begin, read, said, write
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.messages.rows import get_message

text = "0123456789abcdef" * (100 * 1024 * 1024 // 16)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with Database(sys.argv[1]) as db:
    write(db, append, begin(db).branch_id, said(text, id="big"))
    found = read(db, get_message, "big").content["instruction"]
print(found == text, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.slow
def test_append_stores_a_message_of_100_megabytes(path: str) -> None:
    done = subprocess.run([sys.executable, "-c", HUGE, path], cwd=ROOT, capture_output=True, text=True, check=True)

    equal, grown = done.stdout.split()
    assert equal == "True"
    assert int(grown) < 1000  # MB: its JSON and SQLite's copies, on the way in and out


def test_append_rejects_a_time_that_is_not_finite(world: Database) -> None:
    with pytest.raises(InvalidInput):
        write(world, append, "s.main", said(created_at=math.inf))


@pytest.mark.parametrize("given", ["\ud800", "a\udcff"])
def test_lookup_by_invalid_unicode_finds_nothing(world: Database, given: str) -> None:
    for look in (get_session, get_branch, get_message, get_show, get_team):
        with pytest.raises((NotFound, InvalidInput)):
            read(world, look, given)
