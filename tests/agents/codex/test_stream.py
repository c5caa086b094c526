"""Events from the output of Codex: complete, in order, counted once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lionstudio.agents.codex.provider import Codex, arguments, home_of
from lionstudio.agents.codex.rollout import Rollouts
from lionstudio.agents.codex.stream import CodexStreamReader
from lionstudio.agents.events import MAIN, Ended, Event, LaneOpened, MessageEvent, MetadataEvent
from lionstudio.agents.jsonl_process import events_of
from lionstudio.agents.provider import Task
from lionstudio.errors import InvalidInput, NotFound
from lionstudio.model.json_codec import dump
from lionstudio.model.messages import ActionRequest, ActionResponse, AssistantResponse, Instruction, Message
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.model.usage import NOTHING, Usage

STREAM = Path(__file__).parents[2] / "fixtures" / "codex_stream.jsonl"
NOWHERE = Rollouts("/no/such/folder")
CHILD = "01900000-0000-7000-8000-000000000002"


def read(*lines: bytes, reader: CodexStreamReader | None = None) -> tuple[CodexStreamReader, list[Event]]:
    """The events of these lines."""
    reader = reader or CodexStreamReader(NOWHERE)
    events: list[Event] = [event for line in lines for event in events_of(line, reader)]
    return reader, [*events, *reader.flush()]


def lines(*given: dict[str, Any]) -> list[bytes]:
    return [json.dumps(record).encode() for record in given]


def said(events: list[Event], lane: str = MAIN) -> list[Message]:
    return [event.message for event in events if isinstance(event, MessageEvent) and event.lane == lane]


def used(events: list[Event]) -> Usage:
    total = NOTHING
    for event in events:
        if isinstance(event, MessageEvent):
            total = total.plus(event.message.usage)
    return total


@pytest.fixture(scope="module")
def stream() -> list[Event]:
    return read(*STREAM.read_bytes().splitlines())[1]


def test_stream_keeps_message_order(stream: list[Event]) -> None:
    told = [
        message.content.get("function") or message.metadata.get("record") or message.content.get("assistant_response")
        for message in said(stream)
    ]

    assert told == [
        "item.error",
        "",
        "shell",
        "shell",
        "shell",
        "shell",
        "apply_patch",
        "apply_patch",
        "mcp__files__read",
        "mcp__files__read",
        "mcp__files__read",
        "mcp__files__read",
        "web_search",
        "web_search",
        "update_plan",
        "update_plan",
        "spawn_agent",
        "spawn_agent",
        "wait",
        "wait",
        "item.hologram",
        "update_plan",
        "error",
        "turn.dreamt",
        "All done.",
    ]
    assert said(stream)[0].text == "Model metadata not found."
    assert said(stream)[1].content["thinking"] == "**Looking around**"


def test_stream_pairs_calls_with_results(stream: list[Event]) -> None:
    asked = {message.id: message for message in said(stream) if isinstance(message, ActionRequest)}
    answers = [message for message in said(stream) if isinstance(message, ActionResponse)]

    assert all(
        asked[answer.content["action_request_id"]].content["function"] == answer.content["function"]
        for answer in answers
    )
    assert len({answer.content["action_request_id"] for answer in answers}) == len(answers) == 9
    ok, failed, _, mcp, broken, web, *_ = answers
    assert (ok.content["output"], ok.metadata["exit_code"]) == ("a.py\n", 0)
    assert (failed.content["error"], failed.metadata["exit_code"]) == ("failed, exit code 1", 1)
    assert mcp.content["output"] == "print(1)"
    assert broken.content["error"] == "no such file"
    assert web.content["output"] == ""
    assert answers[-1].content["output"] == [{"text": "a", "completed": True}]


def test_stream_subagent_has_prompt_and_answer(stream: list[Event]) -> None:
    (opened,) = [event for event in stream if isinstance(event, LaneOpened)]

    assert (opened.lane, opened.name) == (CHILD, "Count lines")
    assert [type(message) for message in said(stream, CHILD)] == [Instruction, AssistantResponse]
    assert said(stream, CHILD)[1].content == {"assistant_response": "Seven."}


def test_stream_adds_turn_usage_to_answer(stream: list[Event]) -> None:
    assert said(stream)[-1].usage == used(stream) == Usage(300, 50, 600, 100)


def test_stream_yields_metadata_and_storable_messages(stream: list[Event]) -> None:
    assert [dict(event.facts) for event in stream if isinstance(event, MetadataEvent)] == [
        {"conversation": "01900000-0000-7000-8000-000000000001"}
    ]
    for event in stream:
        if isinstance(event, MessageEvent):
            dump(event.message.to_dict("json"))


def rollout(home: Path, thread: str, *entries: dict[str, Any]) -> Path:
    folder = home / "sessions" / "2026" / "11" / "15"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"rollout-2026-11-15T10-00-00-{thread}.jsonl"
    with path.open("a") as file:
        file.writelines(json.dumps(entry) + "\n" for entry in entries)
    return path


def sums(tokens: int) -> dict[str, Any]:
    total = {"input_tokens": tokens, "cached_input_tokens": 0, "output_tokens": tokens // 10}
    return {"type": "event_msg", "payload": {"type": "token_count", "info": {"total_token_usage": total}}}


CONTEXT = {"type": "turn_context", "payload": {"model": "gpt-5", "effort": "high"}}
ANSWER = {"type": "item.completed", "item": {"id": "i", "type": "agent_message", "text": "yes"}}


def started(thread: str) -> dict[str, Any]:
    return {"type": "thread.started", "thread_id": thread}


def completed(tokens: int) -> dict[str, Any]:
    return {"type": "turn.completed", "usage": {"input_tokens": tokens, "output_tokens": tokens // 10}}


def test_stream_resumed_conversation_counts_new_usage(tmp_path: Path) -> None:
    rollout(tmp_path, "t1", CONTEXT, sums(1000))
    reader = CodexStreamReader(Rollouts(str(tmp_path)), resumed="t1")
    events = read(*lines(started("t1"), ANSWER, completed(1500)), reader=reader)[1]

    assert used(events) == Usage(500, 50, 0, 0, 1125)
    assert {
        name: fact for event in events if isinstance(event, MetadataEvent) for name, fact in event.facts.items()
    } == {"conversation": "t1", "model": "gpt-5"}


def test_stream_fork_starts_at_parent_usage(tmp_path: Path) -> None:
    rollout(tmp_path, "t1", CONTEXT, sums(1000))
    reader = CodexStreamReader(Rollouts(str(tmp_path)), resumed="t1")
    rollout(tmp_path, "t2", CONTEXT, sums(1000))

    assert used(read(*lines(started("t2"), ANSWER, completed(1500)), reader=reader)[1]).input_tokens == 500


def test_stream_without_rollout_counts_nothing_twice() -> None:
    reader = CodexStreamReader(NOWHERE, resumed="t1")

    assert used(read(*lines(started("t1"), ANSWER, completed(1500)), reader=reader)[1]) == NOTHING


def test_stream_reads_usage_from_rollout(tmp_path: Path) -> None:
    reader = CodexStreamReader(Rollouts(str(tmp_path)))
    read(*lines(started("t1")), reader=reader)
    path = rollout(tmp_path, "t1", CONTEXT, sums(100))
    first = read(*lines(ANSWER), reader=reader)[1]
    with path.open("a") as file:
        file.write(json.dumps(sums(250))[:40])  # half a line
    second = read(*lines(ANSWER), reader=reader)[1]
    with path.open("a") as file:
        file.write(json.dumps(sums(250))[40:] + "\n")
    third = read(*lines(ANSWER, completed(300)), reader=reader)[1]

    assert [used(events).input_tokens for events in (first, second, third)] == [100, 0, 200]


def test_stream_failed_turn_counts_usage(tmp_path: Path) -> None:
    rollout(tmp_path, "t1", CONTEXT, sums(100))
    failed = {"type": "turn.failed", "error": {"message": "no"}}
    events = read(*lines(started("t1"), failed), reader=CodexStreamReader(Rollouts(str(tmp_path))))[1]

    assert used(events).input_tokens == 100
    assert said(events)[0].metadata["record"] == "turn"


def ended(code: int, *given: dict[str, Any], last_words: str = "") -> Ended:
    return read(*lines(*given))[0].ended(code, last_words)


def call(name: str, call_id: str) -> dict[str, Any]:
    return {"type": "response_item", "payload": {"type": "function_call", "name": name, "call_id": call_id}}


def output(call_id: str, text: str) -> dict[str, Any]:
    payload = {"type": "function_call_output", "call_id": call_id, "output": text}
    return {"type": "response_item", "payload": payload}


READ_ONLY = "Process exited with code 1\nOutput:\ntouch: cannot touch 'a': Read-only file system\n"


def test_ended_reports_calls_refused_in_the_session_file(tmp_path: Path) -> None:
    before = [call("shell", "c0"), output("c0", READ_ONLY)]
    path = rollout(tmp_path, "t1", *before)
    readers = [
        CodexStreamReader(Rollouts(str(tmp_path)), resumed="t1", confined=confined) for confined in (True, False)
    ]
    new = [call("exec_command", "c1"), output("c1", READ_ONLY), call("view_image", "c2")]
    new += [output("c2", "unsupported call: view_image"), call("exec_command", "c3"), output("c3", "fine")]
    with path.open("ab") as file:
        file.writelines(json.dumps(entry).encode() + b"\n" for entry in new)
    streams = [read(*lines(started("t1"), completed(10)), reader=reader)[1] for reader in readers]
    denied = [[event.facts.get("denied") for event in events if isinstance(event, MetadataEvent)] for events in streams]

    confined, free = (reader.ended(0, "") for reader in readers)
    assert (confined.reason, confined.delivery) == ("run.permission_denied", "partial")
    assert confined.denied == ("exec_command", "view_image: unsupported")
    assert free == Ended(SessionStatus.COMPLETED, 0)
    assert denied == [[None, {"count": 2, "tools": {"exec_command": 1, "view_image: unsupported": 1}}], [None]]


def test_ended_reports_declined_items() -> None:
    item = {"id": "i1", "type": "command_execution", "command": "rm -r /", "status": "declined"}
    reader, _ = read(*lines(started("t1"), {"type": "item.completed", "item": item}, completed(10)))

    assert reader.ended(0, "").detail == "1 action was denied (shell)"


def failed(message: str) -> dict[str, Any]:
    return {"type": "turn.failed", "error": {"message": message}}


def test_ended_requires_completed_turn_and_exit_code_zero() -> None:
    assert ended(0, completed(1)) == Ended(SessionStatus.COMPLETED, 0)
    assert ended(1, completed(1)).status is SessionStatus.FAILED
    assert ended(0).reason == "run.failed.provider_crash"
    assert ended(0, {"type": "turn.started"}, completed(1), {"type": "turn.started"}).status is SessionStatus.FAILED
    assert ended(2, last_words="unexpected argument").detail == "unexpected argument"
    assert ended(137).reason == "run.failed.out_of_memory"


def test_ended_omits_notes_of_codex_itself() -> None:
    noise = (
        "WARNING: proceeding, even though we could not create PATH aliases: x\nReading additional input from stdin...\n"
    )

    assert ended(1, last_words=f"{noise}Error: no such model").detail == "Error: no such model"
    assert ended(1, last_words=noise).detail == "codex exited with code 1 without an error message"


def test_ended_unwraps_error_text() -> None:
    wrapped = json.dumps({"type": "error", "error": {"type": "api_error", "message": "too hot"}})

    assert ended(1, failed(wrapped)) == Ended(SessionStatus.FAILED, 1, "run.failed.exit_nonzero", "too hot")
    assert "codex login" in str(ended(1, failed("unexpected status 401 Unauthorized: no key")).detail)
    assert "--fork" in str(ended(1, last_words="Error: no rollout found for thread id x").detail)


def test_ended_reports_usage_limit_and_reset_time() -> None:
    limit = "You’ve hit your usage limit. Upgrade to Pro, or try again at Mar 18th, 2033 6:14 PM."
    end = ended(1, failed(limit))

    assert end.reason == "run.failed.usage_limit"
    assert "resets at 2033-03-1" in str(end.detail)
    assert ended(1, failed("Quota exceeded. Check your plan and billing details.")).reason == "run.failed.usage_limit"
    assert (
        ended(1, failed("exceeded retry limit, last status: 429 Too Many Requests")).reason == "run.failed.usage_limit"
    )


@pytest.mark.parametrize(
    "line",
    [
        b"not json",
        b'{"type":"item.',
        b'"text"',
        b"\xff",
        b"{}",
        b'{"type":"item.completed"}',
        b'{"type":"item.completed","item":3}',
        b'{"type":"item.completed","item":{"type":["x"]}}',
        b'{"type":"item.started","item":{"type":"new"}}',
    ],
)
def test_stream_keeps_garbage_raw(line: bytes) -> None:
    (message,) = said(read(line)[1])

    assert type(message) is Message
    assert list(message.content) == ["raw"]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)
kinds = st.sampled_from(["thread.started", "turn.started", "turn.completed", "turn.failed", "error", "other"])
stages = st.sampled_from(["item.started", "item.updated", "item.completed"])
item_types = st.sampled_from(
    [
        "agent_message",
        "reasoning",
        "command_execution",
        "file_change",
        "mcp_tool_call",
        "collab_tool_call",
        "web_search",
        "todo_list",
        "error",
        "other",
    ]
)
fields = st.sampled_from(
    [
        "id",
        "text",
        "command",
        "status",
        "error",
        "result",
        "arguments",
        "receiver_thread_ids",
        "agents_states",
        "usage",
        "prompt",
        "thread_id",
        "message",
        "exit_code",
    ]
)
things = st.dictionaries(fields, values, max_size=5)
items = st.builds(
    lambda stage, kind, thing: {"type": stage, "item": {**thing, "type": kind}}, stages, item_types, things
)
others = st.builds(lambda kind, thing: {**thing, "type": kind}, kinds, things)


@given(st.lists(items | others, max_size=6), st.integers(0, 200))
def test_stream_accepts_any_record(records: list[dict[str, Any]], code: int) -> None:
    reader, events = read(*lines(*records))

    for message in [event.message for event in events if isinstance(event, MessageEvent)]:
        assert message.usage is not None
        dump(message.content)
    assert isinstance(reader.ended(code, ""), Ended)


TASK = Task("do it", "/p", {"PATH": "/no/such/folder"})


def test_arguments_reflect_task() -> None:
    task = TASK._replace(
        model="gpt-5", effort="high", system='a "b"\n', permissions="edit", resume="abc", options={"args": ["--oss"]}
    )

    assert arguments(TASK) == ["exec", "--json", "--skip-git-repo-check", "--cd=/p", "-"]
    assert arguments(task)[4:] == [
        "--model=gpt-5",
        "--sandbox=workspace-write",
        '--config=model_reasoning_effort="high"',
        '--config=developer_instructions="a \\"b\\"\\n"',
        "--oss",
        "resume",
        "abc",
        "-",
    ]
    assert arguments(task._replace(options={"fork": True}))[-3:] == ["fork", "abc", "-"]


def test_home_of_reads_environment() -> None:
    assert home_of({"CODEX_HOME": "/c", "HOME": "/h"}) == "/c"
    assert home_of({"HOME": "/h"}) == "/h/.codex"


def test_check_rejects_invalid_tasks() -> None:
    with pytest.raises(NotFound, match="codex is not installed") as caught:
        Codex().check(TASK)
    assert "codex login" in str(caught.value.hint)
    changes: list[dict[str, Any]] = [
        {"prompt": ""},
        {"permissions": "root"},
        {"tools": ("shell",)},
        {"resume": "-x"},
        {"options": {"args": {}}},
        {"system": "x" * 200_000},
    ]
    for change in changes:
        with pytest.raises(InvalidInput):
            Codex().check(TASK._replace(**change))
