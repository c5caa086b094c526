"""Read runs of older tools: `runs/<id>/run.json` with `branches/*.json`, and bare `logs/agents/…` snapshots.

The JSON is not interpreted here; an unreadable file is distinguished from a missing one.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from lionstudio.errors import LionError, NotFound
from lionstudio.system.filenames import shown
from lionstudio.system.json_read import read_object
from lionstudio.system.safe_read import list_folder, refusal

MANIFEST = "run.json"
MOST_MANIFEST_BYTES = 16_000_000
MOST_BRANCH_BYTES = 256_000_000  # a snapshot is one JSON document and is loaded into memory

_SNAPSHOTS = os.path.join("logs", "agents")


class Times(NamedTuple):
    """Creation and modification time from the file system."""

    began: float
    changed: float


class BranchFile(NamedTuple):
    """One branch snapshot: its JSON object, or the error of reading it."""

    path: str
    value: dict[str, Any]
    times: Times
    fault: LionError | None = None


class RunFolder(NamedTuple):
    """One run: its manifest, if any, and its branches."""

    name: str
    path: str
    manifest: dict[str, Any] | None
    branches: tuple[BranchFile, ...]
    artifacts: str | None
    times: Times


class SnapshotFile(NamedTuple):
    """The oldest format: a single branch, in a folder named after its provider."""

    provider: str
    path: str


def find_runs(root: str) -> list[str]:
    """List the run folders of a home, or of a `runs` folder itself, by name."""
    runs = os.path.join(root, "runs")
    is_home = os.path.lexists(runs)
    paths = [item.path for item in list_folder(runs if is_home else root) if item.folder and item.name[0] != "."]
    # a folder of any other name may contain other folders besides runs
    return paths if is_home or os.path.basename(root) == "runs" else [path for path in paths if _looks_like_run(path)]


def _looks_like_run(path: str) -> bool:
    return any(os.path.lexists(os.path.join(path, name)) for name in (MANIFEST, "branches"))


def find_snapshots(root: str) -> list[SnapshotFile]:
    """List the branch snapshots in `logs/agents` of a home."""
    snapshots = []
    for provider in list_folder(os.path.join(root, _SNAPSHOTS)):
        if provider.folder:
            files = (item for item in list_folder(provider.path) if not item.folder and item.name[0] != ".")
            snapshots += [SnapshotFile(provider.name, item.path) for item in files]
    return snapshots


def read_run(path: str, root: str) -> RunFolder:
    """Read a run folder; raise when its manifest cannot be read, or when it is not a run."""
    manifest = _manifest(path, root)
    branches = tuple(read_branch(file, root) for file in _branch_files(path))
    if manifest is None and not branches:
        raise NotFound(f"{shown(path)} contains neither {MANIFEST} nor branches", hint="it is skipped")
    artifacts = os.path.join(path, "artifacts")
    return RunFolder(
        name=os.path.basename(path),
        path=path,
        manifest=manifest,
        branches=branches,
        artifacts=artifacts if os.path.isdir(artifacts) else None,
        times=times_of(path),
    )


def read_branch(path: str, root: str) -> BranchFile:
    """Read a branch snapshot; an error becomes part of the entry."""
    try:
        value = read_object(path, most=MOST_BRANCH_BYTES, root=root)
        return BranchFile(path, value, times_of(path))
    except LionError as error:
        return BranchFile(path, {}, Times(0.0, 0.0), error)


def times_of(path: str) -> Times:
    """Return the creation time, as far as the system knows it, and the modification time."""
    try:
        status = os.stat(path)
    except OSError as error:
        raise refusal(path, error) from None
    # most systems only know when the inode last changed, which may be after its content did
    created = getattr(status, "st_birthtime", status.st_ctime)
    return Times(min(created, status.st_mtime), status.st_mtime)


def _manifest(path: str, root: str) -> dict[str, Any] | None:
    file = os.path.join(path, MANIFEST)
    if not os.path.lexists(file):
        return None
    return read_object(file, most=MOST_MANIFEST_BYTES, root=root)


def _branch_files(path: str) -> list[str]:
    folder = os.path.join(path, "branches")
    if not os.path.isdir(folder):
        return []
    return [item.path for item in list_folder(folder) if item.name.endswith(".json") and not item.name.startswith(".")]
