"""Checkouts of shows in the home, for the doctor: those that are stale, and files in no commit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from lionstudio.model.shows.left_out import LeftOut, describe
from lionstudio.model.status.statuses import PlayStatus, ShowStatus
from lionstudio.settings import Settings
from lionstudio.state.connection import Connection
from lionstudio.state.shows import find_show, list_plays
from lionstudio.state.upkeep.findings import Finding
from lionstudio.system.safe_read import FolderEntry, list_folder

DIRECTOR = "director.git"  # the director's own git folder, beside the checkouts
LEFT_OUT = ".left_out"  # files of removed checkouts that are in no commit
_MOST_FINDINGS = 50


class StaleCheckout(NamedTuple):
    """The checkout of a play whose show has ended or is unknown."""

    topic: str
    play: str
    path: str
    show: str  # the show's status, or `unknown`


class LeftOutFolder(NamedTuple):
    """The files of one play that were moved aside."""

    play: str
    path: str
    files: int
    bytes: int


def checkout_folders(settings: Settings) -> str:
    return os.path.join(settings.home, "checkouts")


def list_stale_checkouts(conn: Connection, settings: Settings) -> Iterator[StaleCheckout]:
    """List the checkouts that no agent will work in again, by show and play."""
    for folder in list_folder(checkout_folders(settings)):
        show = find_show(conn, folder.name)
        if not folder.folder or folder.link or (show is not None and show.status is ShowStatus.ACTIVE):
            continue
        status = "unknown" if show is None else str(show.status)
        for item in list_folder(folder.path):
            if item.folder and not item.name.startswith(".") and item.name != DIRECTOR:
                yield StaleCheckout(folder.name, item.name, item.path, status)


def list_left_out(checkouts_dir: str) -> Iterator[LeftOutFolder]:
    """List the folders of left-out files of a show."""
    top = os.path.join(checkouts_dir, LEFT_OUT)
    if os.path.islink(top) or not os.path.isdir(top):
        return
    for play in sorted(os.listdir(top)):
        path = os.path.join(top, play)
        sizes = [os.lstat(os.path.join(folder, name)).st_size for folder, _, names in os.walk(path) for name in names]
        yield LeftOutFolder(play, path, len(sizes), sum(sizes))


def checkout_findings(conn: Connection, settings: Settings) -> Iterator[Finding]:
    """Report stale checkouts, files of plays that are in no commit, and where they are."""
    if os.path.isdir(checkout_folders(settings)):
        yield from _stale_checkouts(conn, settings)
        for topic in list_folder(checkout_folders(settings)):
            if topic.folder and not topic.link:
                yield from _moved_aside(topic)
                yield from _in_checkouts(conn, topic.name)


def _moved_aside(topic: FolderEntry) -> Iterator[Finding]:
    for folder in list_left_out(topic.path):
        files = "1 file" if folder.files == 1 else f"{folder.files} files"
        yield Finding(
            "warning",
            "show.left_out",
            f"files of {topic.name}/{folder.play}",
            f"{folder.path}: {files}, {folder.bytes / 1e6:.1f} MB, in no commit",
            f"take what you need, then `li show clean {topic.name} --left-out`",
        )


def _in_checkouts(conn: Connection, topic: str) -> Iterator[Finding]:
    show = find_show(conn, topic)
    for play in [] if show is None else list_plays(conn, show.id):
        record = play.metadata.get("meta")
        meta = record if isinstance(record, dict) else {}
        items, advice = LeftOut.parse(meta.get("left_out")), f"`li show status {topic}`"
        if play.status is not PlayStatus.MERGED:
            if items:
                text = f"{describe(items)} (in {play.worktree})"
                yield Finding("warning", "show.left_out", f"files of {topic}/{play.name}", text, advice)
        elif meta.get("checkout_kept") and show is not None and show.status is ShowStatus.ACTIVE:
            text = f"{play.worktree} was not removed: {meta['checkout_kept']}"
            yield Finding("warning", "show.checkout_kept", f"checkout of {topic}/{play.name}", text, advice)


def _stale_checkouts(conn: Connection, settings: Settings) -> Iterator[Finding]:
    """Each takes as much disk space as the repository."""
    for number, stale in enumerate(list_stale_checkouts(conn, settings)):
        if number == _MOST_FINDINGS:
            return
        status = "is unknown" if stale.show == "unknown" else f"is {stale.show}"
        yield Finding(
            "info",
            "show.checkout_left",
            f"checkout of {stale.topic}/{stale.play}",
            f"{stale.path}: the show {status}",
            "`li show clean` removes merged checkouts and reports the reason for each it keeps",
        )
