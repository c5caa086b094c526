"""Answers as bytes: JSON with the seq it was read at, and 304 where the client has the same already."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from lionstudio.model.jsontext import jsonable

JSON = "application/json"
SEQ = "Lion-Seq"
_QUICK_BEYOND = 500_000

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def encoded(value: Any) -> bytes:
    """JSON in UTF-8; what another tool left in a row is spelled out, never a reason to fail."""
    try:
        return _encode(value).encode()
    except (TypeError, ValueError, RecursionError):
        return json.dumps(_shallow(value), separators=(",", ":"), allow_nan=False).encode()


def _shallow(value: Any) -> Any:
    try:
        return jsonable(value)
    except RecursionError:
        return {"unreadable": "nested too deeply"}


def answer(
    value: Mapping[str, Any], seq: int, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """An object with its seq."""
    return Response(encoded({"seq": seq, **value}), status, {SEQ: str(seq), **(headers or {})}, JSON)


def cached(request: Request, body: bytes, seq: int) -> Response:
    """The same for lists: a client that names the ETag of an equal list is told so. `body` is an object's JSON."""
    tag = f'W/"{_digest(body)}"'
    headers = {SEQ: str(seq), "ETag": tag, "Cache-Control": "private, no-cache"}
    if names_tag(request, tag):
        return Response(status_code=304, headers=headers)
    # the seq changes with every commit anywhere, so it is not part of what the tag stands for
    return Response(b"".join((b'{"seq":%d,' % seq, memoryview(body)[1:])), 200, headers, JSON)


def _digest(body: bytes) -> str:
    """What a tag stands for; for a few megabytes the quick sum, which does not take longer than making them."""
    if len(body) > _QUICK_BEYOND:
        return f"{len(body):x}-{zlib.crc32(body):08x}"
    return hashlib.blake2b(body, digest_size=12).hexdigest()


def names_tag(request: Request, tag: str) -> bool:
    """Whether the client says that it has this already."""
    return tag in (part.strip() for part in request.headers.get("if-none-match", "").split(","))
