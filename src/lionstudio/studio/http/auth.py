"""Authentication: every request passes here before any route sees it.

A page on the internet can make a browser send requests to this machine; such a request carries a foreign Host, a
foreign Origin or a cross-site Sec-Fetch-Site, and never the token.
"""

from __future__ import annotations

from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from typing import NamedTuple
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from lionstudio.errors import LionError
from lionstudio.studio.http.audit_log import AuditLog, Denial
from lionstudio.studio.http.error_responses import error_response, problem_response
from lionstudio.studio.http.studio_sessions import HEADER, StudioSessions
from lionstudio.studio.http.tokens import secrets_equal

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
MOST_HEADERS = 100
MOST_HEADER_BYTES = 32_768
MOST_URL_BYTES = 8_192
SAFE_METHODS = frozenset({"GET", "HEAD"})
METHODS = SAFE_METHODS | {"POST", "PUT", "PATCH", "DELETE"}
LOGIN, LOGOUT = "/api/login", "/api/logout"
SESSION_ID = "studio_session_id"  # in the scope of a request from a signed-in browser
_PUBLIC_URL = "lion.public_url"  # in the scope of a request that came by the address of the proxy
_BY_TOKEN = "lion.by_token"  # in the scope of a request that the token let in
_TOKEN_NAMES = frozenset({"token", "access_token", "authorization"})


class Credentials(NamedTuple):
    """The token, whether this server refuses changes, and its address behind a proxy."""

    token: str
    read_only: bool = False
    public_url: str | None = None


class AuthMiddleware:
    """Refuses a request with a reason before it has any effect."""

    def __init__(
        self,
        app: ASGIApp,
        credentials: Credentials,
        sessions: StudioSessions,
        log: AuditLog,
        is_public: Callable[[str], bool],
    ) -> None:
        self.app, self._credentials, self._sessions = app, credentials, sessions
        self._log, self._is_public = log, is_public

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        try:
            denial = self.check(scope)
        except LionError as error:  # the database holds the sessions, and cannot be read
            await error_response(error)(scope, receive, send)
            return
        if denial is None:
            await self.app(scope, receive, send)
            return
        client = (scope.get("client") or ("unknown",))[0]
        self._log.write_denial(denial, scope.get("method", scope["type"]), scope["path"], client)
        await problem_response(denial.status, denial.reason, denial.message)(scope, receive, send)

    def check(self, scope: Scope) -> Denial | None:
        """The reason to refuse a request, None when it may pass."""
        headers = Headers(scope=scope)
        public_url = self._credentials.public_url
        if public_url is not None and headers.get("host", "").lower() == public_url.partition("://")[2]:
            scope[_PUBLIC_URL] = public_url
        return (
            _check_host(scope, headers)
            or _check_size(scope, headers)
            or _check_method(scope)
            or _check_origin(scope, headers, self._is_public(scope["path"]))
            or self._check_query(scope)
            or self._check_token(scope, headers)
            or _check_content_type(scope, headers)
            or self._check_read_only(scope)
        )

    def _check_query(self, scope: Scope) -> Denial | None:
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if any(name.lower() in _TOKEN_NAMES or secrets_equal(value, self._credentials.token) for name, value in query):
            return Denial(401, "token_in_query", "Do not put the token into the URL; send it as a header.")
        return None

    def _check_token(self, scope: Scope, headers: Headers) -> Denial | None:
        if scope["method"] in SAFE_METHODS and self._is_public(scope["path"]):
            return None
        values = headers.getlist("authorization")
        if values:
            scheme, _, token = values[0].partition(" ")
            if (
                len(values) == 1
                and scheme.lower() == "bearer"
                and secrets_equal(token.strip(), self._credentials.token)
            ):
                scope[_BY_TOKEN] = True
                return None
            return Denial(401, "wrong_token", "The token is wrong. This server reads it from the file studio.token.")
        if (scope["method"], scope["path"]) == ("POST", LOGIN):
            return None  # the route checks the one-time code
        return self._check_session(scope, headers)

    def _check_session(self, scope: Scope, headers: Headers) -> Denial | None:
        cookie, values = _cookie(headers, cookie_name(scope)), headers.getlist(HEADER)
        if cookie is None and not values:
            return Denial(401, "no_token", "Send the token of studio.token as `Authorization: Bearer …`.")
        session = self._sessions.find(cookie, values[0]) if cookie is not None and len(values) == 1 else None
        if session is None:
            return Denial(401, "no_session", "This browser is not signed in, or its session has ended.")
        if scope["method"] not in SAFE_METHODS and "origin" not in headers:
            return Denial(403, "no_origin", "The request has a cookie but no Origin header.")
        scope[SESSION_ID] = session.id
        return None

    def _check_read_only(self, scope: Scope) -> Denial | None:
        changes = scope["method"] not in SAFE_METHODS and scope["path"] not in (LOGIN, LOGOUT)
        if self._credentials.read_only and changes:
            return Denial(403, "read_only", "This Studio was started with --read-only.")
        return None


