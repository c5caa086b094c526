"""Codex's transcripts: `sessions/**/rollout-*.jsonl`, records in an envelope since September 2025, bare before.

docs/how-to/import-codex.md lists the kinds of records. Tokens are reported as sums in records of their own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from glob import escape, iglob
from typing import Any
from uuid import UUID

from lionstudio.agents.codex.transcript_items import item_parts
from lionstudio.agents.codex.usage import TokenCounter, add_tokens
from lionstudio.agents.records import parse_line
from lionstudio.agents.transcript import (
    MessagePart,
    TranscriptFacts,
    TranscriptMessage,
    TranscriptTool,
    drop_oldest,
    message_id,
    stable_id,
)
from lionstudio.model.coerce import Record, dict_of, text_or_none, to_timestamp
from lionstudio.model.messages import ActionRequest, AssistantResponse, Instruction, Message, System
from lionstudio.model.usage import Usage

_SPACE = UUID("5c2f4d8b-8f0e-5d0c-8a49-1f2a9c6be0d7")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)

# Events that repeat items or control the program: counted, not stored.
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
_MAX_CALLS = 500
_QUARTER = 900  # seconds, as in the ledger
_MAX_SPENT = 1000
_MAX_FIRST_LINE = 4_000_000  # bytes; it holds the instructions
_FAST = ("priority", "flex", "fast")  # service tiers with other prices


class CodexTranscriptReader:
    def __init__(self, facts: TranscriptFacts, state: Mapping[str, Any], *, born: float) -> None:
        self.facts = facts
        self._born: float = state.get("born", born)
        self._line: int = state.get("line", 0)
        self._turn: dict[str, Any] = dict(state.get("turn", {}))
        self._calls: dict[str, list[str]] = dict(state.get("calls", {}))
        self._has_answer: bool = state.get("said", False)
        self._tokens = TokenCounter(state.get("tokens", {}))

    def to_state(self) -> dict[str, Any]:
        drop_oldest(self._calls, _MAX_CALLS)
        return {
            "born": self._born,
            "line": self._line,
            "turn": self._turn,
            "calls": self._calls,
            "said": self._has_answer,
            "tokens": self._tokens.to_state(),
        }

    def feed(self, record: Record) -> Iterator[TranscriptMessage]:
        self._line += 1
        record = _enveloped(record)
        kind, payload = str(record.get("type")), dict_of(record.get("payload"))
        at = to_timestamp(record.get("timestamp")) or self.facts.last_at or self._born
        has_parts = False
        for number, part in enumerate(self._parts(kind, payload, at)):
            has_parts = True
            id_ = part.id or self._id(record, payload, at, number, part)
            metadata = self._metadata(record, payload, part) | part.metadata
            message = part.message_class(id=id_, created_at=at + number / 1000, content=part.content, metadata=metadata)
            if part.role is not None:
                message = replace(message, role=part.role)
            self._update_facts(message)
            total = None if self.facts.usage is None else tuple(self.facts.usage)
            yield TranscriptMessage(self.facts.lane, message, total)
        if has_parts:
            self.facts.last_at = max(at, self.facts.last_at or at)
        elif kind not in ("session_meta", "turn_context", "token_usage_record"):
            self.facts.count(f"{kind}.{payload['type']}"[:100] if "type" in payload else kind[:100])

    def _parts(self, kind: str, payload: Record, at: float) -> Iterator[MessagePart]:
        if kind == "session_meta":
            yield from self._session_meta(payload)
        elif kind == "turn_context":
            self._start_turn(payload)
        elif kind == "response_item":
            yield from item_parts(payload, self._calls)
        elif kind == "event_msg":
            yield from self._event(payload, at)
        elif kind == "token_usage_record":
            self._add_tokens(self._tokens.of_response(payload), at)
        elif kind == "compacted":
            text = text_or_none(payload.get("message")) or ""
            kept_items = len(payload.get("replacement_history") or ())
            yield _system_part("compacted", text, {"kept_items": kept_items} if kept_items else {})
        elif kind != "world_state" and any(payload.get(key) for key in ("message", "content", "text")):
            yield MessagePart(
                Instruction, {"instruction": "", "record": dict(payload)}, {"record": kind, "injected": True}
            )

    def _session_meta(self, payload: Record) -> Iterator[MessagePart]:
        facts, id_ = self.facts, text_or_none(payload.get("id"))
        if facts.extra.get("met"):
            # a fork by an older version begins with the records of its parent
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
        instructions = payload.get("base_instructions") or payload.get("instructions")
        text = text_or_none(dict_of(instructions).get("text")) or text_or_none(instructions)
        if text and facts.forked_before is None:
            # the same in every conversation of a version, so it is stored once
            yield MessagePart(System, {"system_message": text}, {}, id=stable_id(_SPACE, "instructions", text))

    def _start_turn(self, payload: Record) -> None:
        facts = self.facts
        facts.model = text_or_none(payload.get("model")) or facts.model
        facts.cwd = facts.cwd or text_or_none(payload.get("cwd"))
        turn = {"turn_id": payload.get("turn_id"), "effort": payload.get("effort"), "model": facts.model}
        self._turn = {key: value for key, value in turn.items() if value}
        if self._turn.get("effort"):
            facts.extra["effort"] = self._turn["effort"]

    def _event(self, payload: Record, at: float) -> Iterator[MessagePart]:
        kind = str(payload.get("type"))
        if kind == "token_count":
            inherited = self.facts.forked_from is not None and not self._has_answer
            self._add_tokens(self._tokens.of_sums(dict_of(payload.get("info")), inherited=inherited), at)
        elif kind == "task_started":  # its context is written before the `turn_context`
            self._turn["turn_id"] = payload.get("turn_id")
        elif kind == "thread_name_updated":
            self.facts.add_title("name", payload.get("thread_name") or payload.get("name"))
        elif kind == "thread_settings_applied":
            self._turn["tier"] = dict_of(payload.get("thread_settings")).get("service_tier")
        elif kind in ("error", "task_complete", "turn_complete"):
            error = payload.get("error") if kind != "error" else payload
            if error:
                text = text_or_none(dict_of(error).get("message")) or text_or_none(error) or "the turn failed"
                yield _system_part(f"event.{kind}", text, {"error": _error_code(error)})
        elif kind == "turn_aborted":
            yield _system_part("event.turn_aborted", f"The turn was aborted: {payload.get('reason')}", {})
        elif kind not in NOISY_EVENTS:
            review = text_or_none(dict_of(payload.get("review_output")).get("overall_explanation"))
            if note := review or text_or_none(payload.get("message")) or text_or_none(payload.get("text")):
                yield _system_part(f"event.{kind}", note, {})

    def _add_tokens(self, tokens: list[int] | None, at: float) -> None:
        if tokens is not None:
            model = None if self._turn.get("tier") in _FAST else self.facts.model
            self.facts.usage = add_tokens(self.facts.usage, tokens, model)
            self._spend(at, add_tokens(None, tokens, model))

    def _spend(self, at: float, usage: list[int | None]) -> None:
        """Note when a part of the sums was used; parts of one quarter of an hour and one price are one entry."""
        spent = self.facts.spent
        if spent and (int(spent[-1][0] // _QUARTER), spent[-1][1], spent[-1][2][4] is None) == (
            int(at // _QUARTER),
            self.facts.model,
            usage[4] is None,
        ):
            at, usage = spent[-1][0], list(Usage(*spent.pop()[2]).plus(Usage(*usage)))  # type: ignore[arg-type]
        spent.append([at, self.facts.model, usage])
        del spent[:-_MAX_SPENT]

    def _update_facts(self, message: Message) -> None:
        facts = self.facts
        facts.failed = message.text[:300] if message.metadata.get("error") else None
        self._has_answer = self._has_answer or message.role == "assistant"
        if isinstance(message, Instruction) and message.role == "user" and not message.metadata.get("injected"):
            facts.add_title("prompt", message.content.get("instruction"))
        call, content = message.metadata.get("call_id"), message.content
        if call and "action_request_id" not in content:
            self._calls[call] = [message.id, str(content.get("function"))]

    def _metadata(self, record: Record, payload: Record, part: MessagePart) -> dict[str, Any]:
        metadata = {
            "ordinal": record.get("ordinal"),
            "item_id": payload.get("id"),
            "turn_id": self._turn.get("turn_id"),
        }
        if part.message_class in (AssistantResponse, ActionRequest):
            metadata |= {"model": self._turn.get("model"), "effort": self._turn.get("effort")}
        return {key: value for key, value in metadata.items() if value is not None}

    def _id(self, record: Record, payload: Record, at: float, number: int, part: MessagePart) -> str:
        ordinal = record.get("ordinal")
        if ordinal is None:
            ordinal = f"line {self._line}" if record.get("timestamp") is None else part.content
        ids = (payload.get("id"), payload.get("call_id"), payload.get("type"))
        return message_id(_SPACE, at, self.facts.thread, record.get("timestamp"), ordinal, number, *ids)


def _enveloped(record: Record) -> Record:
    """A bare record of an older version in today's envelope."""
    if "payload" in record or str(record.get("type")) in ("session_meta", "event_msg", "response_item"):
        return record
    if "record_type" in record:
        return {"type": f"record.{record['record_type']}", "payload": {}}
    if "type" not in record and "id" in record:
        return {"timestamp": record.get("timestamp"), "type": "session_meta", "payload": record}
    return {"type": "response_item", "payload": record}


