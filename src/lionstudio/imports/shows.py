"""Show folders into shows and plays, again and again: every row that differs from its files is written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial

from lionstudio.crash import point
from lionstudio.files.shows.show_folder import ShowFolder, find_shows, read_show
from lionstudio.imports.report import ImportTarget, Report, Watch
from lionstudio.imports.upsert import ITEM_ERRORS, Write, error_line, upsert_rows
from lionstudio.model.ids import check_id
from lionstudio.model.json_codec import visible
from lionstudio.model.shows.show import Show
from lionstudio.show_sync.rows import differing, put_differing
from lionstudio.state.connection import Connection


def import_shows(
    store: ImportTarget,
    roots: Sequence[str],
    report: Report,
    *,
    dry_run: bool = False,
    watch: Watch = lambda done, total: None,
) -> None:
    """Every show under several roots; of two with one topic the first counts."""
    different: dict[str, str] = {}
    for root in roots:
        different.setdefault(os.path.realpath(root), root)  # two names of one folder are one root
    found = [(path, root) for root in different.values() for path in _shows_in(root, report)]
    taken: dict[str, str] = {}
    for number, (path, root) in enumerate(found):
        watch(number, len(found))
        topic = os.path.basename(path)
        if taken.setdefault(topic, path) != path:
            report.skip("show", topic, f"{path} has the same topic as {taken[topic]}, which is imported")
        else:
            _import_show(store, path, root, report, dry_run)
    watch(len(found), len(found))


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
        report.add(upsert_rows(store, "show", topic, lambda conn: missing_of(conn, folder), dry_run=dry_run))
    except ITEM_ERRORS as error:
        report.skip("show", visible(topic), error_line(error))
    point("import.item")


def missing_of(conn: Connection, folder: ShowFolder) -> tuple[list[Write], bool]:
    """The rows that differ from what the folder says, as functions that write them."""
    found = differing(conn, folder)
    new = any(each.here is None and isinstance(each.wanted, Show) for each in found)
    return [partial(put_differing, each=each) for each in found], new
