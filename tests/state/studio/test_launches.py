"""Rows of launches: one for each request, however often it is repeated and whichever Studio gets it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.builders import begin, read, write

from lionstudio.state.database import Database
from lionstudio.state.studio import launches
from lionstudio.state.studio.launches import (
    claim_launch,
    drop_launch,
    find_launch_row,
    list_launch_rows,
    record_ended,
    record_started,
)

LAUNCH: dict[str, Any] = {"verb": "agent", "target": "script", "options": {"cwd": "/"}, "log": "/l"}


def test_claim_launch_returns_the_first_of_a_key(db: Database) -> None:
    assert write(db, claim_launch, "a", key="k", **LAUNCH) == "a"
    assert write(db, claim_launch, "b", key="k", **LAUNCH) == "a"
    assert write(db, claim_launch, "c", key=None, **LAUNCH) == "c"
    assert write(db, claim_launch, "d", key=None, **LAUNCH) == "d"
    assert {row["id"] for row in read(db, list_launch_rows)} == {"a", "c", "d"}


def test_claim_without_a_process_is_free_again(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its Studio was killed between the row and the process."""
    write(db, claim_launch, "a", key="k", **LAUNCH)
    monkeypatch.setattr(launches, "_CLAIM_SECONDS", -1.0)

    assert write(db, claim_launch, "b", key="k", **LAUNCH) == "b"


def test_dropped_launch_can_be_repeated(db: Database) -> None:
    write(db, claim_launch, "a", key="k", **LAUNCH)
    write(db, drop_launch, "a")

    assert write(db, claim_launch, "b", key="k", **LAUNCH) == "b"


def test_row_has_the_process_and_the_end_of_the_session(db: Database) -> None:
    write(db, claim_launch, "s", key=None, **LAUNCH)
    write(db, record_started, "s", {"pid": 7})
    begin(db, "s", status="running")
    row = read(db, find_launch_row, "s")
    assert row is not None
    assert (row["owner"], row["session_status"], row["ended_at"]) == ('{"pid":7}', "running", None)

    write(db, record_ended, "s", 3)
    row = read(db, find_launch_row, "s")
    assert row is not None
    assert row["exit_code"] == 3
    assert row["ended_at"] is not None


def test_old_launches_are_forgotten_and_running_ones_kept(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launches, "MOST_KEPT", 2)
    for number in range(6):
        write(db, claim_launch, str(number), key=None, **LAUNCH)
        write(db, record_started, str(number), {"pid": 7})
        if number:
            write(db, record_ended, str(number), 0)

    monkeypatch.setattr(launches, "MOST_KEPT", 100)
    kept = {row["id"] for row in read(db, list_launch_rows)}
    assert {"0", "5"} <= kept
    assert len(kept) <= 5
