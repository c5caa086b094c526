"""The machines that push to a hub, and when each was seen last, by the clock of the hub."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from lionstudio.errors import IllegalTransition
from lionstudio.model.json_codec import dump
from lionstudio.state.connection import Connection

HEARTBEAT_SECONDS = 15.0
FRESH_SECONDS = 60.0  # a machine that was seen so long ago counts as reachable: three beats may be late


class Machine(NamedTuple):
    """A machine; `silent_seconds` since it was seen, both by the clock of the database."""

    id: str
    name: str
    version: str
    seen_at: float
    silent_seconds: float

    @property
    def is_fresh(self) -> bool:
        return abs(self.silent_seconds) <= FRESH_SECONDS  # the clock of the hub may have been set back

    @property
    def label(self) -> str:
        """The name with the start of the id: two machines may have the same name."""
        return f"{self.name} ({self.id[:8]})"


_SEEN = """
INSERT INTO machines (id, name, version, created_at, seen_at)
VALUES (:id, :name, :version, (julianday('now') - 2440587.5) * 86400.0, (julianday('now') - 2440587.5) * 86400.0)
ON CONFLICT (id) DO UPDATE SET name = excluded.name, version = excluded.version, seen_at = excluded.seen_at
"""


def see_machine(conn: Connection, machine_id: str, name: str, version: str) -> None:
    """Record that a machine is there now."""
    conn.execute(_SEEN, {"id": machine_id, "name": name, "version": version})


_LIST = """
SELECT id, name, version, seen_at, (julianday('now') - 2440587.5) * 86400.0 - seen_at FROM machines ORDER BY name, id
"""


def list_machines(conn: Connection) -> list[Machine]:
    return [Machine(*row) for row in conn.all(_LIST)]


def name_machines(machines: Iterable[Machine]) -> dict[str, str]:
    """The name of each machine by its id, with the start of the id where two have the same."""
    machines = list(machines)
    names = Counter(machine.name for machine in machines)
    return {machine.id: machine.label if names[machine.name] > 1 else machine.name for machine in machines}


def find_machine_ids(conn: Connection, text: str) -> tuple[str, ...]:
    """The machines with this name, id or start of an id; the text itself where there is none, so that nothing fits."""
    machines = list_machines(conn)
    ids = tuple(one.id for one in machines if text in (one.name, one.id, one.label) or one.id.startswith(text))
    return ids or (text,)


_MACHINES_OF = """
SELECT p.session_id, p.machine_id FROM json_each(:ids) j JOIN pushed_sessions p ON p.session_id = j.value
"""


def pushing_machines(conn: Connection, session_ids: Iterable[str]) -> dict[str, str]:
    """The names of the machines whose databases have these sessions; a session of this database is left out."""
    pushed = conn.all(_MACHINES_OF, {"ids": dump(sorted(session_ids))})
    names = name_machines(list_machines(conn)) if pushed else {}
    return {str(session_id): names.get(machine_id) or str(machine_id) for session_id, machine_id in pushed}


class MachineSums(NamedTuple):
    """A machine, and the sums of the sessions that it has pushed."""

    machine: Machine
    sessions: int
    messages: int


_SUMS = """
SELECT p.machine_id, count(*), coalesce(sum(s.message_count), 0)
  FROM pushed_sessions p JOIN sessions s ON s.id = p.session_id GROUP BY p.machine_id
"""


def sum_machines(conn: Connection) -> list[MachineSums]:
    sums = {row[0]: row[1:] for row in conn.all(_SUMS)}
    return [MachineSums(machine, *map(int, sums.get(machine.id, (0, 0)))) for machine in list_machines(conn)]


class HubContents(NamedTuple):
    """The schema version of a database, its sums, and its machines."""

    schema: int
    sessions: int
    messages: int
    machines: tuple[MachineSums, ...]


_SCHEMA = "SELECT max(version) FROM schema_meta"
_CONTENTS = "SELECT count(*), coalesce(sum(message_count), 0) FROM sessions"


def read_contents(conn: Connection) -> HubContents:
    sessions, messages = conn.one(_CONTENTS) or (0, 0)
    return HubContents(int(conn.value(_SCHEMA)), int(sessions), int(messages), tuple(sum_machines(conn)))


_NAME = "SELECT name FROM machines WHERE id = :id"


def of_another_machine(conn: Connection, machine_id: str, what: str, verb: str) -> IllegalTransition:
    """The error for an act that only the machine that pushes a session can carry out."""
    name = conn.value(_NAME, {"id": machine_id}) or machine_id[:8]
    return IllegalTransition(
        f"{what} was pushed by machine {name}, and only that can {verb} it", hint=f"do it on {name}"
    )


def refuse_pushed(conn: Connection, session_id: str | None, what: str, verb: str) -> None:
    """Refuse an act on a session of another database: its answer or message would reach no agent."""
    machine = None if session_id is None else find_pushing_machine(conn, session_id)
    if machine is not None:
        raise of_another_machine(conn, machine, what, verb)


_IS_PUSHED = "SELECT machine_id FROM pushed_sessions WHERE session_id = :id AND deleted_at IS NULL"


def find_pushing_machine(conn: Connection, session_id: str) -> str | None:
    """The machine whose database has this session; None when this database is its own."""
    machine = conn.value(_IS_PUSHED, {"id": session_id})
    return None if machine is None else str(machine)
