"""The codec of a play: `_meta.json` and `_verdict.json`, the row, and rows of other databases.

Values of files and other databases may be anything, so each column is parsed; a value that cannot be used is None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput
from lionstudio.model.coerce import to_bool, to_enum, to_int, to_text, to_timestamp
from lionstudio.model.json_codec import dump, visible
from lionstudio.model.shows.show import Play
from lionstudio.model.status.statuses import PlayStatus

Meta = dict[str, Any]


def _to_visible(value: object) -> str | None:
    text = to_text(value)
    return None if text is None else visible(text)


class _Column(NamedTuple):
    parse: Callable[[object], Any]
    types: tuple[type, ...]  # of its JSON value in the API


_TEXT = _Column(_to_visible, (str,))
_TIME = _Column(to_timestamp, (int, float, str))
_NUMBER = _Column(to_int, (int,))
# Keys of _meta.json that are columns of the row, besides status, attempt and depends_on; the row keeps all other keys
# in its metadata under `meta`.
_COLUMNS: Mapping[str, _Column] = {
    "worktree": _TEXT,
    "branch": _TEXT,
    "started_at": _TIME,
    "ended_at": _TIME,
    "exit_code": _NUMBER,
    "merged_at": _TIME,
    "merge_sha": _TEXT,
    "effort": _TEXT,
    "playbook": _TEXT,
}
COLUMNS = tuple(_COLUMNS)
_IN_ROW = frozenset({*COLUMNS, "status", "attempt", "depends_on"})
_META_TYPES = {"status": (str,), "attempt": (int,), **{name: column.types for name, column in _COLUMNS.items()}}
_VERDICT_TYPES = {"gate_passed": (bool,), "feedback": (str,)}
# null in the file clears these: a play that is redone has not ended yet
_NULLABLE = frozenset(COLUMNS) - {"playbook", "effort"}


def parse_columns(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: column.parse(values.get(name)) for name, column in _COLUMNS.items()}


def parse_gate(verdict: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the gate columns of a verdict, which any tool may have written; none without one."""
    if verdict is None:
        return {}
    feedback = verdict.get("feedback")
    text = dump(storable(feedback)) if isinstance(feedback, (list, dict)) else to_text(feedback)
    return {"gate_passed": to_bool(verdict.get("gate_passed")), "gate_feedback": text and visible(text)}


def gate_confinement(verdict: Mapping[str, Any] | None) -> list[str]:
    """Return whether the commands of a verdict were confined, each sentence once."""
    checks = (verdict or {}).get("checks")
    sentences = (
        [check.get("confinement") for check in checks if isinstance(check, dict)] if isinstance(checks, list) else []
    )
    return list(dict.fromkeys(text for text in sentences if isinstance(text, str)))


def play_from_meta(base: Play, meta: Mapping[str, Any], verdict: Mapping[str, Any] | None) -> Play:
    """Return `base` with what the files of a play say; what they leave open stays."""
    status = to_enum(PlayStatus, meta.get("status"))
    rest = {name: value for name, value in meta.items() if name not in _IN_ROW and value is not None}
    if status is None and meta.get("status") is not None:
        rest["status"] = meta["status"]
        status = PlayStatus.PENDING
    columns = {
        name: value
        for name, value in parse_columns(meta).items()
        if value is not None or (name in _NULLABLE and name in meta and meta[name] is None)
    }
    attempt, depends_on = to_int(meta.get("attempt")), parse_names(meta.get("depends_on"))
    return replace(
        base,
        status=status or base.status,
        attempt=base.attempt if attempt is None else attempt,
        depends_on=base.depends_on if depends_on is None else depends_on,
        metadata=with_key(base.metadata, "meta", storable(rest)),
        **columns,
        **parse_gate(verdict),
    )


def meta_from_play(play: Play) -> Meta:
    """Return `_meta.json` as the row remembers it."""
    meta = {**meta_columns(play), "depends_on": list(play.depends_on)}
    if play.session_id is not None:
        meta["session_id"] = play.session_id
    rest = play.metadata.get("meta")
    return {**meta, **(rest if isinstance(rest, dict) else {})}


def meta_columns(play: Play) -> Meta:
    """Return the keys of `_meta.json` that the API shows."""
    columns = {name: getattr(play, name) for name in COLUMNS}
    return {"status": str(play.status), "attempt": play.attempt, **columns}


def typed_meta(meta: Mapping[str, Any]) -> Meta:
    """Return the file with None for each known key whose value does not have the type of the API."""
    return _typed(meta, _META_TYPES)


def typed_verdict(verdict: Mapping[str, Any]) -> Meta:
    return _typed(verdict, _VERDICT_TYPES)


def _typed(values: Mapping[str, Any], types: Mapping[str, tuple[type, ...]]) -> Meta:
    return {name: value if name not in types or _is_a(value, types[name]) else None for name, value in values.items()}


def _is_a(value: Any, types: tuple[type, ...]) -> bool:
    return isinstance(value, types) and (bool in types or not isinstance(value, bool))


def parse_names(value: Any) -> tuple[str, ...] | None:
    """Return a list of names, or one name, as a tuple; None when it is neither."""
    if isinstance(value, str):
        return (value,) if value else ()
    if not isinstance(value, list):
        return None
    return tuple(str(name) for name in value if isinstance(name, (str, int, float)) and not isinstance(name, bool))


def storable(value: Any) -> Any:
    """Return the value, or a note where the database cannot store it."""
    try:
        dump(value)
    except InvalidInput as error:
        return {"left_in_file": error.message}
    return value


def with_key(metadata: Mapping[str, Any], key: str, value: Any) -> dict[str, Any]:
    """Return the metadata with one key replaced, or removed for an empty value."""
    rest = {name: item for name, item in metadata.items() if name != key}
    return {**rest, key: value} if value else rest
