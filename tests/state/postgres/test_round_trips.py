"""What a write on a server costs: round trips are counted, because a network makes each of them expensive."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from tests.support.builders import T0, begin, read, read_history, say, write
from tests.support.sql_trace import counted_round_trips

from lionstudio.errors import IllegalTransition
from lionstudio.model.messages import AssistantResponse, Message
from lionstudio.state.backends import open_database
from lionstudio.state.connection import Connection, ServerError
from lionstudio.state.messages.append import append
from lionstudio.state.messages.windows import messages_after
from lionstudio.state.postgres.connection import PostgresConnection
from lionstudio.state.postgres.database import PostgresDatabase
from lionstudio.state.postgres.errors import ConnectionLost
from lionstudio.state.runs import facets
from lionstudio.state.runs.run_list import Filters
from lionstudio.state.sessions import finish_session, get_session

pytestmark = pytest.mark.postgres
_USAGE = {"usage": {"input_tokens": 3, "output_tokens": 2, "cost_microusd": 5}, "model": "m"}


@pytest.fixture
def server_db(postgres_url: str) -> Iterator[PostgresDatabase]:
    with open_database(postgres_url) as database:
        assert isinstance(database, PostgresDatabase)
        yield database


def answered(id_: str, **metadata: Any) -> Message:
    content = {"assistant_response": id_}
    return AssistantResponse(id=id_, content=content, role="assistant", created_at=T0, metadata=metadata)


def append_all(conn: Connection, branch_id: str, *messages: Message) -> list[bool]:
    return [append(conn, branch_id, message).new for message in messages]


def trips_of(db: PostgresDatabase, branch: str, *messages: Message) -> int:
    with counted_round_trips(db.conn) as count:
        write(db, append_all, branch, *messages)
    return count[0]


def test_append_waits_once_for_the_server(server_db: PostgresDatabase) -> None:
    _, branch = begin(server_db)
    say(server_db, branch, "first")  # the connection learns the session
    trips_of(server_db, branch, answered("prepared"))

    assert trips_of(server_db, branch, answered("a")) == 1
    assert trips_of(server_db, branch, answered("b"), answered("c")) <= 2  # prepared with the first of its kind
    assert trips_of(server_db, branch, answered("d"), answered("e")) == 1
    assert trips_of(server_db, branch, answered("f", **_USAGE)) == 1
    assert read_history(server_db, branch) == ["first", "prepared", "a", "b", "c", "d", "e", "f"]
    session = read(server_db, get_session, "s")
    assert (session.message_count, session.usage.input_tokens, session.usage.cost_microusd) == (8, 3, 5)
    assert server_db.conn.value("SELECT output_tokens FROM branches") == 2


def test_group_waits_once_for_the_server(server_db: PostgresDatabase) -> None:
    _, branch = begin(server_db)
    say(server_db, branch, "first")

    async def produce(*ids: str) -> None:
        works = [partial(append, branch_id=branch, message=answered(id_)) for id_ in ids]
        await asyncio.gather(*map(server_db.submit, works))

    asyncio.run(produce("a", "b"))
    with counted_round_trips(server_db.conn) as count:
        asyncio.run(produce(*(f"m{number}" for number in range(64))))

    assert count == [1]
    assert server_db.conn.value("SELECT count(*) FROM progression_items") == 2 * 67


def test_group_keeps_the_order_of_every_session(server_db: PostgresDatabase) -> None:
    branches = [begin(server_db, session).branch_id for session in ("s", "t")]
    for number, branch in enumerate(branches):
        say(server_db, branch, f"first-{number}")
    seq = server_db.conn.value("SELECT max(seq) FROM changes")

    async def produce() -> None:
        works = [
            partial(append, branch_id=branches[number % 3 % 2], message=answered(f"m{number}", **_USAGE))
            for number in range(20)
        ]
        await asyncio.gather(*map(server_db.submit, works))

    asyncio.run(produce())

    for number, session in enumerate(("s", "t")):
        ids = [f"m{n}" for n in range(20) if n % 3 % 2 == number]
        entries = read(server_db, messages_after, session)
        assert [(entry.ord, entry.message and entry.message.id) for entry in entries] == list(
            enumerate([f"first-{number}", *ids])
        )
        assert read_history(server_db, branches[number]) == [f"first-{number}", *ids]
        stored = read(server_db, get_session, session)
        assert (stored.message_count, stored.usage.input_tokens) == (len(ids) + 1, 3 * len(ids))
    rows = server_db.conn.all("SELECT seq, entity_id FROM changes WHERE seq > :seq ORDER BY seq", {"seq": seq})
    assert rows == [(seq + 1 + number, f"m{number}") for number in range(20)]


def test_append_of_a_stored_message_is_done_once(server_db: PostgresDatabase) -> None:
    _, branch = begin(server_db)
    say(server_db, branch, "first")

    assert write(server_db, append_all, branch, answered("a")) == [True]
    assert write(server_db, append_all, branch, answered("a")) == [False]
    assert write(server_db, append_all, branch, answered("b"), answered("a"), answered("b")) == [True, False, False]
    assert read_history(server_db, branch) == ["first", "a", "b"]


def test_append_to_a_session_that_ended_elsewhere_is_refused(server_db: PostgresDatabase) -> None:
    _, branch = begin(server_db)
    say(server_db, branch, "first")
    with open_database(server_db.path) as other:
        write(other, finish_session, "s", "completed")

    with pytest.raises(IllegalTransition, match="is completed"):
        write(server_db, append_all, branch, answered("a"), answered("b"))
    assert read_history(server_db, branch) == ["first"]
    assert server_db.conn.value("SELECT count(*) FROM messages") == 1


def test_append_follows_a_branch_to_another_session(server_db: PostgresDatabase) -> None:
    _, branch = begin(server_db)
    begin(server_db, "t")
    say(server_db, branch, "first")
    with open_database(server_db.path) as other:
        other.write(lambda conn: conn.execute("UPDATE branches SET session_id = 't' WHERE id = :id", {"id": branch}))

    write(server_db, append_all, branch, answered("a"))

    assert read(server_db, get_session, "t").message_count == 1


def test_appends_before_a_statement_are_seen_by_it(server_db: PostgresDatabase) -> None:
    _, branch = begin(server_db)
    say(server_db, branch, "first")

    def work(conn: Connection) -> int:
        append_all(conn, branch, answered("a", **_USAGE), answered("b"))
        count: int = conn.value("SELECT count(*) FROM messages")
        append_all(conn, branch, answered("c"))
        return count

    assert server_db.write(work) == 3
    assert server_db.conn.transaction_id is not None
    assert read_history(server_db, branch) == ["first", "a", "b", "c"]


def test_many_appends_are_sent_in_parts(server_db: PostgresDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lionstudio.state.postgres.connection._SENT_AT_ONCE", 10)
    _, branch = begin(server_db)
    say(server_db, branch, "first")

    write(server_db, append_all, branch, *(answered(f"m{number}") for number in range(25)))

    assert read_history(server_db, branch) == ["first", *(f"m{number}" for number in range(25))]


def test_lost_answer_is_not_acknowledged_for_a_part(
    server_db: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process has stored one of the two messages meanwhile; the other one is not there."""
    _, branch = begin(server_db)
    say(server_db, branch, "first")

    def lose(conn: PostgresConnection) -> None:
        with open_database(server_db.path) as other:
            monkeypatch.undo()
            write(other, append_all, branch, answered("a"))
        conn.pg.close()
        raise ServerError(ConnectionLost("the connection was lost"))

    monkeypatch.setattr(PostgresConnection, "_execute_queue", lose)
    with pytest.raises(ConnectionLost):
        write(server_db, append_all, branch, answered("a"), answered("b"))
    assert read_history(server_db, branch) == ["first", "a"]


def test_machine_facet_counts_all_runs(server_db: PostgresDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facets, "_LOOKED_AT", 2)
    for number in range(6):
        begin(server_db, f"s{number}", machine_id="desk" if number % 3 else "laptop")

    counts = read(server_db, facets.facets, Filters())["machine"]

    assert counts == [facets.Count("desk", 4, False), facets.Count("laptop", 2, False)]
