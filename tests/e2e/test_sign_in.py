"""Sign-in with a real Chromium: only the browser that was signed in gets in, until it is signed out.

The attackers are a page on another port of this machine, a second browser profile, and another local user.
"""

from __future__ import annotations

import http.client
import json
import os
import stat
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import APIResponse, Browser, Page, Route, expect
from tests.support.browser import Studio, Watched, assert_accessible, serve
from tests.support.seed import li
from tests.support.studio import Running, settings_in

from lionstudio.state.database import Database

Visit = Callable[..., Watched]
NOBODY = 65534
LAUNCH = {"verb": "agent", "target": "script", "prompt": "@say stolen", "cwd": "/"}


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    with serve(tmp_path) as started:
        yield started


def heading(page: Page) -> Any:
    return expect(page.get_by_role("heading", level=1))


def follow_link(watched: Watched, link: str) -> Page:
    """Open the link that `li studio` printed."""
    page = watched.page()
    page.goto(link)
    heading(page).to_have_text("Home")
    return page


def as_studio(running: Running) -> Studio:
    return Studio(running, settings_in(running.home.parent), None)


@contextmanager
def other_port() -> Iterator[tuple[str, list[dict[str, str]]]]:
    """A web server on another port of this machine, and the headers of the requests that it got."""
    received: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            received.append(dict(self.headers.items()))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>A dev server</title><h1>A dev server</h1>")

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/", received
        server.shutdown()


def replay(running: Running, method: str, path: str, cookie: str, body: Any = None) -> int:
    """The status of a request of a program that has the cookie and can forge every header."""
    with closing(http.client.HTTPConnection("127.0.0.1", running.port, timeout=20)) as connection:
        headers = {"Cookie": cookie, "Origin": running.url.rstrip("/"), "Sec-Fetch-Site": "same-origin"}
        text = None if body is None else json.dumps(body)
        connection.request(method, path, text, {**headers, "Content-Type": "application/json"})
        return connection.getresponse().status


def test_another_port_gets_the_cookie_but_not_in(visit: Visit, browser: Browser, running: Running) -> None:
    watched = visit(as_studio(running), signed_in=False)
    follow_link(watched, running.login)
    with other_port() as (url, received):
        page = watched.context.new_page()
        page.goto(url)
        expect(page.get_by_role("heading")).to_have_text("A dev server")
        cookie = received[0].get("Cookie", "")
        secret = page.evaluate("JSON.stringify(localStorage)")
    assert f"lion_studio_{running.port}=" in cookie, "browsers send cookies to every port"
    assert secret == "{}"

    for method, path, body in (
        ("GET", "/api/runs", None),
        ("GET", "/api/events", None),
        ("GET", "/metrics", None),
        ("POST", "/api/launches", LAUNCH),
        ("POST", "/api/login", {"code": ""}),
        ("POST", "/api/logout", None),
        ("GET", "/api/admin/studio-sessions", None),
    ):
        assert replay(running, method, path, cookie, body) == 401, (method, path)
    assert running.ask("GET", "/api/launches")[1]["launches"] == []


def test_second_browser_profile_sees_the_sign_in_page(visit: Visit, running: Running) -> None:
    follow_link(visit(as_studio(running), signed_in=False), running.login)
    other = visit(as_studio(running), signed_in=False)
    page = other.page()
    page.goto(running.login)

    heading(page).to_have_text("This sign-in link is no longer valid")
    expect(page).to_have_url(running.url)
    assert_accessible(page)
    heading(other.open("runs")).to_have_text("This browser is not signed in")


def test_link_leaves_no_code_in_the_address_or_the_log(visit: Visit, running: Running) -> None:
    watched = visit(as_studio(running), signed_in=False)
    page = follow_link(watched, running.login)
    code = running.login.partition("code=")[2]
    page.reload()
    heading(page).to_have_text("Home")

    assert page.url == running.url
    for path in running.home.rglob("*"):
        if path.is_file():
            assert code.encode() not in path.read_bytes(), path


def test_sign_out_ends_every_tab_at_once(visit: Visit, running: Running) -> None:
    watched = visit(as_studio(running), signed_in=False)
    first = follow_link(watched, running.login)
    second = watched.open("admin")
    expect(second.get_by_text("this browser", exact=True)).to_be_visible()
    wait_until(lambda: "lion_stream_clients 1" in running.ask("GET", "/metrics")[1])

    # the other tab asks the server between the end of the session and its answer to the first tab
    answers: list[tuple[Route, APIResponse]] = []
    first.route("**/api/logout", lambda route: answers.append((route, route.fetch())))
    first.get_by_role("button", name="Sign out").click()
    heading(second).to_have_text("This browser is not signed in")
    [(route, answer)] = answers
    route.fulfill(response=answer)
    heading(first).to_have_text("This browser is not signed in")
    wait_until(lambda: "lion_stream_clients 0" in running.ask("GET", "/metrics")[1])
    assert running.ask("GET", "/api/admin/studio-sessions")[1]["sessions"] == []
    assert first.evaluate("localStorage.getItem('lion-session')") is None


