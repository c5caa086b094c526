"""Embedding models: an OpenAI-compatible endpoint, or a Python package on this machine.

No request is made unless the user configured it. Packages are slow to load and loaded only when used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

from lionstudio.errors import InvalidInput, LionError
from lionstudio.settings import Settings

Vector = Sequence[float]


class TextRefused(LionError):
    """The model refused these texts, for example as too long; it may accept others."""


class Embedder(Protocol):
    """Computes vectors; `model` is stored with them, because vectors of two models cannot be compared."""

    model: str

    def embed(self, texts: list[str]) -> list[Vector]:
        """A vector for each text in order; raises TextRefused for these texts, LionError when the model fails."""


def check_model(settings: Settings) -> str:
    """The embedding model of the settings; raises InvalidInput when none is set."""
    if settings.embed_model is None:
        raise InvalidInput(
            "embed_model is not set",
            hint="set embed_model and embed_url (an OpenAI-compatible address), or embed_model = 'model2vec:NAME'; "
            "see docs/how-to/search.md",
        )
    return settings.embed_model


def open_embedder(settings: Settings, environ: Mapping[str, str], *, patient: bool = True) -> Embedder:
    """The embedder of the settings; `patient` retries a busy endpoint (a search does not wait)."""
    model = check_model(settings)
    package, colon, name = model.partition(":")
    if colon and package in PACKAGES and settings.embed_url is None:
        return LocalEmbedder(package, name)
    if settings.embed_url is None:
        raise InvalidInput(
            f"embed_url is not set, and {model} is not a local model",
            hint=f"set embed_url, or name a package: {', '.join(f'{package}:NAME' for package in PACKAGES)}",
        )
    from lionstudio.embeddings.http_model import HttpEmbedder

    return HttpEmbedder(settings.embed_url, model, _key(settings.embed_key_variable, environ), patient=patient)


def _key(variable: str | None, environ: Mapping[str, str]) -> str | None:
    """The key comes from the environment only; a file or an option would expose it."""
    if variable is None:
        return None
    key = environ.get(variable, "").strip()
    if not key:
        raise InvalidInput(f"embed_key_variable is {variable}, which is not set", hint=f"export {variable}=…")
    if not key.isascii() or not key.isprintable():
        raise InvalidInput(f"the value of {variable} is not a key", hint="remove spaces and characters outside ASCII")
    return key


# Functions that open a model by name or folder; all return one row of numbers for each text.
PACKAGES: Mapping[str, Callable[[Any, str], Callable[[list[str]], Any]]] = {
    "model2vec": lambda module, name: module.StaticModel.from_pretrained(name).encode,
    "fastembed": lambda module, name: module.TextEmbedding(model_name=name).embed,
    "sentence_transformers": lambda module, name: module.SentenceTransformer(name).encode,
}


class LocalEmbedder:
    """A model of a Python package on this machine."""

    def __init__(self, package: str, name: str) -> None:
        self.model = f"{package}:{name}"
        if not name:
            raise InvalidInput(f"{package} needs the name of a model", hint=f"set embed_model = '{package}:NAME'")
        try:
            module = import_module(package)
        except ImportError as error:
            raise InvalidInput(
                f"the package {package} cannot be loaded ({error})",
                hint=f"install it: pip install {package.replace('_', '-')}",
            ) from None
        try:
            self._encode = PACKAGES[package](module, name)
        except Exception as error:  # packages raise anything for a name they cannot open
            raise InvalidInput(
                f"{package} cannot open the model {name}: {error}", hint="use the name of a model, or its folder"
            ) from error

    def embed(self, texts: list[str]) -> list[Vector]:
        try:
            rows = list(self._encode(texts))
        except Exception as error:  # as above
            raise TextRefused(f"{self.model} failed: {error}") from error
        return check_vectors([_numbers(row) for row in rows], texts, self.model)


def _numbers(row: Any) -> list[float]:
    """A row of any array type as a list of floats."""
    return [float(number) for number in (row.tolist() if hasattr(row, "tolist") else row)]


def check_vectors(vectors: list[list[float]], texts: list[str], model: str) -> list[Vector]:
    """Require one vector for each text, all of the same length."""
    lengths = {len(vector) for vector in vectors}
    if len(vectors) != len(texts) or len(lengths) > 1 or 0 in lengths:
        raise LionError(
            f"{model} returned {len(vectors)} vectors of {sorted(lengths)} numbers for {len(texts)} texts",
            hint="check that it is an embedding model",
        )
    return list(vectors)
