"""A push copies every row of a session once, and the hub's own rows and those of other machines stay."""

from __future__ import annotations

import shutil
from pathlib import Path

import apsw
import pytest
from tests.support.builders import T0, begin, read, say, sql, write
from tests.support.hubs import answer, contents, embed, finish, full_session, on_machine, push
from tests.support.sql_trace import traced

from lionstudio import machine
from lionstudio.errors import InvalidInput, WrongVersion
from lionstudio.hub.connect import HubAway, HubConnection
from lionstudio.hub.push import Push
from lionstudio.state.backends import open_database
from lionstudio.state.database import Database
from lionstudio.state.feed.changes import changes_after, trim
from lionstudio.state.hub.machines import list_machines
from lionstudio.state.hub.ownership import PushRefusal
from lionstudio.state.hub.selection import PushFilters
from lionstudio.state.imports.live_branches import set_message_metadata
from lionstudio.state.imports.session_order import move_after
from lionstudio.state.runs.labels import remove_tags, rename_session
from lionstudio.state.upkeep.remove import remove_sessions


@pytest.fixture
def hub_file(blank: Path, tmp_path: Path) -> Path:
    """The path of an empty hub that is a file."""
    folder = tmp_path / "hub"
    folder.mkdir()
    return Path(shutil.copy(blank, folder / "state.db"))


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def hub(request: pytest.FixtureRequest) -> str:
    """The address of an empty hub."""
    return str(request.getfixturevalue("postgres_url" if request.param == "postgres" else "hub_file"))


def assert_equal(home: Database, hub: str | Path, like: str = "%") -> None:
    mine, theirs = contents(home.path, like), contents(hub, like)
    for table, rows in mine.items():
        assert theirs[table] == rows, table


def test_push_copies_every_row(db: Database, hub: str) -> None:
    full_session(db, "one")
    full_session(db, "two")
    answer(db, "two")
    finish(db, "two")
    embed(db)

    report = push(db, hub)

    assert (report.sessions, report.messages, report.refused) == (2, 10, {})
    assert_equal(db, hub)
    assert all(rows for rows in contents(hub).values())


def test_push_twice_writes_nothing(db: Database, hub: str) -> None:
    full_session(db, "one")
    push(db, hub)
    with open_database(hub) as there:
        before = read(there, changes_after, 0)

        report = push(db, hub)

        assert (report.sessions, report.messages) == (0, 0)
        assert read(there, changes_after, 0) == before


def test_push_copies_later_changes(db: Database, hub: str) -> None:
    run = full_session(db, "one")
    push(db, hub)

    say(db, run.branch_id, "one.third")
    say(db, "one.fork", "one.forked twice")
    write(db, rename_session, "one", "another name")
    write(db, remove_tags, "one", ["old"])
    answer(db, "one")
    report = push(db, hub)
    assert (report.compared, report.sessions, report.messages) == (False, 1, 2)
    assert_equal(db, hub)

    finish(db, "one")
    push(db, hub)
    assert_equal(db, hub)


def test_push_copies_a_new_order_and_changed_messages(db: Database, hub: str) -> None:
    run = begin(db, "one")
    say(db, run.branch_id, "a", "b", "c", "d", "e")
    push(db, hub)

    write(db, move_after, run.branch_id, ["b"], "d")
    write(db, set_message_metadata, "c", {"usage": {"input_tokens": 3}})
    push(db, hub)

    assert_equal(db, hub)


def test_push_copies_embeddings_that_are_computed_later(db: Database, hub: str) -> None:
    full_session(db, "one")
    push(db, hub)

    embed(db)
    push(db, hub)

    assert_equal(db, hub)
    assert all(row[4] for row in contents(hub)["messages"])


def test_push_leaves_out_embeddings_of_another_model(db: Database, hub: str) -> None:
    full_session(db, "one")
    embed(db)
    with open_database(hub) as there:
        sql(there, "INSERT INTO embedding_model VALUES ('another', 3, 1.0)")

        push(db, hub)

        assert sql(there, "SELECT count(*) FROM messages WHERE embedding IS NOT NULL") == [(0,)]


