"""The interface of all transcript readers: files in, messages on lanes and facts about the session out.

A reader is pure. Everything it remembers is in its state, which is JSON: reading a file in two parts, or twice,
gives the same messages as reading it once.
"""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from hashlib import sha1
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol
from uuid import UUID

from lionstudio.model.coerce import Record, dict_of, text_or_none
from lionstudio.model.transcript_tools import TRANSCRIPT_TOOLS
from lionstudio.model.usage import Usage
from lionstudio.system.safe_read import read_bytes

if TYPE_CHECKING:
    from lionstudio.model.messages import Message

MAIN = ""  # the lane of the conversation itself; every sub-agent has a lane of its own
_MAX_TITLE = 100
_MAX_SIDECAR = 1_000_000  # bytes
_MAX_ID_TIME = 2**48 / 1000 - 1  # the last time that fits into an id
_TITLE_RANK = ("ai", "summary", "prompt", "command")


class TranscriptMessage(NamedTuple):
    lane: str
    message: Message
    total: tuple[int | None, ...] | None = None  # the usage so far, where the tool reports sums


@dataclass(slots=True)
class TranscriptFacts:
    """Facts about a session, collected while its transcript is read."""

    session: str = ""  # the tool's id of the conversation
    thread: str = ""  # the part that this file holds; equal to `session` unless it is a sub-agent
    parent: str | None = None  # the thread that started this one
    forked_from: str | None = None
    forked_before: int | None = None  # the ordinal of the first record that the fork does not share
    agent: dict[str, Any] = field(default_factory=dict)  # a sub-agent's type, description, …
    lane_names: dict[str, str] = field(default_factory=dict)  # the tasks of the sub-agents in this file
    cwd: str | None = None
    model: str | None = None
    provider: str | None = None
    version: str | None = None
    git_branch: str | None = None
    git_commit: str | None = None
    titles: dict[str, str] = field(default_factory=dict)
    last_at: float | None = None
    failed: str | None = None  # the error of the last message
    usage: list[int | None] | None = None  # sums, where the tool reports sums
    spent: list[list[Any]] = field(
        default_factory=list
    )  # parts of the sums: time, model, usage; one a quarter of an hour
    records: dict[str, int] = field(default_factory=dict)  # kinds of records that are counted and not stored
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def lane(self) -> str:
        return MAIN if self.thread == self.session else self.thread

    @property
    def name(self) -> str | None:
        """The name that the user gave."""
        return self.titles.get("custom") or self.titles.get("name")

    @property
    def title(self) -> str | None:
        """The best title: set by the tool, then the first prompt."""
        return next((self.titles[kind] for kind in _TITLE_RANK if self.titles.get(kind)), None)

    def list_spent(self) -> list[tuple[float, str | None, Usage]]:
        """The parts of the sums: time, model, usage."""
        return [(at, model, Usage(*usage)) for at, model, usage in self.spent]

    @property
    def total(self) -> Usage | None:
        return None if self.usage is None else Usage(*self.usage)  # type: ignore[arg-type]

    def add_title(self, kind: str, text: object) -> None:
        """Keep a title: the first prompt or command, the last of every other kind."""
        if kind in ("prompt", "command") and kind in self.titles:
            return
        from lionstudio.model.redaction.process import redactor  # slow to load

        # redacted before it is shortened: no rule matches half a secret
        if isinstance(text, str) and (line := " ".join(redactor().text(text[: 4 * _MAX_TITLE]).split())):
            title = line if len(line) <= _MAX_TITLE else line[: _MAX_TITLE - 1] + "…"
            self.titles[kind] = title

    def count(self, kind: str) -> None:
        """Count a record that is not stored."""
        self.records[kind] = self.records.get(kind, 0) + 1

    def to_dict(self) -> dict[str, Any]:
        """As JSON, without empty fields."""
        return {name: value for name in _FACTS if (value := getattr(self, name))}

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> TranscriptFacts:
        return cls(**{key: value for key, value in state.items() if key in _FACTS})


_FACTS = tuple(item.name for item in fields(TranscriptFacts))


class TranscriptReader(Protocol):
    """Reads the records of one file."""

    facts: TranscriptFacts

    def feed(self, record: Record) -> Iterator[TranscriptMessage]:
        """The messages of the next record."""

    def to_state(self) -> dict[str, Any]:
        """The state to continue after the last record, as JSON."""


class CleanupSetting(NamedTuple):
    """The setting that says after how many days a tool deletes its transcripts."""

    file: str  # in the tool's home
    key: str
    default_days: int


