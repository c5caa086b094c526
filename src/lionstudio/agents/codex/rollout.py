"""Codex's rollout file during a live run: the model, the tokens and the refused calls so far.

The output of `codex exec` reports tokens only at the end of a turn, as sums over the whole conversation.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from glob import escape, iglob

from lionstudio.agents.codex.denials import MARKS, RefusedCalls
from lionstudio.agents.codex.usage import parse_tokens
from lionstudio.agents.records import parse_line, text_or_empty
from lionstudio.model.coerce import dict_of
from lionstudio.model.usage import Usage

_CHUNK = 64 * 1024 * 1024
_READ = (b'"token_count"', b'"turn_context"', *MARKS)


class Rollout:
    """The rollout of one conversation, read as it grows."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._offset = 0
        self.model: str | None = None
        self.total: Usage | None = None
        self.calls = RefusedCalls()

    def refresh(self) -> None:
        """Read the lines that were added; a file that cannot be read changes nothing."""
        with suppress(OSError), open(self._path, "rb") as file:
            file.seek(self._offset)
            while chunk := file.read(_CHUNK):
                lines = chunk.rpartition(b"\n")[0] if b"\n" in chunk else b""
                if not lines:
                    return
                self._offset += len(lines) + 1
                file.seek(self._offset)
                for line in lines.split(b"\n"):
                    self._read_line(line)

    def _read_line(self, line: bytes) -> None:
        if not any(mark in line for mark in _READ):
            return
        record = dict_of(parse_line(line))
        payload = dict_of(record.get("payload"))
        if record.get("type") == "turn_context":
            self.model = text_or_empty(payload.get("model")) or self.model
        elif payload.get("type") == "token_count":
            info = dict_of(payload.get("info"))
            if "total_token_usage" in info:
                self.total = parse_tokens(info["total_token_usage"])
        else:
            self.calls.read(payload)


class Rollouts:
    """The rollouts of one Codex home."""

    def __init__(self, home: str) -> None:
        self._home = home

    def find(self, thread: str) -> Rollout | None:
        """The newest rollout of a conversation, read to its end."""
        newest = max(self._paths(thread), default=None, key=os.path.basename)
        if newest is None:
            return None
        rollout = Rollout(newest)
        rollout.refresh()
        return rollout

    def _paths(self, thread: str) -> Iterator[str]:
        return iglob(os.path.join(escape(self._home), "sessions", "*", "*", "*", f"rollout-*{escape(thread)}.jsonl"))
