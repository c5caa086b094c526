"""Nearest messages by embedding. SQLite only: the vectors are ADR-0009's packed float32 BLOBs.

`sqlite-vec` computes the distances inside the query when it is installed (extra `semantic`); nothing
else of the product needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import apsw

from lionstudio.errors import InvalidInput, NotFound
from lionstudio.model.messages import pack
from lionstudio.state.connection import Connection


class Neighbour(NamedTuple):
    """A message and how far its embedding is (cosine distance, 0 is the same direction)."""

    message_id: str
    distance: float


_SET = "UPDATE messages SET embedding = :vector WHERE id = :id RETURNING id"


def set_embedding(conn: Connection, message_id: str, vector: Sequence[float]) -> None:
    """Store the embedding of a message."""
    if not vector:
        raise InvalidInput("an embedding needs at least one number")
    if conn.one(_SET, {"id": message_id, "vector": pack(vector)}) is None:
        raise NotFound(f"there is no message {message_id}")


def load_extension(conn: Connection) -> bool:
    """Make sqlite-vec's functions known to a connection; False when it is not installed."""
    try:
        import sqlite_vec
    except ImportError:
        return False
    conn.raw.enable_load_extension(True)
    try:
        conn.raw.load_extension(sqlite_vec.loadable_path())
    except apsw.ExtensionLoadingError:
        return False
    finally:
        conn.raw.enable_load_extension(False)
    return True


_NEAREST = """
SELECT id, vec_distance_cosine(embedding, :vector) AS distance FROM messages
 WHERE embedding IS NOT NULL AND length(embedding) = :bytes ORDER BY distance LIMIT :limit
"""


def nearest(conn: Connection, vector: Sequence[float], *, limit: int = 10) -> list[Neighbour]:
    """The messages whose embeddings point the most nearly the same way; vectors of another length are left out."""
    if not load_extension(conn):
        raise InvalidInput(
            "searching by meaning needs sqlite-vec", hint="install it: pip install 'lion-studio[semantic]'"
        )
    blob = pack(vector)
    return [
        Neighbour(*row)
        for row in conn.all(_NEAREST, {"vector": blob, "bytes": len(blob), "limit": limit})
        if row[1] is not None
    ]
