"""The schema of `_meta.json`: agents can write to the file, so its values are checked before they are used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lionstudio.errors import InvalidInput
from lionstudio.model.status.statuses import PlayStatus

_STATUSES = frozenset(map(str, PlayStatus))


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**31


def _is_positive(value: Any) -> bool:
    return _is_integer(value) and value >= 1


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_name_list(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


_RULES: Mapping[str, Callable[[Any], bool]] = {
    "status": lambda value: _is_text(value) and value in _STATUSES,
    "attempt": _is_positive,
    "allowed": _is_positive,
    "part": _is_integer,
    "exit_code": _is_integer,
    **dict.fromkeys(("started_at", "ended_at", "merged_at", "parked_until"), _is_number),
    **dict.fromkeys(("worktree", "branch", "merge_sha", "effort", "playbook"), _is_text),
    **dict.fromkeys(("session_id", "resume", "retries", "reason_code"), _is_text),
    **dict.fromkeys(("depends_on", "blocked_by", "problems", "problem_codes"), _is_name_list),
    "left_out": lambda value: isinstance(value, list),
    "conflict": lambda value: isinstance(value, dict),
}


def check_meta(meta: dict[str, Any], path: str) -> dict[str, Any]:
    """Return the meta, or refuse it with the first value that we never write; unknown keys are allowed."""
    for name, is_valid in _RULES.items():
        value = meta.get(name)
        if value is not None and not is_valid(value):
            raise InvalidInput(f"invalid value in {path}: {name} = {value!r:.60}", hint="move the file away")
    return meta
