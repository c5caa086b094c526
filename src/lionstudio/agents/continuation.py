"""Continue a conversation whose program ended while a question waited, or that its program has lost."""

from __future__ import annotations

import json
from collections.abc import Sequence

from lionstudio.agents.events import Event, MessageEvent, MetadataEvent
from lionstudio.agents.jsonl_process import notice
from lionstudio.agents.provider import Task
from lionstudio.model.questions import AnsweredQuestion, Effect, QuestionKind

_MOST_ARGUMENTS = 20_000  # characters of the arguments of a call


def continuation_text(answered: Sequence[AnsweredQuestion]) -> str:
    """Tell the agent which of its questions were answered, and how."""
    lines = ["You were stopped while you waited for the user. The user has answered; continue your work."]
    return "\n\n".join([*lines, *map(_paragraph, answered)])


def history_sent(program: str, task: Task, problem: str) -> list[Event]:
    """The events of a conversation that begins anew, with the earlier messages as text before the prompt."""
    text = f"{program} could not continue the conversation ({problem}); it was sent the earlier messages as text"
    return [MessageEvent(notice(text, "history", {"conversation": task.resume})), MetadataEvent({"history_sent": True})]


def _paragraph(answered: AnsweredQuestion) -> str:
    question, answer = answered.question, answered.answer
    option = question.option(answer.option)
    words = ": ".join(filter(None, [option.label if option else "", answer.text or ""]))
    if question.kind is not QuestionKind.PERMISSION:
        asked = str(question.evidence.get("text") or question.title)
        return f"You asked: {asked}\nThe answer: {json.dumps(dict(answer.arguments)) if answer.arguments else words}"
    tool, arguments = question.evidence.get("tool"), question.evidence.get("arguments")
    call = f"{tool} {json.dumps(arguments, ensure_ascii=False)[:_MOST_ARGUMENTS]}" if tool else question.title
    if answered.effect in (Effect.ALLOW, Effect.ALLOW_ALWAYS):
        words = f" The user adds: {answer.text}" if answer.text else ""
        once = "Make it once more, with exactly these arguments"
        return f"This call was allowed and has not run yet. {once}:{words}\n{call}"
    reason = answer.text or "none was given"
    return f"This call was denied and has not run. Do not make it again. The reason: {reason}\n{call}"
