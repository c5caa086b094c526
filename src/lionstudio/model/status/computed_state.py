"""The computed state of an entity: lifecycle, health and delivery, with reasons. Computed here and nowhere else.

Pure: a row, the clock and the liveness of the process go in, a State comes out. Pages and commands render it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from lionstudio.model.coerce import dict_of
from lionstudio.model.status.reasons import (
    ANSWER_CUT,
    CONTENT_FILTER,
    DENIED,
    EXPLAINS_DELIVERY,
    FINAL_GATES,
    STREAM_BROKEN,
    Reason,
    reason,
    reason_of_stored,
)
from lionstudio.model.status.statuses import (
    PLAYS,
    PLAYS_NEEDING_DECISION,
    SESSIONS,
    SHOWS,
    TEAMS,
    PlayStatus,
    SessionStatus,
    ShowStatus,
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
# what the label of a run adds about its delivery
_INCOMPLETE: Mapping[str, str] = {
    "partial": "artifacts incomplete",
    "missing": "artifacts missing",
    "invalid": "artifacts invalid",
}
_INCOMPLETE_BY_REASON: Mapping[str, str] = {
    DENIED: "actions denied",
    ANSWER_CUT: "answer incomplete",
    CONTENT_FILTER: "answer incomplete",
    STREAM_BROKEN: "answer incomplete",
}
_MERGE_SECONDS = 5.0
WAITS_FOR_WORKER = "waits for a worker"
_MOST_SUMMARY = 300  # characters
_TONES: Mapping[Severity, Tone] = {"critical": "danger", "warning": "warning"}


class HealthRow(NamedTuple):
    """One row per health; only a health with a reason appears in the label of a run."""

    label: str
    severity: Severity = "neutral"
    reason: str | None = None
    icon: Icon | None = None  # None: the icon of the status


HEALTHS: Mapping[str, HealthRow] = {
    "ok": HealthRow("ok"),
    "running": HealthRow("running"),
    "waiting": HealthRow("waiting", "warning", "run.health.waiting", "person"),
    "idle": HealthRow("idle", "info", "run.health.idle", "clock-pause"),
    "stalled": HealthRow("stale", "warning", "run.health.stale", "clock-pause"),
    "process_dead": HealthRow("process dead", "critical", "run.health.process_dead", "disconnected"),
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
    summary: str | None = None  # of a run that ended without success: its first reason, in one line
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
    evidence: tuple[str, ...] = ()  # in detail: lock, start ticks
    summary: str = ""
    processes: tuple[int, ...] = ()  # that a dead owner left running
    is_out_of_reach: bool = False  # its machine is silent: what is stored may be old


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
    has_code = status == SessionStatus.FAILED and session.get("exit_code") is not None
    if type(status) is str and status != "running" and not has_code and not any(map(session.get, _STATE_COLUMNS)):
        return _state_of_ended(status, int(now))
    return _session_state(session, status, now, proof)


# what the state of an ended run is made from, beside its status
_STATE_COLUMNS = ("health", "delivery", "reason_codes", "metadata")


@lru_cache(64)
def _state_of_ended(status: str, now: int) -> State:
    """Most runs of a list ended as expected, and have the same state."""
    return _session_state({"status": status}, status, now, None)


def _session_state(session: Mapping[str, Any], status: str, now: float, proof: Proof | None) -> State:
    row = row_of(SESSIONS, status)
    health = _session_health(session, now, proof)
    health_row = HEALTHS.get(health, _OK)  # another tool may have stored any text
    delivery = session.get("delivery") or "not_expected"
    reasons = [reason_of_stored(code) for code in session.get("reason_codes") or ()]
    reasons += _status_reasons(session, row, {reason.code for reason in reasons})
    last_words = _last_words(session) if reasons else None
    if last_words is not None:
        first = reasons[0]
        evidence = f"{first.evidence}: {last_words}" if first.evidence else last_words
        reasons[0] = first._replace(evidence=evidence)
    label = row.label
    if health_row.reason is not None:
        label += f" · {health_row.label}"
        title = session.get("waits_for") if health == "waiting" else None  # of its open question
        reasons.append(reason(health_row.reason, title or proof_with_silence(session, now, proof)))
    if health == "unknown" and session.get("health") == "waiting":
        reasons.append(reason("run.health.waiting", "when its machine was seen last"))
    if delivery in _INCOMPLETE:
        codes = {reason.code for reason in reasons}
        labels = [text for code, text in _INCOMPLETE_BY_REASON.items() if code in codes]
        label += f" · {labels[0] if labels else _INCOMPLETE[delivery]}"
        if not codes & EXPLAINS_DELIVERY:
            reasons.append(reason(f"run.delivery.{delivery}"))
    severity = _worst(row.severity, health_row.severity)
    if delivery not in ("passed", "not_expected"):
        severity = _worst(severity, "warning")
    summary = None
    if reasons and row.outcome is not None and severity in _TONES:
        summary = first_line(last_words) or first_line(reasons[0].evidence) or reasons[0].message
    return State(
        status,
        health,
        delivery,
        severity,
        _TONES.get(severity, row.tone),
        label,
        tuple(reasons),
        summary,
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
    if proof is not None and proof.is_out_of_reach:
        return "unknown"
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


def _last_words(session: Mapping[str, Any]) -> str | None:
    """The last output of the run, or the error in its transcript."""
    metadata = dict_of(session.get("metadata"))
    output = metadata.get("ended_with")
    if output is None and session["status"] == SessionStatus.FAILED:
        output = dict_of(metadata.get("mirror")).get("failed")
    return output if isinstance(output, str) else None


def first_line(text: str | None) -> str | None:
    """The first line of an error; of a Python traceback the last, which names it."""
    lines = [line.strip() for line in (text or "").splitlines() if line.strip()]
    if not lines:
        return None
    line = lines[-1] if "Traceback (most recent call last)" in lines[0] else lines[0]
    return line if len(line) <= _MOST_SUMMARY else line[: _MOST_SUMMARY - 1] + "…"


def proof_with_silence(session: Mapping[str, Any], now: float, proof: Proof | None) -> str:
    """The evidence for the health of a run: its process, and the time since its last message."""
    last = _time(session, "last_message_at")
    silence = f"last message {_span(now - last)} ago" if last else "no message yet"
    if last and proof is not None and proof.answer == "alive":
        silence = f"silent for {_span(now - last)}"
    return " · ".join([*([proof.summary or "; ".join(proof.evidence)] if proof else ()), silence])


def play_state(
    play: Mapping[str, Any],
    *,
    blocked_by: Iterable[str] = (),
    now: float | None = None,
    source: str = "sqlite",
    question: str | None = None,
    wait: str | None = None,
    asked: bool = True,
) -> State:
    """The state of a play, which waits while its agent has an open question; the state of its run is separate.

    `wait` says why no worker has its attempt yet; `asked` is false where its gates passed and no person is asked.
    """
    status = play["status"]
    row = row_of(PLAYS, status)
    reasons: list[Reason] = []
    holders = ", ".join(blocked_by)
    if status == PlayStatus.BLOCKED or holders:
        reasons.append(reason("play.blocked.dependency_failed", holders or None))
    if row.reason is not None and status != PlayStatus.BLOCKED:
        reasons.append(reason(row.reason, play.get("gate_feedback") if row.severity == "critical" else None))
    severity = "warning" if reasons and row.severity == "neutral" else row.severity
    passed = play.get("gate_passed")
    delivery = "not_expected" if passed is None else "passed" if passed else "invalid"
    if status == PlayStatus.RUNNING and wait is not None:
        state = _state(row, status, "ok", severity, reasons, now, delivery=delivery, source=source)
        return state._replace(label=WAITS_FOR_WORKER, tone="warning", icon="hourglass")
    if status == PlayStatus.GATED and not asked:
        state = _state(row, status, "ok", "neutral", [], now, delivery=delivery, source=source)
        return state._replace(label="awaiting merge")
    if question is None or status != PlayStatus.RUNNING:
        return _state(row, status, row.health, severity, reasons, now, delivery=delivery, source=source)
    reasons.append(reason("run.health.waiting", question))
    state = _state(row, status, "waiting", "warning", reasons, now, delivery=delivery, source=source)
    return state._replace(label=f"{row.label} · {HEALTHS['waiting'].label}")


def show_state(
    show: Mapping[str, Any],
    plays: Iterable[Mapping[str, Any]],
    *,
    now: float | None = None,
    source: str = "sqlite",
    asking: Iterable[str | None] = (),
) -> State:
    """The state of a show: its status, and what needs a person.

    These are plays that wait for a decision and those whose agent asks; None in `asking` is a question about the show.
    """
    status = show["status"]
    row = row_of(SHOWS, status)
    questions = set(asking)
    # the plays of an aborted show wait for no one
    waiting = [] if status == ShowStatus.ABORTED else plays
    needing = sorted(play["name"] for play in waiting if play["name"] in questions or awaits_decision(play, now))
    needing += ["the show"] if None in questions and status == ShowStatus.ACTIVE else []
    reasons = [reason("show.attention", ", ".join(needing))] if needing else []
    if (rejection := final_rejection(show)) is not None:
        reasons.append(reason(FINAL_GATES, rejection))
    elif row.reason is not None:
        reasons.append(reason(row.reason))
    severity = "warning" if needing else row.severity
    health = "waiting" if needing else row.health
    state = _state(row, status, health, severity, reasons, now, source=source)
    return state._replace(label=f"waits for you: {len(needing)}") if needing else state


def awaits_decision(play: Mapping[str, Any], now: float | None) -> bool:
    """Whether a play waits for a person; one that passed its gates a moment ago may be about to be merged."""
    if play["status"] not in PLAYS_NEEDING_DECISION:
        return False
    since = _time(play, "updated_at")
    return play["status"] != PlayStatus.GATED or now is None or since is None or now - since > _MERGE_SECONDS


def final_rejection(show: Mapping[str, Any]) -> str | None:
    """The summary of the final gates where they ended the show; None for any other state."""
    verdict = (show.get("metadata") or {}).get("final_verdict")
    if (
        show["status"] != ShowStatus.ABORTED
        or not isinstance(verdict, Mapping)
        or verdict.get("gate_passed") is not False
    ):
        return None
    return str(verdict.get("summary") or "")


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
        None,
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
