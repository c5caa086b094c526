"""The machines of the runs in a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lionstudio.machine import machine_id
from lionstudio.state.connection import Connection


def add_machines(conn: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Add to each row of a session the name of its machine, and how long that is silent; None where it never pushed.

    Rows of this machine alone need no names: most lists cost no statement more.
    """
    names: dict[str, str] = {}
    silent: dict[str, float] = {}
    if {row["machine_id"] for row in rows} - {None, machine_id()}:
        from lionstudio.state.hub.machines import list_machines, name_machines

        machines = list_machines(conn)
        names, silent = name_machines(machines), {machine.id: machine.silent_seconds for machine in machines}
    for row in rows:
        id_ = row["machine_id"]
        row["machine_name"], row["machine_silent_seconds"] = names.get(id_), silent.get(id_)
