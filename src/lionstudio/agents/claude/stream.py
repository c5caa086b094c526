"""The records of `claude --output-format stream-json` as events. docs/reference/agents.md lists them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lionstudio.agents.claude.blocks import StreamCalls, assistant_messages, user_messages
from lionstudio.agents.claude.usage import StreamUsage, total_usage
from lionstudio.agents.denials import completed, denial_facts
from lionstudio.agents.events import MAIN, Ended, Event, LaneOpened, MessageEvent, MetadataEvent, TextDelta
from lionstudio.agents.jsonl_process import StreamReader, ended_without_result, notice
from lionstudio.agents.rate_limits import failed
from lionstudio.agents.records import joined_text, raw_message, text_or_empty, without_empty
from lionstudio.model.coerce import Record, dict_of, list_of, to_token_count
from lionstudio.model.messages import AssistantResponse, Message
from lionstudio.model.usage import NOTHING

# Repeated signs of life without content.
PROGRESS = frozenset(
    {
        "keep_alive",
        "stream_event",
        "system.commands_changed",
        "system.hook_progress",
        "system.hook_started",
        "system.session_state_changed",
        "system.status",
        "system.task_progress",
        "system.task_updated",
        "system.thinking_tokens",
        "system.turn_starting",
        "tool_progress",
    }
)
_LOG_IN = "run `claude` and log in with /login, or set ANTHROPIC_API_KEY"
_HINTS = {"authentication_failed": _LOG_IN, "oauth_org_not_allowed": _LOG_IN, "model_not_found": "choose another model"}
_FORGOTTEN = "claude no longer has this conversation; `--fork SESSION:ORD` sends it the earlier messages"
_LIMITS = ("rate_limit", "billing_error")
_TEXT_FIELDS = ("content", "summary", "message", "text", "output", "description")


class ClaudeStreamReader(StreamReader):
    def __init__(self) -> None:
        super().__init__()
        self._calls: StreamCalls = {}
        self._answered: set[str] = set()  # calls that have their result
        self._denied: dict[str, str] = {}  # call -> tool
        self.decided: set[str] = set()  # calls that a person denied: they are not denied in silence
        self._usage = StreamUsage()
        self._streaming: dict[str, str] = {}  # lane -> the API message that is streaming
        self._lanes = {MAIN}
        self._last_text: dict[str, str] = {}
        self._owed = NOTHING  # usage that is not on a message yet
        self._error = ""  # Claude Code's code for the error
        self._resets_at: float | None = None
        self._result: Record | None = None

    def successor(self) -> ClaudeStreamReader:
        """The reader of the program that continues this conversation: it counts usage anew."""
        reader = ClaudeStreamReader()
        reader._denied, reader.decided, reader._lanes = self._denied, self.decided, self._lanes
        return reader

    def feed(self, record: dict[str, Any]) -> Iterator[Event]:
        kind = text_or_empty(record.get("type"))
        lane = text_or_empty(record.get("parent_tool_use_id")) or MAIN
        if kind in ("assistant", "user") and isinstance(record.get("message"), dict):
            yield from self._open(lane, record)
            yield from self._conversation(kind, record, lane)
        elif kind == "stream_event":
            yield from self._stream_event(dict_of(record.get("event")), lane)
        elif kind == "result":
            yield from self._close(record)
        elif kind == "system":
            yield from self._system(text_or_empty(record.get("subtype")), record)
        elif kind == "rate_limit_event":
            yield from self._limit(dict_of(record.get("rate_limit_info")))
        elif kind not in PROGRESS:
            yield from self.emit(raw_message(record, **without_empty(record=kind)))

    def _conversation(self, kind: str, record: Record, lane: str) -> Iterator[Event]:
        if kind == "user":
            yield from self._subagent_answer(record)
            blocks = list_of(record["message"].get("content"))
            self._answered.update(text_or_empty(dict_of(block).get("tool_use_id")) for block in blocks)
            for message in user_messages(record, self._calls, injected=lane == MAIN):
                yield from self.emit(self._with_owed(message, lane), lane)
            return
        if error := text_or_empty(record.get("error")):
            self._error = error
        usage = self._usage.of_record(record["message"])
        messages = list(assistant_messages(record, self._calls))
        for number, message in enumerate(messages):
            if number == 0:
                message = self.tally.note(message, usage)
            if text := text_or_empty(dict_of(message.content).get("assistant_response")):
                self._last_text[lane] = text
            last = lane == MAIN and number == len(messages) - 1
            yield from self.emit(self._with_owed(message, lane), lane, hold=last)

    def _stream_event(self, event: Record, lane: str) -> Iterator[Event]:
        """A delta of an API message; the last one reports its whole usage."""
        kind = event.get("type")
        if kind == "content_block_delta":
            if text := text_or_empty(dict_of(event.get("delta")).get("text")):
                yield TextDelta(text, lane)
        elif kind == "message_start":
            message = dict_of(event.get("message"))
            self._streaming[lane] = text_or_empty(message.get("id"))
            self._usage.start(message)
        elif kind == "message_delta":
            usage = self._usage.of_end(self._streaming.pop(lane, ""), dict_of(event.get("usage")))
            if not self.note(usage):
                self._owed = self._owed.plus(usage)
            if dict_of(event.get("delta")).get("stop_reason") == "tool_use":
                yield from self.flush()

    def _with_owed(self, message: Message, lane: str) -> Message:
        if lane == MAIN and self._owed != NOTHING:
            message, self._owed = self.tally.note(message, self._owed), NOTHING
        return message

    def _open(self, lane: str, record: Record) -> Iterator[Event]:
        """Open the lane of a sub-agent with its first record, named after the call that started it."""
        if lane in self._lanes:
            return
        yield from self.flush()
        self._lanes.add(lane)
        call = self._calls.get(lane)
        arguments = dict_of(call.content.get("arguments")) if call else {}
        agent = text_or_empty(record.get("subagent_type")) or text_or_empty(arguments.get("subagent_type"))
        names = [record.get("task_description"), record.get("description"), arguments.get("description"), agent]
        name = next((text for text in map(text_or_empty, names) if text), None)
        metadata = without_empty(
            call_id=lane, agent=agent, task_id=record.get("task_id"), action_request_id=call.id if call else None
        )
        yield LaneOpened(lane, name, metadata)

    def _subagent_answer(self, record: Record) -> Iterator[Event]:
        """The last answer of a sub-agent, which is printed only as the result of the call that started it."""
        notes = dict_of(record.get("tool_use_result"))
        blocks = list_of(dict_of(record["message"]).get("content"))
        lanes = [text_or_empty(dict_of(block).get("tool_use_id")) for block in blocks]
        answer = text_or_empty(joined_text(notes.get("content")))
        if len(lanes) != 1 or lanes[0] not in self._lanes or not answer or answer == self._last_text.get(lanes[0]):
            return
        message = AssistantResponse(content={"assistant_response": answer}, metadata={"from": "tool_result"})
        yield from self.emit(self.tally.note(message, self._usage.of_subagent(notes)), lanes[0])

    def _system(self, subtype: str, record: Record) -> Iterator[Event]:
        if subtype == "init":
            facts = without_empty(
                conversation=record.get("session_id"),
                model=record.get("model"),
                tools=record.get("tools"),
                version=record.get("claude_code_version"),
                permission_mode=record.get("permissionMode"),
            )
            yield MetadataEvent(facts)
        elif subtype in ("task_started", "task_notification"):
            yield from self._task(subtype, record)
        elif subtype == "permission_denied":  # the result of the call has the message
            self._denied[text_or_empty(record.get("tool_use_id"))] = text_or_empty(record.get("tool_name"))
        elif subtype == "api_retry":
            error = f"API error {record.get('error_status')}: {record.get('error')}"
            text = f"{error}; attempt {record.get('attempt')} of {record.get('max_retries')} failed"
            yield from self.emit(notice(text, "system.api_retry", dict(record)))
        elif f"system.{subtype}" not in PROGRESS:
            kind, text = f"system.{subtype}", _text_of(record)
            yield from self.emit(notice(text, kind, dict(record)) if text else raw_message(dict(record), record=kind))

    def _task(self, subtype: str, record: Record) -> Iterator[Event]:
        """A sub-agent or a shell command of a few seconds: its call and its result are the record of it.

        Only a command in the background ends after its call has been answered.
        """
        call = text_or_empty(record.get("tool_use_id"))
        if subtype == "task_started" and call and "subagent_type" in record:
            yield from self._open(call, record)
        elif call in self._lanes or (call in self._calls and call not in self._answered):
            return
        elif subtype == "task_notification" and (text := _text_of(record)):
            yield from self.emit(notice(text, f"system.{subtype}", dict(record)))

    def _limit(self, info: Record) -> Iterator[Event]:
        if info.get("status") == "rejected":
            self._resets_at = float(to_token_count(info.get("resetsAt"))) or None
        yield MetadataEvent({"rate_limit": dict(info)})

    def _close(self, record: Record) -> Iterator[Event]:
        """The end of a turn: an answer that was not printed before, and usage that is not on a message yet."""
        self._result = record
        answer = text_or_empty(record.get("result"))
        if answer and answer != self._last_text.get(MAIN):  # from a slash command, not from the model
            self._last_text[MAIN] = answer
            yield from self.emit(AssistantResponse(content={"assistant_response": answer}), hold=True)
        missing = self.tally.missing(total_usage(record))
        self._owed = NOTHING
        summary = {name: value for name, value in record.items() if name not in ("type", "result", "usage", "uuid")}
        if not self.note(missing):
            yield MessageEvent(self.tally.note(notice("end of the turn", "result", summary), missing))
        yield from self.flush()
        for denial in map(dict_of, list_of(record.get("permission_denials"))):
            self._denied[text_or_empty(denial.get("tool_use_id"))] = text_or_empty(denial.get("tool_name"))
        denied = self._denied_tools()
        yield MetadataEvent({"result": summary, **({"denied": denial_facts(denied)} if denied else {})})

    def _error_text(self) -> str:
        result = self._result or {}
        errors = "; ".join(filter(None, map(text_or_empty, list_of(result.get("errors")))))
        return text_or_empty(result.get("result")) or errors

    @property
    def has_forgotten(self) -> bool:
        """Whether the program does not have the conversation: it was deleted, or it was killed before it stored it."""
        return bool((self._result or {}).get("is_error")) and self._error_text().startswith("No conversation found")

    def _denied_tools(self) -> tuple[str, ...]:
        return tuple(tool for call, tool in self._denied.items() if call not in self.decided)

    def ended(self, code: int, last_words: str) -> Ended:
        """The run succeeded only with a result without error and exit code 0."""
        result = self._result
        if result is None:
            return ended_without_result(code, last_words, "claude")
        subtype = text_or_empty(result.get("subtype"))
        if not result.get("is_error") and not subtype.startswith("error"):
            return completed(self._denied_tools()) if code == 0 else ended_without_result(code, last_words, "claude")
        text = self._error_text() or subtype.replace("_", " ")
        limit = self._error in _LIMITS or self._resets_at is not None or result.get("api_error_status") == 429
        hint = _FORGOTTEN if self.has_forgotten else _HINTS.get(self._error)
        return failed(text, code, hint=hint, limit=limit, until=self._resets_at)


def _text_of(record: Record) -> str:
    """The text of a record of Claude Code itself; "" when it has none."""
    return next((text for text in (text_or_empty(record.get(name)) for name in _TEXT_FIELDS) if text.strip()), "")
