"""Prune deletes only rows that the records allow (ADR-0009, ADR-0017 "Pruning gaps")."""

from __future__ import annotations

import pytest
from tests.support.builders import T0, begin, read, read_history, said, say, sql, write
from tests.support.sql_trace import traced

from lionstudio.errors import InvalidInput
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.teams import Team, TeamMessage
from lionstudio.state.backends import open_database
from lionstudio.state.branches import fork_branch
from lionstudio.state.database import Database, reading
from lionstudio.state.exchange.mailboxes import inbox, send
from lionstudio.state.feed.changes import changes_after, last_seq
from lionstudio.state.messages.append import append
from lionstudio.state.sessions import finish_session
from lionstudio.state.shows import put_play, put_show
from lionstudio.state.sqlite.fulltext import index_batch, search
from lionstudio.state.sqlite.maintenance import free_pages, stats, vacuum
from lionstudio.state.teams import put_team, put_team_message
from lionstudio.state.upkeep.prune import Pruned, PrunePlan, plan_prune, prune

DAY = 86400.0
NOW = T0 + 1000 * DAY


def ended(db: Database, id_: str, *texts: str, days_ago: float = 100) -> str:
    """Create a session that ended this long ago; returns its branch."""
    begun = begin(db, id_, created_at=NOW - days_ago * DAY)
    say(db, begun.branch_id, *texts, created_at=NOW - days_ago * DAY)
    write(db, finish_session, id_, "completed", at=NOW - days_ago * DAY)
    return begun.branch_id


def pruned(db: Database, *, days: float = 30, keep_n: int = 0, orphans: bool = False) -> tuple[PrunePlan, Pruned]:
    plan = plan_prune(db.conn, before=NOW - days * DAY, keep_n=keep_n, orphan_progressions=orphans)
    return plan, prune(db.conn)


def left(db: Database, table: str) -> list[str]:
    return [row[0] for row in sql(db, f"SELECT id FROM {table} ORDER BY id")]  # noqa: S608


def test_prune_deletes_old_sessions_with_their_branches(db: Database) -> None:
    ended(db, "old", "a")
    ended(db, "young", "b", days_ago=10)

    plan, done = pruned(db)

    assert (plan.sessions, done.sessions) == (1, 1)
    assert left(db, "sessions") == ["young"]
    assert left(db, "branches") == ["young.main"]


def test_prune_keeps_progressions_by_default(db: Database) -> None:
    ended(db, "old", "a", "b")
    progressions = sql(db, "SELECT * FROM progressions")

    plan, done = pruned(db)

    assert done == Pruned(sessions=1, progressions=0, messages=0)
    assert (plan.orphan_progressions, plan.orphan_messages) == (0, 0)
    assert sql(db, "SELECT * FROM progressions") == progressions
    assert left(db, "messages") == ["a", "b"]


def test_prune_deletes_orphan_progressions_on_request(db: Database) -> None:
    ended(db, "old", "a", "b")
    ended(db, "young", "c", days_ago=10)
    sql(db, "INSERT INTO progressions VALUES ('long lost', 1.0, '[\"c\",\"missing\"]')")

    plan, done = pruned(db, orphans=True)

    assert done == Pruned(sessions=1, progressions=3, messages=2)
    assert (plan.sessions, plan.orphan_progressions, plan.orphan_messages) == done
    assert plan.bytes_freed > 0
    assert left(db, "messages") == ["c"]
    assert read_history(db, "young.main") == ["c"]


def test_prune_deletes_orphans_of_an_earlier_prune(db: Database) -> None:
    ended(db, "old", "a")
    pruned(db)

    assert pruned(db, orphans=True)[1] == Pruned(sessions=0, progressions=2, messages=1)


def test_prune_deletes_messages_without_a_progression(db: Database) -> None:
    ended(db, "young", "a", days_ago=1)
    sql(db, "INSERT INTO messages (id, created_at) VALUES ('loose', 1.0)")

    assert pruned(db)[1] == Pruned(sessions=0, progressions=0, messages=1)
    assert left(db, "messages") == ["a"]


def test_prune_keeps_a_message_of_a_kept_session(db: Database) -> None:
    ended(db, "old", "shared", "own")
    begun = begin(db, "young", created_at=NOW)
    write(db, append, begun.branch_id, said("shared", id="shared", created_at=NOW - 100 * DAY))

    pruned(db, orphans=True)

    assert left(db, "messages") == ["shared"]
    assert read_history(db, begun.branch_id) == ["shared"]


