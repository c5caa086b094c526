"""Import of show folders: every row that differs from its files is written; safe to repeat."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial

from lionstudio.crash import point
from lionstudio.errors import Conflict
from lionstudio.files.shows.show_folder import ShowFolder, find_shows, read_show
from lionstudio.imports.report import ImportTarget, Report, Watch
from lionstudio.imports.upsert import ITEM_ERRORS, Write, error_line, upsert_rows
from lionstudio.model.ids import check_id
from lionstudio.model.json_codec import visible
from lionstudio.model.shows.show import Show
from lionstudio.model.shows.show_files import PLAN
from lionstudio.show_sync.questions import missing_questions
from lionstudio.show_sync.rows import apply_difference, row_differences
from lionstudio.state.connection import Connection
from lionstudio.state.exchange.questions import add_question
from lionstudio.state.shows import find_show
from lionstudio.system.filenames import shown


def import_shows(
    store: ImportTarget,
    roots: Sequence[str],
    report: Report,
    *,
    dry_run: bool = False,
    watch: Watch = lambda done, total: None,
) -> None:
    """Import every show under several roots; of two with one topic the first wins."""
    unique: dict[str, str] = {}
    for root in roots:
        unique.setdefault(os.path.realpath(root), root)  # two names of one folder are one root
    folders = [(path, root) for root in unique.values() for path in _shows_in(root, report)]
    imported: dict[str, str] = {}
    for number, (path, root) in enumerate(folders):
        watch(number, len(folders))
        topic = os.path.basename(path)
        if imported.setdefault(topic, path) != path:
            report.skip("show", topic, f"{path} has the same topic as {imported[topic]}, which is imported")
        else:
            _import_show(store, path, root, report, dry_run)
    watch(len(folders), len(folders))


def _shows_in(root: str, report: Report) -> list[str]:
    try:
        return find_shows(root)
    except ITEM_ERRORS as error:
        report.skip("folder", root, error_line(error))
        return []


def _import_show(store: ImportTarget, path: str, root: str, report: Report, dry_run: bool) -> None:
    topic = os.path.basename(path)
    try:
        check_id(topic, "topic")
        folder = read_show(path, root)
        for play in folder.plays:
            if play.fault is not None:
                report.skip("play", f"{topic}/{play.name}", error_line(play.fault))
        report.add(upsert_rows(store, "show", topic, lambda conn: rows_to_write(conn, folder), dry_run=dry_run))
        if not dry_run:  # after the rows, which say what is asked
            upsert_rows(store, "show", topic, lambda conn: (questions_to_ask(conn, topic), False), dry_run=False)
    except ITEM_ERRORS as error:
        report.skip("show", visible(topic), error_line(error))
    point("import.item")


def questions_to_ask(conn: Connection, topic: str) -> list[Write]:
    """Return functions that store the questions of a waiting show that have no row."""
    show = find_show(conn, topic)
    missing = missing_questions(conn, show) if show is not None else []
    return [partial(add_question, question=question) for question in missing]


def rows_to_write(conn: Connection, folder: ShowFolder) -> tuple[list[Write], bool]:
    """Return functions that write the rows that differ from the folder, and whether the show is new."""
    current = find_show(conn, folder.topic)
    is_here = current is not None and os.path.lexists(os.path.join(current.show_dir, PLAN))
    if current is not None and is_here and not os.path.samefile(current.show_dir, folder.path):
        raise Conflict(f"the show of this topic in {shown(current.show_dir)} stays as it is")
    differences = row_differences(conn, folder)
    new = any(row.current is None and isinstance(row.wanted, Show) for row in differences)
    return [partial(apply_difference, difference=row) for row in differences], new
