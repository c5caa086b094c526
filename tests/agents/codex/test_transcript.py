"""Messages from each kind of record in Codex's transcripts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.builders import T0
from tests.support.transcripts import iso

from lionstudio.agents.codex.transcript import CodexTranscriptReader
from lionstudio.agents.transcript import TranscriptFacts
from lionstudio.model.messages import ActionRequest, ActionResponse, AssistantResponse, Instruction, Message, System
from lionstudio.model.usage import Usage


class Reading:
    """A reader whose state goes through JSON after each record."""

    def __init__(self, **meta: Any) -> None:
        self.reader = CodexTranscriptReader(TranscriptFacts(session="t1", thread="t1"), {}, born=T0)
        self.number = 0
        self.first = self.take("session_meta", {"id": "t1", "cwd": "/p", **meta})

    def take(self, kind: str, payload: dict[str, Any]) -> list[Message]:
        self.number += 1
        return self.record({"timestamp": iso(self.number), "type": kind, "payload": payload})

    def record(self, record: dict[str, Any]) -> list[Message]:
        messages = [entry.message for entry in self.reader.feed(record)]
        state = json.loads(json.dumps([self.reader.facts.to_dict(), self.reader.to_state()]))
        self.reader = CodexTranscriptReader(TranscriptFacts.from_dict(state[0]), state[1], born=0.0)
        return messages

    def item(self, kind: str, **payload: Any) -> list[Message]:
        return self.take("response_item", {"type": kind, **payload})

    def event(self, kind: str, **payload: Any) -> list[Message]:
        return self.take("event_msg", {"type": kind, **payload})

    def tokens(self, total: tuple[int, int, int], last: int = 0) -> None:
        names = ("input_tokens", "cached_input_tokens", "output_tokens")
        info = {"total_token_usage": dict(zip(names, total, strict=True)), "last_token_usage": {"input_tokens": last}}
        self.event("token_count", info=info)

    @property
    def facts(self) -> TranscriptFacts:
        return self.reader.facts


def text(role: str, *texts: str, **more: Any) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"role": role, "content": [{"type": kind, "text": each} for each in texts], **more}


def test_reader_session_meta_and_instructions() -> None:
    git = {"commit_hash": "a" * 40, "branch": "main", "repository_url": "u"}
    reading = Reading(
        base_instructions={"text": "You are Codex"}, cli_version="0.166.0", git=git, originator="codex_exec"
    )
    (system,) = reading.first
    assert (type(system), system.content) == (System, {"system_message": "You are Codex"})
    facts = reading.facts
    assert (facts.session, facts.lane, facts.cwd, facts.version) == ("t1", "", "/p", "0.166.0")
    assert (facts.git_commit, facts.git_branch, facts.extra["originator"]) == ("a" * 40, "main", "codex_exec")


def test_reader_conversation() -> None:
    reading = Reading()
    reading.take("turn_context", {"turn_id": "x", "model": "gpt-5-codex", "effort": "high"})
    (prompt,) = reading.item("message", **text("user", "fix it"))
    (thought,) = reading.item("reasoning", summary=[{"type": "summary_text", "text": "hm"}], encrypted_content="…")
    (call,) = reading.item("function_call", name="shell", call_id="c1", arguments='{"command": ["ls"]}')
    (result,) = reading.item("function_call_output", call_id="c1", output="a.py")
    (answer,) = reading.item("message", **text("assistant", "Done."))
    kinds = [type(message) for message in (prompt, thought, call, result, answer)]
    assert kinds == [Instruction, AssistantResponse, ActionRequest, ActionResponse, AssistantResponse]
    assert thought.content == {"assistant_response": "", "thinking": "hm"}
    assert call.content == {"function": "shell", "arguments": {"command": ["ls"]}}
    assert result.content == {"function": "shell", "action_request_id": call.id, "output": "a.py"}
    assert (answer.metadata["model"], answer.metadata["effort"], answer.metadata["turn_id"]) == (
        "gpt-5-codex",
        "high",
        "x",
    )
    assert (reading.facts.title, reading.facts.model) == ("fix it", "gpt-5-codex")


@pytest.mark.parametrize(
    ("output", "kept", "code"),
    [
        ("Chunk ID: 1\nProcess exited with code 2\nOutput:\nno", "error", 2),
        ("Exit code: 0\nWall time: 1\nOutput:\nyes", "output", 0),
        ("Output:\nProcess exited with code 3", "output", None),
        ('{"output":"no","metadata":{"exit_code":1}}', "error", 1),
        ({"content": "no", "success": False}, "error", None),
        ([{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}], "output", None),
    ],
)
def test_reader_parses_exit_codes(output: Any, kept: str, code: int | None) -> None:
    (result,) = Reading().item("function_call_output", call_id="c", output=output)
    assert kept in result.content
    assert result.metadata.get("exit_code") == code


def test_reader_other_call_types() -> None:
    reading = Reading()
    (custom,) = reading.item("custom_tool_call", name="apply_patch", call_id="c", input="*** Begin")
    (search,) = reading.item("web_search_call", id="w", action={"type": "search", "query": "q"})
    (local,) = reading.item("local_shell_call", call_id="l", action={"type": "exec", "command": ["ls"]})
    assert custom.content == {"function": "apply_patch", "arguments": {"input": "*** Begin"}}
    assert search.content["function"] == "web_search"
    assert local.content["arguments"]["command"] == ["ls"]


def test_reader_marks_injected_texts() -> None:
    reading = Reading()
    texts = ("<environment_context>x</environment_context>", "# AGENTS.md instructions for /p", "hello")
    messages = reading.item("message", **text("user", *texts))
    assert [message.metadata.get("injected") for message in messages] == [True, True, None]
    (developer,) = reading.item("message", **text("developer", "be kind"))
    assert (developer.role, developer.metadata["injected"]) == ("system", True)
    about = {"content_item_metadata": [{"provenance": {"type": "harness"}}]}
    (told,) = reading.item("message", **text("user", "new kind"), internal_chat_message_metadata_passthrough=about)
    assert told.metadata["injected"] is True
    assert reading.facts.title == "hello"


def test_reader_sums_grow_without_cached_tokens() -> None:
    reading = Reading()
    reading.take("turn_context", {"model": "gpt-5-codex"})
    reading.item("message", **text("assistant", "a"))
    reading.tokens((100, 40, 10))
    reading.tokens((100, 40, 10))  # the same again
    reading.tokens((300, 200, 30))
    cost = (60 * 1_250_000 + 10 * 10_000_000 + 40 * 125_000 + 500_000) // 1_000_000
    cost += (40 * 1_250_000 + 20 * 10_000_000 + 160 * 125_000 + 500_000) // 1_000_000
    assert reading.facts.total == Usage(100, 30, 200, 0, cost)


def test_reader_handles_reset_sums() -> None:
    reading = Reading()
    reading.tokens((500, 0, 50))
    reading.tokens((70, 0, 7), last=70)
    assert (reading.facts.total or Usage()).input_tokens == 570


def test_reader_prefers_response_reports_over_sums() -> None:
    reading = Reading()
    used = {"input_tokens": 100, "cached_input_tokens": 90, "output_tokens": 5}
    for _ in range(2):
        reading.take("token_usage_record", {"response_id": "r1", "usage": used})
        reading.tokens((100, 90, 5))
    assert (reading.facts.total or Usage())[:4] == (10, 5, 90, 0)


def test_reader_fork_ignores_inherited_usage() -> None:
    reading = Reading(forked_from_id="t0")
    reading.tokens((500, 0, 50), last=100)
    reading.item("message", **text("assistant", "a"))
    reading.tokens((600, 0, 60), last=100)
    assert (reading.facts.total or Usage())[:2] == (100, 10)


def test_reader_other_service_tier_has_no_price() -> None:
    reading = Reading()
    reading.take("turn_context", {"model": "gpt-5-codex"})
    reading.event("thread_settings_applied", thread_settings={"service_tier": "priority"})
    reading.tokens((100, 0, 10))
    assert (reading.facts.total or Usage()).cost_microusd is None


def test_reader_keeps_events_with_text() -> None:
    reading = Reading()
    (error,) = reading.event("error", message="usage limit reached", codex_error_info="usage_limit_exceeded")
    assert (error.role, error.metadata["error"]) == ("system", "usage_limit_exceeded")
    assert reading.facts.failed == "usage limit reached"
    (aborted,) = reading.event("turn_aborted", reason="interrupted")
    assert aborted.content == {"instruction": "The turn was aborted: interrupted"}
    assert not reading.facts.failed
    reading.event("task_complete", last_agent_message="x", error={"message": "boom"})
    assert "boom" in str(reading.facts.failed)
    (compacted,) = reading.take("compacted", {"message": "summary", "replacement_history": [1, 2]})
    assert (compacted.content, compacted.metadata["kept_items"]) == ({"instruction": "summary"}, 2)
    reading.event("thread_name_updated", thread_name="My thread")
    assert reading.facts.name == "My thread"
    assert reading.event("agent_message", message="repeats") == []
    assert reading.facts.records["event_msg.agent_message"] == 1


def test_reader_subagent_has_parent() -> None:
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": "t0", "depth": 1, "agent_nickname": "Ada"}}}
    reading = Reading(source=spawn, session_id="root")
    facts = reading.facts
    assert (facts.session, facts.lane, facts.parent, facts.agent["agent_nickname"]) == ("root", "t1", "t0", "Ada")


def test_reader_flat_format_of_older_versions() -> None:
    reader = CodexTranscriptReader(TranscriptFacts(session="t1", thread="t1"), {}, born=T0)
    records: list[dict[str, Any]] = [
        {"id": "old", "timestamp": iso(0), "instructions": "Be brief", "git": {"branch": "dev"}},
        {"record_type": "state"},
        {"type": "message", **text("user", "yes")},
        {"type": "message", **text("user", "yes")},
        {"type": "function_call", "name": "shell", "call_id": "c", "arguments": "{}"},
    ]
    messages = [entry.message for record in records for entry in reader.feed(record)]
    assert [type(message) for message in messages] == [System, Instruction, Instruction, ActionRequest]
    assert len({message.id for message in messages}) == 4
    assert (reader.facts.thread, reader.facts.git_branch) == ("old", "dev")


def test_reader_keeps_unknown_items() -> None:
    reading = Reading()
    (kept,) = reading.item("hologram", x=1)
    assert kept.content["item"] == {"type": "hologram", "x": 1}
    assert reading.item("ghost_snapshot") == []
    (record,) = reading.take("brand_new", {"message": "hi"})
    assert record.content["record"] == {"message": "hi"}
