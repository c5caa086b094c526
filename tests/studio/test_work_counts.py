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
    return [each.sql for each in ran]


@pytest.mark.parametrize(
    ("path", "most"),
    [
        ("/api/runs", 6),
        ("/api/runs?project=demo&status=running", 6),
        ("/api/runs/s001", 10),
        ("/api/sessions/s001", 10),
        ("/api/sessions/s001/messages", 9),
        ("/api/sessions/s001/outline", 8),
        ("/api/sessions/s001/timeline", 9),
        ("/api/shows", 7),
        ("/api/shows/show1", 7),
        ("/api/dashboard", 15),
        ("/api/attention", 9),
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


def test_message_page_reads_only_its_rows(studio: InProcess) -> None:
    db = studio.services.db.database()
    begun = begin(db, "long")
    say(db, begun.branch_id, *(f"m{number:04d}" for number in range(1500)))

    def steps(path: str) -> int:
        studio.get(path)
        with counted(studio) as ran:
            studio.get(path)
        return sum(each.steps for each in ran)

    first = steps("/api/sessions/long/messages?after=-1&limit=20")
    late = steps("/api/sessions/long/messages?after=1400&limit=20")

    assert late <= first * 1.1
    # fifty times the messages are fifty times the work, and not the square of it
    assert steps("/api/sessions/long/messages?after=-1&limit=1000") <= first * 60
