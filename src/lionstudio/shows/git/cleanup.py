"""Checkouts of ended shows: removed by `li show clean` when no work is lost."""

from __future__ import annotations

import os
from typing import NamedTuple

from lionstudio.errors import LionError
from lionstudio.show_sync.checkouts import StaleCheckout
from lionstudio.shows.git.checkout import abandon, find_checkout, remove
from lionstudio.shows.git.setup import find_show_repo
from lionstudio.system.safe_read import list_folder
from lionstudio.system.safe_rmtree import safe_rmtree

_GATES, _MAKING = ".gates", ".making-"


class Cleaned(NamedTuple):
    """The result of a cleanup; `kept` is the reason when it was not removed."""

    topic: str
    play: str
    path: str
    kept: str | None


def clean(stale: StaleCheckout, *, abandoned: bool) -> Cleaned:
    """Remove a checkout whose work is proven merged; with `abandoned`, archive the work and remove it."""
    repo = find_show_repo(os.path.dirname(stale.path))
    checkout = None if repo is None else find_checkout(repo, stale.play)
    if checkout is None:
        return Cleaned(stale.topic, stale.play, stale.path, "its repository is not recorded")
    try:
        kept = remove(checkout).kept
        if kept and abandoned:
            kept = abandon(checkout).kept
    except LionError as error:
        kept = error.message
    return Cleaned(stale.topic, stale.play, stale.path, kept)


def remove_partial_checkouts(checkouts_dir: str) -> None:
    """Remove the unfinished checkouts of a killed director."""
    for item in list_folder(checkouts_dir):
        if item.name == _GATES or item.name.startswith(_MAKING):
            safe_rmtree(item.path)
