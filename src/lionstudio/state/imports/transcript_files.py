"""Transcript files of other tools: how far each was read, and the sessions that mirror them.

The status of a mirrored session follows from its file, so it may return to running: its tool resumed it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from lionstudio.model.json_codec import dump, load_or_keep, visible
from lionstudio.model.messages import Message
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.model.usage import Usage
from lionstudio.state.connection import Connection
from lionstudio.state.feed.changes import record_change
from lionstudio.state.imports.live_branches import find_alias
from lionstudio.state.imports.transcript_stamps import SOURCES
from lionstudio.state.messages.append import append
from lionstudio.state.messages.rows import get_message
from lionstudio.state.transitions import record_transition
from lionstudio.state.usage.ledger import SpentPart, settle_ledger


class TranscriptFile(NamedTuple):
    """How far a transcript was read, and the state that its reader needs to continue."""

    path: str
    tool: str
    session_id: str | None
    inode: int
    size: int
    mtime_ns: int
    read_to: int
    checksum: str  # the column is called seal
    state: Mapping[str, Any]
    messages: int
    skipped: Mapping[str, int]
    read_at: float
    gone_at: float | None = None


_FILE = """
SELECT path, tool, session_id, inode, size, mtime_ns, read_to, seal, state, messages, skipped, read_at, gone_at
  FROM mirror_files WHERE path = :path
"""


def find_file(conn: Connection, path: str) -> TranscriptFile | None:
    row = conn.one(_FILE, {"path": path})
    if row is None:
        return None
    file = TranscriptFile(*row)
    state, skipped = load_or_keep(file.state), load_or_keep(file.skipped)
    return file._replace(
        state=state if isinstance(state, dict) else {}, skipped=skipped if isinstance(skipped, dict) else {}
    )


_SAVE = """
INSERT INTO mirror_files (path, tool, session_id, inode, size, mtime_ns, read_to, seal, state, messages, skipped,
                          read_at, gone_at)
VALUES (:path, :tool, :session_id, :inode, :size, :mtime_ns, :read_to, :checksum, :state, :messages, :skipped, :read_at,
        :gone_at)
ON CONFLICT (path) DO UPDATE SET
  session_id = :session_id, inode = :inode, size = :size, mtime_ns = :mtime_ns, read_to = :read_to, seal = :checksum,
  state = :state, messages = :messages, skipped = :skipped, read_at = :read_at, gone_at = :gone_at
 WHERE mirror_files.seal = :before
"""


def save_file(conn: Connection, file: TranscriptFile, before: str) -> bool:
    """Save how far a file was read; False when another process saved it since its checksum was `before`."""
    values = file._asdict() | {"state": dump(dict(file.state)), "skipped": dump(dict(file.skipped)), "before": before}
    conn.execute(_SAVE, values)
    return bool(conn.changes())


_EXISTS = "SELECT 1 FROM messages WHERE id = :id"
_IN_BRANCH = """
SELECT 1 FROM progression_items i
  JOIN progression_heads h ON h.pk = i.prog
  JOIN branches b ON b.progression_id = h.id
 WHERE i.message_id = :id AND b.id = :branch
"""


_HAS_SESSION = "SELECT 1 FROM sessions WHERE id = :id"
_SESSION_OF = "SELECT session_id FROM branches WHERE id = :id"


def has_session(conn: Connection, session_id: str) -> bool:
    return conn.one(_HAS_SESSION, {"id": session_id}) is not None


def find_branch_session(conn: Connection, branch_id: str) -> str | None:
    session_id = conn.value(_SESSION_OF, {"id": branch_id})
    return None if session_id is None else str(session_id)


def find_stored(conn: Connection, message_id: str) -> str | None:
    """The id under which the database has a record, in any session."""
    return message_id if conn.one(_EXISTS, {"id": message_id}) is not None else find_alias(conn, message_id)


def append_if_absent(conn: Connection, branch_id: str, message: Message) -> bool:
    """Append a message unless the branch has it; False when it does.

    A message of another session is shared: it is stored once, and its usage is counted once.
    """
    stored_id = find_stored(conn, message.id)
    if stored_id is None:
        return append(conn, branch_id, message, late=True).new
    if conn.one(_IN_BRANCH, {"id": stored_id, "branch": branch_id}) is not None:
        return False
    append(conn, branch_id, get_message(conn, stored_id), late=True, counted=True)
    return True


_BRANCH_USAGE = """
UPDATE branches SET input_tokens = :input_tokens, output_tokens = :output_tokens,
  cache_read_tokens = :cache_read_tokens, cache_write_tokens = :cache_write_tokens, cost_microusd = :cost_microusd
 WHERE id = :branch
   AND (input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_microusd) IS DISTINCT FROM
  (:input_tokens, :output_tokens, :cache_read_tokens, :cache_write_tokens, :cost_microusd)
