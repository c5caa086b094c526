"""The table of statuses: complete over its enums, equal to the schema, and the only place that lists statuses."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import get_args

import pytest

import lionstudio
from lionstudio.cli._toolkit.terminal import TONES
from lionstudio.model.shows.decisions import DecisionKind
from lionstudio.model.status import statuses, vocabulary
from lionstudio.model.status.computed_state import HEALTHS, effective_health
from lionstudio.model.status.reasons import REASONS
from lionstudio.model.status.statuses import (
    PLAYS,
    PLAYS_NEEDING_DECISION,
    PLAYS_NEEDING_REVIEW,
    PLAYS_TO_RESUME,
    SESSIONS,
    SHOWS,
    TEAMS,
    PlayStatus,
    SessionStatus,
    ShowStatus,
    StatusRow,
    TeamStatus,
)
from lionstudio.model.status.vocabulary import GROUP_TONES, Card, HealthCode, StatusGroup
from lionstudio.model.status.vocabulary import TONES as ALL_TONES
from lionstudio.state.runs.dashboard import _CARD_CONDITIONS
from lionstudio.state.runs.status_conditions import NEEDS_REVIEW, SESSION_CARDS
from lionstudio.studio.schemas.runs import RunHealth
from lionstudio.studio.schemas.shows import Action

SOURCE = Path(lionstudio.__file__).parent
SCHEMA = (SOURCE / "state/sqlite/schema/schema.sql").read_text()
TABLES: dict[str, tuple[type[StrEnum], Mapping[StrEnum, StatusRow[StrEnum]]]] = {
    "sessions": (SessionStatus, SESSIONS),  # type: ignore[dict-item]
    "plays": (PlayStatus, PLAYS),  # type: ignore[dict-item]
    "shows": (ShowStatus, SHOWS),  # type: ignore[dict-item]
    "teams": (TeamStatus, TEAMS),  # type: ignore[dict-item]
}


@pytest.mark.parametrize("name", TABLES)
def test_status_table_has_a_row_for_every_status_in_order(name: str) -> None:
    enum, table = TABLES[name]

    assert list(table) == list(enum)
    for row in table.values():
        assert row.transitions <= set(enum)
        assert row.reason is None or row.reason in REASONS
        assert row.label
        assert row.tone in ALL_TONES
        assert row.group in GROUP_TONES


@pytest.mark.parametrize("name", TABLES)
def test_status_table_equals_the_check_of_the_schema(name: str) -> None:
    table = re.search(rf"CREATE TABLE {name} \((.*?)\n\)", SCHEMA, re.DOTALL)
    assert table
    check = re.search(r"CHECK \(status IN \((.*?)\)\)", table[1], re.DOTALL)
    assert check

    assert re.findall(r"'(\w+)'", check[1]) == [str(status) for status in TABLES[name][0]]


def test_needs_review_condition_equals_its_partial_index() -> None:
    index = re.search(r"CREATE INDEX idx_plays_attention .* WHERE status (.*);", SCHEMA)
    assert index

    assert index[1] == NEEDS_REVIEW == "IN ('gated', 'escalated', 'blocked')"
    assert tuple(status for status, row in PLAYS.items() if Card.NEEDS_REVIEW in row.cards) == PLAYS_NEEDING_REVIEW


def test_every_card_counts_some_status() -> None:
    assert (SESSION_CARDS) == {
        "running": "= 'running'",
        "failed_24h": "= 'failed'",
        "slow": "= 'running'",
        "stale": "= 'running'",
    }
    assert set(_CARD_CONDITIONS) == set(Card)


@pytest.mark.parametrize("status", PlayStatus)
def test_play_row_is_consistent(status: PlayStatus) -> None:
    row = PLAYS[status]

    assert len(row.mark) == 1
    assert row.style in TONES.values()
    assert ("escalate" in row.decisions) == (PlayStatus.ESCALATED in row.transitions)
    assert row.decisions == tuple(str(kind) for kind in DecisionKind if kind in row.decisions)
    assert not (row.stuck and row.waits_to_start)
    assert row.waits_to_start or not row.dependencies_merged
    assert not row.can_be_blocked or PlayStatus.BLOCKED in row.transitions
    assert (row.outcome is None) != row.has_ended
    assert (row.health == "waiting") == (status in PLAYS_NEEDING_DECISION)


def test_plays_to_resume_are_closest_to_the_merge_first() -> None:
    assert PLAYS_TO_RESUME == (PlayStatus.GATED, PlayStatus.RUNNING_COMPLETE, PlayStatus.RUNNING)


def test_prepared_and_blocked_plays_are_pending() -> None:
    pending = {status for status, row in PLAYS.items() if row.group == "pending"}

    assert pending == {PlayStatus.PENDING, PlayStatus.PREPARED, PlayStatus.BLOCKED}


def test_decisions_are_actions_of_the_api() -> None:
    offered = {decision for row in PLAYS.values() for decision in row.decisions}
    offered |= {decision for row in SHOWS.values() for decision in row.decisions}

    assert offered | {"run"} == set(Action)


def test_health_table_is_complete() -> None:
    assert tuple(HEALTHS) == get_args(HealthCode)
    assert tuple(GROUP_TONES) == get_args(StatusGroup)
    assert {row.reason for row in HEALTHS.values() if row.reason} <= set(REASONS)
    assert set(RunHealth) == {*HEALTHS, "stale"}
    assert effective_health({"status": "running"}, now=10**9) in set(RunHealth)


def test_tones_of_the_terminal_are_complete() -> None:
    assert set(TONES) == set(ALL_TONES)


NAMES = {"PlayStatus", "SessionStatus", "ShowStatus", "TeamStatus", "P", "S"}
VALUES = {str(status) for enum, _ in TABLES.values() for status in enum} - {"active", "completed", "aborted"}


def is_status(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.value.id in NAMES
    return isinstance(node, ast.Constant) and node.value in VALUES


def lists_of_statuses(tree: ast.AST) -> Iterator[ast.AST]:
    """Displays with two or more statuses, and dicts with two or more as keys."""
    for node in ast.walk(tree):
        members: list[ast.expr | None] = []
        if isinstance(node, (ast.Set, ast.Tuple, ast.List)):
            members = [*node.elts]
        elif isinstance(node, ast.Dict):
            members = [*node.keys]
        if sum(member is not None and is_status(member) for member in members) > 1:
            yield node


# Not a list of statuses: the words of other vocabularies, and return values.
ALLOWED = {
    "shows/attempt/attempt_files.py": "ways an attempt ends",
    "shows/execute/outcomes.py": "ways an attempt ends",
    "cli/run/_execute.py": "signals",
}


def test_no_module_outside_the_table_lists_statuses() -> None:
    found = {}
    for path in SOURCE.rglob("*.py"):
        name = path.relative_to(SOURCE).as_posix()
        if name.startswith("model/status/") or name in ALLOWED or "/migrations/" in name:
            continue
        lines = [node.lineno for node in lists_of_statuses(ast.parse(path.read_text())) if hasattr(node, "lineno")]
        if lines:
            found[name] = lines

    assert found == {}


def test_no_sql_outside_the_schema_lists_statuses() -> None:
    several = re.compile(r"status\s+(?:NOT\s+)?IN\s*\(\s*'", re.IGNORECASE)
    found = [
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if "/migrations/" not in path.as_posix() and several.search(path.read_text())
    ]

    assert found == []


def test_status_names_are_exported_once() -> None:
    classes = [value for module in (statuses, vocabulary) for value in vars(module).values() if isinstance(value, type)]

    assert len({cls.__name__ for cls in classes}) == len(set(classes))
