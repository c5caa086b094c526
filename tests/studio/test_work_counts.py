"""Work counts: a request runs a fixed number of statements, independent of the number of rows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.builders import begin, say, write
from tests.support.sql_trace import Ran, traced
from tests.support.studio import InProcess, application

from lionstudio.model.messages import create_message
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.statuses import PlayStatus
from lionstudio.state.connection import Connection
from lionstudio.state.messages.append import append
from lionstudio.state.shows import put_play, put_show
from lionstudio.state.sqlite.fulltext import index_batch

NOW = time.time()


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[InProcess]:
    with application(tmp_path) as running:
        yield running


def fill(studio: InProcess, first: int, last: int) -> None:
    db = studio.services.db.database()
    for number in range(first, last):
        begun = begin(db, f"s{number:03d}", created_at=NOW - number, project="demo")
        say(db, begun.branch_id, *(f"s{number}m{each}" for each in range(number % 3 + 1)), created_at=NOW)
        show = write(db, put_show, Show(topic=f"show{number}", show_dir=f"/tmp/show{number}"))
        for name in ("a", "b"):
            play = Play(show_id=show.id, name=f"{name}{number}", status=PlayStatus.GATED, session_id=f"s{number:03d}")
            write(db, put_play, play)
    db.write(index_batch)


@contextmanager
def counted(studio: InProcess) -> Iterator[list[Ran]]:
    """The statements of the connection that the next requests use."""
    store = studio.services.db
    with store.reader() as conn:
        kept: Connection = conn
    with traced(kept) as ran:
        yield ran


def statements(studio: InProcess, path: str) -> list[str]:
    studio.get(path)
    with counted(studio) as ran:
        studio.get(path)
    # The full-text index reads its own tables, by statements whose number depends on how it was merged.
    return [each.sql for each in ran if "_fts_" not in each.sql and not each.sql.startswith("PRAGMA")]


@pytest.mark.parametrize(
    ("path", "most"),
    [
        ("/api/runs", 6),
        ("/api/runs?project=demo&status=running", 6),
        ("/api/runs?project=demo&status=running&status=failed&sort=cost", 6),
        ("/api/totals?project=demo&status=running", 6),
        ("/api/facets?project=demo&status=running", 30),
        ("/api/runs/s001", 13),
        ("/api/sessions/s001", 13),
        ("/api/sessions/s001/messages", 9),
        ("/api/sessions/s001/messages?changes=true", 10),
        ("/api/sessions/s001/changes", 9),
        ("/api/sessions/s001/outline", 8),
        ("/api/sessions/s001/timeline", 9),
        ("/api/search?q=s0m0", 14),
        ("/api/search?q=s0m0&group=true", 14),
        ("/api/find?q=s00", 14),
        ("/api/shows", 10),
        ("/api/shows/show1", 11),
        ("/api/dashboard", 19),
        ("/api/attention", 14),
    ],
)
def test_statement_count_is_independent_of_row_count(studio: InProcess, path: str, most: int) -> None:
    fill(studio, 0, 3)
    few = statements(studio, path)
    fill(studio, 3, 40)
    many = statements(studio, path)

    assert len(many) == len(few), many
    assert 2 <= len(many) <= most, many


def test_outline_reads_messages_once(studio: InProcess) -> None:
    db = studio.services.db.database()
    begun = begin(db, "bad")

    def fail(number: int) -> None:
        call = create_message({"function": "Read", "arguments": {}}, id=f"c{number}")
        write(db, append, begun.branch_id, call)
        wrong = create_message({"error": "no", "action_request_id": call.id}, id=f"e{number}")
        write(db, append, begun.branch_id, wrong)

    fail(0)
    few = statements(studio, "/api/sessions/bad/outline")
    for number in range(1, 20):
        fail(number)
    many = statements(studio, "/api/sessions/bad/outline")

    assert len(few) == len(many)
    assert [each["tool"] for each in studio.get("/api/sessions/bad/outline")["errors"]] == ["Read"] * 20


def steps(studio: InProcess, path: str) -> int:
    studio.get(path)
    with counted(studio) as ran:
        studio.get(path)
    return sum(each.steps for each in ran)


def test_message_page_reads_only_its_rows(studio: InProcess) -> None:
    db = studio.services.db.database()
    begun = begin(db, "long")
    say(db, begun.branch_id, *(f"m{number:04d}" for number in range(1500)))

    first = steps(studio, "/api/sessions/long/messages?after=-1&limit=20")
    late = steps(studio, "/api/sessions/long/messages?after=1400&limit=20")

    assert late <= first * 1.1
    # fifty times the messages are fifty times the work, and not the square of it
    assert steps(studio, "/api/sessions/long/messages?after=-1&limit=1000") <= first * 60


@pytest.mark.parametrize("part", ["changes", "outline", "timeline"])
def test_parts_of_a_run_take_work_in_proportion_to_its_messages(studio: InProcess, part: str) -> None:
    db = studio.services.db.database()
    begun = begin(db, "busy")

    def edit(times: int) -> None:
        for _ in range(times):
            call = create_message({"function": "Edit", "arguments": {"file_path": "a", "new_string": "x"}})
            result = create_message({"output": "done", "action_request_id": call.id})
            for message in (call, result):
                write(db, append, begun.branch_id, message)

    edit(20)
    few = steps(studio, f"/api/sessions/busy/{part}")
    edit(180)

    assert steps(studio, f"/api/sessions/busy/{part}") <= few * 12


def test_outline_of_a_later_part_reads_only_that_part(studio: InProcess) -> None:
    db = studio.services.db.database()
    begun = begin(db, "long")
    say(db, begun.branch_id, *(f"m{number:04d}" for number in range(600)))

    whole = steps(studio, "/api/sessions/long/outline")

    assert steps(studio, "/api/sessions/long/outline?after=589") <= whole / 10


def test_search_takes_the_same_work_in_a_larger_store(studio: InProcess) -> None:
    fill(studio, 0, 20)
    few = steps(studio, "/api/search?q=s0m0")
    fill(studio, 20, 100)

    assert steps(studio, "/api/search?q=s0m0") <= few * 2  # the index has a few more segments
