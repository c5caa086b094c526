"""What every request and every answer must carry in its headers, whatever the route.

A page on the internet can make a browser ask for a name that resolves to this machine; such a
request still carries that foreign name in `Host`, and is refused here before any route sees it.
"""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")

SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}


class OwnHostOnly:
    """Refuses requests whose `Host` is not exactly the address they arrived at."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or _is_own_host(scope):
            await self.app(scope, receive, send)
            return
        refusal = PlainTextResponse("This address is not Lion Studio's; use the one it printed.\n", 421)
        await refusal(scope, receive, send)


class SecurityHeaders:
    """Adds to every answer the headers that keep a browser from doing more than showing it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(SECURITY_HEADERS)
            await send(message)

        await self.app(scope, receive, send_with_headers)


def _is_own_host(scope: Scope) -> bool:
    hosts = Headers(scope=scope).getlist("host")
    server: tuple[str, int] | None = scope.get("server")
    return server is not None and len(hosts) == 1 and hosts[0].lower() in _own_hosts(*server)


def _own_hosts(address: str, port: int) -> set[str]:
    names = {*LOOPBACK_NAMES, f"[{address}]" if ":" in address else address}
    with_port = {f"{name}:{port}" for name in names}
    # Browsers leave out the port that is the protocol's own.
    return with_port | names if port == 80 else with_port
