"""The records of `codex exec --json` as events. docs/reference/agents.md lists the kinds of records."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from lionstudio.agents.codex.items import CALLS, request_of, response_of
from lionstudio.agents.codex.rollout import Rollouts
from lionstudio.agents.codex.usage import parse_tokens
from lionstudio.agents.denials import completed, denial_facts
from lionstudio.agents.events import MAIN, Ended, Event, LaneOpened, MessageEvent, MetadataEvent
from lionstudio.agents.jsonl_process import StreamReader, ended_without_result, notice
from lionstudio.agents.rate_limits import failed
from lionstudio.agents.records import parse_line, raw_message, text_or_empty, without_empty
from lionstudio.agents.usage_tally import grown, priced
from lionstudio.model.coerce import Record, dict_of, list_of
from lionstudio.model.messages import ActionRequest, AssistantResponse, Instruction, Message
from lionstudio.model.usage import NOTHING, Usage

_MAX_LOOKUPS = 5  # of a rollout file that may not exist
_NOISE = re.compile(
    r"^(WARNING: proceeding, even though .*|Reading additional input from stdin\.\.\.)\n?", re.MULTILINE
)
_LOG_IN = "run `codex login`, or set CODEX_API_KEY"
_FORGOTTEN = "codex no longer has this conversation; `--fork SESSION:ORD` sends it the earlier messages"


class CodexStreamReader(StreamReader):
    def __init__(
        self, rollouts: Rollouts, *, resumed: str | None = None, model: str | None = None, confined: bool = True
    ) -> None:
        super().__init__()
        self._rollouts = rollouts
        self._thread = resumed or ""
        self._rollout = rollouts.find(resumed) if resumed else None
        self._lookups_left = _MAX_LOOKUPS
        self._model = model
        self._requests: dict[str, ActionRequest] = {}
        self._lanes: set[str] = set()
        self._answered: set[str] = set()
        self._failure: str | None = None
        self._completed = False
        # the usage of the conversation before this run; None when it is unknown
        earlier = self._rollout.total if self._rollout else None
        self._before = earlier if resumed else NOTHING
        self._confined = confined  # without a sandbox, a refusal comes from the system
        self._refused_before = frozenset(self._rollout.calls.refused if self._rollout else ())
        self._declined: dict[str, str] = {}  # item -> tool

    def feed(self, record: dict[str, Any]) -> Iterator[Event]:
        kind = text_or_empty(record.get("type"))
        item = dict_of(record.get("item"))
        if kind == "thread.started":
            yield from self._start(text_or_empty(record.get("thread_id")))
        elif kind == "turn.started":
            self._completed, self._failure = False, None
        elif kind.startswith("item.") and item:
            yield from self._item(kind.removeprefix("item."), item, record)
        elif kind == "turn.completed":
            self._completed = True
            yield from self._add_usage(parse_tokens(record.get("usage")))
            if denied := self._denied():
                yield MetadataEvent({"denied": denial_facts(denied)})
        elif kind == "turn.failed":
            self._failure = _error_text(text_or_empty(dict_of(record.get("error")).get("message")))
            yield from self._add_usage(self._current_total() or NOTHING)
        elif kind == "error" and text_or_empty(record.get("message")):
            yield from self._emit(notice(_error_text(record["message"]), "error", record))
        else:
            yield from self._emit(raw_message(record, **without_empty(record=kind)))

    def _start(self, thread: str) -> Iterator[Event]:
        if thread != self._thread:
            self._thread, self._rollout = thread, None
        yield MetadataEvent(without_empty(conversation=thread, model=self._model))

    def _item(self, stage: str, item: Record, record: dict[str, Any]) -> Iterator[Event]:
        kind = text_or_empty(item.get("type"))
        if kind == "agent_message" and stage == "completed":
            yield from self._emit(
                AssistantResponse(content={"assistant_response": text_or_empty(item.get("text"))}), hold=True
            )
        elif kind == "reasoning" and stage == "completed":
            content = {"assistant_response": "", "thinking": text_or_empty(item.get("text"))}
            yield from self._emit(AssistantResponse(content=content))
        elif kind in CALLS:
            yield from self._call(stage, item)
        elif kind == "error" and text_or_empty(item.get("message")):  # a warning; the turn goes on
            yield from self._emit(notice(_error_text(item["message"]), "item.error", record))
        elif kind not in ("agent_message", "reasoning"):
            yield from self._emit(raw_message(record, record=f"item.{kind}"))

    def _call(self, stage: str, item: Record) -> Iterator[Event]:
        """A request when the call starts, a response when it completes; a plan is emitted again when it changes."""
        key = text_or_empty(item.get("id"))
        if key not in self._requests or (stage == "updated" and item["type"] == "todo_list"):
            self._requests[key] = request_of(item)
            yield from self._emit(self._requests[key])
        if item["type"] == "collab_tool_call":
            yield from self._subagents(item)
        if stage == "completed":
            if item.get("status") == "declined":
                self._declined[key] = self._requests[key].content["function"]
            yield from self._emit(response_of(item, self._requests.pop(key)))

    def _subagents(self, item: Record) -> Iterator[Event]:
        """Codex prints the prompt and the last answer of a sub-agent, nothing in between."""
        prompt = text_or_empty(item.get("prompt"))
        for thread in map(text_or_empty, list_of(item.get("receiver_thread_ids"))):
            if thread not in self._lanes:
                self._lanes.add(thread)
                yield from self.flush()
                yield LaneOpened(thread, prompt.partition("\n")[0][:80] or None, {"conversation": thread})
                if prompt:
                    yield MessageEvent(Instruction(content={"instruction": prompt}), thread)
        for thread, state in dict_of(item.get("agents_states")).items():
            answer = text_or_empty(dict_of(state).get("message"))
            if thread in self._lanes and thread not in self._answered and answer:
                self._answered.add(thread)
                yield MessageEvent(AssistantResponse(content={"assistant_response": answer}), thread)

    def _emit(self, message: Message, *, hold: bool = False) -> Iterator[Event]:
        """Emit a message with the usage since the last one, as far as the rollout reports it."""
        total = self._current_total()
        if self._rollout and self._rollout.model and self._rollout.model != self._model:
            self._model = self._rollout.model
            yield MetadataEvent({"model": self._model})
        if total is not None:
            message = self.tally.note(message, self._missing(total))
        yield from self.emit(message, MAIN, hold=hold)

    def _current_total(self) -> Usage | None:
        """The usage of the conversation so far, as its rollout reports it."""
        if self._rollout is not None:
            self._rollout.refresh()
        elif self._thread and self._lookups_left:  # the file may appear a little later than the first record
            self._lookups_left -= 1
            self._rollout = self._rollouts.find(self._thread)
        return self._rollout.total if self._rollout else None

    def _missing(self, total: Usage) -> Usage:
        """The part of the conversation's total that this run used and that is not on a message yet."""
        if self._before is None:
            return NOTHING
        return priced(self.tally.missing(grown(self._before, total)), self._model)

    def _add_usage(self, total: Usage) -> Iterator[Event]:
        missing = self._missing(total)
        if not self.note(missing):
            yield from self.emit(self.tally.note(notice("end of the turn", "turn", missing._asdict()), missing))
        yield from self.flush()

    def _denied(self) -> tuple[str, ...]:
        """The tools of the calls of this run that were refused."""
        if not self._confined:
            return ()
        self._current_total()  # reads the rest of the rollout
        refused = self._rollout.calls.refused if self._rollout else {}
        in_file = tuple(tool for call, tool in refused.items() if call not in self._refused_before)
        # the file has every call under another id than the output
        return max(in_file, tuple(self._declined.values()), key=len)

    def ended(self, code: int, last_words: str) -> Ended:
        """The run succeeded only with a completed turn and exit code 0."""
        if self._failure is not None:
            is_unauthorised = "401" in self._failure or "not logged in" in self._failure.lower()
            return failed(self._failure, code, hint=_LOG_IN if is_unauthorised else None)
        if self._completed and code == 0:
            return completed(self._denied())
        ended = ended_without_result(code, _NOISE.sub("", last_words).strip(), "codex")
        return ended._replace(detail=f"{ended.detail} ({_FORGOTTEN})") if "no rollout found" in last_words else ended


def _error_text(message: str) -> str:
    """The text of an error, which may be wrapped in JSON."""
    value = dict_of(parse_line(message.encode("utf-8", "backslashreplace")))
    return text_or_empty(dict_of(value.get("error")).get("message")) or text_or_empty(value.get("message")) or message