"""
_SESSION_USAGE = """
UPDATE sessions SET (input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_microusd) =
  (SELECT sum(input_tokens), sum(output_tokens), sum(cache_read_tokens), sum(cache_write_tokens), sum(cost_microusd)
     FROM branches WHERE session_id = sessions.id)
 WHERE id = (SELECT session_id FROM branches WHERE id = :branch)
"""


def set_usage(conn: Connection, branch_id: str, usage: Usage, spent: Sequence[SpentPart] = ()) -> None:
    """Set the total usage of a branch, where the tool reports totals; its session gets the sum of its branches.

    `spent` has its parts with their times.
    """
    conn.execute(_BRANCH_USAGE, {"branch": branch_id, **usage._asdict()})
    if conn.changes():
        conn.execute(_SESSION_USAGE, {"branch": branch_id})
        session_id = str(find_branch_session(conn, branch_id))
        settle_ledger(conn, session_id, spent)
        record_change(conn, "updated", "session", session_id)


class Position(NamedTuple):
    """A position in a history: a branch and an ord in it."""

    branch_id: str
    ord: int


_POSITIONS = """
SELECT b.id, i.ord, b.node_metadata FROM progression_items i
  JOIN progression_heads h ON h.pk = i.prog
  JOIN branches b ON b.progression_id = h.id
 WHERE i.message_id = :id AND b.session_id <> :session
"""


_SPOKEN_BETWEEN = """
SELECT 1 FROM branches b JOIN progression_heads h ON h.id = b.progression_id
  JOIN progression_items i ON i.prog = h.pk JOIN messages m ON m.id = i.message_id
 WHERE b.id = :branch AND i.ord > :first AND i.ord < :last
   AND (NOT json_valid(m.node_metadata) OR CAST(m.node_metadata ->> '$.injected' AS INTEGER) IS DISTINCT FROM 1)
   AND m.role IS DISTINCT FROM 'system' LIMIT 1
"""


def _follows(conn: Connection, after: Position, position: Position) -> bool:
    """True if only notes of the program stand between two positions: a copy leaves some of them out."""
    if after.branch_id != position.branch_id or after.ord >= position.ord:
        return False
    if after.ord == position.ord - 1:
        return True
    values = {"branch": after.branch_id, "first": after.ord, "last": position.ord}
    return conn.one(_SPOKEN_BETWEEN, values) is None


def follow_history(conn: Connection, message_id: str, after: Position | None, session_id: str) -> Position | None:
    """The position of a message in another session's history, if it follows `after` (None: is the first)."""
    for branch_id, ord_, metadata in conn.all(_POSITIONS, {"id": message_id, "session": session_id}):
        facts = load_or_keep(metadata)
        parent = facts.get("parent_branch_id") if isinstance(facts, dict) else None
        fork = None if parent is None else Position(parent, facts.get("forked_at_ord"))
        position = Position(branch_id, ord_)
        if after is not None and _follows(conn, after, position):
            return position
        # the first of its branch: it follows the end of what the branch inherits
        is_first = _follows(conn, Position(branch_id, -1), position)
        if is_first and (after == fork or (after and fork and _follows(conn, after, fork._replace(ord=fork.ord + 1)))):
            return position
    return None


_LAST_BEFORE = """
SELECT max(i.ord) FROM branches b
  JOIN progression_heads h ON h.id = b.progression_id
  JOIN progression_items i ON i.prog = h.pk
  JOIN messages m ON m.id = i.message_id
 WHERE b.id = :branch AND CAST(json_extract(m.node_metadata, '$.ordinal') AS INTEGER) < :ordinal
"""


def last_ord_before(conn: Connection, branch_id: str, ordinal: int) -> int:
    """The last ord of a branch whose message comes from a record before an ordinal; -1 for none."""
    last = conn.value(_LAST_BEFORE, {"branch": branch_id, "ordinal": ordinal})
    return -1 if last is None else int(last)


# session columns that a transcript may fill
_TRANSCRIPT_TEXTS = ("title", "model", "provider", "project", "cwd", "git_commit")
_TRANSCRIPT_COLUMNS = (*_TRANSCRIPT_TEXTS, "status", "ended_at", "reason_codes")
_TRANSCRIPT_VALUES = ", ".join(
    # a sub-agent may end after its session's own file
    "max(:ended_at, coalesce(last_message_at, :ended_at))" if name == "ended_at" else f":{name}"
    for name in _TRANSCRIPT_COLUMNS
)
# a name from the tool replaces an earlier one from the tool, never one that a person gave here
_NAME = """
UPDATE sessions SET name = :name
 WHERE id = :id AND source_kind = :source AND name IS DISTINCT FROM :name
   AND (name IS NULL
        OR name IS NOT DISTINCT FROM CASE WHEN json_valid(node_metadata) THEN node_metadata ->> '$.mirror.name' END)
"""
_METADATA = "json_set(coalesce(node_metadata, '{}'), '$.mirror', json(:mirror))"
_UPDATE_SESSION = f"""
UPDATE sessions SET ({", ".join(_TRANSCRIPT_COLUMNS)}, node_metadata) = ({_TRANSCRIPT_VALUES}, {_METADATA})
 WHERE id = :id AND source_kind = :source
   AND ({", ".join(_TRANSCRIPT_COLUMNS)}, node_metadata) IS DISTINCT FROM ({_TRANSCRIPT_VALUES}, {_METADATA})
"""  # noqa: S608  (the names are ours)


