"""A stand-in for Claude Code that does what the real one cannot be made to do: odd requests, silence, crashes."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lionstudio.agents.claude import conversation
from lionstudio.agents.claude.control import PermissionRequest
from lionstudio.agents.claude.provider import Claude
from lionstudio.agents.dialog import Delivery, Dialog, SentMessage
from lionstudio.agents.events import AnswerTaken, Ended, Event, MessageEvent, QuestionAsked, QuestionClosed
from lionstudio.agents.provider import Task
from lionstudio.model.messages import Instruction
from lionstudio.model.questions import Answer, AnsweredQuestion, Effect, QuestionStatus
from lionstudio.model.status.statuses import SessionStatus

BEGIN = f"""#!{sys.executable} -I
import json, sys
def say(**record): print(json.dumps(record), flush=True)
def hear(): return json.loads(sys.stdin.readline() or "null")
def ask(name, **request):
    say(type="control_request", request_id=name, request={{"subtype": "can_use_tool", "tool_name": "Bash",
        "input": {{"command": name}}, "tool_use_id": name, **request}})
def replay(record): say(**record | {{"isReplay": True}})
def end(text="done", **more): say(type="result", subtype="success", is_error=False, result=text, **more)
say(type="system", subtype="init", session_id="conversation")
prompt = hear()
replay(prompt)
"""
React = Callable[[Event, Dialog], None]


def play(tmp_path: Path, program: str, react: React = lambda event, dialog: None, **changes: Any) -> list[Event]:
    """Run a program in place of claude."""
    path = tmp_path / "claude"
    path.write_text(BEGIN + program)
    path.chmod(0o755)
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}

    async def run() -> list[Event]:
        dialog = changes.pop("dialog", None) or Dialog()
        task = Task("go", str(tmp_path), env, permissions="ask", dialog=dialog, **changes)
        events = []
        async for event in Claude().run(task):
            events.append(event)
            react(event, dialog)
        return events

    return asyncio.run(asyncio.wait_for(run(), 30))


def allowing(event: Event, dialog: Dialog) -> None:
    if isinstance(event, QuestionAsked):
        dialog.put(AnsweredQuestion(event.question, Answer("allow")))


def texts(events: list[Event]) -> list[str]:
    return [event.message.text for event in events if isinstance(event, MessageEvent)]


def test_conversation_answers_unknown_request_with_error(tmp_path: Path) -> None:
    program = """
say(type="control_request", request_id="r", request={"subtype": "from_the_future"})
answer = hear()["response"]
end(f"{answer['subtype']} {answer['request_id']}: {answer['error']}")
"""
    events = play(tmp_path, program)

    assert texts(events) == ["error r: unsupported: from_the_future"]
    assert events[-1] == Ended(SessionStatus.COMPLETED, 0)


def test_conversation_withdraws_cancelled_question(tmp_path: Path) -> None:
    program = 'ask("a"); say(type="control_cancel_request", request_id="a"); end()'
    events = play(tmp_path, program)

    (question,) = [event.question for event in events if isinstance(event, QuestionAsked)]
    (closed,) = [event for event in events if isinstance(event, QuestionClosed)]
    assert (closed.question_id, closed.status) == (question.id, QuestionStatus.WITHDRAWN)


def test_conversation_ignores_answer_to_withdrawn_question(tmp_path: Path) -> None:
    def react(event: Event, dialog: Dialog) -> None:
        if isinstance(event, QuestionClosed):
            dialog.put(AnsweredQuestion(asked[0], Answer("allow")))
        elif isinstance(event, QuestionAsked):
            asked.append(event.question)

    asked: list[Any] = []
    program = 'ask("a"); say(type="control_cancel_request", request_id="a"); end(); sys.exit(len(sys.stdin.read()))'
    events = play(tmp_path, program, react)

    assert not [event for event in events if isinstance(event, AnswerTaken)]
    assert events[-1] == Ended(SessionStatus.COMPLETED, 0)


def test_conversation_reads_records_while_question_waits(tmp_path: Path) -> None:
    program = """
