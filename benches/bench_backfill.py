"""Imports of old runs and of another database: 100,000 messages of about 600 characters, imported twice.

The baseline appends as many messages of the same size to as many sessions, with nothing to read or parse. Ids of
other tools are random, so the same index pages are written many times; the baseline's ids are in order.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path

import apsw

from benches.import_cost import TEXT, bare_appends, run, spent, tell
from benches.stores import fresh_path
from benches.table import Options, Table
from lionstudio.imports.external_db.importer import import_database
from lionstudio.imports.report import Report
from lionstudio.imports.run_folders.importer import import_runs
from lionstudio.state.database import Database
from lionstudio.state.sqlite.maintenance import tune_for_import

_EACH = 50
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


def _measure(table: Table, args: Options, folder: Path) -> None:
    sessions = 200 if args.quick else 2000
    other = str(folder / "other.db")
    for number in range(sessions):
        _write_run(folder / "runs", number)
    _write_database(other, sessions)
    bare = bare_appends(sessions, _EACH)
    works: dict[str, Callable[[Database, Report], None]] = {
        "runs": lambda db, report: import_runs(db, str(folder), report),
        "database": lambda db, report: import_database(db, db.path, other, report),
    }
    for what, work in works.items():
        with Database(fresh_path(what)) as db:
            tune_for_import(db.conn)
            first, second = (spent(partial(work, db)) for _ in range(2))
        tell(table, f"{what}: ", first, second, bare, sessions, "session")


def _messages(number: int) -> list[dict[str, object]]:
    messages: list[dict[str, object]] = []
    for number_in_run in range(_EACH):
        is_user = number_in_run % 2 == 0
        tag = "instruction.Instruction" if is_user else "assistant_response.AssistantResponse"
        used = (
            {}
            if is_user
            else {"model_response": {"usage": {"input_tokens": 9, "output_tokens": 5}, "total_cost_usd": 0.01}}
        )
        messages.append(
            {
                "id": str(uuid.uuid4()),
                "created_at": 1.79e9 + number * 100 + number_in_run,
                "role": "user" if is_user else "assistant",
                "metadata": {"lion_class": _TAGS + tag, **used},
                "content": {"instruction" if is_user else "assistant_response": TEXT},
            }
        )
    return messages


def _write_run(folder: Path, number: int) -> None:
    run, branch, messages = f"run-{number:06}", str(uuid.uuid4()), _messages(number)
    (folder / run / "branches").mkdir(parents=True)
    (folder / run / "run.json").write_text(json.dumps({"run_id": run, "branch_id": branch, "status": "completed"}))
    pile = {"collections": messages, "progression": {"order": [message["id"] for message in messages]}}
    (folder / run / "branches" / f"{branch}.json").write_text(json.dumps({"id": branch, "messages": pile}))


def _write_database(path: str, sessions: int) -> None:
    conn = apsw.Connection(path)
    conn.execute("PRAGMA synchronous = OFF")
    conn.execute(_SCHEMA)
    with conn:
        for number in range(sessions):
            messages, at = _messages(number), 1.79e9 + number
            conn.executemany(
                "INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?)",
                (
                    (
                        message["id"],
                        message["created_at"],
                        json.dumps(message["metadata"]),
                        json.dumps(message["content"]),
                        message["role"],
                        2 if message["role"] == "user" else 3,
                    )
                    for message in messages
                ),
            )
            order = json.dumps([message["id"] for message in messages])
            conn.execute("INSERT INTO progressions VALUES (?, ?, ?)", (f"s{number}", at, order))
            conn.execute("INSERT INTO progressions VALUES (?, ?, ?)", (f"b{number}", at, order))
            conn.execute(
                "INSERT INTO sessions VALUES (?, ?, ?, ?, ?)", (f"s{number}", at, f"s{number}", at, "completed")
            )
            conn.execute("INSERT INTO branches VALUES (?, ?, ?, ?)", (f"b{number}", at, f"s{number}", f"b{number}"))
    conn.close()


if __name__ == "__main__":
    run("Imports of old runs and of another database", __doc__, _measure)
