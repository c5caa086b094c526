"""`li state search`: matches, references, and completeness with and without a writable index."""

from __future__ import annotations

import re

import pytest
from tests.support.builders import T0, begin, say, sql, write, write_lock
from tests.support.commands import li, run_li, run_on_terminal

from lionstudio.model.messages import create_message
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.sqlite.fulltext import count_unindexed


@pytest.fixture
def told(db: Database) -> Database:
    """Three sessions that mention a locked database."""
    for number, project in enumerate(("web", "web", "engine")):
        session = begin(db, f"session-{number}", name=f"job {number}", project=project, created_at=T0 + number)
        say(db, session.branch_id, f"first words {number}", f"the database is locked {number}", created_at=T0 + number)
    return db


def found(db: Database, *arguments: str) -> list[str]:
    done = run_li("--json", "--db", db.path, "state", "search", *arguments)
    assert done.code == 0, done.err
    return [hit["ref"] for hit in done.json["hits"]]


@pytest.mark.parametrize(
    ("arguments", "places"),
    [
        (("locked",), ["session-2:1", "session-1:1", "session-0:1"]),
        (("database", "locked", "1"), ["session-1:1"]),
        (("LOCKED", "--limit", "1"), ["session-2:1"]),
        (("locked", "--project", "web"), ["session-1:1", "session-0:1"]),
        (("locked", "--session", "job 0"), ["session-0:1"]),
        (("locked", "--session", "session-0"), ["session-0:1"]),
        (("lock*", "--limit", "1"), ["session-2:1"]),
        (('"is locked"', "--limit", "1"), ["session-2:1"]),
        (('"locked is"',), []),
        (("nowhere",), []),
        (("locked", "--since", "2099-01-01"), []),
    ],
)
def test_search_finds_words_prefixes_and_phrases(told: Database, arguments: tuple[str, ...], places: list[str]) -> None:
    assert found(told, *arguments) == places


def test_search_accepts_options_between_words(told: Database) -> None:
    assert found(told, "database", "--limit", "1", "locked") == ["session-2:1"]


def test_search_accepts_a_word_with_a_dash(told: Database) -> None:
    assert found(told, "--limit", "1", "--", "-locked") == ["session-2:1"]


def test_search_best_sorts_by_relevance(told: Database) -> None:
    assert sorted(found(told, "locked", "--best")) == ["session-0:1", "session-1:1", "session-2:1"]


def test_search_reference_works_with_show(told: Database) -> None:
    (place,) = found(told, "locked", "--limit", "1")

    assert "the database is locked 2" in run_li("state", "show", place, "--db", told.path).out


def test_search_json_has_every_field(told: Database) -> None:
    document = run_li("state", "search", "locked", "--limit", "1", "--db", told.path, "--json").json

    assert document["query"] == "locked"
    assert document["hits"] == [
        {
            "ref": "session-2:1",
            "message_id": "the database is locked 2",
            "session_id": "session-2",
            "session_name": "job 2",
            "project": "engine",
            "ord": 1,
            "created_at": T0 + 2,
            "created_at_iso": "2026-09-21T14:13:22.000Z",
            "role": "user",
            "snippet": "the database is locked 2",
            "tool": None,
        }
    ]


def test_search_in_a_pipe_prints_one_hit_per_line(told: Database) -> None:
    done = run_li("state", "search", "locked", "--limit", "1", "--db", told.path)

    assert done == (0, "session-2:1\t2026-09-21T14:13:22.000Z\tuser\tjob 2\tthe database is locked 2\n", "")


def test_search_on_a_terminal_highlights_the_words(told: Database) -> None:
    output = run_on_terminal("state", "search", "LOCKED", "--limit", "1", "--db", told.path).out

    assert "\x1b[33mlocked\x1b[0m" in output
    assert "session-2:1" in output
    assert "\x1b[33m" not in run_on_terminal("state", "search", "locked", "--db", told.path, "--no-color").out


def test_search_without_hits_succeeds(told: Database) -> None:
    assert run_li("state", "search", "nowhere", "--db", told.path) == (0, "", "No messages found.\n")
    assert run_li("state", "search", "nowhere", "--db", told.path, "--quiet") == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((), 2),
        (("...",), 2),
        (("",), 2),
        (("x", "--limit", "0"), 2),
        (("x", "--max-chars", "1"), 2),
        (("x", "--max-chars", "many"), 2),
        (("x", "--since", "soon"), 2),
        (("x", "--session", "nobody"), 3),
        (("x", "--best=1"), 2),
    ],
)
def test_search_rejects_invalid_input(told: Database, arguments: tuple[str, ...], code: int) -> None:
    done = run_li("state", "search", *arguments, "--db", told.path)

    assert (done.code, done.out) == (code, "")


def test_search_max_chars_limits_the_text(told: Database) -> None:
    session = begin(told, "long")
    write(told, append, session.branch_id, create_message({"instruction": "needle " + "hay " * 500}))
    (hit,) = run_li("state", "search", "needle", "--max-chars", "40", "--db", told.path, "--json").json["hits"]

    assert len(hit["snippet"]) <= 42


def test_search_escapes_hostile_text(told: Database) -> None:
    session = begin(told, "abcd", name="n\x1b[31m\u202e")
    write(told, append, session.branch_id, create_message({"instruction": "needle \x1b[31m\u202e\x9b\u200b\x00 end"}))
    raw = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]")

    for form in ((), ("--json",)):
        done = li("state", "search", "needle", "--db", told.path, *form)
        assert done.code == 0
        assert raw.search(done.out) is None
    output = run_on_terminal("state", "search", "needle", "--db", told.path, "--no-color").out
    assert raw.search(output) is None


def fill(db: Database, count: int) -> None:
    """Insert many messages with one statement."""
    session = begin(db, "many")
    with db.conn.transaction():
        db.conn.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count)"
            "INSERT INTO messages (id, created_at, content, role, lion_class)"
            """SELECT 'm' || i, i, '{"instruction":"haystack ' || i || '"}', 'user', 2 FROM n""",
            {"count": count},
        )
    say(db, session.branch_id, "the needle")


def test_search_updates_a_stale_index_first(db: Database) -> None:
    fill(db, 20_000)

    assert found(db, "needle") == ["many:0"]
    assert count_unindexed(db.conn) == 0
    say(db, "many.main", "another needle")
    assert found(db, "needle") == ["many:1", "many:0"]
    assert count_unindexed(db.conn) == 1  # a few are looked through instead


def test_search_shows_indexing_progress_on_a_terminal(db: Database) -> None:
    fill(db, 20_000)

    output = run_on_terminal("state", "search", "needle", "--db", db.path).out
    assert "Indexing" in output
    assert "/20,001" in output


def test_search_shows_no_progress_in_a_pipe(db: Database) -> None:
    fill(db, 20_000)

    assert li("state", "search", "needle", "--db", db.path).err == ""


def test_search_is_complete_without_a_writable_index(db: Database) -> None:
    fill(db, 20_000)
    sql(db, "UPDATE schema_meta SET version = 99")

    assert found(db, "needle") == ["many:0"]
    sql(db, "UPDATE schema_meta SET version = 4")
    assert count_unindexed(db.conn) == 20_001


def test_search_works_while_a_writer_holds_the_lock(told: Database) -> None:
    with write_lock(told.path):
        assert len(found(told, "locked")) == 3


def test_search_reads_an_unclosed_quote_as_text(told: Database) -> None:
    closed = run_li("state", "search", "locked", "--db", told.path)
    assert closed.out
    assert run_li("state", "search", '"locked', "--db", told.path) == closed
