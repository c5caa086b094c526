"""Messages from each kind of record in Claude Code's transcripts."""

from __future__ import annotations

import json
from typing import Any

from tests.support.builders import T0
from tests.support.transcripts import USAGE, iso

from lionstudio.agents.claude.transcript import ClaudeTranscriptReader
from lionstudio.agents.transcript import TranscriptFacts
from lionstudio.model.messages import ActionRequest, ActionResponse, AssistantResponse, Instruction, Message


class Reading:
    """A reader whose state goes through JSON after each record."""

    def __init__(self, session: str = "s1", thread: str = "") -> None:
        self.reader = ClaudeTranscriptReader(TranscriptFacts(session=session, thread=thread), {}, born=T0)
        self.number = 0

    def take(self, kind: str, message: Any = None, **more: Any) -> list[Message]:
        self.number += 1
        record = {"type": kind, "uuid": f"u{self.number}", "sessionId": "s1", "timestamp": iso(self.number), **more}
        if message is not None:
            record["message"] = message
        entries = list(self.reader.feed(record))
        self.lanes = [entry.lane for entry in entries]
        state = json.loads(json.dumps([self.reader.facts.to_dict(), self.reader.to_state()]))
        self.reader = ClaudeTranscriptReader(TranscriptFacts.from_dict(state[0]), state[1], born=0.0)
        return [entry.message for entry in entries]

    def user(self, content: Any, **more: Any) -> list[Message]:
        return self.take("user", {"role": "user", "content": content}, **more)

    def assistant(self, *blocks: Any, id_: str = "m1", **more: Any) -> list[Message]:
        said = {"id": id_, "role": "assistant", "model": "claude-sonnet-4-5-20250929", "content": list(blocks)}
        return self.take("assistant", said | more.pop("said", {}), **more)

    @property
    def facts(self) -> TranscriptFacts:
        return self.reader.facts


def test_reader_prompt_becomes_instruction_and_title() -> None:
    reading = Reading()
    (message,) = reading.user("Fix  the\nparser", parentUuid="u0", cwd="/p", gitBranch="main", version="2.1")
    assert isinstance(message, Instruction)
    assert message.content == {"instruction": "Fix  the\nparser"}
    assert message.metadata == {"uuid": "u1", "parent_uuid": "u0"}
    assert message.created_at == T0 + 1
    facts = reading.facts
    assert (facts.title, facts.cwd, facts.git_branch, facts.version) == ("Fix the parser", "/p", "main", "2.1")


def test_reader_keeps_block_order() -> None:
    reading = Reading()
    thinking = {"type": "thinking", "thinking": "hm", "signature": "x"}
    call = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/p/a.py"}}
    messages = reading.assistant(thinking, {"type": "text", "text": "Reading."}, call)
    assert [type(message) for message in messages] == [AssistantResponse, AssistantResponse, ActionRequest]
    assert [message.content for message in messages] == [
        {"assistant_response": "", "thinking": "hm"},
        {"assistant_response": "Reading."},
        {"function": "Read", "arguments": {"file_path": "/p/a.py"}},
    ]
    assert [message.created_at for message in messages] == [T0 + 1, T0 + 1.001, T0 + 1.002]
    assert messages[2].metadata["call_id"] == "t1"
    assert reading.facts.model == "claude-sonnet-4-5-20250929"


def test_reader_pairs_result_with_call() -> None:
    reading = Reading()
    (request,) = reading.assistant({"type": "tool_use", "id": "t1", "name": "Bash", "input": {}})
    noted = {"stdout": "a", "interrupted": False, "durationMs": 12, "structuredPatch": [1]}
    (result,) = reading.user([{"type": "tool_result", "tool_use_id": "t1", "content": "a"}], toolUseResult=noted)
    assert isinstance(result, ActionResponse)
    assert result.content == {"function": "Bash", "action_request_id": request.id, "output": "a"}
    assert result.role == "tool"
    assert result.metadata["result"] == {"durationMs": 12}


def test_reader_keeps_the_patch_of_an_edit() -> None:
    reading = Reading()
    call = {"file_path": "/p/a.py", "old_string": "two", "new_string": "three"}
    reading.assistant({"type": "tool_use", "id": "t1", "name": "Edit", "input": call})
    hunk = {"oldStart": 41, "oldLines": 2, "newStart": 41, "newLines": 2, "lines": [" one", "-two", "+three"]}
    noted = {"filePath": "/p/a.py", "originalFile": "…" * 300, "structuredPatch": [hunk], "userModified": False}
    (result,) = reading.user([{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}], toolUseResult=noted)

    assert result.metadata["patch"] == [{"oldStart": 41, "newStart": 41, "lines": [" one", "-two", "+three"]}]
    assert "originalFile" not in result.metadata["result"]


