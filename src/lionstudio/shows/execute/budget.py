"""What a show has spent, and what a person has granted it beyond its plan."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any

from lionstudio.shows.director.events import Spent
from lionstudio.shows.records.play_records import write_json
from lionstudio.state.database import Database
from lionstudio.state.show_usage import usage_of_show
from lionstudio.system.json_read import find_object

GRANTED = "_granted.json"  # the director alone writes it
CONCURRENCY = "_concurrency.json"  # whoever runs or watches the show; the last one counts
_PARTS = ("tokens", "cost_microusd", "seconds")


def spent(database: Database, topic: str) -> Spent:
    """What its agents have used so far; those that run now count with what they have reported."""
    used = database.read(lambda conn: usage_of_show(conn, topic, time.time()))
    return Spent(tokens=used.tokens, cost_microusd=used.cost_microusd, seconds=used.seconds)


def extended_budget(show_dir: str) -> dict[str, int]:
    """What was granted beyond the plan, and how many plays at a time instead of what it says."""
    found = find_object(os.path.join(show_dir, GRANTED)) or {}
    plays = (find_object(os.path.join(show_dir, CONCURRENCY)) or {}).get("concurrency")
    more = {part: int(found[part]) for part in _PARTS if found.get(part)}
    return more | ({"concurrency": plays} if isinstance(plays, int) and plays > 0 else {})


def set_concurrency(show_dir: str, plays: int) -> None:
    """So many plays at a time from now on, whatever the plan says."""
    write_json(os.path.join(show_dir, CONCURRENCY), {"concurrency": plays})


def grant(show_dir: str, decision_id: str, more: Mapping[str, int]) -> bool:
    """Add to it, once for each decision; whether anything changed."""
    found: dict[str, Any] = find_object(os.path.join(show_dir, GRANTED)) or {}
    if decision_id in found.get("decisions", []):
        return False
    sums = {part: int(found.get(part) or 0) + int(more.get(part) or 0) for part in _PARTS}
    write_json(
        os.path.join(show_dir, GRANTED), {**found, **sums, "decisions": [*found.get("decisions", []), decision_id]}
    )
    return True
