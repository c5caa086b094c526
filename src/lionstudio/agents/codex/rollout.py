"""What Codex notes about a conversation in its own file while it runs: the model, and the tokens so far.

Its output tells tokens only at the end of a turn, and as sums over everything the conversation ever used.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from glob import escape, iglob
from typing import Any

from lionstudio.agents.fields import text_of
from lionstudio.agents.raw_message import parse_line
from lionstudio.model.coerce import dict_of, to_token_count
from lionstudio.model.usage import Usage

_MOST_AT_ONCE = 64 * 1024 * 1024


class Rollout:
    """One conversation's file, read as it grows."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._read = 0
        self.model: str | None = None
        self.total: Usage | None = None

    def refresh(self) -> None:
        """Take in what was added; a file that cannot be read says nothing."""
        with suppress(OSError), open(self._path, "rb") as file:
            file.seek(self._read)
            while chunk := file.read(_MOST_AT_ONCE):
                whole = chunk.rpartition(b"\n")[0] if b"\n" in chunk else b""
                if not whole:
                    return
                self._read += len(whole) + 1
                file.seek(self._read)
                for line in whole.split(b"\n"):
                    self._take(line)

    def _take(self, line: bytes) -> None:
        if b'"token_count"' not in line and b'"turn_context"' not in line:
            return
        record = dict_of(parse_line(line))
        payload = dict_of(record.get("payload"))
        if record.get("type") == "turn_context":
            self.model = text_of(payload.get("model")) or self.model
        elif payload.get("type") == "token_count":
            info = dict_of(payload.get("info"))
            if "total_token_usage" in info:
                self.total = tokens_of(info["total_token_usage"])


class Rollouts:
    """The conversations of one codex home."""

    def __init__(self, home: str) -> None:
        self._home = home

    def find(self, thread: str) -> Rollout | None:
        """The file of a conversation, read to its end."""
        newest = max(self._paths(thread), default=None, key=os.path.basename)
        if newest is None:
            return None
        rollout = Rollout(newest)
        rollout.refresh()
        return rollout

    def _paths(self, thread: str) -> Iterator[str]:
        return iglob(os.path.join(escape(self._home), "sessions", "*", "*", "*", f"rollout-*{escape(thread)}.jsonl"))


def tokens_of(given: Any) -> Usage:
    """Tokens as Codex counts them: what came from the cache and went to it is part of the input."""
    usage = dict_of(given)
    read, written = (
        to_token_count(usage.get("cached_input_tokens")),
        to_token_count(usage.get("cache_write_input_tokens")),
    )
    fresh = max(0, to_token_count(usage.get("input_tokens")) - read - written)
    return Usage(fresh, to_token_count(usage.get("output_tokens")), read, written)
