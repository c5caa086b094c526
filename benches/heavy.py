"""The database of a heavy user: 21,500 sessions and 2.35 million messages, most short, some very long."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from benches.build import bulk, insert
from benches.corpus import Writer, message_id
from benches.populations import NOW, SPAN
from benches.populations import fill as fill_sessions
from lionstudio.state.connection import Connection

SESSIONS = 21_500
MESSAGES = 2_350_000

# Characters of a message: half of them under 400, one in a hundred over 15,000, about 1,300 on average.
_MEDIAN_SIZE, _SPREAD_OF_SIZES, _LARGEST = 380, 1.55, 200_000
# Messages of a session: half of them under 40, some tens of thousands.
_SPREAD_OF_LENGTHS = 1.45
_POOL = 12_000_000  # characters that all messages are cut from
_KINDS = (
    ("user", 2, '{"instruction":"'),
    ("assistant", 3, '{"assistant_response":"'),
    ("assistant", 4, '{"function":"shell","arguments":"'),
    ("tool", 5, '{"action_request_id":"x","output":"'),
)


def fill(conn: Connection, share: float = 1.0) -> None:
    """The whole database, or a share of it; not indexed for search yet."""
    dice = random.Random(7)
    lengths = _lengths(int(SESSIONS * share), int(MESSAGES * share), dice)
    fill_sessions(conn, len(lengths))
    print(f"    {sum(lengths):,} messages in {len(lengths):,} sessions …", flush=True)
    with bulk(conn):
        insert(conn, "messages", "id, created_at, content, role, lion_class, pk", _messages(lengths, dice))
        print("    their places …", flush=True)
        insert(conn, "progression_heads", "pk, id, created_at", _heads(len(lengths)))
        insert(conn, "progression_items", "prog, ord, message_id", _items(lengths))
        _join(conn, lengths)
        print("    indexes …", flush=True)


def _lengths(sessions: int, messages: int, dice: random.Random) -> list[int]:
    """The number of messages of each session."""
    drawn = [dice.lognormvariate(0, _SPREAD_OF_LENGTHS) for _ in range(sessions)]
    scale = messages / sum(drawn)
    return [max(2, round(length * scale)) for length in drawn]


def _messages(lengths: list[int], dice: random.Random) -> Iterator[tuple[Any, ...]]:
    pool = Writer(dice).text(_POOL // 6)
    pk = 0
    for number, length in enumerate(lengths):
        start = _start(number, len(lengths))
        for ord_ in range(length):
            pk += 1
            role, class_, opening = _KINDS[0 if ord_ == 0 else 1 + ord_ % 3]
            size = min(_LARGEST, int(dice.lognormvariate(0, _SPREAD_OF_SIZES) * _MEDIAN_SIZE) + 10)
            at = dice.randrange(len(pool) - size)
            yield message_id(pk), start + ord_, f'{opening}{pool[at : at + size]}"}}', role, class_, pk


def _start(number: int, sessions: int) -> float:
    return NOW - SPAN * (1 - (number + 0.5) / sessions)


def _heads(sessions: int) -> Iterator[tuple[Any, ...]]:
    for number in range(sessions):
        at = _start(number, sessions)
        yield 2 * number + 1, f"s{number + 1}", at
        yield 2 * number + 2, f"b{number + 1}", at


def _items(lengths: list[int]) -> Iterator[tuple[Any, ...]]:
    first = 1
    for number, length in enumerate(lengths):
        for prog in (2 * number + 1, 2 * number + 2):
            for ord_ in range(length):
                yield prog, ord_, message_id(first + ord_)
        first += length


_OWN = """
UPDATE sessions SET progression_id = 's' || pk, first_msg_id = :first, last_msg_id = :last, message_count = :n
 WHERE pk = :pk
"""
_BRANCHES = """
UPDATE branches SET progression_id = 'b' || (SELECT pk FROM sessions s WHERE s.id = branches.session_id)
"""


def _join(conn: Connection, lengths: list[int]) -> None:
    first = 1
    with conn.transaction():
        for number, length in enumerate(lengths):
            own = {"pk": number + 1, "n": length, "first": message_id(first), "last": message_id(first + length - 1)}
            conn.execute(_OWN, own)
            first += length
        conn.execute(_BRANCHES)