def test_prune_keeps_the_newest(db: Database) -> None:
    for number in range(6):
        ended(db, f"s{number}", f"m{number}", days_ago=100 + number)

    assert pruned(db, keep_n=4)[1].sessions == 2
    assert left(db, "sessions") == ["s0", "s1", "s2", "s3"]
    assert pruned(db, keep_n=100)[1].sessions == 0


def test_prune_keeps_running_sessions(db: Database) -> None:
    begin(db, "running", created_at=NOW - 100 * DAY)

    plan, done = pruned(db)

    assert (plan.kept_running, done.sessions) == (1, 0)


def test_prune_keeps_a_session_of_a_play_until_its_show_is_deleted(db: Database) -> None:
    ended(db, "played", "a")
    write(db, put_show, Show(id="show", topic="t", show_dir="/t"))
    write(db, put_play, Play(show_id="show", name="p", session_id="played"))

    plan, done = pruned(db, orphans=True)
    assert (plan.kept_for_plays, done) == (1, Pruned(0, 0, 0))

    sql(db, "DELETE FROM shows")
    assert pruned(db, orphans=True)[1] == Pruned(1, 2, 1)


def test_prune_keeps_a_session_of_a_team_message(db: Database) -> None:
    ended(db, "teamed", "a")
    write(db, put_team, Team(id="team", name="n"))
    write(db, put_team_message, TeamMessage(id="tm", team_id="team", sender="a", content="c", session_id="teamed"))

    plan, done = pruned(db, orphans=True)
    assert (plan.kept_for_teams, done) == (1, Pruned(0, 0, 0))

    sql(db, "DELETE FROM team_messages")
    assert pruned(db)[1].sessions == 1


def test_prune_keeps_the_parent_session_of_a_kept_fork(db: Database) -> None:
    grandparent = ended(db, "grandparent", "a")
    parent = write(db, fork_branch, grandparent, session_id=begin(db, "parent", created_at=NOW).session_id)
    child = write(db, fork_branch, parent.id, session_id=begin(db, "child", created_at=NOW).session_id)
    write(db, finish_session, "parent", "completed", at=NOW - 100 * DAY)
    sql(db, "UPDATE sessions SET updated_at = ? WHERE id = 'parent'", (NOW - 100 * DAY,))

    plan, done = pruned(db, orphans=True)
    assert (plan.kept_for_forks, done.sessions) == (2, 0)
    assert read_history(db, child.id) == ["a"]

    sql(db, "UPDATE sessions SET status = 'completed', updated_at = ? WHERE id = 'child'", (NOW - 100 * DAY,))
    assert pruned(db, orphans=True)[1].sessions == 3


def test_prune_keeps_mailboxes(db: Database) -> None:
    write(db, send, said("hello", id="letter", sender="ada", recipient="bob"))

    plan, done = pruned(db, orphans=True)

    assert (plan.orphan_progressions, plan.orphan_messages, done) == (0, 0, Pruned(0, 0, 0))
    assert [letter.message.id for letter in read(db, inbox, "bob")] == ["letter"]


@pytest.mark.sqlite
def test_plan_prune_writes_nothing(db: Database) -> None:
    ended(db, "old", "a")
    before = db.conn.value("PRAGMA data_version"), db.conn.raw.total_changes()
    with open_database(db.path) as writer:
        writer.conn.execute("BEGIN IMMEDIATE")
        with reading(db.path) as conn:
            plan = plan_prune(conn, before=NOW, keep_n=0, orphan_progressions=True)
        writer.conn.execute("ROLLBACK")

    assert plan == PrunePlan(1, 0, 0, 0, 0, 2, 1, plan.bytes_freed, 0, 0, plan.newest_at)
    assert (db.conn.value("PRAGMA data_version"), db.conn.raw.total_changes()) == before
    assert left(db, "sessions") == ["old"]


def test_prune_checks_changes_since_the_plan(db: Database) -> None:
    for id_ in ("a", "b", "c", "d"):
        ended(db, id_, f"m{id_}")
    plan_prune(db.conn, before=NOW, keep_n=0, orphan_progressions=True)
    write(db, put_show, Show(id="show", topic="t", show_dir="/t"))
    write(db, put_play, Play(show_id="show", name="p", session_id="a"))
    sql(db, "UPDATE sessions SET status = 'running' WHERE id = 'b'")
    write(db, fork_branch, "c.main", session_id=begin(db, "new", created_at=NOW).session_id)

    assert prune(db.conn) == Pruned(sessions=1, progressions=2, messages=1)
    assert left(db, "sessions") == ["a", "b", "c", "new"]
    assert left(db, "messages") == ["ma", "mb", "mc"]


