"""Claude Code's transcripts: `projects/**/*.jsonl`, one record per line, usually one content block per record.

docs/how-to/import-claude.md lists the kinds of records. A record is identified by its `uuid`, which a resumed or forked
conversation keeps when it copies the record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from lionstudio.agents.claude.blocks import assistant_parts, is_injected, short_values, user_parts
from lionstudio.agents.claude.transcript_tool import SPACE
from lionstudio.agents.claude.usage import TranscriptUsage
from lionstudio.agents.records import joined_text, without_empty
from lionstudio.agents.transcript import MAIN, TranscriptFacts, TranscriptMessage, drop_oldest, message_id
from lionstudio.model.coerce import Record, dict_of, text_or_none, to_timestamp
from lionstudio.model.messages import Instruction, Message

# Records that repeat others or control the program: counted, not stored.
NOISE = frozenset(
    (
        "agent-color",
        "agent-name",
        "agent-setting",
        "api-request",
        "api-request-blob",
        "api-request-shape",
        "atis-latch",
        "content-replacement",
        "cost-state",
        "file-history-snapshot",
        "last-prompt",
        "mode",
        "permission-mode",
        "progress",
        "queue-operation",
        "relocated-cwd",
        "tag",
        "tools-used",
        "worktree-state",
    )
)
NOISY_SYSTEM = frozenset({"api_metrics", "bridge_status", "stop_hook_summary", "turn_duration"})
# Reminders that the program repeats to the model in every conversation.
NOISY_ATTACHMENTS = frozenset(
    (
        "agent_listing_delta",
        "auto_mode",
        "auto_mode_exit",
        "budget_usd",
        "command_permissions",
        "companion_intro",
        "critical_system_reminder",
        "date",
        "date_change",
        "deferred_tools_delta",
        "environment",
        "hook_success",
        "mcp_instructions_delta",
        "model",
        "output_style",
        "plan_mode",
        "plan_mode_reentry",
        "prompt_snapshot",
        "remote_session_change",
        "session_context",
        "skill_listing",
        "task_reminder",
        "todo_reminder",
        "token_usage",
        "total_tokens_reminder",
        "ultrathink_effort",
    )
)
_CONTEXT_HOOKS = ("SessionStart", "UserPromptSubmit")  # the output of other hooks is only logged
_COMMAND = re.compile(r"<command-(name|args)>\s*(.*?)\s*</command-\1>", re.DOTALL)
_ATTACHMENT_TEXTS = ("content", "message", "snippet", "text")
_TITLES = {"custom-title": ("custom", "customTitle"), "ai-title": ("ai", "aiTitle")}
_MAX_CALLS = 500  # calls without a result; more than a model makes at once
_MAX_LANES = 200
_PROMPT_KEY = 500  # characters of a prompt that tell it from others
_MAX_SUMMARIES = 20
_MAX_RECENT = 8


class ClaudeTranscriptReader:
    def __init__(self, facts: TranscriptFacts, state: Mapping[str, Any], *, born: float) -> None:
        self.facts = facts
        self._born: float = state.get("born", born)  # for records without a time
        self._calls: dict[str, list[str]] = dict(state.get("calls", {}))  # call id -> message id, function
        self._lanes: dict[str, str] = dict(state.get("lanes", {}))  # uuid of a sidechain record -> its lane
        self._tasks: dict[str, str] = dict(state.get("tasks", {}))  # beginning of a sub-agent's prompt -> its task
        self._recent: list[str] = list(state.get("recent", ()))
        self._summaries: dict[str, str] = dict(state.get("summaries", {}))
        self._usage = TranscriptUsage(state.get("usages", {}))

    def to_state(self) -> dict[str, Any]:
        drop_oldest(self._calls, _MAX_CALLS)
        drop_oldest(self._lanes, _MAX_LANES)
        drop_oldest(self._tasks, _MAX_LANES)
        return {
            "born": self._born,
            "calls": self._calls,
            "lanes": self._lanes,
            "tasks": self._tasks,
            "recent": self._recent,
            "summaries": self._summaries,
            "usages": self._usage.to_state(),
        }

    def feed(self, record: Record) -> Iterator[TranscriptMessage]:
        self._update_facts(record)
        kind = str(record.get("type"))
        at = to_timestamp(record.get("timestamp")) or self.facts.last_at or self._born
        lane = self._lane(record)
        messages = self._messages(kind, record, at)
        if not messages and kind not in _TITLES and kind != "summary":
            self.facts.count(self._record_name(kind, record))
        for message in messages:
            yield TranscriptMessage(lane, message)
        if messages:
            self.facts.last_at = max(at, self.facts.last_at or at)

    def _messages(self, kind: str, record: Record, at: float) -> list[Message]:
        if kind in ("user", "assistant") and isinstance(record.get("message"), dict):
            return list(self._conversation(kind, record, at))
        message = None
        if kind == "system":
            message = self._system(record, at)
        elif kind == "attachment":
            message = self._attachment(record, at)
        elif kind == "summary" or kind in _TITLES:
            self._add_title(kind, record)
        elif kind == "pr-link":
            self.facts.extra["pull_request"] = text_or_none(record.get("prUrl"))
        elif kind not in NOISE:
            message = self._unknown(kind, record, at)
        return [] if message is None else [message]

    def _conversation(self, kind: str, record: Record, at: float) -> Iterator[Message]:
        turn, common = record["message"], self._common_metadata(record)
        parts = (
            assistant_parts(turn, record, common, self._calls, self._usage)
            if kind == "assistant"
            else user_parts(turn, record, common, self._calls)
        )
        for number, part in enumerate(parts):
            id_ = self._id(record, at, number, kind)
            message = part.message_class(
                id=id_, created_at=at + number / 1000, content=part.content, metadata=part.metadata
            )
            if call := part.metadata.get("call_id"):
                if "action_request_id" not in part.content:
                    self._note_task(part.content)
                    self._calls[call] = [id_, str(part.content.get("function"))]
                else:
                    self._calls.pop(call, None)
            self._update_session_facts(kind, record, message)
            yield message

    def _note_task(self, call: Mapping[str, Any]) -> None:
        """Remember the description of a task, because the records of its sub-agent repeat only the prompt."""
        arguments = dict_of(call.get("arguments"))
        prompt, task = text_or_none(arguments.get("prompt")), text_or_none(arguments.get("description"))
        if prompt and task:
            self._tasks[prompt.strip()[:_PROMPT_KEY]] = task

    def _update_session_facts(self, kind: str, record: Record, message: Message) -> None:
        if self._is_sidechain(record):
            return
        facts = self.facts
        error = message.metadata.get("error")
        facts.failed = str(message.text)[:300] if error else None
        if kind == "assistant":
            model = message.metadata.get("model")
            facts.model = model or facts.model
        elif isinstance(message, Instruction):
            text = message.content.get("instruction", "")
            if not message.metadata.get("injected") and not text.startswith("[Request interrupted"):
                facts.add_title("prompt", text)
            elif text.startswith("<command-"):
                command = dict(_COMMAND.findall(text))
                facts.add_title("command", " ".join(filter(None, map(command.get, ("name", "args")))))

    def _system(self, record: Record, at: float) -> Message | None:
        subtype = str(record.get("subtype"))
        text = text_or_none(record.get("content"))
        if subtype == "api_error":
            error = dict_of(record.get("error"))
            text = text or f"API error: {error.get('message') or error.get('status') or 'unknown'}"
        if text is None or subtype in NOISY_SYSTEM:
            return None
        extra = {"compaction": record["compactMetadata"]} if "compactMetadata" in record else {}
        return self._event(record, at, f"system.{subtype}", {"instruction": text}, extra)

    def _attachment(self, record: Record, at: float) -> Message | None:
        attachment = dict_of(record.get("attachment"))
        kind = str(attachment.get("type"))
        if not attachment or (kind in NOISY_ATTACHMENTS and not _is_context(attachment)):
            return None
        if kind == "queued_command" and (prompt := text_or_none(joined_text(attachment.get("prompt")))):
            # the user typed while the model was working
            source = without_empty(source_uuid=attachment.get("source_uuid"))
            message = self._event(record, at, "attachment.queued_command", {"instruction": prompt}, source)
            is_typed = attachment.get("commandMode") in (None, "prompt") and not is_injected(prompt)
            return _as_prompt(message) if is_typed else message
        texts = (_attached_text(attachment.get(key)) for key in _ATTACHMENT_TEXTS)
        text = next((text for text in texts if text), "")
        content = {"instruction": text} if text else {"instruction": "", "attachment": attachment}
        details = {key: value for key, value in attachment.items() if key not in ("type", *_ATTACHMENT_TEXTS)}
        extra = {"attachment": {"type": kind, **short_values(details)}}
        return self._event(record, at, f"attachment.{kind}", content, extra)

    def _unknown(self, kind: str, record: Record, at: float) -> Message | None:
        """A record of an unknown kind is stored as it is, if it has content."""
        if not any(record.get(key) for key in ("content", "message", "text", "data")):
            return None
        return self._event(record, at, kind, {"instruction": "", "record": dict(record)}, {})

    def _event(
        self, record: Record, at: float, kind: str, content: dict[str, Any], extra: Mapping[str, Any]
    ) -> Message:
        metadata = {**self._common_metadata(record), "record": kind, "injected": True, **extra}
        id_ = self._id(record, at, 0, kind)
        return Instruction(id=id_, created_at=at, role="system", content=content, metadata=metadata)

    def _add_title(self, kind: str, record: Record) -> None:
        if kind in _TITLES:
            name, key = _TITLES[kind]
            self.facts.add_title(name, record.get(key))
            return
        leaf, text = record.get("leafUuid"), text_or_none(record.get("summary"))
        if text is None:
            return
        # older versions add summaries of other conversations: a summary counts when its last record is in this file
        if not isinstance(leaf, str) or leaf in self._recent:
            self.facts.add_title("summary", text)
        else:
            self._summaries[leaf] = text
            drop_oldest(self._summaries, _MAX_SUMMARIES)

    def _update_facts(self, record: Record) -> None:
        """Take in the facts that a record of any kind may hold."""
        facts, uuid = self.facts, record.get("uuid")
        if isinstance(uuid, str):
            self._recent = [*self._recent[1 - _MAX_RECENT :], uuid]
            if uuid in self._summaries:
                facts.add_title("summary", self._summaries.pop(uuid))
        if not facts.session:
            facts.session = text_or_none(record.get("sessionId")) or ""
        facts.cwd = facts.cwd or text_or_none(record.get("cwd"))
        facts.git_branch = facts.git_branch or text_or_none(record.get("gitBranch"))
        facts.version = text_or_none(record.get("version")) or facts.version
        if "entrypoint" not in facts.extra and "entrypoint" in record:
            facts.extra["entrypoint"] = record["entrypoint"]

    def _is_sidechain(self, record: Record) -> bool:
        return self.facts.thread == MAIN and record.get("isSidechain") is True

    def _lane(self, record: Record) -> str:
        """The lane of the file, or of a sidechain inside a conversation's file."""
        if not self._is_sidechain(record):
            return self.facts.thread
        uuid, parent = str(record.get("uuid")), record.get("parentUuid")
        agent = text_or_none(record.get("agentId"))
        lane = agent or self._lanes.get(str(parent)) or f"side-{uuid[:8]}"
        if lane not in self.facts.lane_names:
            prompt = text_or_none(joined_text(dict_of(record.get("message")).get("content"))) or ""
            self.facts.lane_names[lane] = self._tasks.get(prompt.strip()[:_PROMPT_KEY], "")
        self._lanes[uuid] = lane
        return lane

    def _common_metadata(self, record: Record) -> dict[str, Any]:
        common = {"uuid": record.get("uuid"), "parent_uuid": record.get("parentUuid")}
        session = record.get("sessionId")
        if session and session != self.facts.session:
            common["session"] = session
        return {key: value for key, value in common.items() if value}

    def _id(self, record: Record, at: float, number: int, kind: str) -> str:
        uuid = text_or_none(record.get("uuid"))
        if uuid is not None:
            return message_id(SPACE, at, uuid, number)
        content = record.get("message") or record.get("content") or record.get("attachment")
        return message_id(SPACE, at, self.facts.session, kind, record.get("timestamp"), number, content)

    @staticmethod
    def _record_name(kind: str, record: Record) -> str:
        detail = record.get("subtype") or dict_of(record.get("attachment")).get("type")
        return f"{kind}.{detail}"[:100] if detail else kind[:100]


def _is_context(attachment: Record) -> bool:
    """True for the output of a hook that is told to the model."""
    return attachment.get("hookEvent") in _CONTEXT_HOOKS and bool(_attached_text(attachment.get("content")))


def _attached_text(value: object) -> str | None:
    """A text, or the lines of a list of texts: each hook adds one."""
    if isinstance(value, list) and all(isinstance(text, str) for text in value):
        value = "\n".join(value)
    return text_or_none(value)


def _as_prompt(message: Message) -> Message:
    """A prompt of the user instead of a system event."""
    metadata = {key: value for key, value in message.metadata.items() if key != "injected"}
    return Instruction(id=message.id, created_at=message.created_at, content=message.content, metadata=metadata)
