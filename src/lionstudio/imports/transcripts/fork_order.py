"""Which of several new transcripts that begin alike was first: the others are its forks, and must be read later."""

from __future__ import annotations

import ctypes
import json
import os
import struct
import sys
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.imports.transcripts.line_reader import open_regular
from lionstudio.imports.transcripts.tools import Candidate, Tool
from lionstudio.model.coerce import dict_of, to_timestamp

_HEAD = 65536
_AT_FDCWD, _BTIME, _BTIME_AT = -100, 0x800, 80  # of the system call statx


class Head(NamedTuple):
    """How a transcript begins: the first record of its conversation, and when the file itself was begun."""

    first: str
    began: float


def oldest_first(tool: Tool, files: list[Candidate], known: Mapping[str, Any]) -> list[Candidate]:
    """The files in their order, but of new ones with the same beginning the oldest first."""
    if tool.name == "codex":
        return files  # their names say when they were begun
    heads = {file.path: head for file in files if file.path not in known and (head := _head(file))}
    families: dict[str, list[Candidate]] = defaultdict(list)
    for file in files:
        if file.path in heads:
            families[heads[file.path].first].append(file)
    for members in families.values():
        if len(members) > 1:
            members.sort(key=lambda file: (heads[file.path].began, _birth(file.path), file.mtime_ns))
    return [families[heads[file.path].first].pop(0) if file.path in heads else file for file in files]


def _head(file: Candidate) -> Head | None:
    if file.is_agent:
        return None
    try:
        descriptor = open_regular(file.path)
    except OSError:
        return None
    try:
        text = os.pread(descriptor, _HEAD, 0)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    began = None
    for line in text.split(b"\n")[:-1]:
        record = _record(line)
        # a fork writes records of its own before it copies those of its parent
        began = began or to_timestamp(record.get("timestamp"))
        if isinstance(record.get("uuid"), str):
            return Head(record["uuid"], began or 0.0)
    return None


def _birth(path: str) -> float:
    """When a file was made, 0 where that is not kept; Python's own stat does not tell."""
    if sys.platform != "linux":
        return 0.0
    found = ctypes.create_string_buffer(256)
    if ctypes.CDLL(None).statx(_AT_FDCWD, os.fsencode(path), 0, _BTIME, found):
        return 0.0
    seconds, nanos = struct.unpack_from("qI", found, _BTIME_AT)
    return float(seconds + nanos / 1e9)


def _record(line: bytes) -> dict[str, Any]:
    try:
        return dict_of(json.loads(line))
    except (ValueError, RecursionError):
        return {}
