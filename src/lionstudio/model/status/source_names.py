"""The display names of the sources of runs."""

from __future__ import annotations

from collections.abc import Mapping

from lionstudio.model.transcript_tools import TRANSCRIPT_TOOLS

SOURCE_NAMES: Mapping[str, str] = {
    "live": "Recorded",
    "imported_fs": "Imported run",
    "imported_db": "Imported database",
    **{f"imported_{tool}": title for tool, (title, _) in TRANSCRIPT_TOOLS.items()},
}


def source_name(source_kind: str | None) -> str:
    """The name of a run's source; one that this version does not know is shown as it is."""
    return SOURCE_NAMES.get(source_kind or "", (source_kind or "").replace("_", " "))
