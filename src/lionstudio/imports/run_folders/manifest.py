"""A run's manifest (`run.json`, any generation) as a session, with status and times by ADR-0017.

Every key that is not unchanged in a column is kept in the metadata under `imported`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from lionstudio.files.legacy_runs import RunFolder, Times
from lionstudio.model import import_ids
from lionstudio.model.coerce import first, to_enum, to_id, to_int, to_text, to_timestamp
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import EXIT_CODES, InvocationKind, SessionStatus, SourceKind

# Status names of other tools; any other name counts as completed.
SYNONYMS: Mapping[str, SessionStatus] = {
    "completed_empty": SessionStatus.COMPLETED,
    "success": SessionStatus.COMPLETED,
    "error": SessionStatus.FAILED,
    "timeout": SessionStatus.TIMED_OUT,
    "canceled": SessionStatus.CANCELLED,
}
_BY_EXIT_CODE = {code: status for status, code in EXIT_CODES.items()}


class Span(NamedTuple):
    """The start and end of a run; a running one has no end."""

    started_at: float
    ended_at: float | None


def parse_status(name: str) -> SessionStatus:
    """The status that a name of any tool means."""
    lower = name.strip().lower()
    return to_enum(SessionStatus, lower) or SYNONYMS.get(lower, SessionStatus.COMPLETED)


def derive_status(manifest: Mapping[str, Any]) -> SessionStatus:
    """ADR-0017: the status in the manifest, else by its exit code, else completed."""
    name, code = manifest.get("status"), to_int(manifest.get("exit_code"))
    if isinstance(name, str) and name.strip():
        return parse_status(name)
    if code is None:
        return SessionStatus.COMPLETED
    return _BY_EXIT_CODE.get(code, SessionStatus.FAILED)


def derive_span(manifest: Mapping[str, Any], status: SessionStatus, times: Times) -> Span:
    """ADR-0017: the times in the manifest, else those of the folder."""
    started, ended = to_timestamp(manifest.get("started_at")), to_timestamp(manifest.get("ended_at"))
    if started is None:
        started = times.began if ended is None else min(times.began, ended)
    if ended is None and status is not SessionStatus.RUNNING:
        ended = max(times.changed, started)
    return Span(started, ended)


def run_id_of(folder: RunFolder) -> str:
    """The run id in the manifest, else the name of the folder."""
    return to_id((folder.manifest or {}).get("run_id")) or folder.name


def session_of(folder: RunFolder) -> Session:
    """The session of a run folder, without the facts that only its branches have."""
    manifest = folder.manifest
    run_id = run_id_of(folder)
    # the first versions wrote the manifest last: a run without one was interrupted
    status = SessionStatus.ABORTED if manifest is None else derive_status(manifest)
    span = derive_span(manifest or {}, status, folder.times)
    columns = _columns(manifest or {}, folder)
    return Session(
        id=import_ids.session_of_run(run_id),
        created_at=_created_at(manifest or {}, run_id, span),
        source_kind=SourceKind.IMPORTED_FS,
        status=status,
        started_at=span.started_at,
        ended_at=span.ended_at,
        metadata={
            "run_id": run_id,
            **_rest(manifest or {}, {**columns, "run_id": run_id, "status": status, **span._asdict()}),
        },
        **columns,
    )


def _columns(manifest: Mapping[str, Any], folder: RunFolder) -> dict[str, Any]:
    model = first(manifest, "model", "model_spec")
    return {
        "name": first(manifest, "name"),
        "user": first(manifest, "user"),
        "invocation_kind": _kind(manifest),
        "playbook_name": first(manifest, "playbook_name", "playbook"),
        "agent_name": first(manifest, "agent_name", "agent"),
        "show_topic": first(manifest, "show_topic"),
        "show_play_name": first(manifest, "show_play_name"),
        "artifacts_path": first(manifest, "artifact_root", "artifacts_path") or folder.artifacts,
        "model": model,
        "provider": first(manifest, "provider") or (model.partition("/")[0] if model and "/" in model else None),
        "project": first(manifest, "project"),
        "cwd": first(manifest, "cwd"),
        "git_commit": first(manifest, "git_commit"),
        "exit_code": to_int(manifest.get("exit_code")),
    }


def _kind(manifest: Mapping[str, Any]) -> InvocationKind | None:
    kind = first(manifest, "invocation_kind", "kind")
    if kind is None:
        return InvocationKind.AGENT  # the newest generation names only the other kinds
    return to_enum(InvocationKind, kind.lower().replace("_", "-"))


def _created_at(manifest: Mapping[str, Any], run_id: str, span: Span) -> float:
    """Lists sort by this time, so the time in the name of an old run is better than that of a copied folder."""
    created = to_timestamp(manifest.get("created_at")) or to_timestamp(manifest.get("started_at"))
    return created or time_in_name(run_id) or span.started_at


def time_in_name(run_id: str) -> float | None:
    """The UTC time at the start of a run's name, as in 20260521T101500-a1b2c3."""
    stamp = run_id.partition("-")[0]
    try:
        return datetime.strptime(stamp, "%Y%m%dT%H%M%S").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


def _rest(manifest: Mapping[str, Any], columns: Mapping[str, Any]) -> dict[str, Any]:
    """The keys that no column holds unchanged."""
    rest = {key: value for key, value in manifest.items() if value is not None and not _is_kept(key, value, columns)}
    return {"imported": rest} if rest else {}


_COLUMN_OF = {"artifact_root": "artifacts_path", "kind": "invocation_kind", "agent": "agent_name"}


def _is_kept(key: str, value: object, columns: Mapping[str, Any]) -> bool:
    column = _COLUMN_OF.get(key, key)
    stored = columns.get(column)
    is_scalar = type(value) in (str, int, float)
    return stored is not None and is_scalar and stored == value and to_text(stored) == to_text(value)
