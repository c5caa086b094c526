"""Questions to a person, answers, and messages to running agents."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from lionstudio.studio.schemas.shared import Read, RequestModel, ResponseModel

MOST_SHOWN = 1000


class OptionView(ResponseModel):
    """One possible answer; `effect` says what it does."""

    id: str
    label: str
    effect: Literal["allow", "allow_always", "deny", "reply"]
    needs_text: bool = Field(description="words must come with it: feedback, or an amount")
    detail: str | None = Field(description="the effect in words")


class AnswerView(ResponseModel):
    """The answer that was given."""

    option: str | None = None
    text: str | None = None
    arguments: dict[str, Any] | None = None


class QuestionView(ResponseModel):
    """A question; `evidence` is what is asked, in full (`evidence_cut` in lists, when it is long)."""

    id: str
    created_at: float
    kind: Literal["permission", "question", "gate", "budget", "escalation", "conflict"]
    status: Literal["asked", "shown", "answered", "taken", "withdrawn", "expired"]
    title: str
    fingerprint: str
    session_id: str | None
    session_name: str | None
    branch_id: str | None
    show_topic: str | None
    play_name: str | None
    attempt: int | None
    reason: str
    evidence: dict[str, Any]
    evidence_cut: bool
    options: list[OptionView]
    takes_text: bool
    takes_arguments: bool
    outlives: bool
    shown_at: float | None
    answered_at: float | None
    answer: AnswerView | None
    answered_by: str | None
    answered_from: dict[str, Any] | None
    taken_at: float | None
    taken_ord: int | None
    taken_session: str | None
    closed_reason: str | None
    machine: str | None = Field(description="the machine that it is answered on; null: here")


class QuestionList(Read):
    """Questions, and the number of all that are open."""

    questions: list[QuestionView]
    open: int


class QuestionDetail(Read):
    """One question."""

    question: QuestionView


class NewAnswer(RequestModel):
    """An answer: an option, words, or changed arguments of the tool."""

    option: str | None = Field(None, max_length=200)
    text: str | None = Field(None, max_length=1_000_000)
    arguments: dict[str, Any] | None = None


class ShownQuestions(RequestModel):
    """Questions that a page has displayed."""

    ids: list[str] = Field(max_length=MOST_SHOWN)


class NewSessionMessage(RequestModel):
    """A message to a running agent; without `delivery` in the usual way of its program."""

    text: str = Field(min_length=1, max_length=1_000_000)
    delivery: Literal["now", "next", "instead"] | None = None


class ReceiptView(ResponseModel):
    """A message to a running agent; `taken_ord` is null while it is queued."""

    id: str
    created_at: float
    sender: str | None
    text: str
    delivery: str | None
    taken_ord: int | None


class SessionInbox(Read):
    """The messages to a session, and how one can be written now (empty: not at all)."""

    messages: list[ReceiptView]
    deliveries: list[Literal["now", "next", "instead"]]


class SentToSession(Read):
    """The message that was queued."""

    message: ReceiptView
