"""Facts that only the folder of a show has: its plan, its final verdict, the question of its director.

The path comes from a row that any program may have written, so it must be inside one of our own folders.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

from lionstudio.files.shows.decision_log import find_open_question
from lionstudio.files.shows.granted_budget import PARTS, budget_of
from lionstudio.files.shows.held_back import HeldBack, find_held_back
from lionstudio.model.coerce import dict_of
from lionstudio.model.shows.decisions import ShowQuestion
from lionstudio.model.shows.plan import Budget
from lionstudio.model.shows.show_files import DIRECTOR_LOCK
from lionstudio.settings import Settings
from lionstudio.show_sync.actions import describe_show_actions, has_begun, show_actions
from lionstudio.studio.views.plays import final_verdict
from lionstudio.studio.views.shows import read_plan_text
from lionstudio.system.filelock import lock_state
from lionstudio.system.filenames import shown
from lionstudio.system.safe_read import is_within


def folder_error(settings: Settings, show_dir: str) -> str | None:
    """The reason why a folder is not read, None when it is inside one of our folders."""
    roots = (settings.shows, os.path.join(settings.home, "shows"))
    if os.path.isabs(show_dir) and "\0" not in show_dir and any(is_within(show_dir, root) for root in roots):
        return None
    return f"the folder {shown(show_dir)} is not below {shown(settings.shows)}, so it is not read"


def find_question(settings: Settings, show_dir: str) -> ShowQuestion | None:
    """The open question of the director about the show."""
    return None if folder_error(settings, show_dir) else find_open_question(show_dir)


def held_back(topic: str, show_dir: str, facts: Mapping[str, Any]) -> HeldBack | None:
    """Find the changes that a decision about the show would accept or reject now."""
    text = read_plan_text(show_dir, show_dir)
    return None if text is None else find_held_back(topic, show_dir, text, facts)


def director_state(settings: Settings, show_dir: str) -> str:
    """The lock of the director: held, free when it died, absent when it exited or never started, untold if not read."""
    return "untold" if folder_error(settings, show_dir) else lock_state(os.path.join(show_dir, DIRECTOR_LOCK))


class _Facts(NamedTuple):
    """Facts of a show besides its columns and plays."""

    path: str
    error: str | None = None  # why the folder is not read
    plan: str | None = None
    asked: ShowQuestion | None = None
    final_verdict: dict[str, Any] | None = None
    granted: Mapping[str, int] | None = None


def _facts_of_folder(settings: Settings, path: str) -> _Facts:
    if error := folder_error(settings, path):
        return _Facts(path, error)
    return _Facts(path, None, read_plan_text(path, path), find_open_question(path), final_verdict(path))


def _facts_of_row(settings: Settings, topic: str, row: Mapping[str, Any]) -> _Facts:
    """A show that workers play: its rows have everything, and its director asks by rows.

    The folder is the copy on this machine, if it has one; that in the row is on the machine that ordered the show.
    """
    path = os.path.join(settings.shows, topic)
    plan, verdict = row.get("plan"), dict_of(row.get("final_verdict"))
    return _Facts(
        path,
        folder_error(settings, path),  # a link that leads out
        plan=plan if isinstance(plan, str) else None,
        final_verdict=verdict or None,
        granted=dict_of(row.get("granted")),
    )


def add_folder_facts(show: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """A show of the database with the facts of its folder, or the reason why that is not read."""
    topic, row, spent = show["topic"], show.pop("facts"), show.pop("spent")
    facts = _facts_of_row(settings, topic, row) if show["by_workers"] else _facts_of_folder(settings, show["path"])
    path, plan, asked = facts.path, facts.plan, facts.asked
    began = has_begun([play["meta"]["status"] for play in show["plays"]])
    held = None if plan is None else find_held_back(topic, path, plan, row)
    # an order to direct the show waits at most for a worker, and needs no other one
    has_director = not show["by_workers"] and director_state(settings, path) == "held"
    directed = has_director or bool(show["director"] and show["director"]["is_open"])
    actions = show_actions(show["status"], asked=asked, held=held, began=began)
    actions = [action for action in actions if not (directed and action in ("run", "resume"))]
    return {
        **show,
        "path": path,
        "error": facts.error,
        "directed": directed,
        "show_md": plan,
        "budget": [] if plan is None else _budget(budget_of(topic, path, plan, facts.granted), spent),
        "held_back": held and {"plan": held.plan, "commits": held.shas, "lines": held.lines},
        "final_verdict": facts.final_verdict,
        "actions": actions,
        "deeds": describe_show_actions(topic, actions, asked, held),
    }


def _budget(budget: Budget, spent: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The parts of the budget that have a limit, with what the director counts against them."""
    limits = asdict(budget)
    return [{"part": part, "spent": spent[part], "limit": limits[part]} for part in PARTS if limits[part]]
