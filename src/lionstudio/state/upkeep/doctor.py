"""The doctor: problems of the file and of runs, with evidence; it changes nothing by itself."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import apsw

from lionstudio.model.shows.show_files import DIRECTOR_LOCK
from lionstudio.model.status.computed_state import Proof, proof_with_silence, staleness_check
from lionstudio.state.backends import is_server
from lionstudio.state.connection import Connection
from lionstudio.state.sessions import finish_session
from lionstudio.state.sqlite.maintenance import COUNTED, count_unindexed, file_size
from lionstudio.state.sqlite.open import AUTOCHECKPOINT, WAL_LIMIT
from lionstudio.state.upkeep.findings import Finding
from lionstudio.state.upkeep.liveness import proof_of
from lionstudio.system.filelock import lock_state

# SQLite before these loses commits when one process resets the WAL while another writes.
_FIXED_SQLITE = (3, 51, 3)
_MAX_FINDINGS = 50  # of one kind
_BEHIND = 10_000
# all tables, and the tables behind the search indexes
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


def examine(conn: Connection, *, now: float | None = None, deep: bool = False) -> Iterator[Finding]:
    """Yield every finding; `deep` also reads the whole file."""
    now = time.time() if now is None else now
    for findings in (
        _of_server(conn, deep) if is_server(conn.path) else _of_file(conn, deep),
        _references(conn),
        _damaged_rows(conn),
        _runs(conn, now),
        _doubles(conn),
        _undirected(conn),
    ):
        yield from _until_damage(conn, findings)


def _of_server(conn: Any, deep: bool) -> Iterator[Finding]:
    from lionstudio.state.postgres.checks.doctor import examine_server  # psycopg is slow to load

    return examine_server(conn, deep=deep)


def _of_file(conn: Connection, deep: bool) -> Iterator[Finding]:
    yield from _library()
    for findings in (_permissions(conn.path), _file(conn, deep), _foreign_keys(conn)):
        yield from _until_damage(conn, findings)


def _until_damage(conn: Connection, findings: Iterator[Finding]) -> Iterator[Finding]:
    """Yield the findings of one check until it meets a damaged page; the next check still runs."""
    try:
        yield from findings
    except (apsw.CorruptError, apsw.NotADBError) as error:
        yield Finding("error", "file.damaged", conn.path, str(error), _RESTORE)


_ACTIVE_SHOWS = "SELECT topic, show_dir FROM shows WHERE status = 'active' ORDER BY topic LIMIT :most"


def _undirected(conn: Connection) -> Iterator[Finding]:
    """Shows whose director was killed: its lock file remains, and no process holds it."""
    for topic, show_dir in conn.all(_ACTIVE_SHOWS, {"most": _MAX_FINDINGS}):
        if lock_state(os.path.join(show_dir, DIRECTOR_LOCK)) == "free":
            yield Finding(
                "warning",
                "show.undirected",
                f"show {topic}",
                "its director exited, and the show stands still",
                f"continue it: `li show resume {topic}`",
                topic=topic,
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
    """Files that other users of this machine can read: messages are private."""
    folder = os.path.dirname(os.path.abspath(path))
    for file, private in ((folder, 0o700), (path, 0o600), (f"{path}-wal", 0o600), (f"{path}-shm", 0o600)):
        mode = _mode_of(file)
        shared = file == folder and mode & stat.S_ISVTX  # such as /tmp, which all users share
        if mode & 0o077 and not shared:
            yield Finding(
                "warning",
                "file.readable_by_others",
                file,
                f"its mode is {stat.S_IMODE(mode):04o}",
                f"chmod {private:o} {file}",
            )


def _mode_of(path: str) -> int:
    try:
        return os.stat(path).st_mode
    except OSError:
        return 0


def _file(conn: Connection, deep: bool) -> Iterator[Finding]:
    # integrity_check also reads the search indexes, which takes long: only for `deep`
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
            f"a reader keeps it from shrinking; run `li state checkpoint` later (policy: {AUTOCHECKPOINT} frames)",
        )
    behind = count_unindexed(conn)
    if behind > _BEHIND:
        yield Finding(
            "info",
            "search.behind",
            "search index",
            f"{behind} messages are not indexed yet",
            "searches find them all the same; `li state search` indexes them",
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


def _foreign_keys(conn: Connection) -> Iterator[Finding]:
    for table, rowid, parent, _ in conn.all("PRAGMA foreign_key_check")[:_MAX_FINDINGS]:
        yield Finding(
            "error",
            "reference.dangling",
            f"{table} row {rowid}",
            f"refers to a missing row of {parent}",
            "another tool deleted that row with foreign keys off",
        )


def _references(conn: Connection) -> Iterator[Finding]:
    for progression, missing in conn.all(_DANGLING, {"most": _MAX_FINDINGS}):
        yield Finding(
            "warning",
            "progression.dangling",
            f"progression {progression}",
            f"{missing} ids have no message",
            "they are shown as missing",
        )
    stranded = conn.value(_STRANDED)
    if stranded:
        yield Finding(
            "warning",
            "progression.stranded",
            "progression_items",
            f"{stranded} rows belong to no progression",
            "another tool replaced a progression with foreign keys off; they are not shown",
        )
    for branch, parent in conn.all(_LOST_PARENTS, {"most": _MAX_FINDINGS}):
        yield Finding(
            "warning",
            "branch.parent_gone",
            f"branch {branch}",
            f"its parent branch {parent} does not exist",
            "its own messages exist; the inherited ones are lost",
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
    for progression, text in conn.all(_UNREADABLE, {"most": _MAX_FINDINGS}):
        yield Finding(
            "warning",
            "progression.unreadable",
            f"progression {progression}",
            f"its collection was not a JSON array: {text}",
            "its text is kept in progression_heads.unreadable",
        )
    for session, counted, stored in conn.all(_COUNTS, {"most": _MAX_FINDINGS}):
        yield Finding(
            "info",
            "session.count",
            f"session {session}",
            f"counts {counted} messages and has {stored}",
            "another tool changed its progression",
            session_id=session,
        )
    for (subject,) in conn.all(_BAD_JSON, {"most": _MAX_FINDINGS}):
        yield Finding("warning", "row.bad_json", subject, "a JSON column does not contain JSON", "it is shown as it is")


# not those that another database has: that one knows whether they are alive, and ends them
_RUNNING = """
SELECT id, status, name, invocation_kind, last_message_at, updated_at, started_at, owner, health
  FROM sessions WHERE status = 'running'
   AND NOT EXISTS (SELECT 1 FROM pushed_sessions p WHERE p.session_id = sessions.id) ORDER BY started_at
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
            proof_with_silence(session, now, proof),
            _advice(session["id"], proof, stale),
            session_id=session["id"],
        )


