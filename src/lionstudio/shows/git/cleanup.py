"""Checkouts of ended shows: reported by the doctor, removed by `li show clean` when no work is lost."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from lionstudio.errors import LionError
from lionstudio.model.status.statuses import ShowStatus
from lionstudio.settings import Settings
from lionstudio.shows.git.checkout import abandon, find_checkout, remove
from lionstudio.shows.git.repo_layout import DIRECTOR
from lionstudio.shows.git.setup import find_show_repo
from lionstudio.state.connection import Connection
from lionstudio.state.shows import find_show
from lionstudio.state.upkeep.doctor import Finding
from lionstudio.system.safe_read import list_folder
from lionstudio.system.safe_rmtree import safe_rmtree

_MOST_FINDINGS = 50
_GATES, _MAKING = ".gates", ".making-"


class StaleCheckout(NamedTuple):
    """The checkout of a play whose show has ended or is unknown."""

    topic: str
    play: str
    path: str
    show: str  # the show's status, or `unknown`


class Cleaned(NamedTuple):
    """The result of a cleanup; `kept` is the reason when it was not removed."""

    topic: str
    play: str
    path: str
    kept: str | None


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


def clean(stale: StaleCheckout, *, abandoned: bool) -> Cleaned:
    """Remove a checkout whose work is proven merged; with `abandoned`, archive the work and remove it."""
    repo = find_show_repo(os.path.dirname(stale.path))
    checkout = None if repo is None else find_checkout(repo, stale.play)
    if checkout is None:
        return Cleaned(stale.topic, stale.play, stale.path, "its repository is not recorded")
    try:
        kept = remove(checkout)
        if kept and abandoned:
            kept = abandon(checkout)
    except LionError as error:
        kept = error.message
    return Cleaned(stale.topic, stale.play, stale.path, kept)


def remove_partial_checkouts(checkouts_dir: str) -> None:
    """Remove the unfinished checkouts of a killed director."""
    for item in list_folder(checkouts_dir):
        if item.name == _GATES or item.name.startswith(_MAKING):
            safe_rmtree(item.path)


def stale_checkout_findings(conn: Connection, settings: Settings) -> Iterator[Finding]:
    """Report stale checkouts to the doctor; each takes as much disk space as the repository."""
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
