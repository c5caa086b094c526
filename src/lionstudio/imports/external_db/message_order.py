"""The order of messages in another database: JSON arrays of ids, some of them damaged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lionstudio.imports.external_db.columns import as_text
from lionstudio.model.coerce import to_id, to_timestamp
from lionstudio.state.imports.external_db import ExternalDb
from lionstudio.state.imports.external_rows import message_times
from lionstudio.system.json_read import parse_json

_BATCH = 1000  # ids in one query


class MessageOrder(NamedTuple):
    """The ids of a progression; `unreadable` is its text when it is not a list."""

    ids: list[str]
    unreadable: str | None = None


def parse_order(collection: Any, unreadable: str | None) -> MessageOrder:
    """The ids in the column of a progression; `unreadable` is the text that an earlier import could not read."""
    value = as_text(collection) if isinstance(collection, bytes) else collection
    if value is None or value in ("", "null"):
        return MessageOrder([], unreadable)
    try:
        items = parse_json(value) if isinstance(value, str) else value
    except ValueError:
        items = None
    if not isinstance(items, list):
        return MessageOrder([], unreadable or str(value))
    return MessageOrder([id_ for item in items if (id_ := to_id(item)) is not None], unreadable)


def merge_orders(source: ExternalDb, own: Sequence[str], branches: Sequence[Sequence[str]]) -> list[str]:
    """The messages of a session: its own list, then those that only its branches list, by time."""
    order = list(dict.fromkeys(own))
    listed = set(order)
    missing = [[id_ for id_ in ids if id_ not in listed] for ids in branches]
    if sum(1 for ids in missing if ids) < 2:
        return list(dict.fromkeys([*order, *(id_ for ids in missing for id_ in ids)]))
    times = _times(source, list(dict.fromkeys(id_ for ids in missing for id_ in ids)))
    timed: list[tuple[float, str]] = []
    for ids in missing:
        at = 0.0
        for id_ in ids:  # within a branch its order holds, even against the timestamps
            at = max(at, times.get(id_, at))
            timed.append((at, id_))
    return list(dict.fromkeys([*order, *(id_ for _, id_ in sorted(timed, key=lambda entry: entry[0]))]))


def with_system_prompts(order: Sequence[str], branches: Sequence[tuple[str | None, Sequence[str]]]) -> list[str]:
    """The order with each system prompt before the first message of its branch."""
    listed, placed = set(order), list(order)
    for prompt, ids in branches:
        if prompt is None or prompt in listed:
            continue
        first = next((id_ for id_ in ids if id_ in listed and id_ != prompt), None)
        placed.insert(0 if first is None else placed.index(first), prompt)
        listed.add(prompt)
    return placed


def _times(source: ExternalDb, ids: Sequence[str]) -> dict[str, float]:
    times: dict[str, float] = {}
    for start in range(0, len(ids), _BATCH):
        batch = message_times(source, ids[start : start + _BATCH])
        times |= {id_: at for id_, value in batch.items() if (at := to_timestamp(value)) is not None}
    return times