def _identify(facts: TranscriptFacts, payload: Record, id_: str | None) -> None:
    """Set the conversation, its parent if it is a sub-agent, and the conversation it was forked from."""
    spawn = dict_of(dict_of(dict_of(payload.get("source")).get("subagent")).get("thread_spawn"))
    facts.thread = id_ or facts.thread
    facts.parent = text_or_none(payload.get("parent_thread_id")) or text_or_none(spawn.get("parent_thread_id"))
    session = text_or_none(payload.get("session_id"))
    facts.session = session if facts.parent and session else facts.thread
    if facts.parent:
        names = ("agent_nickname", "agent_role", "agent_path", "depth")
        facts.agent = {key: value for key in names if (value := payload.get(key) or spawn.get(key))}
    facts.forked_from = text_or_none(payload.get("forked_from_id"))
    before = payload.get("forked_from_ordinal_exclusive")
    facts.forked_before = before if isinstance(before, int) and facts.forked_from else None


def _system_part(kind: str, text: str, extra: Mapping[str, Any]) -> MessagePart:
    return MessagePart(Instruction, {"instruction": text}, {"record": kind, "injected": True, **extra}, role="system")


def _error_code(error: object) -> Any:
    info = dict_of(error).get("codex_error_info")
    return info or dict_of(error).get("type") or "error"


