"""How long the other tools keep their transcripts, and how to make them keep more."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.errors import LionError
from lionstudio.imports.transcripts.tools import CLAUDE, discover
from lionstudio.model.coerce import dict_of
from lionstudio.system.safe_read import read_bytes

DEFAULT_DAYS = 30  # what Claude Code does when nothing is set
KEEP_DAYS = 3650
_SETTING = "cleanupPeriodDays"


class Retention(NamedTuple):
    """What Claude Code deletes, when, and the edit that stops it."""

    days: int
    origin: str  # the settings file that says so, or "default"
    settings: str  # the file to edit
    transcripts: int
    expiring: int  # of them, those that are deleted within a week
    advice: str

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return self._asdict()


def retention(root: str | None = None, environ: Mapping[str, str] | None = None, now: float | None = None) -> Retention:
    """The setting of Claude Code as it is in force for this user."""
    root = CLAUDE.root(environ) if root is None else root
    path = os.path.join(root, "settings.json")
    days, origin = _days(path)
    now = time.time() if now is None else now
    dying = now - (days - 7) * 86400
    files = discover(CLAUDE, root).files
    expiring = sum(file.mtime_ns / 1e9 < dying for file in files)
    return Retention(days, origin, path, len(files), expiring, _advice(days, path))


def _days(path: str) -> tuple[int, str]:
    try:
        days = dict_of(json.loads(read_bytes(path))).get(_SETTING)
    except (LionError, ValueError, RecursionError):
        days = None
    if isinstance(days, int) and not isinstance(days, bool) and days >= 0:
        return days, path
    return DEFAULT_DAYS, "default"


def _advice(days: int, path: str) -> str:
    if days >= 365:
        return "`li mirror claude` keeps them for good"
    return f'put "{_SETTING}": {KEEP_DAYS} into {path}; what `li mirror claude` has read stays here anyway'