def test_reader_leaves_out_a_patch_that_is_too_long() -> None:
    hunk = {"oldStart": 1, "newStart": 1, "lines": ["+" + "x" * 300_000]}
    noted = {"structuredPatch": [hunk]}
    (result,) = Reading().user([{"type": "tool_result", "tool_use_id": "?", "content": "ok"}], toolUseResult=noted)

    assert "patch" not in result.metadata


def test_reader_failed_and_unpaired_results() -> None:
    (result,) = Reading().user([{"type": "tool_result", "tool_use_id": "?", "content": "no", "is_error": True}])
    assert result.content == {"function": None, "action_request_id": None, "error": "no"}


def test_reader_joins_texts_and_references_images() -> None:
    reading = Reading()
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
    texts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    (first,) = reading.user([{"type": "tool_result", "tool_use_id": "t", "content": texts}])
    (second,) = reading.user([{"type": "tool_result", "tool_use_id": "t", "content": [texts[0], image]}])
    assert first.content["output"] == "a\nb"
    reference = second.content["output"][1]
    assert (reference["media_type"], reference["characters"]) == ("image/png", 4)
    assert "aGk=" not in json.dumps(second.content)


def test_reader_attaches_image_to_prompt() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
    (message,) = Reading().user([image, {"type": "text", "text": "what is this?"}])
    assert message.content["instruction"] == "what is this?"
    assert message.content["images"][0]["uuid"] == "u1"
    (alone,) = Reading().user([image])
    assert alone.content["instruction"] == ""


def test_reader_counts_usage_once_per_api_message() -> None:
    reading = Reading()
    first, *_ = reading.assistant({"type": "text", "text": "a"}, said={"usage": USAGE | {"output_tokens": 1}})
    second, *_ = reading.assistant({"type": "text", "text": "b"}, said={"usage": USAGE})
    third, *_ = reading.assistant({"type": "text", "text": "c"}, said={"usage": USAGE})
    other, *_ = reading.assistant({"type": "text", "text": "d"}, id_="m2", said={"usage": USAGE})
    assert first.usage[:4] == (10, 1, 100, 20)
    assert second.usage[:4] == (0, 3, 0, 0)
    assert "usage" not in third.metadata
    assert other.usage[:4] == (10, 4, 100, 20)
    # $3 and $15 for a million, a tenth for what was cached, a quarter more for what is
    assert other.usage.cost_microusd == 10 * 3 + 4 * 15 + 100 * 0.3 + 20 * 3.75


def test_reader_cost_recorded_or_unknown() -> None:
    usage = {"usage": USAGE}
    (recorded,) = Reading().assistant({"type": "text", "text": "a"}, said=usage, costUSD=0.5)
    (unknown,) = Reading().assistant({"type": "text", "text": "a"}, said=usage | {"model": "mystery-1"})
    (fast,) = Reading().assistant({"type": "text", "text": "a"}, said={"usage": USAGE | {"speed": "fast"}})
    assert recorded.usage.cost_microusd == 500_000
    assert unknown.usage.cost_microusd is None
    assert fast.usage.cost_microusd is None


def test_reader_marks_injected_texts() -> None:
    reading = Reading()
    (meta,) = reading.user("Continue", isMeta=True)
    (command,) = reading.user("<command-name>/compact</command-name>")
    (summary,) = reading.user("This session is being continued", isCompactSummary=True)
    (typed,) = reading.user("Now the real thing")
    assert [message.metadata.get("injected") for message in (meta, command, summary, typed)] == [True, True, True, None]
    assert summary.metadata["record"] == "compact_summary"
    assert reading.facts.title == "Now the real thing"


def test_title_rank() -> None:
    reading = Reading()
    reading.user("first prompt")
    reading.take("summary", summary="Of another", leafUuid="elsewhere")
    assert reading.facts.title == "first prompt"
    reading.take("summary", summary="A summary", leafUuid="u1")
    assert reading.facts.title == "A summary"
    reading.take("ai-title", aiTitle="A better one")
    assert reading.facts.title == "A better one"
    reading.take("custom-title", customTitle="Mine")
    assert (reading.facts.name, reading.facts.title) == ("Mine", "A better one")


def test_reader_applies_summary_when_its_record_appears() -> None:
    reading = Reading()
    reading.take("summary", summary="Early", leafUuid="u2")
    reading.user("hello")
    assert reading.facts.title == "Early"


