"""Authentication: every operation of OpenAPI refuses requests without credentials, before any effect."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.support.studio import AUTH, BASE, TOKEN, InProcess, application

from lionstudio.errors import InvalidInput
from lionstudio.runs.callers import caller as callers
from lionstudio.studio.app import create_app
from lionstudio.studio.http.auth import LOGIN, LOGOUT, METHODS
from lionstudio.studio.http.headers import SECURITY_HEADERS
from lionstudio.studio.http.tokens import load_token
from lionstudio.system.callers.tcp_peer import TcpPeer

OPEN = {("GET", "/healthz"), ("HEAD", "/healthz"), ("POST", "/api/login")}


def operations() -> list[tuple[str, str]]:
    """Every path of the API with every supported method, even those that the path does not allow."""
    paths = create_app().openapi()["paths"]
    return [(verb, re.sub(r"\{[^}]+\}", "1", path)) for path in sorted(paths) for verb in sorted(METHODS)]


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    with application(tmp_path_factory.mktemp("gates")) as running:
        yield running


@pytest.fixture
def effects(studio: InProcess) -> Iterator[None]:
    """Assert that no request of a test changed anything."""
    home, database = Path(studio.services.settings.home), studio.services.db

    def seen() -> Any:
        ours = (path for path in home.rglob("*") if path.is_file() and path.parent.name not in ("logs", "bells"))
        return {path: path.stat().st_mtime_ns for path in ours if "state.db" not in path.name}, database.seq()

    before = seen()
    yield
    assert seen() == before
    assert studio.services.launcher.list_launches() == []


def body_of(verb: str) -> dict[str, Any]:
    return {"json": {"verb": "agent", "target": "script", "prompt": "@say hi"}} if verb in ("POST", "PUT") else {}


@pytest.mark.usefixtures("effects")
@pytest.mark.parametrize(
    ("case", "headers", "query", "wanted"),
    [
        ("no token", {}, "", {401}),
        ("wrong token", {"Authorization": "Bearer wrong-token-0123456789-abcdef"}, "", {401}),
        ("not bearer", {"Authorization": f"Basic {TOKEN}"}, "", {401}),
        ("token in query", {}, f"?token={TOKEN}", {401}),
        ("token in query beside the right one", AUTH, f"?x={TOKEN}", {401}),
        ("foreign host", {**AUTH, "Host": "evil.example:8721"}, "", {421}),
        ("rebound host", {**AUTH, "Host": "127.0.0.1.evil.example:8721"}, "", {421}),
        ("foreign origin", {**AUTH, "Origin": "http://evil.example"}, "", {403}),
        ("other port", {**AUTH, "Origin": "http://127.0.0.1:9999"}, "", {403}),
        ("null origin", {**AUTH, "Origin": "null"}, "", {403}),
        ("cross-site fetch", {**AUTH, "Sec-Fetch-Site": "cross-site"}, "", {403}),
        ("same-site fetch", {**AUTH, "Sec-Fetch-Site": "same-site"}, "", {403}),
    ],
)
def test_auth_refuses_every_operation_without_credentials(
    studio: InProcess, case: str, headers: dict[str, str], query: str, wanted: set[int]
) -> None:
    checked = 0
    for verb, path in operations():
        open_door = (verb, path) in OPEN and wanted == {401} and not query
        answer = studio.client.request(verb, path + query, headers=headers, follow_redirects=False, **body_of(verb))
        if open_door:
            assert answer.status_code in ((200, 405) if path == "/healthz" else (401, 422)), (verb, path)
        else:
            assert answer.status_code in wanted, (case, verb, path, answer.text)
            assert set(SECURITY_HEADERS) - set(_names(answer)) == set()
            assert verb == "HEAD" or answer.headers["content-type"] == "application/problem+json"
        checked += 1
    assert checked > 150


def _names(answer: Any) -> list[str]:
    wanted = {name.lower(): name for name in SECURITY_HEADERS}
    return [wanted[name.lower()] for name in answer.headers if name.lower() in wanted]


def test_auth_accepts_the_same_requests_with_the_token(studio: InProcess) -> None:
    session = studio.sign_in()
    for headers in (AUTH, {**AUTH, "Origin": BASE, "Sec-Fetch-Site": "same-origin"}, session):
        assert studio.client.get("/api/runs", headers=headers).status_code == 200


@pytest.fixture(scope="module")
def two_sessions(studio: InProcess) -> tuple[dict[str, str], dict[str, str]]:
    return studio.sign_in(), studio.sign_in()


@pytest.mark.usefixtures("two_sessions", "effects")
@pytest.mark.parametrize("part", ["Cookie", "Lion-Session"])
def test_auth_refuses_half_of_a_session(
    studio: InProcess, two_sessions: tuple[dict[str, str], dict[str, str]], part: str
) -> None:
    half = {part: two_sessions[0][part], "Origin": BASE}
    other = {name: value for name, value in two_sessions[1].items() if name != part}
    for headers in (half, {**half, **other}, {**half, "Cookie": "lion_studio_8721=x", "Lion-Session": "y"}):
        statuses = {
            studio.client.request(verb, path, headers=headers, **body_of(verb)).status_code
            for verb, path in operations()
            if (verb, path) not in OPEN
        }
        assert statuses == {401}


def test_auth_refuses_a_cookie_without_an_origin(studio: InProcess) -> None:
    session = studio.sign_in()
    bare = studio.client.post("/api/admin/checkpoint", headers=session, json={})
    ours = studio.client.post("/api/admin/checkpoint", headers={**session, "Origin": BASE}, json={})

    assert (bare.status_code, ours.status_code) == (403, 200)


def test_load_token_creates_a_private_file_once(tmp_path: Path) -> None:
    path = tmp_path / "home" / "studio.token"
    token = load_token(str(path))

    assert len(token.value) >= 22
    assert token.is_new
    assert load_token(str(path)) == (token.value, False, False)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o602])
def test_load_token_renews_or_refuses_an_exposed_token(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "studio.token"
    old = load_token(str(path))
    path.chmod(mode)

    with pytest.raises(InvalidInput, match="other users can read"):
        load_token(str(path))
    new = load_token(str(path), renew=True)

    assert (new.is_new, new.was_exposed) == (True, True)
    assert new.value != old.value
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", ["", "short", "with space in the middle of it all", "ü" * 40])
def test_load_token_rejects_invalid_files(tmp_path: Path, content: str) -> None:
    path = tmp_path / "token"
    path.write_text(content)
    path.chmod(0o600)

    with pytest.raises(InvalidInput, match="does not contain a token"):
        load_token(str(path))


@pytest.mark.parametrize(
    ("headers", "content", "status"),
    [
        ({"Content-Type": "text/plain"}, b"{}", 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, b"a=1", 415),
        ({"Content-Type": "multipart/form-data; boundary=x"}, b"--x--", 415),
        ({"Content-Type": "application/json; charset=utf-16"}, b"{}", 415),
        ({}, b"{}", 415),
        ({"Content-Type": "application/json"}, b"[" * 100_000, 422),
        ({"Content-Type": "application/json"}, b"{" + b'"a":{' * 50_000, 422),
        ({"Content-Type": "application/json"}, b" " * 1_000_001, 413),
        ({"Content-Type": "application/json", "Content-Length": "99999999999"}, b"", 413),
        ({"Content-Type": "application/json", "Content-Length": "-1"}, b"{}", 413),
    ],
)
def test_body_must_be_small_json(studio: InProcess, headers: dict[str, str], content: bytes, status: int) -> None:
    answer = studio.client.post("/api/launches", headers={**AUTH, **headers}, content=content)

    assert answer.status_code in (status, 400) if status == 422 else answer.status_code == status, answer.text
    assert "Traceback" not in answer.text


def test_auth_refuses_too_many_headers_and_long_urls(studio: InProcess) -> None:
    many = studio.client.get("/api/runs", headers={**AUTH, **{f"X-{n}": "1" for n in range(150)}})
    large = studio.client.get("/api/runs", headers={**AUTH, "X-Large": "x" * 40_000})
    long = studio.client.get("/api/runs?q=" + "x" * 9000, headers=AUTH)

    assert (many.status_code, large.status_code, long.status_code) == (431, 431, 414)


def test_audit_log_has_the_reason_but_not_the_token(studio: InProcess) -> None:
    studio.client.get(f"/api/runs?token={TOKEN}")
    studio.client.get(f"/api/{TOKEN}")
    session = studio.sign_in()
    secrets = [session["Cookie"].partition("=")[2], session["Lion-Session"], studio.services.sessions.create_code()]
    for secret in secrets:
        studio.client.get(f"/api/x{secret}?code={secret}")
    log = Path(studio.services.audit_log.path).read_text()
    denied = [entry for line in log.splitlines() if (entry := json.loads(line))["event"] == "denied"]

    assert [entry["reason"] for entry in denied][-5:] == ["token_in_query", *["no_token"] * 4]
    assert [secret for secret in (TOKEN, *secrets) if secret in log] == []
    assert stat.S_IMODE(os.stat(studio.services.audit_log.path).st_mode) == 0o600


def test_read_only_server_refuses_every_change(tmp_path: Path) -> None:
    with application(tmp_path, read_only=True) as studio:
        statuses = {
            studio.client.request(verb, path, headers=AUTH, **body_of(verb)).status_code
            for verb, path in operations()
            if verb not in ("GET", "HEAD") and path not in (LOGIN, LOGOUT)
        }
        session = {**studio.sign_in(), "Origin": BASE}
        signed_in = studio.client.get("/api/admin/settings", headers=session).status_code
        studio.client.post(LOGOUT, headers=session)
        signed_out = studio.client.get("/api/admin/settings", headers=session).status_code

    assert statuses == {403}
    assert (signed_in, signed_out) == (200, 401)
    assert not Path(studio.services.settings.db).exists()


PUBLIC = "https://studio.example.org"


def test_auth_answers_at_no_other_address_by_default(studio: InProcess) -> None:
    for host in ("studio.example.org", "studio.example.org:443", "127.0.0.1:8722", "127.0.0.1"):
        answer = studio.client.get("/healthz", headers={"Host": host})
        assert (answer.status_code, answer.json()["code"]) == (421, "foreign_host")


def test_auth_answers_at_the_public_address_of_the_setting(tmp_path: Path) -> None:
    with application(tmp_path, studio_url=PUBLIC) as studio:
        by_proxy = {"Host": "studio.example.org", "Origin": PUBLIC}
        login = studio.client.post("/api/login", headers=AUTH | by_proxy)
        cookie = login.headers["set-cookie"]
        session = {"Cookie": cookie.partition(";")[0], "Lion-Session": login.json()["secret"]}
        studio.client.cookies.clear()

        assert cookie.startswith("__Host-lion_studio=")
        assert {"Secure", "HttpOnly", "Path=/"} <= {part.strip() for part in cookie.split(";")}
        assert studio.client.get("/api/dashboard", headers=by_proxy | session).status_code == 200
        assert studio.client.get("/api/dashboard", headers=AUTH).status_code == 200  # its own address


def test_proxy_of_another_user_passes_at_the_public_address_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packages run nginx as www-data and Caddy as caddy."""
    monkeypatch.setattr(callers, "find_peer", lambda *_: TcpPeer(os.geteuid() + 1, (), ()))
    public = {"Host": "studio.example.org", "Origin": PUBLIC}
    with application(tmp_path, studio_url=PUBLIC) as studio:
        proxy = TestClient(studio.client.app, base_url=BASE, client=("127.0.0.1", 50000))
        code = {"code": studio.services.sessions.create_code()}
        by_proxy = proxy.post("/api/login", headers=public, json=code)
        token_by_proxy = proxy.post("/api/login", headers=AUTH | public)  # an agent may be able to read the token
        direct = proxy.post("/api/login", headers=AUTH)

    assert (by_proxy.status_code, token_by_proxy.status_code, direct.status_code) == (200, 403, 403)
    assert token_by_proxy.json()["code"] == "agent_caller"
    assert direct.json()["code"] == "agent_caller"


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"Host": "studio.example.org", "Origin": "http://studio.example.org"}, "foreign_origin"),
        ({"Host": "studio.example.org", "Origin": "http://127.0.0.1:8721"}, "foreign_origin"),
        ({"Host": "127.0.0.1:8721", "Origin": PUBLIC}, "foreign_origin"),
        ({"Host": "studio.example.org.evil.example"}, "foreign_host"),
        ({"Host": "evil.example", "X-Forwarded-Host": "studio.example.org"}, "foreign_host"),
        ({"Host": "studio.example.org:8721"}, "foreign_host"),
        ({"Host": "studio.example.org", "Sec-Fetch-Site": "cross-site"}, "foreign_site"),
    ],
)
def test_public_address_lets_no_other_one_in(tmp_path: Path, headers: dict[str, str], code: str) -> None:
    with application(tmp_path, studio_url=PUBLIC) as studio:
        answer = studio.client.get("/api/dashboard", headers=AUTH | headers)

    assert answer.json()["code"] == code