def own_hosts(scope: Scope) -> set[str]:
    """The values of Host that name this server."""
    if (public_url := scope.get(_PUBLIC_URL)) is not None:
        return {public_url.partition("://")[2]}
    server: tuple[str, int] | None = scope.get("server")
    if server is None:
        return set()
    address, port = server
    names = {*LOOPBACK_NAMES, f"[{address}]" if ":" in address else address}
    with_port = {f"{name}:{port}" for name in names}
    # Browsers omit the default port of the protocol.
    return with_port | names if port == 80 else with_port


def cookie_name(scope: Scope) -> str:
    """Named by port, because cookies ignore ports: two servers on one machine must not overwrite each other's.

    Behind a proxy any Studio of a hub may answer, so it has one name for all; browsers send a `__Host-` cookie only by
    HTTPS, to the host that set it.
    """
    if (public_url := scope.get(_PUBLIC_URL)) is not None:
        return "__Host-lion_studio" if public_url.startswith("https:") else "lion_studio"
    server: tuple[str, int] | None = scope.get("server")
    return f"lion_studio_{server[1] if server else 0}"


def is_browser_by_proxy(scope: Scope) -> bool:
    """Whether a browser came by the address of the proxy: signed in, or with a one-time code.

    The token is a file that an agent of this machine may be able to read, so with it the process is looked at.
    """
    return _PUBLIC_URL in scope and _BY_TOKEN not in scope


def is_https(scope: Scope) -> bool:
    """Whether the browser came by HTTPS, which the proxy ends."""
    return str(scope.get(_PUBLIC_URL)).startswith("https:")


def _check_host(scope: Scope, headers: Headers) -> Denial | None:
    hosts = headers.getlist("host")
    if len(hosts) == 1 and hosts[0].lower() in own_hosts(scope):
        return None
    return Denial(
        421, "foreign_host", "This host name does not belong to Lion Studio. Use the URL that `li studio` printed."
    )


def _check_size(scope: Scope, headers: Headers) -> Denial | None:
    if (
        len(headers.raw) > MOST_HEADERS
        or sum(len(name) + len(value) for name, value in headers.raw) > MOST_HEADER_BYTES
    ):
        return Denial(431, "headers_too_large", f"A request may have at most {MOST_HEADERS} headers and 32 kB of them.")
    if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > MOST_URL_BYTES:
        return Denial(414, "address_too_long", f"A URL may have at most {MOST_URL_BYTES} bytes.")
    return None


def _check_method(scope: Scope) -> Denial | None:
    if scope["type"] == "http" and scope["method"] in METHODS:
        return None
    return Denial(405, "method", f"Use one of these methods: {', '.join(sorted(METHODS))}.")


def _check_origin(scope: Scope, headers: Headers, public: bool) -> Denial | None:
    origins = headers.getlist("origin")
    own = scope.get(_PUBLIC_URL) or f"http://{headers['host'].lower()}"
    if origins and (len(origins) > 1 or origins[0].lower() != own):
        return Denial(403, "foreign_origin", "Another site sent this request; only the Studio page may.")
    site = headers.get("sec-fetch-site", "none")
    # a link on another page may open the static page, which holds no data; it may not load or send anything
    is_link = public and scope["method"] == "GET" and headers.get("sec-fetch-mode") == "navigate"
    if site in ("none", "same-origin") or is_link:
        return None
    return Denial(403, "foreign_site", "Another site sent this request; only the Studio page may.")


def _check_content_type(scope: Scope, headers: Headers) -> Denial | None:
    has_body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
    if not has_body:
        return None
    kind, _, parameters = headers.get("content-type", "").lower().partition(";")
    if kind.strip() == "application/json" and parameters.replace(" ", "").replace('"', "") in ("", "charset=utf-8"):
        return None
    return Denial(415, "not_json", "The body must be application/json in UTF-8.")


def _cookie(headers: Headers, name: str) -> str | None:
    try:
        morsel = SimpleCookie("; ".join(headers.getlist("cookie"))).get(name)
    except CookieError:
        return None
    return None if morsel is None else morsel.value
