"""Shared by the benches of imports: the text of their messages, the cost of a work, and bare appends to compare."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from benches.stores import clean_up, fresh_path
from benches.table import Options, Table, at_least, at_most, options
from lionstudio.imports.report import Report
from lionstudio.model.branches import Branch
from lionstudio.model.messages import create_message
from lionstudio.model.sessions import Session
from lionstudio.state.branches import create_branch
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.sessions import create_session
from lionstudio.state.sqlite.maintenance import tune_for_import

TEXT = "alpha beta gamma delta fix the parser and run the tests again because it fails on empty input " * 6


class Spent(NamedTuple):
    """Messages, and the seconds they took on the clock and of this process."""

    messages: int
    wall: float
    cpu: float


def run(title: str, about: str | None, measure: Callable[[Table, Options, Path], None]) -> None:
    """Measure in a folder that is removed afterwards, and print."""
    args = options(about)
    try:
        table = Table(title, args)
        with tempfile.TemporaryDirectory() as folder:
            measure(table, args, Path(folder))
        table.close()
    finally:
        clean_up()


def spent(work: Callable[[Report], None]) -> Spent:
    """Run a work and measure it."""
    report = Report()
    wall, cpu = time.perf_counter(), time.process_time()
    work(report)
    return Spent(report.messages, time.perf_counter() - wall, time.process_time() - cpu)


def bare_appends(sessions: int, each: int, **about: Any) -> Spent:
    """Append as many messages as an import, with nothing to read or parse."""

    def fill(report: Report) -> None:
        for number in range(sessions):
            db.write(lambda conn, number=number: _fill(conn, number, each, about))  # type: ignore[misc]
            report.messages += each

    with Database(fresh_path("bare")) as db:
        tune_for_import(db.conn)
        return spent(fill)


def _fill(conn: Connection, number: int, each: int, about: dict[str, Any]) -> None:
    create_session(conn, Session(id=f"s{number}", name="bare"))
    create_branch(conn, Branch(id=f"b{number}", session_id=f"s{number}"))
    for _ in range(each):
        append(conn, f"b{number}", create_message({"instruction": TEXT}, metadata=about))


def tell(
    table: Table, what: str, first: Spent, second: Spent, bare: Spent, items: int, item: str, *, least: float = 5000
) -> None:
    """Print the rows of one import: the first and the second run."""
    # by CPU time: the wall clock includes other processes
    rate = first.messages / first.cpu
    table.row(f"{what}read in, by CPU time", rate, "/s", at_least(least), f"{first.messages:,} messages")
    table.row(f"{what}read in, by the clock", first.messages / first.wall, "/s")
    table.row(f"{what}CPU of a message / of a bare append", first.cpu / bare.cpu, "×", at_most(4))
    table.row(
        f"{what}looked at again, a {item}", second.wall / items * 1e6, "µs", note=f"{second.messages} new messages"
    )
