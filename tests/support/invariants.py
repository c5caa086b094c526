"""What must hold in a database after any fault, as queries; an answer other than zero is a violation."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.support.children import Event
from tests.support.workload import begin, said

from lionstudio.state.backends import is_server
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append

_NEVER: Mapping[str, str] = {
    "places without a message": """
        SELECT count(*) FROM progression_items i
         WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = i.message_id)""",
    "progressions with a hole": """
        SELECT count(*) FROM (SELECT 1 FROM progression_items GROUP BY prog
                               HAVING min(ord) <> 0 OR max(ord) <> count(*) - 1) holes""",
    "sessions whose count is wrong": """
        SELECT count(*) FROM sessions s JOIN progression_heads h ON h.id = s.progression_id
         WHERE s.message_count <> (SELECT count(*) FROM progression_items i WHERE i.prog = h.pk)""",
    "sessions whose first or last message is wrong": """
        SELECT count(*) FROM sessions s JOIN progression_heads h ON h.id = s.progression_id
         WHERE s.first_msg_id IS DISTINCT FROM (SELECT message_id FROM progression_items i WHERE i.prog = h.pk
                                       ORDER BY ord LIMIT 1)
            OR s.last_msg_id IS DISTINCT FROM (SELECT message_id FROM progression_items i WHERE i.prog = h.pk
                                      ORDER BY ord DESC LIMIT 1)""",
    "sessions whose last_message_at is wrong": """
        SELECT count(*) FROM sessions s JOIN progression_heads h ON h.id = s.progression_id
         WHERE s.last_message_at IS DISTINCT FROM (SELECT max(m.created_at) FROM progression_items i
                                          JOIN messages m ON m.id = i.message_id WHERE i.prog = h.pk)""",
    "sessions whose usage is wrong": """
        SELECT count(*) FROM sessions s JOIN progression_heads h ON h.id = s.progression_id
         WHERE s.input_tokens <> (SELECT coalesce(sum(CAST(m.node_metadata ->> '$.usage.input_tokens' AS INTEGER)), 0)
                                    FROM progression_items i JOIN messages m ON m.id = i.message_id
                                   WHERE i.prog = h.pk)""",
    "sessions whose ledger is wrong": """
        SELECT count(*) FROM (SELECT 1 FROM sessions s LEFT JOIN usage_ledger l ON l.session_pk = s.pk GROUP BY s.pk
         HAVING (s.input_tokens, s.output_tokens, s.cache_read_tokens, s.cache_write_tokens,
                 coalesce(s.cost_microusd, 0))
                <> (coalesce(sum(l.input_tokens), 0), coalesce(sum(l.output_tokens), 0),
                    coalesce(sum(l.cache_read_tokens), 0), coalesce(sum(l.cache_write_tokens), 0),
                    coalesce(sum(l.cost_microusd), 0))) wrong""",
    "ledger rows in another quarter of an hour": """
        SELECT count(*) FROM usage_ledger WHERE first_at < quarter * 900 OR last_at >= (quarter + 1) * 900
            OR first_at > last_at OR unpriced_tokens > input_tokens + output_tokens + cache_read_tokens
                                                       + cache_write_tokens""",
    "branches whose usage is wrong": """
        SELECT count(*) FROM branches b LEFT JOIN progression_heads h ON h.id = b.progression_id
         WHERE b.output_tokens <> (SELECT coalesce(sum(CAST(m.node_metadata ->> '$.usage.output_tokens' AS INTEGER)), 0)
                                     FROM progression_items i JOIN messages m ON m.id = i.message_id
                                    WHERE i.prog = h.pk)""",
    "messages of a session that are in none of its branches": """
        SELECT count(*) FROM sessions s JOIN progression_heads h ON h.id = s.progression_id
          JOIN progression_items i ON i.prog = h.pk
         WHERE NOT EXISTS (SELECT 1 FROM progression_items j JOIN progression_heads k ON k.pk = j.prog
                             JOIN branches b ON b.progression_id = k.id
                            WHERE j.message_id = i.message_id AND b.session_id = s.id)""",
    "messages of a branch that are not in its session": """
        SELECT count(*) FROM branches b JOIN sessions s ON s.id = b.session_id
          JOIN progression_heads k ON k.id = b.progression_id JOIN progression_items j ON j.prog = k.pk
         WHERE NOT EXISTS (SELECT 1 FROM progression_items i JOIN progression_heads h ON h.pk = i.prog
                            WHERE i.message_id = j.message_id AND h.id = s.progression_id)""",
    "statuses whose count is wrong": """
        SELECT count(*) FROM session_counts c WHERE n <> (SELECT count(*) FROM sessions s WHERE s.status = c.status)""",
    "numbers missing in the change feed": "SELECT coalesce(max(seq) - min(seq) + 1 - count(*), 0) FROM changes",
    "messages announced in another order than they stand in": """
        SELECT count(*) FROM (SELECT ord - lag(ord, 1, ord - 1) OVER (PARTITION BY parent_id ORDER BY seq) AS step
                                FROM changes WHERE entity = 'message' AND kind = 'appended') steps WHERE step <> 1""",
    "messages above the mark that the index still counts": """
        SELECT count(*) FROM messages_fts WHERE rowid > (SELECT indexed_pk FROM search_state)
                                            AND rowid NOT IN (SELECT pk FROM search_dirty)""",
}
_LOOSE = (
    "SELECT count(*) FROM messages m WHERE NOT EXISTS (SELECT 1 FROM progression_items i WHERE i.message_id = m.id)"
)

_TOLD = "CREATE TEMP TABLE IF NOT EXISTS told (message TEXT PRIMARY KEY, branch TEXT, session TEXT) WITHOUT ROWID"
_TELL = "INSERT INTO told VALUES (?, ?, ?)"
_ACKNOWLEDGED: Mapping[str, str] = {
    "acknowledged messages that are lost": """
        SELECT count(*) FROM told t WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = t.message)""",
    "acknowledged messages that are not exactly once in their branch": """
        SELECT count(*) FROM told t WHERE 1 <> (
          SELECT count(*) FROM branches b JOIN progression_heads h ON h.id = b.progression_id
            JOIN progression_items i ON i.prog = h.pk WHERE b.id = t.branch AND i.message_id = t.message)""",
    "acknowledged messages that are not exactly once in their session": """
        SELECT count(*) FROM told t WHERE 1 <> (
          SELECT count(*) FROM sessions s JOIN progression_heads h ON h.id = s.progression_id
            JOIN progression_items i ON i.prog = h.pk WHERE s.id = t.session AND i.message_id = t.message)""",
    "acknowledged messages that are not announced once with their place": """
        SELECT count(*) FROM told t LEFT JOIN (
            SELECT entity_id, count(*) AS n, max(ord) AS ord, max(parent_id) AS session FROM changes
             WHERE entity = 'message' AND kind = 'appended' GROUP BY entity_id) c ON c.entity_id = t.message
         WHERE c.n IS DISTINCT FROM 1 OR c.session IS DISTINCT FROM t.session OR t.message IS DISTINCT FROM (
           SELECT i.message_id FROM sessions s JOIN progression_heads h ON h.id = s.progression_id
             JOIN progression_items i ON i.prog = h.pk WHERE s.id = t.session AND i.ord = c.ord)""",
}


class Checked(NamedTuple):
    """What a check saw."""

    acknowledged: int
    messages: int
    sessions: int
    violations: tuple[str, ...]


def check(conn: Connection, events: Iterable[Event], *, whole_file: bool = True, loose: bool = False) -> Checked:
    """Look at one moment of a database; `loose` allows messages that a prune had not come to yet."""
    told = [event for event in events if "message" in event]
    conn.execute(_TOLD)
    conn.execute("BEGIN")
    conn.execute("DELETE FROM told")
    conn.many(_TELL, [(event["message"], event["branch"], event["session"]) for event in told])
    found = tuple(_violations(conn, list(events), whole_file, loose))
    counts = conn.value("SELECT count(*) FROM messages"), conn.value("SELECT count(*) FROM sessions")
    conn.execute("ROLLBACK")
    return Checked(len(told), *counts, found)


def _violations(conn: Connection, events: list[Event], whole_file: bool, loose: bool) -> Iterator[str]:
    server = is_server(conn.path)
    if whole_file and not server:
        damage = [line for (line,) in conn.all("PRAGMA integrity_check(5)")]
        yield from (f"integrity_check: {line}" for line in damage if line != "ok")
        yield from (f"foreign_key_check: {row}" for row in conn.all("PRAGMA foreign_key_check"))
    queries = {**_NEVER, **_ACKNOWLEDGED} if loose else {**_NEVER, **_ACKNOWLEDGED, "messages without a place": _LOOSE}
    for what, sql in queries.items():
        if not (server and "_fts" in sql) and (found := conn.value(sql)):
            yield f"{found} {what}"
    yield from _entities(conn, events)


def _entities(conn: Connection, events: list[Event]) -> Iterator[str]:
    for event in events:
        if "fork" in event:
            sql = "SELECT parent_branch_id FROM branches WHERE id = :id"
            if conn.value(sql, {"id": event["fork"]}) != event["parent"]:
                yield f"the fork {event['fork']} is lost"
        if "began" in event and conn.one("SELECT 1 FROM sessions WHERE id = :id", {"id": event["began"]}) is None:
            yield f"the session {event['began']} is lost"
        if "imported" in event:
            count = conn.value("SELECT message_count FROM sessions WHERE id = :id", {"id": event["imported"]})
            if count is None or count < event["messages"]:
                yield f"the imported session {event['imported']} is lost"
        if "finished" in event:
            status = conn.value("SELECT status FROM sessions WHERE id = :id", {"id": event["finished"]})
            if status != event["status"]:
                yield f"the end of session {event['finished']} is lost"


def assert_whole(path: Path, events: Iterable[Event], *, loose: bool = False) -> Checked:
    """The next open needs no repair, nothing acknowledged is lost, nothing is half, and the next append works."""
    events = list(events)
    with Database(str(path)) as database:
        before = check(database.conn, events, loose=loose)
        assert not before.violations, before
        branch = database.write(begin)
        done = database.write(lambda conn: append(conn, branch.id, said("the next one")))
        more: Event = {"message": done.message_id, "branch": branch.id, "session": done.session_id}
        after = check(database.conn, [*events, more], whole_file=False, loose=loose)
        assert not after.violations, after
        assert after.messages == before.messages + 1
    beside = [name for name in os.listdir(path.parent) if name.startswith(f"{path.name}-")]
    assert beside == [], "the last one to close leaves no log behind"
    return before
