"""The embeddings of messages: which lack one, storing them, and which model made those that are there.

Vectors of two models cannot be compared, so a store holds those of one. SQLite only: the vectors are ADR-0009's
packed float32 BLOBs.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput, NotFound
from lionstudio.model.json_codec import load_or_keep
from lionstudio.model.message_text import text_of
from lionstudio.model.messages import pack
from lionstudio.state.connection import Connection


class EmbeddingModel(NamedTuple):
    """What made the embeddings of a store."""

    model: str
    dimensions: int


class MissingEmbedding(NamedTuple):
    """A message without an embedding, with its text."""

    pk: int
    text: str


_SET = "UPDATE messages SET embedding = :vector WHERE id = :id RETURNING id"


def set_embedding(conn: Connection, message_id: str, vector: Sequence[float]) -> None:
    """Store the embedding of a message."""
    if not vector:
        raise InvalidInput("an embedding needs at least one number")
    if conn.one(_SET, {"id": message_id, "vector": pack(vector)}) is None:
        raise NotFound(f"there is no message {message_id}")


# One that has no text will never have one; the header of the row tells, its content is not read for that.
_LACKING = "SELECT count(*) FROM messages WHERE embedding IS NULL AND pk > :after"
_EMBEDDED = "SELECT count(*) FROM messages WHERE embedding IS NOT NULL"


def count_lacking(conn: Connection, after: int = 0) -> int:
    """How many messages have no embedding; among them are those without any text."""
    return int(conn.value(_LACKING, {"after": after}))


def count_embedded(conn: Connection) -> int:
    """How many messages have one."""
    return int(conn.value(_EMBEDDED))


_NEXT = "SELECT pk, content FROM messages WHERE embedding IS NULL AND pk > :after ORDER BY pk LIMIT :limit"


def list_lacking(conn: Connection, after: int, limit: int) -> list[MissingEmbedding]:
    """The next messages without an embedding, the oldest first; a text may be empty."""
    rows = conn.all(_NEXT, {"after": after, "limit": limit})
    return [MissingEmbedding(pk, _text(content)) for pk, content in rows]


def _text(content: Any) -> str:
    return text_of(load_or_keep(content)).encode("utf-8", "replace").decode()


_FILL = "UPDATE messages SET embedding = :vector WHERE pk = :pk AND embedding IS NULL"


def store_embeddings(conn: Connection, made: EmbeddingModel, vectors: Mapping[int, Sequence[float]]) -> None:
    """Store what a model made for messages; one that was pruned meanwhile is left out."""
    present = find_made(conn)
    if present is not None and present != made:
        raise InvalidInput(
            f"the embeddings here are of {present.model} ({present.dimensions} numbers each), "
            f"not of {made.model} ({made.dimensions})",
            hint="`li state embed --again` makes all of them anew",
        )
    if present is None:
        _remember(conn, made)
    for pk, vector in vectors.items():
        conn.execute(_FILL, {"pk": pk, "vector": pack(vector)})


_MADE = "SELECT model, dimensions FROM embedding_model"
_REMEMBER = "INSERT INTO embedding_model (model, dimensions, created_at) VALUES (:model, :dimensions, :at)"


def find_made(conn: Connection) -> EmbeddingModel | None:
    """The model whose embeddings the store holds, None before the first."""
    row = conn.one(_MADE)
    return None if row is None else EmbeddingModel(*row)


def _remember(conn: Connection, made: EmbeddingModel) -> None:
    conn.execute(_REMEMBER, {"model": made.model, "dimensions": made.dimensions, "at": time.time()})


_CLEAR = """
UPDATE messages SET embedding = NULL
 WHERE pk IN (SELECT pk FROM messages WHERE embedding IS NOT NULL AND pk > :after ORDER BY pk LIMIT :limit)
RETURNING pk
"""
_FORGET = "DELETE FROM embedding_model"


def clear_embeddings(conn: Connection, after: int, limit: int) -> int | None:
    """Remove the next embeddings; the last message looked at, None when there were none: then the model is forgotten.

    Cut short, the store still says which model made the rest.
    """
    cleared = [int(pk) for (pk,) in conn.all(_CLEAR, {"after": after, "limit": limit})]
    if cleared:
        return max(cleared)
    conn.execute(_FORGET)
    return None
