"""The events that hooks report, and the answers that they take, in each vendor's format."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from lionstudio.agents.claude.permission_rules import chosen_rules, rule_options
from lionstudio.agents.records import call_title
from lionstudio.agents.transcript import TranscriptTool
from lionstudio.errors import InvalidInput
from lionstudio.model.coerce import dict_of, list_of, text_or_none
from lionstudio.model.questions import ALLOW, DENY, AnsweredQuestion, Effect, Question, QuestionKind
from lionstudio.model.status.terminals import TerminalState
from lionstudio.model.transcript_tools import TRANSCRIPT_TOOLS

# the state after an event; all others are counted and ignored
STATES: Mapping[str, TerminalState] = {
    "SessionStart": TerminalState.IDLE,
    "UserPromptSubmit": TerminalState.WORKING,
    "PermissionRequest": TerminalState.WAITING,
    "PostToolUse": TerminalState.WORKING,
    "PostToolUseFailure": TerminalState.WORKING,
    "Stop": TerminalState.IDLE,
    "Interrupt": TerminalState.IDLE,
    "SessionEnd": TerminalState.ENDED,
}
PERMISSION = "PermissionRequest"
TOOL_ENDED = frozenset({"PostToolUse", "PostToolUseFailure"})
_MOST_ID = 200  # characters


@cache
def transcript_tool(name: str) -> TranscriptTool:
    """The reader of a program's transcripts; it knows the ids of their sessions."""
    tool: TranscriptTool = import_module(f"lionstudio.{TRANSCRIPT_TOOLS[name][1]}").TOOL
    return tool


class HookEvent(NamedTuple):
    """One event of a program; fields that it does not have are None or empty."""

    tool: str
    name: str
    conversation_id: str
    cwd: str | None
    function: str | None  # the agent's tool
    arguments: dict[str, Any]
    suggestions: list[Any]  # rules that allow the call from now on

    @property
    def session_id(self) -> str:
        """The session that the import of its transcript makes."""
        return transcript_tool(self.tool).session_id(self.conversation_id)


def parse_event(tool: str, payload: bytes) -> HookEvent:
    """Read an event; fields that this version does not know are ignored."""
    try:
        data = json.loads(payload)
    except (ValueError, RecursionError):
        raise InvalidInput("the event is not JSON") from None
    fields = dict_of(data)
    name, conversation = text_or_none(fields.get("hook_event_name")), text_or_none(fields.get("session_id"))
    if not name or not conversation or len(name) > _MOST_ID or len(conversation) > _MOST_ID:
        raise InvalidInput("the event has no name or no session")
    return HookEvent(
        tool=tool,
        name=name,
        conversation_id=conversation,
        cwd=text_or_none(fields.get("cwd")),
        function=text_or_none(fields.get("tool_name")),
        arguments=dict_of(fields.get("tool_input")),
        suggestions=list_of(fields.get("permission_suggestions")),
    )


def question_of(event: HookEvent) -> Question:
    """The question of a permission prompt."""
    function = event.function or "a tool"
    suggestions = {"suggestions": event.suggestions} if event.suggestions else {}
    return Question(
        kind=QuestionKind.PERMISSION,
        title=call_title(function, event.arguments),
        session_id=event.session_id,
        reason=function,
        evidence={"hook": event.tool, "tool": function, "arguments": event.arguments, "cwd": event.cwd, **suggestions},
        options=(ALLOW, DENY, *rule_options(event.suggestions)),
        takes_text=True,
        takes_arguments=event.tool == "claude",  # Codex refuses an answer that changes them
    )


def answer_of(event: HookEvent, answered: AnsweredQuestion) -> bytes:
    """The output of the hook for an answer; words without an option are the reason of a denial."""
    answer = answered.answer
    decision: dict[str, Any]
    if answered.effect in (Effect.ALLOW, Effect.ALLOW_ALWAYS):
        decision = {"behavior": "allow"}
        if answer.arguments is not None:
            decision["updatedInput"] = dict(answer.arguments)
        if answered.effect is Effect.ALLOW_ALWAYS:
            decision["updatedPermissions"] = chosen_rules(answered, event.suggestions)  # the stored ones are redacted
    else:
        decision = {"behavior": "deny", "message": answer.text or "Denied by the user."}
    output = {"hookSpecificOutput": {"hookEventName": PERMISSION, "decision": decision}}
    return json.dumps(output).encode()