def test_reader_api_error_fails_session_until_next_message() -> None:
    reading = Reading()
    text = {"type": "text", "text": "API Error: 529"}
    (message,) = reading.assistant(text, isApiErrorMessage=True, error="overloaded", apiErrorStatus=529)
    assert message.metadata["error"] == {"type": "overloaded", "status": 529}
    assert reading.facts.failed == "API Error: 529"
    reading.user("again")
    assert reading.facts.failed is None


def test_reader_sidechain_has_own_lane() -> None:
    reading = Reading()
    reading.user("main")
    reading.user("sub prompt", isSidechain=True, parentUuid=None)
    first = reading.lanes
    reading.assistant({"type": "text", "text": "sub answer"}, isSidechain=True, parentUuid="u2")
    assert first == reading.lanes == ["side-u2"]
    reading.user("named", isSidechain=True, agentId="abc")
    assert reading.lanes == ["abc"]
    assert reading.facts.title == "main"


def test_reader_sidechain_is_named_after_its_task() -> None:
    reading = Reading()
    task = {"description": "Find the leak", "prompt": "Look at the pool\n", "subagent_type": "Explore"}
    reading.assistant({"type": "tool_use", "id": "c1", "name": "Task", "input": task})
    reading.user([{"type": "text", "text": "Look at the pool"}], isSidechain=True, parentUuid=None)
    (lane,) = reading.lanes
    reading.user("a prompt that no task has", isSidechain=True, parentUuid=None)
    (other,) = reading.lanes
    assert (reading.facts.lane_names[lane], reading.facts.lane_names[other]) == ("Find the leak", "")


def test_reader_subagent_file_is_one_lane() -> None:
    reading = Reading(thread="abc")
    reading.user("sub", isSidechain=True, agentId="abc")
    assert reading.lanes == ["abc"]


def test_reader_queued_prompt_is_instruction() -> None:
    reading = Reading()
    (message,) = reading.take("attachment", attachment={"type": "queued_command", "prompt": "also do b"})
    assert (type(message), message.role, message.content) == (Instruction, "user", {"instruction": "also do b"})
    notice = {"type": "queued_command", "prompt": "x", "commandMode": "task-notification"}
    (told,) = reading.take("attachment", attachment=notice)
    assert told.metadata["injected"] is True


def test_reader_counts_noise_and_keeps_unknown_records() -> None:
    reading = Reading()
    assert reading.take("queue-operation", content="x") == []
    assert reading.take("attachment", attachment={"type": "skill_listing", "content": "x"}) == []
    assert reading.take("system", subtype="turn_duration", content="1 s") == []
    assert reading.take("api-request-blob", message={"role": "user", "content": "repeated"}) == []
    assert reading.take("attachment", attachment={"type": "prompt_snapshot", "systemPrompt": ["long"]}) == []
    assert reading.take("brand-new") == []
    assert reading.facts.records == {
        "queue-operation": 1,
        "attachment.skill_listing": 1,
        "system.turn_duration": 1,
        "api-request-blob": 1,
        "attachment.prompt_snapshot": 1,
        "brand-new": 1,
    }
    (kept,) = reading.take("brand-new", content="something")
    assert kept.content["record"]["content"] == "something"
    (boundary,) = reading.take("system", subtype="compact_boundary", content="Conversation compacted")
    assert (boundary.role, boundary.metadata["record"]) == ("system", "system.compact_boundary")
    (edited,) = reading.take(
        "attachment", attachment={"type": "edited_text_file", "snippet": "1 a", "filename": "a.py"}
    )
    assert edited.content == {"instruction": "1 a"}
    assert edited.metadata["attachment"] == {"type": "edited_text_file", "filename": "a.py"}
    (context,) = reading.take(
        "attachment", attachment={"type": "hook_additional_context", "content": ["one", "two"], "hookEvent": "Stop"}
    )
    assert context.content == {"instruction": "one\ntwo"}


def test_reader_keeps_unknown_block() -> None:
    (message,) = Reading().assistant({"type": "hologram", "x": 1})
    assert message.content == {"assistant_response": "", "block": {"type": "hologram", "x": 1}}


def test_reader_ids_derive_from_record_uuids() -> None:
    one, other = Reading("s1"), Reading("s2")
    assert one.user("hello")[0].id == other.user("hello")[0].id  # a copy in another session
    assert one.user("hello")[0].id != one.user("hello")[0].id


def test_reader_accepts_unexpected_shapes() -> None:
    reading = Reading()
    for content in (None, 7, [], [None], ["plain"], [{"type": "text", "text": 5}], {"a": 1}):
        reading.user(content)
        reading.take("assistant", {"content": content, "usage": "none", "model": 4})
    (kept,) = reading.take("user", "not an object")
    assert kept.content["record"]["message"] == "not an object"
    assert reading.take("attachment", attachment="text") == []
