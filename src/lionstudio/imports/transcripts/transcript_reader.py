"""Reads one transcript from where the last import stopped: lines to records, records to messages, messages to rows.

The messages and the position in the file are committed in one transaction, so an import may be killed at any time
and continues where it was.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from lionstudio.agents.transcript import TranscriptFacts, TranscriptMessage, TranscriptReader, TranscriptTool
from lionstudio.crash import point
from lionstudio.errors import InvalidInput
from lionstudio.imports.report import ImportItem, ItemOutcome
from lionstudio.imports.transcripts import line_reader
from lionstudio.imports.transcripts.record_order import Entry, Raw, RecordOrder
from lionstudio.imports.transcripts.session_builder import SessionBuilder, keep_as_text
from lionstudio.imports.transcripts.tool_processes import may_be_running
from lionstudio.imports.transcripts.tools import TranscriptPath
from lionstudio.imports.transcripts.zstd import unpack
from lionstudio.model.coerce import Record
from lionstudio.model.messages import Message
from lionstudio.model.redaction.process import redactor
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.settings import local_folder
from lionstudio.state.connection import Connection, Row
from lionstudio.state.database import Database
from lionstudio.state.imports.live_branches import HeldConversations, stored_ids
from lionstudio.state.imports.session_order import merge_by_time
from lionstudio.state.imports.transcript_files import TranscriptFile, find_file, has_session, save_file
from lionstudio.state.messages.append_many import PendingRow, append_many
from lionstudio.state.messages.rows import to_row
from lionstudio.system.filenames import shown

BATCH = 500  # messages in one transaction
BATCH_BYTES = 8_000_000
_UNFINISHED = -1  # a size that no file has
_MANY = 20  # messages from which on it is faster to look up first which ones exist

_TOOL_METADATA = ("result", "attachment")  # metadata that may repeat the output of a tool


def _open(file: TranscriptPath, folder: str) -> tuple[int, os.stat_result]:
    """A descriptor of the uncompressed text, and the `stat` values of the file."""
    descriptor = line_reader.open_regular(file.path)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise OSError(0, "no longer a regular file")
    return (descriptor if file.path == file.key else unpack(descriptor, folder)), status


class Overtaken(Exception):
    """Another process imported more of this file in the meantime."""


class Held(Exception):
    """A living run records this conversation."""


class PendingWrite(NamedTuple):
    """Messages that were read and are not written yet."""

    work: Callable[[Connection], int]  # in a transaction; `write_all` runs it
    since: Callable[[], tuple[str, float] | None]  # the session that `work` changed, and from which time on
    after_commit: Callable[[int], None]
    messages: int
    size: int


def write_all(conn: Connection, pending: Sequence[PendingWrite]) -> list[int]:
    """Write what was read of several files; the order of a session is written once for all of its files."""
    counts = [write.work(conn) for write in pending]
    changed: dict[str, float] = {}
    for write in pending:
        if (place := write.since()) is not None:
            changed[place[0]] = min(place[1], changed.get(*place))
    for session_id, since in changed.items():
        merge_by_time(conn, session_id, since)
    return counts


class Transcript:
    """One file, open for reading; use as a context manager."""

    def __init__(
        self, db: Database, tool: TranscriptTool, file: TranscriptPath, held: HeldConversations | None = None
    ) -> None:
        self._db = db
        self._held = held or HeldConversations()
        self._tool = tool
        self._path = file.key
        self._descriptor, self._status = _open(file, local_folder(db.path))
        self._length = os.fstat(self._descriptor).st_size
        self._row = db.read(lambda conn: find_file(conn, file.key))
        before = self._row if self._row is not None and self._is_same(self._row) else None
        self._continues = before is not None
        state: Mapping[str, Any] = {} if before is None else before.state
        facts = TranscriptFacts.from_dict(state["facts"]) if "facts" in state else tool.facts_from_path(file.key)
        self._facts = facts
        self._has_new_sidecar = self._read_sidecar()
        self._reader: TranscriptReader = tool.reader(facts, state.get("reader", {}), born=self._status.st_mtime)
        self._builder = SessionBuilder(tool, file.key, facts, state.get("place", {}))
        self._order = RecordOrder(state.get("order", {}))
        self._offset = 0 if before is None else before.read_to
        self._redactor = redactor()
        self._within: bool = state.get("within", False)
        self._checksum = "" if self._row is None else self._row.checksum
        self._skipped: Counter[str] = Counter({} if before is None else before.skipped)
        self._new_skips: Counter[str] = Counter()
        self._stored = 0
        self._messages = 0 if before is None else before.messages

    def __enter__(self) -> Transcript:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        os.close(self._descriptor)

    def _read_sidecar(self) -> bool:
        """Read the sidecar of a sub-agent's transcript; True if it has facts that are new."""
        if self._facts.agent or not self._facts.thread:
            return False
        self._facts.agent = self._tool.read_sidecar(self._path)
        return bool(self._facts.agent)

    def _is_same(self, row: TranscriptFile) -> bool:
        """True if the part that was read is unchanged and its session still exists."""
        if row.read_to > self._length or line_reader.checksum(self._descriptor, row.read_to) != row.checksum:
            return False
        session_id = row.session_id
        if session_id is None or not row.messages:
            return True
        return self._db.read(lambda conn: has_session(conn, session_id))

    def read(self, advance: Callable[[int], None]) -> None:
        """Read and write every complete line."""
        if (pending := self.read_lines(advance)) is not None:
            pending.after_commit(self._db.write(lambda conn: write_all(conn, [pending])[0]))

    def read_lines(
        self, advance: Callable[[int], None], before_write: Callable[[], None] = lambda: None
    ) -> PendingWrite | None:
        """Read every complete line; return the last batch for the caller to write, None when there is none.

        Full batches are written at once, after `before_write`: it writes what was read before this file.
        """
        entries: list[Entry] = []
        size, start = 0, self._offset
        for line in line_reader.read_lines(self._descriptor, self._offset, within=self._within):
            size += line.end - self._offset
            self._offset, self._within = line.end, line.within
            if line.text is None:
                if not line.within:
                    self._skip(line_reader.TOO_LONG)
            elif record := self._parse(line.text):
                messages = self._messages_of(record)
                entries += [(message, line.text) for message in messages]
                self._order.add(record, messages, entries[-1][0].message.id if entries else None)
                self._check_not_held()
            if len(entries) >= BATCH or size >= BATCH_BYTES:
                before_write()
                batch = self._pending_write(entries, size, at_end=False)
                batch.after_commit(self._db.write(lambda conn, batch=batch: write_all(conn, [batch])[0]))  # type: ignore[misc]
                advance(size)
                entries, size = [], 0
        advance(size)
        if entries or size or self._offset != start or self._is_outdated() or self._has_new_sidecar:
            return self._pending_write(entries, size, at_end=True)
        return None

    def _check_not_held(self) -> None:
        """Raise Held for a conversation that a living run records: it completes itself when it ends."""
        facts, held = self._facts, self._held
        if held.conversations and {facts.session, facts.thread, facts.parent} & held.conversations:
            raise Held
        # a run does not know its conversation before the program has printed it
        if held.folders and self._row is None and facts.cwd and os.path.realpath(facts.cwd) in held.folders:
            raise Held

    def _is_outdated(self) -> bool:
        row, status = self._row, self._status
        stamp = None if row is None else (row.inode, row.size, row.mtime_ns, row.gone_at)
        return stamp != (status.st_ino, status.st_size, status.st_mtime_ns, None)

    def _messages_of(self, record: Record) -> list[TranscriptMessage]:
        try:
            messages = [self._redacted(message) for message in self._reader.feed(record)]
            if messages and not self._facts.session:  # no record names the session
                self._facts.session = os.path.splitext(os.path.basename(self._path))[0]
            return messages
        except (TypeError, ValueError, AttributeError, KeyError, RecursionError) as error:
            # a record of an unknown shape must not keep the rest out
            self._skip(f"record not understood ({type(error).__name__})")
            return []

    def _redacted(self, entry: TranscriptMessage) -> TranscriptMessage:
        message = entry.message
        content = self._redactor.value(message.content)
        keys = [key for key in _TOOL_METADATA if key in message.metadata]
        if content == message.content and not keys:
            return entry
        metadata = {**message.metadata, **{key: self._redactor.value(message.metadata[key]) for key in keys}}
        return entry._replace(message=replace(message, content=content, metadata=metadata))

    def _parse(self, line: Raw) -> Record | None:
        if not line.strip(b" \t\r\0"):
            if line.strip(b" \t\r"):
                self._skip("line of zeros")
            return None
        try:
            # bytes that are not UTF-8 become lone surrogates, which the database escapes
            record = json.loads(line.decode("utf-8", "surrogateescape").removeprefix("\ufeff"))
        except (ValueError, RecursionError) as error:
            self._skip("nested too deeply" if isinstance(error, RecursionError) else "not JSON")
            return None
        if not isinstance(record, dict):
            self._skip("not a JSON object")
            return None
        return record

    def _skip(self, reason: str) -> None:
        self._new_skips[reason] += 1

    def _pending_write(self, entries: list[Entry], size: int, *, at_end: bool) -> PendingWrite:
        checksum = line_reader.checksum(self._descriptor, self._offset)
        status = self._session_status(time.time())
        entries, moves = self._order.finish(entries)

        def work(conn: Connection) -> int:
            stored = self._store_all(conn, entries, status)
            self._builder.move(conn, moves)
            self._builder.save_facts(conn, status)
            point("mirror.placed")
            if not save_file(conn, self._file(checksum, stored, at_end), self._checksum):
                raise Overtaken
            return stored

        def since() -> tuple[str, float] | None:
            return self._builder.place_of([entry.message for entry, _ in entries])

        def after_commit(stored: int) -> None:
            point("mirror.committed")
            self._stored += stored
            self._messages += stored
            self._checksum = checksum

        return PendingWrite(work, since, after_commit, len(entries), size)

    def _store_all(self, conn: Connection, entries: list[Entry], status: SessionStatus) -> int:
        """Store few messages one by one and many together, which takes half the time."""
        completed = self._builder.complete(
            conn, lambda: [self._storable(conn, entry, line) for entry, line in entries], status
        )
        if completed is not None:
            return completed
        if len(entries) < _MANY:
            return sum(self._store(conn, entry, line, status) for entry, line in entries)
        ids = set(stored_ids(conn, [entry.message.id for entry, _ in entries]))
        pending: list[PendingRow] = []
        pending_branch, stored = "", 0
        for entry, line in entries:
            row = self._row_of(conn, entry.message) if entry.message.id not in ids else None
            branch_id = self._builder.branch_of(conn, entry, status) if row is not None else None
            if pending and branch_id != pending_branch:
                append_many(conn, pending_branch, pending)
                pending = []
            if row is None:
                stored += self._store(conn, entry, line, status)
            elif branch_id is not None:
                pending_branch = branch_id
                pending.append(PendingRow(entry.message, row))
                ids.add(entry.message.id)
                stored += 1
        append_many(conn, pending_branch, pending)
        return stored

    def _storable(self, conn: Connection, entry: TranscriptMessage, line: Raw) -> TranscriptMessage:
        try:
            to_row(conn, entry.message)
        except InvalidInput as error:
            return keep_as_text(entry, line.decode("utf-8", "backslashreplace"), error.message)
        return entry

    @staticmethod
    def _row_of(conn: Connection, message: Message) -> Row | None:
        try:
            return to_row(conn, message)
        except InvalidInput:
            return None

    def _store(self, conn: Connection, entry: TranscriptMessage, line: Raw, status: SessionStatus) -> bool:
        try:
            return self._builder.store(conn, entry, status)
        except InvalidInput as error:
            text_entry = keep_as_text(entry, line.decode("utf-8", "backslashreplace"), error.message)
            try:
                return self._builder.store(conn, text_entry, status)
            except InvalidInput as second:
                self._skip(second.message[:100])
                return False

    def _file(self, checksum: str, stored: int, at_end: bool) -> TranscriptFile:
        # until its end is reached a file counts as changed, so that the next run continues
        size = self._status.st_size if at_end else _UNFINISHED
        state: dict[str, Any] = {
            "facts": self._redactor.record(self._facts.to_dict()),
            "reader": self._redactor.record(self._reader.to_state()),
            "place": self._redactor.record(self._builder.to_state()),
            "order": self._order.to_state(),  # ids only
        }
        if self._within:
            state["within"] = True
        return TranscriptFile(
            self._path,
            self._tool.name,
            self._builder.session_id,
            self._status.st_ino,
            size,
            self._status.st_mtime_ns,
            self._offset,
            checksum,
            state,
            self._messages + stored,
            self._skipped + self._new_skips,
            time.time(),
        )

    def _session_status(self, now: float) -> SessionStatus:
        if may_be_running(self._tool.name, self._facts.cwd, self._status.st_mtime, now):
            return SessionStatus.RUNNING
        return SessionStatus.FAILED if self._facts.failed else SessionStatus.COMPLETED

    def item(self) -> ImportItem:
        """The report of this import of the file."""
        outcome = ItemOutcome.UNCHANGED
        if self._stored:
            outcome = ItemOutcome.UPDATED if self._continues else ItemOutcome.IMPORTED
        reason = ", ".join(f"{count} × {reason}" for reason, count in sorted(self._new_skips.items())) or None
        if reason and not self._stored:
            outcome = ItemOutcome.SKIPPED
        return ImportItem("transcript", shown(self._path), outcome, reason, self._stored, self._builder.session_id)

    def count_new(self, seen: set[int]) -> int:
        """Count the messages that an import would add and that are not in `seen` (hashes of ids), without writing."""
        new = 0
        for line in line_reader.read_lines(self._descriptor, self._offset, within=self._within):
            record = None if line.text is None else self._parse(line.text)
            ids = [entry.message.id for entry in self._messages_of(record)] if record else []
            unseen = [id_ for id_ in ids if hash(id_) not in seen]
            seen.update(map(hash, unseen))
            if unseen:
                new += len(unseen) - len(self._db.read(lambda conn, ids=unseen: stored_ids(conn, ids)))  # type: ignore[misc]
        return new
