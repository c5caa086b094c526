"""The artifacts that a run must deliver: checked when it ends, they decide its delivery."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Sequence
from typing import Any, NamedTuple

from lionstudio.agents.events import Ended
from lionstudio.errors import LionError
from lionstudio.files.definitions.artifacts import Artifact
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.system.filenames import shown
from lionstudio.system.safe_read import is_within, read_bytes

MISSING = "run.failed.missing_artifact"
_MOST_BYTES = 64 * 1024 * 1024  # of a file with a checksum; a larger one has only its size


class CheckedArtifact(NamedTuple):
    """An artifact and what was found at its path."""

    artifact: Artifact
    state: str  # delivered | missing | invalid
    size: int | None = None
    sha256: str | None = None
    unchanged: bool = False  # the file was there before the run, and is the same
    problem: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {**self.artifact._asdict(), **{name: getattr(self, name) for name in self._fields if name != "artifact"}}


class ExpectedArtifacts:
    """The artifacts of one run; made when it begins, to recognise files that it did not change."""

    def __init__(self, folder: str, artifacts: Sequence[Artifact]) -> None:
        self._folder = os.path.realpath(folder)
        self._artifacts = artifacts
        self._before = {artifact.path: self._stamp(artifact) for artifact in artifacts}

    def check(self) -> tuple[CheckedArtifact, ...]:
        return tuple(self._checked(artifact) for artifact in self._artifacts)

    def _path(self, artifact: Artifact) -> str:
        return os.path.join(self._folder, *artifact.path.split("/"))

    def _stamp(self, artifact: Artifact) -> tuple[int, int, int] | None:
        try:
            status = os.stat(self._path(artifact))
        except (OSError, ValueError):
            return None
        return status.st_ino, status.st_size, status.st_mtime_ns

    def _checked(self, artifact: Artifact) -> CheckedArtifact:
        path = self._path(artifact)
        try:
            if not os.path.lexists(path):
                return CheckedArtifact(artifact, "missing", problem="does not exist")
            if not is_within(path, self._folder):
                return CheckedArtifact(artifact, "invalid", problem="is a link that leads out of the folder")
            status = os.stat(path)
            if not stat.S_ISREG(status.st_mode):
                return CheckedArtifact(artifact, "invalid", problem="is not a file")
            if status.st_size == 0:
                return CheckedArtifact(artifact, "invalid", 0, problem="is empty")
            checksum = None
            if status.st_size <= _MOST_BYTES:
                checksum = hashlib.sha256(read_bytes(path, most=_MOST_BYTES, root=self._folder)).hexdigest()
        except (OSError, ValueError, LionError) as error:
            return CheckedArtifact(artifact, "invalid", problem=f"cannot be read: {error}"[:200])
        unchanged = self._before[artifact.path] == self._stamp(artifact)
        return CheckedArtifact(artifact, "delivered", status.st_size, checksum, unchanged)


def delivery_of(checked: Sequence[CheckedArtifact]) -> str | None:
    """A required artifact that is absent decides before an optional one; None where none is expected."""
    if not checked:
        return None
    required = {item.state for item in checked if item.artifact.required}
    if worst := next((state for state in ("missing", "invalid") if state in required), None):
        return worst
    return "passed" if all(item.state == "delivered" for item in checked) else "partial"


def with_delivery(ended: Ended, checked: Sequence[CheckedArtifact]) -> Ended:
    """The end of a run with its delivery; a completed run without a required artifact failed."""
    delivery = delivery_of(checked)
    if delivery is None:
        return ended
    faults = [item for item in checked if item.artifact.required and item.state != "delivered"]
    if not faults or ended.status is not SessionStatus.COMPLETED:
        # denied actions stay visible where the artifacts are all there
        return ended._replace(delivery=ended.delivery if delivery == "passed" and ended.delivery else delivery)
    problems = [f"the artifact {shown(item.artifact.path)} {item.problem}" for item in faults]
    detail = "; ".join([*problems, *([ended.detail] if ended.detail else [])])
    return ended._replace(status=SessionStatus.FAILED, exit_code=1, reason=MISSING, detail=detail, delivery=delivery)


def deliver_text(artifacts: Sequence[Artifact]) -> str:
    """The part of a prompt that names the artifacts."""
    lines = ["Deliver these files, relative to the working folder:"]
    for artifact in artifacts:
        note = "" if artifact.required else " (optional)"
        description = f": {artifact.description}" if artifact.description else ""
        lines.append(f"- {artifact.path}{note}{description}")
    return "\n".join(lines)
