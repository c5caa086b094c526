"""What every reader of a transcript makes of its records: messages in lanes, and facts about the session.

A reader is pure: records in, messages out. All it must remember is in its state, which is JSON, so that
reading a file in two pieces, or twice, gives what reading it once gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from hashlib import sha1
from typing import Any, NamedTuple, Protocol
from uuid import UUID

from lionstudio.model.coerce import Record, dict_of, text_or_none
from lionstudio.model.messages import Message
from lionstudio.model.usage import Usage

MAIN = ""  # the lane of the conversation itself; every sub-agent has a lane of its own
_LONGEST_TITLE = 100
_LATEST = 2**48 / 1000 - 1  # the last moment that fits into an id
_TITLE_RANK = ("custom", "name", "ai", "summary", "prompt", "command")


class TranscriptMessage(NamedTuple):
    """A message and the lane it belongs to."""

    lane: str
    message: Message


@dataclass(slots=True)
class TranscriptFacts:
    """What a transcript says about its session, as far as it was read."""

    session: str = ""  # the tool's own id of the conversation
    thread: str = ""  # of the part that this file holds; the session's own unless it is a sub-agent
    parent: str | None = None  # the thread that started this one
    forked_from: str | None = None
    forked_before: int | None = None  # the ordinal of the first record that the fork does not share
    agent: dict[str, Any] = field(default_factory=dict)  # a sub-agent's type, description, …
    cwd: str | None = None
    model: str | None = None
    provider: str | None = None
    version: str | None = None
    git_branch: str | None = None
    git_commit: str | None = None
    titles: dict[str, str] = field(default_factory=dict)
    last_at: float | None = None
    failed: str | None = None  # what the last message complains about
    usage: list[int | None] | None = None  # sums, where the tool reports sums
    records: dict[str, int] = field(default_factory=dict)  # kinds that are counted and not kept
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def lane(self) -> str:
        """The lane that this file is about."""
        return MAIN if self.thread == self.session else self.thread

    @property
    def title(self) -> str | None:
        """The best of the titles: a person's, the tool's, else the first prompt."""
        return next((self.titles[kind] for kind in _TITLE_RANK if self.titles.get(kind)), None)

    @property
    def total(self) -> Usage | None:
        """The sums as a usage."""
        return None if self.usage is None else Usage(*self.usage)  # type: ignore[arg-type]

    def entitle(self, kind: str, text: object) -> None:
        """Note a title; of prompts the first one counts, of everything else the last."""
        if isinstance(text, str) and (line := " ".join(text[: 4 * _LONGEST_TITLE].split())):
            short = line if len(line) <= _LONGEST_TITLE else line[: _LONGEST_TITLE - 1] + "…"
            if kind in ("prompt", "command"):
                self.titles.setdefault(kind, short)
            else:
                self.titles[kind] = short

    def count(self, kind: str) -> None:
        """Count a record that is not kept."""
        self.records[kind] = self.records.get(kind, 0) + 1

    def to_dict(self) -> dict[str, Any]:
        """As JSON keeps it; what is empty is left out."""
        return {name: value for name in _FACTS if (value := getattr(self, name))}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> TranscriptFacts:
        """The inverse of to_dict."""
        return cls(**{key: value for key, value in given.items() if key in _FACTS})


_FACTS = tuple(item.name for item in fields(TranscriptFacts))


class TranscriptReader(Protocol):
    """Reads the records of one file."""

    facts: TranscriptFacts

    def take(self, record: Record) -> Iterator[TranscriptMessage]:
        """The messages of the next record."""

    def to_state(self) -> dict[str, Any]:
        """What must be known to go on after the last record."""


def made_id(space: UUID, *parts: object) -> str:
    """The id that these parts always have."""
    name = "|".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return str(UUID(bytes=sha1(space.bytes + name, usedforsecurity=False).digest()[:16], version=5))


def message_id(space: UUID, at: float, *parts: object) -> str:
    """The id that a message always has; it begins with its time, as those of new messages do.

    Neighbours in time are neighbours in every index, which makes reading them in three times as fast.
    """
    name = "|".join(map(str, parts)).encode("utf-8", "surrogatepass")
    digest = sha1(space.bytes + name, usedforsecurity=False).hexdigest()
    stamp = f"{int(min(max(at, 0.0), _LATEST) * 1000):012x}"
    return f"{stamp[:8]}-{stamp[8:]}-8{digest[:3]}-{'89ab'[int(digest[3], 16) & 3]}{digest[4:7]}-{digest[7:19]}"


def trim(kept: dict[str, Any], most: int) -> None:
    """Forget the oldest entries beyond a number."""
    while len(kept) > most:
        del kept[next(iter(kept))]


def image_reference(block: Mapping[str, Any], **where: Any) -> dict[str, Any]:
    """An image without its bytes: what it is, how large, its digest, and where it came from."""
    source = dict_of(block.get("source"))
    data = source.get("data")
    if not isinstance(data, str):
        url = text_or_none(source.get("url")) or text_or_none(block.get("image_url"))
        if url is None or not url.startswith("data:"):
            return {"type": str(block.get("type")), "url": url, **where}
        head, _, data = url.partition(",")
        source = {"media_type": head[5:].partition(";")[0]}
    digest = sha1(data.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
    kind = str(block.get("type"))
    return {"type": kind, "media_type": source.get("media_type"), "characters": len(data), "sha1": digest, **where}