def test_push_does_not_redact_again(db: Database, hub: str) -> None:
    """A row that another tool wrote is copied as it is: ids and texts never change on their way."""
    run = begin(db, "one")
    say(db, run.branch_id, "a")
    secret = "ghp_" + "a1B2" * 9
    sql(db, "UPDATE messages SET content = ? WHERE id = 'a'", (f'{{"instruction":"{secret}"}}',))

    push(db, hub)

    assert_equal(db, hub)


def test_push_compares_all_sessions_when_the_feed_was_trimmed(db: Database, hub: str) -> None:
    full_session(db, "one")
    full_session(db, "two")
    push(db, hub)
    say(db, "one.main", "later")
    sql(db, "UPDATE messages SET role = 'assistant' WHERE id = 'two.first'")
    write(db, trim, rows=0)
    # the mark's row and some after it are gone
    say(db, "two.main", "latest")
    sql(db, "DELETE FROM changes WHERE seq < (SELECT max(seq) FROM changes)")

    report = push(db, hub)

    assert (report.compared, report.sessions) == (True, 2)
    assert_equal(db, hub)
    assert push(db, hub).compared is False


def test_push_skips_equal_sessions_by_their_digest(db: Database, hub: str) -> None:
    full_session(db, "one")
    full_session(db, "two")
    push(db, hub)
    say(db, "two.main", "later")
    sql(db, "DELETE FROM changes WHERE seq < (SELECT max(seq) FROM changes)")

    report = push(db, hub)

    assert (report.compared, report.sessions, report.messages) == (True, 1, 1)


def test_push_fills_a_restored_hub_again(db: Database, hub_file: Path, tmp_path: Path) -> None:
    full_session(db, "one")
    push(db, hub_file)
    backup = shutil.copy(hub_file, tmp_path / "backup.db")
    full_session(db, "two")
    push(db, hub_file)
    for file in hub_file.parent.iterdir():
        file.unlink() if file.is_file() else None
    shutil.copy(backup, hub_file)

    assert push(db, hub_file).sessions >= 1
    assert_equal(db, hub_file)


def test_push_notices_that_the_file_was_replaced(db: Database, hub: str, tmp_path: Path) -> None:
    """A restored backup continues with other rows under the same numbers."""
    begin(db, "one")
    backup = tmp_path / "backup.db"
    sql(db, f"VACUUM INTO '{backup}'")
    begin(db, "lost")
    push(db, hub)
    with Database(str(backup)) as restored:
        begin(restored, "instead")
        begin(restored, "more")
    for suffix in ("", "-wal", "-shm"):
        Path(db.path + suffix).unlink(missing_ok=True)
    shutil.copy(backup, db.path)

    with Database(db.path) as home:
        assert push(home, hub).compared
        for session in ("one", "instead", "more"):
            assert_equal(home, hub, session)


# ── Deleted sessions ─────────────────────────────────────────────────────


def test_push_does_not_bring_back_a_session_deleted_on_the_hub(db: Database, hub: str) -> None:
    full_session(db, "one")
    finish(db, "one")
    push(db, hub)
    with open_database(hub) as there:
        write(there, remove_sessions, ["one"])
    write(db, rename_session, "one", "changed")

    report = push(db, hub)

    assert report.refused == {"one": PushRefusal.DELETED}
    assert contents(hub)["sessions"] == []


def test_push_keeps_a_session_that_was_deleted_here(db: Database, hub: str) -> None:
    full_session(db, "one")
    finish(db, "one")
    push(db, hub)
    before = contents(hub)

    write(db, remove_sessions, ["one"])
    push(db, hub)

    assert contents(hub) == before


# ── Machines ─────────────────────────────────────────────────────────────