def _written_at(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def _first_threads(path: str) -> list[str]:
    """The conversation and the parent that the first record of a rollout names."""
    try:
        with open(path, "rb") as file:
            record = dict_of(parse_line(file.readline(_MAX_FIRST_LINE)))
    except OSError:
        return []
    facts = TranscriptFacts()
    _identify(facts, dict_of(_enveloped(record).get("payload")), None)
    return [facts.session, facts.parent] if facts.parent else []


class _CodexTranscripts(TranscriptTool):
    name = "codex"
    agent_name = "codex"
    provider = "openai"
    home_variable = "CODEX_HOME"
    home = "~/.codex"
    folders = ("sessions", "archived_sessions")
    id_space = _SPACE

    def reader(self, facts: TranscriptFacts, state: Mapping[str, Any], *, born: float) -> CodexTranscriptReader:
        return CodexTranscriptReader(facts, state, born=born)

    def is_transcript(self, file_name: str) -> bool:
        return file_name.startswith("rollout-") and file_name.removesuffix(".zst").endswith(".jsonl")

    def conversation_paths(self, root: str, conversation: str, since: float) -> list[str]:
        """Its own rollout, and those of sub-agents: they name their parent in their first record."""
        days = os.path.join(escape(root), self.folders[0], "*", "*", "*", "rollout-*.jsonl")
        paths = sorted(path for path in iglob(days) if _written_at(path) >= since)
        threads, chosen = {conversation}, []
        for path in paths:  # a parent is older than its sub-agents
            if threads & {*_UUID.findall(os.path.basename(path)), *_first_threads(path)}:
                chosen.append(path)
                threads.update(_UUID.findall(os.path.basename(path)))
        return chosen

    def read_order(self, path: str, mtime_ns: int) -> tuple[Any, ...]:
        return (os.path.basename(path),)  # the name begins with the time of creation

    def branch_id(self, session: str, lane: str) -> str:
        return stable_id(self.id_space, lane or session, "branch")  # a thread is found by its id alone

    def facts_from_path(self, path: str) -> TranscriptFacts:
        stem = os.path.splitext(os.path.basename(path))[0]
        thread = (_UUID.findall(stem) or [stem])[-1]
        return TranscriptFacts(session=thread, thread=thread)


TOOL = _CodexTranscripts()
