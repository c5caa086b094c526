"""Computed states: the thresholds of ADR-0019 to the letter, and every label, tone and reason."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

import lionstudio
from lionstudio.model.status import computed_state
from lionstudio.model.status.computed_state import (
    HEALTHS,
    Proof,
    State,
    effective_health,
    play_state,
    session_state,
    show_state,
    staleness_check,
    team_state,
)
from lionstudio.model.status.reasons import REASONS, Reason, reason, reason_of_stored
from lionstudio.model.status.statuses import (
    DISPLAY_MAP,
    PLAYS,
    SHOWS,
    TEAMS,
    InvocationKind,
    PlayStatus,
    SessionStatus,
    ShowStatus,
    TeamStatus,
)
from lionstudio.model.status.vocabulary import DELIVERIES, SEVERITIES

NOW = 1_000_000.0
HOUR = 3600.0
SOURCE = Path(lionstudio.__file__).parent


def run(**fields: Any) -> dict[str, Any]:
    return {"status": "running", "owner": {"pid": 1}, "started_at": NOW, "updated_at": NOW, **fields}


# ── ADR-0019 B2, as it is printed there ──────────────────────────────────

PRINTED = {"agent": 6, "play": 6, "flow": 12, "fanout": 12, "show-play": 12, None: 6, "unheard of": 6}


@pytest.mark.parametrize(("kind", "hours"), PRINTED.items())
def test_staleness_check_is_stale_beyond_the_threshold(kind: str | None, hours: int) -> None:
    for silent, answer in ((hours * HOUR, None), (hours * HOUR + 0.001, "stale"), (0.0, None), (-60.0, None)):
        assert staleness_check(run(invocation_kind=kind, last_message_at=NOW - silent), now=NOW) == answer


def test_stale_thresholds_are_those_of_adr_0019() -> None:
    assert dict(computed_state.STALE_THRESHOLDS) == {kind: hours * 3600 for kind, hours in list(PRINTED.items())[:5]}
    assert computed_state.DEFAULT_STALE_THRESHOLD == 6 * 3600
    assert set(computed_state.STALE_THRESHOLDS) == set(InvocationKind)


@pytest.mark.parametrize("status", [status for status in SessionStatus if status != "running"] + [None, "odd"])
def test_staleness_check_ignores_ended_runs(status: str | None) -> None:
    assert staleness_check(run(status=status, last_message_at=0.0), now=NOW) is None


def test_staleness_check_prefers_the_last_message() -> None:
    long_ago, now = NOW - 7 * HOUR, NOW
    assert staleness_check(run(last_message_at=long_ago, updated_at=now), now=NOW) == "stale"
    assert staleness_check(run(last_message_at=now, updated_at=long_ago), now=NOW) is None
    assert staleness_check(run(last_message_at=None, updated_at=now), now=NOW) is None
    assert staleness_check(run(last_message_at=0, updated_at=long_ago), now=NOW) == "stale"
    assert staleness_check({"status": "running"}, now=NOW) == "stale"


def test_stale_is_computed_and_never_stored() -> None:
    session = run(last_message_at=NOW - 7 * HOUR)
    before = dict(session)
    assert effective_health(session, now=NOW) == "stale"
    assert session == before
    assert "stale" not in {*SessionStatus, *HEALTHS}


# ── A run ────────────────────────────────────────────────────────────────

ALIVE, DEAD, UNKNOWN = (
    Proof("alive", ("it lives",)),
    Proof("dead", ("pid 7 is gone",)),
    Proof("unknown", ("other host",)),
)
SILENT = {"last_message_at": NOW - 7 * HOUR}
QUIET = {"last_message_at": NOW - 11 * 60}
TALKING = {"last_message_at": NOW - 5}

HEALTH: dict[str, tuple[dict[str, Any], Proof | None, str, str]] = {
    "talking": (run(**TALKING), ALIVE, "running", "neutral"),
    "talking, without a proof": (run(**TALKING), None, "running", "neutral"),
    "quiet": (run(**QUIET), ALIVE, "idle", "info"),
    "just started": (run(), ALIVE, "running", "neutral"),
    "started and said nothing": (run(started_at=NOW - 20 * 60), None, "idle", "info"),
    "without any time": ({"status": "running", "updated_at": NOW}, None, "running", "neutral"),
    "waiting": (run(health="waiting", **QUIET), ALIVE, "waiting", "warning"),
    "waiting for seven hours": (run(health="waiting", **SILENT), UNKNOWN, "waiting", "warning"),
    "silent": (run(**SILENT), ALIVE, "stalled", "warning"),
    "silent, cannot be told": (run(**SILENT), UNKNOWN, "stalled", "warning"),
    "silent without an owner": (run(owner=None, **SILENT), None, "orphaned", "warning"),
    "cannot be told": (run(**TALKING), UNKNOWN, "unknown", "info"),
    "dead": (run(**TALKING), DEAD, "process_dead", "critical"),
    "dead and silent": (run(**SILENT), DEAD, "process_dead", "critical"),
    "dead and waiting": (run(health="waiting"), DEAD, "process_dead", "critical"),
    "times in words": (run(last_message_at="x", started_at="y", updated_at="z"), None, "stalled", "warning"),
}


@pytest.mark.parametrize("what", HEALTH)
def test_session_state_health(what: str) -> None:
    session, proof, health, severity = HEALTH[what]

    state = session_state(session, now=NOW, proof=proof)

    assert (state.lifecycle, state.health, state.severity) == ("running", health, severity)
    reasons = {one.code: one.evidence for one in state.reasons}
    if health == "running":
        assert (reasons, state.label, state.tone) == ({}, "running", "info")
    else:
        [(code, evidence)] = reasons.items()
        assert code.startswith("run.health.")
        assert evidence is not None
        assert evidence.startswith(proof.evidence[0] if proof else ("last message", "no message"))
        assert state.label.startswith("running · ")
        assert state.tone == {"critical": "danger", "warning": "warning"}.get(severity, "info")


def test_session_state_evidence_has_the_silence() -> None:
    spans = {5: "5 s", 59: "59 s", 60: "1 min", 3599: "60 min", 2 * 3600: "2 h", 86400 * 3: "3 d", -5: "0 s"}
    for seconds, words in spans.items():
        state = session_state(run(last_message_at=NOW - seconds), now=NOW, proof=UNKNOWN)
        assert state.reasons[-1].evidence == f"other host · last message {words} ago"
    assert session_state(run(last_message_at=None), now=NOW, proof=UNKNOWN).reasons[-1].evidence == (
        "other host · no message yet"
    )


ENDS: dict[str, tuple[dict[str, Any], State]] = {
    "completed": ({}, State("completed", "ok", "not_expected", "neutral", "success", "completed")),
    "failed": (
        {"exit_code": 3},
        State(
            "failed",
            "ok",
            "not_expected",
            "critical",
            "danger",
            "failed",
            (reason("run.failed.exit_nonzero", "exit code 3"),),
        ),
    ),
    "failed ": (
        {},
        State("failed", "ok", "not_expected", "critical", "danger", "failed", (reason("run.failed.exit_nonzero"),)),
    ),
    "failed  ": (
        {"reason_codes": ["run.failed.process_dead"]},
        State("failed", "ok", "not_expected", "critical", "danger", "failed", (reason("run.failed.process_dead"),)),
    ),
    "timed_out": (
        {},
        State(
            "timed_out", "ok", "not_expected", "warning", "warning", "timed out", (reason("run.timed_out.deadline"),)
        ),
    ),
    "aborted": (
        {},
        State("aborted", "ok", "not_expected", "neutral", "neutral", "aborted", (reason("run.aborted.interrupt"),)),
    ),
    "cancelled": (
        {"reason_codes": ["run.cancelled.orchestrator", "of.tomorrow"]},
        State(
            "cancelled",
            "ok",
            "not_expected",
            "neutral",
            "neutral",
            "cancelled",
            (reason("run.cancelled.orchestrator"), Reason("of.tomorrow", "of.tomorrow")),
        ),
    ),
    "odd": ({}, State("odd", "ok", "not_expected", "neutral", "neutral", "odd")),
}


@pytest.mark.parametrize("status", ENDS)
def test_session_state_of_an_ended_run(status: str) -> None:
    fields, wanted = ENDS[status]

    state = session_state({"status": status.strip(), **fields}, now=NOW, proof=DEAD)

    assert state[:7] == wanted[:7]
    assert (state.evaluated_at, state.source) == (NOW, "sqlite")
    assert effective_health({"status": status.strip(), **fields}, now=NOW) == "ok"


def test_session_state_without_status_is_completed() -> None:
    assert session_state({"status": None}, now=NOW).lifecycle == "completed"


def test_session_state_shows_denied_actions() -> None:
    row = {"status": "completed", "delivery": "partial", "reason_codes": ["run.permission_denied"]}
    state = session_state(row | {"metadata": {"ended_with": "1 action was denied (Bash)"}}, now=NOW)

    assert (state.label, state.severity, state.tone) == ("completed · actions denied", "warning", "warning")
    assert [(one.code, one.evidence) for one in state.reasons] == [
        ("run.permission_denied", "1 action was denied (Bash)")
    ]


def test_session_state_of_an_imported_run_has_the_error_of_its_transcript() -> None:
    row = {
        "reason_codes": ["run.failed.provider_error"],
        "metadata": {"mirror": {"failed": "API Error: 529 overloaded"}},
    }

    assert session_state({"status": "failed", **row}, now=NOW).reasons[0].evidence == "API Error: 529 overloaded"
    assert session_state({"status": "completed", **row}, now=NOW).reasons[0].evidence is None


TRACEBACK = "Traceback (most recent call last):\n  File 'a.py', line 1\nValueError: no such thing\n"


@pytest.mark.parametrize(
    ("row", "summary"),
    [
        ({"status": "failed"}, REASONS["run.failed.exit_nonzero"]),
        ({"status": "failed", "exit_code": 2}, "exit code 2"),
        ({"status": "failed", "exit_code": 2, "metadata": {"ended_with": TRACEBACK}}, "ValueError: no such thing"),
        ({"status": "failed", "exit_code": 2, "metadata": {"ended_with": "\n"}}, "exit code 2:"),
        ({"status": "failed", "metadata": {"mirror": {"failed": "overloaded\nretry"}}}, "overloaded"),
        ({"status": "failed", "metadata": {"ended_with": "x" * 400}}, "x" * 299 + "…"),
        ({"status": "completed", "metadata": {"ended_with": "fine"}}, None),
    ],
)
def test_session_state_summary_is_the_reason_in_one_line(row: dict[str, Any], summary: str | None) -> None:
    assert session_state(row, now=NOW).summary == summary


@pytest.mark.parametrize("delivery", DELIVERIES)
def test_session_state_includes_the_delivery(delivery: str) -> None:
    state = session_state({"status": "completed", "delivery": delivery}, now=NOW)

    fine = delivery in ("passed", "not_expected")
    assert (state.delivery, state.severity) == (delivery, "neutral" if fine else "warning")
    assert [one.code for one in state.reasons] == ([] if fine else [f"run.delivery.{delivery}"])


def test_session_state_has_the_worst_severity() -> None:
    state = session_state(run(delivery="missing", **TALKING), now=NOW, proof=DEAD)

    assert (state.severity, state.tone) == ("critical", "danger")


# ── Plays, shows, teams ──────────────────────────────────────────────────

EXPECTED_PLAYS: dict[str, tuple[str, str, str, list[str]]] = {
    "pending": ("ok", "neutral", "warning", []),
    "prepared": ("ok", "neutral", "warning", []),
    "running": ("running", "neutral", "info", []),
    "running_complete": ("ok", "neutral", "warning", []),
    "gated": ("waiting", "warning", "warning", ["play.gate.waiting"]),
    "gate_failed": ("ok", "critical", "danger", ["play.gate.failed"]),
    "redoing": ("ok", "neutral", "info", []),
    "merged": ("ok", "neutral", "success", []),
    "escalated": ("waiting", "critical", "danger", ["play.escalated"]),
    "blocked": ("ok", "warning", "warning", ["play.blocked.dependency_failed"]),
    "aborted_after_finish": ("ok", "neutral", "neutral", []),
}


@pytest.mark.parametrize("status", PlayStatus)
def test_play_state(status: PlayStatus) -> None:
    health, severity, tone, codes = EXPECTED_PLAYS[status]

    state = play_state({"status": status, "gate_feedback": "because"})

    assert (state.lifecycle, state.health, state.severity, state.tone) == (status, health, severity, tone)
    assert [one.code for one in state.reasons] == codes
    assert state.label == DISPLAY_MAP[status]
    assert (state.group, state.outcome) == (PLAYS[status].group, PLAYS[status].outcome)
    if status in ("gate_failed", "escalated"):
        assert state.reasons[0].evidence == "because"


def test_play_state_of_an_attempt_that_no_worker_has() -> None:
    state = play_state({"status": "running"}, wait="no connected worker has the label gpu")

    assert (state.label, state.tone, state.health) == ("waits for a worker", "warning", "ok")
    assert play_state({"status": "running_complete"}, wait="busy").label == "awaiting gate"


def test_play_state_of_a_gated_play_that_no_person_is_asked_about() -> None:
    state = play_state({"status": "gated", "gate_passed": True}, asked=False)

    assert (state.label, state.severity, state.health, state.reasons) == ("awaiting merge", "neutral", "ok", ())


def test_play_state_names_the_blocking_plays() -> None:
    state = play_state({"status": "pending"}, blocked_by=("a", "b"))

    assert (state.severity, state.reasons) == ("warning", (reason("play.blocked.dependency_failed", "a, b"),))


@pytest.mark.parametrize(
    ("passed", "delivery"), [(None, "not_expected"), (1, "passed"), (0, "invalid"), (True, "passed")]
)
def test_play_state_delivery_follows_the_gate(passed: object, delivery: str) -> None:
    assert play_state({"status": "merged", "gate_passed": passed}).delivery == delivery


@pytest.mark.parametrize("status", ShowStatus)
def test_show_state(status: ShowStatus) -> None:
    calm = show_state({"status": status}, [{"name": "a", "status": "merged"}])
    needy = show_state({"status": status}, [{"name": n, "status": s} for n, s in (("z", "gated"), ("b", "escalated"))])

    aborted = [reason("show.aborted")] if status is ShowStatus.ABORTED else []
    assert calm.health == ("running" if status is ShowStatus.ACTIVE else "ok")
    assert (calm.severity, list(calm.reasons)) == ("neutral", aborted)
    if status is ShowStatus.ABORTED:
        assert needy == calm  # its plays wait for no one
        return
    assert (needy.health, needy.severity, needy.tone) == ("waiting", "warning", "warning")
    assert list(needy.reasons) == [reason("show.attention", "b, z"), *aborted]
    assert (calm.group, calm.label) == (SHOWS[status].group, status)


@pytest.mark.parametrize("status", TeamStatus)
def test_team_state(status: TeamStatus) -> None:
    reasons = (reason("team.archived"),) if status is TeamStatus.ARCHIVED else ()
    tone = "info" if status is TeamStatus.ACTIVE else "neutral"

    state = team_state({"status": status}, now=NOW)

    assert state[:7] == (status, "ok", "not_expected", "neutral", tone, status, reasons)
    assert (state.group, state.icon, state.evaluated_at) == (TEAMS[status].group, TEAMS[status].icon, NOW)


def test_state_to_dict() -> None:
    state = session_state({"status": "failed", "exit_code": 2}, now=NOW)

    assert state.to_dict() == {
        "lifecycle": "failed",
        "health": "ok",
        "delivery": "not_expected",
        "severity": "critical",
        "tone": "danger",
        "label": "failed",
        "reasons": [
            {
                "code": "run.failed.exit_nonzero",
                "message": REASONS["run.failed.exit_nonzero"],
                "evidence": "exit code 2",
                "claim_status": "observed",
            }
        ],
        "summary": "exit code 2",
        "group": "failed",
        "icon": "cross",
        "outcome": "failed",
        "evaluated_at": NOW,
        "source": "sqlite",
    }


def test_state_icon_is_that_of_the_health_before_the_status() -> None:
    icons = {proof: session_state(run(**TALKING), now=NOW, proof=proof).icon for proof in (ALIVE, DEAD, UNKNOWN)}

    assert icons == {ALIVE: "spinner", DEAD: "disconnected", UNKNOWN: "spinner"}
    assert session_state({"status": "odd"}, now=NOW).icon == "circle"
    assert play_state({"status": "escalated"}).icon == "person"  # the health `waiting` comes first
    assert play_state({"status": "merged"}).icon == "merge"


def test_reason_says_if_it_was_observed_or_inferred() -> None:
    claims = {code: reason(code).claim_status for code in REASONS}

    assert {code for code, claim in claims.items() if claim == "inferred"} == {
        "run.failed.out_of_memory",
        "run.health.stale",
        "run.health.orphaned",
        "run.health.owner_unknown",
        "play.blocked.dependency_failed",
    }
    assert set(claims.values()) == {"observed", "inferred"}


# ── Vocabularies ────────────────────────────────────────────────────────────────


def test_display_map_has_exactly_the_closed_vocabularies() -> None:
    assert set(DISPLAY_MAP) == {*SessionStatus, *PlayStatus}
    assert not {"done", "success", "error", "finished"} & set(DISPLAY_MAP)
    assert DISPLAY_MAP["running"] == "running"


def test_severities_are_ordered() -> None:
    assert SEVERITIES == ("neutral", "info", "warning", "critical")


# A run's codes are also stored with its row, so they stand in many places; the others are only given to `reason`.
OF_A_RUN = re.compile(r"run\.(failed|timed_out|aborted|cancelled|health|delivery)\.[a-z_]+")


def codes_in_source() -> dict[str, str]:
    """Every reason code in the sources with its file."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            given = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "reason"
            value = node.args[0] if isinstance(node, ast.Call) and given else node
            if isinstance(node, ast.keyword) and node.arg == "reason" and path.name == "statuses.py":
                given, value = True, node.value
            text = value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""
            if given or OF_A_RUN.fullmatch(text):
                found[text] = str(path.relative_to(SOURCE))
    return found


