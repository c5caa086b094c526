"""The budget that a person granted a show beyond its plan, and the budget of both together."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from functools import lru_cache

from lionstudio.files.shows.plan_reader import parse_plan
from lionstudio.model.shows.plan import Budget
from lionstudio.model.shows.show_files import CONCURRENCY, GRANTED_BUDGET
from lionstudio.system.json_read import find_object

PARTS = ("tokens", "cost_microusd", "seconds")


def read_grants(show_dir: str) -> dict[str, int]:
    """Read the budget granted beyond the plan, and `concurrency` where it overrides the plan."""
    granted = find_object(os.path.join(show_dir, GRANTED_BUDGET)) or {}
    plays = (find_object(os.path.join(show_dir, CONCURRENCY)) or {}).get("concurrency")
    parts = {part: int(granted[part]) for part in PARTS if granted.get(part)}
    return parts | ({"concurrency": plays} if isinstance(plays, int) and plays > 0 else {})


def extend_budget(budget: Budget, grants: Mapping[str, int]) -> Budget:
    return Budget(**{part: limit and limit + grants.get(part, 0) for part, limit in asdict(budget).items()})


def budget_of(topic: str, show_dir: str, text: str, granted: Mapping[str, int] | None = None) -> Budget:
    """The budget of a show by the text of its plan and its grants; a plan that cannot be read has none.

    The grants are those in its folder, unless they are `granted` from its row.
    """
    planned = _planned(topic, text)
    if planned == Budget():
        return planned
    return extend_budget(planned, read_grants(show_dir) if granted is None else granted)


@lru_cache(maxsize=64)  # a page asks again at every change of the show, and a plan rarely changes
def _planned(topic: str, text: str) -> Budget:
    plan, _ = parse_plan(topic, text)
    return Budget() if plan is None else plan.budget
