"""The batch job that gives messages their embeddings: only what is missing, a transaction a batch.

Killed anywhere it loses at most the batch under way; run again it goes on with what is still missing.
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
MOST_CHARS = 8_000  # of a message; what a model takes at once is 512 to 8,192 tokens
_LEAST_CHARS = 500  # a text this short that is refused is not refused for its length
_HOPELESS = 5  # refusals at the start after which it is not the texts
_CLEARED_AT_ONCE = 500


class Done(NamedTuple):
    """What a job did; `refused` are messages that the model would not take, with the last reason."""

    embedded: int = 0
    empty: int = 0
    refused: int = 0
    reason: str | None = None


def lock_path(db: str) -> str:
    """Held while a job runs: two at once would pay for everything twice."""
    return os.path.join(os.path.dirname(os.path.abspath(db)), "run", "embed.lock")


def embed_missing(
    database: Database,
    embedder: Embedder,
    *,
    limit: int | None = None,
    batch: int = BATCH,
    again: bool = False,
    watch: Watch = lambda done, total: None,
) -> Done:
    """Give every message with a text its embedding; `again` makes also those anew that have one."""
    with RunLock.take(lock_path(database.path)):
        _check_model(database, embedder, again)
        if again:
            _clear(database)
        return _Job(database, embedder, limit, batch, watch).run()


def _check_model(database: Database, embedder: Embedder, again: bool) -> None:
    """Refused before anything is asked and paid for."""
    made = database.read(find_model)
    if made is not None and made.model != embedder.model and not again:
        raise InvalidInput(
            f"the embeddings here are of {made.model}, not of {embedder.model}",
            hint="--again makes all of them anew; vectors of two models cannot be compared",
        )


def _clear(database: Database) -> None:
    after: int | None = 0
    while after is not None:
        after = database.write(partial(clear_embeddings, after=after, limit=_CLEARED_AT_ONCE))


class _Job:
    def __init__(self, database: Database, embedder: Embedder, limit: int | None, batch: int, watch: Watch) -> None:
        self._database, self._embedder, self._watch = database, embedder, watch
        self._batch, self._left = batch, limit
        self._done = Done()

    def run(self) -> Done:
        missing = self._database.read(count_missing)
        total = missing if self._left is None else min(missing, self._left)
        after = seen = 0
        while found := self._next(after):
            self._take(found)
            after, seen = found[-1].pk, seen + len(found)
            self._watch(min(seen, total), total)
        return self._done

    def _next(self, after: int) -> list[MissingEmbedding]:
        size = self._batch if self._left is None else min(self._batch, self._left - self._done.embedded)
        return self._database.read(lambda conn: list_missing(conn, after, size)) if size > 0 else []

    def _take(self, found: list[MissingEmbedding]) -> None:
        told = {each.pk: each.text.strip()[:MOST_CHARS] for each in found}
        texts = {pk: text for pk, text in told.items() if text}
        self._add(empty=len(told) - len(texts))
        vectors = self._vectors(texts) if texts else {}
        point("embed.made")
        if vectors:
            made = EmbeddingModel(self._embedder.model, len(next(iter(vectors.values()))))
            self._database.write(lambda conn: store_embeddings(conn, made, vectors))
            self._add(embedded=len(vectors))
        point("embed.stored")

    def _vectors(self, texts: dict[int, str]) -> dict[int, Vector]:
        """One request for all; when the texts are refused, each by itself, and shorter until it is taken."""
        try:
            made = self._embedder.embed(list(texts.values()))
        except TextRefused as refused:
            if len(texts) == 1:
                return self._shorter(*texts.popitem(), refused)
            alone = [self._vectors({pk: text}) for pk, text in texts.items()]
            return {pk: vector for one in alone for pk, vector in one.items()}
        usable = {pk: vector for pk, vector in zip(texts, made, strict=True) if _has_direction(vector)}
        if len(usable) < len(texts):
            self._refuse(len(texts) - len(usable), f"{self._embedder.model} gave a vector without a direction")
        return usable

    def _shorter(self, pk: int, text: str, refused: TextRefused) -> dict[int, Vector]:
        if len(text) > _LEAST_CHARS:
            return self._vectors({pk: text[: len(text) // 2]})
        self._refuse(1, refused.message)
        return {}

    def _refuse(self, count: int, reason: str) -> None:
        done = self._done
        self._done = done._replace(refused=done.refused + count, reason=reason)
        if not done.embedded and self._done.refused >= _HOPELESS:
            raise LionError(f"no text was taken: {reason}", hint="check embed_model; it must be one for embeddings")

    def _add(self, *, embedded: int = 0, empty: int = 0) -> None:
        done = self._done
        self._done = done._replace(embedded=done.embedded + embedded, empty=done.empty + empty)


def _has_direction(vector: Vector) -> bool:
    """Zeros, and numbers that do not fit, are near to nothing and would only be in the way."""
    try:
        return any(pack(vector))
    except InvalidInput:
        return False
