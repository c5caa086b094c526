"""One transcript, read on from where it was left: lines become records, records messages, messages rows.

What was read and how far is one transaction of some hundred messages, so a mirror may be killed at any instant
and goes on where it was.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from lionstudio.agents.transcript import TranscriptFacts, TranscriptMessage, TranscriptReader
from lionstudio.crash import point
from lionstudio.errors import InvalidInput
from lionstudio.imports.report import ImportItem, ItemOutcome
from lionstudio.imports.transcripts import line_reader
from lionstudio.imports.transcripts.session_builder import SessionBuilder, kept_as_text
from lionstudio.imports.transcripts.tool_processes import may_be_running
from lionstudio.imports.transcripts.tools import Candidate, Tool, describe_agent, facts_of
from lionstudio.imports.transcripts.zstd import unpack
from lionstudio.model.coerce import Record
from lionstudio.model.messages import Message
from lionstudio.model.redaction import Redactor
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.state.connection import Connection, Row
from lionstudio.state.database import Database
from lionstudio.state.imports.transcript_files import TranscriptFile, find_file, has_session, is_stored, save_file
from lionstudio.state.messages.append_many import PendingRow, append_many, existing_ids
from lionstudio.state.messages.rows import to_row
from lionstudio.system.filenames import shown

BATCH = 500  # messages of one transaction
BATCH_BYTES = 8_000_000
_UNFINISHED = -1  # no file is that small
_MANY = 20  # messages from which on it pays to ask first which of them are here

_NOTED = ("result", "attachment")  # metadata that may repeat what a tool printed

Raw = bytes | bytearray


def _open(file: Candidate, folder: str) -> tuple[int, os.stat_result]:
    """The text of a transcript, unpacked where it is compressed, and what the system says of the file itself."""
    descriptor = line_reader.open_regular(file.path)
    seen = os.fstat(descriptor)
    if not stat.S_ISREG(seen.st_mode):
        os.close(descriptor)
        raise OSError(0, "it is not a file any more")
    return (descriptor if file.path == file.key else unpack(descriptor, folder)), seen


class Overtaken(Exception):
    """Another mirror has read on in this file."""


class RemainingWork(NamedTuple):
    """What was taken up of a file and is not written yet: what to do in a transaction, and what after it."""

    work: Callable[[Connection], int]
    wrote: Callable[[int], None]
    messages: int
    size: int


class Transcript:
    """One file, open for reading; use as a context manager."""

    def __init__(self, db: Database, tool: Tool, file: Candidate) -> None:
        self._db = db
        self._tool = tool
        self._path = file.key
        self._descriptor, seen = _open(file, os.path.dirname(db.path))
        self._seen = seen
        self._length = os.fstat(self._descriptor).st_size
        self._row = db.read(lambda conn: find_file(conn, file.key))
        self._goes_on = self._row is not None and self._is_same(self._row)
        state: Mapping[str, Any] = self._row.state if self._row is not None and self._goes_on else {}
        self._facts = TranscriptFacts.from_dict(state["facts"]) if "facts" in state else facts_of(tool, file.key)
        self._is_described = self._describe()
        self._reader: TranscriptReader = tool.reader(self._facts, state.get("reader", {}), born=seen.st_mtime)
        self._placing = SessionBuilder(tool, file.key, self._facts, state.get("place", {}))
        self._at = self._row.read_to if self._row is not None and self._goes_on else 0
        self._redactor = Redactor()
        self._within: bool = state.get("within", False)
        self._seal = self._row.checksum if self._row is not None else ""
        self._skipped: Counter[str] = Counter(self._row.skipped if self._row is not None and self._goes_on else {})
        self._new_skips: Counter[str] = Counter()
        self._kept = 0
        self._messages = self._row.messages if self._row is not None and self._goes_on else 0

    def __enter__(self) -> Transcript:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the file."""
        os.close(self._descriptor)

    def _describe(self) -> bool:
        """Learn what is noted beside a sub-agent's transcript; True when that is news."""
        if self._facts.agent or not self._facts.thread or self._tool.name != "claude":
            return False
        self._facts.agent = describe_agent(self._path)
        return bool(self._facts.agent)

    def _is_same(self, row: TranscriptFile) -> bool:
        """Whether the file still begins with what was read, and its session is still kept."""
        if row.read_to > self._length or line_reader.checksum(self._descriptor, row.read_to) != row.checksum:
            return False
        session_id = row.session_id
        if session_id is None or not row.messages:
            return True
        return self._db.read(lambda conn: has_session(conn, session_id))

    def read(self, advance: Callable[[int], None]) -> None:
        """Take up and write every line that is complete."""
        if (rest := self.take(advance)) is not None:
            rest.wrote(self._db.write(rest.work))

    def take(self, advance: Callable[[int], None], first: Callable[[], None] = lambda: None) -> RemainingWork | None:
        """Take up every line that is complete; the last of it is given back to be written, None when there is none.

        What is too much for one transaction is written at once, after `first`: what was taken up before comes before.
        """
        said: list[tuple[TranscriptMessage, Raw]] = []
        size, begun = 0, self._at
        for line in line_reader.read_lines(self._descriptor, self._at, within=self._within):
            size += line.end - self._at
            self._at, self._within = line.end, line.within
            if line.text is None:
                if not line.within:
                    self._skip(line_reader.TOO_LONG)
            elif record := self._parse(line.text):
                said += [(one, line.text) for one in self._take(record)]
            if len(said) >= BATCH or size >= BATCH_BYTES:
                first()
                full = self._rest(said, size, at_end=False)
                full.wrote(self._db.write(full.work))
                advance(size)
                said, size = [], 0
        advance(size)
        if said or size or self._at != begun or self._is_outdated() or self._is_described:
            return self._rest(said, size, at_end=True)
        return None

    def _is_outdated(self) -> bool:
        row, seen = self._row, self._seen
        stamp = None if row is None else (row.inode, row.size, row.mtime_ns, row.gone_at)
        return stamp != (seen.st_ino, seen.st_size, seen.st_mtime_ns, None)

    def _take(self, record: Record) -> list[TranscriptMessage]:
        try:
            found = [self._clean(one) for one in self._reader.take(record)]
            if found and not self._facts.session:  # nothing says whose records these are
                self._facts.session = os.path.splitext(os.path.basename(self._path))[0]
            return found
        except (TypeError, ValueError, AttributeError, KeyError, RecursionError) as error:
            # a record of a shape that nobody has seen yet must not keep the rest out
            self._skip(f"record not understood ({type(error).__name__})")
            return []

    def _clean(self, said: TranscriptMessage) -> TranscriptMessage:
        """Without the secrets that somebody let an agent see."""
        message = said.message
        content = self._redactor.value(message.content)
        noted = [key for key in _NOTED if key in message.metadata]
        if content == message.content and not noted:
            return said
        metadata = {**message.metadata, **{key: self._redactor.value(message.metadata[key]) for key in noted}}
        return TranscriptMessage(said.lane, replace(message, content=content, metadata=metadata))

    def _parse(self, line: Raw) -> Record | None:
        if not line.strip(b" \t\r\0"):
            if line.strip(b" \t\r"):
                self._skip("line of zeros")
            return None
        try:
            found = json.loads(self._decode(line))
        except (ValueError, RecursionError) as error:
            self._skip("nested too deeply" if isinstance(error, RecursionError) else "not JSON")
            return None
        if not isinstance(found, dict):
            self._skip("not a JSON object")
            return None
        return found

    @staticmethod
    def _decode(line: Raw) -> str:
        """Bytes that are no UTF-8 become lone surrogates, which the database spells out."""
        return line.decode("utf-8", "surrogateescape").removeprefix("\ufeff")

    def _skip(self, reason: str) -> None:
        self._new_skips[reason] += 1

    def _rest(self, said: list[tuple[TranscriptMessage, Raw]], size: int, *, at_end: bool) -> RemainingWork:
        seal = line_reader.checksum(self._descriptor, self._at)
        status = self._status(time.time())

        def work(conn: Connection) -> int:
            kept = self._place_all(conn, said, status)
            self._placing.note(conn, status)
            point("mirror.placed")
            if not save_file(conn, self._file(seal, kept, at_end), self._seal):
                raise Overtaken
            return kept

        def wrote(kept: int) -> None:
            point("mirror.committed")
            self._kept += kept
            self._messages += kept
            self._seal = seal

        return RemainingWork(work, wrote, len(said), size)

    def _place_all(self, conn: Connection, said: list[tuple[TranscriptMessage, Raw]], status: SessionStatus) -> int:
        """Few are placed one by one; many together, which takes half the time."""
        if len(said) < _MANY:
            return sum(self._place(conn, one, raw, status) for one, raw in said)
        known = existing_ids(conn, [one.message.id for one, _ in said])
        waiting: list[PendingRow] = []
        into, kept = "", 0
        for one, raw in said:
            branch_id = self._placing.ready(one)
            row = self._columns(conn, one.message) if branch_id and one.message.id not in known else None
            if waiting and (row is None or branch_id != into):
                append_many(conn, into, waiting)
                waiting = []
            if branch_id and row is not None:
                into = branch_id
                waiting.append(PendingRow(one.message, row))
                known.add(one.message.id)
                kept += 1
            else:
                kept += self._place(conn, one, raw, status)
        append_many(conn, into, waiting)
        return kept

    @staticmethod
    def _columns(conn: Connection, message: Message) -> Row | None:
        try:
            return to_row(conn, message)
        except InvalidInput:
            return None

    def _place(self, conn: Connection, said: TranscriptMessage, raw: Raw, status: SessionStatus) -> bool:
        try:
            return self._placing.place(conn, said, status)
        except InvalidInput as error:
            plain = kept_as_text(said, raw.decode("utf-8", "backslashreplace"), error.message)
            try:
                return self._placing.place(conn, plain, status)
            except InvalidInput as second:
                self._skip(second.message[:100])
                return False

    def _file(self, seal: str, kept: int, at_end: bool) -> TranscriptFile:
        # until its end is reached a file counts as changed, so that the next run goes on
        size = self._seen.st_size if at_end else _UNFINISHED
        state: dict[str, Any] = {
            "facts": self._facts.to_dict(),
            "reader": self._reader.to_state(),
            "place": self._placing.to_state(),
        }
        if self._within:
            state["within"] = True
        session_id = self._placing.session_id
        return TranscriptFile(
            self._path,
            self._tool.name,
            session_id,
            self._seen.st_ino,
            size,
            self._seen.st_mtime_ns,
            self._at,
            seal,
            state,
            self._messages + kept,
            self._skipped + self._new_skips,
            time.time(),
        )

    def _status(self, now: float) -> SessionStatus:
        if may_be_running(self._tool.name, self._facts.cwd, self._seen.st_mtime, now):
            return SessionStatus.RUNNING
        return SessionStatus.FAILED if self._facts.failed else SessionStatus.COMPLETED

    def item(self) -> ImportItem:
        """What became of the file."""
        outcome = ItemOutcome.UNCHANGED
        if self._kept:
            outcome = ItemOutcome.UPDATED if self._goes_on else ItemOutcome.IMPORTED
        reason = ", ".join(f"{count} × {reason}" for reason, count in sorted(self._new_skips.items())) or None
        if reason and not self._kept:
            outcome = ItemOutcome.SKIPPED
        return ImportItem("transcript", shown(self._path), outcome, reason, self._kept, self._placing.session_id)

    def count_new(self, seen: set[int]) -> int:
        """How many messages a mirror would add to those that are here or were seen; nothing is written."""
        new = 0
        for line in line_reader.read_lines(self._descriptor, self._at, within=self._within):
            record = None if line.text is None else self._parse(line.text)
            ids = [one.message.id for one in self._take(record)] if record else []
            fresh = [id_ for id_ in ids if hash(id_) not in seen]
            seen.update(map(hash, fresh))
            if fresh:
                new += self._db.read(lambda conn, ids=fresh: sum(not is_stored(conn, id_) for id_ in ids))  # type: ignore[misc]
        return new
