"""Both halves of a show at every step: the file first, then the row, so that each alone is enough to go on.

A step that is repeated after a crash writes the same again; a move that the table of statuses does not have is refused
before anything is written. `join` brings the two together when a show is taken up again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lionstudio.model.plans import Plan
from lionstudio.model.shows import Play, Show
from lionstudio.model.statuses import PlayStatus, ShowStatus
from lionstudio.shows.cues import Next, Standing
from lionstudio.state.database import Database


def record_show(show_dir: str, database: Database, plan: Plan, text: str | None = None, **metadata: Any) -> Show:
    """Step 0: `_show.md` (when a text is given), then the row with a copy of the plan; metadata is merged in."""
    raise NotImplementedError


def record_play(show_dir: str, database: Database, play: str, status: PlayStatus | None = None, **changes: Any) -> Play:
    """Steps 2, 3 and 5: `_meta.json`, then the row. Names of columns change them, other names go to the metadata
    (None removes one); a session is linked as soon as its row exists."""
    raise NotImplementedError


def record_next(show_dir: str, database: Database, play: str, following: Next, **changes: Any) -> Play:
    """What a rule of the director decided, in both halves."""
    raise NotImplementedError


def record_verdict(
    show_dir: str, database: Database, play: str, verdict: Mapping[str, Any], status: PlayStatus, **changes: Any
) -> Play:
    """Step 4: `_verdict.json` (with `gate_passed` and `feedback`) here and in the attempt, then as record_play."""
    raise NotImplementedError


def record_final(show_dir: str, database: Database, verdict: Mapping[str, Any] | None, status: ShowStatus) -> Show:
    """Step 7: `_final_verdict.json` (with `show_passed`), then the row."""
    raise NotImplementedError


def reopen_show(show_dir: str, database: Database) -> Show:
    """Take an ended show up again: its final verdict is put aside, `_ABORT` goes, the row is active."""
    raise NotImplementedError


def join(show_dir: str, database: Database, plan: Plan | None = None) -> tuple[Plan, dict[str, Standing]]:
    """Bring both halves together and say where every play stands; works when either half is gone."""
    raise NotImplementedError
