"""Responses as bytes: JSON with the seq it was read at, and 304 where the client has the same already."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic_core import to_json
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from lionstudio.model.json_codec import jsonable

JSON = "application/json"
SEQ = "Lion-Seq"
_MOST_TAGGED = 1_000_000  # bytes; a larger body is usually read once, so its digest would only cost time

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def encode_json(value: Any) -> bytes:
    """JSON in UTF-8; a value that another tool stored is converted to text rather than an error."""
    try:
        return _encode(value).encode()
    except (TypeError, ValueError, RecursionError):
        return json.dumps(_shallow(value), separators=(",", ":"), allow_nan=False).encode()


def encode_rows(name: str, rows: list[dict[str, Any]], others: Mapping[str, Any]) -> bytes:
    """`encode_json` of an object with many rows, in a third of the time if all of them have usual values."""
    value = {name: rows, **others}
    if all(map(_is_usual, rows)):
        try:
            return to_json(value)
        except (ValueError, RecursionError):  # text that is not Unicode
            pass
    return encode_json(value)


def _is_usual(row: Mapping[str, Any]) -> bool:
    """Whether the library writes each value of a row as Python does; `state` is ours, and has no other values."""
    for key, value in row.items():
        kind = type(value)
        if kind is float:
            if value and not _LEAST <= abs(value) < _MOST:
                return False
        elif kind is dict:
            if key != "state" and not _SCALARS.issuperset(map(type, value.values())):
                return False
        elif kind is list:
            if not _SCALARS.issuperset(map(type, value)):
                return False
        elif kind not in _SCALARS:
            return False
    return True


_SCALARS = frozenset({str, int, bool, type(None)})
_LEAST, _MOST = 1e-4, 1e16  # numbers that are written without an exponent


def _shallow(value: Any) -> Any:
    try:
        return jsonable(value)
    except RecursionError:
        return {"unreadable": "nested too deeply"}


def json_response(
    value: Mapping[str, Any], seq: int, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """An object with the seq it was read at."""
    return Response(encode_json({"seq": seq, **value}), status, {SEQ: str(seq), **(headers or {})}, JSON)


def cacheable_response(
    request: Request, body: bytes | list[bytes], seq: int, *, evaluated_at: float | None = None
) -> Response:
    """A list with its seq and ETag, or 304 for a client that has an equal one. `body` is the JSON of an object.

    `evaluated_at` of the states in it does not count as a change.
    """
    pieces = [body] if isinstance(body, bytes) else body
    headers = {SEQ: str(seq), "Cache-Control": "private, no-cache"}
    if sum(map(len, pieces)) <= _MOST_TAGGED:
        clock = b'"evaluated_at":%d' % (evaluated_at or 0)
        headers["ETag"] = f'W/"{_digest(piece.replace(clock, b"") for piece in pieces)}"'
        if matches_etag(request, headers["ETag"]):
            return Response(status_code=304, headers=headers)
    # the seq changes with every commit, so it is not part of the ETag
    return ChunkedResponse([b'{"seq":%d,' % seq + pieces[0][1:], *pieces[1:]], headers)


class ChunkedResponse(Response):
    """JSON sent piece by piece: joined first, it would be copied for every part that is sent."""

    def __init__(self, pieces: list[bytes], headers: Mapping[str, str]) -> None:
        length = str(sum(map(len, pieces)))
        super().__init__(None, 200, {**headers, "Content-Type": JSON, "Content-Length": length})
        self._pieces = pieces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        for piece in self._pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def _digest(pieces: Iterable[bytes]) -> str:
    digest = hashlib.blake2b(digest_size=12)
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


def matches_etag(request: Request, tag: str) -> bool:
    """Return whether If-None-Match of the request contains this ETag."""
    return tag in (part.strip() for part in request.headers.get("if-none-match", "").split(","))
