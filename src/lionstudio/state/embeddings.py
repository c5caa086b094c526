"""Embeddings of messages: which are missing, storing them, and the model that made them.

Vectors of two models cannot be compared, so a database holds those of one. They are ADR-0009's packed float32 BLOBs.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from lionstudio.errors import InvalidInput
from lionstudio.model.json_codec import dump
from lionstudio.model.messages import pack
from lionstudio.state.connection import Connection
from lionstudio.state.feed.changes import record_change
from lionstudio.state.messages.rows import readable_text


class EmbeddingModel(NamedTuple):
    model: str
    dimensions: int


class MissingEmbedding(NamedTuple):
    pk: int
    text: str


# Includes messages without text: to leave them out, their content would have to be read.
_MISSING = "SELECT count(*) FROM messages WHERE embedding IS NULL AND pk > :after"
_EMBEDDED = "SELECT count(*) FROM messages WHERE embedding IS NOT NULL"


def count_missing(conn: Connection, after: int = 0) -> int:
    """The number of messages without an embedding, those without text included."""
    return int(conn.value(_MISSING, {"after": after}))


def count_embedded(conn: Connection) -> int:
    return int(conn.value(_EMBEDDED))


_NEXT = "SELECT pk, content FROM messages WHERE embedding IS NULL AND pk > :after ORDER BY pk LIMIT :limit"


def list_missing(conn: Connection, after: int, limit: int) -> list[MissingEmbedding]:
    """The next messages without an embedding, oldest first; a text may be empty."""
    rows = conn.all(_NEXT, {"after": after, "limit": limit})
    return [MissingEmbedding(pk, readable_text(content)) for pk, content in rows]


_SESSIONS_OF = """
SELECT s.id FROM json_each(:pks) j JOIN messages m ON m.pk = CAST(j.value AS INTEGER)
  JOIN progression_items i ON i.message_id = m.id JOIN progression_heads h ON h.pk = i.prog
  JOIN sessions s ON s.progression_id = h.id
UNION
SELECT s.id FROM json_each(:pks) j JOIN messages m ON m.pk = CAST(j.value AS INTEGER)
  JOIN progression_items i ON i.message_id = m.id JOIN progression_heads h ON h.pk = i.prog
  JOIN mailboxes b ON b.progression_id = h.id JOIN sessions s ON s.id = b.owner
"""
_FILL = "UPDATE messages SET embedding = :vector WHERE pk = :pk AND embedding IS NULL"


def store_embeddings(conn: Connection, model: EmbeddingModel, vectors: Mapping[int, Sequence[float]]) -> None:
    """Store the vectors of a model; messages that were pruned meanwhile are skipped."""
    current = find_model(conn)
    if current is not None and current != model:
        raise InvalidInput(
            f"the stored embeddings are from {current.model} ({current.dimensions} dimensions), "
            f"not from {model.model} ({model.dimensions})",
            hint="li state embed --again",
        )
    if current is None:
        values = {"model": model.model, "dimensions": model.dimensions, "at": time.time()}
        conn.execute(_SET_MODEL, values)
    for pk, vector in vectors.items():
        conn.execute(_FILL, {"pk": pk, "vector": pack(vector)})
    for (session_id,) in conn.all(_SESSIONS_OF, {"pks": dump(list(vectors))}):
        record_change(conn, "embedded", "session", session_id)


_MODEL = "SELECT model, dimensions FROM embedding_model"
_SET_MODEL = "INSERT INTO embedding_model (model, dimensions, created_at) VALUES (:model, :dimensions, :at)"


def find_model(conn: Connection) -> EmbeddingModel | None:
    """The model of the stored embeddings, None before the first."""
    row = conn.one(_MODEL)
    return None if row is None else EmbeddingModel(*row)


_CLEAR = """
UPDATE messages SET embedding = NULL
 WHERE pk IN (SELECT pk FROM messages WHERE embedding IS NOT NULL AND pk > :after ORDER BY pk LIMIT :limit)
RETURNING pk
"""
_REMOVE_MODEL = "DELETE FROM embedding_model"


def clear_embeddings(conn: Connection, after: int, limit: int) -> int | None:
    """Remove the next embeddings; returns the last pk, None when there were none: then the model is removed too.

    When interrupted, the database still names the model of the rest.
    """
    cleared = [int(pk) for (pk,) in conn.all(_CLEAR, {"after": after, "limit": limit})]
    if cleared:
        return max(cleared)
    conn.execute(_REMOVE_MODEL)
    return None
