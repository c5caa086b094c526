"""Security headers of every response, and the response to an unexpected error."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lionstudio.studio.http.audit_log import AuditLog
from lionstudio.studio.http.error_responses import bug_response


def content_policy(nonce: str | None = None) -> str:
    """The Content-Security-Policy: our own files, and styles with the nonce of the response where it has one."""
    styles = "style-src 'self'" if nonce is None else f"style-src 'self' 'nonce-{nonce}'"
    return (
        f"default-src 'none'; script-src 'self'; {styles}; img-src 'self' data:; font-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


SECURITY_HEADERS = {
    "Content-Security-Policy": content_policy(),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class SecurityHeaders:
    """Adds the security headers to every response."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)  # the page sets its own policy, with a nonce
                # only the files of the page, whose names change with their content, may be cached
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self.app(scope, receive, send_with_headers)


class ErrorBoundary:
    """Logs the traceback of an unexpected error and sends one sentence to the client."""

    def __init__(self, app: ASGIApp, log: AuditLog) -> None:
        self.app, self._log = app, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def send_and_note(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, send_and_note)
        except Exception as error:
            response, traceback = bug_response(error)
            self._log.write("bug", path=scope.get("path", ""), traceback=traceback)
            if scope["type"] != "http" or started:
                raise
            await response(scope, receive, send)
