"""The folder of a show that workers play, written from its rows, which are the source of truth.

Requests of people are in the metadata of the show: `last_decisions` has the last decision about each play and about the
show, `edit` an edited plan, `abort` and `concurrency` what their names say. They are written as the files that a
director reads.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from lionstudio.errors import LionError
from lionstudio.model.shows.play_codec import meta_from_play
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.shows.show_files import (
    ABORT,
    ACCEPTED_PLAN,
    CONCURRENCY,
    DECISION,
    FINAL_GATES,
    FINAL_VERDICT,
    GRANTED_BUDGET,
    PLAN,
    REPLACED_PLAN,
    VERDICT,
)
from lionstudio.shows.records.decisions import find_decision, log_decision, parse_decision
from lionstudio.shows.records.play_records import path_inside, write_json, write_meta
from lionstudio.system.atomic_write import make_folder, write_text
from lionstudio.system.json_read import find_object
from lionstudio.system.safe_read import read_text


def write_folder(show_dir: str, show: Show, plays: Sequence[Play], *, keep_plan: bool = False) -> None:
    """Write everything that a director reads, as the rows have it; `keep_plan`: a person may be editing it here."""
    facts = show.metadata
    make_folder(show_dir)
    if not keep_plan or not os.path.lexists(os.path.join(show_dir, PLAN)):
        _replace_plan(show_dir, facts.get("plan"))
    _write_text(os.path.join(show_dir, ACCEPTED_PLAN), facts.get("accepted_text") or facts.get("plan"))
    for play in plays:
        write_play(show_dir, play)
    _write_json(os.path.join(show_dir, FINAL_VERDICT), facts.get("final_verdict"))
    _write_json(os.path.join(show_dir, FINAL_GATES), facts.get("final_gates"))
    _write_json(os.path.join(show_dir, GRANTED_BUDGET), facts.get("granted"))
    write_requests(show_dir, show)


def write_play(show_dir: str, play: Play) -> None:
    """Write `_meta.json` and `_verdict.json` of a play."""
    write_meta(show_dir, play.name, meta_from_play(play))
    verdict = play.metadata.get("verdict")
    _write_json(path_inside(show_dir, play.name, VERDICT), verdict)


def write_requests(show_dir: str, show: Show, *, with_edit: bool = False) -> None:
    """Write the decisions, the abort, the concurrency and the edit of people, where the files differ."""
    facts = show.metadata
    decisions = facts.get("last_decisions")
    for play, record in (decisions if isinstance(decisions, dict) else {}).items():
        decision, about = parse_decision(record), play or None
        before = find_decision(show_dir, about)
        if before is None or before.id != decision.id:
            path = path_inside(show_dir, *([play] if play else ()), DECISION)
            make_folder(os.path.dirname(path))
            facts_of = {name: value for name, value in record.items() if name != "decision"}
            log_decision(show_dir, "decision", **({"play": about} if about else {}), **facts_of)
            write_text(path, json.dumps(record, indent=1) + "\n")
    _write_json(os.path.join(show_dir, CONCURRENCY), _concurrency(facts.get("concurrency")))
    path, abort = os.path.join(show_dir, ABORT), facts.get("abort")
    if not abort:
        with suppress(FileNotFoundError):
            os.unlink(path)
    elif not os.path.lexists(path):
        record = abort if isinstance(abort, dict) else {}
        log_decision(show_dir, "abort", **record)
        write_text(path, f"{record.get('feedback') or ''}\n")
    if with_edit:
        _write_text(os.path.join(show_dir, PLAN), facts["edit"].get("text"))


def _concurrency(value: Any) -> dict[str, int] | None:
    return {"concurrency": value} if isinstance(value, int) and value > 0 else None


def _replace_plan(show_dir: str, text: Any) -> None:
    """Write the plan of the row; another one here may be an edit that its author has not sent yet, and is kept."""
    path = os.path.join(show_dir, PLAN)
    with suppress(LionError):
        if isinstance(text, str) and (before := read_text(path)) != text:
            write_text(os.path.join(show_dir, REPLACED_PLAN), before)
    _write_text(path, text)


def _write_text(path: str, text: Any) -> None:
    if not isinstance(text, str):
        return
    with suppress(Exception):
        if read_text(path) == text:
            return
    write_text(path, text)


def _write_json(path: str, value: Any) -> None:
    """Write a file, or remove it where the row has nothing; nothing is written where it is equal."""
    if not isinstance(value, dict):
        with suppress(FileNotFoundError):
            os.unlink(path)
    elif find_object(path) != value:
        write_json(path, value)
