"""Checkouts that a show has left: told by the doctor, removed by `li show clean` when nothing is lost with them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from lionstudio.errors import LionError
from lionstudio.model.status.statuses import ShowStatus
from lionstudio.settings import Settings
from lionstudio.shows.git.checkout import abandon, find_checkout, remove
from lionstudio.shows.git.repo_layout import DIRECTOR
from lionstudio.shows.git.setup import remembered
from lionstudio.state.connection import Connection
from lionstudio.state.shows import find_show
from lionstudio.state.upkeep.doctor import Finding
from lionstudio.system.safe_read import list_folder
from lionstudio.system.safe_rmtree import safe_rmtree

_MOST_FINDINGS = 50
_GATES, _MAKING = ".gates", ".making-"


class StaleCheckout(NamedTuple):
    """The checkout of a play whose show has ended, or is not known any more."""

    topic: str
    play: str
    path: str
    show: str  # the show's status, or `unknown`


class Cleaned(NamedTuple):
    """What became of it; without a reason it is gone."""

    topic: str
    play: str
    path: str
    kept: str | None


def checkout_folders(settings: Settings) -> str:
    """The folder that holds the checkouts of all shows."""
    return os.path.join(settings.home, "checkouts")


def list_stale_checkouts(conn: Connection, settings: Settings) -> Iterator[StaleCheckout]:
    """Every checkout that nobody will work in again, by show and play."""
    for room in list_folder(checkout_folders(settings)):
        show = find_show(conn, room.name)
        if room.folder and not room.link and (show is None or show.status is not ShowStatus.ACTIVE):
            status = "unknown" if show is None else str(show.status)
            yield from (StaleCheckout(room.name, play, path, status) for play, path in _checkouts(room.path))


def _checkouts(room: str) -> Iterator[tuple[str, str]]:
    for item in list_folder(room):
        if item.folder and not item.name.startswith(".") and item.name != DIRECTOR:
            yield item.name, item.path


def clean(left: StaleCheckout, *, abandoned: bool) -> Cleaned:
    """Remove one when its work is proven merged; `abandoned` also when all of it is kept in the archive."""
    room = os.path.dirname(left.path)
    repo = remembered(room)
    checkout = None if repo is None else find_checkout(repo, left.play)
    if checkout is None:
        return Cleaned(left.topic, left.play, left.path, "nothing tells which repository it belongs to")
    try:
        kept = remove(checkout)
        if kept and abandoned:
            kept = abandon(checkout)
    except LionError as error:
        kept = error.message
    return Cleaned(left.topic, left.play, left.path, kept)


def remove_checkout(room: str) -> None:
    """Remove what a killed director had half laid out."""
    for item in list_folder(room):
        if item.name == _GATES or item.name.startswith(_MAKING):
            safe_rmtree(item.path)


def stale_checkout_findings(conn: Connection, settings: Settings) -> Iterator[Finding]:
    """What the doctor says about them; each costs as much room as the repository."""
    for number, left in enumerate(list_stale_checkouts(conn, settings)):
        if number == _MOST_FINDINGS:
            return
        state = "is not known" if left.show == "unknown" else f"is {left.show}"
        yield Finding(
            "info",
            "show.checkout_left",
            f"checkout of {left.topic}/{left.play}",
            f"{left.path}: the show {state}",
            "`li show clean` removes those whose work is merged, and says why others stay",
        )
