"""Append: its rows, repeated appends, and the same cost at message 10 and 10,000."""

from __future__ import annotations

import os

import apsw
import pytest
from tests.support.builders import T0, begin, damage, read, read_history, said, say, sql, write
from tests.support.records import dump
from tests.support.sql_trace import traced

from lionstudio.errors import Conflict, CorruptStore, IllegalTransition, InvalidInput, NotFound
from lionstudio.model.branches import Branch
from lionstudio.model.messages import Message, create_message
from lionstudio.model.usage import Usage
from lionstudio.state.backends import open_database
from lionstudio.state.branches import branch_length, branch_usage, create_branch, fork_branch, get_branch
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.append import Appended, append
from lionstudio.state.messages.append_cursor import new_progression
from lionstudio.state.messages.rows import get_message
from lionstudio.state.messages.windows import messages_after, messages_before
from lionstudio.state.sessions import finish_session, get_session

MANY = 10_000


def test_append_writes_message_positions_counters_and_change(db: Database) -> None:
    session, branch = begin(db)
    message = said("hello", id="m", created_at=T0 + 5, sender="u", recipient="b", channel="c")

    done = write(db, append, branch, message)

    assert done == Appended("m", session, new=True)
    assert read(db, get_message, "m") == message
    assert read_history(db, branch) == ["m"]
    row = read(db, get_session, session)
    assert (row.first_msg_id, row.last_msg_id, row.message_count) == ("m", "m", 1)
    assert (row.last_message_at, row.updated_at) == (T0 + 5, T0 + 5)


def test_append_same_message_writes_nothing(db: Database) -> None:
    session, branch = begin(db)
    message = said("hello", id="m", metadata={"usage": {"input_tokens": 3}})
    write(db, append, branch, message)
    before = dump(db.path)

    for _ in range(3):
        assert write(db, append, branch, message) == Appended("m", session, new=False)

    assert dump(db.path) == before
    assert read(db, get_session, session).message_count == 1


def test_append_same_message_after_the_end_is_allowed(db: Database) -> None:
    session, branch = begin(db)
    say(db, branch, "m")
    write(db, finish_session, session, "completed")

    assert not write(db, append, branch, said("m", id="m")).new


def test_append_rejects_an_id_with_other_content(db: Database) -> None:
    _, branch = begin(db)
    say(db, branch, "m")

    for other in (
        said("other", id="m"),
        said("m", id="m", created_at=T0 + 1),
        said("m", id="m", metadata={"a": 1}),
        said("m", id="m", role="assistant"),
        create_message({"instruction": "m", "guidance": "g"}, id="m", created_at=T0),
    ):
        with pytest.raises(Conflict):
            write(db, append, branch, other)

    assert read_history(db, branch) == ["m"]


def test_append_shares_a_message_between_sessions(db: Database) -> None:
    one, other = begin(db, "one"), begin(db, "other")
    say(db, one.branch_id, "shared")

    assert write(db, append, other.branch_id, said("shared", id="shared")) == Appended("shared", "other", new=True)

    assert read_history(db, one.branch_id) == read_history(db, other.branch_id) == ["shared"]
    assert db.conn.value("SELECT count(*) FROM messages") == 1


def test_append_counts_a_shared_message_once_in_its_session(db: Database) -> None:
    session, branch = begin(db)
    second = write(db, create_branch, Branch(id="second", session_id=session))
    message = said("shared", id="shared", metadata={"usage": {"input_tokens": 7}})

    write(db, append, branch, message)
    write(db, append, second.id, message)

    row = read(db, get_session, session)
    assert (row.message_count, row.input_tokens) == (1, 7)
    assert [entry.message_id for entry in read(db, messages_after, session)] == ["shared"]


def test_append_rejects_a_shared_message_after_the_end(db: Database) -> None:
    session, branch = begin(db)
    second = write(db, create_branch, Branch(id="second", session_id=session)).id
    say(db, branch, "shared")
    write(db, finish_session, session, "completed")

    with pytest.raises(IllegalTransition):
        write(db, append, second, said("shared", id="shared"))


