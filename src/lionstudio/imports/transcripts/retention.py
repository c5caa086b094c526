"""The time after which a tool deletes its transcripts, and the edit that makes it keep them."""

from __future__ import annotations

import json
import os
import time
from typing import Any, NamedTuple

from lionstudio.agents.transcript import TranscriptTool
from lionstudio.errors import LionError
from lionstudio.imports.transcripts.tools import discover
from lionstudio.model.coerce import dict_of
from lionstudio.system.safe_read import read_bytes

_KEEP_DAYS = 3650


class Retention(NamedTuple):
    days: int
    origin: str  # the settings file that sets it, or "default"
    settings: str  # the file to edit
    transcripts: int
    expiring: int  # transcripts that will be deleted within a week
    advice: str

    def to_dict(self) -> dict[str, Any]:
        return self._asdict()


def retention(tool: TranscriptTool, root: str | None = None, now: float | None = None) -> Retention | None:
    """The retention of a tool for this user; None for a tool that deletes nothing."""
    if tool.cleanup is None:
        return None
    root = tool.root() if root is None else root
    path, key = os.path.join(root, tool.cleanup.file), tool.cleanup.key
    try:
        days = dict_of(json.loads(read_bytes(path))).get(key)
    except (LionError, ValueError, RecursionError):
        days = None
    origin = path
    if not isinstance(days, int) or isinstance(days, bool) or days < 0:
        days, origin = tool.cleanup.default_days, "default"
    oldest = (time.time() if now is None else now) - (days - 7) * 86400
    files = discover(tool, root).files
    expiring = sum(file.mtime_ns / 1e9 < oldest for file in files)
    command = f"`li mirror {tool.name}`"
    advice = (
        f"{command} keeps them permanently"
        if days >= 365
        else f'put "{key}": {_KEEP_DAYS} into {path}; transcripts that {command} has imported are kept in any case'
    )
    return Retention(days, origin, path, len(files), expiring, advice)
