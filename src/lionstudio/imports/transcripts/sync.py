"""Reads what is new in other tools' transcripts into the database: once, or again and again.

A file that has not changed is not opened. What the other tool deletes stays with us.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from lionstudio.errors import LionError
from lionstudio.imports.report import ImportItem, ItemOutcome, Report
from lionstudio.imports.transcripts.fork_order import oldest_first
from lionstudio.imports.transcripts.session_builder import failure_of
from lionstudio.imports.transcripts.tool_processes import may_be_running
from lionstudio.imports.transcripts.tools import Candidate, Tool, described, discover, look, within
from lionstudio.imports.transcripts.transcript_reader import BATCH, BATCH_BYTES, Overtaken, RemainingWork, Transcript
from lionstudio.imports.transcripts.zstd import plain_name
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.state.database import Database
from lionstudio.state.imports.transcript_files import (
    FileStamp,
    OpenSession,
    close_session,
    find_file,
    list_open,
    list_stamps,
    mark_gone,
)
from lionstudio.system.filenames import shown

_TRIES = 5  # when another mirror reads the same file
_TOGETHER = 8  # files of one transaction

Watch = Callable[[int, int], None]  # bytes that are done, of how many


class Mirror:
    """The mirror of one tool's folder in one database."""

    def __init__(self, db: Database, tool: Tool, root: str, *, watch: Watch = lambda done, total: None) -> None:
        self._db = db
        self._tool = tool
        self._root = root
        self._watch = watch
        self._done = self._total = 0

    def run(self, report: Report) -> None:
        """Everything that is new under the root; what happened is in the report."""
        found = discover(self._tool, self._root)
        stamps = self._db.read(lambda conn: list_stamps(conn, self._tool.name))
        for path, reason in found.refused.items():
            report.skip("transcript", path, reason)
        changed = [file for file in found.files if is_new(file, stamps.get(file.key))]
        for file in found.files:
            if not is_new(file, stamps.get(file.key)):
                report.add(ImportItem("transcript", shown(file.path), ItemOutcome.UNCHANGED))
        self._read(oldest_first(self._tool, changed, stamps), stamps, report)
        there = {file.key for file in found.files}
        self._note_gone([path for path in within(self._root, stamps) if path not in there and not stamps[path].gone_at])
        self.settle()

    def preview(self, report: Report) -> None:
        """What a run would read; nothing is written."""
        found = discover(self._tool, self._root)
        stamps = self._db.read(lambda conn: list_stamps(conn, self._tool.name))
        for path, reason in found.refused.items():
            report.skip("transcript", path, reason)
        self._total, seen = sum(file.size for file in found.files), set[int]()
        for file in found.files:
            outcome, new = ItemOutcome.UNCHANGED, 0
            if is_new(file, stamps.get(file.key)):
                with Transcript(self._db, self._tool, file) as transcript:
                    new = transcript.count_new(seen)
                outcome = (
                    ItemOutcome.UNCHANGED
                    if not new
                    else ItemOutcome.UPDATED
                    if file.key in stamps
                    else ItemOutcome.IMPORTED
                )
            report.add(ImportItem("transcript", shown(file.path), outcome, None, new))
            self._advance(file.size)

    def read_paths(self, paths: Iterable[str], report: Report) -> None:
        """What is new in some paths that were touched."""
        gone = []
        for path in sorted({described(path) for path in paths}):
            seen = look(self._tool, path)
            if isinstance(seen, str):
                report.skip("transcript", shown(path), seen)
            elif isinstance(seen, Candidate):
                self._read([seen], None, report)
            elif not os.path.lexists(path):
                gone.append(plain_name(path))
        known = self._db.read(lambda conn: [path for path in gone if find_file(conn, path) is not None])
        self._note_gone(known)

    def _read(self, files: list[Candidate], stamps: Mapping[str, FileStamp] | None, report: Report) -> None:
        known = {} if stamps is None else {path: stamp.read_to for path, stamp in stamps.items()}
        self._done, self._total = 0, sum(max(0, file.size - known.get(file.key, 0)) for file in files)
        group = _Group()
        try:
            for file in files:
                try:
                    write = partial(self._write, group, report)
                    group.add(file, Transcript(self._db, self._tool, file), self._advance, write)
                except OSError as error:
                    report.skip("transcript", shown(file.path), f"cannot be read: {error.strerror}")
                except Overtaken:
                    self._write(group, report)
                    report.add(self._mirror(file))
                if group.is_full:
                    self._write(group, report)
            self._write(group, report)
        finally:
            group.close()

    def _write(self, group: _Group, report: Report) -> None:
        """All of a group in one transaction; one by one when something is wrong with one of them."""
        files = group.files
        try:
            found = group.write(self._db)
        except (LionError, Overtaken):
            found = [self._mirror(file) for file in files]
        finally:
            group.close()
        for item in found:
            report.add(item)

    def _mirror(self, file: Candidate) -> ImportItem:
        for _ in range(_TRIES):
            try:
                with Transcript(self._db, self._tool, file) as transcript:
                    transcript.read(self._advance)
                    return transcript.item()
            except Overtaken:
                continue
            except OSError as error:
                reason = f"cannot be read: {error.strerror}"
                return ImportItem("transcript", shown(file.path), ItemOutcome.SKIPPED, reason)
        return ImportItem("transcript", shown(file.path), ItemOutcome.SKIPPED, "another mirror reads it")

    def _advance(self, read: int) -> None:
        self._done += read
        self._watch(min(self._done, self._total), self._total)

    def _note_gone(self, paths: list[str]) -> None:
        if paths:
            self._db.write(lambda conn: mark_gone(conn, paths, time.time()))

    def settle(self, now: float | None = None) -> None:
        """End the sessions that have fallen silent or whose program is gone."""
        now = time.time() if now is None else now
        tool = self._tool.name
        found = self._db.read(lambda conn: list_open(conn, tool))
        # a session is at work as long as one of its files may be: its own, or a sub-agent's
        busy = {one.session_id for one in found if may_be_running(tool, one.cwd, _changed(one), now)}
        for one in {one.session_id: one for one in found if one.session_id not in busy}.values():
            self._end(one)

    def _end(self, one: OpenSession) -> None:
        status = SessionStatus.FAILED if one.failed else SessionStatus.COMPLETED
        reasons = (failure_of(one.failed),) if one.failed else ()
        self._db.write(lambda conn: close_session(conn, one.session_id, self._tool.name, status, reasons))


