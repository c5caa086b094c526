"""`li studio` as a real process: its address, its host check, and its stop."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest

import lionstudio
from lionstudio.errors import Busy, InvalidInput
from lionstudio.studio import server

START = "import sys; from lionstudio.cli.main import main; sys.exit(main(['studio', *sys.argv[1:]]))"


@dataclass(frozen=True)
class Studio:
    process: subprocess.Popen[str]
    url: str

    @property
    def port(self) -> int:
        port = urlsplit(self.url).port
        assert port is not None
        return port

    def get(self, path: str, host: str | None = None) -> tuple[http.client.HTTPResponse, str]:
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)) as connection:
            connection.request("GET", path, headers={"Host": host} if host else {})
            response = connection.getresponse()
            return response, response.read().decode()

    def stop(self, number: signal.Signals) -> tuple[int, float, str]:
        """The exit code, the duration in seconds, and stderr."""
        began = time.monotonic()
        self.process.send_signal(number)
        _, said = self.process.communicate(timeout=30)
        return self.process.returncode, time.monotonic() - began, said


@contextlib.contextmanager
def started(*options: str) -> Iterator[Studio]:
    command = [sys.executable, "-W", "error", "-c", START, *options]
    with (
        tempfile.TemporaryDirectory() as home,
        subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "LIONAGI_HOME": home, "LIONAGI_SHOWS": f"{home}/shows"},
        ) as process,
    ):
        try:
            assert process.stdout is not None
            name, _, url = process.stdout.readline().strip().partition("\t")
            assert name == "address", process.stderr and process.stderr.read()
            yield Studio(process, url)
        finally:
            process.kill()


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    with started("--port", "0") as running:
        yield running


def test_healthz_answers_ok(studio: Studio) -> None:
    response, body = studio.get("/healthz")

    assert response.status == 200
    assert json.loads(body) == {"status": "ok", "version": lionstudio.__version__}


def test_placeholder_page_has_no_inline_script(studio: Studio) -> None:
    """The page may or may not be built where the tests run."""
    response, body = studio.get("/")

    assert response.status == 200
    assert response.headers.get_content_type() == "text/html"
    assert "li state ls" in body
    assert not re.search(r"<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=", body)


@pytest.mark.parametrize(("path", "host"), [("/", None), ("/nothing-here", None), ("/", "other.example")])
def test_every_response_has_security_headers(studio: Studio, path: str, host: str | None) -> None:
    response, _ = studio.get(path, host)

    policy = (response.headers["Content-Security-Policy"] or "").split("; ")
    assert {"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"} <= set(policy)
    styles = next(each for each in policy if each.startswith("style-src"))
    assert styles.split()[1] == "'self'"
    assert "unsafe" not in styles
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST:{port}", "[::1]:{port}"])
def test_server_answers_its_own_host_names(studio: Studio, host: str) -> None:
    response, _ = studio.get("/healthz", host.format(port=studio.port))

    assert response.status == 200


@pytest.mark.parametrize(
    "host",
    [
        "other.example",
        "other.example:{port}",
        "localhost.other.example:{port}",
        "127.0.0.1.other.example:{port}",
        "user@127.0.0.1:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
    ],
)
@pytest.mark.parametrize("path", ["/", "/healthz"])
def test_server_refuses_foreign_hosts(studio: Studio, path: str, host: str) -> None:
    response, body = studio.get(path, host.format(port=studio.port))

    assert response.status == 421
    assert "built yet" not in body
    assert "version" not in body


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_server_exits_with_success_on_a_signal(number: signal.Signals) -> None:
    with started("--port", "0") as running:
        running.get("/healthz")
        code, seconds, said = running.stop(number)

    assert code == 0
    assert seconds < 15  # five on a quiet machine
    assert "Traceback" not in said


@pytest.mark.parametrize("sent", [b"", b"GET /healthz HTTP/1.1\r\nHost:", b"GET /healthz HTTP/1.1\r\n"])
def test_server_stops_with_an_open_connection(sent: bytes) -> None:
    with started("--port", "0") as running, socket.create_connection(("127.0.0.1", running.port)) as idle:
        idle.sendall(sent)
        running.get("/healthz")
        code, seconds, _ = running.stop(signal.SIGTERM)

    assert code == 0
    assert seconds < 15  # five on a quiet machine


def test_listen_uses_the_next_free_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        busy = other.getsockname()[1]
        with started("--port", str(busy)) as running:
            response, _ = running.get("/healthz")
            _, _, said = running.stop(signal.SIGTERM)

    assert response.status == 200
    assert busy < running.port <= busy + 20
    assert f"Port {busy} is busy" in said
    assert str(running.port) in said


def test_listen_reuses_a_port_after_a_stop() -> None:
    with started("--port", "0") as first:
        page = http.client.HTTPConnection("127.0.0.1", first.port, timeout=10)
        page.request("GET", "/healthz")
        page.getresponse().read()
        # The connection is still open, so the server closes first and leaves the port in TIME_WAIT.
        first.stop(signal.SIGTERM)
        page.close()
    with server.listen("127.0.0.1", first.port) as again:
        assert again.getsockname()[1] == first.port


def test_listen_reports_when_no_port_is_free() -> None:
    with contextlib.ExitStack() as held:
        # The last port has no successor: if it is busy, no port is left.
        with contextlib.suppress(OSError):
            held.enter_context(socket.create_server(("127.0.0.1", 65535)))
        with pytest.raises(Busy, match="in use") as caught:
            server.listen("127.0.0.1", 65535)

    assert "--port" in (caught.value.hint or "")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "other.example", "", "127.0.0.1:80"])
def test_listen_rejects_non_loopback_addresses(host: str) -> None:
    with pytest.raises(InvalidInput, match="is not a loopback address"):
        server.listen(host, 0)


def test_public_address_needs_a_token_file() -> None:
    with pytest.raises(InvalidInput, match="is not a loopback address"):
        server.listen("0.0.0.0", 0)
    with server.listen("0.0.0.0", 0, wide=True) as listener:
        assert server.is_public_address(listener)
    with server.listen("127.0.0.1", 0, wide=True) as listener:
        assert not server.is_public_address(listener)


@pytest.mark.parametrize("port", ["-1", "65536", "http", "", "²"])
def test_invalid_port_is_a_usage_error(port: str) -> None:
    done = subprocess.run([sys.executable, "-c", START, f"--port={port}"], capture_output=True, text=True, timeout=30)

    assert done.returncode == 2
    assert "use a number from 0 to 65535" in done.stderr


def test_studio_help_does_not_load_the_server() -> None:
    heavy = "{'uvicorn', 'fastapi', 'asyncio', 'webbrowser'}"
    code = f"import sys, lionstudio.cli.studio; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "set()"
