"""Text with the word frequencies of natural language: few words are common, most are rare."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

from benches.build import bulk, insert
from benches.populations import NOW, PROJECTS, session_id, zipf
from lionstudio.state.connection import Connection

VOCABULARY = 50_000
WORDS_PER_MESSAGE = 75  # about 450 characters
_SYLLABLES = (
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "ha",
    "je",
    "ki",
    "lo",
    "mu",
    "na",
    "pe",
    "qui",
    "ro",
    "su",
    "ta",
    "ve",
    "wi",
)


def word(rank: int) -> str:
    """The word of a rank, 1 is the most frequent; short ones come first, as in a language."""
    letters = ""
    number = rank
    while number:
        number, rest = divmod(number, len(_SYLLABLES))
        letters += _SYLLABLES[rest]
    return letters


class Writer:
    """Draws texts from the vocabulary by Zipf's law."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        self._words = [word(rank) for rank in range(1, VOCABULARY + 1)]
        self._weights = list(itertools.accumulate(zipf(VOCABULARY)))

    def text(self, words: int = WORDS_PER_MESSAGE) -> str:
        """One message."""
        return " ".join(self._dice.choices(self._words, cum_weights=self._weights, k=words))


_ROLES = (("user", 2, "instruction"), ("assistant", 3, "assistant_response"))


def message_rows(first: int, count: int, per_second: float, writer: Writer) -> Iterator[tuple[Any, ...]]:
    """Messages with pk = first, first + 1, …, in the order of their time."""
    for pk in range(first, first + count):
        role, class_, key = _ROLES[pk % 2]
        at = NOW - 86400 + pk / per_second
        content = f'{{"{key}":"{writer.text()}"}}'
        yield message_id(pk), at, content, role, class_, pk


def message_id(pk: int) -> str:
    """The id of the message with that key."""
    return f"{0x19800000 + pk // 4096:08x}-{pk % 4096:04x}-7000-8000-{pk:012x}"


MESSAGE_COLUMNS = "id, created_at, content, role, lion_class, pk"


def fill(conn: Connection, count: int, per_session: int) -> None:
    """Messages in sessions of equal length, one after the other; not indexed yet."""
    dice = random.Random(count)
    sessions = count // per_session
    projects = dice.choices(PROJECTS, zipf(len(PROJECTS)), k=sessions)
    with bulk(conn):
        insert(conn, "messages", MESSAGE_COLUMNS, message_rows(1, count, 20, Writer(dice)))
        insert(conn, "progression_heads", "pk, id, created_at", _heads(sessions))
        insert(conn, "progression_items", "prog, ord, message_id", _items(sessions, per_session))
        insert(conn, "sessions", _SESSION, _sessions(projects, per_session))
        insert(conn, "branches", "id, created_at, name, session_id, progression_id", _branches(sessions))


_SESSION = (
    "id, created_at, name, project, progression_id, first_msg_id, last_msg_id, updated_at, status, "
    "invocation_kind, message_count"
)


def numbered(number: int) -> str:
    """The id of the session with that number."""
    return session_id(number, NOW - 86400 + number)


def _heads(sessions: int) -> Iterator[tuple[Any, ...]]:
    """Each session has two progressions: its own, and that of its only branch."""
    for number in range(sessions):
        yield 2 * number + 1, f"s{number}", NOW
        yield 2 * number + 2, f"b{number}", NOW


def _items(sessions: int, per_session: int) -> Iterator[tuple[Any, ...]]:
    for number in range(sessions):
        for prog in (2 * number + 1, 2 * number + 2):
            for ord_ in range(per_session):
                yield prog, ord_, message_id(number * per_session + ord_ + 1)


def _sessions(projects: list[str], per_session: int) -> Iterator[tuple[Any, ...]]:
    for number, project in enumerate(projects):
        first = number * per_session + 1
        at = NOW - 86400 + number
        yield (
            numbered(number),
            at,
            f"session {number}",
            project,
            f"s{number}",
            message_id(first),
            message_id(first + per_session - 1),
            at + 60,
            "completed",
            "agent",
            per_session,
        )


def _branches(sessions: int) -> Iterator[tuple[Any, ...]]:
    for number in range(sessions):
        yield f"{numbered(number)}-b", NOW, "main", numbered(number), f"b{number}"
