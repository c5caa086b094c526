"""Transcripts of other programs on this machine, counted without reading them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from lionstudio.agents.transcript import TranscriptTool
from lionstudio.model.transcript_tools import TRANSCRIPT_TOOLS

_MOST_COUNTED = 100_000
_MAX_DEPTH = 12


def list_histories(imported: dict[str, int]) -> list[dict[str, Any]]:
    """For each tool the sessions on disk and those that are imported; transcripts of sub-agents are not counted."""
    histories = []
    for name, (title, module) in TRANSCRIPT_TOOLS.items():
        tool: TranscriptTool = import_module(f"lionstudio.{module}").TOOL
        root = tool.root()
        sessions = sum(1 for _ in _sessions(tool, root))
        histories.append(
            {
                "tool": name,
                "title": title,
                "root": root,
                "sessions": sessions,
                "imported": imported.get(f"imported_{name}", 0),
            }
        )
    return histories


def _sessions(tool: TranscriptTool, root: str) -> Iterator[str]:
    folders = [(os.path.join(root, folder), 0) for folder in tool.folders]
    count = 0
    while folders and count < _MOST_COUNTED:
        folder, depth = folders.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False) and depth < _MAX_DEPTH:
                        folders.append((entry.path, depth + 1))
                    elif tool.is_transcript(entry.name) and not tool.is_subagent(entry.path):
                        count += 1
                        yield entry.path
        except OSError:  # the import itself reports what cannot be read
            continue
