"""The state of an entity, computed here and nowhere else: lifecycle × health × delivery, with reasons.

Pure: what is known goes in (row, clock, liveness), a State comes out. Pages render it and decide nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from lionstudio.model.status.reasons import Reason, reason, reason_of_stored
from lionstudio.model.status.statuses import PLAYS_NEEDING_REVIEW, PlayStatus, ShowStatus, TeamStatus

HEALTHS = ("ok", "running", "waiting", "idle", "stalled", "process_dead", "orphaned", "unknown")
DELIVERIES = ("passed", "partial", "missing", "invalid", "not_expected")
SEVERITIES = ("none", "info", "warning", "error")

# ADR-0019 B2, to the letter: seconds without a message before a running session counts as stale.
STALE_THRESHOLDS: Mapping[str, int] = {
    "agent": 6 * 3600,
    "play": 6 * 3600,
    "flow": 12 * 3600,
    "fanout": 12 * 3600,
    "show-play": 12 * 3600,
}
DEFAULT_STALE_THRESHOLD = 6 * 3600
IDLE_AFTER = 10 * 60  # quiet enough to say so, far from stale

# ADR-0017: raw status words to what a person reads. A display mapper, not a gate.
DISPLAY_MAP: Mapping[str, str] = {
    "running": "running",
    "completed": "completed",
    "failed": "failed",
    "aborted": "aborted",
    "timed_out": "timed out",
    "cancelled": "cancelled",
    "pending": "pending",
    "prepared": "prepared",
    "running_complete": "awaiting gate",
    "gated": "awaiting gate",
    "gate_failed": "gate failed",
    "redoing": "redoing",
    "merged": "merged",
    "escalated": "escalated",
    "blocked": "blocked",
    "aborted_after_finish": "aborted",
}

_TONES: Mapping[str, str] = {
    "running": "info",
    "redoing": "info",
    "completed": "success",
    "merged": "success",
    "passed": "success",
    "failed": "danger",
    "gate_failed": "danger",
    "escalated": "danger",
    "timed_out": "warning",
    "pending": "warning",
    "prepared": "warning",
    "running_complete": "warning",
    "gated": "warning",
    "blocked": "warning",
    "active": "info",
}
_STATUS_REASONS: Mapping[str, str] = {
    "timed_out": "run.timed_out.deadline",
    "aborted": "run.aborted.interrupt",
    "cancelled": "run.cancelled.orchestrator",
}
_HEALTH_REASONS: Mapping[str, str] = {
    "waiting": "run.health.waiting",
    "idle": "run.health.idle",
    "stalled": "run.health.stale",
    "process_dead": "run.health.process_dead",
    "orphaned": "run.health.orphaned",
    "unknown": "run.health.owner_unknown",
}
_HEALTH_SEVERITY: Mapping[str, str] = {
    "waiting": "warning",
    "idle": "info",
    "stalled": "warning",
    "process_dead": "error",
    "orphaned": "warning",
    "unknown": "info",
}


class State(NamedTuple):
    """What the API returns as `state`."""

    lifecycle: str
    health: str
    delivery: str
    severity: str
    tone: str
    label: str
    reasons: tuple[Reason, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {**self._asdict(), "reasons": [found.to_dict() for found in self.reasons]}


class Proof(NamedTuple):
    """What is known of the owner process: alive, dead or unknown, and the evidence."""

    answer: str
    evidence: tuple[str, ...] = ()


def staleness_check(session: Mapping[str, Any], *, now: float) -> str | None:
    """'stale' when a running session has been silent beyond its kind's threshold (ADR-0019 B2)."""
    if session["status"] != "running":
        return None
    threshold = STALE_THRESHOLDS.get(session.get("invocation_kind") or "", DEFAULT_STALE_THRESHOLD)
    last_activity = _time(session, "last_message_at") or _time(session, "updated_at") or 0
    return "stale" if now - last_activity > threshold else None


def session_state(session: Mapping[str, Any], *, now: float, proof: Proof | None = None) -> State:
    """The state of a run; without a proof of liveness only its row and the clock speak."""
    status = session["status"] or "completed"
    health = _session_health(session, now, proof)
    delivery = session.get("delivery") or "not_expected"
    reasons = [reason_of_stored(code) for code in session.get("reason_codes") or ()]
    reasons += _status_reasons(session, {found.code for found in reasons})
    reasons = _with_words(reasons, session)
    if health in _HEALTH_REASONS:
        reasons.append(reason(_HEALTH_REASONS[health], _evidence(session, now, proof)))
    if delivery in ("partial", "missing", "invalid"):
        reasons.append(reason(f"run.delivery.{delivery}"))
    label = " · ".join([DISPLAY_MAP.get(status, status), *([_words(health)] if health in _HEALTH_REASONS else [])])
    severity = _worst(
        "error" if status == "failed" else "warning" if status == "timed_out" else "none",
        _HEALTH_SEVERITY.get(health, "none"),
        "none" if delivery in ("passed", "not_expected") else "warning",
    )
    return State(status, health, delivery, severity, _tone(status, severity), label, tuple(reasons))


