"""The terminals table: the state of each vendor's program that a person started, as its hooks report it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.model.json_codec import dump, load_or_keep
from lionstudio.model.status.terminals import Terminal, TerminalState
from lionstudio.state.connection import Connection
from lionstudio.state.row_values import insert_statement, validate_row
from lionstudio.state.upkeep.liveness import owner_of
from lionstudio.system.process_identity import Owner, is_of_this_machine, liveness

_COLUMNS = tuple(name for name in Terminal._fields if name not in ("events", "unknown_events"))
_SAVE = (
    insert_statement("terminals", _COLUMNS)
    + """
ON CONFLICT (tool, conversation_id) DO UPDATE SET
  since = CASE WHEN terminals.state = excluded.state THEN terminals.since ELSE excluded.since END,
  state = excluded.state, owner = excluded.owner, cwd = excluded.cwd, hooks_version = excluded.hooks_version,
  last_event = excluded.last_event, last_event_at = excluded.last_event_at, events = terminals.events + 1
"""
)
_CHANGED = """
INSERT INTO changes (at, kind, entity, entity_id) SELECT :at, 'updated', 'session', :id
 WHERE EXISTS (SELECT 1 FROM sessions WHERE id = :id)
"""


def save_terminal(conn: Connection, terminal: Terminal) -> None:
    """Record an event of a terminal; pages of its session learn of a new state."""
    before = find_terminal(conn, terminal.tool, terminal.conversation_id)
    values = {name: getattr(terminal, name) for name in _COLUMNS}
    values |= {"state": str(terminal.state), "owner": dump(terminal.owner, "owner")}
    conn.execute(_SAVE, validate_row(values))
    if before is None or before.state != terminal.state:
        conn.execute(_CHANGED, {"at": terminal.last_event_at, "id": terminal.session_id})


_SET = "UPDATE terminals SET state = :state, since = :at WHERE session_id = :id AND state NOT IN (:state, 'ended')"


def set_terminal_state(conn: Connection, session_id: str, state: TerminalState) -> None:
    """Record a state that follows from an answer, not from an event."""
    values = {"id": session_id, "at": time.time()}
    conn.execute(_SET, {**values, "state": str(state)})
    if conn.changes():
        conn.execute(_CHANGED, values)


_UNKNOWN = """
UPDATE terminals SET unknown_events = unknown_events + 1, last_event_at = :at
 WHERE tool = :tool AND conversation_id = :conversation
"""


def count_unknown_event(conn: Connection, tool: str, conversation: str) -> None:
    """Count an event that this version does not know: the program is newer."""
    conn.execute(_UNKNOWN, {"tool": tool, "conversation": conversation, "at": time.time()})


_FIND = "SELECT * FROM terminals WHERE tool = :tool AND conversation_id = :conversation"
_OF_SESSION = "SELECT * FROM terminals WHERE session_id = :session_id ORDER BY last_event_at DESC LIMIT 1"
_LIST = "SELECT * FROM terminals WHERE state <> 'ended' ORDER BY last_event_at DESC LIMIT :limit"
MOST_OPEN = 1000


def find_terminal(conn: Connection, tool: str, conversation: str) -> Terminal | None:
    row = conn.first_dict(_FIND, {"tool": tool, "conversation": conversation})
    return None if row is None else _from_row(row)


def find_terminal_of(conn: Connection, session_id: str) -> Terminal | None:
    """The terminal of a session, with the state `ended` when its process is gone."""
    row = conn.first_dict(_OF_SESSION, {"session_id": session_id})
    if row is None:
        return None
    terminal = _from_row(row)
    return terminal if is_alive(terminal) else terminal._replace(state=TerminalState.ENDED)


def list_live_terminals(conn: Connection) -> list[Terminal]:
    """The terminals whose program has not ended, newest event first."""
    return [terminal for row in conn.dicts(_LIST, {"limit": MOST_OPEN}) if is_alive(terminal := _from_row(row))]


def is_alive(terminal: Terminal) -> bool:
    """Whether its program runs, and has not reported its end; that of another machine runs until it does."""
    owner = process_of(terminal)
    if terminal.state is TerminalState.ENDED or owner is None:
        return False
    return not is_of_this_machine(owner) or liveness(owner).answer == "alive"


def process_of(terminal: Terminal) -> Owner | None:
    return owner_of({"owner": dump(terminal.owner)})


class HookArrivals(NamedTuple):
    """The events of a tool's hooks so far."""

    tool: str
    terminals: int
    events: int
    unknown_events: int
    last_event_at: float
    hooks_version: int


_ARRIVALS = """
SELECT tool, count(*), sum(events), sum(unknown_events), max(last_event_at), max(hooks_version)
  FROM terminals GROUP BY tool ORDER BY tool
"""


def list_arrivals(conn: Connection) -> dict[str, HookArrivals]:
    """Whether hooks arrive, by tool."""
    return {row[0]: HookArrivals(*row) for row in conn.all(_ARRIVALS)}


_HELD = """
SELECT q.id, t.owner FROM questions q LEFT JOIN terminals t ON t.session_id = q.session_id
 WHERE q.is_open AND json_extract(q.evidence, '$.hook') IS NOT NULL
"""
_WITHDRAW = "UPDATE questions SET status = 'withdrawn', closed_reason = :reason WHERE id = :id"


def withdraw_held(conn: Connection, reason: str) -> None:
    """Withdraw the open questions of terminals of this machine: they can only be answered there from now on.

    Those of another machine are held by the Studio there.
    """
    for question_id, owner in conn.all(_HELD):
        process = owner_of({"owner": owner})
        if process is None or is_of_this_machine(process):
            conn.execute(_WITHDRAW, {"reason": reason, "id": question_id})


_FORGET = "DELETE FROM terminals WHERE last_event_at < :before"
_KEPT_SECONDS = 90 * 86400


def forget_old_terminals(conn: Connection) -> None:
    """Delete terminals without an event for a quarter; one that still runs is back with its next event."""
    conn.execute(_FORGET, {"before": time.time() - _KEPT_SECONDS})


def _from_row(row: Mapping[str, Any]) -> Terminal:
    owner = load_or_keep(row["owner"])
    values = {name: row[name] for name in Terminal._fields}
    return Terminal(
        **values | {"state": TerminalState(row["state"]), "owner": owner if isinstance(owner, dict) else {}}
    )