def _advice(session_id: str, proof: Proof, stale: str | None) -> str:
    if proof.answer == "dead" and proof.processes:
        return f"stop its agent and mark it failed: `li kill {session_id}`"
    if proof.answer == "dead" and stale:
        return "mark it failed: `li state doctor --transition-stale`"
    if proof.answer == "dead":
        return f"mark it failed: `li kill {session_id}`"
    if proof.answer == "alive":
        return f"read its last messages: `li logs {session_id}`; stop it: `li kill {session_id}`"
    return "check it on the machine that it runs on; it is not marked failed without proof"


def _doubles(conn: Connection) -> Iterator[Finding]:
    from lionstudio.state.imports.doubles import list_doubles

    doubles = list_doubles(conn)
    if doubles:
        runs = "1 run is" if len(doubles) == 1 else f"{len(doubles)} runs are"
        yield Finding(
            "warning",
            "run.double",
            "runs and their transcripts",
            f"{runs} stored twice: as recorded, and imported from the transcript",
            "`li state doctor --fix-doubles` lists and merges them",
        )


class DeadRun(NamedTuple):
    """A session that is marked running, and whose process is proven dead."""

    session_id: str
    evidence: tuple[str, ...]


def list_recently_dead(conn: Connection) -> list[str]:
    """The running sessions whose process is proven dead and that are not stale: stale ones are a person's to mark."""
    now = time.time()
    fresh = (session for session in conn.dicts(_RUNNING) if not staleness_check(session, now=now))
    return [session["id"] for session in fresh if proof_of(session).answer == "dead"]


def list_dead(conn: Connection) -> list[DeadRun]:
    """Every running session whose process is proven dead, with the evidence."""
    proofs = ((session["id"], proof_of(session)) for session in conn.dicts(_RUNNING))
    return [DeadRun(session_id, proof.evidence) for session_id, proof in proofs if proof.answer == "dead"]


def list_stale_and_dead(conn: Connection, *, now: float | None = None) -> list[DeadRun]:
    """The sessions that transition_stale would mark failed."""
    now = time.time() if now is None else now
    sessions = []
    for session in conn.dicts(_RUNNING):
        if staleness_check(session, now=now):
            proof = proof_of(session)
            if proof.answer == "dead":
                sessions.append(DeadRun(session["id"], proof.evidence))
    return sessions


def transition_stale(
    conn: Connection, *, only: Collection[str] | None = None, now: float | None = None
) -> list[DeadRun]:
    """Mark stale sessions with a dead process failed, all or only these (ADR-0019 B3)."""
    sessions = [one for one in list_stale_and_dead(conn, now=now) if only is None or one.session_id in only]
    for session_id, _ in sessions:
        finish_session(conn, session_id, "failed", reasons=["run.failed.process_dead"], at=now, by="doctor")
    return sessions
