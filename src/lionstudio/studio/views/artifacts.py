"""Files of a run, from its folder in the home or in the shows folder.

The path comes from a row that any program may have written, so it must be inside one of our own folders.
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
    """The folder of the files of a run, None without one inside our folders."""
    path = session.get("artifacts_path")
    candidates = [path] if isinstance(path, str) and os.path.isabs(path) else []
    if fault_of_name(session["id"]) is None:
        candidates.append(os.path.join(settings.home, "runs", session["id"]))
    roots = (os.path.join(settings.home, "runs"), settings.shows)
    for path in candidates:
        if os.path.isdir(path) and any(is_within(path, root) for root in roots):
            return os.path.realpath(path)
    return None


def list_files(root: str) -> tuple[list[dict[str, Any]], bool]:
    """The files below a folder with relative paths, and whether some were left out."""
    files: list[dict[str, Any]] = []
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
                if len(files) >= MOST_FILES:
                    return files, True
                files += _entry(item.path, root)
    return files, False


def _entry(path: str, root: str) -> list[dict[str, Any]]:
    try:
        status = os.lstat(path)
    except OSError:
        return []
    return [{"path": shown(os.path.relpath(path, root)), "size": status.st_size, "changed_at": status.st_mtime}]


def read_part(root: str, path: str, start: int, length: int) -> tuple[str, int]:
    """Some bytes of a file as text, and the size of the file."""
    parts = path.split("/")
    if any(fault_of_name(part) for part in parts):
        raise InvalidInput(f"{path!r:.100} is not a valid file path", hint="use a path from the list of files")
    full = os.path.join(root, *parts)
    if not os.path.isfile(full):
        raise NotFound(f"file {shown(path)} does not exist", hint="reload the list of files")
    content = read_bytes(full, most=_MOST_BYTES, root=root)
    return content[start : start + length].decode("utf-8", "replace"), len(content)


_STATES = ("delivered", "missing", "invalid")


def expected_artifacts(metadata: dict[str, Any]) -> list[dict[str, Any]]:
    """The artifacts that a playbook expected; entries that another program wrote differently are left out."""
    artifacts = metadata.get("artifacts")
    return [
        {
            "id": artifact["id"],
            "path": artifact["path"],
            "required": artifact.get("required") is not False,
            "description": _of_type(artifact.get("description"), str),
            "state": artifact["state"],
            "size": _of_type(artifact.get("size"), int),
            "sha256": _of_type(artifact.get("sha256"), str),
            "unchanged": artifact.get("unchanged") is True,
            "problem": _of_type(artifact.get("problem"), str),
        }
        for artifact in (artifacts if isinstance(artifacts, list) else [])
        if isinstance(artifact, dict)
        and isinstance(artifact.get("id"), str)
        and isinstance(artifact.get("path"), str)
        and artifact.get("state") in _STATES
    ]


def _of_type(value: Any, kind: type) -> Any:
    return value if isinstance(value, kind) else None