class TranscriptTool(ABC):
    """A program whose transcripts are imported; `TOOL` in its module is the instance (model/transcript_tools.py)."""

    name: ClassVar[str]  # as in model/transcript_tools.py; also the name of its processes
    agent_name: ClassVar[str]  # the agent name of its sessions
    provider: ClassVar[str]
    home_variable: ClassVar[str]  # the environment variable that moves its home
    home: ClassVar[str]
    folders: ClassVar[tuple[str, ...]]  # in its home, with transcripts at any depth
    id_space: ClassVar[UUID]
    # The record field that a fork copies unchanged. None: forks are recognised by their content, and the names of
    # files sort by the time they were created.
    record_id_key: ClassVar[str | None] = None
    sidecar_suffix: ClassVar[str | None] = None  # of a JSON file about the sub-agent of a transcript
    cleanup: ClassVar[CleanupSetting | None] = None

    @abstractmethod
    def reader(self, facts: TranscriptFacts, state: Mapping[str, Any], *, born: float) -> TranscriptReader:
        """A reader that continues from this state; `born` is the time of records without one."""

    @abstractmethod
    def facts_from_path(self, path: str) -> TranscriptFacts:
        """The facts that the path of an uncompressed transcript tells."""

    @abstractmethod
    def conversation_paths(self, root: str, conversation: str, since: float) -> list[str]:
        """The transcripts of a conversation and its sub-agents that were written since a time."""

    @property
    def title(self) -> str:
        return TRANSCRIPT_TOOLS[self.name][0]

    def root(self, environ: Mapping[str, str] | None = None) -> str:
        """The home of the tool for this user, or for a program with this environment."""
        values = os.environ if environ is None else environ
        home = values.get(self.home_variable) or self.home
        if home.startswith("~/") and values.get("HOME"):
            home = os.path.join(values["HOME"], home[2:])
        return os.path.realpath(os.path.expanduser(home))

    def is_transcript(self, file_name: str) -> bool:
        return file_name.endswith(".jsonl")

    def is_subagent(self, path: str) -> bool:
        """True if the path alone says that the transcript belongs to a sub-agent."""
        return False

    def read_order(self, path: str, mtime_ns: int) -> tuple[Any, ...]:
        """A sort key that puts parents before their forks and sub-agents."""
        return (self.is_subagent(path), mtime_ns, path)

    def session_id(self, session: str) -> str:
        return stable_id(self.id_space, session, "session")

    def branch_id(self, session: str, lane: str) -> str:
        return stable_id(self.id_space, session, "branch", lane)

    def read_sidecar(self, path: str) -> dict[str, Any]:
        """The content of the sidecar file of a transcript; empty when it is missing or damaged."""
        if self.sidecar_suffix is None:
            return {}
        try:
            return dict_of(json.loads(read_bytes(os.path.splitext(path)[0] + self.sidecar_suffix, most=_MAX_SIDECAR)))
        except Exception as error:  # a damaged sidecar must not keep the transcript out
            if isinstance(error, MemoryError):
                raise
            return {}


class MessagePart(NamedTuple):
    """A message without its time and, unless set, without its id and role."""

    message_class: type[Message]
    content: dict[str, Any]
    metadata: dict[str, Any]
    role: str | None = None
    id: str | None = None


def stable_id(space: UUID, *parts: object) -> str:
    """The same id for the same parts, always."""
    name = "|".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return str(UUID(bytes=sha1(space.bytes + name, usedforsecurity=False).digest()[:16], version=5))


def message_id(space: UUID, at: float, *parts: object) -> str:
    """A stable id that begins with the time of the message, as the ids of new messages do.

    Neighbours in time are neighbours in every index, which makes an import three times as fast.
    """
    name = "|".join(map(str, parts)).encode("utf-8", "surrogatepass")
    digest = sha1(space.bytes + name, usedforsecurity=False).hexdigest()
    stamp = f"{int(min(max(at, 0.0), _MAX_ID_TIME) * 1000):012x}"
    return f"{stamp[:8]}-{stamp[8:]}-8{digest[:3]}-{'89ab'[int(digest[3], 16) & 3]}{digest[4:7]}-{digest[7:19]}"


def is_record_id(id_: str) -> bool:
    """True for an id that was made from a record; the ids of live messages have version 7."""
    return id_[14:15] in ("5", "8")


def drop_oldest(entries: dict[str, Any], limit: int) -> None:
    """Remove the oldest entries beyond a limit."""
    while len(entries) > limit:
        del entries[next(iter(entries))]


def image_reference(block: Mapping[str, Any], **source_fields: Any) -> dict[str, Any]:
    """An image without its bytes: type, size, digest and source."""
    source = dict_of(block.get("source"))
    data = source.get("data")
    if not isinstance(data, str):
        url = text_or_none(source.get("url")) or text_or_none(block.get("image_url"))
        if url is None or not url.startswith("data:"):
            return {"type": str(block.get("type")), "url": url, **source_fields}
        prefix, _, data = url.partition(",")
        source = {"media_type": prefix[5:].partition(";")[0]}
    return {
        "type": str(block.get("type")),
        "media_type": source.get("media_type"),
        "characters": len(data),
        "sha1": sha1(data.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest(),
        **source_fields,
    }
