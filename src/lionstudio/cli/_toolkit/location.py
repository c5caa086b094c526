"""The --home and --db of a command line exist, unless the command creates them."""

from __future__ import annotations

import argparse
import os

from lionstudio.errors import InvalidInput, NotFound


def check_location(args: argparse.Namespace, *, creates: bool) -> None:
    """Refuse a mistyped --home or --db: it would look like a home without runs."""
    home, db = _path(args, "home"), _path(args, "db")
    if home and os.path.lexists(home) and not os.path.isdir(home):
        raise InvalidInput(f"--home {home} is not a folder", hint="pass the folder with your state.db")
    if creates:
        return
    if home and not os.path.isdir(home):
        raise NotFound(f"the folder {home} does not exist (--home)", hint="check the path")
    if db and not os.path.exists(db):
        raise NotFound(f"the file {db} does not exist (--db)", hint="check the path")


def _path(args: argparse.Namespace, option: str) -> str | None:
    """The path of an option; None where it is not a path, which the settings refuse with the reason."""
    text: str = vars(args).get(option) or ""
    if not text or "\0" in text or "://" in text:
        return None
    try:
        path = os.path.abspath(os.path.expanduser(text))
        path.encode()
    except (OSError, UnicodeEncodeError):  # the current folder was deleted, or the name is not UTF-8
        return None
    return path
