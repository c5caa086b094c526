"""Runs of other machines on a hub: alive by their machine, and ended, stopped and answered only there."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.builders import begin, read, sql, write
from tests.support.hubs import contents, finish, full_session, on_machine, push

from lionstudio.errors import IllegalTransition
from lionstudio.model.questions import Answer
from lionstudio.model.status.computed_state import State, session_state
from lionstudio.runs.stop import stop_run
from lionstudio.runs.talk.send import send_to_session
from lionstudio.state.database import Database
from lionstudio.state.exchange.questions import answer_question, list_answered, list_open_questions, mark_shown
from lionstudio.state.hub.machines import (
    FRESH_SECONDS,
    find_machine_ids,
    list_machines,
    name_machines,
    pushing_machines,
)
from lionstudio.state.runs.facets import facets
from lionstudio.state.runs.page_queries import running_rows, session_row
from lionstudio.state.runs.run_list import Filters, list_sessions
from lionstudio.state.upkeep.doctor import list_dead, list_recently_dead, list_stale_and_dead
from lionstudio.state.upkeep.liveness import proof_of
from lionstudio.system.process_identity import identify


@pytest.fixture
def home(blank: Path, tmp_path: Path) -> Iterator[Database]:
    """The database of a laptop."""
    (tmp_path / "laptop").mkdir()
    with Database(str(shutil.copy(blank, tmp_path / "laptop" / "state.db"))) as home:
        yield home


@pytest.fixture
def hub(db: Database, home: Database) -> Database:
    """A hub with a running session of the machine `a`, whose process is gone, and one of its own."""
    owner = identify()._replace(pid=2**22 + 1, machine_id="a", lock_path=None)._asdict()
    with on_machine("a", "laptop"):
        full_session(home, "one", owner=owner)
        push(home, db.path)
    begin(db, "own")
    return db


def test_run_is_not_alive_because_the_clock_of_the_hub_was_set_back(hub: Database) -> None:
    sql(hub, "UPDATE machines SET seen_at = seen_at + 86400")

    assert proof_of(read(hub, session_row, "one")).answer == "unknown"
    assert [machine.is_fresh for machine in read(hub, list_machines) if machine.id == "a"] == [False]


def test_run_of_a_machine_that_pushes_is_alive(hub: Database) -> None:
    [row] = [row for row in read(hub, list_sessions).rows if row["id"] == "one"]
    proof = proof_of(row)

    assert (row["machine_name"], proof.answer, proof.summary) == ("laptop", "alive", "Runs on laptop")
    assert proof_of(read(hub, session_row, "one")).answer == "alive"
    assert {proof_of(row).answer for row in read(hub, running_rows, 10) if row["id"] == "one"} == {"alive"}


def test_run_of_a_silent_machine_is_unknown_and_never_dead(hub: Database) -> None:
    sql(hub, "UPDATE machines SET seen_at = seen_at - ?", (FRESH_SECONDS + 5,))
    sql(hub, "UPDATE sessions SET last_message_at = 1.0, updated_at = 1.0")

    proof = proof_of(read(hub, session_row, "one"))

    assert proof.answer == "unknown"
    assert "machine laptop was seen 65 s ago" in proof.evidence[0]
    assert (read(hub, list_dead), read(hub, list_recently_dead), read(hub, list_stale_and_dead)) == ([], [], [])


def test_run_that_waited_on_a_silent_machine_is_unknown_with_its_question(hub: Database) -> None:
    def state() -> State:
        row = read(hub, session_row, "one")
        return session_state(row | {"reason_codes": ()}, now=row["last_message_at"], proof=proof_of(row))

    assert (state().health, state().label) == ("waiting", "running · waiting")
    sql(hub, "UPDATE machines SET seen_at = seen_at - ?", (FRESH_SECONDS + 5,))

    assert (state().health, state().label) == ("unknown", "running · unknown")
    assert [one.code for one in state().reasons] == ["run.health.owner_unknown", "run.health.waiting"]
    assert [question.id for question in read(hub, list_open_questions)] == ["one.question"]


def test_hub_does_not_end_stop_or_write_to_a_pushed_run(hub: Database) -> None:
    before = contents(hub.path, "one")

    with pytest.raises(IllegalTransition, match="pushed by machine laptop"):
        finish(hub, "one")
    assert stop_run(hub.path, "one", grace=0).over is False
    with pytest.raises(IllegalTransition, match="pushed by machine laptop"):
        write(hub, send_to_session, "one", "hello", sender="me")
    assert contents(hub.path, "one") == before


def test_question_of_a_pushed_run_is_shown_but_answered_on_its_machine(hub: Database, home: Database) -> None:
    assert [question.id for question in read(hub, list_open_questions)] == ["one.question"]
    before = contents(hub.path, "one")

    write(hub, mark_shown, ["one.question"])
    with pytest.raises(IllegalTransition, match="only that can answer it"):
        write(hub, answer_question, "one.question", Answer(option="a"), by="me", origin={})
    assert contents(hub.path, "one") == before

    write(home, answer_question, "one.question", Answer(option="a"), by="me", origin={})
    with on_machine("a", "laptop"):
        push(home, hub.path)
    assert contents(hub.path, "one") == contents(home.path, "one")
    # a Studio of the hub must not continue the run from the answer
    assert read(hub, list_answered) == []


def test_list_sessions_by_machine(hub: Database) -> None:
    def ids(machine: str) -> list[str]:
        return [row["id"] for row in read(hub, list_sessions, Filters(machine=machine)).rows]

    own = sql(hub, "SELECT machine_id FROM sessions WHERE id = 'own'")[0][0]
    assert (ids("a"), ids(own), ids("none")) == (["one"], ["own"], [])
    counts = {count.value: count.runs for count in read(hub, facets, Filters())["machine"]}
    assert counts == {"a": 1, own: 1}


def test_find_machine_ids_by_name_and_start(hub: Database) -> None:
    sql(hub, "INSERT INTO machines SELECT 'abcdefghij', 'laptop', version, created_at, seen_at FROM machines")

    assert find_machine_ids(hub.conn, "laptop") == ("a", "abcdefghij")
    assert find_machine_ids(hub.conn, "abc") == ("abcdefghij",)
    assert find_machine_ids(hub.conn, "laptop (abcdefgh)") == ("abcdefghij",)
    assert find_machine_ids(hub.conn, "none") == ("none",)
    assert set(name_machines(read(hub, list_machines)).values()) == {"laptop (a)", "laptop (abcdefgh)"}


def test_pushing_machines_tells_equal_names_apart(hub: Database) -> None:
    sql(hub, "INSERT INTO machines SELECT 'other', 'laptop', version, created_at, seen_at FROM machines")

    assert read(hub, pushing_machines, ["one", "own"]) == {"one": "laptop (a)"}
