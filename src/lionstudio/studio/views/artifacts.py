"""The files that a run left beside the database: its folder in the home, or one in the shows; never from elsewhere.

The path comes from a row that anybody may have written, so it must lead into one of our own folders.
"""

from __future__ import annotations

import os
from typing import Any

from lionstudio.errors import InvalidInput, LionError, NotFound
from lionstudio.settings import Settings
from lionstudio.system.filenames import fault_of_name, shown
from lionstudio.system.safe_read import is_within, list_folder, read_bytes

MOST_FILES = 1_000
_MOST_DEPTH = 6
_MOST_BYTES = 200_000_000


def find_root(settings: Settings, session: dict[str, Any]) -> str | None:
    """The folder of a run's files, None when it has none that is ours."""
    named = session.get("artifacts_path")
    wanted = [named] if isinstance(named, str) and os.path.isabs(named) else []
    if fault_of_name(session["id"]) is None:
        wanted.append(os.path.join(settings.home, "runs", session["id"]))
    ours = (os.path.join(settings.home, "runs"), settings.shows)
    for path in wanted:
        if os.path.isdir(path) and any(is_within(path, root) for root in ours):
            return os.path.realpath(path)
    return None


def list_files(root: str) -> tuple[list[dict[str, Any]], bool]:
    """Every file below a folder by its path there, and whether there are more than are told."""
    found: list[dict[str, Any]] = []
    waiting = [(root, 0)]
    while waiting:
        folder, depth = waiting.pop(0)
        try:
            items = list_folder(folder)
        except LionError:
            continue
        for item in items:
            if item.folder and not item.link and depth < _MOST_DEPTH:
                waiting.append((item.path, depth + 1))
            elif not item.folder and not item.link:
                if len(found) >= MOST_FILES:
                    return found, True
                found += _entry(item.path, root)
    return found, False


def _entry(path: str, root: str) -> list[dict[str, Any]]:
    try:
        facts = os.lstat(path)
    except OSError:
        return []
    return [{"path": shown(os.path.relpath(path, root)), "size": facts.st_size, "changed_at": facts.st_mtime}]


def read_part(root: str, path: str, start: int, length: int) -> tuple[str, int]:
    """Some bytes of a file as text, and how many there are."""
    parts = path.split("/")
    if any(fault_of_name(part) for part in parts):
        raise InvalidInput(f"{path!r:.100} is no path of a file", hint="take one from the list")
    full = os.path.join(root, *parts)
    if not os.path.isfile(full):
        raise NotFound(f"there is no file {shown(path)}", hint="it may have been removed just now")
    content = read_bytes(full, most=_MOST_BYTES, root=root)
    return content[start : start + length].decode("utf-8", "replace"), len(content)
