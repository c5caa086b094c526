"""The doctor: what is wrong with the file or with a run, with the evidence; it changes nothing by itself."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Collection, Iterator
from typing import NamedTuple

import apsw

from lionstudio.model.shows.show_files import DIRECTOR_LOCK
from lionstudio.model.status.computed_state import Proof, staleness_check
from lionstudio.state.connection import Connection
from lionstudio.state.sessions import finish_session
from lionstudio.state.sqlite.fulltext import unindexed
from lionstudio.state.sqlite.maintenance import COUNTED, file_size
from lionstudio.state.sqlite.open import AUTOCHECKPOINT, WAL_LIMIT
from lionstudio.state.upkeep.liveness import proof_of
from lionstudio.system.process_identity import lock_state

# SQLite before these loses commits when one process resets the WAL while another writes.
_FIXED_SQLITE = (3, 51, 3)
_MOST_FINDINGS = 50  # of one kind; a thousand lines help nobody
_BEHIND = 10_000
# every table as a table; the indexes of the search by what they are made of
_CHECKED = (
    *COUNTED,
    "messages_fts_data",
    "messages_fts_idx",
    "sessions_fts_data",
    "sessions_fts_idx",
    "sessions_words_fts_data",
    "sessions_words_fts_idx",
    "schema_meta",
)
_RESTORE = "restore a backup; keep this file for analysis"


class Finding(NamedTuple):
    """One thing that was found: how bad, what, the evidence, and what to do."""

    severity: str  # error | warning | info
    code: str
    subject: str
    evidence: str
    advice: str


def examine(conn: Connection, *, now: float | None = None, deep: bool = False) -> Iterator[Finding]:
    """Every finding; `deep` also reads the whole file."""
    now = time.time() if now is None else now
    yield from _library()
    for findings in (
        _permissions(conn.path),
        _file(conn, deep),
        _references(conn),
        _damaged_rows(conn),
        _runs(conn, now),
        _undirected(conn),
    ):
        yield from _up_to_damage(conn, findings)


def _up_to_damage(conn: Connection, findings: Iterator[Finding]) -> Iterator[Finding]:
    """What one look finds until it meets a damaged page; the next look still has its say."""
    try:
        yield from findings
    except (apsw.CorruptError, apsw.NotADBError) as error:
        yield Finding("error", "file.damaged", conn.path, str(error), _RESTORE)


_ACTIVE_SHOWS = "SELECT topic, show_dir FROM shows WHERE status = 'active' ORDER BY topic LIMIT :most"


def _undirected(conn: Connection) -> Iterator[Finding]:
    """Shows whose director was killed: its lock file stayed, and nobody holds it."""
    for topic, show_dir in conn.all(_ACTIVE_SHOWS, {"most": _MOST_FINDINGS}):
        if lock_state(os.path.join(show_dir, DIRECTOR_LOCK)) == "free":
            yield Finding(
                "warning",
                "show.undirected",
                f"show {topic}",
                "its director died, and nothing goes on",
                f"`li show resume {topic}` takes it up again",
            )


def _library() -> Iterator[Finding]:
    version = tuple(int(part) for part in apsw.sqlite_lib_version().split("."))
    if version < _FIXED_SQLITE:
        yield Finding(
            "error",
            "sqlite.version",
            "SQLite",
            f"version {apsw.sqlite_lib_version()} can lose commits in WAL mode",
            "upgrade apsw: pip install -U apsw",
        )


def _permissions(path: str) -> Iterator[Finding]:
    """What others on this machine may read: messages hold what people would not tell them."""
    folder = os.path.dirname(os.path.abspath(path))
    for found, fitting in ((folder, 0o700), (path, 0o600), (f"{path}-wal", 0o600), (f"{path}-shm", 0o600)):
        mode = _mode_of(found)
        shared = found == folder and mode & stat.S_ISVTX  # such as /tmp: everybody's by intention
        if mode & 0o077 and not shared:
            yield Finding(
                "warning",
                "file.readable_by_others",
                found,
                f"its mode is {stat.S_IMODE(mode):04o}",
                f"chmod {fitting:o} {found}",
            )


def _mode_of(path: str) -> int:
    try:
        return os.stat(path).st_mode
    except OSError:
        return 0


def _file(conn: Connection, deep: bool) -> Iterator[Finding]:
    # the search indexes have a check of their own that reads all of them: only when asked to look deep
    checks = ["PRAGMA integrity_check(20)"] if deep else [f"PRAGMA quick_check({table})" for table in _CHECKED]
    for check in checks:
        for (line,) in conn.all(check):
            if line != "ok":
                yield Finding("error", "file.damaged", conn.path, line, _RESTORE)
    wal = file_size(f"{conn.path}-wal")
    if wal > WAL_LIMIT:
        yield Finding(
            "warning",
            "file.wal_large",
            f"{conn.path}-wal",
            f"{wal / 1e6:.0f} MB",
            f"a reader keeps it from shrinking; then `li state checkpoint` (policy: {AUTOCHECKPOINT} frames)",
        )
    behind = unindexed(conn)
    if behind > _BEHIND:
        yield Finding(
            "info",
            "search.behind",
            "search index",
            f"{behind} messages are not indexed yet",
            "searching finds them all the same; `li state search` catches up",
        )


_DANGLING = """
SELECT h.id, count(*) FROM progression_items i JOIN progression_heads h ON h.pk = i.prog
 WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = i.message_id) GROUP BY h.id LIMIT :most