class Clock:
    """A clock on which every transaction takes this many seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._now = seconds, 0.0

    def __call__(self) -> float:
        self._now += self._seconds
        return self._now


def deleted_rows(db: Database, clock: Clock) -> dict[str, list[int]]:
    """Prune everything; returns the number of deleted rows of each transaction, by table."""
    rows: dict[str, list[int]] = {}
    plan_prune(db.conn, before=NOW, keep_n=0, orphan_progressions=True)
    deleted: dict[str, int] = {}

    def note(kind: int, _database: str, table: str, _row: int) -> None:
        deleted[table] = deleted.get(table, 0) + 1

    def commit() -> bool:
        for table, number in deleted.items():
            rows.setdefault(table, []).append(number)
        deleted.clear()
        return False

    db.conn.raw.set_update_hook(note)
    db.conn.raw.set_commit_hook(commit)
    try:
        prune(db.conn, clock=clock)
    finally:
        db.conn.raw.set_update_hook(None)
        db.conn.raw.set_commit_hook(None)
    return rows


MANY_SESSIONS = """
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 449)
INSERT INTO sessions (id, created_at, updated_at, status) SELECT 'x' || i, 1.0, 1.0, 'failed' FROM n
"""


def test_prune_commits_in_batches_and_reports(db: Database) -> None:
    for number in range(3):
        ended(db, f"s{number}")
    sql(db, MANY_SESSIONS)
    told: list[tuple[str, int]] = []
    plan_prune(db.conn, before=NOW, keep_n=0)
    with traced(db.conn) as ran:
        prune(db.conn, lambda what, done: told.append((what, done)), Clock(0.001))

    assert told == [("sessions", 200), ("sessions", 400), ("sessions", 453)]
    assert sum(one.sql.startswith("BEGIN") for one in ran) == 3


@pytest.mark.sqlite
def test_prune_halves_its_batches_while_they_take_too_long(db: Database) -> None:
    sql(db, MANY_SESSIONS)

    assert deleted_rows(db, Clock(0.1))["sessions"] == [200, 100, 50, 25, 12, 6, 3, *[1] * 54]


@pytest.mark.sqlite
def test_prune_deletes_a_long_session_in_many_transactions(db: Database) -> None:
    branch = ended(db, "old")
    db.write(lambda conn: [append(conn, branch, said("x"), late=True) for _ in range(3000)])
    db.write(lambda conn: index_batch(conn, 3000))
    sql(db, "UPDATE sessions SET updated_at = ?", (NOW - 100 * DAY,))

    with traced(db.conn) as ran:
        rows = deleted_rows(db, Clock(0.001))

    # 6,000 positions, and at most 2,000 in one transaction
    assert len([one for one in ran if one.sql.lstrip().startswith("DELETE FROM progression_items")]) == 4
    assert max(rows["messages"]) == 200
    assert left(db, "messages") == left(db, "progression_heads") == []
    assert sql(db, "SELECT count(*) FROM progression_items") == [(0,)]


@pytest.mark.sqlite
def test_prune_writes_changes_and_unindexes(db: Database) -> None:
    ended(db, "old", "needle")
    db.write(index_batch)
    after = read(db, last_seq)

    pruned(db, orphans=True)

    kinds = [(row.kind, row.entity, row.entity_id) for row in read(db, changes_after, after).rows]
    assert kinds == [("deleted", "branch", "old.main"), ("deleted", "session", "old")]
    assert read(db, search, "needle") == []


@pytest.mark.sqlite
def test_free_pages_shrinks_the_file(db: Database) -> None:
    branch = ended(db, "old")
    db.write(lambda conn: [append(conn, branch, said("x" * 5000), late=True) for _ in range(200)])
    sql(db, "UPDATE sessions SET updated_at = ?", (NOW - 100 * DAY,))
    pruned(db, orphans=True)
    before = read(db, stats)

    freed = free_pages(db.conn)

    assert freed >= 900_000
    after = read(db, stats)
    assert after["free_bytes"] == before["free_bytes"] - freed == 0
    was, now = vacuum(db.conn)
    assert now <= was


def test_plan_prune_rejects_a_negative_number(db: Database) -> None:
    with pytest.raises(InvalidInput):
        plan_prune(db.conn, before=NOW, keep_n=-1)
