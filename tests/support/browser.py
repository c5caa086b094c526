"""The page in a real browser: the files that are served, the server, and a browser that notes what it must not see."""

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
# Serves the files of a folder as the page; otherwise it is `li studio`.
_START = """
import sys
from lionstudio.cli.main import main
from lionstudio.studio.http import static
static.STATIC = sys.argv.pop(1)
sys.exit(main())
"""


@functools.cache
def built_page() -> Path:
    """The page of the sources as they are: what `make web` built, or a build of our own beside it; or the one named."""
    if named := os.environ.get("LION_PAGE"):
        return Path(named)
    if not web.is_stale():
        return web.STATIC
    place = _CACHE / web.fingerprint()[:16]
    if not place.is_dir():
        web.install()
        for old in sorted(_CACHE.glob("*"), key=lambda path: path.stat().st_mtime)[:-5]:
            shutil.rmtree(old, ignore_errors=True)
        making = _CACHE / f"making-{os.getpid()}"
        vite = web.SOURCES / "node_modules" / "vite" / "bin" / "vite.js"
        words = [str(web.node()), str(vite), "build", "--outDir", str(making), "--emptyOutDir"]
        done = subprocess.run(words, cwd=web.SOURCES, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        with contextlib.suppress(OSError):  # another worker was as quick
            making.rename(place)
    return place


@contextlib.contextmanager
def serve(folder: Path, *options: str, port: int = 0) -> Iterator[Running]:
    """`li studio` as a process of its own, with the page of the sources."""
    settings = settings_in(folder)
    environment = {**os.environ, "LIONAGI_HOME": settings.home, "LIONAGI_SHOWS": settings.shows}
    words = [sys.executable, "-c", _START, str(built_page()), "studio", "--json", "--no-open", "--port", str(port)]
    with (folder / "server.log").open("a") as log:
        process = subprocess.Popen(
            [*words, *options], stdout=subprocess.PIPE, stderr=log, text=True, env=environment, cwd=folder
        )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, (folder / "server.log").read_text()
        said = json.loads(line)
        running = Running(process, said["url"], said["login"], Path(settings.home))
        until_answering(running)
        yield running
    finally:
        process.kill()
        process.wait()
        process.stdout.close()  # type: ignore[union-attr]


class Studio(NamedTuple):
    """A server with a home, and what is in it."""

    running: Running
    settings: Settings
    seeded: Any


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """A browser for a whole session of tests."""
    path = browser.find()
    assert path, "there is no Chromium; `make e2e` installs one"
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield found
        found.close()


class Watched:
    """A browser context, signed in, that notes everything a page of ours must never do."""

    def __init__(self, browser: Browser, running: Running, **options: Any) -> None:
        self.running = running
        self.context: BrowserContext = browser.new_context(**{"viewport": {"width": 1440, "height": 900}, **options})
        self.breaches: list[str] = []
        self._leaving = False
        self.context.add_init_script(
            "addEventListener('securitypolicyviolation', (e) => "
            "console.error(`policy: ${e.violatedDirective} ${e.blockedURI} ${e.sourceFile}:${e.lineNumber}`))"
        )

    def sign_in(self) -> None:
        """As a browser that followed the link; the token makes as many cookies as tests need."""
        answer = self.context.request.post(
            f"{self.running.url}api/login", headers={"Authorization": f"Bearer {self.running.token}"}
        )
        assert answer.status == 204, answer.text()

    def page(self) -> Page:
        """A new tab."""
        page = self.context.new_page()
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: self.breaches.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self._dialog(dialog.message))
        page.on("request", self._request)
        page.on("console", lambda said: self._console(said.type, f"{said.text} at {page.url}"))
        return page

    def open(self, path: str = "") -> Page:
        """A tab at an address of the page, with its heading there."""
        page = self.page()
        page.goto(self.running.url + path.lstrip("/"))
        page.get_by_role("heading", level=1).first.wait_for()
        return page

    def _dialog(self, message: str) -> None:
        self.breaches.append(f"dialog: {message}")

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self.running.url, "data:", "blob:")):
            self.breaches.append(f"foreign request: {request.url}")

    def _console(self, kind: str, text: str) -> None:
        # A server that is stopped on purpose cannot be reached, and the browser says so by itself.
        # Nor can what a page was still fetching when it was left.
        if kind == "error" and "Failed to load resource" not in text and not self._leaving:
            self.breaches.append(f"console: {text}")

    def close(self) -> None:
        """End; what was noted is the failure of the test."""
        self._leaving = True
        with contextlib.suppress(Error):
            self.context.close()
        assert not self.breaches, "\n".join(self.breaches)


def assert_accessible(page: Page, *, without: tuple[str, ...] = ()) -> None:
    """No finding of axe by WCAG 2 A and AA, on the page as it is now."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
    options = {"runOnly": {"type": "tag", "values": tags}, "rules": {rule: {"enabled": False} for rule in without}}
    found = page.evaluate("(options) => axe.run(document, options)", options)
    said = [
        f"{each['id']}: {each['help']} at {node['target']} {node['html'][:160]}"
        for each in found["violations"]
        for node in each["nodes"][:3]
    ]
    assert not said, "\n".join(said)