@pytest.fixture
def copy(db: Database, tmp_path: Path) -> str:
    """A copy of the database with one session, for another machine."""
    with on_machine("a"):
        run = full_session(db, "one")
        say(db, run.branch_id, "one.of a")
    (tmp_path / "copy").mkdir()
    path = tmp_path / "copy" / "state.db"
    sql(db, f"VACUUM INTO '{path}'")
    return str(path)


def test_copied_database_belongs_to_the_machine_that_recorded_it(db: Database, hub: str, copy: str) -> None:
    with on_machine("a"):
        push(db, hub)
    before = contents(hub)
    with Database(copy) as other, on_machine("b"):
        say(other, "one.main", "one.of b")
        begin(other, "of b")

        report = push(other, hub)

        assert report.refused == {"one": PushRefusal.OTHER_MACHINE}
        assert_equal(other, hub, "of b")
    assert contents(hub, "one") == before


def test_recording_machine_takes_a_session_over_from_a_copy(db: Database, hub: str, copy: str) -> None:
    with Database(copy) as other:
        with on_machine("b"):
            assert push(other, hub).refused == {}
        with on_machine("a"):
            assert push(db, hub).refused == {}
            assert_equal(db, hub)
        with on_machine("b"):
            say(other, "one.main", "one.of b")
            assert push(other, hub).refused == {"one": PushRefusal.OTHER_MACHINE}
    assert_equal(db, hub)


def test_two_databases_of_one_machine_do_not_overwrite_each_other(db: Database, hub: str, copy: str) -> None:
    with on_machine("a"), Database(copy) as other:
        push(db, hub)
        say(other, "one.main", "one.of the copy")

        assert push(other, hub).refused == {"one": PushRefusal.OTHER_DATABASE}
        assert_equal(db, hub)


def test_moved_database_keeps_its_sessions(db: Database, hub: str, copy: str, tmp_path: Path) -> None:
    with on_machine("a"):
        with Database(copy) as before:
            push(before, hub)
        moved = shutil.move(Path(copy).parent, tmp_path / "moved")
        with Database(str(Path(moved) / "state.db")) as after:
            say(after, "one.main", "one.later")

            assert push(after, hub).refused == {}
            assert_equal(after, hub)


def test_machines_with_the_same_name_are_told_apart(db: Database, hub: str, copy: str) -> None:
    with on_machine("a", "laptop"):
        push(db, hub)
    with Database(copy) as other, on_machine("b", "laptop"):
        push(other, hub)

    with open_database(hub) as there:
        assert [machine.label for machine in read(there, list_machines)] == ["laptop (a)", "laptop (b)"]


def test_push_refuses_a_session_that_the_hub_recorded(db: Database, hub: str) -> None:
    with open_database(hub) as there:
        begin(there, "one", name="of the hub")
    begin(db, "one")

    assert push(db, hub).refused == {"one": PushRefusal.OF_THE_HUB}


def test_push_refuses_a_branch_of_another_owner(db: Database, hub: str) -> None:
    with open_database(hub) as there:
        begin(there, "one")
    begin(db, "two")
    sql(db, "UPDATE branches SET id = 'one.main'")

    assert push(db, hub).refused == {"two": PushRefusal.SHARED_IDS}


def test_push_leaves_messages_of_other_machines_alone(db: Database, hub: str, blank: Path, tmp_path: Path) -> None:
    """Two machines read the same transcript: the message is stored once, as it came first."""
    path = shutil.copy(blank, tmp_path / "other.db")
    with Database(str(path)) as other:
        with on_machine("b"):
            begin(other, "theirs")
            say(other, "theirs.main", "shared")
            push(other, hub)
        with on_machine("a"):
            begin(db, "mine")
            say(db, "mine.main", "shared")
            push(db, hub)
            write(db, set_message_metadata, "shared", {"changed": True})
            push(db, hub)
        assert contents(hub, "theirs") == contents(other.path, "theirs")


