"""Usage of a show, and what a person granted beyond its plan."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lionstudio.files.shows.granted_budget import PARTS, extend_budget
from lionstudio.model.shows.plan import Plan
from lionstudio.model.shows.show_files import CONCURRENCY, GRANTED_BUDGET
from lionstudio.shows.director.events import Spent
from lionstudio.shows.records.play_records import write_json
from lionstudio.state.database import Database
from lionstudio.state.show_usage import usage_of_show
from lionstudio.system.json_read import find_object


def usage_so_far(database: Database, topic: str) -> Spent:
    """Return the usage of all agents of the show; running ones count with what they reported."""
    usage = database.read(lambda conn: usage_of_show(conn, topic, time.time()))
    return Spent(tokens=usage.tokens, cost_microusd=usage.cost_microusd, seconds=usage.seconds)


def apply_grants(plan: Plan, grants: Mapping[str, int]) -> Plan:
    """Return the plan with a larger budget, and with more or fewer plays at once."""
    concurrency = grants.get("concurrency", plan.concurrency)
    return replace(plan, budget=extend_budget(plan.budget, grants), concurrency=concurrency)


def set_concurrency(show_dir: str, plays: int) -> None:
    """Override the plan's maximum of plays running at once."""
    write_json(os.path.join(show_dir, CONCURRENCY), {"concurrency": plays})


def grant(show_dir: str, decision_id: str, amounts: Mapping[str, int]) -> bool:
    """Add the amounts to the granted budget, once for each decision; return whether anything changed."""
    path = os.path.join(show_dir, GRANTED_BUDGET)
    granted: dict[str, Any] = find_object(path) or {}
    decisions = granted.get("decisions", [])
    if decision_id in decisions:
        return False
    sums = {part: int(granted.get(part) or 0) + int(amounts.get(part) or 0) for part in PARTS}
    write_json(path, {**granted, **sums, "decisions": [*decisions, decision_id]})
    return True
