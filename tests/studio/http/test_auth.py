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
from tests.support.studio import AUTH, BASE, TOKEN, InProcess, application

from lionstudio.errors import InvalidInput
from lionstudio.studio.app import create_app
from lionstudio.studio.http.auth import METHODS
from lionstudio.studio.http.headers import SECURITY_HEADERS
from lionstudio.studio.http.tokens import CODE_SECONDS, OneTimeCodes, derive_cookie, load_token

COOKIE = {"Cookie": f"lion_studio_8721={derive_cookie(TOKEN)}"}
OPEN = {"/healthz", "/login"}


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
        open_door = path in OPEN and verb in ("GET", "HEAD") and wanted == {401} and not query
        answer = studio.client.request(verb, path + query, headers=headers, follow_redirects=False, **body_of(verb))
        if open_door:
            assert answer.status_code in (200, 401, 405), (verb, path)
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
    for headers in (AUTH, {**AUTH, "Origin": BASE, "Sec-Fetch-Site": "same-origin"}, COOKIE):
        assert studio.client.get("/api/runs", headers=headers).status_code == 200


def test_auth_refuses_a_cookie_without_an_origin(studio: InProcess) -> None:
    bare = studio.client.post("/api/admin/checkpoint", headers=COOKIE, json={})
    ours = studio.client.post("/api/admin/checkpoint", headers={**COOKIE, "Origin": BASE}, json={})

    assert (bare.status_code, ours.status_code) == (403, 200)


def test_login_code_works_once_and_sets_a_strict_cookie(studio: InProcess) -> None:
    code = studio.services.codes.create()
    studio.client.head(f"/login?code={code}")
    first = studio.client.get(f"/login?code={code}", follow_redirects=False)
    again = studio.client.get(f"/login?code={code}", follow_redirects=False)
    studio.client.cookies.clear()

    assert (first.status_code, first.headers["location"], again.status_code) == (303, "/", 401)
    cookie = first.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert TOKEN not in cookie


def test_login_redirects_a_browser_with_a_used_code_to_the_page(studio: InProcess) -> None:
    code = studio.services.codes.create()
    browser = {"Accept": "text/html,application/xhtml+xml"}
    studio.client.get(f"/login?code={code}", headers=browser, follow_redirects=False)
    studio.client.cookies.clear()
    again = studio.client.get(f"/login?code={code}", headers=browser, follow_redirects=False)

    assert (again.status_code, again.headers["location"]) == (303, "/")
    assert "set-cookie" not in again.headers


def test_one_time_code_expires_within_a_minute() -> None:
    now = [0.0]
    codes = OneTimeCodes(clock=lambda: now[0])
    early, late = codes.create(), codes.create()

    assert codes.consume(early)
    now[0] = CODE_SECONDS + 0.1
    assert CODE_SECONDS < 60
    assert not codes.consume(late)
    assert not codes.consume("")


def test_load_token_creates_a_private_file_once(tmp_path: Path) -> None:
    path = tmp_path / "home" / "studio.token"
    token = load_token(str(path))

    assert len(token) >= 22
    assert load_token(str(path)) == token
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    os.chmod(path, 0o644)
    load_token(str(path))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", ["", "short", "with space in the middle of it all", "ü" * 40])
def test_load_token_rejects_invalid_files(tmp_path: Path, content: str) -> None:
    path = tmp_path / "token"
    path.write_text(content)

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
    log = Path(studio.services.audit_log.path).read_text()
    last = [json.loads(line) for line in log.splitlines()][-2:]

    assert [entry["reason"] for entry in last] == ["token_in_query", "no_token"]
    assert TOKEN not in log
    assert stat.S_IMODE(os.stat(studio.services.audit_log.path).st_mode) == 0o600


def test_read_only_server_refuses_every_change(tmp_path: Path) -> None:
    with application(tmp_path, read_only=True) as studio:
        statuses = {
            studio.client.request(verb, path, headers=AUTH, **body_of(verb)).status_code
            for verb, path in operations()
            if verb not in ("GET", "HEAD")
        }

    assert statuses == {403}
    assert not Path(studio.services.settings.db).exists()
