"""Questions of shows: the row that a show or play which waits for a person must have, and the decision it asks for.

The folder of a show is the truth: a decision is a file first and the answer of a question second. The id of a decision
that answers a question is the id of the question, so both are the same answer, whichever is found first.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput, LionError
from lionstudio.files.shows.decision_log import find_open_question
from lionstudio.files.shows.held_back import HeldBack, find_held_back
from lionstudio.files.shows.plan_reader import parse_plan
from lionstudio.files.shows.show_folder import MOST_BYTES
from lionstudio.model.questions import MAX_TITLE, Answer, AnswerOption, Effect, Question, QuestionKind
from lionstudio.model.redaction.process import redactor
from lionstudio.model.shows.decisions import BudgetPart, ShowQuestion, ShowQuestionKind
from lionstudio.model.shows.plan import Plan, awaits_approval, person_gate
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.shows.show_files import PLAN, VERDICT
from lionstudio.model.status.statuses import PlayStatus, ShowStatus
from lionstudio.show_sync.actions import answers_to, describe_play_actions, describe_show_actions
from lionstudio.state.connection import Connection
from lionstudio.state.exchange.questions import add_question, list_unsettled
from lionstudio.state.shows import list_plays
from lionstudio.system.json_read import find_object, read_object
from lionstudio.system.safe_read import list_folder, read_text

RAISE = "raise"  # the answer to a question about the budget; its words are the amount
_EFFECTS = {"approve": Effect.ALLOW, "reject": Effect.DENY, "redo": Effect.DENY, "escalate": Effect.DENY}
_MOST_OUTPUT = 20_000  # characters of the output of one check; the log has the rest
_MOST_ATTEMPTS = 20
HELD = "held"
_AMOUNT_OPTIONS = {BudgetPart.TOKENS: "tokens", BudgetPart.MONEY: "cost", BudgetPart.TIME: "time"}


def list_waiting(conn: Connection, show: Show) -> list[Question]:
    """The questions that a show must have open, from its rows and its folder; an unreadable folder has none."""
    if show.status is not ShowStatus.ACTIVE or show.is_for_workers:
        return []  # where workers play it, its director asks by rows
    try:
        text = read_text(os.path.join(show.show_dir, PLAN))
    except LionError:
        return []
    plan, _ = parse_plan(show.topic, text)
    plays = [play_question(show, plan, play) for play in list_plays(conn, show.id)] if plan is not None else []
    asked = find_open_question(show.show_dir)
    held = find_held_back(show.topic, show.show_dir, text, show.metadata)
    return [question for question in (*plays, show_question(show, asked, held)) if question is not None]


def play_question(show: Show, plan: Plan, play: Play, facts: Mapping[str, Any] | None = None) -> Question | None:
    """The question of a play that waits for a person; `facts` are added to its evidence."""
    meta = play.metadata.get("meta")
    fields = meta if isinstance(meta, dict) else {}
    gate = None
    if play.status is PlayStatus.ESCALATED:
        why = str(fields.get("reason") or play.gate_feedback or "a person must decide").strip()
        conflict = fields.get("conflict")
        is_conflict = isinstance(conflict, dict) and conflict.get("attempt") == play.attempt
        kind = QuestionKind.CONFLICT if is_conflict else QuestionKind.ESCALATION
        reason = str(fields.get("reason_code") or "escalated")
        title = f"{play.name} is escalated: {_line(why)}"
    elif play.status is PlayStatus.GATED and awaits_approval(plan, play.name, approved=bool(fields.get("approved"))):
        gate = person_gate(plan, play.name)
        kind, reason, why = QuestionKind.GATE, "approval", (gate and gate.prompt) or "its gates passed"
        title = f"{play.name} waits for your approval: {_line(why)}"
    else:
        return None
    planned = plan.play(play.name) if play.name in plan else None
    most = (planned and planned.max_attempts) or plan.max_attempts
    actions = describe_play_actions(play.name, str(play.status), play.attempt, play.collected_head, most_attempts=most)
    folder = os.path.join(show.show_dir, play.name)
    evidence: dict[str, Any] = {
        "question": gate.prompt if gate is not None else None,
        "why": why,
        "subject": {"attempt": play.attempt, "head": play.collected_head},
        "session_id": fields.get("session_id") or play.session_id,
        "branch": play.branch,
        "checks": _checks(os.path.join(folder, VERDICT), show.show_dir, play.attempt),
        "feedback": _feedback(folder, show.show_dir),
        "steering_files": fields.get("steering_files"),
        "left_out": fields.get("left_out"),
        "conflict": fields.get("conflict"),
        "problems": fields.get("problems"),
        **(facts or {}),
    }
    return _question(show, kind, title, reason, evidence, _options(actions), play=play)


def show_question(
    show: Show, asked: ShowQuestion | None, held: HeldBack | None, facts: Mapping[str, Any] | None = None
) -> Question | None:
    """The question about a whole show; None for one that has lost its answers."""
    actions = answers_to(asked, held)
    if asked is None or not actions:
        return None
    options = _options(describe_show_actions(show.topic, actions, asked, held))
    evidence: dict[str, Any] = {"why": asked.reason, **(facts or {})}
    if asked.kind is ShowQuestionKind.BUDGET and asked.part is not None:
        evidence["subject"] = {"part": str(asked.part)}
        options = tuple(option._replace(id=RAISE) for option in options)
        return _question(show, QuestionKind.BUDGET, asked.reason, str(asked.part), evidence, options)
    if held is not None and asked.kind in (ShowQuestionKind.PLAN, ShowQuestionKind.COMMITS):
        evidence |= {"subject": {"plan": held.plan, "commits": sorted(held.shas)}, "held": list(held.lines)}
        return _question(show, QuestionKind.ESCALATION, asked.reason, HELD, evidence, options)
    evidence["subject"] = {}
    return _question(show, QuestionKind.GATE, asked.reason, str(asked.kind), evidence, options)


def _question(
    show: Show,
    kind: QuestionKind,
    title: str,
    reason: str,
    evidence: Mapping[str, Any],
    options: tuple[AnswerOption, ...],
    *,
    play: Play | None = None,
) -> Question:
    known = {name: value for name, value in evidence.items() if value not in (None, [], ())}
    clean: dict[str, Any] = redactor().record(known)
    return Question(
        kind=kind,
        title=redactor().text(title)[:MAX_TITLE],
        show_topic=show.topic,
        play_name=None if play is None else play.name,
        attempt=None if play is None else play.attempt,
        reason=reason,
        evidence=clean,
        options=options,
        takes_text=True,
    )


def _options(actions: Iterable[Mapping[str, Any]]) -> tuple[AnswerOption, ...]:
    return tuple(
        AnswerOption(
            action["action"],
            action["label"],
            _EFFECTS[action["action"]],
            any(field["required"] for field in action["fields"]),
            action["what"],
        )
        for action in actions
    )


def _checks(path: str, root: str, attempt: int) -> list[dict[str, Any]]:
    """The results of the gates on this attempt."""
    try:
        verdict = read_object(path, most=MOST_BYTES, root=root) if os.path.lexists(path) else {}
    except LionError:
        return []
    checks = verdict.get("checks") if verdict.get("attempt", attempt) == attempt else None
    return [
        {name: value[-_MOST_OUTPUT:] if isinstance(value, str) else value for name, value in check.items()}
        for check in (checks if isinstance(checks, list) else [])
        if isinstance(check, dict)
    ]


def _feedback(folder: str, root: str) -> list[dict[str, Any]]:
    """The feedback of the attempts that failed."""
    try:
        names = [item.name for item in list_folder(os.path.join(folder, "attempts")) if item.name.isdecimal()]
        verdicts = {
            int(name): find_object(os.path.join(folder, "attempts", name, "verdict.json"))
            for name in sorted(names, key=int)[-_MOST_ATTEMPTS:]
            if len(name) < 6
        }
    except LionError:
        return []
    return [
        {"attempt": attempt, "feedback": str(verdict.get("feedback") or verdict.get("summary"))[:_MOST_OUTPUT]}
        for attempt, verdict in verdicts.items()
        if isinstance(verdict, dict) and verdict.get("gate_passed") is False
    ]


def _line(text: str) -> str:
    return text.strip().partition("\n")[0]


# ── rows ──


def is_same(one: Question, other: Question) -> bool:
    """Whether two questions ask for the same decision."""
    same = (one.fingerprint, one.attempt) == (other.fingerprint, other.attempt)
    return same and one.evidence.get("subject") == other.evidence.get("subject")


def missing_questions(conn: Connection, show: Show) -> list[Question]:
    """Questions that a show must have open and that have no row; one whose answer is being carried out has one."""
    wanted = list_waiting(conn, show)
    unsettled = list_unsettled(conn, show.topic) if wanted else []
    return [question for question in wanted if not any(is_same(question, other) for other in unsettled)]


def ask(conn: Connection, question: Question) -> Question | None:
    """Store a question unless it is open already, or its answer is being carried out; None then."""
    assert question.show_topic is not None
    if any(is_same(question, other) for other in list_unsettled(conn, question.show_topic)):
        return None
    add_question(conn, question)
    return question


def find_unsettled(conn: Connection, topic: str, play: str | None, reasons: Sequence[str] | None) -> Question | None:
    """The question of a play, or the one about the show with one of these reasons, until its answer is taken."""
    return next(
        (
            question
            for question in list_unsettled(conn, topic)
            if question.play_name == play and (reasons is None or question.reason in reasons)
        ),
        None,
    )


def reasons_of(*, budget: Iterable[str] | None, held: bool) -> list[str]:
    """The reasons of the question that a decision about the whole show answers."""
    if budget:
        columns = {"tokens": BudgetPart.TOKENS, "cost_microusd": BudgetPart.MONEY, "seconds": BudgetPart.TIME}
        return [str(columns[name]) for name in budget]
    return [HELD] if held else [str(ShowQuestionKind.FINAL), str(ShowQuestionKind.OTHER)]


# ── the decision that an answer makes ──


class DecisionOfAnswer(NamedTuple):
    """A decision in the words of `li show` and of `POST /api/shows/{topic}/actions`."""

    action: str
    topic: str
    play: str | None
    feedback: str | None
    granted: dict[str, str]
    shown: dict[str, Any]


def decision_of(question: Question, answer: Answer) -> DecisionOfAnswer:
    """The decision that an answer makes; raises InvalidInput for an answer that is not one."""
    question.check_answer(answer)
    if answer.option is None or question.show_topic is None:
        offered = ", ".join(option.id for option in question.options)
        raise InvalidInput("a show needs one of its answers, not words alone", hint=f"use one of: {offered}")
    subject = question.evidence.get("subject")
    shown = {name: value for name, value in subject.items() if value} if isinstance(subject, Mapping) else {}
    if answer.option == RAISE:
        part = BudgetPart(question.reason)
        granted = {_AMOUNT_OPTIONS[part]: (answer.text or "").strip()}
        return DecisionOfAnswer("approve", question.show_topic, None, None, granted, {})
    return DecisionOfAnswer(answer.option, question.show_topic, question.play_name, answer.text, {}, shown)
