"""One answer of the model, assembled from its chunks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lionstudio.agents.events import Ended
from lionstudio.agents.jsonl_process import notice
from lionstudio.agents.openai.usage import parse_usage
from lionstudio.agents.records import text_or_empty, without_empty
from lionstudio.model.coerce import dict_of
from lionstudio.model.ids import new_id
from lionstudio.model.messages import ActionRequest, AssistantResponse, Message
from lionstudio.model.status.reasons import ANSWER_CUT, CONTENT_FILTER, STREAM_BROKEN
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.model.usage import NOTHING

INTERRUPTED = "interrupted by a message"
_INCOMPLETE: Mapping[str, tuple[str, str]] = {  # by `finish_reason`
    "length": (ANSWER_CUT, "the answer is incomplete: the model reached its output limit"),
    "content_filter": (CONTENT_FILTER, "the answer is incomplete: the provider's content filter stopped it"),
}


class ModelAnswer:
    """Its text, thinking and calls, as far as they have arrived."""

    def __init__(self, model: str | None) -> None:
        self._model = model
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._refusal: list[str] = []
        self._usage = NOTHING
        self._finish = ""
        self.broken = ""  # the reason that the stream ended early
        self.calls: dict[int, dict[str, str]] = {}
        self.requests: list[ActionRequest] = []

    def add(self, chunk: Any) -> str:
        """Add a chunk and return its text. Servers omit fields that the library takes for granted."""
        if usage := getattr(chunk, "usage", None):
            report = usage if isinstance(usage, dict) else usage.model_dump()
            self._usage = parse_usage(dict_of(report), self._model)
        choice = next(iter(getattr(chunk, "choices", None) or ()), None)
        self._finish = text_or_empty(getattr(choice, "finish_reason", None)) or self._finish
        delta = getattr(choice, "delta", None)
        if delta is None:
            return ""
        self._thinking.append(
            text_or_empty(getattr(delta, "reasoning_content", None)) or text_or_empty(getattr(delta, "reasoning", None))
        )
        self._refusal.append(text_or_empty(getattr(delta, "refusal", None)))
        for piece in getattr(delta, "tool_calls", None) or ():
            call = self.calls.setdefault(piece.index or 0, {"id": "", "name": "", "arguments": ""})
            call["id"] = piece.id or call["id"] or new_id()
            if piece.function is not None:
                call["name"] += piece.function.name or ""
                call["arguments"] += piece.function.arguments or ""
        text = text_or_empty(getattr(delta, "content", None))
        self._text.append(text)
        return text

    def ended(self) -> Ended | None:
        """The end of the run; None when the model waits for the results of its calls."""
        has_text = bool("".join(self._text).strip())
        delivery = "partial" if has_text else "missing"
        refusal = "".join(self._refusal)
        if self.broken or not self._finish:
            detail = self.broken or "the stream ended before the answer was complete"
            return Ended(SessionStatus.FAILED, 1, STREAM_BROKEN, detail, delivery=delivery)
        if self._finish in _INCOMPLETE:
            reason, detail = _INCOMPLETE[self._finish]
            return Ended(SessionStatus.FAILED, 1, reason, detail, delivery=delivery)
        if refusal:
            return Ended(SessionStatus.FAILED, 1, "run.failed.refused", refusal)
        return None if self.calls else Ended(SessionStatus.COMPLETED, 0)

    def messages(self) -> list[Message]:
        """The messages of the answer; the first one carries the usage."""
        messages: list[Message] = []
        text, thinking = "".join(self._text) or "".join(self._refusal), "".join(self._thinking)
        if text or thinking:
            content = {"assistant_response": text, **({"thinking": thinking} if thinking else {})}
            messages.append(AssistantResponse(content=content, metadata=self._metadata()))
        elif not self.calls and self._usage != NOTHING:
            empty = notice("the answer is empty", "empty", {"finish_reason": self._finish})
            messages.append(replace(empty, metadata={**empty.metadata, **self._metadata()}))
        for call in self.calls.values():
            request = ActionRequest(
                content={"function": call["name"], "arguments": parse_arguments(call["arguments"])},
                metadata={"call_id": call["id"], **self._metadata()},
            )
            self.requests.append(request)
            messages.append(request)
        return messages

    def _metadata(self) -> dict[str, Any]:
        """The usage, once, and a mark on an answer that is not whole."""
        usage, self._usage = self._usage, NOTHING
        counts = {name: value for name, value in usage._asdict().items() if value is not None}
        finish = self._finish if self._finish in _INCOMPLETE else ""
        return without_empty(usage=counts if usage != NOTHING else None, finish_reason=finish, broken=self.broken)

    @property
    def is_interrupted(self) -> bool:
        return self.broken == INTERRUPTED

    def interrupt(self) -> None:
        """A person has replaced the answer."""
        self.broken = INTERRUPTED

    def to_request(self) -> list[dict[str, Any]]:
        """The answer as messages of the next request; the calls of an interrupted one may be incomplete."""
        calls = [
            {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}}
            for call in (() if self.is_interrupted else self.calls.values())
        ]
        text = "".join(self._text)
        if not calls and not text:
            return []
        return [{"role": "assistant", "content": text or None, **({"tool_calls": calls} if calls else {})}]


def parse_arguments(text: str) -> Any:
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {"unreadable": text}
    return value if isinstance(value, dict) else {"value": value}


def error_text(error: Exception) -> str:
    return (str(getattr(error, "message", None) or error) or type(error).__name__)[:1000]


def broken_text(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"a chunk is not JSON: {error.doc[:200]!r}"
    return error_text(error)
