"""Claude Code's control protocol: the records that we write to its stdin, and its permission requests as questions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.agents.claude.permission_rules import chosen_rules, rule_options
from lionstudio.agents.records import call_title, text_or_empty, without_empty
from lionstudio.model.coerce import Record, dict_of, list_of
from lionstudio.model.questions import ALLOW, DENY, Answer, AnsweredQuestion, Effect, Question, QuestionKind, replies

_ASK_TOOL, _PLAN_TOOL = "AskUserQuestion", "ExitPlanMode"
_DENIED = "The user denied this action."


def user_record(text: str, uuid: str) -> dict[str, Any]:
    """A message of the user; the program repeats its uuid when it takes it up."""
    message = {"role": "user", "content": [{"type": "text", "text": text}]}
    return {"type": "user", "message": message, "session_id": "", "parent_tool_use_id": None, "uuid": uuid}


def interrupt_record(request_id: str) -> dict[str, Any]:
    return {"type": "control_request", "request_id": request_id, "request": {"subtype": "interrupt"}}


def response_record(request_id: str, response: Mapping[str, Any]) -> dict[str, Any]:
    body = {"subtype": "success", "request_id": request_id, "response": dict(response)}
    return {"type": "control_response", "response": body}


def error_record(request_id: str, error: str) -> dict[str, Any]:
    return {"type": "control_response", "response": {"subtype": "error", "request_id": request_id, "error": error}}


class PermissionRequest(NamedTuple):
    """A call that the program holds until we answer."""

    request_id: str
    call_id: str
    tool: str
    arguments: dict[str, Any]
    suggestions: tuple[Record, ...]  # rules that the program would add
    details: Record

    @classmethod
    def of(cls, request_id: str, request: Record) -> PermissionRequest:
        suggestions = tuple(map(dict_of, list_of(request.get("permission_suggestions"))))
        details = {
            name: request[name]
            for name in ("description", "decision_reason", "blocked_path", "agent_id")
            if request.get(name)
        }
        return cls(
            request_id,
            text_or_empty(request.get("tool_use_id")),
            text_or_empty(request.get("tool_name")) or "unknown tool",
            dict_of(request.get("input")),
            tuple(rule for rule in suggestions if rule.get("behavior", "allow") == "allow"),
            details,
        )

    @property
    def digest(self) -> str:
        """The tool and its arguments, comparable where secrets were removed from them."""
        return _digest(self.tool, self.arguments)

    def question(self, cwd: str) -> Question:
        """The question to a person, with everything the program says about it."""
        evidence = {
            "tool": self.tool,
            "arguments": self.arguments,
            "call_id": self.call_id,
            "cwd": cwd,
            "_digest": self.digest,
            **self.details,
            **without_empty(suggestions=list(self.suggestions)),
        }
        if self.tool == _ASK_TOOL:
            return self._question_in_words(evidence)
        return Question(
            kind=QuestionKind.PERMISSION,
            title=_title(self.tool, self.arguments),
            reason=self.tool,
            evidence=evidence,
            options=(ALLOW, DENY, *rule_options(self.suggestions)),
            takes_text=True,
            takes_arguments=True,
            outlives=True,
        )

    def _question_in_words(self, evidence: Record) -> Question:
        asked = [dict_of(entry) for entry in list_of(self.arguments.get("questions"))]
        texts = [text_or_empty(entry.get("question")) for entry in asked]
        labels = [text_or_empty(dict_of(option).get("label")) for entry in asked for option in _options(entry)]
        single = len(asked) == 1 and not asked[0].get("multiSelect")
        return Question(
            kind=QuestionKind.QUESTION,
            title=" / ".join(filter(None, texts)) or "What next?",
            reason=self.tool,
            evidence={"text": "\n".join(texts), **evidence},
            options=(*(replies(labels) if single else ()), DENY),
            takes_text=True,
            takes_arguments=True,  # {"answers": {question: answer}}, for several questions
            outlives=True,
        )

    def response(self, answered: AnsweredQuestion) -> dict[str, Any]:
        """The answer as the program reads it; words without an option are the reason of a denial."""
        answer, effect = answered.answer, answered.effect
        if self.tool == _ASK_TOOL and effect is not Effect.DENY:
            return {"behavior": "allow", "updatedInput": {**self.arguments, "answers": self._answers(answered)}}
        if effect not in (Effect.ALLOW, Effect.ALLOW_ALWAYS):
            return {"behavior": "deny", "message": answer.text or _DENIED}
        arguments = self.arguments if answer.arguments is None else dict(answer.arguments)
        response: dict[str, Any] = {"behavior": "allow", "updatedInput": arguments}
        if effect is Effect.ALLOW_ALWAYS:
            response["updatedPermissions"] = chosen_rules(answered, self.suggestions)
        return response

    def _answers(self, answered: AnsweredQuestion) -> dict[str, Any]:
        option = answered.question.option(answered.answer.option)
        words = ": ".join(filter(None, [option.label if option else "", answered.answer.text or ""]))
        asked = [text_or_empty(dict_of(entry).get("question")) for entry in list_of(self.arguments.get("questions"))]
        return dict.fromkeys(asked, words) | dict_of((answered.answer.arguments or {}).get("answers"))

    def is_answered_by(self, answered: AnsweredQuestion) -> bool:
        """True for a call that this answer was given to: the same tool with the same, or the changed, arguments."""
        changed = answered.answer.arguments
        return self.digest in (
            answered.question.evidence.get("_digest"),
            None if changed is None else _digest(self.tool, changed),
        )


def is_words(answer: Answer, effect: Effect) -> bool:
    """True for words beside a permission, which the program has no field for."""
    return bool(answer.text) and effect in (Effect.ALLOW, Effect.ALLOW_ALWAYS)


def _digest(tool: str, arguments: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps([tool, arguments], sort_keys=True).encode()).hexdigest()


def _options(asked: Record) -> list[Any]:
    return list_of(asked.get("options"))


def _title(tool: str, arguments: Record) -> str:
    if tool == _PLAN_TOOL:
        plan = text_or_empty(arguments.get("plan")).strip()
        return f"Plan: {plan.splitlines()[0].lstrip('# ') if plan else 'start to work'}"
    return call_title(tool, arguments)
