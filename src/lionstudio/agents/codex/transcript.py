"""Codex's transcripts: `sessions/**/rollout-*.jsonl`, records in an envelope since September 2025, bare before.

docs/mirror-codex.md says what becomes of every kind of record. Tokens are reported as sums beside the messages;
here `input_tokens` includes what came from the cache, which is taken out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from lionstudio.agents.codex.transcript_items import CodexPart, item_parts
from lionstudio.agents.codex.usage import Tokens
from lionstudio.agents.transcript import TranscriptFacts, TranscriptMessage, made_id, message_id, trim
from lionstudio.model.coerce import Record, dict_of, text_or_none, to_timestamp
from lionstudio.model.messages import ActionRequest, AssistantResponse, Instruction, Message, System

SPACE = UUID("5c2f4d8b-8f0e-5d0c-8a49-1f2a9c6be0d7")

# Events that tell once more what the items tell, or steer the program: counted, not kept.
NOISY_EVENTS = frozenset(
    (
        "agent_message",
        "agent_message_delta",
        "agent_reasoning",
        "agent_reasoning_delta",
        "agent_reasoning_section_break",
        "agent_reasoning_raw_content",
        "background_event",
        "context_compacted",
        "deprecation_notice",
        "entered_review_mode",
        "exec_approval_request",
        "exec_command_begin",
        "exec_command_end",
        "exec_command_output_delta",
        "item_completed",
        "item_started",
        "mcp_startup_complete",
        "mcp_startup_update",
        "mcp_tool_call_begin",
        "mcp_tool_call_end",
        "patch_apply_begin",
        "patch_apply_end",
        "plan_update",
        "session_configured",
        "stream_error",
        "task_started",
        "thread_settings_applied",
        "turn_diff",
        "turn_started",
        "undo_completed",
        "undo_started",
        "user_message",
        "view_image_tool_call",
        "web_search_begin",
        "web_search_end",
    )
)
_MOST_CALLS = 500
_FAST = ("priority", "flex", "fast")  # services with other prices


class CodexTranscriptReader:
    """Reads one rollout."""

    def __init__(self, facts: TranscriptFacts, state: Mapping[str, Any], *, born: float) -> None:
        self.facts = facts
        self._born: float = state.get("born", born)
        self._line: int = state.get("line", 0)
        self._turn: dict[str, Any] = dict(state.get("turn", {}))
        self._calls: dict[str, list[str]] = dict(state.get("calls", {}))
        self._said: bool = state.get("said", False)
        self._tokens = Tokens(state.get("tokens", {}))

    def to_state(self) -> dict[str, Any]:
        """What must be known to go on."""
        trim(self._calls, _MOST_CALLS)
        return {
            "born": self._born,
            "line": self._line,
            "turn": self._turn,
            "calls": self._calls,
            "said": self._said,
            "tokens": self._tokens.to_state(),
        }

    def take(self, record: Record) -> Iterator[TranscriptMessage]:
        """The messages of the next record."""
        self._line += 1
        record = _enveloped(record)
        kind, payload = str(record.get("type")), dict_of(record.get("payload"))
        at = to_timestamp(record.get("timestamp")) or self.facts.last_at or self._born
        any_ = False
        for number, part in enumerate(self._parts(kind, payload, at)):
            any_ = True
            id_ = part.id or self._id(record, payload, at, number, part)
            metadata = self._about(record, payload, part) | part.metadata
            message = part.made(id=id_, created_at=at + number / 1000, content=part.content, metadata=metadata)
            if part.role is not None:
                message = replace(message, role=part.role)
            self._note(message)
            yield TranscriptMessage(self.facts.lane, message)
        if any_:
            self.facts.last_at = max(at, self.facts.last_at or at)
        elif kind not in ("session_meta", "turn_context", "token_usage_record"):
            self.facts.count(f"{kind}.{payload['type']}"[:100] if "type" in payload else kind[:100])

    def _parts(self, kind: str, payload: Record, at: float) -> Iterator[CodexPart]:
        if kind == "session_meta":
            yield from self._meta(payload, at)
        elif kind == "turn_context":
            self._begin_turn(payload)
        elif kind == "response_item":
            yield from item_parts(payload, self._calls)
        elif kind == "event_msg":
            yield from self._event(payload)
        elif kind == "token_usage_record":
            self._count(self._tokens.of_response(payload))
        elif kind == "compacted":
            text = text_or_none(payload.get("message")) or ""
            kept = len(payload.get("replacement_history") or ())
            yield _told("compacted", text, {"kept_items": kept} if kept else {})
        elif kind != "world_state" and any(payload.get(key) for key in ("message", "content", "text")):
            yield CodexPart(
                Instruction, {"instruction": "", "record": dict(payload)}, {"record": kind, "injected": True}
            )

    def _meta(self, payload: Record, at: float) -> Iterator[CodexPart]:
        facts, id_ = self.facts, text_or_none(payload.get("id"))
        if facts.extra.get("met"):
            # a fork of older versions begins with its parent's records
            if id_ and id_ != facts.thread and facts.forked_from is None:
                facts.forked_from = id_
            return
        facts.extra["met"] = True
        _identify(facts, payload, id_)
        git = dict_of(payload.get("git"))
        facts.cwd = text_or_none(payload.get("cwd")) or facts.cwd
        facts.provider = text_or_none(payload.get("model_provider"))
        facts.version = text_or_none(payload.get("cli_version"))
        facts.git_commit, facts.git_branch = text_or_none(git.get("commit_hash")), text_or_none(git.get("branch"))
        for key in ("originator", "source", "repository_url"):
            value = payload.get(key) or git.get(key)
            if value:
                facts.extra[key] = value
        given = payload.get("base_instructions") or payload.get("instructions")
        text = text_or_none(dict_of(given).get("text")) or text_or_none(given)
        if text and facts.forked_before is None:
            # the same in every conversation of a version, so it is stored once
            yield CodexPart(System, {"system_message": text}, {}, id=made_id(SPACE, "instructions", text))

    def _begin_turn(self, payload: Record) -> None:
        facts = self.facts
        facts.model = text_or_none(payload.get("model")) or facts.model
        facts.cwd = facts.cwd or text_or_none(payload.get("cwd"))
        turn = {"turn_id": payload.get("turn_id"), "effort": payload.get("effort"), "model": facts.model}
        self._turn = {key: value for key, value in turn.items() if value}
        if self._turn.get("effort"):
            facts.extra["effort"] = self._turn["effort"]

    def _event(self, payload: Record) -> Iterator[CodexPart]:
        kind = str(payload.get("type"))
        if kind == "token_count":
            inherited = self.facts.forked_from is not None and not self._said
            self._count(self._tokens.of_sums(dict_of(payload.get("info")), inherited=inherited))
        elif kind == "thread_name_updated":
            self.facts.entitle("name", payload.get("thread_name") or payload.get("name"))
        elif kind == "thread_settings_applied":
            self._turn["tier"] = dict_of(payload.get("thread_settings")).get("service_tier")
        elif kind in ("error", "task_complete", "turn_complete"):
            error = payload.get("error") if kind != "error" else payload
            if error:
                said = text_or_none(dict_of(error).get("message")) or text_or_none(error) or "the turn failed"
                yield _told(f"event.{kind}", said, {"error": _info(error)})
        elif kind == "turn_aborted":
            yield _told("event.turn_aborted", f"The turn was aborted: {payload.get('reason')}", {})
        elif kind not in NOISY_EVENTS:
            review = text_or_none(dict_of(payload.get("review_output")).get("overall_explanation"))
            text = review or text_or_none(payload.get("message")) or text_or_none(payload.get("text"))
            if text:
                yield _told(f"event.{kind}", text, {})

    def _count(self, used: list[int] | None) -> None:
        if used is None:
            return
        model = None if self._turn.get("tier") in _FAST else self.facts.model
        self.facts.usage = self._tokens.add(self.facts.usage, used, model)

    def _note(self, message: Message) -> None:
        """What a message says about its session."""
        facts = self.facts
        facts.failed = message.text[:300] if message.metadata.get("error") else None
        self._said = self._said or message.role == "assistant"
        if isinstance(message, Instruction) and message.role == "user" and not message.metadata.get("injected"):
            facts.entitle("prompt", message.content.get("instruction"))
        call, content = message.metadata.get("call_id"), message.content
        if call and "action_request_id" not in content:
            self._calls[call] = [message.id, str(content.get("function"))]

    def _about(self, record: Record, payload: Record, part: CodexPart) -> dict[str, Any]:
        about = {"ordinal": record.get("ordinal"), "item_id": payload.get("id"), "turn_id": self._turn.get("turn_id")}
        if part.made in (AssistantResponse, ActionRequest):
            about |= {"model": self._turn.get("model"), "effort": self._turn.get("effort")}
        return {key: value for key, value in about.items() if value is not None}

    def _id(self, record: Record, payload: Record, at: float, number: int, part: CodexPart) -> str:
        ordinal = record.get("ordinal")
        if ordinal is None:
            ordinal = f"line {self._line}" if record.get("timestamp") is None else part.content
        known = (payload.get("id"), payload.get("call_id"), payload.get("type"))
        return message_id(SPACE, at, self.facts.thread, record.get("timestamp"), ordinal, number, *known)


def _enveloped(record: Record) -> Record:
    """A record of the old, bare kind in the envelope of today."""
    if "payload" in record or str(record.get("type")) in ("session_meta", "event_msg", "response_item"):
        return record
    if "record_type" in record:
        return {"type": f"record.{record['record_type']}", "payload": {}}
    if "type" not in record and "id" in record:
        return {"timestamp": record.get("timestamp"), "type": "session_meta", "payload": record}
    return {"type": "response_item", "payload": record}


def _identify(facts: TranscriptFacts, payload: Record, id_: str | None) -> None:
    """Which conversation this is, and whose sub-agent or fork."""
    spawned = dict_of(dict_of(dict_of(payload.get("source")).get("subagent")).get("thread_spawn"))
    facts.thread = id_ or facts.thread
    facts.parent = text_or_none(payload.get("parent_thread_id")) or text_or_none(spawned.get("parent_thread_id"))
    session = text_or_none(payload.get("session_id"))
    facts.session = session if facts.parent and session else facts.thread
    if facts.parent:
        names = ("agent_nickname", "agent_role", "agent_path", "depth")
        facts.agent = {key: value for key in names if (value := payload.get(key) or spawned.get(key))}
    facts.forked_from = text_or_none(payload.get("forked_from_id"))
    before = payload.get("forked_from_ordinal_exclusive")
    facts.forked_before = before if isinstance(before, int) and facts.forked_from else None


def _told(kind: str, text: str, extra: Mapping[str, Any]) -> CodexPart:
    return CodexPart(Instruction, {"instruction": text}, {"record": kind, "injected": True, **extra}, role="system")


def _info(error: object) -> Any:
    info = dict_of(error).get("codex_error_info")
    return info or dict_of(error).get("type") or "error"
