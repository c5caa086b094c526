"""The order of messages as another database keeps it: JSON arrays of ids, some of them damaged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lionstudio.imports.external_db.columns import as_text
from lionstudio.model.coerce import to_id, to_timestamp
from lionstudio.state.imports.external_db import ExternalDb
from lionstudio.state.imports.external_rows import message_times
from lionstudio.system.json_read import parse_json

_ASK = 1000  # ids at once


class MessageOrder(NamedTuple):
    """The ids of a progression; `unreadable` is its text when that is no list."""

    ids: list[str]
    unreadable: str | None = None


def order_in(collection: Any, noted: str | None) -> MessageOrder:
    """The ids in a collection; what is no list is kept as it was."""
    given = as_text(collection) if isinstance(collection, bytes) else collection
    if given is None or given in ("", "null"):
        return MessageOrder([], noted)
    try:
        found = parse_json(given) if isinstance(given, str) else given
    except ValueError:
        found = None
    if not isinstance(found, list):
        return MessageOrder([], noted or str(given))
    return MessageOrder([id_ for item in found if (id_ := to_id(item)) is not None], noted)


def whole_order(source: ExternalDb, own: Sequence[str], branches: Sequence[Sequence[str]]) -> list[str]:
    """A session's messages: its own list, then what only its branches know, by time."""
    order = list(dict.fromkeys(own))
    listed = set(order)
    missing = [[id_ for id_ in ids if id_ not in listed] for ids in branches]
    if sum(1 for ids in missing if ids) < 2:
        return list(dict.fromkeys([*order, *(id_ for ids in missing for id_ in ids)]))
    times = _times(source, list(dict.fromkeys(id_ for ids in missing for id_ in ids)))
    placed: list[tuple[float, str]] = []
    for ids in missing:
        at = 0.0
        for id_ in ids:  # within a branch its own order holds, whatever the clocks say
            at = max(at, times.get(id_, at))
            placed.append((at, id_))
    return list(dict.fromkeys([*order, *(id_ for _, id_ in sorted(placed, key=lambda place: place[0]))]))


def _times(source: ExternalDb, ids: Sequence[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for start in range(0, len(ids), _ASK):
        asked = message_times(source, ids[start : start + _ASK])
        found |= {id_: at for id_, given in asked.items() if (at := to_timestamp(given)) is not None}
    return found
