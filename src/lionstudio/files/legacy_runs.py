"""Runs as older tools left them: `runs/<id>/run.json` with `branches/*.json`, and bare `logs/agents/…` snapshots.

Nothing is interpreted here; what cannot be read is told apart from what is not there.
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
MOST_BRANCH_BYTES = 256_000_000  # a snapshot is one JSON document and is in memory whole

_SNAPSHOTS = os.path.join("logs", "agents")


class Times(NamedTuple):
    """When something was made and last changed, as the file system has it."""

    began: float
    changed: float


class BranchFile(NamedTuple):
    """One branch snapshot: its JSON object, or the reason why there is none."""

    path: str
    value: dict[str, Any]
    times: Times
    fault: LionError | None = None


class RunFolder(NamedTuple):
    """One run: its manifest (None: it has none) and its branches."""

    name: str
    path: str
    manifest: dict[str, Any] | None
    branches: tuple[BranchFile, ...]
    artifacts: str | None
    times: Times


class SnapshotFile(NamedTuple):
    """The oldest form: a branch by itself, in a folder named after its provider."""

    provider: str
    path: str


def find_runs(root: str) -> list[str]:
    """The run folders of a home or of a `runs` folder itself, oldest name first."""
    inside = os.path.join(root, "runs")
    is_home = os.path.lexists(inside)
    found = [item.path for item in list_folder(inside if is_home else root) if item.folder and item.name[0] != "."]
    # a folder of any other name may hold anything beside runs
    return found if is_home or os.path.basename(root) == "runs" else [path for path in found if _looks_like_run(path)]


def _looks_like_run(path: str) -> bool:
    return any(os.path.lexists(os.path.join(path, name)) for name in (MANIFEST, "branches"))


def find_snapshots(root: str) -> list[SnapshotFile]:
    """The branch snapshots under `logs/agents` of a home."""
    found = []
    for provider in list_folder(os.path.join(root, _SNAPSHOTS)):
        if provider.folder:
            inside = (item for item in list_folder(provider.path) if not item.folder and item.name[0] != ".")
            found += [SnapshotFile(provider.name, item.path) for item in inside]
    return found


def read_run(path: str, root: str) -> RunFolder:
    """A run folder; refused when its manifest cannot be read, or when it is no run at all."""
    manifest = _manifest(path, root)
    branches = tuple(read_branch(file, root) for file in _branch_files(path))
    if manifest is None and not branches:
        raise NotFound(f"{shown(path)} holds neither {MANIFEST} nor branches", hint="it is left as it is")
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
    """One branch snapshot, whatever is in the file."""
    try:
        value = read_object(path, most=MOST_BRANCH_BYTES, root=root)
        return BranchFile(path, value, times_of(path))
    except LionError as error:
        return BranchFile(path, {}, Times(0.0, 0.0), error)


def times_of(path: str) -> Times:
    """When a file or folder was made, as far as the system knows, and when it was last changed."""
    try:
        found = os.stat(path)
    except OSError as error:
        raise refusal(path, error) from None
    # most systems only know when the entry itself last changed, which may be after its content did
    born = getattr(found, "st_birthtime", found.st_ctime)
    return Times(min(born, found.st_mtime), found.st_mtime)


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
