"""Where show folders and their rows differ, for the doctor; `li state import-shows` brings them together."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import fields
from typing import NamedTuple

from lionstudio.errors import LionError
from lionstudio.files.shows.show_folder import find_shows, read_show
from lionstudio.model.json_codec import visible
from lionstudio.model.shows.show import Play, Show
from lionstudio.settings import Settings
from lionstudio.show_sync.rows import RowDifference, row_differences
from lionstudio.state.connection import Connection
from lionstudio.state.shows import list_shows
from lionstudio.state.upkeep.doctor import Finding

_MOST_SHOWS = 100_000
_MOST_FINDINGS = 50  # of one kind; a thousand lines help nobody
_MOST_NAMED = 5
_UNSAID = ("updated_at", "metadata")  # follow from the others, or are told as one


class ShowDrift(NamedTuple):
    """One show that is not the same in its folder and in the rows."""

    topic: str
    path: str
    rows: tuple[RowDifference, ...] = ()
    faults: tuple[str, ...] = ()  # what cannot be read of it
    no_folder: bool = False


def show_roots(settings: Settings) -> list[str]:
    """The folders that hold shows: the one that is set, and the home's own."""
    found = dict.fromkeys(os.path.realpath(root) for root in (settings.shows, os.path.join(settings.home, "shows")))
    return [root for root in found if os.path.isdir(root)]


def show_drift(conn: Connection, settings: Settings) -> list[ShowDrift]:
    """Every show that differs; of two folders with one topic the first counts, as for the import."""
    found: list[ShowDrift] = []
    seen: set[str] = set()
    for root in show_roots(settings):
        for path in find_shows(root):
            if os.path.basename(path) not in seen:
                seen.add(os.path.basename(path))
                found.append(_of_folder(conn, path, root))
    rows = [show for show in list_shows(conn, _MOST_SHOWS) if show.topic not in seen]
    gone = [ShowDrift(show.topic, show.show_dir, no_folder=True) for show in rows if not os.path.isdir(show.show_dir)]
    return [each for each in found if each.rows or each.faults] + gone


def _of_folder(conn: Connection, path: str, root: str) -> ShowDrift:
    topic = os.path.basename(path)
    try:
        folder = read_show(path, root)
        faults = tuple(f"{play.name}: {play.fault.message}" for play in folder.plays if play.fault is not None)
        rows = tuple(each for each in row_differences(conn, folder) if not _only_unlinked(each))
        return ShowDrift(topic, path, rows, faults)
    except LionError as error:
        return ShowDrift(topic, path, faults=(error.message,))


def _only_unlinked(row: RowDifference) -> bool:
    """A play whose session is known by its name alone, as while it begins; the import links it."""
    return row.current is not None and _columns(row.wanted, row.current) == ["session_id"]


def show_findings(conn: Connection, settings: Settings) -> Iterator[Finding]:
    """The same as findings of the doctor."""
    counts: dict[str, int] = {}
    for each in show_drift(conn, settings):
        for finding in _findings(each):
            counts[finding.code] = counts.get(finding.code, 0) + 1
            if counts[finding.code] <= _MOST_FINDINGS:
                yield finding


def _findings(each: ShowDrift) -> Iterator[Finding]:
    subject = f"show {visible(each.topic)}"
    if each.faults:
        evidence = f"{visible(each.path)}: {'; '.join(each.faults[:_MOST_NAMED])}"
        yield Finding("warning", "show.unreadable", subject, evidence, "correct the file, or move it away")
    if each.rows:
        evidence = "; ".join(_evidence(row) for row in each.rows[:_MOST_NAMED])
        more = f"; and {len(each.rows) - _MOST_NAMED} more" if len(each.rows) > _MOST_NAMED else ""
        yield Finding("warning", "show.drift", subject, evidence + more, "`li state import-shows`")
    if each.no_folder:
        yield Finding(
            "info",
            "show.no_folder",
            subject,
            f"its folder {visible(each.path)} is gone; the rows are kept",
            "`li show resume` writes the files again",
        )


def _evidence(row: RowDifference) -> str:
    name = "the show" if isinstance(row.wanted, Show) else f"the play {row.wanted.name}"
    if row.current is None:
        return f"{name} has no row"
    if row.wanted.status != row.current.status:
        return f"{name} is {row.wanted.status} in its file and {row.current.status} in its row"
    return f"{name} differs in {', '.join(_columns(row.wanted, row.current)) or 'what is kept beside its columns'}"


def _columns(wanted: Show | Play, here: Show | Play) -> list[str]:
    names = [field.name for field in fields(wanted) if field.name not in _UNSAID]
    return [name for name in names if getattr(wanted, name) != getattr(here, name)]
