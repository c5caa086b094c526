"""Differences between show folders and rows, for the doctor; `li state import-shows` resolves them."""

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
from lionstudio.show_sync.questions import missing_questions
from lionstudio.show_sync.rows import RowDifference, row_differences
from lionstudio.state.connection import Connection
from lionstudio.state.shows import find_show, list_shows
from lionstudio.state.upkeep.findings import Finding

_MOST_SHOWS = 100_000
_MOST_FINDINGS = 50  # of one kind; a thousand lines do not help
_MOST_EXAMPLES = 5
_UNNAMED = ("updated_at", "metadata")  # follow from the others, or are reported as one


class ShowDrift(NamedTuple):
    """One show whose folder and rows differ."""

    topic: str
    path: str
    rows: tuple[RowDifference, ...] = ()
    faults: tuple[str, ...] = ()  # unreadable files
    no_folder: bool = False
    unasked: tuple[str, ...] = ()  # questions that have no row


def show_roots(settings: Settings) -> list[str]:
    """List the folders that hold shows: the configured one, and the home's own."""
    roots = dict.fromkeys(os.path.realpath(root) for root in (settings.shows, os.path.join(settings.home, "shows")))
    return [root for root in roots if os.path.isdir(root)]


def show_drift(conn: Connection, settings: Settings) -> list[ShowDrift]:
    """List every show that differs; of two folders with one topic the first counts, as in the import."""
    folders: list[ShowDrift] = []
    seen: set[str] = set()
    for root in show_roots(settings):
        for path in find_shows(root):
            if os.path.basename(path) not in seen:
                seen.add(os.path.basename(path))
                folders.append(_of_folder(conn, path, root))
    rows = [show for show in list_shows(conn, _MOST_SHOWS) if show.topic not in seen and not show.is_for_workers]
    gone = [ShowDrift(show.topic, show.show_dir, no_folder=True) for show in rows if not os.path.isdir(show.show_dir)]
    return [drift for drift in folders if drift.rows or drift.faults or drift.unasked] + gone


def _of_folder(conn: Connection, path: str, root: str) -> ShowDrift:
    topic = os.path.basename(path)
    try:
        folder = read_show(path, root)
        faults = tuple(f"{play.name}: {play.fault.message}" for play in folder.plays if play.fault is not None)
        rows = tuple(row for row in row_differences(conn, folder) if not _is_only_unlinked(row))
        show = find_show(conn, topic)
        unasked = missing_questions(conn, show) if show is not None and not rows else []
        return ShowDrift(topic, path, rows, faults, unasked=tuple(question.title for question in unasked))
    except LionError as error:
        return ShowDrift(topic, path, faults=(error.message,))


def _is_only_unlinked(row: RowDifference) -> bool:
    """Return whether only the session is not linked, as while a play starts; the import links it."""
    return row.current is not None and _columns(row.wanted, row.current) == ["session_id"]


def show_findings(conn: Connection, settings: Settings) -> Iterator[Finding]:
    """Yield the differences as findings of the doctor."""
    counts: dict[str, int] = {}
    for drift in show_drift(conn, settings):
        for finding in _findings(drift):
            counts[finding.code] = counts.get(finding.code, 0) + 1
            if counts[finding.code] <= _MOST_FINDINGS:
                yield finding


def _findings(drift: ShowDrift) -> Iterator[Finding]:
    subject = f"show {visible(drift.topic)}"
    if drift.faults:
        evidence = f"{visible(drift.path)}: {'; '.join(drift.faults[:_MOST_EXAMPLES])}"
        yield Finding("warning", "show.unreadable", subject, evidence, "correct the file or move it away")
    if drift.rows:
        evidence = "; ".join(_evidence(row) for row in drift.rows[:_MOST_EXAMPLES])
        more = f"; and {len(drift.rows) - _MOST_EXAMPLES} more" if len(drift.rows) > _MOST_EXAMPLES else ""
        yield Finding("warning", "show.drift", subject, evidence + more, "`li state import-shows`")
    if drift.unasked:
        evidence = f"a question has no row: {'; '.join(drift.unasked[:_MOST_EXAMPLES])}"
        yield Finding("warning", "show.drift", subject, visible(evidence), "`li state import-shows`")
    if drift.no_folder:
        yield Finding(
            "info",
            "show.no_folder",
            subject,
            f"folder {visible(drift.path)} does not exist; the rows are kept",
            f"`li show resume {visible(drift.topic)}` restores the files",
        )


def _evidence(row: RowDifference) -> str:
    name = "the show" if isinstance(row.wanted, Show) else f"play {row.wanted.name}"
    if row.current is None:
        return f"{name} has no row"
    if row.wanted.status != row.current.status:
        return f"{name} is {row.wanted.status} in its file and {row.current.status} in its row"
    return f"{name} differs in {', '.join(_columns(row.wanted, row.current)) or 'metadata'}"


def _columns(wanted: Show | Play, current: Show | Play) -> list[str]:
    names = [field.name for field in fields(wanted) if field.name not in _UNNAMED]
    return [name for name in names if getattr(wanted, name) != getattr(current, name)]