def test_append_sets_a_shared_system_prompt_on_both_branches(db: Database) -> None:
    session, branch = begin(db)
    second = write(db, create_branch, Branch(id="second", session_id=session)).id
    prompt = create_message({"system_message": "be brief"}, id="sys", metadata={"usage": {"input_tokens": 7}})
    for one in (branch, second):
        write(db, append, one, prompt)

    assert [read(db, get_branch, one).system_msg_id for one in (branch, second)] == ["sys", "sys"]
    assert [read(db, branch_usage, one).input_tokens for one in (branch, second)] == [7, 7]
    assert read(db, get_session, session).input_tokens == 7


def test_append_adds_usage_to_branch_and_session(db: Database) -> None:
    session, branch = begin(db)
    second = write(db, create_branch, Branch(id="second", session_id=session)).id
    used = {
        "input_tokens": 10,
        "output_tokens": 5,
        "cache_read_tokens": 3,
        "cache_write_tokens": 2,
        "cost_microusd": 40,
    }
    write(db, append, branch, said("a", metadata={"usage": used}))
    write(db, append, branch, said("b", metadata={"usage": {"output_tokens": 1}}))
    write(db, append, second, said("c", metadata={"usage": used}))
    write(db, append, second, said("d"))

    assert read(db, branch_usage, branch) == Usage(10, 6, 3, 2, 40)
    assert read(db, branch_usage, second) == Usage(10, 5, 3, 2, 40)
    assert read(db, get_session, session).usage == Usage(20, 11, 6, 4, 80)


def test_append_keeps_an_unknown_cost_null(db: Database) -> None:
    session, branch = begin(db)
    write(db, append, branch, said("a", metadata={"usage": {"input_tokens": 1}}))

    assert read(db, get_session, session).cost_microusd is None


def test_append_sets_the_system_prompt(db: Database) -> None:
    _, branch = begin(db)
    write(db, append, branch, create_message({"system_message": "be brief"}, id="sys"))
    say(db, branch, "a")

    assert read(db, get_branch, branch).system_msg_id == "sys"


def test_append_keeps_an_unknown_class_tag(db: Database) -> None:
    _, branch = begin(db)
    thought = Message(id="t", created_at=T0, content={"thought": "hm"}, metadata={"lion_class": "my.Thought", "a": 1})
    write(db, append, branch, thought)
    write(db, append, branch, Message(id="u", created_at=T0, content={}, metadata={"lion_class": "my.Thought"}))
    write(db, append, branch, Message(id="v", created_at=T0, content={}))

    assert read(db, get_message, "t") == thought
    types = db.conn.all("SELECT type_id, lion_class FROM message_types WHERE type_id > 5")
    assert types == [(6, "my.Thought")]
    assert db.conn.all("SELECT id, lion_class FROM messages ORDER BY id") == [("t", 6), ("u", 6), ("v", 0)]


def test_append_rejects_an_ended_session_unless_late(db: Database) -> None:
    session, branch = begin(db)
    write(db, finish_session, session, "failed")

    with pytest.raises(IllegalTransition, match="accepts no more messages"):
        write(db, append, branch, said(id="m"))
    assert db.conn.value("SELECT count(*) FROM messages") == 0

    assert write(db, append, branch, said(id="m"), late=True).new


def test_append_rejects_a_missing_branch(db: Database) -> None:
    with pytest.raises(NotFound):
        write(db, append, "nowhere", said())

    assert db.conn.value("SELECT count(*) FROM messages") == 0


def test_append_rejects_a_branch_that_another_process_pruned(db: Database) -> None:
    begun = begin(db)
    say(db, begun.branch_id, "a")
    write(db, finish_session, begun.session_id, "completed")
    with open_database(db.path) as other:
        other.conn.execute("DELETE FROM branches")
        other.conn.execute("DELETE FROM sessions")
        other.conn.execute("DELETE FROM progression_heads")

    for _ in range(2):  # no cursor of it stays cached
        with pytest.raises(NotFound, match=r"branch s\.main not found"):
            write(db, append, begun.branch_id, said())
    assert db.conn.value("SELECT count(*) FROM messages") == 1


