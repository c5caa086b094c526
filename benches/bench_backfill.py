"""Old runs and another database: 100,000 messages of about 600 characters, read in, and looked at again.

The baseline appends as many messages of the same size to as many sessions, with nothing to read or to parse. Ids of
other tools are random, so their index pages are written again and again; the baseline's ids come in order.
"""

from __future__ import annotations

import json
import tempfile
import time
import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import apsw

from benches.stores import clean_up, fresh_path
from benches.table import Options, Table, at_least, at_most, options
from lionstudio.backfill.databases import import_database
from lionstudio.backfill.report import Report
from lionstudio.backfill.runs import import_runs
from lionstudio.model.branches import Branch
from lionstudio.model.messages import create_message
from lionstudio.model.sessions import Session
from lionstudio.state.branches import create_branch
from lionstudio.state.bulk import expect_much
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages import append
from lionstudio.state.sessions import create_session

_EACH = 50
_TEXT = "alpha beta gamma delta fix the parser and run the tests again because it fails on empty input " * 6
_TAGS = "lionagi.protocols.messages."
_SCHEMA = """
CREATE TABLE message_types (type_id INTEGER PRIMARY KEY, lion_class TEXT);
INSERT INTO message_types VALUES (2, 'lionagi.protocols.messages.instruction.Instruction'),
  (3, 'lionagi.protocols.messages.assistant_response.AssistantResponse');
CREATE TABLE messages (id TEXT PRIMARY KEY, created_at REAL, node_metadata JSON, content JSON, role TEXT,
  lion_class INTEGER);
CREATE TABLE progressions (id TEXT PRIMARY KEY, created_at REAL, collection TEXT);
CREATE TABLE sessions (id TEXT PRIMARY KEY, created_at REAL, progression_id TEXT, updated_at REAL, status TEXT);
CREATE TABLE branches (id TEXT PRIMARY KEY, created_at REAL, session_id TEXT, progression_id TEXT);
"""


class Spent(NamedTuple):
    """Messages, and the seconds they took on the clock and of this process."""

    messages: int
    wall: float
    cpu: float


def main() -> None:
    """Measure and print."""
    given = options(__doc__)
    try:
        table = Table("Imports of old runs and of another database", given)
        with tempfile.TemporaryDirectory() as folder:
            _measure(table, given, Path(folder))
        table.close()
    finally:
        clean_up()


def _measure(table: Table, given: Options, folder: Path) -> None:
    sessions = 200 if given.quick else 2000
    other = str(folder / "other.db")
    for number in range(sessions):
        _write_run(folder / "runs", number)
    _write_database(other, sessions)
    with Database(fresh_path("bare")) as db:
        expect_much(db.conn)
        bare = _spent(lambda report: _append(db, sessions, report))
    works: dict[str, Callable[[Database, Report], None]] = {
        "runs": lambda db, report: import_runs(db, str(folder), report),
        "database": lambda db, report: import_database(db, db.path, other, report),
    }
    for what, work in works.items():
        with Database(fresh_path(what)) as db:
            expect_much(db.conn)
            first, second = (_spent(partial(work, db)) for _ in range(2))
        # by CPU time: on the clock, whatever else the machine does counts too
        table.row(f"{what}: read in, by CPU time", first.messages / first.cpu, "/s", at_least(5000))
        table.row(f"{what}: read in, by the clock", first.messages / first.wall, "/s")
        table.row(f"{what}: CPU of a message / of a bare append", first.cpu / bare.cpu, "×", at_most(4))
        table.row(
            f"{what}: looked at again, a session", second.wall / sessions * 1e6, "µs", note=f"{second.messages} new"
        )


def _spent(work: Callable[[Report], None]) -> Spent:
    report = Report()
    wall, cpu = time.perf_counter(), time.process_time()
    work(report)
    return Spent(report.messages, time.perf_counter() - wall, time.process_time() - cpu)


def _append(db: Database, sessions: int, report: Report) -> None:
    for number in range(sessions):

        def work(conn: Connection, number: int = number) -> None:
            create_session(conn, Session(id=f"s{number}", name="bare"))
            create_branch(conn, Branch(id=f"b{number}", session_id=f"s{number}"))
            for _ in range(_EACH):
                append(conn, f"b{number}", create_message({"instruction": _TEXT}))

        db.write(work)
        report.messages += _EACH


def _messages(number: int) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for place in range(_EACH):
        asked = place % 2 == 0
        tag = "instruction.Instruction" if asked else "assistant_response.AssistantResponse"
        used = (
            {}
            if asked
            else {"model_response": {"usage": {"input_tokens": 9, "output_tokens": 5}, "total_cost_usd": 0.01}}
        )
        found.append({
            "id": str(uuid.uuid4()), "created_at": 1.79e9 + number * 100 + place,
            "role": "user" if asked else "assistant",
            "metadata": {"lion_class": _TAGS + tag, **used},
            "content": {"instruction" if asked else "assistant_response": _TEXT},
        })  # fmt: skip
    return found


def _write_run(folder: Path, number: int) -> None:
    run, branch, found = f"run-{number:06}", str(uuid.uuid4()), _messages(number)
    (folder / run / "branches").mkdir(parents=True)
    (folder / run / "run.json").write_text(json.dumps({"run_id": run, "branch_id": branch, "status": "completed"}))
    pile = {"collections": found, "progression": {"order": [each["id"] for each in found]}}
    (folder / run / "branches" / f"{branch}.json").write_text(json.dumps({"id": branch, "messages": pile}))


def _write_database(path: str, sessions: int) -> None:
    conn = apsw.Connection(path)
    conn.execute("PRAGMA synchronous = OFF")
    conn.execute(_SCHEMA)
    with conn:
        for number in range(sessions):
            found, at = _messages(number), 1.79e9 + number
            conn.executemany(
                "INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?)",
                (
                    (each["id"], each["created_at"], json.dumps(each["metadata"]), json.dumps(each["content"]),
                     each["role"], 2 if each["role"] == "user" else 3)
                    for each in found
                ),
            )  # fmt: skip
            order = json.dumps([each["id"] for each in found])
            conn.execute("INSERT INTO progressions VALUES (?, ?, ?)", (f"s{number}", at, order))
            conn.execute("INSERT INTO progressions VALUES (?, ?, ?)", (f"b{number}", at, order))
            conn.execute(
                "INSERT INTO sessions VALUES (?, ?, ?, ?, ?)", (f"s{number}", at, f"s{number}", at, "completed")
            )
            conn.execute("INSERT INTO branches VALUES (?, ?, ?, ?)", (f"b{number}", at, f"s{number}", f"b{number}"))
    conn.close()


if __name__ == "__main__":
    main()
