"""The order of records: Claude Code may write an answer before its prompt, and a follower may read them apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lionstudio.agents.transcript import TranscriptMessage, drop_oldest
from lionstudio.model.coerce import Record

_MAX_HIDDEN = 50  # records without a message between a record and its parent
_MAX_RECENT = 16  # records of the batch before that are known as parents
_MAX_WAITING, _MAX_CHILDREN = 4, 20

Raw = bytes | bytearray
Entry = tuple[TranscriptMessage, Raw]  # a message and its line


class Move(NamedTuple):
    """Messages of an earlier batch, and the message of this one that they belong behind."""

    ids: list[str]
    after: str


class RecordOrder:
    """The parents of the records of a batch, and the records of earlier batches that wait for their parent."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        self._recent: list[str] = list(state.get("recent", ()))
        # the uuid of a parent -> the records that wait for it and their children -> their messages
        self._waiting: dict[str, dict[str, list[str]]] = {
            parent: dict(children) for parent, children in state.get("waiting", {}).items()
        }
        self._parents: dict[str, Any] = {}
        self._awaited: set[Any] = set()
        self._is_out_of_order = False
        self._moves: list[Move] = []

    def to_state(self) -> dict[str, Any]:
        return {"recent": self._recent, "waiting": self._waiting} if self._recent else {}

    def add(self, record: Record, messages: Sequence[TranscriptMessage], last: str | None) -> None:
        """Note a record and its messages; `last` is the last message of the batch so far."""
        uuid, parent = record.get("uuid"), record.get("parentUuid")
        if not isinstance(uuid, str):
            return
        ids = [entry.message.id for entry in messages]
        children = self._waiting.pop(uuid, {})
        is_known = not isinstance(parent, str) or parent in self._parents or parent in self._recent
        if uuid in self._awaited:
            self._is_out_of_order = True
        elif children and last and (ids or is_known):
            self._moves.append(Move([id_ for ids in children.values() for id_ in ids], last))
        if isinstance(parent, str) and not is_known and (ids or children):
            self._waiting[parent] = {**self._waiting.get(parent, {}), uuid: ids, **children}
        for group in self._waiting.values():
            if parent in group:
                group[uuid] = ids
        if parent not in self._parents:
            self._awaited.add(parent)
        self._parents[uuid] = parent

    def finish(self, entries: list[Entry]) -> tuple[list[Entry], list[Move]]:
        """The messages of the batch in their order, and the moves of earlier ones; begins the next batch."""
        ordered, moves = self._parents_first(entries), self._moves
        # a record with many children continues an earlier part of the conversation; its parent will not follow
        waiting = {parent: group for parent, group in self._waiting.items() if len(group) <= _MAX_CHILDREN}
        drop_oldest(waiting, _MAX_WAITING)
        self._recent = [*self._recent, *self._parents][-_MAX_RECENT:]
        self._waiting, self._parents, self._awaited = waiting, {}, set()
        self._is_out_of_order, self._moves = False, []
        return ordered, moves

    def _parents_first(self, entries: list[Entry]) -> list[Entry]:
        """The messages in their order, but none before its parent."""
        if not self._is_out_of_order:
            return entries
        uuids = [entry.message.metadata.get("uuid") for entry, _ in entries]
        positions = {uuid: number for number, uuid in enumerate(uuids)}
        waiting: dict[int, list[int]] = {}
        late: set[int] = set()
        for number, uuid in enumerate(uuids):
            parent = self._ancestor(uuid, positions)
            if parent > number or parent in late:
                waiting.setdefault(parent, []).append(number)
                late.add(number)
        order: list[int] = []
        for number in range(len(entries)):
            following = [] if number in late else [number]
            while following:
                order.append(following.pop(0))
                following = waiting.pop(order[-1], []) + following
        return [entries[number] for number in order]

    def _ancestor(self, uuid: Any, positions: Mapping[Any, int]) -> int:
        """The position of the nearest ancestor that has a message; -1 for none."""
        for _ in range(_MAX_HIDDEN):
            uuid = self._parents.get(uuid)
            if uuid is None or uuid in positions:
                break
        return -1 if uuid is None else positions.get(uuid, -1)
