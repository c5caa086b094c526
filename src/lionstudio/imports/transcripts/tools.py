"""The registered transcript tools, and the transcripts in a tool's home."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, NamedTuple

from lionstudio.agents.transcript import TranscriptTool
from lionstudio.imports.transcripts.zstd import SUFFIX, plain_name
from lionstudio.model.transcript_tools import TRANSCRIPT_TOOLS
from lionstudio.system.filenames import shown


class _Tools(Mapping[str, TranscriptTool]):
    """The tools by name; the module of one is loaded when it is asked for."""

    def __getitem__(self, name: str) -> TranscriptTool:
        tool: TranscriptTool = import_module(f"lionstudio.{TRANSCRIPT_TOOLS[name][1]}").TOOL
        return tool

    def __iter__(self) -> Iterator[str]:
        return iter(TRANSCRIPT_TOOLS)

    def __len__(self) -> int:
        return len(TRANSCRIPT_TOOLS)


TOOLS: Mapping[str, TranscriptTool] = _Tools()
_FILE_TYPES = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}
_MAX_DEPTH = 12  # folders; deeper ones are a loop or a mistake


class TranscriptPath(NamedTuple):
    """The path of a transcript and its `stat` values."""

    path: str
    inode: int
    size: int
    mtime_ns: int

    @property
    def key(self) -> str:
        """The path without compression: it identifies the transcript."""
        return plain_name(self.path)


@dataclass(slots=True)
class Discovered:
    """The transcripts below a root, and the paths there that cannot be read, with the reason."""

    files: list[TranscriptPath] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)


def discover(tool: TranscriptTool, root: str) -> Discovered:
    """Every transcript of a tool, in the order in which they must be read."""
    discovered = Discovered()
    for folder in tool.folders:
        _walk(tool, os.path.join(root, folder), discovered, 0)
    discovered.files.sort(key=lambda file: tool.read_order(file.path, file.mtime_ns))
    return discovered


def inspect_path(tool: TranscriptTool, path: str) -> TranscriptPath | str | None:
    """The transcript at a path, the reason why it cannot be read, or None for another kind of file."""
    if not tool.is_transcript(os.path.basename(path)):
        return None
    try:
        path.encode()
    except UnicodeEncodeError:
        return "has a name that is not UTF-8"
    if path != plain_name(path) and os.path.lexists(plain_name(path)):
        return None  # both exist for a moment; the tool writes to the plain one
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if stat.S_ISLNK(status.st_mode):
        return "is a symbolic link"
    if not stat.S_ISREG(status.st_mode):
        return f"is {_FILE_TYPES.get(stat.S_IFMT(status.st_mode), 'something else')}, not a file"
    return TranscriptPath(path, status.st_ino, status.st_size, status.st_mtime_ns)


def _walk(tool: TranscriptTool, folder: str, discovered: Discovered, depth: int) -> None:
    try:
        with os.scandir(folder) as iterator:
            entries = sorted(iterator, key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    except OSError as error:
        discovered.refused[shown(folder)] = f"cannot be read: {error.strerror}"
        return
    for entry in entries:
        if _is_folder(entry):
            if depth < _MAX_DEPTH:
                _walk(tool, entry.path, discovered, depth + 1)
            else:
                discovered.refused[shown(entry.path)] = "is nested too deeply"
            continue
        result = inspect_path(tool, entry.path)
        if isinstance(result, TranscriptPath):
            discovered.files.append(result)
        elif result is not None:
            discovered.refused[shown(entry.path)] = result


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def transcript_of(tool: TranscriptTool, path: str) -> str:
    """The transcript that a changed path belongs to: for a sidecar the file beside it, else the file as it exists."""
    if tool.sidecar_suffix is not None and path.endswith(tool.sidecar_suffix):
        return path.removesuffix(tool.sidecar_suffix) + ".jsonl"
    compressed = plain_name(path) + SUFFIX
    return compressed if os.path.lexists(compressed) and not os.path.lexists(plain_name(path)) else path


def paths_within(root: str, paths: Mapping[str, Any]) -> Iterator[str]:
    start = root.rstrip(os.sep) + os.sep
    return (path for path in paths if path.startswith(start))
