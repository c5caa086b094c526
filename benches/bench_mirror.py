"""Transcripts of another tool: 2,000 files with about 100,000 messages, read in once, and looked at again.

The baseline appends as many messages of the same size to as many sessions, with nothing to read or to parse.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
import uuid
from pathlib import Path
from typing import NamedTuple

from benches.stores import clean_up, fresh_path
from benches.table import Options, Table, at_least, at_most, options
from lionstudio.backfill.mirroring import Mirror
from lionstudio.backfill.report import Report
from lionstudio.backfill.sources import CLAUDE
from lionstudio.model.branches import Branch
from lionstudio.model.messages import create_message
from lionstudio.model.sessions import Session
from lionstudio.state.branches import create_branch
from lionstudio.state.bulk import expect_much
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages import append
from lionstudio.state.sessions import create_session

_TURNS = 16  # of a conversation: each an answer, a call and its result
_TEXT = "alpha beta gamma delta fix the parser and run the tests again because it fails on empty input " * 6


class Spent(NamedTuple):
    """Messages, and the seconds they took on the clock and of this process."""

    messages: int
    wall: float
    cpu: float


def main() -> None:
    """Measure and print."""
    given = options(__doc__)
    try:
        table = Table("Mirror", given)
        with tempfile.TemporaryDirectory() as folder:
            _measure(table, given, Path(folder))
        table.close()
    finally:
        clean_up()


def _measure(table: Table, given: Options, folder: Path) -> None:
    files = 200 if given.quick else 2000
    for number in range(files):
        _write(folder / "projects" / f"-p{number % 40}", number)
    with Database(str(fresh_path("mirror"))) as db:
        expect_much(db.conn)
        first, second = _mirror(db, folder), _mirror(db, folder)
    with Database(str(fresh_path("bare"))) as db:
        expect_much(db.conn)
        bare = _append(db, files, first.messages // files)
    # by CPU time: on the clock, whatever else the machine does counts too
    table.row("read in, by CPU time", first.messages / first.cpu, "/s", at_least(5000), f"{first.messages:,} messages")
    table.row("read in, by the clock", first.messages / first.wall, "/s")
    table.row("CPU of a message / of a bare append", first.cpu / bare.cpu, "×", at_most(4))
    table.row("looked at again, a file", second.wall / files * 1e6, "µs", note=f"{second.messages} new messages")


def _mirror(db: Database, folder: Path) -> Spent:
    report = Report()
    wall, cpu = time.perf_counter(), time.process_time()
    Mirror(db, CLAUDE, os.path.realpath(folder)).run(report)
    return Spent(report.messages, time.perf_counter() - wall, time.process_time() - cpu)


def _append(db: Database, sessions: int, each: int) -> Spent:
    wall, cpu = time.perf_counter(), time.process_time()
    for number in range(sessions):

        def work(conn: Connection, number: int = number) -> None:
            create_session(conn, Session(id=f"s{number}", name="bare"))
            create_branch(conn, Branch(id=f"b{number}", session_id=f"s{number}"))
            for _ in range(each):
                about = {"uuid": "x" * 36, "parent_uuid": "y" * 36}
                append(conn, f"b{number}", create_message({"instruction": _TEXT}, metadata=about))

        db.write(work)
    return Spent(sessions * each, time.perf_counter() - wall, time.process_time() - cpu)


def _write(folder: Path, number: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    session = str(uuid.uuid5(uuid.NAMESPACE_OID, str(number)))
    path = folder / f"{session}.jsonl"
    with open(path, "w") as file:
        for line, (kind, message) in enumerate(_conversation(session)):
            record = {
                "parentUuid": f"{session}-{line - 1}", "isSidechain": False, "type": kind, "message": message,
                "uuid": f"{session}-{line}", "sessionId": session, "cwd": "/home/u/p", "version": "2.1.197",
                "timestamp": f"2026-01-{number % 28 + 1:02}T{number % 24:02}:{line // 60:02}:{line % 60:02}.000Z",
            }  # fmt: skip
            file.write(json.dumps(record) + "\n")
    os.utime(path, (1_767_000_000 + number, 1_767_000_000 + number))


def _conversation(session: str) -> list[tuple[str, dict[str, object]]]:
    usage = {
        "input_tokens": 10,
        "output_tokens": 90,
        "cache_read_input_tokens": 9000,
        "cache_creation_input_tokens": 40,
    }
    found: list[tuple[str, dict[str, object]]] = [("user", {"role": "user", "content": _TEXT})]
    for turn in range(_TURNS):
        about = {"id": f"{session}{turn}", "role": "assistant", "model": "claude-sonnet-4-5-20250929", "usage": usage}
        call = {"type": "tool_use", "id": f"t{turn}", "name": "Bash", "input": {"command": "ls -la"}}
        found.append(("assistant", {**about, "content": [{"type": "text", "text": _TEXT}]}))
        found.append(("assistant", {**about, "content": [call]}))
        result = {"type": "tool_result", "tool_use_id": f"t{turn}", "content": _TEXT, "is_error": False}
        found.append(("user", {"role": "user", "content": [result]}))
    return found


if __name__ == "__main__":
    main()
