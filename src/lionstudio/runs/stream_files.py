"""Stream artifacts (ADR-0004): the raw pieces of a run and the last snapshot of each branch, for debugging.

The database is the source of truth; nothing in the product reads these files.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

from lionstudio.agents.events import Event, MessageEvent, TextDelta
from lionstudio.errors import StorageFailed
from lionstudio.model.ids import file_name
from lionstudio.model.json_codec import dump
from lionstudio.state.branches import branch_entries, get_branch
from lionstudio.state.database import Database
from lionstudio.system.atomic_write import make_folder, write_bytes


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def stream_folder(home: str, session_id: str) -> str:
    return os.path.join(home, "runs", file_name(session_id), "stream")


class StreamArtifacts:
    """`runs/<session>/stream/<branch>.buffer.jsonl` while a branch is active, `<branch>.json` at its end."""

    def __init__(self, home: str, session_id: str) -> None:
        self._folder = stream_folder(home, session_id)
        make_folder(self._folder)

    def append(self, branch_id: str, event: Event) -> None:
        """Append an event to the buffer; disk errors are ignored, the file is only for debugging."""
        record: dict[str, Any] | None = None
        if isinstance(event, TextDelta):
            record = {"type": "chunk", "lane": event.lane, "text": event.text}
        elif isinstance(event, MessageEvent):
            record = {"type": "message", "lane": event.lane, **event.message.to_dict("json")}
        if record is None:
            return
        try:
            with open(self._path(branch_id, ".buffer.jsonl"), "a", encoding="utf-8", opener=_private) as file:
                file.write(dump(record) + "\n")
        except OSError:
            return

    def write_snapshot(self, database: Database, branch_id: str) -> None:
        """Write the branch with its messages as stored now."""
        with database.reader() as conn:
            branch = get_branch(conn, branch_id).to_dict("json")
            messages = [entry.message.to_dict("json") for entry in branch_entries(conn, branch_id) if entry.message]
        with suppress(StorageFailed):
            write_bytes(self._path(branch_id, ".json"), dump({**branch, "messages": messages}).encode())

    def _path(self, branch_id: str, suffix: str) -> str:
        return os.path.join(self._folder, branch_id + suffix)
