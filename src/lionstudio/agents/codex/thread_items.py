"""The notifications of `codex app-server` as the records of `codex exec --json`, which are read the same way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from lionstudio.agents.codex.items import CALLS
from lionstudio.agents.codex.rollout import Rollouts
from lionstudio.agents.codex.stream import CodexStreamReader
from lionstudio.agents.codex.usage import parse_tokens
from lionstudio.agents.events import MAIN, Event, MessageEvent, TextDelta
from lionstudio.agents.records import text_or_empty
from lionstudio.model.coerce import Record, dict_of, list_of
from lionstudio.model.messages import Message
from lionstudio.model.usage import NOTHING, Usage

_CAPITAL = re.compile(r"(?<=[a-z])([A-Z])")
_NAMES = {"collab_agent_tool_call": "collab_tool_call"}  # of items that `codex exec` calls otherwise
_WARNINGS = ("warning", "configWarning", "deprecationNotice", "guardianWarning")
_PLAN = "plan"  # the id of the plan: here it is not an item


class ThreadReader(CodexStreamReader):
    """Reads one thread; the tokens come with it instead of from its file."""

    def __init__(self, rollouts: Rollouts, *, resumed: str | None, model: str | None, confined: bool) -> None:
        super().__init__(rollouts, resumed=resumed, model=model, confined=confined)
        self._total: Usage | None = None
        self._tokens: Record = {}
        self._plan: Record = {}
        self._turn_id = ""
        self.items: dict[str, Record] = {}  # the calls that have begun, for the questions about them

    def open(self, thread: str, model: str) -> Iterator[Event]:
        self._model = model or self._model
        yield from self.feed({"type": "thread.started", "thread_id": thread})

    def start_anew(self) -> None:
        """Count from nothing, because no conversation is continued."""
        self._rollout, self._before, self._refused_before = None, NOTHING, frozenset()

    def emit(self, message: Message, lane: str = MAIN, *, hold: bool = False) -> Iterator[MessageEvent]:
        """Emit a message with its turn, as the transcript names it: a fork can begin after the last one of a turn."""
        if self._turn_id:
            message = replace(message, metadata={**message.metadata, "turn_id": self._turn_id})
        yield from super().emit(message, lane, hold=hold)

    def read(self, method: str, params: Record) -> Iterator[Event]:
        """The events of one notification of the thread."""
        if method == "item/agentMessage/delta":
            if text := text_or_empty(params.get("delta")):
                yield TextDelta(text)
        elif method in ("item/started", "item/completed"):
            yield from self._read_item(method.rpartition("/")[2], dict_of(params.get("item")))
        elif method == "thread/tokenUsage/updated":
            self._tokens = snake_case(dict_of(dict_of(params.get("tokenUsage")).get("total")))
            total = parse_tokens(self._tokens)
            if self._total is None and not self._turn_id:  # of a conversation that is resumed, or that a fork keeps
                self._before = total
            self._total = total
            if self._held is not None:
                self.note(self._missing(total))
        elif method == "turn/plan/updated":
            yield from self._read_plan(params)
        elif method == "turn/started":
            self._turn_id = text_or_empty(dict_of(params.get("turn")).get("id"))
            yield from self.feed({"type": "turn.started"})
        elif method == "turn/completed":
            yield from self._end_turn(dict_of(params.get("turn")))
            self._turn_id = ""  # a warning before the next turn belongs to none
        elif method == "error":
            yield from self.feed({"type": "error", "message": dict_of(params.get("error")).get("message")})
        elif method in _WARNINGS:
            text = text_or_empty(params.get("message")) or text_or_empty(params.get("summary"))
            details = text_or_empty(params.get("details"))
            item = {"type": "error", "message": "\n".join(filter(None, (text, details)))}
            yield from self.feed({"type": "item.completed", "item": item})

    def _read_item(self, stage: str, item: Record) -> Iterator[Event]:
        record = exec_item(item)
        kind = record["type"]
        if kind in CALLS:
            self.items[text_or_empty(item.get("id"))] = record
        elif kind == "user_message" or stage != "completed":
            return
        yield from self.feed({"type": f"item.{stage}", "item": record})

    def _read_plan(self, params: Record) -> Iterator[Event]:
        steps = [
            {"text": text_or_empty(step.get("step")), "completed": step.get("status") == "completed"}
            for step in map(dict_of, list_of(params.get("plan")))
        ]
        stage = "updated" if self._plan else "started"
        self._plan = {"type": "todo_list", "id": _PLAN, "items": steps}
        yield from self.feed({"type": f"item.{stage}", "item": self._plan})

    def _end_turn(self, turn: Record) -> Iterator[Event]:
        if self._plan:
            yield from self.feed({"type": "item.completed", "item": self._plan})
            self._plan = {}
        if turn.get("status") == "failed":
            error = dict_of(turn.get("error"))
            yield from self.feed({"type": "turn.failed", "error": {"message": error.get("message")}})
        elif turn.get("status") == "completed":
            yield from self.feed({"type": "turn.completed", "usage": self._tokens})
        else:
            yield from self._add_usage(self._total or Usage())

    def _current_total(self) -> Usage | None:
        super()._current_total()  # its file also names the model and the refused calls
        return self._total


def exec_item(item: Record) -> dict[str, Any]:
    """An item with the names and the shape that `codex exec` prints."""
    record = snake_case(item)
    kind = _snake(text_or_empty(item.get("type")))
    record |= {"type": _NAMES.get(kind, kind), "status": _snake(text_or_empty(item.get("status"))) or None}
    if kind == "reasoning":
        parts = list_of(item.get("summary")) or list_of(item.get("content"))
        record["text"] = "\n".join(map(text_or_empty, parts))
    elif kind == "file_change":
        record["changes"] = [
            {**change, "kind": text_or_empty(dict_of(change.get("kind")).get("type")), **_moved(change)}
            for change in map(dict_of, list_of(item.get("changes")))
        ]
    elif kind == "collab_agent_tool_call":
        record["tool"] = _snake(text_or_empty(item.get("tool")))
    elif kind == "mcp_tool_call":
        record["result"] = snake_case(dict_of(item.get("result"))) or None
    return record


def _moved(change: Record) -> dict[str, str]:
    path = text_or_empty(dict_of(change.get("kind")).get("move_path"))
    return {"move_path": path} if path else {}


def snake_case(record: Record) -> dict[str, Any]:
    """A record with the names of its own fields in snake case."""
    return {_snake(name): value for name, value in record.items()}


def _snake(name: str) -> str:
    return _CAPITAL.sub(r"_\1", name).lower()
