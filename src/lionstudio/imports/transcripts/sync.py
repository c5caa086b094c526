"""Imports new messages from a tool's transcripts into the database; safe to repeat.

A file that has not changed is not opened. Messages stay in the database when the tool deletes the file.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from lionstudio.agents.transcript import TranscriptTool
from lionstudio.errors import LionError
from lionstudio.imports.report import ImportItem, ItemOutcome, Report, Watch
from lionstudio.imports.transcripts.tool_processes import forget_processes, may_be_running
from lionstudio.imports.transcripts.tools import (
    Discovered,
    TranscriptPath,
    discover,
    inspect_path,
    paths_within,
    transcript_of,
)
from lionstudio.imports.transcripts.zstd import plain_name
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.state.backends import count_unindexed, fulltext
from lionstudio.state.database import Database
from lionstudio.state.imports.transcript_stamps import FileStamp, OpenSession, list_open, list_stamps, mark_gone
from lionstudio.system.filenames import shown

if TYPE_CHECKING:  # loaded when a file is new: most runs of `li mirror` and looks of a follower find none
    from lionstudio.imports.transcripts.transcript_reader import PendingWrite, Transcript
    from lionstudio.state.imports.live_branches import HeldConversations

_MAX_ATTEMPTS = 5  # while another process imports the same file
_GROUP_FILES = 8  # files in one transaction
_GARBAGE_FROM = 50_000  # objects; a group of files has fewer, and its records have no cycles
_INDEX_FROM = 5_000  # messages; a search reads as many without an index in 10 ms


class Mirror:
    """Imports the transcripts of one tool's home into one database."""

    def __init__(
        self,
        db: Database,
        tool: TranscriptTool,
        root: str,
        *,
        watch: Watch = lambda done, total: None,
        between_groups: Callable[[], None] = lambda: None,
    ) -> None:
        self._db = db
        self._tool = tool
        self._root = root
        self._watch = watch
        self._between_groups = between_groups  # a long pass lets its caller do other work
        self._done = self._total = 0
        self._held: HeldConversations | None = None
        self._postponed: set[str] = set()  # files of conversations that a living run records

    def run(self, report: Report) -> None:
        """Import everything that is new below the root."""
        discovered, stamps = self._discover(report)
        keys, changed = set(), []
        for file in discovered.files:
            keys.add(key := file.key)
            if is_new(file, stamps.get(key)):
                changed.append(file)
        report.count_unchanged("transcript", len(discovered.files) - len(changed))
        if changed:
            from lionstudio.imports.transcripts.fork_order import oldest_first

            with _rare_collections():
                self._read(oldest_first(self._tool, changed, stamps), stamps, report)
        self._mark_gone(
            [path for path in paths_within(self._root, stamps) if path not in keys and not stamps[path].gone_at]
        )
        self.close_idle_sessions()
        self._index(1)

    def preview(self, report: Report) -> None:
        """Report what `run` would import, without writing."""
        from lionstudio.imports.transcripts.transcript_reader import Transcript

        discovered, stamps = self._discover(report)
        self._total, seen = sum(file.size for file in discovered.files), set[int]()
        for file in discovered.files:
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
        """Import everything that is new in these changed paths."""
        gone = []
        for path in sorted({transcript_of(self._tool, path) for path in paths}):
            result = inspect_path(self._tool, path)
            if isinstance(result, str):
                report.skip("transcript", shown(path), result)
            elif isinstance(result, TranscriptPath):
                self._read([result], None, report)
            elif not os.path.lexists(path):
                gone.append(plain_name(path))
        if gone:
            from lionstudio.state.imports.transcript_files import find_file

            self._mark_gone(self._db.read(lambda conn: [path for path in gone if find_file(conn, path) is not None]))

    def _discover(self, report: Report) -> tuple[Discovered, dict[str, FileStamp]]:
        discovered = discover(self._tool, self._root)
        for path, reason in discovered.refused.items():
            report.skip("transcript", path, reason)
        return discovered, self._db.read(lambda conn: list_stamps(conn, self._tool.name))

    def _read(self, files: list[TranscriptPath], stamps: Mapping[str, FileStamp] | None, report: Report) -> None:
        if not files:
            return
        from lionstudio.state.imports.live_branches import list_held

        self._held = self._db.read(lambda conn: list_held(conn, self._tool.name))
        self._read_files(files, stamps, report)

    def complete_run(self, paths: Iterable[str], report: Report) -> None:
        """Import the files of a conversation that this process records, at the end of its run."""
        self._held = None
        for path in sorted(paths, key=lambda path: self._tool.read_order(path, 0)):
            if isinstance(file := inspect_path(self._tool, path), TranscriptPath):
                self._read_files([file], None, report)

    def _read_files(self, files: list[TranscriptPath], stamps: Mapping[str, FileStamp] | None, report: Report) -> None:
        from lionstudio.imports.transcripts.transcript_reader import Held, Overtaken, Transcript

        read_to = {} if stamps is None else {path: stamp.read_to for path, stamp in stamps.items()}
        self._done, self._total = 0, sum(max(0, file.size - read_to.get(file.key, 0)) for file in files)
        group = _Group()
        try:
            for file in files:
                try:
                    write = partial(self._write, group, report)
                    group.add(file, Transcript(self._db, self._tool, file, self._held), self._advance, write)
                except Held:
                    self._postponed.add(file.path)
                except OSError as error:
                    report.skip("transcript", shown(file.path), f"cannot be read: {error.strerror}")
                except Overtaken:
                    self._write(group, report)
                    report.add(self._read_alone(file))
                if group.is_full:
                    self._write(group, report)
                    self._index(_INDEX_FROM)
                    self._between_groups()
            self._write(group, report)
        finally:
            group.close()

    def _write(self, group: _Group, report: Report) -> None:
        """Write a group in one transaction; file by file if one of them fails."""
        from lionstudio.imports.transcripts.transcript_reader import Overtaken

        files = group.files
        try:
            items = group.write(self._db)
        except (LionError, Overtaken):
            items = [self._read_alone(file) for file in files]
        finally:
            group.close()
        for item in items:
            report.add(item)

    def _index(self, least: int) -> None:
        """Index for search once that many messages wait for it, in short transactions of their own."""
        if self._db.read(count_unindexed) < least:
            return
        index = fulltext(self._db.conn)
        # all of them: a batch takes the place of the other statements among the prepared ones
        while self._db.write(index.index_batch):
            pass

    def _read_alone(self, file: TranscriptPath) -> ImportItem:
        from lionstudio.imports.transcripts.transcript_reader import Held, Overtaken, Transcript

        for _ in range(_MAX_ATTEMPTS):
            try:
                with Transcript(self._db, self._tool, file, self._held) as transcript:
                    transcript.read(self._advance)
                    return transcript.item()
            except Overtaken:
                continue
            except Held:
                self._postponed.add(file.path)
                return ImportItem("transcript", shown(file.path), ItemOutcome.UNCHANGED)
            except OSError as error:
                reason = f"cannot be read: {error.strerror}"
                return ImportItem("transcript", shown(file.path), ItemOutcome.SKIPPED, reason)
        return ImportItem("transcript", shown(file.path), ItemOutcome.SKIPPED, "another process is importing it")

    def _advance(self, size: int) -> None:
        self._done += size
        self._watch(min(self._done, self._total), self._total)

    def _mark_gone(self, paths: list[str]) -> None:
        if paths:
            self._db.write(lambda conn: mark_gone(conn, paths, time.time()))

    def close_idle_sessions(self, now: float | None = None) -> int:
        """End the sessions that are silent for too long or whose program has exited; return how many stay open."""
        if self._postponed:
            paths, self._postponed = self._postponed, set()
            self.read_paths(paths, Report())
        now = time.time() if now is None else now
        tool = self._tool.name
        files = self._db.read(lambda conn: list_open(conn, tool))
        if not files:
            return 0
        from lionstudio.state.exchange.terminals import list_live_terminals

        connected = {terminal.session_id for terminal in self._db.read(list_live_terminals)}
        forget_processes()
        # a session is active as long as one of its files may be: its own, or a sub-agent's
        active = {
            file.session_id
            for file in files
            if file.session_id in connected
            or (file.path is not None and may_be_running(tool, file.cwd, _changed_at(file.path, file), now))
        }
        for session in {file.session_id: file for file in files if file.session_id not in active}.values():
            self._close(session)
        return len(active)

    def _close(self, session: OpenSession) -> None:
        from lionstudio.imports.transcripts.session_builder import failure_code
        from lionstudio.state.imports.transcript_files import close_session

        status = SessionStatus.FAILED if session.failed else SessionStatus.COMPLETED
        reasons = (failure_code(session.failed),) if session.failed else ()
        self._db.write(lambda conn: close_session(conn, session.session_id, self._tool.name, status, reasons))


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Let Python look for cycles less often: an import makes many objects, and frees them without its help."""
    first, *others = gc.get_threshold()
    gc.set_threshold(max(first, _GARBAGE_FROM), *others)
    try:
        yield
    finally:
        gc.set_threshold(first, *others)


class _Group:
    """Files that are written in one transaction, which costs as much as some dozen messages."""

    def __init__(self) -> None:
        self._entries: list[tuple[TranscriptPath, Transcript, PendingWrite | None]] = []

    def add(
        self, file: TranscriptPath, transcript: Transcript, advance: Callable[[int], None], write: Callable[[], None]
    ) -> None:
        """Read a file; it stays open until it is written. `write` writes the other files, if this one is too large."""
        try:
            pending = transcript.read_lines(advance, write)
        except BaseException:
            transcript.close()
            raise
        self._entries.append((file, transcript, pending))

    @property
    def files(self) -> list[TranscriptPath]:
        return [file for file, _, _ in self._entries]

    @property
    def _pending(self) -> list[PendingWrite]:
        return [pending for _, _, pending in self._entries if pending is not None]

    @property
    def is_full(self) -> bool:
        from lionstudio.imports.transcripts.transcript_reader import BATCH, BATCH_BYTES

        messages, size = sum(write.messages for write in self._pending), sum(write.size for write in self._pending)
        return len(self._entries) >= _GROUP_FILES or messages >= BATCH or size >= BATCH_BYTES

    def write(self, db: Database) -> list[ImportItem]:
        from lionstudio.imports.transcripts.transcript_reader import write_all

        if pending := self._pending:
            counts = db.write(lambda conn: write_all(conn, pending))
            for write, count in zip(pending, counts, strict=True):
                write.after_commit(count)
        return [transcript.item() for _, transcript, _ in self._entries]

    def close(self) -> None:
        for _, transcript, _ in self._entries:
            transcript.close()
        self._entries = []


def _changed_at(path: str, session: OpenSession) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return session.last_message_at or 0.0


def is_new(file: TranscriptPath, stamp: FileStamp | None) -> bool:
    """True if a file has changed since it was read."""
    if stamp is None:
        return True
    return (file.inode, file.size, file.mtime_ns, None) != (stamp.inode, stamp.size, stamp.mtime_ns, stamp.gone_at)