def test_append_accepts_a_branch_that_another_process_recreated(db: Database) -> None:
    begun = begin(db)
    say(db, begun.branch_id, "a")
    with open_database(db.path) as other:
        other.conn.execute("DELETE FROM branches")
        other.conn.execute("DELETE FROM sessions")
        other.conn.execute("DELETE FROM progression_heads")
        begin(other)
        begin(other, "another")

    write(db, append, begun.branch_id, said(id="b"))

    assert [item.message_id for item in read(db, messages_after, begun.session_id)] == ["b"]


def test_append_cursor_is_forgotten_after_a_rollback(db: Database) -> None:
    """Cursors are cached in the connection; a rolled back append must not move them."""
    _, branch = begin(db)
    say(db, branch, "a")

    def fail(conn: Connection) -> None:
        append(conn, branch, said(id="undone"))
        raise RuntimeError

    with pytest.raises(RuntimeError):
        db.write(fail)
    say(db, branch, "b")

    assert read_history(db, branch) == ["a", "b"]
    assert [entry.ord for entry in read(db, messages_after, "s")] == [0, 1]


def test_append_by_two_writers_leaves_no_hole(db: Database) -> None:
    _, branch = begin(db)
    with open_database(db.path) as other:
        for number in range(10):
            say(db if number % 3 else other, branch, f"m{number}")

    assert read_history(db, branch) == [f"m{number}" for number in range(10)]
    assert [entry.ord for entry in read(db, messages_after, "s")] == list(range(10))


def test_append_never_moves_times_back(db: Database) -> None:
    session, branch = begin(db)
    say(db, branch, "a", created_at=T0 + 100)
    say(db, branch, "b", created_at=T0 + 50)

    row = read(db, get_session, session)
    assert (row.last_message_at, row.updated_at, row.last_msg_id) == (T0 + 100, T0 + 100, "b")


def test_messages_after_and_before(db: Database) -> None:
    session, branch = begin(db)
    say(db, branch, *(f"m{number}" for number in range(10)))

    assert [entry.ord for entry in read(db, messages_after, session, limit=3)] == [0, 1, 2]
    assert [entry.ord for entry in read(db, messages_after, session, 7, limit=3)] == [8, 9]
    assert [entry.ord for entry in read(db, messages_before, session, 3, limit=2)] == [1, 2]
    assert read(db, messages_before, session, 0) == []


# ── Work counts ─────────────────────────────────────────────────────────


def fill(db: Database, branch_id: str, count: int) -> None:
    """Many messages in one transaction."""
    db.write(lambda conn: [append(conn, branch_id, said(f"{number:08}")) for number in range(count)])


def statements_of_an_append(db: Database, branch_id: str) -> list[tuple[str, int]]:
    with traced(db.conn) as ran:
        write(db, append, branch_id, said("counted"))
    return [(statement.sql, statement.steps) for statement in ran]


def log_bytes_per_append(db: Database, branch_id: str, count: int = 200) -> float:
    """Bytes that the log grows by, after a truncating checkpoint."""
    db.conn.raw.wal_autocheckpoint(0)
    db.conn.raw.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    for number in range(count):
        write(db, append, branch_id, said(f"{number:08}", created_at=T0 + number))
    return os.stat(f"{db.path}-wal").st_size / count


@pytest.mark.sqlite
@pytest.mark.slow
def test_append_10000_runs_the_statements_of_append_10(db: Database) -> None:
    # in a file that is in use: where every table is one page, an append writes fewer of them
    fill(db, begin(db, "before").branch_id, 1000)
    branch = begin(db).branch_id
    fill(db, begin(db, "beside").branch_id, 100)
    fill(db, branch, 10)
    early = statements_of_an_append(db, branch)
    early_bytes = log_bytes_per_append(db, branch)

    fill(db, branch, MANY)
    late = statements_of_an_append(db, branch)
    late_bytes = log_bytes_per_append(db, branch)

    assert late == early
    assert len(early) <= 6
    assert late_bytes == pytest.approx(early_bytes, rel=0.05)


@pytest.mark.slow
def test_append_cursor_costs_the_same_on_a_long_branch(db: Database) -> None:
    short, long = begin(db, "short"), begin(db, "long")
    fill(db, short.branch_id, 10)
    fill(db, long.branch_id, MANY)

    costs = []
    for branch in (short.branch_id, long.branch_id):
        db.conn.forget_cursors()
        costs.append(statements_of_an_append(db, branch))

    assert costs[0] == costs[1]


