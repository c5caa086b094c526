"""Embeddings from an OpenAI-compatible endpoint: `POST {url}/embeddings`, by the standard library alone.

The key goes into one header of one request to the address that a person set: redirects are not followed, and no
sentence of ours holds it.
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from http.client import HTTPException
from typing import Any

from lionstudio.embeddings.models import TextRefused, Vector, checked
from lionstudio.errors import InvalidInput, LionError

# How often it is asked, and the seconds it may take.
_PATIENT = (5, 60.0)
_IMPATIENT = (1, 15.0)
_MOST_BYTES = 256_000_000  # of one answer: 2,000 vectors of 4,096 numbers as text
_LONGEST_PAUSE = 60.0
_TRY_AGAIN = (408, 409, 425, 429, 500, 502, 503, 504)
_TEXTS_ARE_BAD = (400, 413, 422)
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Endpoint:
    """One address and one model; busy or failing answers are waited out a few times."""

    def __init__(self, url: str, model: str, key: str | None, *, patient: bool = True) -> None:
        self.model = model
        self._url = _checked_url(url)
        self._key = key
        self._tries, self._timeout = _PATIENT if patient else _IMPATIENT
        self._open = _opener(self._url).open

    def embed(self, texts: list[str]) -> list[Vector]:
        """A vector for each text, in their order."""
        body = json.dumps({"model": self.model, "input": texts, "encoding_format": "float"}).encode()
        for attempt in range(1, self._tries + 1):
            try:
                return checked(self._vectors(self._ask(body)), texts, self.model)
            except _Later as later:
                if attempt == self._tries:
                    raise LionError(later.message, hint="try again later; what was made is kept") from None
                time.sleep(min(_LONGEST_PAUSE, later.seconds or 2.0**attempt / 2))
        raise AssertionError("the loop returns or raises")

    def _ask(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "lion-studio"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(f"{self._url}/embeddings", body, headers, method="POST")
        try:
            with self._open(request, timeout=self._timeout) as answer:
                return _bounded(answer, self._url)
        except urllib.error.HTTPError as error:
            with error:
                raise self._refusal(error) from None
        except (OSError, HTTPException) as error:
            why = getattr(error, "reason", None) or error
            raise _Later(f"{self._url} does not answer: {self._without_key(str(why))}") from None

    def _refusal(self, error: urllib.error.HTTPError) -> LionError:
        said = self._without_key(_sentence(error))
        message = f"{self._url} answered {error.code}: {said}"
        if error.code in _TRY_AGAIN:
            return _Later(message, _seconds(error.headers.get("Retry-After")))
        if error.code in _TEXTS_ARE_BAD:
            return TextRefused(message)
        if error.code in (401, 403):
            return LionError(message, hint="embed_key_variable names the environment variable that holds the key")
        return LionError(message, hint="check embed_url and embed_model; the address usually ends in /v1")

    def _without_key(self, text: str) -> str:
        """Some servers repeat what they were sent."""
        return text.replace(self._key, "[key]") if self._key else text

    def _vectors(self, answer: bytes) -> list[list[float]]:
        try:
            rows: list[Any] = json.loads(answer)["data"]
            ordered = sorted(rows, key=lambda row: int(row.get("index", 0)))
            return [[float(number) for number in row["embedding"]] for row in ordered]
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise LionError(
                f"{self._url} answered something that holds no embeddings", hint="is it OpenAI-compatible?"
            ) from None


class _Later(LionError):
    """It may work in a moment."""

    def __init__(self, message: str, seconds: float | None = None) -> None:
        super().__init__(message)
        self.seconds = seconds


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """None: the redirect itself is the answer; the key must not travel on."""


def _opener(url: str) -> urllib.request.OpenerDirector:
    # a proxy of the environment cannot reach this machine's own loopback
    here = urllib.parse.urlsplit(url).hostname in _LOOPBACK
    proxies = [urllib.request.ProxyHandler({})] if here else []
    return urllib.request.build_opener(_NoRedirect, *proxies)


def _checked_url(url: str) -> str:
    try:
        parts = urllib.parse.urlsplit(url.strip())
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable, parts = None, urllib.parse.urlsplit("")
    if not usable or parts.query or parts.fragment or not url.isascii() or any(char.isspace() for char in url.strip()):
        raise InvalidInput(
            f"embed_url is not an address: {_without_password(url)!r:.100}", hint="such as http://127.0.0.1:11434/v1"
        )
    if parts.username or parts.password:
        raise InvalidInput("embed_url holds a password", hint="name a variable that holds the key: embed_key_variable")
    return url.strip().rstrip("/").removesuffix("/embeddings")


def _without_password(url: str) -> str:
    return url.rpartition("@")[2]


def _bounded(answer: Any, url: str) -> bytes:
    data: bytes = answer.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise LionError(f"{url} answered more than {_MOST_BYTES:,} bytes", hint="use a smaller --batch")
    return data


def _sentence(error: urllib.error.HTTPError) -> str:
    """What the server says, in one short line."""
    try:
        text = error.read(10_000).decode("utf-8", "replace")
    except (OSError, HTTPException):
        return str(error.reason)
    try:
        found = json.loads(text)["error"]
        text = str(found["message"] if isinstance(found, dict) else found)
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    return " ".join(text.split())[:300] or str(error.reason)


def _seconds(header: str | None) -> float | None:
    """`Retry-After` in seconds; a date is not worth the trouble."""
    text = (header or "").strip()
    return float(text) if text.isascii() and text.isdigit() and len(text) < 6 else None
