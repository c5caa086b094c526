"""Redaction of agent events, including secrets split over several messages or pieces of a stream."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from lionstudio.agents.events import Ended, Event, MessageEvent, MetadataEvent, TextDelta
from lionstudio.model.redaction import Redactor

_HOLD_BACK = 512  # characters of a stream kept until a separator: a secret may arrive in two pieces
_KEY_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY")
_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY")


class EventRedactor(Redactor):
    """A redactor that remembers, for each lane, the unfinished end of its stream and an open private key."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        super().__init__(values)
        self._held: dict[str, str] = {}
        self._in_key: set[str] = set()  # lanes in the middle of a private key

    def event(self, event: Event) -> Event:
        """The event without secrets, safe to store and show."""
        if isinstance(event, MessageEvent):
            message = event.message
            self._held.pop(event.lane, None)  # the complete message replaces its deltas
            content = self.value(self._without_key(event.lane, message.content))
            return MessageEvent(replace(message, content=content, metadata=self.value(message.metadata)), event.lane)
        if isinstance(event, TextDelta):
            return TextDelta(self.stream(event.lane, event.text), event.lane)
        if isinstance(event, MetadataEvent):
            return MetadataEvent(self.value(event.facts))
        if isinstance(event, Ended) and event.detail:
            return event._replace(detail=self.text(event.detail))
        return event

    def _without_key(self, lane: str, content: Any) -> Any:
        """Mask a private key that a program prints line by line, one message per line."""
        text = content.get("assistant_response") if isinstance(content, dict) else None
        if not isinstance(text, str) or (lane not in self._in_key and "PRIVATE KEY" not in text):
            return content
        inside = lane in self._in_key
        if _KEY_END.search(text):
            self._in_key.discard(lane)
        elif _KEY_BEGIN.search(text):
            self._in_key.add(lane)
            inside = True
        return {**content, "assistant_response": "[REDACTED:private-key]"} if inside else content

    def stream(self, lane: str, piece: str) -> str:
        """Redact a piece of a stream; text after the last separator is held back until the next piece."""
        held = self._held.get(lane, "") + piece
        cut = max(held.rfind(" "), held.rfind("\n"), len(held) - _HOLD_BACK) + 1 if held else 0
        self._held[lane] = held[cut:]
        return self.text(held[:cut])