def test_reason_codes_in_the_source_are_registered() -> None:
    used = codes_in_source()

    # those that are looked up or put together have no text of their own
    assert {code: file for code, file in used.items() if code and code not in REASONS} == {}
    assert {"run.failed.exit_nonzero", "play.gate.failed", "team.archived"} <= set(used)


def test_reasons_are_sentences() -> None:
    assert [code for code, sentence in REASONS.items() if not re.fullmatch(r"[A-Z].*\.", sentence)] == []
    with pytest.raises(KeyError):
        reason("not.registered")
    assert reason_of_stored("not.registered") == Reason("not.registered", "not.registered")


@pytest.mark.parametrize("code", ["run.failed.answer_cut", "run.failed.content_filter", "run.failed.stream_broken"])
def test_session_state_shows_incomplete_answers(code: str) -> None:
    state = session_state({"status": "failed", "delivery": "partial", "reason_codes": [code]}, now=NOW)

    assert state.label == "failed · answer incomplete"
    assert [reason.code for reason in state.reasons] == [code]


@pytest.mark.parametrize("exit_code", [None, 0, 1])
@pytest.mark.parametrize("status", [*(str(status) for status in SessionStatus), None, "of another tool"])
def test_session_state_of_a_run_without_notes_is_that_of_any_run(status: str | None, exit_code: int | None) -> None:
    row: dict[str, object] = {
        "status": status,
        "exit_code": exit_code,
        "updated_at": NOW,
        "reason_codes": [],
        "metadata": {},
    }
    known = session_state(row, now=NOW + 0.5)

    # a metadata that says nothing takes the long way
    assert session_state({**row, "metadata": {"x": 1}}, now=NOW + 0.5) == known
