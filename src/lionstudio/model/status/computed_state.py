"""The computed state of an entity: lifecycle, health and delivery, with reasons. Computed here and nowhere else.

Pure: a row, the clock and the liveness of the process go in, a State comes out. Pages and commands render it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from lionstudio.model.status.reasons import Reason, reason, reason_of_stored
from lionstudio.model.status.statuses import (
    PLAYS,
    PLAYS_NEEDING_REVIEW,
    SESSIONS,
    SHOWS,
    TEAMS,
    PlayStatus,
    SessionStatus,
    StatusRow,
    row_of,
)
from lionstudio.model.status.vocabulary import (
    SEVERITY_RANKS,
    FinalOutcome,
    HealthCode,
    Icon,
    Severity,
    StatusGroup,
    Tone,
)

# ADR-0019 B2, to the letter: seconds without a message before a running session counts as stale.
STALE_THRESHOLDS: Mapping[str, int] = {
    "agent": 6 * 3600,
    "play": 6 * 3600,
    "flow": 12 * 3600,
    "fanout": 12 * 3600,
    "show-play": 12 * 3600,
}
DEFAULT_STALE_THRESHOLD = 6 * 3600
IDLE_AFTER = 10 * 60  # long enough to mention, far from stale
_TONES: Mapping[Severity, Tone] = {"error": "danger", "warning": "warning"}


class HealthRow(NamedTuple):
    """One row per health; only a health with a reason appears in the label of a run."""

    label: str
    severity: Severity = "none"
    reason: str | None = None
    icon: Icon | None = None  # None: the icon of the status


HEALTHS: Mapping[str, HealthRow] = {
    "ok": HealthRow("ok"),
    "running": HealthRow("running"),
    "waiting": HealthRow("waiting", "warning", "run.health.waiting", "person"),
    "idle": HealthRow("idle", "info", "run.health.idle", "clock-pause"),
    "stalled": HealthRow("stale", "warning", "run.health.stale", "clock-pause"),
    "process_dead": HealthRow("process dead", "error", "run.health.process_dead", "disconnected"),
    "orphaned": HealthRow("orphaned", "warning", "run.health.orphaned", "disconnected"),
    "unknown": HealthRow("unknown", "info", "run.health.owner_unknown"),
}
_OK = HEALTHS["ok"]


class State(NamedTuple):
    """The `state` that the API returns."""

    lifecycle: str
    health: str
    delivery: str
    severity: str
    tone: str
    label: str
    reasons: tuple[Reason, ...] = ()
    group: StatusGroup | None = None
    icon: Icon = "circle"
    outcome: FinalOutcome | None = None
    evaluated_at: int | None = None  # whole seconds: a list encodes one for every run
    source: str = "sqlite"  # as `status_source` of ADR-0011: sqlite or filesystem

    def to_dict(self) -> dict[str, Any]:
        """The state as JSON."""
        state = self._asdict()
        state["reasons"] = [reason.to_dict() for reason in self.reasons]
        return state


class Proof(NamedTuple):
    """The liveness of the owner process (alive, dead or unknown) and the evidence."""

    answer: str
    evidence: tuple[str, ...] = ()


def staleness_check(session: Mapping[str, Any], *, now: float) -> str | None:
    """'stale' when a running session has been silent beyond the threshold of its kind (ADR-0019 B2)."""
    if session["status"] != "running":
        return None
    threshold = STALE_THRESHOLDS.get(session.get("invocation_kind") or "", DEFAULT_STALE_THRESHOLD)
    last_activity = _time(session, "last_message_at") or _time(session, "updated_at") or 0
    return "stale" if now - last_activity > threshold else None


def session_state(session: Mapping[str, Any], *, now: float, proof: Proof | None = None) -> State:
    """The state of a run; without a proof of liveness, from its row and the clock alone."""
    status = session["status"] or SessionStatus.COMPLETED
    row = row_of(SESSIONS, status)
    health = _session_health(session, now, proof)
    health_row = HEALTHS.get(health, _OK)  # another tool may have stored any text
    delivery = session.get("delivery") or "not_expected"
    reasons = [reason_of_stored(code) for code in session.get("reason_codes") or ()]
    reasons += _status_reasons(session, row, {reason.code for reason in reasons})
    reasons = _with_last_words(reasons, session)
    label = row.label
    if health_row.reason is not None:
        label += f" · {health_row.label}"
        reasons.append(reason(health_row.reason, _evidence(session, now, proof)))
    if delivery in ("partial", "missing", "invalid"):
        reasons.append(reason(f"run.delivery.{delivery}"))
    severity = _worst(row.severity, health_row.severity)
    if delivery not in ("passed", "not_expected"):
        severity = _worst(severity, "warning")
    return State(
        status,
        health,
        delivery,
        severity,
        _TONES.get(severity, row.tone),
        label,
        tuple(reasons),
        row.group,
        health_row.icon or row.icon,
        row.outcome,
        int(now),
    )


def effective_health(session: Mapping[str, Any], *, now: float, proof: Proof | None = None) -> str:
    """The field of ADR-0019: `stale`, computed at read time, else the health."""
    return staleness_check(session, now=now) or _session_health(session, now, proof)


def _session_health(session: Mapping[str, Any], now: float, proof: Proof | None) -> str:
    if session["status"] != "running":
        return session.get("health") or "ok"
    if proof is not None and proof.answer == "dead":
        return "process_dead"
    if session.get("health") == "waiting":
        return "waiting"
    if staleness_check(session, now=now):
        return "stalled" if session.get("owner") else "orphaned"
    if proof is not None and proof.answer == "unknown":
        return "unknown"
    last = _time(session, "last_message_at") or _time(session, "started_at") or _time(session, "updated_at") or now
    return "idle" if now - last > IDLE_AFTER else "running"


def _status_reasons(session: Mapping[str, Any], row: StatusRow[Any], stored: set[str]) -> list[Reason]:
    """The reason that the status implies, unless a reason of the same kind is stored."""
    if row.reason is None or any(code.startswith(row.reason.rpartition(".")[0]) for code in stored):
        return []
    code = session.get("exit_code") if session["status"] == SessionStatus.FAILED else None
    return [reason(row.reason, None if code is None else f"exit code {code}")]


def _with_last_words(reasons: list[Reason], session: Mapping[str, Any]) -> list[Reason]:
    """Add the last output of the run to the evidence of its first reason, where it was stored."""
    metadata = session.get("metadata")
    output = metadata.get("ended_with") if isinstance(metadata, Mapping) else None
    if not reasons or not isinstance(output, str):
        return reasons
    first = reasons[0]
    return [first._replace(evidence=f"{first.evidence}: {output}" if first.evidence else output), *reasons[1:]]


def _evidence(session: Mapping[str, Any], now: float, proof: Proof | None) -> str:
    last = _time(session, "last_message_at")
    silence = f"last message {_span(now - last)} ago" if last else "no message yet"
    return "; ".join([*(proof.evidence if proof else ()), silence])


def play_state(
    play: Mapping[str, Any], *, blocked_by: Iterable[str] = (), now: float | None = None, source: str = "sqlite"
) -> State:
    """The state of a play; the state of its run is separate."""
    status = play["status"]
    row = row_of(PLAYS, status)
    reasons: list[Reason] = []
    holders = ", ".join(blocked_by)
    if status == PlayStatus.BLOCKED or holders:
        reasons.append(reason("play.blocked.dependency_failed", holders or None))
    if row.reason is not None and status != PlayStatus.BLOCKED:
        reasons.append(reason(row.reason, play.get("gate_feedback") if row.severity == "error" else None))
    severity = "warning" if reasons and row.severity == "none" else row.severity
    passed = play.get("gate_passed")
    delivery = "not_expected" if passed is None else "passed" if passed else "invalid"
    return _state(row, status, row.health, severity, reasons, now, delivery=delivery, source=source)


def show_state(
    show: Mapping[str, Any], plays: Iterable[Mapping[str, Any]], *, now: float | None = None, source: str = "sqlite"
) -> State:
    """The state of a show: its status, and the plays that need a person."""
    needing = sorted(play["name"] for play in plays if play["status"] in PLAYS_NEEDING_REVIEW)
    status = show["status"]
    row = row_of(SHOWS, status)
    reasons = [reason("show.attention", ", ".join(needing))] if needing else []
    if row.reason is not None:
        reasons.append(reason(row.reason))
    severity = "warning" if needing else row.severity
    health = "waiting" if needing else row.health
    return _state(row, status, health, severity, reasons, now, source=source)


def team_state(team: Mapping[str, Any], *, now: float | None = None) -> State:
    """The state of a team: in use or archived."""
    row = row_of(TEAMS, team["status"])
    reasons = [] if row.reason is None else [reason(row.reason)]
    return _state(row, team["status"], row.health, row.severity, reasons, now)


def _state(
    row: StatusRow[Any],
    status: str,
    health: HealthCode,
    severity: Severity,
    reasons: Iterable[Reason],
    now: float | None,
    *,
    delivery: str = "not_expected",
    source: str = "sqlite",
) -> State:
    return State(
        status,
        health,
        delivery,
        severity,
        _TONES.get(severity, row.tone),
        row.label,
        tuple(reasons),
        row.group,
        HEALTHS[health].icon or row.icon,
        row.outcome,
        None if now is None else int(now),
        source,
    )


def _worst(first: Severity, second: Severity) -> Severity:
    return first if SEVERITY_RANKS[first] >= SEVERITY_RANKS[second] else second


def _time(row: Mapping[str, Any], name: str) -> float | None:
    """A time of a row; None when another tool stored something that is not a number."""
    value = row.get(name)
    return value if isinstance(value, (int, float)) else None


def _span(seconds: float) -> str:
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(seconds, 0):.0f} s"