def update_session(
    conn: Connection,
    session_id: str,
    tool: str,
    *,
    texts: Mapping[str, str | None],
    status: SessionStatus,
    ended_at: float | None,
    reasons: tuple[str, ...],
    mirror: Mapping[str, Any],
) -> None:
    """Update a session to the facts of its transcript; nothing is written when they are the same."""
    values: dict[str, Any] = {
        name: visible(value) if (value := texts.get(name)) else None for name in _TRANSCRIPT_TEXTS
    }
    values |= {
        "id": session_id,
        "source": SOURCES[tool],
        "status": status,
        "ended_at": ended_at,
        "reason_codes": dump(list(reasons)),
        "mirror": dump(dict(mirror), "metadata"),
    }
    _record_change(conn, session_id, tool, status, reasons)
    name = texts.get("name")
    conn.execute(_NAME, {"id": session_id, "source": values["source"], "name": name and visible(name)})
    conn.execute(_UPDATE_SESSION, values)


_STARTED = "UPDATE sessions SET started_at = :at WHERE id = :id AND source_kind = :source AND started_at > :at"


def start_earlier(conn: Connection, session_id: str, tool: str, at: float) -> None:
    """Move the start of a session back to a message of its own file, which was read after that of a sub-agent."""
    conn.execute(_STARTED, {"id": session_id, "source": SOURCES[tool], "at": at})


_STATUS = "SELECT status FROM sessions WHERE id = :id AND source_kind = :source"


def _record_change(
    conn: Connection, session_id: str, tool: str, status: SessionStatus, reasons: tuple[str, ...]
) -> None:
    row = conn.one(_STATUS, {"id": session_id, "source": SOURCES[tool]})
    if row is not None and row[0] != status:
        record_transition(conn, "session", session_id, row[0], status, by="mirror", reasons=reasons)


_UPDATE_BRANCH = """
UPDATE branches SET name = :name, node_metadata = json_set(coalesce(node_metadata, '{}'), '$.agent', json(:agent))
 WHERE id = :id AND (name, node_metadata) IS DISTINCT FROM
       (:name, json_set(coalesce(node_metadata, '{}'), '$.agent', json(:agent)))
"""


def update_branch(conn: Connection, branch_id: str, name: str, agent: Mapping[str, Any]) -> None:
    """Update the branch of a sub-agent to the facts of its transcript."""
    conn.execute(_UPDATE_BRANCH, {"id": branch_id, "name": visible(name), "agent": dump(dict(agent), "metadata")})


_CLOSE = """
UPDATE sessions SET status = :status, ended_at = coalesce(last_message_at, started_at), reason_codes = :reasons
 WHERE id = :id AND status = 'running' AND source_kind = :source
"""


_CLOSABLE = "SELECT 1 FROM sessions WHERE id = :id AND status = 'running' AND source_kind = :source"


def close_session(
    conn: Connection, session_id: str, tool: str, status: SessionStatus, reasons: tuple[str, ...] = ()
) -> None:
    values = {"id": session_id, "source": SOURCES[tool], "status": status, "reasons": dump(list(reasons))}
    if conn.one(_CLOSABLE, {"id": session_id, "source": SOURCES[tool]}) is not None:
        record_transition(conn, "session", session_id, SessionStatus.RUNNING, status, by="mirror", reasons=reasons)
        conn.execute(_CLOSE, values)


_FORGET = "DELETE FROM mirror_files WHERE session_id IN (SELECT value FROM json_each(:ids))"


def forget_files(conn: Connection, session_ids: Iterable[str]) -> None:
    """Forget that the files of sessions were read; the next import reads them from the start."""
    conn.execute(_FORGET, {"ids": dump(list(session_ids))})


class TranscriptTotals(NamedTuple):
    files: int
    gone: int
    sessions: int
    messages: int
    last_read_at: float | None


_TOTALS = """
SELECT count(*), count(gone_at), (SELECT count(*) FROM sessions WHERE source_kind = :source),
       coalesce(sum(messages), 0), max(read_at)
  FROM mirror_files WHERE tool = :tool
"""


def read_totals(conn: Connection, tool: str) -> TranscriptTotals:
    return TranscriptTotals(*(conn.one(_TOTALS, {"tool": tool, "source": SOURCES[tool]}) or (0, 0, 0, 0, None)))


_SKIPPED = "SELECT path, skipped FROM mirror_files WHERE tool = :tool AND skipped <> '{}' ORDER BY path"


def list_skipped(conn: Connection, tool: str) -> dict[str, dict[str, int]]:
    """Files with records that could not be imported: counts by reason."""
    rows = conn.all(_SKIPPED, {"tool": tool})
    return {path: counts for path, text in rows if isinstance(counts := load_or_keep(text), dict)}
