"""What waiting costs: Studio with nothing to do, alone and with a page open, and a director that waits for a person.

CPU of the processes and everything they started, over a minute, as a share of one core.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Iterator

from benches.bench_http import Server, served
from benches.bench_shows import write_show
from benches.build import cached
from benches.populations import fill
from benches.process_cost import cpu_of_tree
from benches.stores import clean_up, fresh_folder
from benches.table import Options, Table, at_most, options
from lionstudio.shows.process.lock import find_director
from lionstudio.system.li_process import li_argv

_TOPIC = "bench"


def main() -> None:
    args = options(__doc__)
    try:
        table = Table("Waiting", args)
        path = fresh_folder("studio") / "state.db"
        shutil.copy(cached("sessions-1000", lambda conn: fill(conn, 1000)), path)
        with served(str(path), read_only=False) as server:
            _share(table, args, "Studio with nothing to do", server.process.pid, 0.1)
            with _open_page(server):
                _share(table, args, "Studio with nothing to do, a page open", server.process.pid, 0.3)
        with _waiting_director() as pid:
            _share(table, args, "a director that waits for a person", pid, 0.1)
        table.close()
    finally:
        clean_up()


def _share(table: Table, args: Options, what: str, pid: int, limit: float) -> None:
    time.sleep(2.0 if args.quick else 15.0)  # the work of its start
    before, began = cpu_of_tree(pid), time.monotonic()
    time.sleep(8.0 if args.quick else 60.0)
    share = (cpu_of_tree(pid) - before) / (time.monotonic() - began) * 100
    table.row(f"{what}, share of a core", share, "%", at_most(limit))


@contextlib.contextmanager
def _open_page(server: Server) -> Iterator[None]:
    """The feed that every open page holds."""
    server.connection.close()  # Studio ended the idle connection
    server.connection.request("GET", "/api/events", headers={"Authorization": f"Bearer {server.token}"})
    response = server.connection.getresponse()
    assert response.status == 200, response.status
    try:
        yield
    finally:
        server.connection.close()


@contextlib.contextmanager
def _waiting_director() -> Iterator[int]:
    """A show whose only play waits for approval."""
    root = fresh_folder("show")
    write_show(root, 1)
    plan = root / "shows" / _TOPIC / "_show.md"
    plan.write_text(plan.read_text().replace('[{"command": ["true"]}]', '["person"]'))
    environ = {**os.environ, "LIONAGI_HOME": str(root / "home"), "LIONAGI_SHOWS": str(root / "shows")}
    said = subprocess.run(
        li_argv("show", "run", _TOPIC, "--no-wait"), env=environ, capture_output=True, text=True, timeout=300
    )
    owner = find_director(str(root / "shows" / _TOPIC))
    assert owner is not None, said
    try:
        yield owner.pid
    finally:
        subprocess.run(li_argv("show", "abort", _TOPIC), env=environ, capture_output=True, timeout=300)


if __name__ == "__main__":
    main()
