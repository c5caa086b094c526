"""Events from the output of Claude Code: complete, in order, counted once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lionstudio.agents.claude.provider import Claude, arguments
from lionstudio.agents.claude.stream import ClaudeStreamReader
from lionstudio.agents.events import MAIN, Ended, Event, LaneOpened, MessageEvent, MetadataEvent, TextDelta
from lionstudio.agents.jsonl_process import events_of
from lionstudio.agents.provider import Task
from lionstudio.errors import InvalidInput, NotFound
from lionstudio.model.json_codec import dump
from lionstudio.model.messages import ActionRequest, ActionResponse, AssistantResponse, Instruction, Message
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.model.usage import NOTHING, Usage

STREAM = Path(__file__).parents[2] / "fixtures" / "claude_stream.jsonl"


def read(*lines: bytes) -> tuple[ClaudeStreamReader, list[Event]]:
    """The events of these lines."""
    reader = ClaudeStreamReader()
    events: list[Event] = [event for line in lines for event in events_of(line, reader)]
    return reader, [*events, *reader.flush()]


def records(*given: dict[str, Any]) -> list[Event]:
    return read(*(json.dumps(record).encode() for record in given))[1]


def said(events: list[Event], lane: str = MAIN) -> list[Message]:
    return [event.message for event in events if isinstance(event, MessageEvent) and event.lane == lane]


def used(events: list[Event]) -> Usage:
    total = NOTHING
    for event in events:
        if isinstance(event, MessageEvent):
            total = total.plus(event.message.usage)
    return total


def result(**more: Any) -> dict[str, Any]:
    return {"type": "result", "subtype": "success", "is_error": False, "result": "", **more}


def answer(text: str, message_id: str = "msg", **usage: int) -> dict[str, Any]:
    message = {
        "id": message_id,
        "model": "claude-opus-4-8",
        "content": [{"type": "text", "text": text}],
        "usage": usage,
    }
    return {"type": "assistant", "message": message, "parent_tool_use_id": None}


@pytest.fixture(scope="module")
def stream() -> list[Event]:
    return read(*STREAM.read_bytes().splitlines())[1]


def test_stream_keeps_message_order(stream: list[Event]) -> None:
    kinds = [type(message) for message in said(stream)]

    assert kinds == [
        AssistantResponse,
        AssistantResponse,
        ActionRequest,
        ActionResponse,  # thinks, speaks, calls, is answered
        ActionRequest,
        ActionResponse,  # a sub-agent
        Instruction,
        Message,  # a retry, and something new
        AssistantResponse,
    ]
    assert said(stream)[0].content == {"assistant_response": "", "thinking": "Let me look."}
    assert said(stream)[3].content["output"] == "a.py\nb.py"
    assert said(stream)[6].role == "system"
    assert said(stream)[6].text == "API error 529: overloaded; attempt 1 of 10 failed"
    assert said(stream)[7].content["raw"]["payload"] == {"deep": [1, 2, 3]}
    assert said(stream)[8].content == {"assistant_response": "Done."}
    assert "".join(event.text for event in stream if isinstance(event, TextDelta)) == "I look around.Done."


def test_stream_pairs_calls_with_results(stream: list[Event]) -> None:
    everything = [event.message for event in stream if isinstance(event, MessageEvent)]
    asked = {message.id: message for message in everything if isinstance(message, ActionRequest)}
    answers = [message for message in everything if isinstance(message, ActionResponse)]

    assert [asked[a.content["action_request_id"]].metadata["call_id"] for a in answers] == [
        "toolu_1",
        "toolu_3",
        "toolu_2",
    ]
    assert [a.metadata["call_id"] for a in answers] == ["toolu_1", "toolu_3", "toolu_2"]
    assert ["error" in a.content for a in answers] == [False, True, False]
    assert [a.content["function"] for a in answers] == ["Bash", "Bash", "Task"]


def test_stream_opens_subagent_lane_before_its_messages(stream: list[Event]) -> None:
    (opened,) = [event for event in stream if isinstance(event, LaneOpened)]
    first = next(
        number for number, event in enumerate(stream) if isinstance(event, MessageEvent) and event.lane == "toolu_2"
    )

    assert (opened.lane, opened.name, opened.metadata["agent"]) == ("toolu_2", "count lines", "general-purpose")
    assert stream.index(opened) < first
    assert [type(message) for message in said(stream, "toolu_2")] == [
        Instruction,
        ActionRequest,
        ActionResponse,
        AssistantResponse,
    ]
    assert said(stream, "toolu_2")[-1].content == {"assistant_response": "There is no such file."}


def test_stream_usage_equals_reported_total(stream: list[Event]) -> None:
    assert used(stream) == Usage(1000, 270, 4000, 160, 20_000)


def test_stream_yields_metadata(stream: list[Event]) -> None:
    facts = {name: fact for event in stream if isinstance(event, MetadataEvent) for name, fact in event.facts.items()}

    assert facts["conversation"] == "11111111-2222-4333-8444-555555555555"
    assert (facts["model"], facts["version"]) == ("claude-opus-4-8", "2.1.197")
    assert facts["tools"] == ["Task", "Bash", "Read"]
    assert facts["result"]["num_turns"] == 3
    assert facts["rate_limit"]["status"] == "allowed"


def test_stream_messages_are_storable(stream: list[Event]) -> None:
    stored = [dump(event.message.to_dict("json")) for event in stream if isinstance(event, MessageEvent)]
    assert stored


def test_stream_counts_only_growth_of_repeated_usage() -> None:
    events = records(
        answer("a", input_tokens=100, output_tokens=1),
        answer("b", input_tokens=100, output_tokens=1),
        answer("c", input_tokens=100, output_tokens=40),
        answer("d", "other", input_tokens=7, output_tokens=1),
    )

    assert [message.usage.input_tokens for message in said(events)] == [100, 0, 0, 7]
    assert [message.usage.output_tokens for message in said(events)] == [1, 0, 39, 1]


def test_stream_adds_missing_cost_to_last_answer() -> None:
    events = records(
        answer("a", input_tokens=100, output_tokens=20),
        result(result="a", total_cost_usd=0.5, modelUsage={"m": {"inputTokens": 150, "outputTokens": 20}}),
    )

    assert used(events) == Usage(150, 20, 0, 0, 500_000)
    assert len(said(events)) == 1


def test_stream_keeps_missing_cost_after_last_answer_was_emitted() -> None:
    reader, before = read(json.dumps(answer("a", input_tokens=100, output_tokens=20)).encode())  # shown at once
    line = json.dumps(result(result="a", total_cost_usd=0.5, modelUsage={"m": {"inputTokens": 150}})).encode()
    events = [*before, *events_of(line, reader)]

    assert used(events).cost_microusd == 500_000
    assert said(events)[-1].metadata["record"] == "result"


def test_stream_second_result_adds_only_new_usage() -> None:
    first = result(result="a", total_cost_usd=0.5, modelUsage={"m": {"inputTokens": 150}})
    second = result(result="b", total_cost_usd=0.7, modelUsage={"m": {"inputTokens": 250}})
    events = records(answer("a"), first, answer("b", "other"), second)

    assert used(events) == Usage(250, 0, 0, 0, 700_000)


def test_stream_keeps_cost_above_list_price() -> None:
    dear = records(answer("a", input_tokens=1_000_000), result(result="a", total_cost_usd=1.0))

    assert used(dear).cost_microusd == 5_000_000


def test_stream_emits_unprinted_result_as_answer() -> None:
    events = records(answer("a"), result(result="Total: 12 tokens"))

    assert [message.content["assistant_response"] for message in said(events)] == ["a", "Total: 12 tokens"]


def ended(code: int, *given: dict[str, Any], last_words: str = "") -> Ended:
    reader, _ = read(*(json.dumps(record).encode() for record in given))
    return reader.ended(code, last_words)


def test_ended_requires_result_and_exit_code_zero() -> None:
    assert ended(0, result(result="done")) == Ended(SessionStatus.COMPLETED, 0)
    assert ended(3, result(result="done")).status is SessionStatus.FAILED
    assert ended(0).reason == "run.failed.provider_crash"
    assert ended(143, answer("a")).reason == "run.failed.provider_crash"
    assert ended(137, answer("a")).reason == "run.failed.out_of_memory"
    assert ended(1, last_words="error: unknown option").detail == "error: unknown option"


def shell_call(call: str = "toolu_1", tool: str = "Bash") -> dict[str, Any]:
    block = {"type": "tool_use", "id": call, "name": tool, "input": {"command": "make test"}}
    return {"type": "assistant", "message": {"id": "m", "content": [block]}, "parent_tool_use_id": None}


def shell_result(call: str = "toolu_1") -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": call, "content": "ok"}
    return {"type": "user", "message": {"content": [block]}, "parent_tool_use_id": None}


def task(subtype: str, **more: Any) -> dict[str, Any]:
    base = {"type": "system", "subtype": subtype, "task_id": "b1", "tool_use_id": "toolu_1", "task_type": "local_bash"}
    return {**base, "description": "run a command", **more}


def test_stream_long_command_is_only_its_call_and_result() -> None:
    events = records(
        shell_call(),
        task("task_started"),
        task("task_progress"),
        task("task_notification", status="completed", summary="run a command"),
        shell_result(),
    )

    assert [type(message) for message in said(events)] == [ActionRequest, ActionResponse]


def test_stream_end_of_background_command_is_a_notice() -> None:
    done = task("task_notification", status="completed", summary='Background command "make test" completed')
    *_, last = said(records(shell_call(), task("task_started"), shell_result(), done))

    assert (last.role, last.text) == ("system", 'Background command "make test" completed')


def test_stream_text_of_program_is_a_notice() -> None:
    (message,) = said(records({"type": "system", "subtype": "informational", "content": "The model was changed."}))

    assert (message.role, message.text) == ("system", "The model was changed.")
    assert message.metadata["raw"]["subtype"] == "informational"


def test_ended_reports_denied_actions() -> None:
    denials = [{"tool_name": "Bash", "tool_use_id": "toolu_1"}, {"tool_name": "Write", "tool_use_id": "toolu_2"}]
    early = {"type": "system", "subtype": "permission_denied", "tool_name": "Bash", "tool_use_id": "toolu_1"}
    last = result(result="done", permission_denials=denials)

    assert ended(0, early, last) == Ended(
        SessionStatus.COMPLETED,
        0,
        "run.permission_denied",
        "2 actions were denied (Bash, Write)",
        delivery="partial",
        denied=("Bash", "Write"),
    )
    facts = [event.facts for event in records(early, last) if isinstance(event, MetadataEvent)]
    assert facts[-1]["denied"] == {"count": 2, "tools": {"Bash": 1, "Write": 1}}


@pytest.mark.parametrize("code", [0, 1])
def test_ended_fails_on_error_with_any_exit_code(code: int) -> None:
    failed = ended(code, result(is_error=True, result="API Error: 400 no"))

    assert failed == Ended(SessionStatus.FAILED, 1, "run.failed.exit_nonzero", "API Error: 400 no")
    assert ended(code, result(subtype="error_max_turns", result=None)).detail == "error max turns"
    assert (
        ended(code, result(subtype="error_during_execution", is_error=True, errors=["one", "two"])).detail == "one; two"
    )


@pytest.mark.parametrize("error", ["rate_limit", "billing_error"])
def test_ended_reports_usage_limit(error: str) -> None:
    assert (
        ended(1, {**answer("no"), "error": error}, result(is_error=True, result="no")).reason
        == "run.failed.usage_limit"
    )


def test_ended_reports_reset_time() -> None:
    rejected = {"type": "rate_limit_event", "rate_limit_info": {"status": "rejected", "resetsAt": 1_794_800_000}}
    failed = ended(1, rejected, result(is_error=True, result="You've hit your limit · resets 2pm (Asia/Shanghai)"))

    assert failed.reason == "run.failed.usage_limit"
    assert failed.detail is not None
    assert failed.detail.endswith("resets at 2026-11-16T03:33:20Z")


def test_ended_hints_at_login() -> None:
    failed = ended(1, {**answer("x"), "error": "authentication_failed"}, result(is_error=True, result="Not logged in"))

    assert failed.detail == "Not logged in (run `claude` and log in with /login, or set ANTHROPIC_API_KEY)"


@pytest.mark.parametrize(
    "line",
    [
        b"not json",
        b'{"type":"assis',
        b'"text"',
        b"[1,2]",
        b"\xff\xfe\x00",
        b"null",
        b'{"type":7}',
        b"{}",
        b'{"type":"assistant"}',
        b'{"type":"assistant","message":[]}',
        b'{"type":"system","subtype":"new"}',
        b'{"type":"user","message":"x"}',
        b"[" * 5000 + b"]" * 5000,
    ],
)
def test_stream_keeps_garbage_raw(line: bytes) -> None:
    (message,) = said(read(line)[1])

    assert type(message) is Message
    assert list(message.content) == ["raw"]


def test_stream_ignores_empty_lines() -> None:
    assert read(b"", b"   ", b"\r")[1] == []


def test_stream_keeps_result_without_call() -> None:
    block = {"type": "tool_result", "tool_use_id": "toolu_9", "content": [{"type": "image", "source": {}}]}
    (message,) = said(records({"type": "user", "message": {"content": [block]}}))

    assert message.content == {"function": None, "output": [{"type": "image", "url": None}], "action_request_id": None}


def test_stream_keeps_unknown_blocks_and_server_tools() -> None:
    content = [
        {"type": "hologram", "shape": "cube"},
        {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "cats"}},
        {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": []},
        {"type": "redacted_thinking", "data": "xx"},
    ]
    raw, request, response, hidden = said(records({"type": "assistant", "message": {"id": "m", "content": content}}))

    assert raw.content == {"raw": {"type": "hologram", "shape": "cube"}}
    assert response.content["action_request_id"] == request.id
    assert hidden.metadata["redacted"] is True


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
words = st.sampled_from(["type", "subtype", "message", "content", "usage", "id", "tool_use_id", "parent_tool_use_id"])
kinds = st.sampled_from(["assistant", "user", "system", "result", "stream_event", "rate_limit_event", "other"])


@given(st.lists(st.tuples(kinds, st.dictionaries(words, json_values, max_size=5)), max_size=5), st.integers(0, 200))
def test_stream_accepts_any_record(given_records: list[tuple[str, dict[str, Any]]], code: int) -> None:
    reader, events = read(*(json.dumps({**record, "type": kind}).encode() for kind, record in given_records))

    for message in [event.message for event in events if isinstance(event, MessageEvent)]:
        assert message.usage is not None
        dump(message.content)
    assert isinstance(reader.ended(code, ""), Ended)


TASK = Task("do it", "/p", {"PATH": "/no/such/folder"})


def test_arguments_reflect_task() -> None:
    task = TASK._replace(
        model="opus",
        effort="high",
        system="-x",
        permissions="edit",
        tools=("Bash(git *)", "mcp__a__b", "Read"),
        resume="abc",
        options={"fork": True, "args": ["--add-dir", "/q"]},
    )

    assert arguments(TASK) == ["-p", "--output-format=stream-json", "--verbose", "--include-partial-messages"]
    assert arguments(task)[4:] == [
        "--model=opus",
        "--effort=high",
        "--append-system-prompt=-x",
        "--resume=abc",
        "--fork-session",
        "--permission-mode=acceptEdits",
        "--tools=Bash,Read",
        "--allowedTools=Bash(git *),mcp__a__b,Read",
        "--add-dir",
        "/q",
    ]
    assert arguments(TASK._replace(permissions="all", tools=()))[4:] == [
        "--dangerously-skip-permissions",
        "--tools=",
        "--allowedTools=",
    ]


def test_check_rejects_invalid_tasks() -> None:
    with pytest.raises(NotFound, match="claude is not installed") as caught:
        Claude().check(TASK)
    assert "npm install -g @anthropic-ai/claude-code" in str(caught.value.hint)
    for change in (
        {"prompt": " \n"},
        {"permissions": "root"},
        {"tools": ("-x",)},
        {"tools": ("a,b",)},
        {"resume": "--help"},
        {"options": {"args": "x"}},
        {"options": {"args": [1]}},
        {"system": "x" * 200_000},
    ):
        with pytest.raises(InvalidInput):
            Claude().check(TASK._replace(**change))
