"""The events of `codex exec --json` as ours. docs/agents.md says what becomes of each kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lionstudio.agents.codex.items import CALLS, request_of, response_of
from lionstudio.agents.codex.rollout import Rollouts, tokens_of
from lionstudio.agents.events import MAIN, Ended, Event, LaneOpened, MessageEvent, MetadataEvent
from lionstudio.agents.fields import known, text_of
from lionstudio.agents.jsonl_process import StreamReader, broke_off, notice
from lionstudio.agents.rate_limits import failed
from lionstudio.agents.raw_message import parse_line, raw_message
from lionstudio.agents.usage_tally import grown, priced
from lionstudio.model.coerce import Record, dict_of, list_of
from lionstudio.model.messages import ActionRequest, AssistantResponse, Instruction, Message
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.model.usage import NOTHING, Usage

_LOOKS = 5  # for a file that may be nowhere
_LOG_IN = "run `codex login`, or set CODEX_API_KEY"
_FORGOTTEN = "codex does not know it any more; `--fork SESSION:ORD` tells it what was said"


class CodexStreamReader(StreamReader):
    """Reads one run."""

    def __init__(self, rollouts: Rollouts, *, resumed: str | None = None, model: str | None = None) -> None:
        super().__init__()
        self._rollouts = rollouts
        self._thread = resumed or ""
        self._rollout = rollouts.find(resumed) if resumed else None
        self._looks_left = _LOOKS
        self._model = model
        self._requests: dict[str, ActionRequest] = {}
        self._lanes: set[str] = set()
        self._answered: set[str] = set()
        self._failure: str | None = None
        self._completed = False
        # what the conversation had used before; None when that cannot be told
        known_before = self._rollout.total if self._rollout else None
        self._before = known_before if resumed else NOTHING

    def feed(self, record: dict[str, Any]) -> Iterator[Event]:
        """The events of the next record."""
        kind = text_of(record.get("type"))
        item = dict_of(record.get("item"))
        if kind == "thread.started":
            yield from self._begin(text_of(record.get("thread_id")))
        elif kind == "turn.started":
            self._completed, self._failure = False, None
        elif kind.startswith("item.") and item:
            yield from self._item(kind.removeprefix("item."), item, record)
        elif kind == "turn.completed":
            self._completed = True
            yield from self._count(tokens_of(record.get("usage")))
        elif kind == "turn.failed":
            self._failure = _words(text_of(dict_of(record.get("error")).get("message")))
            yield from self._count(self._look() or NOTHING)
        elif kind == "error" and text_of(record.get("message")):
            yield from self._said(notice(_words(record["message"]), "error", record))
        else:
            yield from self._said(raw_message(record, **known(record=kind)))

    def _begin(self, thread: str) -> Iterator[Event]:
        if thread != self._thread:
            self._thread, self._rollout = thread, None
        yield MetadataEvent(known(conversation=thread, model=self._model))

    def _item(self, stage: str, item: Record, record: dict[str, Any]) -> Iterator[Event]:
        kind = text_of(item.get("type"))
        if kind == "agent_message" and stage == "completed":
            yield from self._said(
                AssistantResponse(content={"assistant_response": text_of(item.get("text"))}), hold=True
            )
        elif kind == "reasoning" and stage == "completed":
            content = {"assistant_response": "", "thinking": text_of(item.get("text"))}
            yield from self._said(AssistantResponse(content=content))
        elif kind in CALLS:
            yield from self._call(stage, item)
        elif kind == "error" and text_of(item.get("message")):  # a warning; the turn goes on
            yield from self._said(notice(_words(item["message"]), "item.error", record))
        elif kind not in ("agent_message", "reasoning"):
            yield from self._said(raw_message(record, record=f"item.{kind}"))

    def _call(self, stage: str, item: Record) -> Iterator[Event]:
        """Asked for when it starts, answered when it is done; a plan is told again when it changes."""
        key = text_of(item.get("id"))
        if key not in self._requests or (stage == "updated" and item["type"] == "todo_list"):
            self._requests[key] = request_of(item)
            yield from self._said(self._requests[key])
        if item["type"] == "collab_tool_call":
            yield from self._agents(item)
        if stage == "completed":
            yield from self._said(response_of(item, self._requests.pop(key)))

    def _agents(self, item: Record) -> Iterator[Event]:
        """Sub-agents: codex prints what they were told and what they said in the end, nothing between."""
        prompt = text_of(item.get("prompt"))
        for thread in map(text_of, list_of(item.get("receiver_thread_ids"))):
            if thread not in self._lanes:
                self._lanes.add(thread)
                yield from self.flush()
                yield LaneOpened(thread, prompt.partition("\n")[0][:80] or None, {"conversation": thread})
                if prompt:
                    yield MessageEvent(Instruction(content={"instruction": prompt}), thread)
        for thread, state in dict_of(item.get("agents_states")).items():
            answer = text_of(dict_of(state).get("message"))
            if thread in self._lanes and thread not in self._answered and answer:
                self._answered.add(thread)
                yield MessageEvent(AssistantResponse(content={"assistant_response": answer}), thread)

    def _said(self, message: Message, *, hold: bool = False) -> Iterator[Event]:
        """A message, with what was used since the last one as far as codex has noted it."""
        total = self._look()
        if self._rollout and self._rollout.model and self._rollout.model != self._model:
            self._model = self._rollout.model
            yield MetadataEvent({"model": self._model})
        if total is not None:
            message = self.tally.note(message, self._missing(total))
        yield from self.emit(message, MAIN, hold=hold)

    def _look(self) -> Usage | None:
        """What the conversation has used so far, as codex has noted it."""
        if self._rollout is not None:
            self._rollout.refresh()
        elif self._thread and self._looks_left:  # the file may come a little later than the first words
            self._looks_left -= 1
            self._rollout = self._rollouts.find(self._thread)
        return self._rollout.total if self._rollout else None

    def _missing(self, total: Usage) -> Usage:
        """What a sum over the conversation adds to this run."""
        if self._before is None:
            return NOTHING
        return priced(self.tally.missing(grown(self._before, total)), self._model)

    def _count(self, total: Usage) -> Iterator[Event]:
        missing = self._missing(total)
        if not self.note(missing):
            yield MessageEvent(self.tally.note(notice("end of the turn", "turn", missing._asdict()), missing))
        yield from self.flush()

    def ended(self, code: int, last_words: str) -> Ended:
        """Only a completed turn and an exit code of zero are a success."""
        if self._failure is not None:
            unauthorised = "401" in self._failure or "not logged in" in self._failure.lower()
            return failed(self._failure, code, hint=_LOG_IN if unauthorised else None)
        if self._completed and code == 0:
            return Ended(SessionStatus.COMPLETED, 0)
        ended = broke_off(code, last_words, "codex")
        return ended._replace(detail=f"{ended.detail} ({_FORGOTTEN})") if "no rollout found" in last_words else ended


def _words(message: str) -> str:
    """The sentence of an error, which may come wrapped in the vendor's JSON."""
    value = dict_of(parse_line(message.encode("utf-8", "backslashreplace")))
    return text_of(dict_of(value.get("error")).get("message")) or text_of(value.get("message")) or message
