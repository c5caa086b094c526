"""A question as the search by meaning takes it: its words, and the vector that the configured model makes of them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from threading import Lock

from lionstudio.embeddings.job import MOST_CHARS
from lionstudio.embeddings.models import Embedder, open_embedder
from lionstudio.settings import Settings
from lionstudio.state.sqlite.vectors import VectorQuery


class QueryEmbedder:
    """Makes vectors of questions by the model that the settings name; it is opened once, which may take seconds."""

    def __init__(self, settings: Settings, environ: Mapping[str, str] | None = None) -> None:
        self._settings = settings
        self._environ = os.environ if environ is None else environ
        self._embedder: Embedder | None = None
        self._lock = Lock()

    def embed_query(self, query: str) -> VectorQuery:
        """The question as words and as a vector; it may take as long as the model's answer takes."""
        with self._lock:
            if self._embedder is None:
                self._embedder = open_embedder(self._settings, self._environ, patient=False)
        [vector] = self._embedder.embed([query[:MOST_CHARS]])
        return VectorQuery(query, vector, self._embedder.model)
