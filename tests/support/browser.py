"""Browser tests: the built page, the server, and a browser context that records violations."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, BrowserContext, Error, Page, Request, sync_playwright
from tests.support.studio import Running, settings_in, until_answering

import browser
import web
from lionstudio.settings import Settings

AXE = web.SOURCES / "node_modules" / "axe-core" / "axe.min.js"
_CACHE = web.ROOT / ".cache" / "pages"
# `li studio` with the page of another folder.
_START = """
import sys
from lionstudio.cli.main import main
from lionstudio.studio.http import static
static.STATIC = sys.argv.pop(1)
sys.exit(main())
"""


@functools.cache
def built_page() -> Path:
    """The page of the current sources: the folder in $LION_PAGE, the result of `make web`, or a cached build."""
    if folder := os.environ.get("LION_PAGE"):
        return Path(folder)
    if not web.is_stale():
        return web.STATIC
    place = _CACHE / web.fingerprint()[:16]
    if not place.is_dir():
        web.install()
        for old in sorted(_CACHE.glob("*"), key=lambda path: path.stat().st_mtime)[:-5]:
            shutil.rmtree(old, ignore_errors=True)
        making = _CACHE / f"making-{os.getpid()}"
        vite = web.SOURCES / "node_modules" / "vite" / "bin" / "vite.js"
        command = [str(web.node()), str(vite), "build", "--outDir", str(making), "--emptyOutDir"]
        done = subprocess.run(command, cwd=web.SOURCES, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        with contextlib.suppress(OSError):  # another worker has built it
            making.rename(place)
    return place


@contextlib.contextmanager
def serve(folder: Path, *options: str, port: int = 0) -> Iterator[Running]:
    """Run `li studio` as a process, with the page of the current sources."""
    settings = settings_in(folder)
    environment = {**os.environ, "LIONAGI_HOME": settings.home, "LIONAGI_SHOWS": settings.shows}
    command = [sys.executable, "-c", _START, str(built_page()), "studio", "--json", "--no-open", "--port", str(port)]
    with (folder / "server.log").open("a") as log:
        process = subprocess.Popen(
            [*command, *options], stdout=subprocess.PIPE, stderr=log, text=True, env=environment, cwd=folder
        )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, (folder / "server.log").read_text()
        addresses = json.loads(line)
        running = Running(process, addresses["listens_at"], addresses["login"], Path(settings.home))
        until_answering(running)
        yield running
    finally:
        process.kill()
        process.wait()
        process.stdout.close()  # type: ignore[union-attr]


class Studio(NamedTuple):
    """A server, its settings and the seeded data."""

    running: Running
    settings: Settings
    seeded: Any


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """One browser for all tests of a session."""
    path = browser.find()
    assert path, "Chromium is not installed; run `make e2e`"
    with sync_playwright() as playwright:
        instance = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield instance
        instance.close()


class Watched:
    """A browser context that records errors, dialogs, policy violations and requests to other hosts."""

    def __init__(self, browser: Browser, running: Running, **options: Any) -> None:
        self.running = running
        self.context: BrowserContext = browser.new_context(**{"viewport": {"width": 1440, "height": 900}, **options})
        self.violations: list[str] = []
        self._leaving = False
        self.context.add_init_script(
            "addEventListener('securitypolicyviolation', (e) => "
            "console.error(`policy: ${e.violatedDirective} ${e.blockedURI} ${e.sourceFile}:${e.lineNumber}`))"
        )

    def sign_in(self) -> None:
        """Get a session for the token; its cookie and its secret, as the sign-in page stores them."""
        answer = self.context.request.post(
            f"{self.running.url}api/login", headers={"Authorization": f"Bearer {self.running.token}"}
        )
        assert answer.status == 200, answer.text()
        stored = f"localStorage.setItem('lion-session', {json.dumps(answer.json()['secret'])})"
        self.context.add_init_script(f"if (location.href.startsWith({json.dumps(self.running.url)})) {stored}")

    def page(self) -> Page:
        """Open a tab."""
        page = self.context.new_page()
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: self.violations.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self._dialog(dialog.message))
        page.on("request", self._request)
        page.on("console", lambda message: self._console(message.type, f"{message.text} at {page.url}"))
        return page

    def open(self, path: str = "") -> Page:
        """Open a tab at a path and wait for its heading."""
        page = self.page()
        page.goto(self.running.url + path.lstrip("/"))
        page.get_by_role("heading", level=1).first.wait_for()
        return page

    def _dialog(self, message: str) -> None:
        self.violations.append(f"dialog: {message}")

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self.running.url, "data:", "blob:")):
            self.violations.append(f"foreign request: {request.url}")

    def _console(self, kind: str, text: str) -> None:
        # The browser itself reports failed requests: tests stop servers, and a page may close during a request.
        if kind == "error" and "Failed to load resource" not in text and not self._leaving:
            self.violations.append(f"console: {text}")

    def close(self) -> None:
        """Close the context and fail the test if it recorded a violation."""
        self._leaving = True
        with contextlib.suppress(Error):
            self.context.close()
        assert not self.violations, "\n".join(self.violations)


def assert_accessible(page: Page, *, without: tuple[str, ...] = ()) -> None:
    """Assert that axe finds no violation of WCAG 2 A and AA on the page."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
    options = {"runOnly": {"type": "tag", "values": tags}, "rules": {rule: {"enabled": False} for rule in without}}
    result = page.evaluate("(options) => axe.run(document, options)", options)
    violations = [
        f"{violation['id']}: {violation['help']} at {node['target']} {node['html'][:160]}"
        for violation in result["violations"]
        for node in violation["nodes"][:3]
    ]
    assert not violations, "\n".join(violations)
