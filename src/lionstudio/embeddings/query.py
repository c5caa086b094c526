"""Search queries with their embeddings, for the search by meaning."""

from __future__ import annotations

import os
from collections.abc import Mapping
from threading import Lock

from lionstudio.embeddings.job import MAX_CHARS
from lionstudio.embeddings.models import Embedder, check_model, open_embedder
from lionstudio.errors import LionError
from lionstudio.settings import Settings
from lionstudio.state.connection import Connection
from lionstudio.state.sqlite.vectors import VectorQuery, require_embeddings, require_extension


def find_obstacle(conn: Connection, settings: Settings) -> LionError | None:
    """Why the search by meaning cannot be used now; None where it can. The model itself is not asked."""
    try:
        check_model(settings)
        require_extension(conn)
        require_embeddings(conn)
    except LionError as error:
        return error
    return None


class QueryEmbedder:
    """Embeds queries with the configured model, which is opened on first use and may take seconds."""

    def __init__(self, settings: Settings, environ: Mapping[str, str] | None = None) -> None:
        self._settings = settings
        self._environ = os.environ if environ is None else environ
        self._embedder: Embedder | None = None
        self._lock = Lock()

    def embed_query(self, query: str) -> VectorQuery:
        """The query with its vector; blocks until the model responds."""
        with self._lock:
            if self._embedder is None:
                self._embedder = open_embedder(self._settings, self._environ, patient=False)
        [vector] = self._embedder.embed([query[:MAX_CHARS]])
        return VectorQuery(query, vector, self._embedder.model)
