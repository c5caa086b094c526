"""Shared by the benches of pushes: a first push to a hub, and the delay of one that follows."""

from __future__ import annotations

import os
import subprocess
import time

from benches.bench_http import served
from benches.delays import PATIENCE, Listener, listen, write_at_random
from benches.import_cost import TEXT
from benches.measure import percentile
from benches.stores import begin, fresh_path
from benches.table import Table, at_least, at_most
from lionstudio.hub.connect import HubConnection
from lionstudio.hub.push import Push, PushReport
from lionstudio.model.branches import Branch
from lionstudio.model.messages import create_message
from lionstudio.model.sessions import Session
from lionstudio.state.backends import open_database
from lionstudio.state.branches import create_branch
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.hub.selection import PushFilters
from lionstudio.state.messages.append import append
from lionstudio.state.sessions import create_session
from lionstudio.system.li_process import li_argv

_EACH = 50
_RATE_GOAL = 3000
_DELAY_GOAL = 1000


def push_all(table: Table, hub: str, sessions: int) -> None:
    home = fresh_path("home")
    open_database(hub).close()
    with Database(home) as db:
        for number in range(sessions):
            db.write(lambda conn, number=number: _fill(conn, number))  # type: ignore[misc]
    with HubConnection(hub) as connection:
        push = Push(home, connection, PushFilters())
        report, first = _timed(push)
        _, again = _timed(push)
    table.row("first push", report.messages / first, "/s", at_least(_RATE_GOAL), f"{report.messages:,} messages")
    table.row("again, nothing changed", again * 1000, "ms")


def _timed(push: Push) -> tuple[PushReport, float]:
    started = time.perf_counter()
    return push.run(), time.perf_counter() - started


def _fill(conn: Connection, number: int) -> None:
    create_session(conn, Session(id=f"s{number}", name="bench"))
    create_branch(conn, Branch(id=f"b{number}", session_id=f"s{number}"))
    for _ in range(_EACH):
        append(conn, f"b{number}", create_message({"instruction": TEXT}))


def follow(table: Table, hub: str, commits: int) -> None:
    home = fresh_path("home")
    open_database(hub).close()
    with Database(home, long_lived=True) as database:
        session, branch = begin(database)
        with HubConnection(hub) as connection:
            Push(home, connection, PushFilters()).run()
        environment = {**os.environ, "LIONAGI_HUB": hub}
        argv = li_argv("hub", "push", "--follow", "--quiet", "--home", os.path.dirname(home), "--db", home)
        with (
            served(hub) as server,
            listen(server, session) as stream,
            subprocess.Popen(argv, env=environment, stdout=subprocess.DEVNULL) as follower,
        ):
            listener = Listener(stream, commits)
            time.sleep(1.0)  # the follower starts
            sent = write_at_random(database, branch, commits)
            listener.thread.join(PATIENCE)
            follower.terminate()
    each = [(listener.seen[id_] - at) * 1000 for id_, at in sent.items() if id_ in listener.seen]
    table.row("commit here, event at a client of the hub, p50", percentile(each, 50), "ms")
    table.row("commit here, event at a client of the hub, p95", percentile(each, 95), "ms", at_most(_DELAY_GOAL))
    table.row("commits without an event", commits - len(each), "", at_most(0))
