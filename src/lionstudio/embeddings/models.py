"""What turns texts into vectors: an OpenAI-compatible endpoint, or a model package on this machine.

Nothing is asked unless a person configured it. Packages are loaded only when one is used; they are slow to load.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

from lionstudio.errors import InvalidInput, LionError
from lionstudio.settings import Settings

Vector = Sequence[float]


class TextRefused(LionError):
    """The texts were refused, others may be taken: too long, or nothing a model can make sense of."""


class Embedder(Protocol):
    """Makes vectors; `model` names what makes them, because those of two models cannot be compared."""

    model: str

    def embed(self, texts: list[str]) -> list[Vector]:
        """A vector for each text; Refused when these texts cannot have one, LionError when nothing works."""


def open_embedder(settings: Settings, environ: Mapping[str, str], *, patient: bool = True) -> Embedder:
    """The embedder that the settings name; refused with what to set when they name none.

    A patient one waits out an endpoint that is busy; somebody who asks a question is told at once.
    """
    model = settings.embed_model
    if model is None:
        raise InvalidInput(
            "no model for embeddings is set",
            hint="set embed_model and embed_url (an OpenAI-compatible address), or embed_model = 'model2vec:NAME'; "
            "docs/search.md shows both",
        )
    package, colon, name = model.partition(":")
    if colon and package in PACKAGES and settings.embed_url is None:
        return LocalModel(package, name)
    if settings.embed_url is None:
        raise InvalidInput(
            f"where the model {model} runs is not set",
            hint=f"set embed_url, or name a package: {', '.join(f'{one}:NAME' for one in PACKAGES)}",
        )
    from lionstudio.embeddings.http_model import Endpoint

    return Endpoint(settings.embed_url, model, _key(settings.embed_key_variable, environ), patient=patient)


def _key(variable: str | None, environ: Mapping[str, str]) -> str | None:
    """The key is only ever in the environment; a file or a flag would show it to others."""
    if variable is None:
        return None
    key = environ.get(variable, "").strip()
    if not key:
        raise InvalidInput(f"{variable} is empty, and embed_key_variable says that it holds the key", hint="export it")
    if not key.isascii() or not key.isprintable():
        raise InvalidInput(f"what {variable} holds is not a key", hint="it has characters that no key has")
    return key


def _open_model2vec(module: Any, name: str) -> Callable[[list[str]], Any]:
    encode: Callable[[list[str]], Any] = module.StaticModel.from_pretrained(name).encode
    return encode


def _open_fastembed(module: Any, name: str) -> Callable[[list[str]], Any]:
    embed: Callable[[list[str]], Any] = module.TextEmbedding(model_name=name).embed
    return embed


def _open_sentence_transformers(module: Any, name: str) -> Callable[[list[str]], Any]:
    encode: Callable[[list[str]], Any] = module.SentenceTransformer(name).encode
    return encode


# How each package opens a model by name or folder; all of them give one row of numbers for a text.
PACKAGES: Mapping[str, Callable[[Any, str], Callable[[list[str]], Any]]] = {
    "model2vec": _open_model2vec,
    "fastembed": _open_fastembed,
    "sentence_transformers": _open_sentence_transformers,
}


class LocalModel:
    """A model of a package, on this machine."""

    def __init__(self, package: str, name: str) -> None:
        self.model = f"{package}:{name}"
        if not name:
            raise InvalidInput(f"{package} needs the name of a model", hint=f"write embed_model = '{package}:NAME'")
        try:
            module = import_module(package)
        except ImportError as error:
            raise InvalidInput(
                f"the package {package} cannot be loaded ({error})",
                hint=f"install it: pip install {package.replace('_', '-')}",
            ) from None
        try:
            self._encode = PACKAGES[package](module, name)
        except Exception as error:  # whatever somebody else's package raises for a name it cannot open
            raise InvalidInput(
                f"{package} cannot open the model {name}: {error}", hint="give a model's name, or its folder"
            ) from error

    def embed(self, texts: list[str]) -> list[Vector]:
        """A vector for each text."""
        try:
            rows = list(self._encode(texts))
        except Exception as error:  # as above
            raise TextRefused(f"{self.model} failed: {error}") from error
        return checked([_numbers(row) for row in rows], texts, self.model)


def _numbers(row: Any) -> list[float]:
    """A row as plain numbers, whatever array type the package has."""
    return [float(number) for number in (row.tolist() if hasattr(row, "tolist") else row)]


def checked(vectors: list[list[float]], texts: list[str], model: str) -> list[Vector]:
    """The vectors, when there is one for each text and all are of one length."""
    lengths = {len(vector) for vector in vectors}
    if len(vectors) != len(texts) or len(lengths) > 1 or 0 in lengths:
        raise LionError(
            f"{model} gave {len(vectors)} vectors of {sorted(lengths)} numbers for {len(texts)} texts",
            hint="is it a model for embeddings?",
        )
    return list(vectors)
