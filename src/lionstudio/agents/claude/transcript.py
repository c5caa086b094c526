"""Claude Code's transcripts: `projects/**/*.jsonl`, one record a line, one content block a record as a rule.

docs/mirror-claude.md says what becomes of every kind of record. Records are told apart by their `uuid`, which a
resumed or forked conversation keeps when it copies them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from uuid import UUID

from lionstudio.agents.claude.transcript_blocks import Usages, assistant_parts, injected, user_parts
from lionstudio.agents.transcript import MAIN, TranscriptFacts, TranscriptMessage, message_id, trim
from lionstudio.model.coerce import Record, dict_of, text_or_none, to_timestamp
from lionstudio.model.messages import Instruction, Message

SPACE = UUID("0d9a6f0e-56c1-5b44-9a53-6c1f7b0f7a11")

# Records that repeat what others say, or steer the program: counted, not kept.
NOISE = frozenset(
    (
        "agent-color",
        "agent-name",
        "agent-setting",
        "content-replacement",
        "file-history-snapshot",
        "last-prompt",
        "mode",
        "permission-mode",
        "progress",
        "queue-operation",
        "relocated-cwd",
        "tag",
        "worktree-state",
    )
)
NOISY_SYSTEM = frozenset({"api_metrics", "bridge_status", "stop_hook_summary", "turn_duration"})
# What the program tells the model again and again; the same in every conversation.
NOISY_ATTACHMENTS = frozenset(
    (
        "agent_listing_delta",
        "auto_mode",
        "auto_mode_exit",
        "budget_usd",
        "command_permissions",
        "companion_intro",
        "critical_system_reminder",
        "date_change",
        "deferred_tools_delta",
        "hook_success",
        "mcp_instructions_delta",
        "output_style",
        "plan_mode",
        "plan_mode_reentry",
        "skill_listing",
        "task_reminder",
        "todo_reminder",
        "token_usage",
        "total_tokens_reminder",
        "ultrathink_effort",
    )
)
_TITLES = {"custom-title": ("custom", "customTitle"), "ai-title": ("ai", "aiTitle")}
_MOST_CALLS = 500  # calls that wait for their answer; more than a model makes at once
_MOST_LANES = 200
_RECENT = 8


class ClaudeTranscriptReader:
    """Reads one transcript, a conversation's or a sub-agent's."""

    def __init__(self, facts: TranscriptFacts, state: Mapping[str, Any], *, born: float) -> None:
        self.facts = facts
        self._born: float = state.get("born", born)  # for records without a time
        self._calls: dict[str, list[str]] = dict(state.get("calls", {}))  # call id -> message id, function
        self._lanes: dict[str, str] = dict(state.get("lanes", {}))  # record of a sidechain -> its lane
        self._recent: list[str] = list(state.get("recent", ()))
        self._summaries: dict[str, str] = dict(state.get("summaries", {}))
        self._usages = Usages(state.get("usages", {}))
        self._seen = False

    def to_state(self) -> dict[str, Any]:
        """What must be known to go on."""
        trim(self._calls, _MOST_CALLS)
        trim(self._lanes, _MOST_LANES)
        return {
            "born": self._born,
            "calls": self._calls,
            "lanes": self._lanes,
            "recent": self._recent,
            "summaries": self._summaries,
            "usages": self._usages.to_state(),
        }

    def take(self, record: Record) -> Iterator[TranscriptMessage]:
        """The messages of the next record."""
        self._learn(record)
        kind = str(record.get("type"))
        at = to_timestamp(record.get("timestamp")) or self.facts.last_at or self._born
        lane = self._lane(record)
        found = [message for message in self._messages(kind, record, at) if message is not None]
        if not found and kind not in _TITLES and kind != "summary":
            self.facts.count(self._name(kind, record))
        for message in found:
            yield TranscriptMessage(lane, message)
        if found:
            self.facts.last_at = max(at, self.facts.last_at or at)

    def _messages(self, kind: str, record: Record, at: float) -> Iterator[Message | None]:
        if kind in ("user", "assistant") and isinstance(record.get("message"), dict):
            yield from self._conversation(kind, record, at)
        elif kind == "system":
            yield self._system(record, at)
        elif kind == "attachment":
            yield self._attachment(record, at)
        elif kind == "summary" or kind in _TITLES:
            self._entitle(kind, record)
        elif kind == "pr-link":
            self.facts.extra["pull_request"] = text_or_none(record.get("prUrl"))
        elif kind not in NOISE:
            yield self._unknown(kind, record, at)

    def _conversation(self, kind: str, record: Record, at: float) -> Iterator[Message]:
        said = record["message"]
        common = self._common(record)
        parts = (
            assistant_parts(said, record, common, self._calls, self._usages)
            if kind == "assistant"
            else user_parts(said, record, common, self._calls)
        )
        for number, (made, content, metadata) in enumerate(parts):
            id_ = self._id(record, at, number, kind)
            message = made(id=id_, created_at=at + number / 1000, content=content, metadata=metadata)
            if call := metadata.get("call_id"):
                if "action_request_id" not in content:
                    self._calls[call] = [id_, str(content.get("function"))]
                else:
                    self._calls.pop(call, None)
            self._note(kind, record, message)
            yield message

    def _note(self, kind: str, record: Record, message: Message) -> None:
        """What a message says about its session."""
        if self._is_aside(record):
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
                facts.entitle("prompt", text)
            elif text.startswith("<command-name>"):
                facts.entitle("command", text[14:].partition("<")[0])

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
        attached = dict_of(record.get("attachment"))
        kind = str(attached.get("type"))
        if not attached or kind in NOISY_ATTACHMENTS:
            return None
        if kind == "queued_command" and (prompt := text_or_none(attached.get("prompt"))):
            # a person typed while the model was at work
            message = self._event(record, at, "attachment.queued_command", {"instruction": prompt}, {})
            typed = attached.get("commandMode") in (None, "prompt") and not injected(prompt)
            return message if not typed else _spoken(message)
        texts = (text_or_none(attached.get(key)) for key in ("content", "message", "snippet", "text"))
        text = next((text for text in texts if text), "")
        content = {"instruction": text} if text else {"instruction": "", "attachment": attached}
        about = {"attachment": {"type": kind, **_short(attached)}}
        return self._event(record, at, f"attachment.{kind}", content, about)

    def _unknown(self, kind: str, record: Record, at: float) -> Message | None:
        """A record that this version does not know is kept as it is when it says something."""
        carried = [record.get(key) for key in ("content", "message", "text", "data")]
        if not any(carried):
            return None
        return self._event(record, at, kind, {"instruction": "", "record": dict(record)}, {})

    def _event(
        self, record: Record, at: float, kind: str, content: dict[str, Any], extra: Mapping[str, Any]
    ) -> Message:
        metadata = {**self._common(record), "record": kind, "injected": True, **extra}
        id_ = self._id(record, at, 0, kind)
        return Instruction(id=id_, created_at=at, role="system", content=content, metadata=metadata)

    def _entitle(self, kind: str, record: Record) -> None:
        if kind in _TITLES:
            name, key = _TITLES[kind]
            self.facts.entitle(name, record.get(key))
            return
        leaf, text = record.get("leafUuid"), text_or_none(record.get("summary"))
        if text is None:
            return
        # older versions put summaries of other conversations into a file: it counts when its last record is here
        if not isinstance(leaf, str) or leaf in self._recent:
            self.facts.entitle("summary", text)
        else:
            self._summaries[leaf] = text
            trim(self._summaries, 20)

    def _learn(self, record: Record) -> None:
        """What any record may say about the session."""
        facts, uuid = self.facts, record.get("uuid")
        if isinstance(uuid, str):
            self._recent = [*self._recent[1 - _RECENT :], uuid]
            if uuid in self._summaries:
                facts.entitle("summary", self._summaries.pop(uuid))
        if not facts.session:
            facts.session = text_or_none(record.get("sessionId")) or ""
        facts.cwd = facts.cwd or text_or_none(record.get("cwd"))
        facts.git_branch = facts.git_branch or text_or_none(record.get("gitBranch"))
        facts.version = text_or_none(record.get("version")) or facts.version
        if "entrypoint" not in facts.extra and "entrypoint" in record:
            facts.extra["entrypoint"] = record["entrypoint"]

    def _is_aside(self, record: Record) -> bool:
        return self.facts.thread == MAIN and record.get("isSidechain") is True

    def _lane(self, record: Record) -> str:
        """The conversation, the sub-agent whose file this is, or a sidechain within the conversation's file."""
        if not self._is_aside(record):
            return self.facts.thread
        uuid, parent = str(record.get("uuid")), record.get("parentUuid")
        agent = text_or_none(record.get("agentId"))
        lane = agent or self._lanes.get(str(parent)) or f"side-{uuid[:8]}"
        self._lanes[uuid] = lane
        return lane

    def _common(self, record: Record) -> dict[str, Any]:
        common = {"uuid": record.get("uuid"), "parent_uuid": record.get("parentUuid")}
        session = record.get("sessionId")
        if session and session != self.facts.session:
            common["session"] = session
        return {key: value for key, value in common.items() if value}

    def _id(self, record: Record, at: float, number: int, kind: str) -> str:
        uuid = text_or_none(record.get("uuid"))
        if uuid is not None:
            return message_id(SPACE, at, uuid, number)
        about = record.get("message") or record.get("content") or record.get("attachment")
        return message_id(SPACE, at, self.facts.session, kind, record.get("timestamp"), number, about)

    @staticmethod
    def _name(kind: str, record: Record) -> str:
        detail = record.get("subtype") or dict_of(record.get("attachment")).get("type")
        return f"{kind}.{detail}"[:100] if detail else kind[:100]


def _spoken(message: Message) -> Message:
    """An event that a person said."""
    metadata = {key: value for key, value in message.metadata.items() if key != "injected"}
    return Instruction(id=message.id, created_at=message.created_at, content=message.content, metadata=metadata)


def _short(given: Mapping[str, Any]) -> dict[str, Any]:
    """The small values of an object: paths, numbers, words."""
    small = {key: value for key, value in given.items() if key not in ("type", "content", "message", "snippet", "text")}
    return {key: value for key, value in small.items() if isinstance(value, (int, float)) or _is_word(value)}


def _is_word(value: object) -> bool:
    return isinstance(value, str) and len(value) <= 200
