"""The reviewers of a show: which agents may review, and their definitions as pinned when the show began."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from lionstudio.errors import InvalidInput, LionError
from lionstudio.model.providers import PROVIDERS, REVIEWERS
from lionstudio.model.shows.plan import Plan
from lionstudio.model.shows.show_files import PINNED_REVIEWERS
from lionstudio.runs.prepare.resolve import PinnedAgent, pin_agent
from lionstudio.settings import Settings
from lionstudio.shows.records.play_records import path_inside

Pins = dict[str, PinnedAgent]


def reviewers_of(plan: Plan) -> list[str]:
    """List the agents that review anything in a show."""
    gates = [*plan.gates, *plan.final_gates, *(gate for play in plan.plays for gate in play.gates or ())]
    return list(dict.fromkeys(gate.agent for gate in gates if gate.agent is not None))


def pin_reviewer(name: str, plan: Plan, settings: Settings) -> PinnedAgent:
    """Pin a reviewer by the user's repository and home; raises when it cannot be resolved or may not review."""
    pinned = pin_agent(name, settings, plan.repo or os.getcwd())
    provider = pinned.resolve().provider
    if not PROVIDERS[provider].can_review:
        raise InvalidInput(
            f"{name} cannot review: programs behind {provider} obey the settings and instructions that they review",
            hint=f"review by an agent of another provider: {REVIEWERS}",
        )
    return pinned


def pin_reviewers(plan: Plan, settings: Settings, pins: Mapping[str, PinnedAgent]) -> Pins:
    """Return the pins of all reviewers of a plan; those that exist are kept."""
    return {name: pins.get(name) or pin_reviewer(name, plan, settings) for name in reviewers_of(plan)}


def has_changed(pinned: PinnedAgent, plan: Plan, settings: Settings) -> bool:
    """Return whether the files define a reviewer differently now."""
    try:
        return pin_agent(pinned.target, settings, plan.repo or os.getcwd()) != pinned
    except LionError:
        return True


def save_pins(pins: Mapping[str, PinnedAgent], show_dir: str) -> dict[str, Any]:
    """Save the pinned definitions in the show folder; return the record of them for the row."""
    folder = path_inside(show_dir, PINNED_REVIEWERS)
    for pinned in pins.values():
        pinned.save(folder)
    return {name: pinned.to_record() for name, pinned in pins.items()}


def load_pins(record: Mapping[str, Any], show_dir: str) -> Pins:
    """Load the pins of a record; refused when a definition is not the one that was pinned."""
    return {name: load_pin(fields, show_dir) for name, fields in record.items()}


def load_pin(fields: Mapping[str, Any], show_dir: str) -> PinnedAgent:
    try:
        return PinnedAgent.load(fields, path_inside(show_dir, PINNED_REVIEWERS))
    except LionError as error:
        topic = os.path.basename(show_dir)
        hint = f"check the definition of the reviewer, then run: li show resume {topic}"
        raise InvalidInput(error.message, hint=hint) from None
