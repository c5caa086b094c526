"""A Studio for tests: its application in this process, or a real server process; both with a home of their own."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from starlette.testclient import TestClient

from lionstudio.settings import Settings, load_settings
from lionstudio.studio.app import create_app
from lionstudio.studio.services import Services, open_services

TOKEN = "test-token-0123456789-abcdefghij"
BASE = "http://127.0.0.1:8721"
AUTH = {"Authorization": f"Bearer {TOKEN}"}


# set by a fixture for tests whose application uses a server: makes an empty database, returns its URL
new_server_database: Callable[[], str] | None = None


def settings_in(folder: Path) -> Settings:
    """Settings whose every place lies in a folder."""
    home, shows = folder / "home", folder / "shows"
    home.mkdir(parents=True, exist_ok=True)
    shows.mkdir(exist_ok=True)
    return load_settings({"home": str(home), "shows": str(shows)}, environ={}, cwd=str(folder))


class InProcess(NamedTuple):
    """The application and what is behind it."""

    client: TestClient
    services: Services

    def sign_in(self, headers: Mapping[str, str] | None = None, **body: Any) -> dict[str, str]:
        """The two headers of a new session, by default for the token."""
        answer = self.client.post("/api/login", headers=AUTH if headers is None else headers, **body)
        assert answer.status_code == 200, answer.text
        self.client.cookies.clear()
        cookie = answer.headers["set-cookie"].partition(";")[0]
        return {"Cookie": cookie, "Lion-Session": answer.json()["secret"]}

    def get(self, path: str, **more: Any) -> Any:
        """What a signed-in page gets, as JSON; it must succeed."""
        answer = self.client.get(path, headers=AUTH, **more)
        assert answer.status_code == 200, answer.text
        return answer.json()


@contextlib.contextmanager
def application(folder: Path, *, read_only: bool = False, **settings: Any) -> Iterator[InProcess]:
    """The application, started, with a client whose requests arrive at 127.0.0.1:8721."""
    chosen = settings_in(folder)
    if new_server_database is not None:
        chosen = chosen._replace(db=new_server_database())
    services = open_services(chosen._replace(**settings), TOKEN, read_only=read_only)
    with TestClient(create_app(services), base_url=BASE, raise_server_exceptions=True) as client:
        yield InProcess(client, services)


_START = "import sys; from lionstudio.cli.main import main; sys.exit(main())"


class Running(NamedTuple):
    """A server process."""

    process: subprocess.Popen[str]
    url: str
    login: str
    home: Path

    @property
    def port(self) -> int:
        """Where it listens."""
        port = urlsplit(self.url).port
        assert port is not None
        return port

    @property
    def token(self) -> str:
        """Its token, as a script would read it."""
        return (self.home / "studio.token").read_text().strip()

    def connect(self, timeout: float = 20) -> http.client.HTTPConnection:
        """A new connection."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, Any]:
        """The status and the JSON (or text) of an answer."""
        with contextlib.closing(self.connect()) as connection:
            sent = None if body is None else json.dumps(body)
            given = {"Authorization": f"Bearer {self.token}", **(headers or {})}
            if sent is not None:
                given.setdefault("Content-Type", "application/json")
            connection.request(method, path, sent, given)
            response = connection.getresponse()
            text = response.read().decode()
            is_json = "json" in (response.headers.get_content_type() or "")
            return response.status, json.loads(text) if is_json and text else text

    def stop(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, float]:
        """The exit code, and the seconds that it took."""
        began = time.monotonic()
        self.process.send_signal(number)
        code = self.process.wait(timeout=30)
        return code, time.monotonic() - began


@contextlib.contextmanager
def server(folder: Path, *options: str, port: int = 0, descriptors: int | None = None) -> Iterator[Running]:
    """`li studio` as a process of its own, with a limit of open files where one is given."""
    settings = settings_in(folder)
    environment = {**os.environ, "LIONAGI_HOME": settings.home, "LIONAGI_SHOWS": settings.shows}
    limit = [] if descriptors is None else ["prlimit", f"--nofile={descriptors}"]
    words = [*limit, sys.executable, "-P", "-c", _START, "studio", "--json", "--no-open", "--port", str(port), *options]
    with (folder / "server.log").open("a") as log:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=log, text=True, env=environment, cwd=folder)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, (folder / "server.log").read_text()
        said = json.loads(line)
        yield Running(process, said["listens_at"], said["login"], Path(settings.home))
    finally:
        process.kill()
        process.wait()
        process.stdout.close()  # type: ignore[union-attr]


def until_answering(running: Running) -> None:
    """Wait until the database is open and followed."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            status, text = running.ask("GET", "/metrics")
            if status == 200 and "lion_changes_seq" in text:
                return
        time.sleep(0.05)
    raise AssertionError("the server did not answer in time")