def test_revoked_session_shows_the_sign_in_page(visit: Visit, running: Running) -> None:
    page = follow_link(visit(as_studio(running), signed_in=False), running.login)
    other = visit(as_studio(running))
    admin = other.open("admin")
    buttons = admin.get_by_role("region", name="Sessions").get_by_role("button")
    expect(buttons).to_have_count(2)
    rows = admin.get_by_role("region", name="Sessions").get_by_role("listitem")
    rows.filter(has_not_text="this browser").get_by_role("button").click()

    expect(buttons).to_have_count(1)
    heading(page).to_have_text("Your session has ended")
    heading(other.open("runs")).to_have_text("Runs")


def test_expired_session_shows_the_sign_in_page(visit: Visit, running: Running) -> None:
    watched = visit(as_studio(running), signed_in=False)
    page = follow_link(watched, running.login)
    page.get_by_role("link", name="Runs", exact=True).click()
    heading(page).to_have_text("Runs")
    with Database(str(running.home / "state.db")) as db:
        db.write(lambda conn: conn.execute("UPDATE studio_sessions SET last_seen_at = 1, expires_at = 2").fetchall())
    # a change makes the page ask again, unless its stream has ended already
    li(as_studio(running).settings, "agent", "script", "@say hello")

    heading(page).to_have_text("Your session has ended")
    assert_accessible(page)
    page.get_by_label("Or paste the token").fill("wrong-token-0123456789-abcdef")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("The token is wrong")).to_be_visible()
    page.get_by_label("Or paste the token").fill(running.token)
    page.get_by_role("button", name="Sign in").click()
    heading(page).to_have_text("Runs")


def test_session_and_stream_survive_a_restart(visit: Visit, tmp_path: Path) -> None:
    asked: list[dict[str, str]] = []
    settings = settings_in(tmp_path)
    with serve(tmp_path) as first:
        page = follow_link(visit(as_studio(first), signed_in=False), first.login)
        li(settings, "agent", "script", "@say one", "--name", "before")
        expect(page.get_by_role("link", name="before").first).to_be_visible()
        port = first.port
    page.on("request", lambda request: asked.append(request.headers) if "/api/events" in request.url else None)
    li(settings, "agent", "script", "@say two", "--name", "meanwhile")
    with serve(tmp_path, port=port):
        expect(page.get_by_role("link", name="meanwhile").first).to_be_visible(timeout=20_000)

    assert asked
    assert all(headers.get("lion-session") and int(headers["last-event-id"]) > 0 for headers in asked)


def test_export_downloads_with_the_secret(visit: Visit, running: Running) -> None:
    watched = visit(as_studio(running))
    li(as_studio(running).settings, "agent", "script", "@say words to keep", "--name", "kept")
    session_id = running.ask("GET", "/api/runs")[1]["runs"][0]["id"]
    page = watched.open(f"runs/{session_id}")
    page.get_by_role("button", name="More actions").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="Markdown").click()

    assert download.value.suggested_filename.endswith(".md")
    assert "words to keep" in download.value.path().read_text()


# ── Another local user ───────────────────────────────────────────────────

# Stands in for the browser that xdg-open starts; it is slow, as browsers are.
_BROWSER = """\
#!/bin/sh
printf '%s' "$1" > "$OPENED.part"; mv "$OPENED.part" "$OPENED"
sleep 4
"""
# All that another user can see: the arguments of every process, and whatever the named file lets them read.
_SPY = """\
import glob, sys
seen = b""
for path in glob.glob("/proc/[0-9]*/cmdline"):
    try:
        seen += open(path, "rb").read() + b"\\n"
    except OSError:
        pass
for path in sys.argv[1:]:
    try:
        seen += open(path, "rb").read()
    except OSError as error:
        seen += error.strerror.encode() + b"\\n"
sys.stdout.buffer.write(seen)
"""


@pytest.mark.skipif(os.getuid() != 0, reason="becoming another user needs root")
def test_another_user_finds_no_code_in_the_process_list(
    visit: Visit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, opened = tmp_path / "browser", tmp_path / "opened"
    program.write_text(_BROWSER)
    program.chmod(0o755)
    home = Path(settings_in(tmp_path).home)
    home.chmod(0o700)
    monkeypatch.setenv("BROWSER", f"{program} %s")
    monkeypatch.setenv("OPENED", str(opened))
    with serve(tmp_path, "--open") as running:
        wait_until(opened.exists)
        target = opened.read_text()
        path = target.removeprefix("file://")
        # the interpreter of the tests may be in a folder that only its owner can enter
        spy = ["/usr/bin/python3", "-c", _SPY, path, str(home / "studio.token")]
        spied = subprocess.run(spy, user=NOBODY, capture_output=True, cwd="/", check=True).stdout
        code = running.login.partition("code=")[2]
        assert len(code) > 20
        assert str(program).encode() in spied, "the attack sees the arguments of the browser"
        assert code.encode() not in spied
        assert spied.count(b"Permission denied") == 2

        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        page = visit(as_studio(running), signed_in=False).context.new_page()
        page.goto(target)
        heading(page).to_have_text("Home")
        assert page.url == running.url
        wait_until(lambda: not Path(path).exists())


def wait_until(condition: Callable[[], bool], seconds: float = 15) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
