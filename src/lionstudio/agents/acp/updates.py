"""The updates of a session as events: chunks become messages, the pieces of a tool call one call and its result."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from lionstudio.agents.acp.permissions import PermissionDecision, permission_notice
from lionstudio.agents.acp.tool_calls import ToolCall
from lionstudio.agents.acp.usage import cost_of_update
from lionstudio.agents.events import Event, MessageEvent, MetadataEvent, TextDelta
from lionstudio.agents.jsonl_process import notice
from lionstudio.agents.records import raw_message, text_or_empty, without_empty
from lionstudio.agents.usage_tally import UsageTally
from lionstudio.model.coerce import Record, dict_of, list_of
from lionstudio.model.json_codec import jsonable
from lionstudio.model.messages import ActionRequest, ActionResponse, AssistantResponse
from lionstudio.model.usage import NOTHING, Usage

_HOLD_SECONDS = 0.2  # an agent that streams the arguments of a call sends the next piece sooner
_ANSWER, _THOUGHT = "assistant_response", "thinking"
_CHUNKS = {"agent_message_chunk": _ANSWER, "agent_thought_chunk": _THOUGHT}


class UpdateReader:
    def __init__(self) -> None:
        self.cost: int | None = None  # of the whole conversation, as the agent reports it
        self.model = ""  # as the agent reports it with the usage
        self.has_system_error = False  # Codex ends its turn normally after an error of the API
        self.last_text = ""
        self._tally = UsageTally()
        self._key, self._message_id, self._chunks = "", "", [""]
        self._calls: dict[str, ToolCall] = {}
        self._hold_until: float | None = None
        self._facts: dict[str, Any] = {}

    @property
    def hold_left(self) -> float | None:
        """The seconds until a call without complete arguments is emitted as it is; None when there is none."""
        return None if self._hold_until is None else max(0.0, self._hold_until - time.monotonic())

    def feed(self, update: Record) -> Iterator[Event]:
        """The events of one `session/update`."""
        kind = text_or_empty(update.get("sessionUpdate"))
        if kind in _CHUNKS:
            yield from self._chunk(_CHUNKS[kind], update)
        elif kind in ("tool_call", "tool_call_update"):
            yield from self._tool(update)
        elif kind == "plan":
            yield from self._plan(update)
        elif kind == "usage_update":
            if not self._message_id:  # it separates two messages that have no ids
                yield from self.finish_text()
            yield from self._note_usage(update)
        elif kind == "session_info_update":
            yield from self._info(update)
        elif kind == "available_commands_update":
            names = [text_or_empty(dict_of(entry).get("name")) for entry in list_of(update.get("availableCommands"))]
            yield from self.note_facts(commands=names)
        elif kind == "current_mode_update":
            yield from self.note_facts(permission_mode=text_or_empty(update.get("currentModeId")))
        elif kind == "config_option_update":
            yield from self.note_facts(**config_facts(update))
        elif kind != "user_message_chunk":  # our own prompt
            yield from self.finish_text()
            yield MessageEvent(raw_message(update, record=kind))

    def output(self, value: Any) -> Iterator[Event]:
        """A line that is not a message of the protocol."""
        yield from self.finish_text()
        yield MessageEvent(raw_message(value))

    def _chunk(self, key: str, update: Record) -> Iterator[Event]:
        content = dict_of(update.get("content"))
        text, message_id = content.get("text"), text_or_empty(update.get("messageId"))
        if key != self._key or message_id != self._message_id:
            yield from self.finish_text()
        for call in self._open_calls():
            if call.denied_by:  # the model has its next turn, so the agent will not report on the call any more
                yield from self._answer(call, f"permission denied ({call.denied_by})")
        if not isinstance(text, str):
            yield from self.finish_text()
            yield MessageEvent(raw_message(content, record=update["sessionUpdate"]))
            return
        self._key, self._message_id = key, message_id
        self._chunks.append(text)
        if key == _ANSWER and text:
            yield TextDelta(text)

    def finish_text(self, usage: Usage = NOTHING) -> Iterator[Event]:
        """Emit the chunks so far as one message; the last message of a turn carries its usage."""
        text, key = "".join(self._chunks), self._key or _ANSWER
        self._key, self._message_id, self._chunks = "", "", []
        if text.strip():
            self.last_text = text if key == _ANSWER else self.last_text
            message = AssistantResponse(content={_ANSWER: "", key: text})
            yield MessageEvent(self._tally.note(message, usage))
        elif usage != NOTHING:
            yield MessageEvent(self._tally.note(notice("end of the turn", "turn", usage._asdict()), usage))

    def _tool(self, update: Record) -> Iterator[Event]:
        yield from self.finish_text()
        call = self._call(update)
        for other in self._open_calls():
            if other is not call and other.has_arguments:
                yield from self._announce(other)
        if call.is_answered:
            return
        call.merge(update)
        if call.is_done:
            yield from self._answer(call)
        elif call.status == "in_progress":
            yield from self._announce(call)
        elif call.has_arguments and call.request is None:
            self._hold_until = time.monotonic() + _HOLD_SECONDS

    def _call(self, update: Record) -> ToolCall:
        call_id = text_or_empty(update.get("toolCallId"))
        return self._calls.setdefault(call_id, ToolCall(call_id))

    def _open_calls(self) -> list[ToolCall]:
        return [call for call in self._calls.values() if not call.is_answered]

    def flush(self) -> Iterator[Event]:
        """Emit the calls whose arguments are known."""
        self._hold_until = None
        for call in self._open_calls():
            if call.has_arguments:
                yield from self._announce(call)

    def _announce(self, call: ToolCall) -> Iterator[Event]:
        if call.request is None:
            yield MessageEvent(call.to_request())

    def _answer(self, call: ToolCall, error: str = "") -> Iterator[Event]:
        yield from self._announce(call)
        yield MessageEvent(call.to_response(error))

    def permission_asked(self, params: Record) -> Iterator[Event]:
        """The text before a permission request, and the call that it is about."""
        yield from self.finish_text()
        yield from self._announce(self._call(dict_of(params.get("toolCall"))))

    def permission(self, params: Record, decision: PermissionDecision) -> Iterator[Event]:
        """A permission request with its answer; some agents ask before they announce the call."""
        yield from self.permission_asked(params)
        call = self._call(dict_of(params.get("toolCall")))
        if not decision.is_allowed:
            call.denied_by = decision.rule
        yield MessageEvent(permission_notice(decision, call.function, call.title, params))

    def merge_request(self, params: Record) -> ToolCall:
        """The call that a permission request is about."""
        record = dict_of(params.get("toolCall"))
        call = self._call(record)
        if not call.is_answered:
            call.merge(record, asks=True)
        return call

    def _plan(self, update: Record) -> Iterator[Event]:
        """A plan as a call of `update_plan`, like Codex's own."""
        yield from self.finish_text()
        items = [
            {"text": text_or_empty(entry.get("content")), "completed": entry.get("status") == "completed", **entry}
            for entry in map(dict_of, list_of(update.get("entries")))
        ]
        plan = jsonable(items)
        request = ActionRequest(content={"function": "update_plan", "arguments": {"items": plan}})
        yield MessageEvent(request)
        result = {"function": "update_plan", "output": plan, "action_request_id": request.id}
        yield MessageEvent(ActionResponse(content=result))

    def _note_usage(self, update: Record) -> Iterator[Event]:
        cost = cost_of_update(update)
        self.cost = self.cost if cost is None else cost
        self.model = text_or_empty(dict_of(update.get("_meta")).get("_claude/model")) or self.model
        if self.model:
            yield from self.note_facts(model=self.model)

    def _info(self, update: Record) -> Iterator[Event]:
        status = dict_of(dict_of(dict_of(update.get("_meta")).get("codex")).get("threadStatus")).get("type")
        if status == "systemError":  # the next chunk is the error
            self.has_system_error = True
            yield from self.finish_text()
            self.last_text = ""
        yield from self.note_facts(conversation_title=text_or_empty(update.get("title")))

    def note_facts(self, **facts: Any) -> Iterator[Event]:
        """Facts about the run that are new or have changed."""
        news = {name: value for name, value in without_empty(**facts).items() if self._facts.get(name) != value}
        self._facts |= news
        if news:
            yield MetadataEvent(jsonable(news))

    @property
    def denied(self) -> list[str]:
        """The tools of the calls that were denied."""
        return [call.function for call in self._calls.values() if call.denied_by]

    def end_turn(self, usage: Usage = NOTHING) -> Iterator[Event]:
        """The last message with the usage of the turn, after the calls that have no result."""
        open_calls = self._open_calls()
        if open_calls:
            yield from self.finish_text()
        for call in open_calls:
            unfinished = f"permission denied ({call.denied_by})" if call.denied_by else "the turn ended before a result"
            yield from self._answer(call, unfinished)
        yield from self.finish_text(usage)


def config_facts(record: Record) -> dict[str, Any]:
    """The model, effort and permission mode among the options of a session."""
    names = {"model": "model", "thought_level": "effort", "mode": "permission_mode"}
    options = map(dict_of, list_of(record.get("configOptions")))
    return {
        names[category]: option.get("currentValue")
        for option in options
        if (category := text_or_empty(option.get("category"))) in names
    }
