"""The web application. It serves no data yet: nothing guards the routes that would."""

from __future__ import annotations

from fastapi import FastAPI
from fastapi.responses import HTMLResponse

from lionstudio import __version__
from lionstudio.studio.headers import OwnHostOnly, SecurityHeaders

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


def create_app() -> FastAPI:
    """A new application, ready to be served."""
    # The interactive pages of FastAPI load scripts from elsewhere, which our policy forbids anyway.
    app = FastAPI(title="Lion Studio", version=__version__, docs_url=None, redoc_url=None)
    app.add_middleware(OwnHostOnly)
    # Added last, so outermost: a refusal carries the headers too.
    app.add_middleware(SecurityHeaders)

    @app.get("/healthz")
    async def healthz() -> dict[str, str]:
        return {"status": "ok", "version": __version__}

    @app.get("/", include_in_schema=False)
    async def page() -> HTMLResponse:
        # Not kept by the browser: after the page is built, a reload must show it.
        return HTMLResponse(PLACEHOLDER, headers={"Cache-Control": "no-store"})

    return app
