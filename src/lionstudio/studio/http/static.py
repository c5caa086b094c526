"""The built page and its files, which hold no data; every path of the page returns the same document.

Styles that the page creates at run time carry a nonce, new with every response; scripts come from files only. The
document preloads the code of the page at its path, which the browser would request only after it ran the first script.
"""

from __future__ import annotations

import hashlib
import json
import mimetypes
import os
import secrets
from collections.abc import Iterator
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from lionstudio.errors import LionError
from lionstudio.studio.http.error_responses import problem_response
from lionstudio.studio.http.headers import content_policy
from lionstudio.studio.http.responses import matches_etag
from lionstudio.system.filenames import fault_of_name
from lionstudio.system.safe_read import read_bytes

STATIC = os.path.join(os.path.dirname(os.path.dirname(__file__)), "static")
MOST_BYTES = 20_000_000
# The first segment of every path that returns data; all other paths belong to the page and need no token.
GUARDED = frozenset({"api", "metrics", "openapi.json"})
_FOREVER = "public, max-age=31536000, immutable"
_NONCE = b'<meta name="csp-nonce" content="'
_HEAD_END = b"</head>"
_ENTRY = "index.html"

PLACEHOLDER = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Lion Studio</title>
</head>
<body>
<main>
<h1>Lion Studio</h1>
<p>The server is running, but the page has not been built. Build it with <code>make web</code>.</p>
<p>List the recorded sessions in a terminal: <code>li state ls</code></p>
</main>
</body>
</html>
"""


def is_public(path: str) -> bool:
    """Return whether a path returns only the page, and so needs no token."""
    return path.partition("/")[2].partition("/")[0].lower() not in GUARDED


async def serve_page(request: Request) -> Response:
    """A file of the page, or its document."""
    path = request.scope["path"]
    if not is_public(path):
        return problem_response(404, "no_route", "No route has this path.")
    parts = [part for part in path.split("/") if part]
    if parts and (parts[0] == "assets" or (len(parts) == 1 and "." in parts[0])):
        return _file(request, parts)
    return _page(parts)


def _file(request: Request, parts: list[str]) -> Response:
    try:
        if any(fault_of_name(part) for part in parts):
            return problem_response(404, "no_file", "The page does not have this file.")
        content = read_bytes(os.path.join(STATIC, *parts), most=MOST_BYTES, root=STATIC)
    except LionError:
        return problem_response(404, "no_file", "The page does not have this file.")
    tag = '"' + hashlib.blake2b(content, digest_size=12).hexdigest() + '"'
    headers = {"Cache-Control": _FOREVER if parts[0] == "assets" else "no-cache", "ETag": tag}
    if matches_etag(request, tag):
        return Response(status_code=304, headers=headers)
    kind = mimetypes.guess_type(parts[-1])[0] or "application/octet-stream"
    return Response(content, media_type=kind, headers=headers)


def _page(parts: list[str]) -> Response:
    """The document with its own nonce; it must not be cached."""
    nonce = secrets.token_urlsafe(16)
    try:
        content = read_bytes(os.path.join(STATIC, "index.html"), most=MOST_BYTES, root=STATIC)
    except LionError:
        content = PLACEHOLDER.encode()
    headers = {"Content-Security-Policy": content_policy(nonce), "Cache-Control": "no-store"}
    preloads = _preloads(_folder_of(parts)).encode()
    content = content.replace(_NONCE, _NONCE + nonce.encode(), 1).replace(_HEAD_END, preloads + _HEAD_END, 1)
    return HTMLResponse(content, headers=headers)


def _folder_of(parts: list[str]) -> str:
    """The folder of a page's sources: `/runs` has `runs`, `/runs/<id>` has `run`."""
    match parts:
        case []:
            return "home"
        case [name]:
            return name
        case [name, _]:
            return name.removesuffix("s")
        case _:
            return ""


def _preloads(folder: str) -> str:
    """Links to the files that a page needs beyond those of the document."""
    try:
        manifest = json.loads(read_bytes(os.path.join(STATIC, "assets", "manifest.json"), most=MOST_BYTES, root=STATIC))
        return "".join(_links(manifest, _chunks(manifest, f"src/pages/{folder}/page.tsx") - _chunks(manifest, _ENTRY)))
    except (LionError, ValueError, LookupError):
        return ""


def _chunks(manifest: dict[str, Any], name: str) -> set[str]:
    """A chunk and those that it imports."""
    chunks: set[str] = set()
    waiting = [name]
    while waiting:
        if (chunk := waiting.pop()) not in chunks:
            chunks.add(chunk)
            waiting += manifest[chunk].get("imports", [])
    return chunks


def _links(manifest: dict[str, Any], chunks: set[str]) -> Iterator[str]:
    for chunk in sorted(chunks):
        yield f'<link rel="modulepreload" crossorigin href="/{manifest[chunk]["file"]}">'
        for style in manifest[chunk].get("css", []):
            yield f'<link rel="preload" as="style" crossorigin href="/{style}">'