class _Group:
    """Files that are written together: a transaction costs as much as some dozen messages."""

    def __init__(self) -> None:
        self._taken: list[tuple[Candidate, Transcript, RemainingWork | None]] = []

    def add(
        self, file: Candidate, transcript: Transcript, advance: Callable[[int], None], write: Callable[[], None]
    ) -> None:
        """Take one up; it stays open until it is written. `write` is for the others, if it needs one first."""
        try:
            rest = transcript.take(advance, write)
        except BaseException:
            transcript.close()
            raise
        self._taken.append((file, transcript, rest))

    @property
    def files(self) -> list[Candidate]:
        """Those that were taken up."""
        return [file for file, _, _ in self._taken]

    @property
    def is_full(self) -> bool:
        """Whether it is as much as one transaction should hold."""
        rests = [rest for _, _, rest in self._taken if rest is not None]
        messages, size = sum(rest.messages for rest in rests), sum(rest.size for rest in rests)
        return len(self._taken) >= _TOGETHER or messages >= BATCH or size >= BATCH_BYTES

    def write(self, db: Database) -> list[ImportItem]:
        """What became of each."""
        rests = [rest for _, _, rest in self._taken if rest is not None]
        if rests:
            kept = db.write(lambda conn: [rest.work(conn) for rest in rests])
            for rest, count in zip(rests, kept, strict=True):
                rest.wrote(count)
        return [transcript.item() for _, transcript, _ in self._taken]

    def close(self) -> None:
        """Leave them."""
        for _, transcript, _ in self._taken:
            transcript.close()
        self._taken = []


def _changed(one: OpenSession) -> float:
    try:
        return os.stat(one.path).st_mtime
    except OSError:
        return one.last_message_at or 0.0


def is_new(file: Candidate, stamp: FileStamp | None) -> bool:
    """Whether a file has changed since it was read."""
    if stamp is None:
        return True
    return (file.inode, file.size, file.mtime_ns, None) != (stamp.inode, stamp.size, stamp.mtime_ns, stamp.gone_at)
