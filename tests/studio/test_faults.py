"""Faults: a locked, damaged, foreign or full database, endless bodies; the server reports them and stays up."""

from __future__ import annotations

import contextlib
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from fastapi import FastAPI
from tests.support.builders import begin, write_lock
from tests.support.postgres_server import PostgresServer
from tests.support.studio import AUTH, InProcess, Running, application, server, until_answering

from lionstudio.errors import StorageFailed
from lionstudio.state.connection import Connection
from lionstudio.studio.http.body_limit import BodyLimit

NO_DATABASE = (
    "/healthz",
    "/api/agents",
    "/api/playbooks",
    "/api/skills",
    "/api/plugins",
    "/api/admin/logs",
    "/api/launches",
)


@contextlib.contextmanager
def on_file(folder: Path, content: bytes) -> Iterator[InProcess]:
    (folder / "home").mkdir()
    (folder / "home" / "state.db").write_bytes(content)
    with application(folder) as running:
        yield running


def check_unavailable(studio: InProcess, *codes: str) -> None:
    for path in ("/api/runs", "/api/dashboard", "/api/shows", "/api/sessions/x", "/api/events", "/metrics"):
        answer = studio.client.get(path, headers=AUTH)
        assert answer.status_code == 503, (path, answer.text)
        assert answer.json()["code"] in (*codes, "busy")
        assert int(answer.headers["retry-after"]) > 0
    for path in NO_DATABASE:
        assert studio.client.get(path, headers=AUTH).status_code == 200, path


def openapi(studio: InProcess) -> dict[str, Any]:
    app = studio.client.app
    assert isinstance(app, FastAPI)
    return app.openapi()


def test_damaged_database_is_reported(tmp_path: Path) -> None:
    with on_file(tmp_path, b"not a database at all, " * 500) as studio:
        check_unavailable(studio, "corrupt")


def test_foreign_database_is_reported_and_untouched(tmp_path: Path) -> None:
    other = apsw.Connection(str(tmp_path / "other.db"))
    other.execute("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)")
    other.close()
    content = (tmp_path / "other.db").read_bytes()
    with on_file(tmp_path, content) as studio:
        check_unavailable(studio, "wrong_version")
        sent = studio.client.post("/api/admin/checkpoint", headers=AUTH, json={})

    assert sent.status_code == 503
    assert (tmp_path / "home" / "state.db").read_bytes() == content


def test_full_disk_is_507(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(conn: Connection, **_: object) -> None:
        raise StorageFailed("the disk that holds it is full", hint="free some space")

    with application(tmp_path) as studio:
        monkeypatch.setattr("lionstudio.studio.routes.admin.mark_stale_runs", full)
        answer = studio.client.post("/api/admin/doctor/transition", headers=AUTH, json={"dry_run": False})

    assert (answer.status_code, answer.json()["code"], answer.headers["retry-after"]) == (507, "storage_failed", "5")


@pytest.mark.postgres
def test_server_that_is_away_is_503_until_it_is_back(tmp_path: Path) -> None:
    hub = PostgresServer()
    try:
        with application(tmp_path, db=hub.local_url(hub.create())) as studio:
            begin(studio.services.db.database(), "there")
            assert studio.client.get("/api/runs", headers=AUTH).status_code == 200

            hub.stop()
            check_unavailable(studio, "unavailable")
            refused = studio.client.post("/api/admin/doctor/transition", headers=AUTH, json={"dry_run": False})
            assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
            for path in [path for path, route in openapi(studio)["paths"].items() if "get" in route]:
                status = studio.client.get(re.sub(r"\{\w+\}", "there", path), headers=AUTH).status_code
                assert status < 500 or status == 503, path

            hub.start()
            assert studio.client.get("/api/sessions/there", headers=AUTH).status_code == 200
    finally:
        hub.close()


def test_reads_continue_while_the_write_lock_is_held(tmp_path: Path) -> None:
    with application(tmp_path) as studio:
        begin(studio.services.db.database(), "there")
        with write_lock(studio.services.settings.db):
            runs = studio.get("/api/runs")["runs"]

    assert [run["id"] for run in runs] == ["there"]


def test_unexpected_error_hides_the_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("secret detail")

    with application(tmp_path) as studio:
        monkeypatch.setattr("lionstudio.studio.routes.runs.list_part", broken)
        answer = studio.client.get("/api/runs", headers=AUTH)
        log = Path(studio.services.audit_log.path).read_text()

    assert (answer.status_code, answer.json()["code"]) == (500, "bug")
    assert "secret detail" not in answer.text
    assert "secret detail" in log


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with server(tmp_path_factory.mktemp("faults")) as started:
        until_answering(started)
        yield started


def spoken(running: Running, *pieces: bytes, pause: float = 0) -> bytes:
    """The first response line to raw bytes."""
    with socket.create_connection(("127.0.0.1", running.port), timeout=20) as connection:
        with contextlib.suppress(OSError):
            for piece in pieces:
                connection.sendall(piece)
                time.sleep(pause)
        try:
            return connection.recv(200).partition(b"\r\n")[0]
        except ConnectionResetError:
            return b"reset"


def head(running: Running, *lines: str) -> bytes:
    first = ["POST /api/launches HTTP/1.1", f"Host: 127.0.0.1:{running.port}"]
    more = [f"Authorization: Bearer {running.token}", "Content-Type: application/json", *lines]
    return "\r\n".join([*first, *more, "", ""]).encode()


def test_server_cuts_off_large_and_endless_requests(running: Running) -> None:
    large = spoken(running, head(running, "Content-Length: 100000000"), b"x" * 100_000)
    chunk = b"10000\r\n" + b" " * 65_536 + b"\r\n"
    endless = spoken(running, head(running, "Transfer-Encoding: chunked"), *([chunk] * 40))
    lines = spoken(running, b"GET / HTTP/1.1\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(10_000)) + b"\r\n")
    address = spoken(running, b"GET /" + b"a" * 1_000_000 + b" HTTP/1.1\r\n\r\n")

    assert b"413" in large
    assert b"413" in endless or endless == b"reset"
    assert b"400" in lines or b"421" in lines or b"431" in lines or lines == b"reset"
    assert b"400" in address or address == b"reset"
    assert running.ask("GET", "/healthz")[0] == 200


def test_server_times_out_a_slow_body(tmp_path: Path) -> None:
    import asyncio

    sent: list[dict[str, object]] = []

    async def never() -> dict[str, object]:
        await asyncio.sleep(60)
        raise AssertionError

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    async def app(*_: object) -> None:
        raise AssertionError("a route must not begin")

    scope = {"type": "http", "method": "POST", "path": "/", "headers": []}
    asyncio.run(BodyLimit(app, seconds=0.05)(scope, never, send))  # type: ignore[arg-type]

    assert sent[0]["status"] == 408