"""
_STRANDED = """
SELECT count(*) FROM progression_items i WHERE NOT EXISTS (SELECT 1 FROM progression_heads h WHERE h.pk = i.prog)
"""
_LOST_PARENTS = """
SELECT b.id, b.parent_branch_id FROM branches b
 WHERE b.parent_branch_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM branches p WHERE p.id = b.parent_branch_id)
 LIMIT :most
"""


def _references(conn: Connection) -> Iterator[Finding]:
    for table, rowid, parent, _ in conn.all("PRAGMA foreign_key_check")[:_MOST_FINDINGS]:
        yield Finding(
            "error",
            "reference.dangling",
            f"{table} row {rowid}",
            f"refers to a row of {parent} that does not exist",
            "another tool deleted it with foreign keys off",
        )
    for progression, missing in conn.all(_DANGLING, {"most": _MOST_FINDINGS}):
        yield Finding(
            "warning",
            "progression.dangling",
            f"progression {progression}",
            f"{missing} ids have no message",
            "their places are shown as missing",
        )
    stranded = conn.value(_STRANDED)
    if stranded:
        yield Finding(
            "warning",
            "progression.stranded",
            "progression_items",
            f"{stranded} rows belong to no progression",
            "another tool replaced a progression with foreign keys off; they are never shown",
        )
    for branch, parent in conn.all(_LOST_PARENTS, {"most": _MOST_FINDINGS}):
        yield Finding(
            "warning",
            "branch.parent_gone",
            f"branch {branch}",
            f"its parent branch {parent} does not exist",
            "its own messages are all there; what it inherited is gone",
        )


_UNREADABLE = "SELECT id, substr(unreadable, 1, 80) FROM progression_heads WHERE unreadable IS NOT NULL LIMIT :most"
_COUNTS = """
SELECT s.id, s.message_count, (SELECT count(*) FROM progression_items i WHERE i.prog = h.pk)
  FROM sessions s JOIN progression_heads h ON h.id = s.progression_id
 WHERE s.message_count <> (SELECT count(*) FROM progression_items i WHERE i.prog = h.pk) LIMIT :most
"""
_BAD_JSON = """
SELECT 'session ' || id FROM sessions
 WHERE NOT json_valid(coalesce(node_metadata, '{}')) OR NOT json_valid(reason_codes)
UNION ALL SELECT 'branch ' || id FROM branches WHERE NOT json_valid(coalesce(node_metadata, '{}'))
UNION ALL SELECT 'play ' || id FROM plays WHERE NOT json_valid(coalesce(depends_on, '[]'))
UNION ALL SELECT 'team ' || id FROM teams WHERE NOT json_valid(members)
LIMIT :most
"""


def _damaged_rows(conn: Connection) -> Iterator[Finding]:
    for progression, text in conn.all(_UNREADABLE, {"most": _MOST_FINDINGS}):
        yield Finding(
            "warning",
            "progression.unreadable",
            f"progression {progression}",
            f"was no JSON array: {text}",
            "its text is kept in progression_heads.unreadable",
        )
    for session, counted, there in conn.all(_COUNTS, {"most": _MOST_FINDINGS}):
        yield Finding(
            "info",
            "session.count",
            f"session {session}",
            f"counts {counted} messages and has {there}",
            "another tool changed its progression",
        )
    for (subject,) in conn.all(_BAD_JSON, {"most": _MOST_FINDINGS}):
        yield Finding("warning", "row.bad_json", subject, "a JSON column does not hold JSON", "it is shown as it is")


_RUNNING = """
SELECT id, status, name, invocation_kind, last_message_at, updated_at, started_at, owner, health
  FROM sessions WHERE status = 'running' ORDER BY started_at
"""


def _runs(conn: Connection, now: float) -> Iterator[Finding]:
    for session in conn.dicts(_RUNNING):
        proof = proof_of(session)
        stale = staleness_check(session, now=now)
        if proof.answer == "alive" and not stale:
            continue
        yield Finding(
            "warning" if proof.answer == "dead" else "info",
            "run.phantom" if proof.answer == "dead" else "run.stale" if stale else "run.unknown",
            f"session {session['id']}",
            "; ".join([*proof.evidence, *(["silent beyond its threshold"] if stale else [])]),
            _advice(proof, stale),
        )


def _advice(proof: Proof, stale: str | None) -> str:
    if proof.answer == "dead" and stale:
        return "`li state doctor --transition-stale` marks it failed"
    if proof.answer == "dead":
        return "it is dead; once it counts as stale, `--transition-stale` may mark it failed"
    return "look at it; it is never marked failed without proof"


class MarkedFailed(NamedTuple):
    """A running session that is stale and proven dead."""

    session_id: str
    evidence: tuple[str, ...]


def stale_and_dead(conn: Connection, *, now: float | None = None) -> list[MarkedFailed]:
    """The sessions that transition_stale would mark as failed."""
    now = time.time() if now is None else now
    found = []
    for session in conn.dicts(_RUNNING):
        if staleness_check(session, now=now):
            proof = proof_of(session)
            if proof.answer == "dead":
                found.append(MarkedFailed(session["id"], proof.evidence))
    return found


def transition_stale(
    conn: Connection, *, only: Collection[str] | None = None, now: float | None = None
) -> list[MarkedFailed]:
    """Mark as failed what is stale and proven dead, all of it or only these, and say why (ADR-0019 B3)."""
    moved = [each for each in stale_and_dead(conn, now=now) if only is None or each.session_id in only]
    for session_id, _ in moved:
        finish_session(conn, session_id, "failed", reasons=["run.failed.process_dead"], at=now)
    return moved
