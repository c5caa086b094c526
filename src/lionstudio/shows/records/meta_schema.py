"""What `_meta.json` of a play may hold; an agent can write there, so it is looked at before it is believed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lionstudio.errors import InvalidInput
from lionstudio.model.status.statuses import PlayStatus

_STATUSES = frozenset(map(str, PlayStatus))


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**31


def _counted(value: Any) -> bool:
    return _whole(value) and value >= 1


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _names(value: Any) -> bool:
    return isinstance(value, list) and all(map(_text, value))


_RULES: Mapping[str, Callable[[Any], bool]] = {
    "status": lambda value: _text(value) and value in _STATUSES,
    "attempt": _counted,
    "allowed": _counted,
    "part": _whole,
    "exit_code": _whole,
    **dict.fromkeys(("started_at", "ended_at", "merged_at", "parked_until"), _number),
    **dict.fromkeys(("worktree", "branch", "merge_sha", "effort", "playbook", "session_id", "resume"), _text),
    **dict.fromkeys(("depends_on", "blocked_by"), _names),
    "conflict": lambda value: isinstance(value, dict),
}


def check_meta(meta: dict[str, Any], what: str) -> dict[str, Any]:
    """The same, or a refusal that names the first value that we never write; names that we do not know may stay."""
    for name, rule in _RULES.items():
        value = meta.get(name)
        if value is not None and not rule(value):
            raise InvalidInput(f"{what} says {name}: {value!r:.60}, which cannot be", hint="put the file aside")
    return meta