ask("a")
say(type="assistant", message={"content": [{"type": "text", "text": "meanwhile"}]})
ask("b")
first, second = hear()["response"], hear()["response"]
end(f"{first['request_id']} {second['request_id']}")
"""
    waiting: list[Any] = []

    def react(event: Event, dialog: Dialog) -> None:
        if isinstance(event, QuestionAsked):
            waiting.insert(0, event.question)
            if len(waiting) == 2:
                for question in waiting:
                    dialog.put(AnsweredQuestion(question, Answer("allow")))

    assert texts(play(tmp_path, program, react)) == ["meanwhile", "b a"]


def test_conversation_crash_with_open_question_fails(tmp_path: Path) -> None:
    events = play(tmp_path, 'ask("a"); sys.exit("broken pipe to the moon")')

    assert isinstance(events[-1], Ended)
    assert (events[-1].status, events[-1].detail) == (SessionStatus.FAILED, "broken pipe to the moon")


def test_conversation_does_not_act_on_taken_answer(tmp_path: Path) -> None:
    async def take(question_id: str) -> bool:
        return False

    program = 'ask("a"); answer = hear()["response"]; end(f"{answer[\'subtype\']}: {answer[\'error\']}")'
    events = play(tmp_path, program, allowing, dialog=Dialog(take))

    assert texts(events) == ["error: another run has taken the answer"]
    assert not [event for event in events if isinstance(event, AnswerTaken)]


def test_conversation_leaves_message_queued_that_is_not_taken_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversation, "_ACKNOWLEDGE_SECONDS", 0.3)
    message = Instruction(content={"instruction": "hello?"})

    def react(event: Event, dialog: Dialog) -> None:
        if isinstance(event, QuestionAsked):
            dialog.put(SentMessage(message, Delivery.NOW))
            allowing(event, dialog)

    events = play(tmp_path, 'ask("a"); hear(), hear(); end(); sys.stdin.read()', react)

    assert message not in [event.message for event in events if isinstance(event, MessageEvent)]
    assert events[-1] == Ended(SessionStatus.COMPLETED, 0)


def test_conversation_waits_parked_without_a_program(tmp_path: Path) -> None:
    program = """
import os
if "--resume=conversation" in sys.argv:
    assert not os.path.exists("/proc/" + open("first").read()), "the first program still runs"
    ask("a")
    end(json.dumps([hear()["response"]["response"], prompt["message"]["content"][0]["text"]]))
    sys.exit()
open("first", "w").write(str(os.getpid()))
ask("a")
hear()
"""

    def react(event: Event, dialog: Dialog) -> None:
        if isinstance(event, QuestionAsked):
            loop = asyncio.get_running_loop()
            loop.call_later(1.5, dialog.put, AnsweredQuestion(event.question, Answer("deny", "no")))

    events = play(tmp_path, program, react, park_after=0.2)

    assert len([event for event in events if isinstance(event, QuestionAsked)]) == 1
    response, prompt = json.loads(texts(events)[-1])
    assert response == {"behavior": "deny", "message": "no"}
    assert "denied" in prompt
    assert events[-1] == Ended(SessionStatus.COMPLETED, 0)


def test_permission_request_offers_rules_of_program() -> None:
    rules = [
        {
            "type": "addRules",
            "rules": [{"toolName": "Bash", "ruleContent": "npm test *"}],
            "destination": "localSettings",
        },
        {"type": "addDirectories", "directories": ["/a", "/b"], "destination": "session"},
        {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
        {"type": "addRules", "rules": [{"toolName": "Bash"}], "behavior": "deny"},
    ]
    request = PermissionRequest.of(
        "r", {"tool_name": "Bash", "input": {"command": "npm test\nrm x"}, "permission_suggestions": rules}
    )
    question = request.question("/work")

    assert [(option.id, option.label) for option in question.options] == [
        ("allow", "Allow"),
        ("deny", "Deny"),
        ("always-1", "Always allow Bash(npm test *) in this folder"),
        ("always-2", "Always allow the folder /a, /b in this run"),
        ("always-3", "Allow all edits in this run"),
    ]
    assert question.effect_of(Answer("always-2")) is Effect.ALLOW_ALWAYS
    response = request.response(AnsweredQuestion(question, Answer("always-2")))
    assert response == {"behavior": "allow", "updatedInput": request.arguments, "updatedPermissions": [rules[1]]}


def test_permission_request_words_alone_deny() -> None:
    request = PermissionRequest.of("r", {"tool_name": "Write", "input": {"file_path": "/x"}})
    question = request.question("/work")

    response = request.response(AnsweredQuestion(question, Answer(text="write to /y")))
    assert response == {"behavior": "deny", "message": "write to /y"}


def test_permission_request_is_answered_by_same_call_only() -> None:
    def request(tool: str, **arguments: str) -> PermissionRequest:
        return PermissionRequest.of("r", {"tool_name": tool, "input": arguments})

    question = request("Bash", command="ls", description="x").question("/work")
    answered = AnsweredQuestion(question, Answer("allow", arguments={"command": "pwd"}))

    assert request("Bash", description="x", command="ls").is_answered_by(answered)
    assert request("Bash", command="pwd").is_answered_by(answered)
    assert not request("Bash", command="ls").is_answered_by(answered)
    assert not request("Read", command="ls", description="x").is_answered_by(answered)
