"""Who may come in: every request passes here before any route sees it, and is refused unless all of it is ours.

A page on the internet can make a browser ask this machine; such a request carries a foreign Host, a foreign
Origin or a telling Sec-Fetch-Site, and never the token.
"""

from __future__ import annotations

from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from typing import NamedTuple
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from lionstudio.studio.http.audit_log import AuditLog, Denial
from lionstudio.studio.http.error_responses import problem_response
from lionstudio.studio.http.tokens import derive_cookie, secrets_equal

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
MOST_HEADERS = 100
MOST_HEADER_BYTES = 32_768
MOST_URL_BYTES = 8_192
SAFE_METHODS = frozenset({"GET", "HEAD"})
METHODS = SAFE_METHODS | {"POST", "PUT", "DELETE"}
_TOKEN_NAMES = frozenset({"token", "access_token", "authorization"})


class Credentials(NamedTuple):
    """What opens: the token itself, and whether anything may be changed."""

    token: str
    read_only: bool = False


class AuthMiddleware:
    """Refuses with a reason, before any effect."""

    def __init__(self, app: ASGIApp, keys: Credentials, log: AuditLog, is_public: Callable[[str], bool]) -> None:
        self.app, self._keys, self._log, self._is_public = app, keys, log, is_public
        self._cookie = derive_cookie(keys.token)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        denial = self.check(scope)
        if denial is None:
            await self.app(scope, receive, send)
            return
        client = (scope.get("client") or ("unknown",))[0]
        self._log.write_denial(denial, scope.get("method", scope["type"]), scope["path"], client)
        await problem_response(denial.status, denial.reason, denial.message)(scope, receive, send)

    def check(self, scope: Scope) -> Denial | None:
        """Why a request is refused, None when it may pass."""
        headers = Headers(scope=scope)
        return (
            _wrong_host(scope, headers)
            or _too_much(scope, headers)
            or _wrong_method(scope)
            or _from_elsewhere(scope, headers, self._is_public(scope["path"]))
            or self._token_in_query(scope)
            or self._without_token(scope, headers)
            or _no_json(scope, headers)
            or self._would_change(scope)
        )

    def _token_in_query(self, scope: Scope) -> Denial | None:
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if any(name.lower() in _TOKEN_NAMES or secrets_equal(value, self._keys.token) for name, value in query):
            return Denial(401, "token_in_query", "A token does not belong into an address; send it as a header.")
        return None

    def _without_token(self, scope: Scope, headers: Headers) -> Denial | None:
        if scope["method"] in SAFE_METHODS and self._is_public(scope["path"]):
            return None
        given = headers.getlist("authorization")
        if given:
            scheme, _, token = given[0].partition(" ")
            if len(given) == 1 and scheme.lower() == "bearer" and secrets_equal(token.strip(), self._keys.token):
                return None
            return Denial(401, "wrong_token", "That is not this Studio's token; it is in the file studio.token.")
        cookie = _cookie(headers, cookie_name(scope))
        if cookie is None:
            return Denial(401, "no_token", "Send the token of studio.token as `Authorization: Bearer …`.")
        if not secrets_equal(cookie, self._cookie):
            return Denial(401, "wrong_cookie", "This browser is not signed in any more; start `li studio` again.")
        if scope["method"] not in SAFE_METHODS and "origin" not in headers:
            return Denial(403, "no_origin", "A browser says where a request comes from; this one did not.")
        return None

    def _would_change(self, scope: Scope) -> Denial | None:
        if self._keys.read_only and scope["method"] not in SAFE_METHODS:
            return Denial(403, "read_only", "This Studio was started with --read-only.")
        return None


def own_hosts(scope: Scope) -> set[str]:
    """The exact values of Host under which this server is ours."""
    server: tuple[str, int] | None = scope.get("server")
    if server is None:
        return set()
    address, port = server
    names = {*LOOPBACK_NAMES, f"[{address}]" if ":" in address else address}
    with_port = {f"{name}:{port}" for name in names}
    # Browsers leave out the port that is the protocol's own.
    return with_port | names if port == 80 else with_port


def cookie_name(scope: Scope) -> str:
    """Cookies do not know ports: two Studios on one machine must not take each other's."""
    server: tuple[str, int] | None = scope.get("server")
    return f"lion_studio_{server[1] if server else 0}"


def _wrong_host(scope: Scope, headers: Headers) -> Denial | None:
    hosts = headers.getlist("host")
    if len(hosts) == 1 and hosts[0].lower() in own_hosts(scope):
        return None
    return Denial(421, "foreign_host", "This address is not Lion Studio's; use the one it printed.")


def _too_much(scope: Scope, headers: Headers) -> Denial | None:
    if (
        len(headers.raw) > MOST_HEADERS
        or sum(len(name) + len(value) for name, value in headers.raw) > MOST_HEADER_BYTES
    ):
        return Denial(431, "headers_too_large", f"A request has at most {MOST_HEADERS} headers of 32 kB together.")
    if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > MOST_URL_BYTES:
        return Denial(414, "address_too_long", f"An address has at most {MOST_URL_BYTES} bytes.")
    return None


def _wrong_method(scope: Scope) -> Denial | None:
    if scope["type"] == "http" and scope["method"] in METHODS:
        return None
    return Denial(405, "method", f"Studio understands {', '.join(sorted(METHODS))}.")


def _from_elsewhere(scope: Scope, headers: Headers, public: bool) -> Denial | None:
    origins = headers.getlist("origin")
    if origins and (len(origins) > 1 or origins[0].lower() != f"http://{headers['host'].lower()}"):
        return Denial(403, "foreign_origin", "Another site asked for this; only Studio's own page may.")
    site = headers.get("sec-fetch-site", "none")
    # a link on another page may lead to our shell, which holds nothing; it may not load or send anything
    is_link = public and scope["method"] == "GET" and headers.get("sec-fetch-mode") == "navigate"
    if site in ("none", "same-origin") or (is_link and scope["path"] != "/login"):
        return None
    return Denial(403, "foreign_site", "Another site asked for this; only Studio's own page may.")


def _no_json(scope: Scope, headers: Headers) -> Denial | None:
    has_body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
    if not has_body:
        return None
    kind, _, parameters = headers.get("content-type", "").lower().partition(";")
    if kind.strip() == "application/json" and parameters.replace(" ", "").replace('"', "") in ("", "charset=utf-8"):
        return None
    return Denial(415, "not_json", "A body is application/json in UTF-8, and nothing else.")


def _cookie(headers: Headers, name: str) -> str | None:
    try:
        found = SimpleCookie("; ".join(headers.getlist("cookie"))).get(name)
    except CookieError:
        return None
    return None if found is None else found.value
