"""The order of new transcripts that begin with the same record: the oldest is the parent, the others are its forks."""

from __future__ import annotations

import ctypes
import json
import os
import struct
import sys
import time
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.agents.transcript import TranscriptTool
from lionstudio.imports.transcripts.line_reader import open_regular
from lionstudio.imports.transcripts.tools import TranscriptPath
from lionstudio.model.coerce import dict_of, to_timestamp

_PREFIX_BYTES = 65536
_PERIODS = (3600, 86400, 7 * 86400, 30 * 86400)  # seconds
_AT_FDCWD, _BTIME, _BTIME_AT = -100, 0x800, 80  # of the system call statx


class FirstRecord(NamedTuple):
    id: str
    started_at: float  # of the transcript, which may have records of its own before


def oldest_first(tool: TranscriptTool, files: list[TranscriptPath], stamps: Mapping[str, Any]) -> list[TranscriptPath]:
    """The files in their order, but new ones with the same first record sorted by age.

    Recent conversations come first, so that a long first import shows today's work at once.
    """
    key = tool.record_id_key
    if key is None:
        return files
    firsts = {
        file.path: first
        for file in files
        if file.path not in stamps and not tool.is_subagent(file.path) and (first := _first_record(file.path, key))
    }
    families: dict[str, list[TranscriptPath]] = defaultdict(list)
    for file in files:
        if file.path in firsts:
            families[firsts[file.path].id].append(file)
    for members in families.values():
        if len(members) > 1:
            members.sort(key=lambda file: (firsts[file.path].started_at, _birth_time(file.path), file.mtime_ns))
    newest = {id_: max(file.mtime_ns for file in members) for id_, members in families.items()}
    ordered = [families[firsts[file.path].id].pop(0) if file.path in firsts else file for file in files]

    def period(file: TranscriptPath) -> int:
        first = firsts.get(file.path)
        return _period(time.time() - (file.mtime_ns if first is None else newest[first.id]) / 1e9)

    return sorted(ordered, key=period)  # stable: a family is in one period, and stays in its order


def _period(age: float) -> int:
    """The number of the period that an age in seconds falls into: an hour, a day, a week, a month, older."""
    return sum(age > limit for limit in _PERIODS)


def _first_record(path: str, id_key: str) -> FirstRecord | None:
    try:
        descriptor = open_regular(path)
    except OSError:
        return None
    try:
        text = os.pread(descriptor, _PREFIX_BYTES, 0)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    started_at = None
    for line in text.split(b"\n")[:-1]:
        record = _parse(line)
        # a fork writes records of its own before it copies those of its parent
        started_at = started_at or to_timestamp(record.get("timestamp"))
        if isinstance(record.get(id_key), str):
            return FirstRecord(record[id_key], started_at or 0.0)
    return None


def _birth_time(path: str) -> float:
    """The creation time of a file, 0 where the system has none; Python's own stat does not report it."""
    if sys.platform != "linux":
        return 0.0
    buffer = ctypes.create_string_buffer(256)
    if ctypes.CDLL(None).statx(_AT_FDCWD, os.fsencode(path), 0, _BTIME, buffer):
        return 0.0
    seconds, nanos = struct.unpack_from("qI", buffer, _BTIME_AT)
    return float(seconds + nanos / 1e9)


def _parse(line: bytes) -> dict[str, Any]:
    try:
        return dict_of(json.loads(line))
    except (ValueError, RecursionError):
        return {}
