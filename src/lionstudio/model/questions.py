"""Questions: everything that waits for a person, the answers that are possible, and the answer that was given."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, NamedTuple, Self

from lionstudio.errors import InvalidInput
from lionstudio.model.coerce import dict_of, list_of, text_or_none, to_enum
from lionstudio.model.ids import new_id
from lionstudio.model.json_codec import jsonable

MAX_TITLE = 300  # characters, also of a label; what is asked in full is in the evidence
MAX_OPTIONS = 50
MAX_OPTION_ID = 200  # characters
MAX_ANSWER = 1_000_000  # characters of words and arguments
_OF_ONE_CALL = frozenset({"call_id", "suggestions"})  # of the evidence: other ones when the call is made again


class QuestionKind(StrEnum):
    """The subject of a question."""

    PERMISSION = "permission"  # an agent may not act before it is allowed
    QUESTION = "question"  # an agent asks in words
    GATE = "gate"  # of a play, or the final one of a show
    BUDGET = "budget"
    ESCALATION = "escalation"  # a play that failed too often, or that needs a decision
    CONFLICT = "conflict"  # a merge that the agent could not resolve


class QuestionStatus(StrEnum):
    """Asked and shown are open; all others are final, except answered, which becomes taken."""

    ASKED = "asked"
    SHOWN = "shown"  # a surface has displayed it
    ANSWERED = "answered"
    TAKEN = "taken"  # the agent has the answer
    WITHDRAWN = "withdrawn"  # by the asker: answered in its own terminal, interrupted, ended
    EXPIRED = "expired"  # the vendor's own time limit; its default holds


OPEN = frozenset({QuestionStatus.ASKED, QuestionStatus.SHOWN})


class Effect(StrEnum):
    """The effect of an option, so that every surface can colour, order and script it."""

    ALLOW = "allow"
    ALLOW_ALWAYS = "allow_always"  # writes the vendor's own rule
    DENY = "deny"
    REPLY = "reply"  # of a question in words


class AnswerOption(NamedTuple):
    """One possible answer."""

    id: str
    label: str
    effect: Effect = Effect.REPLY
    needs_text: bool = False  # words must come with it: feedback, or an amount
    detail: str | None = None  # the effect in words


ALLOW = AnswerOption("allow", "Allow", Effect.ALLOW)
DENY = AnswerOption("deny", "Deny", Effect.DENY)


class Answer(NamedTuple):
    """An option, words (the reason of a denial, a reply), or changed arguments of the tool."""

    option: str | None = None
    text: str | None = None
    arguments: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        return {name: value for name, value in self._asdict().items() if value is not None}

    @classmethod
    def from_dict(cls, data: Any) -> Answer:
        fields = dict_of(data)
        arguments = fields.get("arguments")
        return cls(
            text_or_none(fields.get("option")),
            text_or_none(fields.get("text")),
            arguments if isinstance(arguments, dict) else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One row of `questions`."""

    kind: QuestionKind
    title: str  # one line: `Bash: npm test`, or the question itself
    id: str = field(default_factory=new_id)
    created_at: float = field(default_factory=time.time)
    status: QuestionStatus = QuestionStatus.ASKED
    session_id: str | None = None
    branch_id: str | None = None
    show_topic: str | None = None
    play_name: str | None = None
    attempt: int | None = None
    reason: str = ""  # the last part of the fingerprint: the tool, the gate, the part of the budget
    # what is asked, in full: tool, arguments, call_id, cwd, text, diff, suggestions … whatever the asker knows; a name
    # with an underscore is a note of the asker for itself, which no surface displays
    evidence: Mapping[str, Any] = field(default_factory=dict)
    options: tuple[AnswerOption, ...] = ()
    takes_text: bool = False  # words are an answer, alone or beside an option
    takes_arguments: bool = False  # the arguments of the tool may be changed
    outlives: bool = False  # answered after its run has died, it is continued from the answer
    shown_at: float | None = None
    answered_at: float | None = None
    answer: Answer | None = None
    answered_by: str | None = None
    answered_from: Mapping[str, Any] | None = None  # the origin of the caller: process, terminal, page
    taken_at: float | None = None
    taken_ord: int | None = None  # the message of the session after which the agent had the answer
    taken_session: str | None = None  # the run that took it, if another one continued
    closed_reason: str | None = None  # why it was withdrawn or expired

    @property
    def is_open(self) -> bool:
        return self.status in OPEN

    @property
    def is_about_show(self) -> bool:
        """Whether a director asks, not an agent: a decision about the show answers it."""
        return self.show_topic is not None and self.session_id is None

    @property
    def entity(self) -> str:
        """The play, show or run that asks."""
        if self.show_topic is not None:
            return "/".join(filter(None, (self.show_topic, self.play_name)))
        return self.session_id or ""

    @property
    def fingerprint(self) -> str:
        return f"{self.kind}:{self.entity}:{self.reason}"

    def asks_the_same(self, other: Question) -> bool:
        """True if a person would see the same in both: the answer to one decides about the other."""
        return self.kind is other.kind and bool(self.evidence) and self._seen() == other._seen()

    def _seen(self) -> dict[str, Any]:
        return {name: value for name, value in jsonable(dict(self.evidence)).items() if name not in _OF_ONE_CALL}

    def to_dict(self) -> dict[str, Any]:
        """JSON values, for files and for the API."""
        data = {item.name: getattr(self, item.name) for item in fields(self)}
        return data | {
            "kind": str(self.kind),
            "status": str(self.status),
            "evidence": dict(self.evidence),
            "options": [option._asdict() for option in self.options],
            "answer": None if self.answer is None else self.answer.to_dict(),
            "fingerprint": self.fingerprint,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Question:
        """The question of `to_dict`, or of a row whose JSON columns are loaded."""
        names = {item.name for item in fields(cls)}
        answer, evidence = data.get("answer"), data.get("evidence")
        changed = {
            "kind": QuestionKind(data["kind"]),
            "status": QuestionStatus(data["status"]),
            "evidence": evidence if isinstance(evidence, dict) else {"unreadable": evidence},
            "options": parse_options(data.get("options")),
            "takes_text": bool(data.get("takes_text")),
            "takes_arguments": bool(data.get("takes_arguments")),
            "outlives": bool(data.get("outlives")),
            "answer": None if answer is None else Answer.from_dict(answer),
        }
        return cls(**{name: value for name, value in data.items() if name in names} | changed)

    def option(self, option_id: str | None) -> AnswerOption | None:
        return next((option for option in self.options if option.id == option_id), None)

    def effect_of(self, answer: Answer) -> Effect:
        option = self.option(answer.option)
        return Effect.REPLY if option is None else option.effect

    def check_answer(self, answer: Answer) -> None:
        """Raise InvalidInput for an answer that the asker did not offer."""
        offered = ", ".join(option.id for option in self.options)
        if answer.option is not None and self.option(answer.option) is None:
            raise InvalidInput(
                f"{answer.option!r:.60} is not an answer to this question",
                hint=f"use one of: {offered}" if offered else "answer in words",
            )
        if answer.option is None and not (answer.text and self.takes_text):
            hint = f"use one of: {offered}" if offered else "answer in words"
            raise InvalidInput("the answer is empty", hint=hint)
        option = self.option(answer.option)
        if option is not None and option.needs_text and not (answer.text or "").strip():
            raise InvalidInput(f"the answer {option.id} needs words", hint=option.detail or "say why in `text`")
        if answer.arguments is not None and not self.takes_arguments:
            raise InvalidInput("the arguments of this call cannot be changed", hint="allow or deny it as it is")
        if len(answer.text or "") > MAX_ANSWER:
            raise InvalidInput(f"the answer is longer than {MAX_ANSWER:,} characters", hint="put it into a file")


def shortened(question: Question, redact: Callable[[str], str]) -> Question:
    """The question with short lines and few options, because lists contain them; it can still be declined."""

    def line(text: str) -> str:
        # redacted before it is shortened: no rule matches half a secret
        return " ".join(redact(text[: 4 * MAX_TITLE]).split())[:MAX_TITLE]

    offered = [option for option in question.options if len(option.id) <= MAX_OPTION_ID]
    kept, rest = offered[:MAX_OPTIONS], offered[MAX_OPTIONS:]
    if not any(option.effect is Effect.DENY for option in kept):
        kept += [option for option in rest if option.effect is Effect.DENY][:1]
    options = (
        option._replace(label=line(option.label), detail=option.detail and line(option.detail)) for option in kept
    )
    return replace(question, title=line(question.title), reason=line(question.reason), options=tuple(options))


def parse_options(value: Any) -> tuple[AnswerOption, ...]:
    """The options of a stored row; one that is damaged is left out."""
    return tuple(
        AnswerOption(
            option["id"],
            str(option.get("label") or option["id"]),
            to_enum(Effect, option.get("effect")) or Effect.REPLY,
            option.get("needs_text") is True,
            text_or_none(option.get("detail")),
        )
        for option in map(dict_of, list_of(value))
        if isinstance(option.get("id"), str)
    )


class AnsweredQuestion(NamedTuple):
    """A question with its answer, for the agent that takes it."""

    question: Question
    answer: Answer

    @property
    def effect(self) -> Effect:
        return self.question.effect_of(self.answer)

    @classmethod
    def of(cls, question: Question) -> Self:
        return cls(question, question.answer or Answer())


def replies(labels: Iterable[str]) -> tuple[AnswerOption, ...]:
    """Options in words, as an agent offers them."""
    return tuple(AnswerOption(str(number), label) for number, label in enumerate(labels, 1))
