"""A person's word about a play or a show, as a file that any process may write and a director picks up.

`{play}/_decision.json` holds the last word about a play, `_decision.json` in the show's folder the one about the show,
`_decisions.jsonl` every word and every edit of the plan in their order.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.errors import LionError, StorageFailed
from lionstudio.files.shows.show_folder import MOST_BYTES
from lionstudio.shows.director.events import DecisionKind
from lionstudio.system.atomic_write import make_folder, write_text
from lionstudio.system.filenames import shown
from lionstudio.system.json_read import read_object

DECISION, LOG = "_decision.json", "_decisions.jsonl"


class Decision(NamedTuple):
    """One word. It is taken up once, by its id; one about an attempt that is past is void."""

    id: str
    word: DecisionKind
    attempt: int | None = None  # None: about the show
    feedback: str | None = None
    by: str | None = None
    at: float | None = None
    budget: Mapping[str, int] | None = None  # more of what was used up: tokens, cost_microusd, seconds


def decide(show_dir: str, play: str | None, decision: Decision) -> None:
    """Leave a word; it is logged first."""
    record = {**decision._asdict(), "word": str(decision.word)}
    facts = {name: value for name, value in record.items() if value is not None}
    log(show_dir, "decision", **({"play": play} if play is not None else {}), **facts)
    # ADR-0011's folders know it as `decision`
    write_text(_path(show_dir, play), json.dumps({**facts, "decision": str(decision.word)}, indent=1) + "\n")


def find_decision(show_dir: str, play: str | None) -> Decision | None:
    """The last word about a play, or about the show; None when there is none that can be used."""
    path = _path(show_dir, play)
    if not os.path.lexists(path):
        return None
    try:
        given = read_object(path, most=MOST_BYTES, root=show_dir)
        return _decision(given)
    except (LionError, ValueError, TypeError):
        return None  # half-written by another hand; the next look may find it whole


def _decision(given: Mapping[str, Any]) -> Decision:
    word, attempt, budget = given.get("word", given.get("decision")), given.get("attempt"), given.get("budget")
    told = {name: given[name] for name in ("feedback", "by") if isinstance(given.get(name), str)}
    at = given.get("at")
    return Decision(
        # one that a person wrote by hand has no id; it is the same as long as it says the same
        id=str(given.get("id") or json.dumps(given, sort_keys=True)),
        word=DecisionKind(str(word)),
        attempt=attempt if isinstance(attempt, int) else None,
        at=at if isinstance(at, (int, float)) else None,
        budget={str(k): int(v) for k, v in budget.items()} if isinstance(budget, dict) else None,
        **told,
    )


def log(show_dir: str, what: str, **facts: Any) -> None:
    """Add a line to what was decided; it is on the disk when this returns."""
    line = json.dumps({"logged_at": time.time(), "what": what, **facts}, ensure_ascii=True) + "\n"
    path = os.path.join(show_dir, LOG)
    try:
        make_folder(show_dir)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            os.write(descriptor, line.encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise StorageFailed(
            f"{shown(path)} could not be written: {error.strerror}", hint="check the space and the permissions"
        ) from error


def _path(show_dir: str, play: str | None) -> str:
    return os.path.join(show_dir, play, DECISION) if play is not None else os.path.join(show_dir, DECISION)
