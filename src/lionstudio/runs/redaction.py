"""Redaction of agent events, including secrets split over several messages or pieces of a stream."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from lionstudio.agents.events import Ended, Event, LaneOpened, MessageEvent, MetadataEvent, QuestionAsked, TextDelta
from lionstudio.errors import InvalidInput
from lionstudio.model.messages import Message
from lionstudio.model.questions import shortened
from lionstudio.model.redaction.names import names_secret
from lionstudio.model.redaction.process import known_secrets, redactor
from lionstudio.model.redaction.redactor import Redactor
from lionstudio.state.messages.rows import stored_content

LONG_TEXT = (
    128 * 1024
)  # characters that are redacted in a thread: the event loop stands still for a few milliseconds at most
_HOLD_BACK = 4096  # characters of a stream kept until it is clear what they are: a secret may arrive in two pieces
_LONGEST_KEY = 16_000  # characters of a private key
_LINE_END = 120  # characters of a line that tell whether it belongs to a private key
_OTHER_LINES = 3  # lines of other programs in a row between the lines of a private key
_KEY_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY")
_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY")
# the end of a line of a key: its first line, a header, base64, which is short in the last line, or nothing
_KEY_LINE = re.compile(
    r"(?:PRIVATE KEY(?: BLOCK)?-*|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): .*|[0-9A-Za-z+/=]{16,120}"
    r"|(?:^|[|>])[-+>|#*\s]*(?=[A-Za-z]*[0-9+/=])[0-9A-Za-z+/=]{1,15}|^)\s*$"
)

_KEY_MARK = "[REDACTED:private-key]"


class EventRedactor(Redactor):
    """A redactor that remembers, for each lane, the unfinished end of its stream and an open private key."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        super().__init__(values)
        self._held: dict[str, str] = {}
        self._in_key: dict[str, int] = {}  # lanes in the middle of a private key, and how many other lines may follow

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
        if isinstance(event, LaneOpened):
            name = event.name and self.text(event.name)
            return LaneOpened(event.lane, name, self.value(event.metadata))
        if isinstance(event, QuestionAsked):
            question = shortened(event.question, self.text)
            return QuestionAsked(replace(question, evidence=self.value(question.evidence)))
        if isinstance(event, Ended) and event.detail:
            return event._replace(detail=self.text(event.detail))
        return event

    def _without_key(self, lane: str, content: Any) -> Any:
        """Mask a private key that a program prints in several messages, of one line or of a few each."""
        text = content.get("assistant_response") if isinstance(content, dict) else None
        if not isinstance(text, str) or (lane not in self._in_key and "PRIVATE KEY" not in text):
            return content
        begin = _last_begin(text)
        if lane not in self._in_key and begin is None:
            return content  # keys that are complete are found like other secrets
        if begin is not None and _is_key_line(text.rstrip().rpartition("\n")[2]):
            # all that follows it is taken for the key, as the end is yet to come
            before = self._masked_lines(lane, text[:begin])
            self._in_key[lane] = _OTHER_LINES
            return {**content, "assistant_response": f"{before}{_KEY_MARK}"}
        return {**content, "assistant_response": self._masked_lines(lane, text)}

    def _masked_lines(self, lane: str, text: str) -> str:
        masked: list[str] = []
        for line in text.split("\n"):
            shown = self._masked_line(lane, line)
            if shown != _KEY_MARK or masked[-1:] != [_KEY_MARK]:
                masked.append(shown)
        return "\n".join(masked)

    def _masked_line(self, lane: str, line: str) -> str:
        inside, begin = lane in self._in_key, _KEY_BEGIN.search(line)
        if _KEY_END.search(line):
            self._in_key.pop(lane, None)
            return _KEY_MARK if inside else line
        if (inside or begin) and _is_key_line(line.rstrip()):
            self._in_key[lane] = _OTHER_LINES
            return _KEY_MARK if inside or begin is None else f"{line[: begin.start()]}{_KEY_MARK}"
        # words: they name a key, or stand between its lines, or it ended without its last line
        left = self._in_key.pop(lane, 0) - 1
        if left > 0:
            self._in_key[lane] = left
        return line

    def stream(self, lane: str, piece: str) -> str:
        """Redact a piece of a stream; text that may be part of a secret is held back until the next piece."""
        held = self._held.get(lane, "") + piece
        cut = self._safe_length(held)
        self._held[lane] = held[cut:]
        return self.text(held[:cut])

    def rest(self, lane: str) -> str:
        """The end of a stream, redacted."""
        return self.text(self._held.pop(lane, ""))

    def _safe_length(self, held: str) -> int:
        """How much of a text can be shown: whole words, whole lines where one names a secret, whole private keys."""
        line = held.rfind("\n") + 1
        end = max(held.rfind(" ") + 1, line)
        # the name of a secret and its value may be two pieces: `Bearer` waits for the word that follows
        last_words = held[line:end].split(" ")[-3:]
        is_quoted = held.count('"', line) % 2 or held.count("'", line) % 2
        if names_secret(held[line:end] if is_quoted else " ".join(last_words)):
            end = line
        end = max(end, len(held) - _HOLD_BACK)
        if "-----BEGIN" in held:
            key = held.rfind("-----BEGIN")
            is_open = not _KEY_END.search(held, key) and (_KEY_BEGIN.search(held, key) or len(held) - key < 60)
            if is_open and len(held) - key < _LONGEST_KEY:
                end = min(end, key)
        elif (dash := held.rfind("-----BEG", line)) >= 0:
            end = min(end, dash)
        return end


def _last_begin(text: str) -> int | None:
    """Where the last private key of a text begins, if its end is not there."""
    begin = None
    for match in _KEY_BEGIN.finditer(text):
        begin = match
    return None if begin is None or _KEY_END.search(text, begin.end()) else begin.start()


def _is_key_line(line: str) -> bool:
    return _KEY_LINE.search(line[-_LINE_END:]) is not None


def text_length(message: Message) -> int:
    """The characters of a message, near enough: the texts of its content."""
    content = message.content
    if not isinstance(content, dict):
        return 0
    return sum(len(text) if isinstance(text, str) else 0 for text in content.values())


def without_secrets(message: Message) -> Message:
    """A long message as it will be stored; called in a thread, so that its row costs the event loop no search."""
    cleaned = replace(message, content=redactor().value(message.content))
    note_clean(cleaned)
    return cleaned


def note_clean(message: Message) -> None:
    """Search the row of a message without secrets, so that the writer finds it known as clean."""
    with suppress(InvalidInput):  # the writer stores its text
        stored_content(message.content)


class StreamRedactor:
    """Redacts the output of a program piece by piece, as it is written to a log."""

    def __init__(self) -> None:
        self._redactor = EventRedactor(known_secrets())

    def feed(self, text: str) -> str:
        return self._redactor.stream("", text)

    def close(self) -> str:
        return self._redactor.rest("")
