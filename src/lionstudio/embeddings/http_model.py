"""Embeddings from an OpenAI-compatible endpoint: `POST {url}/embeddings`, with the standard library.

The key is sent only in a header, only to the configured address: redirects are not followed, and no message of ours
contains it.
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from http.client import HTTPException
from typing import Any

from lionstudio.embeddings.models import TextRefused, Vector, check_vectors
from lionstudio.errors import InvalidInput, LionError

# attempts, and the timeout of each in seconds
_PATIENT = (5, 60.0)
_IMPATIENT = (1, 15.0)
_MAX_BYTES = 256_000_000  # of one response: 2,000 vectors of 4,096 numbers as text
_MAX_PAUSE = 60.0
_RETRY_STATUSES = (408, 409, 425, 429, 500, 502, 503, 504)
_REFUSED_STATUSES = (400, 413, 422)
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class HttpEmbedder:
    """One endpoint and model; busy or failing responses are retried a few times."""

    def __init__(self, url: str, model: str, key: str | None, *, patient: bool = True) -> None:
        self.model = model
        self._url = _check_url(url)
        self._key = key
        self._attempts, self._timeout = _PATIENT if patient else _IMPATIENT
        self._open = _opener(self._url).open

    def embed(self, texts: list[str]) -> list[Vector]:
        body = json.dumps({"model": self.model, "input": texts, "encoding_format": "float"}).encode()
        for attempt in range(1, self._attempts + 1):
            try:
                return check_vectors(self._vectors(self._post(body)), texts, self.model)
            except _RetryLater as error:
                if attempt == self._attempts:
                    raise LionError(error.message, hint="try again later; finished embeddings are stored") from None
                time.sleep(min(_MAX_PAUSE, error.seconds or 2.0**attempt / 2))
        raise AssertionError("the loop returns or raises")

    def _post(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "lion-studio"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(f"{self._url}/embeddings", body, headers, method="POST")
        try:
            with self._open(request, timeout=self._timeout) as response:
                return _read_bounded(response, self._url)
        except urllib.error.HTTPError as error:
            with error:
                raise self._http_error(error) from None
        except (OSError, HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise _RetryLater(f"{self._url} does not respond: {self._without_key(str(reason))}") from None

    def _http_error(self, error: urllib.error.HTTPError) -> LionError:
        message = f"{self._url} responded with {error.code}: {self._without_key(_error_message(error))}"
        if error.code in _RETRY_STATUSES:
            return _RetryLater(message, _retry_after(error.headers.get("Retry-After")))
        if error.code in _REFUSED_STATUSES:
            return TextRefused(message)
        if error.code in (401, 403):
            return LionError(message, hint="set embed_key_variable to the environment variable with the key")
        return LionError(message, hint="check embed_url and embed_model; the address usually ends in /v1")

    def _without_key(self, text: str) -> str:
        """Some servers repeat the request in their errors."""
        return text.replace(self._key, "[key]") if self._key else text

    def _vectors(self, body: bytes) -> list[list[float]]:
        try:
            rows: list[Any] = json.loads(body)["data"]
            ordered = sorted(rows, key=lambda row: int(row.get("index", 0)))
            return [[float(number) for number in row["embedding"]] for row in ordered]
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise LionError(
                f"the response of {self._url} has no embeddings", hint="check that it is OpenAI-compatible"
            ) from None


class _RetryLater(LionError):
    """The request may succeed after a pause."""

    def __init__(self, message: str, seconds: float | None = None) -> None:
        super().__init__(message)
        self.seconds = seconds


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Refuse redirects: the key must not be sent to another address."""


def _opener(url: str) -> urllib.request.OpenerDirector:
    # a proxy from the environment cannot reach this machine's loopback
    is_loopback = urllib.parse.urlsplit(url).hostname in _LOOPBACK
    proxies = [urllib.request.ProxyHandler({})] if is_loopback else []
    return urllib.request.build_opener(_NoRedirect, *proxies)


def _check_url(url: str) -> str:
    try:
        parts = urllib.parse.urlsplit(url.strip())
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable, parts = None, urllib.parse.urlsplit("")
    if not usable or parts.query or parts.fragment or not url.isascii() or any(char.isspace() for char in url.strip()):
        raise InvalidInput(
            f"embed_url is not a URL: {url.rpartition('@')[2]!r:.100}", hint="for example http://127.0.0.1:11434/v1"
        )
    if parts.username or parts.password:
        raise InvalidInput("embed_url contains a password", hint="set embed_key_variable instead")
    return url.strip().rstrip("/").removesuffix("/embeddings")


def _read_bounded(response: Any, url: str) -> bytes:
    data: bytes = response.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise LionError(f"the response of {url} is larger than {_MAX_BYTES:,} bytes", hint="use a smaller --batch")
    return data


def _error_message(error: urllib.error.HTTPError) -> str:
    """The server's error as one short line."""
    try:
        text = error.read(10_000).decode("utf-8", "replace")
    except (OSError, HTTPException):
        return str(error.reason)
    try:
        details = json.loads(text)["error"]
        text = str(details["message"] if isinstance(details, dict) else details)
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    return " ".join(text.split())[:300] or str(error.reason)


def _retry_after(header: str | None) -> float | None:
    """`Retry-After` in seconds; dates are ignored."""
    text = (header or "").strip()
    return float(text) if text.isascii() and text.isdigit() and len(text) < 6 else None
