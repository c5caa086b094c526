"""The batch job that computes missing embeddings of messages, one transaction per batch.

When killed it loses at most the current batch; the next run continues with the missing ones.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from lionstudio.crash import point
from lionstudio.embeddings.models import Embedder, TextRefused, Vector
from lionstudio.errors import InvalidInput, LionError
from lionstudio.model.messages import pack
from lionstudio.settings import local_folder
from lionstudio.state.database import Database
from lionstudio.state.embeddings import (
    EmbeddingModel,
    MissingEmbedding,
    clear_embeddings,
    count_missing,
    find_model,
    list_missing,
    store_embeddings,
)
from lionstudio.system.filelock import RunLock

Watch = Callable[[int, int], None]

BATCH = 64
MAX_CHARS = 8_000  # of a message; models accept 512 to 8,192 tokens
_MIN_CHARS = 500  # a shorter text is not refused for its length
_MAX_REFUSALS = 5  # at the start; after that the model is at fault, not the texts
_CLEAR_BATCH = 500


class EmbeddingResult(NamedTuple):
    """Counts of a job; `refused` are messages that the model rejected, `reason` is the last rejection."""

    embedded: int = 0
    empty: int = 0
    refused: int = 0
    reason: str | None = None


def lock_path(db: str) -> str:
    """The lock of a running job: two at once would pay for everything twice."""
    return os.path.join(local_folder(db), "run", "embed.lock")


def embed_missing(
    database: Database,
    embedder: Embedder,
    *,
    limit: int | None = None,
    batch: int = BATCH,
    again: bool = False,
    watch: Watch = lambda done, total: None,
) -> EmbeddingResult:
    """Compute the embedding of every message with text that has none; `again` recomputes existing ones."""
    with RunLock.take(lock_path(database.path)):
        _check_model(database, embedder, again)
        if again:
            _clear(database)
        return _Job(database, embedder, limit, batch, watch).run()


def _check_model(database: Database, embedder: Embedder, again: bool) -> None:
    """Refuse another model before anything is requested and paid for."""
    stored = database.read(find_model)
    if stored is not None and stored.model != embedder.model and not again:
        raise InvalidInput(
            f"the stored embeddings are of {stored.model}, not of {embedder.model}",
            hint="--again recomputes all of them; vectors of two models cannot be compared",
        )


def _clear(database: Database) -> None:
    after: int | None = 0
    while after is not None:
        after = database.write(partial(clear_embeddings, after=after, limit=_CLEAR_BATCH))


class _Job:
    def __init__(self, database: Database, embedder: Embedder, limit: int | None, batch: int, watch: Watch) -> None:
        self._database, self._embedder, self._watch = database, embedder, watch
        self._batch, self._limit = batch, limit
        self._result = EmbeddingResult()

    def run(self) -> EmbeddingResult:
        missing = self._database.read(count_missing)
        total = missing if self._limit is None else min(missing, self._limit)
        after = seen = 0
        while messages := self._next(after):
            self._embed(messages)
            after, seen = messages[-1].pk, seen + len(messages)
            self._watch(min(seen, total), total)
        return self._result

    def _next(self, after: int) -> list[MissingEmbedding]:
        size = self._batch if self._limit is None else min(self._batch, self._limit - self._result.embedded)
        return self._database.read(lambda conn: list_missing(conn, after, size)) if size > 0 else []

    def _embed(self, messages: list[MissingEmbedding]) -> None:
        texts = {message.pk: text for message in messages if (text := message.text.strip()[:MAX_CHARS])}
        self._add(empty=len(messages) - len(texts))
        vectors = self._vectors(texts) if texts else {}
        point("embed.made")
        if vectors:
            model = EmbeddingModel(self._embedder.model, len(next(iter(vectors.values()))))
            self._database.write(lambda conn: store_embeddings(conn, model, vectors))
            self._add(embedded=len(vectors))
        point("embed.stored")

    def _vectors(self, texts: dict[int, str]) -> dict[int, Vector]:
        """One request for all texts; if they are refused, one for each, shortened until it is accepted."""
        try:
            vectors = self._embedder.embed(list(texts.values()))
        except TextRefused as error:
            if len(texts) == 1:
                return self._shorten(*texts.popitem(), error)
            single = [self._vectors({pk: text}) for pk, text in texts.items()]
            return {pk: vector for result in single for pk, vector in result.items()}
        usable = {pk: vector for pk, vector in zip(texts, vectors, strict=True) if _has_direction(vector)}
        if len(usable) < len(texts):
            self._refuse(len(texts) - len(usable), f"{self._embedder.model} returned a zero or invalid vector")
        return usable

    def _shorten(self, pk: int, text: str, error: TextRefused) -> dict[int, Vector]:
        if len(text) > _MIN_CHARS:
            return self._vectors({pk: text[: len(text) // 2]})
        self._refuse(1, error.message)
        return {}

    def _refuse(self, count: int, reason: str) -> None:
        result = self._result
        self._result = result._replace(refused=result.refused + count, reason=reason)
        if not result.embedded and self._result.refused >= _MAX_REFUSALS:
            raise LionError(f"the model refused every text: {reason}", hint="set embed_model to an embedding model")

    def _add(self, *, embedded: int = 0, empty: int = 0) -> None:
        result = self._result
        self._result = result._replace(embedded=result.embedded + embedded, empty=result.empty + empty)


def _has_direction(vector: Vector) -> bool:
    """False for zeros and for numbers beyond float32, which are similar to nothing."""
    try:
        return any(pack(vector))
    except InvalidInput:
        return False
