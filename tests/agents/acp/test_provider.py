"""The provider acp on recorded conversations of real agents, and on agents that misbehave."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.agent_programs import ROOT, Run

from lionstudio.agents.acp.provider import provider
from lionstudio.agents.events import TextDelta
from lionstudio.agents.provider import Task
from lionstudio.errors import InvalidInput, NotFound
from lionstudio.model.messages import ActionRequest, AssistantResponse
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.model.usage import Usage

FIXTURES = ROOT / "tests" / "fixtures" / "acp"
REPLAY = ROOT / "tests" / "support" / "acp_replay.py"
OK = {"jsonrpc": "2.0"}


def run(path: Path, folder: Path, permissions: str | None = None, **changes: Any) -> Run:
    """A run of the agent that a file has recorded."""
    command = [sys.executable, str(REPLAY), str(path)]
    task = Task("hello", str(folder), {}, permissions=permissions, options={"command": command})._replace(**changes)
    result = Run()

    async def collect() -> None:
        provider().check(task)
        async for event in provider().run(task):
            result.events.append(event)

    asyncio.run(collect())
    assert result.ended.exit_code != 9, result.ended
    return result


def kinds(run: Run) -> list[str]:
    """Each message as its class, the function of a call, or the kind of a notice."""
    names = []
    for message in run.messages:
        content = message.content
        name = content.get("function") or message.metadata.get("record") or "text"
        names.append(name + (" result" if "action_request_id" in content else ""))
    return names


def live_text(run: Run) -> str:
    return "".join(event.text for event in run.events if isinstance(event, TextDelta))


def test_claude_calls_have_arguments_results_and_diffs(tmp_path: Path) -> None:
    story = run(FIXTURES / "claude-edit.jsonl", tmp_path, "edit")

    assert kinds(story) == [
        *("text", "Write", "Write result"),
        *("text", "Edit", "Edit result"),
        *("text", "update_plan", "update_plan result"),
        *("text", "Bash", "permission", "Bash result"),
        *("text", "Bash", "permission", "Bash result"),
        "text",
    ]
    write, edit, plan, listing, denied = story.calls
    assert write[0].content["arguments"] == {"file_path": "/home/user/project/b.txt", "content": "one\ntwo\n"}
    assert write[1].content["diffs"] == [{"path": "/home/user/project/b.txt", "old": None, "new": "one\ntwo\n"}]
    assert edit[0].content["arguments"]["new_string"] == "three"
    assert edit[1].content["diffs"] == [{"path": "/home/user/project/b.txt", "old": "one\ntwo", "new": "one\nthree"}]
    assert plan[0].content["arguments"]["items"][0]["text"] == "doing"
    assert listing[0].content["arguments"]["command"] == "ls /no/such/folder"
    assert denied[0].content["arguments"]["command"] == "python3 -c 'print(1)'"
    assert "refused" in denied[1].content["error"]


def test_claude_names_its_agent_model_and_cost(tmp_path: Path) -> None:
    story = run(FIXTURES / "claude-edit.jsonl", tmp_path, "edit")

    facts = {name: story.facts[name] for name in ("agent_name", "version", "model", "permission_mode")}
    assert facts == {
        "agent_name": "claude-agent-acp",
        "version": "0.99.1",
        "model": "claude-opus-5-5",
        "permission_mode": "acceptEdits",
    }
    assert story.facts["conversation"]
    assert story.usage == Usage(600, 120, 0, 0, 5600)
    assert story.messages[-1].usage == story.usage


def test_denied_permission_is_in_the_record_and_in_the_outcome(tmp_path: Path) -> None:
    story = run(FIXTURES / "claude-edit.jsonl", tmp_path, "edit")

    notices = [message for message in story.messages if message.metadata.get("record") == "permission"]
    text = notices[-1].content["instruction"]
    assert text.startswith("Permission denied (permissions: edit) for Bash: python3 -c 'print(1)'\n")
    assert 'answered "No"; offered: Yes, ' in text
    assert notices[-1].metadata["raw"]["decision"] == "denied"
    assert story.ended.status is SessionStatus.COMPLETED
    assert (story.ended.reason, story.ended.delivery) == ("run.permission_denied", "partial")
    assert story.ended.denied == ("Bash", "Bash")


def test_resumed_conversation_has_only_new_messages(tmp_path: Path) -> None:
    story = run(FIXTURES / "claude-resume.jsonl", tmp_path, "ask", resume="the-conversation")

    assert [message.content for message in story.messages] == [{"assistant_response": "Second."}]
    assert live_text(story) == "Second."
    # the agent's cost is of the whole conversation, and the model is not on the price list
    assert story.usage == Usage(100, 20, cost_microusd=800)  # the list price: the agent reports only its total


def test_replayed_past_is_dropped_also_after_load_has_answered(tmp_path: Path) -> None:
    story = run(FIXTURES / "gemini-load.jsonl", tmp_path, "ask", resume="the-conversation")

    assert [message.content for message in story.messages] == [{"assistant_response": "Second."}]
    assert live_text(story) == "Second."


def test_gemini_denied_calls_leave_a_trace(tmp_path: Path) -> None:
    story = run(FIXTURES / "gemini-ask.jsonl", tmp_path, "ask")

    assert kinds(story) == [
        *("text", "run_shell_command", "permission", "run_shell_command result"),
        *("text", "read_file", "read_file result"),
        *("text", "write_file", "permission", "write_file result"),
        "text",
    ]
    shell, read, write = story.calls
    assert shell[0].content["arguments"] == {"title": "echo one > c.txt"}
    assert shell[1].content["error"] == "permission denied (permissions: ask)"
    assert read[1].content["error"] == "File not found: /home/user/project/none.txt"
    assert write[0].content["arguments"]["diffs"] == [{"path": "/home/user/project/b.txt", "old": "", "new": "one\n"}]
    assert story.texts() == ["Running a command.", "Running a command.", "Running a command.", "Denied."]
    assert story.ended.denied == ("run_shell_command", "write_file")


def test_mode_that_the_agent_refuses_is_noted_and_the_run_goes_on(tmp_path: Path) -> None:
    story = run(FIXTURES / "gemini-edit.jsonl", tmp_path, "edit")

    assert "did not accept the mode autoEdit" in story.messages[0].content["instruction"]
    assert kinds(story)[1:4] == ["text", "write_file", "permission"]
    assert all("output" in response.content for _, response in story.calls)
    assert story.facts["permission_mode"] == "default"
    assert story.usage[:2] == (300, 60)


def test_opencode_calls_are_merged_and_permissions_recorded(tmp_path: Path) -> None:
    story = run(FIXTURES / "opencode-all.jsonl", tmp_path, "all")

    assert [request.content["function"] for request, _ in story.calls] == ["bash", "write", "edit", "read", "todowrite"]
    bash, write, edit, read, _ = story.calls
    assert bash[0].content["arguments"]["command"] == "echo one > c.txt; cat c.txt"
    assert bash[1].content["output"] == "one\n"
    assert bash[1].metadata["exit_code"] == 0
    assert write[0].content["arguments"] == {"filePath": "/home/user/project/b.txt", "content": "one\ntwo\n"}
    assert edit[1].content["diffs"][0]["path"] == "/home/user/project/b.txt"
    assert read[1].content["error"] == "File not found: /home/user/project/none.txt"
    assert kinds(story).count("permission") == 3
    assert (story.facts["agent_name"], story.facts["model"]) == ("OpenCode", "fake/opus")
    assert story.usage.cost_microusd == 1950


@pytest.mark.parametrize("name", ["codex-all", "codex-0.16-all"])
def test_codex_works_in_the_mode_that_the_permissions_ask_for(tmp_path: Path, name: str) -> None:
    story = run(FIXTURES / f"{name}.jsonl", tmp_path, "all")

    assert story.facts["permission_mode"] in ("full-access", "agent-full-access")
    echo, listing = story.calls
    assert "echo one > c.txt; cat c.txt" in json.dumps(echo[0].content["arguments"])
    assert echo[1].content["output"] == "one\n"
    assert listing[1].content["error"] == "ls: cannot access '/nope': No such file or directory\n"
    assert listing[1].metadata["exit_code"] == 2
    assert story.ended.status is SessionStatus.COMPLETED
    assert story.texts()[-1] == "One."


@pytest.mark.parametrize("name", ["codex-error", "codex-0.16-error"])
def test_api_error_is_the_detail_of_the_end(tmp_path: Path, name: str) -> None:
    story = run(FIXTURES / f"{name}.jsonl", tmp_path, "all")

    assert (story.ended.status, story.ended.reason) == (SessionStatus.FAILED, "run.failed.provider_error")
    assert story.ended.detail == "asked for by the script"


@pytest.mark.parametrize("path", sorted(FIXTURES.iterdir()), ids=lambda path: path.stem)
def test_every_call_has_a_result_and_no_message_is_empty(path: Path, tmp_path: Path) -> None:
    permissions = {"edit": "edit", "ask": "ask", "all": "all", "error": "all"}.get(path.stem.rpartition("-")[2], "ask")
    resume = "the-conversation" if path.stem.endswith(("load", "resume")) else None
    story = run(path, tmp_path, permissions, resume=resume)

    requests = [message for message in story.messages if isinstance(message, ActionRequest)]
    assert [request.id for request, _ in story.calls] == [request.id for request in requests]
    assert all(request.content["arguments"] for request in requests)
    answers = [message for message in story.messages if isinstance(message, AssistantResponse)]
    assert all(any(text.strip() for text in message.content.values()) for message in answers)
    assert not any("raw" in message.content for message in story.messages)


def conversation(
    tmp_path: Path, *updates: dict[str, Any], end: dict[str, Any], session: dict[str, Any] | None = None
) -> Path:
    """A file with a conversation in which the agent sends these updates."""
    path = tmp_path / "conversation.jsonl"
    lines: list[dict[str, Any]] = []
    for number, method in enumerate(("initialize", "session/new", "session/prompt"), 1):
        lines.append({"client": {"id": number, "method": method}})
        if method == "session/prompt":
            lines += [
                {"agent": {"method": "session/update", "params": {"sessionId": "s", "update": update}}}
                for update in updates
            ]
        answers: list[dict[str, Any]] = [{"result": {}}, {"result": {"sessionId": "s", **(session or {})}}, end]
        lines.append({"agent": {"id": number, **answers[number - 1]}})
    path.write_text("\n".join(json.dumps(line) for line in lines))
    return path


def text(words: str, **fields: Any) -> dict[str, Any]:
    return {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": words}, **fields}


@pytest.mark.parametrize(
    ("stop", "status", "reason", "delivery"),
    [
        ("max_tokens", SessionStatus.FAILED, "run.failed.answer_cut", "partial"),
        ("refusal", SessionStatus.FAILED, "run.failed.refused", None),
        ("max_turn_requests", SessionStatus.FAILED, "run.failed.turn_limit", None),
        ("cancelled", SessionStatus.CANCELLED, "run.cancelled.agent", None),
        ("new_reason", SessionStatus.FAILED, "run.failed.provider_error", None),
    ],
)
def test_stop_reason_decides_the_outcome(
    tmp_path: Path, stop: str, status: SessionStatus, reason: str, delivery: str | None
) -> None:
    story = run(conversation(tmp_path, text("Half"), end={"result": {"stopReason": stop}}), tmp_path)

    assert (story.ended.status, story.ended.reason, story.ended.delivery) == (status, reason, delivery)
    assert story.texts() == ["Half"]


def test_messages_with_other_ids_are_not_joined(tmp_path: Path) -> None:
    chunks = [text("One", messageId="a"), text(" two.", messageId="a"), text("Three.", messageId="b")]
    story = run(conversation(tmp_path, *chunks, end={"result": {"stopReason": "end_turn"}}), tmp_path)

    assert story.texts() == ["One two.", "Three."]


def test_unknown_updates_are_kept_and_unknown_notifications_ignored(tmp_path: Path) -> None:
    path = conversation(tmp_path, {"sessionUpdate": "hologram", "x": 1}, end={"result": {"stopReason": "end_turn"}})
    lines = path.read_text().splitlines()
    lines.insert(1, json.dumps({"agent": {"method": "_auth/status_update", "params": {"authStatus": None}}}))
    lines.insert(1, json.dumps({"agent": {"method": "session/update", "params": "nonsense"}}))
    path.write_text("\n".join(lines))
    story = run(path, tmp_path)

    assert [message.content.get("raw") for message in story.messages][-1] == {"sessionUpdate": "hologram", "x": 1}
    assert story.ended.status is SessionStatus.COMPLETED


def test_unfinished_call_gets_an_error(tmp_path: Path) -> None:
    call = {"sessionUpdate": "tool_call", "toolCallId": "1", "title": "sleep", "kind": "execute", "status": "pending"}
    story = run(conversation(tmp_path, call, end={"error": {"code": -32603, "message": "boom"}}), tmp_path)

    assert story.calls[0][1].content["error"] == "the turn ended before a result"
    assert story.ended.detail == "boom"


def test_agent_that_exits_is_reported_with_its_last_words(tmp_path: Path) -> None:
    code = "import sys; print('no licence', file=sys.stderr); sys.exit(3)"
    story = run(FIXTURES, tmp_path, options={"command": [sys.executable, "-c", code]})

    assert (story.ended.status, story.ended.exit_code, story.ended.detail) == (SessionStatus.FAILED, 3, "no licence")


def test_agent_that_requires_a_login_says_how(tmp_path: Path) -> None:
    path = tmp_path / "login.jsonl"
    lines = [
        {"client": {"id": 1, "method": "initialize"}},
        {"agent": {"id": 1, "result": {"authMethods": [{"id": "key", "name": "API key"}]}}},
        {"client": {"id": 2, "method": "session/new"}},
        {"agent": {"id": 2, "error": {"code": -32000, "message": "Authentication required"}}},
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    story = run(path, tmp_path)

    assert (story.ended.detail or "").startswith("the agent requires a login (it offers: API key); ")


def test_model_that_is_not_offered_is_refused_with_the_choices(tmp_path: Path) -> None:
    option = {"id": "model", "category": "model", "options": [{"value": "opus"}, {"value": "haiku"}]}
    path = conversation(tmp_path, end={"result": {"stopReason": "end_turn"}}, session={"configOptions": [option]})
    story = run(path, tmp_path, model="gpt-5")

    assert story.ended.detail == "the agent does not offer the model 'gpt-5'; it offers: opus, haiku"


def test_check_refuses_a_task_without_command(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="needs the command of an agent"):
        provider().check(Task("hello", str(tmp_path), {}))
    with pytest.raises(NotFound):
        provider().check(Task("hello", str(tmp_path), {}, options={"command": ["no-such-agent"]}))