@pytest.mark.parametrize("length", [0, 1, 500])
def test_fork_branch_is_one_insert(db: Database, length: int) -> None:
    _, branch = begin(db)
    fill(db, branch, length)

    with traced(db.conn) as ran:
        write(db, fork_branch, branch)

    writes = [one.sql for one in ran if one.sql.split()[0] in ("INSERT", "UPDATE", "DELETE", "REPLACE")]
    assert [sql_.split()[:3] for sql_ in writes] == [["INSERT", "INTO", "branches"]]
    assert len(ran) <= 5
    assert db.conn.value("SELECT count(*) FROM messages") == length


@pytest.mark.sqlite
@pytest.mark.slow
def test_messages_after_costs_the_same_anywhere(db: Database) -> None:
    session, branch = begin(db)
    fill(db, branch, 3000)
    costs = []
    for after in (-1, 1400, 2900):
        with db.reader() as conn, traced(conn) as ran:
            assert len(messages_after(conn, session, after, limit=50)) == 50
        costs.append([(one.sql, one.full_scan_steps, one.sorts) for one in ran])
        assert all(one.steps < 5000 for one in ran)

    assert costs[0] == costs[1] == costs[2]


# ── Forks ────────────────────────────────────────────────────────────────


def test_fork_branch_inherits_messages_up_to_the_ord(db: Database) -> None:
    _, branch = begin(db)
    say(db, branch, "a", "b", "c")
    children = {at: write(db, fork_branch, branch, at).id for at in (-1, 0, 1, 2, None)}
    say(db, branch, "later")

    assert {at: read_history(db, child) for at, child in children.items()} == {
        -1: [],
        0: ["a"],
        1: ["a", "b"],
        2: ["a", "b", "c"],
        None: ["a", "b", "c"],
    }


def test_fork_branch_copies_name_user_and_metadata(db: Database) -> None:
    begin(db)
    parent = Branch(id="p", session_id="s", name="n", user="u", metadata={"model": "m", "effort": "high"})
    write(db, create_branch, parent)

    child = write(db, fork_branch, "p", metadata={"effort": "low"})

    assert (child.name, child.user) == ("n", "u")
    assert child.metadata == {"model": "m", "effort": "low", "parent_branch_id": "p", "forked_at_ord": -1}
    assert read(db, get_branch, child.id) == child


@pytest.mark.parametrize("at", [-2, 1, 2**70])
def test_fork_branch_rejects_an_ord_without_a_message(db: Database, at: int) -> None:
    _, branch = begin(db)
    say(db, branch, "a")

    with pytest.raises(InvalidInput):
        write(db, fork_branch, branch, at)


def test_fork_branch_into_another_session(db: Database) -> None:
    one, other = begin(db, "one"), begin(db, "other")
    say(db, one.branch_id, "a")
    child = write(db, fork_branch, one.branch_id, session_id=other.session_id)
    say(db, child.id, "b")

    assert read_history(db, child.id) == ["a", "b"]
    assert read(db, get_session, "other").message_count == 1
    assert read(db, branch_length, child.id) == 1
    with pytest.raises(InvalidInput):
        write(db, fork_branch, one.branch_id, session_id="nowhere")


def test_append_to_a_missing_progression_raises_corrupt_store(db: Database) -> None:
    begun = begin(db)
    damage(db, "DELETE FROM progression_heads WHERE id = (SELECT progression_id FROM branches)")

    with pytest.raises(CorruptStore):
        write(db, append, begun.branch_id, said())


def test_append_creates_the_progression_of_a_branch(db: Database) -> None:
    begun = begin(db)
    sql(db, "UPDATE branches SET progression_id = NULL")
    sql(db, "UPDATE sessions SET progression_id = NULL")

    say(db, begun.branch_id, "a", "b")

    assert read_history(db, begun.branch_id) == ["a", "b"]
    assert write(db, new_progression, T0)[0] != read(db, get_branch, begun.branch_id).progression_id
