"""Facts about a session at the top of an export for people: state, model, tokens, cost, lineage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from lionstudio.model.branches import Branch
from lionstudio.model.sessions import Session
from lionstudio.model.status.computed_state import session_state
from lionstudio.state.connection import Connection
from lionstudio.state.forks import inherited_segments
from lionstudio.state.runs.conversations import list_successors
from lionstudio.state.runs.labels import list_tags
from lionstudio.state.runs.page_queries import session_names


def facts(conn: Connection, session: Session) -> Iterator[tuple[str, str]]:
    """Name and value; those that are not known are left out."""
    duration = session.duration_ms
    origins = {"Continues": session.continues, "Retries": session.retries, "Forked from": session.forked_from}
    successors = [
        (f"{str(row['relation']).capitalize()} in", str(row["id"])) for row in list_successors(conn, session.id)
    ]
    related = [*((relation, str(id_)) for relation, id_ in origins.items() if id_), *successors]
    names = session_names(conn, [id_ for _, id_ in related]) if related else {}
    values: dict[str, Any] = {
        "Session": session.id,
        "Status": session.status,
        "Reason": _reason(session),
        "Exit code": session.exit_code,
        "Kind": session.invocation_kind,
        "Agent": session.agent_name,
        "Playbook": session.playbook_name,
        "Model": session.model,
        "Project": session.project,
        "Folder": session.cwd,
        "Commit": session.git_commit,
        "Started": moment(session.started_at or session.created_at),
        "Duration": _span(duration) if isinstance(duration, (int, float)) else None,
        "Messages": _number(session.message_count),
        "Tokens": _tokens(session),
        "Cost": f"${session.cost_microusd / 1e6:.4f}" if isinstance(session.cost_microusd, int) else None,
        "Tags": ", ".join(list_tags(conn, session.id)),
        "Note": session.note,
    }
    yield from ((name, str(value)) for name, value in values.items() if value not in (None, ""))
    yield from ((relation, _named(id_, names.get(id_))) for relation, id_ in related)


def fork_origin(conn: Connection, branch: Branch, branches: Iterable[Branch]) -> str | None:
    """Where the messages before those of a branch are; None for a branch that is not a fork."""
    if branch.fork is None:
        return None
    if branch.fork.parent_branch_id in {each.id for each in branches}:
        return f"Forked from branch {branch.fork.parent_branch_id} after message {branch.fork.ord}."
    segments = inherited_segments(conn, str(branch.session_id)).get(branch.id, [])
    texts = [
        f"Messages 0 to {segment['last_ord']} are in {segment['session_name'] or segment['session_id']}."
        for segment in segments
        if segment["last_ord"] >= 0
    ]
    return " ".join(texts) or f"Forked after message {branch.fork.ord} of a deleted run."


def _reason(session: Session) -> str | None:
    """Why a run that did not succeed ended, in words."""
    state = session_state(session.to_dict(), now=0)  # only that of a running one depends on it
    if state.outcome in (None, "succeeded"):
        return None
    return " ".join(f"{reason.message} {reason.evidence or ''}".strip() for reason in state.reasons)


def _tokens(session: Session) -> str:
    usage = session.usage
    kinds = zip(usage[:4], ("in", "out", "cache read", "cache write"), strict=True)
    parts = [f"{_number(count)} {kind}" for count, kind in kinds]
    is_known = all(isinstance(count, int) for count in usage[:4])
    return ", ".join([*parts, *([f"{usage.tokens:,} total"] if is_known else ())])


def _named(session_id: str, name: str | None) -> str:
    return session_id if name is None or session_id.startswith(name) else f"{name} ({session_id})"


def _span(milliseconds: float) -> str:
    """A duration as the page shows it: 85 ms, 8.2 s, 26 min 47 s, 2 h 05 min, 3 d 4 h."""
    seconds = milliseconds / 1000
    whole = int(seconds)
    if seconds < 1:
        return f"{milliseconds:.0f} ms"
    if whole < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    if whole < 86400:
        return f"{whole // 3600} h {whole % 3600 // 60:02} min"
    return f"{whole // 86400} d {whole % 86400 // 3600} h"


def _number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)  # another tool may store text


def moment(at: float | None) -> str | None:
    """A time in UTC; None if another tool stored something else."""
    try:
        return None if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (TypeError, ValueError, OverflowError, OSError):
        return None
