"""The static shell: the built page and its files, which hold no data; the same page for each of its addresses."""

from __future__ import annotations

import mimetypes
import os

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from lionstudio.errors import LionError
from lionstudio.files.names import fault_of_name
from lionstudio.files.safe import read_bytes
from lionstudio.studio.problems import problem

STATIC = os.path.join(os.path.dirname(__file__), "static")
MOST_BYTES = 20_000_000
# The first part of every address that is the page's own; whatever is not here needs the token.
PAGES = frozenset({
    "", "dashboard", "runs", "shows", "teams", "agents", "playbooks", "plugins", "skills", "admin", "search",
    "attention", "launches", "settings", "assets", "favicon.ico", "favicon.svg", "robots.txt",
})  # fmt: skip
_OPEN = frozenset({"/healthz", "/login"})
_FOR_EVER = "public, max-age=31536000, immutable"

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
<p>The server runs, but its page has not been built yet.</p>
<p>What is kept can be read in a terminal already: <code>li state ls</code></p>
</main>
</body>
</html>
"""


def is_public(path: str) -> bool:
    """Whether an address shows nothing but the shell, and so needs no token."""
    return path in _OPEN or path.partition("/")[2].partition("/")[0] in PAGES


async def shell(request: Request) -> Response:
    """A file of the page, or the page itself."""
    path = request.scope["path"]
    if not is_public(path):
        return problem(404, "no_route", "There is nothing at this address.")
    parts = [part for part in path.split("/") if part]
    if parts and (parts[0] == "assets" or "." in parts[0]):
        return _file(parts)
    return _page()


def _file(parts: list[str]) -> Response:
    try:
        if any(fault_of_name(part) for part in parts):
            return problem(404, "no_file", "The page has no such file.")
        content = read_bytes(os.path.join(STATIC, *parts), most=MOST_BYTES, root=STATIC)
    except LionError:
        return problem(404, "no_file", "The page has no such file.")
    kind = mimetypes.guess_type(parts[-1])[0] or "application/octet-stream"
    keep = _FOR_EVER if parts[0] == "assets" else "no-cache"
    return Response(content, media_type=kind, headers={"Cache-Control": keep})


def _page() -> Response:
    try:
        content: bytes | str = read_bytes(os.path.join(STATIC, "index.html"), most=MOST_BYTES, root=STATIC)
    except LionError:
        content = PLACEHOLDER
    return HTMLResponse(content)