def test_session_without_a_machine_gets_that_of_the_pusher(db: Database, hub: str) -> None:
    begin(db, "one")
    sql(db, "UPDATE sessions SET machine_id = NULL")

    with on_machine("a"):
        push(db, hub)

    with open_database(hub) as there:
        assert sql(there, "SELECT machine_id FROM sessions") == [("a",)]


def test_clock_of_a_machine_does_not_matter(db: Database, hub: str, monkeypatch: pytest.MonkeyPatch) -> None:
    yesterday = T0 - 86400
    run = begin(db, "one", created_at=yesterday)
    push(db, hub)

    say(db, run.branch_id, "from tomorrow", created_at=T0 + 86400)
    say(db, run.branch_id, "from yesterday", created_at=yesterday)
    push(db, hub)

    assert_equal(db, hub)
    with open_database(hub) as there:
        [machine] = read(there, list_machines)
        assert machine.is_fresh


# ── Filters ──────────────────────────────────────────────────────────────


def test_changed_filter_pushes_what_was_left_out(db: Database, hub: str) -> None:
    begin(db, "website", project="website")
    begin(db, "app", project="app")
    old = begin(db, "old", project="website", created_at=T0 - 1000)
    website = PushFilters(projects=("website",), since=T0 - 10, since_text="10s")

    assert push(db, hub, website).sessions == 1
    say(db, "website.main", "later")
    say(db, old.branch_id, "also later")
    assert push(db, hub, website).sessions == 1
    assert [row[0] for row in contents(hub)["sessions"]] == ["website"]

    report = push(db, hub)
    assert report.compared
    assert_equal(db, hub)


# ── A hub that cannot be used ────────────────────────────────────────────


def test_push_refuses_a_hub_of_a_newer_version(db: Database, hub: str) -> None:
    with open_database(hub) as there:
        sql(there, "UPDATE schema_meta SET version = 99")

    with pytest.raises(WrongVersion, match="newer Lion Studio"):
        push(db, hub)


def test_push_to_a_missing_hub(db: Database, tmp_path: Path) -> None:
    with pytest.raises(HubAway, match="cannot be reached"):
        push(db, str(tmp_path / "none" / "hub.db"))


def test_push_needs_a_machine_id(db: Database, hub: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lionstudio.hub.push.machine_id", lambda: None)

    with pytest.raises(InvalidInput, match="no machine id"), HubConnection(hub) as there:
        Push(db.path, there, PushFilters())


def test_machine_id_can_be_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    machine.machine_id.cache_clear()
    monkeypatch.setenv("LIONAGI_MACHINE_ID", "mine")

    assert machine.machine_id() == "mine"

    machine.machine_id.cache_clear()


def test_push_goes_on_after_a_session_that_cannot_be_stored(db: Database, hub: str) -> None:
    begin(db, "good")
    begin(db, "bad")
    other = apsw.Connection(db.path)
    other.execute("PRAGMA ignore_check_constraints = ON")
    other.execute("UPDATE sessions SET status = 'nonsense' WHERE id = 'bad'")
    other.close()

    report = push(db, hub)

    assert report.refused == {"bad": PushRefusal.INVALID}
    assert_equal(db, hub, "good")


def test_push_of_one_message_costs_the_same_in_a_long_session(db: Database, hub: str) -> None:
    """Counted in statements and steps of the hub's database, at 20 and at 2,000 messages."""

    def work() -> tuple[list[str], int]:
        with HubConnection(hub) as connection:
            once = Push(db.path, connection, PushFilters())
            once.run()
            say(db, run.branch_id, next(names))
            database = connection._database
            assert database is not None
            with traced(database.conn) as ran:
                assert once.run().messages == 1
        return [one.sql for one in ran], sum(one.steps for one in ran)

    names = iter(("early", "late"))
    run = begin(db, "one")
    say(db, run.branch_id, *(f"m{number}" for number in range(20)))
    statements, steps = work()
    say(db, run.branch_id, *(f"n{number}" for number in range(2000)))
    later, later_steps = work()

    assert later == statements
    assert later_steps <= steps * 1.2
