"""The decision log of a show, `_decisions.jsonl`: its open question, and its entries."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lionstudio.errors import LionError
from lionstudio.files.shows.plan_fields import fault_of_slug
from lionstudio.model.json_codec import load_or_keep
from lionstudio.model.shows.decision_entries import DecisionEntry, parse_decision
from lionstudio.model.shows.decisions import ShowQuestion, parse_open_question
from lionstudio.model.shows.show_files import DECISION_LOG
from lionstudio.system.json_read import read_object
from lionstudio.system.safe_read import is_within

_TAIL = 65_536  # bytes; an open question is near the end
_MOST_BYTES, _MOST_ENTRIES = 2_000_000, 500


def find_open_question(show_dir: str) -> ShowQuestion | None:
    """Return the question about the show that has no answer yet; an unreadable log counts as empty."""
    try:
        return parse_open_question(_last_lines(show_dir, _TAIL))
    except LionError:
        return None


def list_decisions(show_dir: str) -> list[DecisionEntry]:
    """The last entries of the log, oldest first; lines that are not entries are left out."""
    records = [record for line in _last_lines(show_dir, _MOST_BYTES) if isinstance(record := load_or_keep(line), dict)]
    return list(_entries(show_dir, records[-_MOST_ENTRIES:]))


def _entries(show_dir: str, records: Sequence[Mapping[str, Any]]) -> Iterator[DecisionEntry]:
    for record in records:
        folder = _attempt_folder(show_dir, record)
        failed = record.get("word") == "approve" and _find(folder, "verdict.json", show_dir).get("gate_passed") is False
        entry = parse_decision(record, gate_failed=failed)
        if entry is not None:
            session = _find(folder, "started.json", show_dir).get("session_id")
            yield entry._replace(session_id=session) if isinstance(session, str) else entry


def _attempt_folder(show_dir: str, record: Mapping[str, Any]) -> str | None:
    play, attempt = record.get("play"), record.get("attempt")
    if not isinstance(play, str) or fault_of_slug(play) is not None or not isinstance(attempt, int):
        return None
    return os.path.join(show_dir, play, "attempts", str(attempt))


def _find(folder: str | None, name: str, root: str) -> Mapping[str, Any]:
    if folder is None or not os.path.lexists(path := os.path.join(folder, name)):
        return {}
    try:
        return read_object(path, most=_MOST_BYTES, root=root)
    except LionError:
        return {}


def _last_lines(show_dir: str, most: int) -> list[str]:
    """The last lines of the log, the first of them perhaps without its beginning; an unreadable log is empty."""
    path = os.path.join(show_dir, DECISION_LOG)
    try:
        if not os.path.isfile(path) or not is_within(path, show_dir):
            return []
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - most))
            return file.read(most).decode("utf-8", "replace").splitlines()
    except (OSError, LionError):
        return []
