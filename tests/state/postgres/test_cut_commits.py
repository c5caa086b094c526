"""A connection that is cut at its COMMIT, on the wire: the server is asked, and the caller gets the truth."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from tests.support.builders import T0, begin, read_history, said, say, sql
from tests.support.commit_cutter import CommitCutter, Cut
from tests.support.pgbouncer import PROGRAM, PgBouncer
from tests.support.postgres_server import PASSWORD, PostgresServer

from lionstudio.errors import StorageFailed
from lionstudio.model.messages import AssistantResponse
from lionstudio.state.backends import open_database
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.postgres.errors import CommitUnknown
from lionstudio.state.runs.labels import set_note

pytestmark = pytest.mark.postgres


def name_of(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[2]


@pytest.fixture(params=["direct", "pgbouncer"])
def cutter(
    request: pytest.FixtureRequest, postgres_server: PostgresServer, postgres_url: str
) -> Iterator[CommitCutter]:
    if request.param == "direct":
        proxy = CommitCutter(postgres_server.port)
        yield proxy
        proxy.close()
        return
    if PROGRAM is None:
        pytest.skip("pgbouncer is not installed")
    pooler = PgBouncer(postgres_server, name_of(postgres_url))
    proxy = CommitCutter(pooler.port)
    yield proxy
    proxy.close()
    pooler.close()


@pytest.fixture
def cut_db(cutter: CommitCutter, postgres_url: str) -> Iterator[Database]:
    with open_database(cutter.url(name_of(postgres_url), "lion", PASSWORD)) as db:
        begin(db)
        say(db, "s.main", "known")
        yield db


def noted(db: Database) -> None:
    db.write(lambda conn: set_note(conn, "s", "m0"))


def appended(db: Database) -> None:
    db.write(lambda conn: append(conn, "s.main", said(id="m0")))


def grouped(db: Database) -> None:
    """Appends that are sent with their commit."""

    async def produce() -> list[Any]:
        messages = [
            AssistantResponse(id=f"m{n}", content={"assistant_response": "yes"}, role="assistant", created_at=T0)
            for n in range(4)
        ]
        works = [partial(append, branch_id="s.main", message=message) for message in messages]
        return await asyncio.gather(*map(db.submit, works), return_exceptions=True)

    outcomes = asyncio.run(produce())
    errors = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    assert len(errors) in (0, len(outcomes))
    if errors:
        raise errors[0]


def is_stored(db: Database) -> bool:
    return sql(db, "SELECT note FROM sessions") == [("m0",)] or "m0" in read_history(db, "s.main")


@pytest.mark.parametrize("cut", Cut)
@pytest.mark.parametrize("write", [noted, appended, grouped])
def test_commit_that_is_cut_is_asked_for(
    cut_db: Database, cutter: CommitCutter, cut: Cut, write: Callable[[Database], None]
) -> None:
    cutter.arm(cut)
    if cut is Cut.ANSWER:
        write(cut_db)
    else:
        with pytest.raises(StorageFailed, match="was lost"):
            write(cut_db)
    assert cutter.cuts == 1
    assert is_stored(cut_db) == (cut is Cut.ANSWER)

    write(cut_db)
    assert is_stored(cut_db)
    assert len(set(read_history(cut_db, "s.main"))) == len(read_history(cut_db, "s.main"))
    assert sql(cut_db, "SELECT max(seq) - count(*) FROM changes") == [(0,)]


def test_cut_that_cannot_be_asked_for_is_told(
    cut_db: Database, cutter: CommitCutter, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lionstudio.state.postgres import database

    monkeypatch.setattr(database, "_ASK_SECONDS", 0.3)
    cutter.arm(Cut.ANSWER)

    def work(conn: Connection) -> None:
        set_note(conn, "s", "m0")
        cutter.refuse()

    with pytest.raises(CommitUnknown, match="whether it was done is not known") as refusal:
        cut_db.write(work)
    assert "li state ls" in str(refusal.value.hint)
