"""The artifacts of a session on a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import size


def artifact_line(artifact: Mapping[str, Any]) -> str:
    """`delivered report.md, 1.2 kB` or `missing notes.md (optional)`."""
    path = inline(str(artifact.get("path")))
    state = str(artifact.get("state"))
    if state == "delivered":
        bytes_ = artifact.get("size")
        facts = [path, *([size(bytes_)] if isinstance(bytes_, int) else [])]
        return f"delivered {', '.join(facts)}{' (not changed by this run)' if artifact.get('unchanged') else ''}"
    problem = inline(str(artifact.get("problem") or ""))
    note = "" if artifact.get("required", True) else " (optional)"
    return f"{inline(state)} {path}{note}{f': {problem}' if state == 'invalid' else ''}"