def effective_health(session: Mapping[str, Any], *, now: float, proof: Proof | None = None) -> str:
    """The field ADR-0019 names: `stale`, computed at read time, else the health."""
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


def _status_reasons(session: Mapping[str, Any], known: set[str]) -> list[Reason]:
    status = session["status"]
    if status == "failed" and not any(code.startswith("run.failed.") for code in known):
        code = session.get("exit_code")
        return [reason("run.failed.exit_nonzero", None if code is None else f"exit code {code}")]
    code = _STATUS_REASONS.get(status or "")
    return [reason(code)] if code and code not in known else []


def _with_words(reasons: list[Reason], session: Mapping[str, Any]) -> list[Reason]:
    """The first reason with the words that the run ended with, where they were kept."""
    metadata = session.get("metadata")
    said = metadata.get("ended_with") if isinstance(metadata, Mapping) else None
    if not reasons or not isinstance(said, str):
        return reasons
    first = reasons[0]
    return [first._replace(evidence=f"{first.evidence}: {said}" if first.evidence else said), *reasons[1:]]


def _evidence(session: Mapping[str, Any], now: float, proof: Proof | None) -> str:
    last = _time(session, "last_message_at")
    said = f"last message {_span(now - last)} ago" if last else "no message yet"
    return "; ".join([*(proof.evidence if proof else ()), said])


def play_state(play: Mapping[str, Any], *, blocked_by: Iterable[str] = ()) -> State:
    """The state of a play; its session says separately how the run itself went."""
    status = play["status"]
    reasons: list[Reason] = []
    holders = ", ".join(blocked_by)
    if status == PlayStatus.BLOCKED or holders:
        reasons.append(reason("play.blocked.dependency_failed", holders or None))
    if status == PlayStatus.GATE_FAILED:
        reasons.append(reason("play.gate.failed", play.get("gate_feedback")))
    if status == PlayStatus.GATED:
        reasons.append(reason("play.gate.waiting"))
    if status == PlayStatus.ESCALATED:
        reasons.append(reason("play.escalated", play.get("gate_feedback")))
    passed = play.get("gate_passed")
    delivery = "not_expected" if passed is None else "passed" if passed else "invalid"
    health = "waiting" if status in PLAYS_NEEDING_REVIEW else "running" if status == "running" else "ok"
    severity = "error" if status in ("gate_failed", "escalated") else "warning" if reasons else "none"
    return State(
        status, health, delivery, severity, _tone(status, severity), DISPLAY_MAP.get(status, status), tuple(reasons)
    )


def show_state(show: Mapping[str, Any], plays: Iterable[Mapping[str, Any]]) -> State:
    """The state of a show: its status, and which plays need a person."""
    needing = sorted(play["name"] for play in plays if play["status"] in PLAYS_NEEDING_REVIEW)
    status = show["status"]
    reasons = [reason("show.attention", ", ".join(needing))] if needing else []
    if status == ShowStatus.ABORTED:
        reasons.append(reason("show.aborted"))
    severity = "warning" if needing else "none"
    health = "waiting" if needing else "running" if status == ShowStatus.ACTIVE else "ok"
    return State(status, health, "not_expected", severity, _tone(status, severity), status, tuple(reasons))


def team_state(team: Mapping[str, Any]) -> State:
    """The state of a team: in use or archived."""
    status = team["status"]
    reasons = (reason("team.archived"),) if status == TeamStatus.ARCHIVED else ()
    return State(status, "ok", "not_expected", "none", _tone(status, "none"), status, reasons)


def _time(row: Mapping[str, Any], name: str) -> float | None:
    """A time of a row; what another hand put there instead of a number counts as nothing."""
    value = row.get(name)
    return value if isinstance(value, (int, float)) else None


def _tone(status: str, severity: str) -> str:
    if severity == "error":
        return "danger"
    return "warning" if severity == "warning" else _TONES.get(status, "neutral")


def _worst(*severities: str) -> str:
    return max(severities, key=SEVERITIES.index)


def _words(health: str) -> str:
    return {"process_dead": "process dead", "stalled": "stale"}.get(health, health)


def _span(seconds: float) -> str:
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(seconds, 0):.0f} s"
