"""Routes are analysed when they are needed, not at the start of Studio."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import asyncio
from lionstudio.studio.app import create_app
from lionstudio.studio.http.lazy_routes import LazyRoute

app = create_app()
routes = [route for route in app.routes if isinstance(route, LazyRoute)]
analysed = lambda: [route.path for route in routes if "api_route" in vars(route)]
print(len(routes) > 90, analysed())

async def ask(method):
    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}
    async def send(message):
        if message["type"] == "http.response.start":
            print(method, message["status"])
    scope = {"type": "http", "method": method, "path": "/healthz", "raw_path": b"/healthz", "query_string": b"",
             "headers": [(b"host", b"127.0.0.1")], "client": None, "server": ("127.0.0.1", 80), "scheme": "http",
             "http_version": "1.1", "root_path": ""}
    await app(scope, receive, send)

asyncio.run(ask("GET"))
print(analysed())
asyncio.run(ask("POST"))
app.openapi()
print(len(analysed()) == len(routes))
"""


def test_create_app_analyses_a_route_at_its_first_request() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == ["True []", "GET 200", "['/healthz']", "POST 401", "True"]
