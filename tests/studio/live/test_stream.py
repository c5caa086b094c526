"""Event streams over real sockets: in order, exactly once, resumed, ended; slow clients cost little."""

from __future__ import annotations

import contextlib
import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.support.builders import begin, said, say, write
from tests.support.postgres_server import PostgresServer
from tests.support.studio import Running, server, until_answering

from lionstudio.model.json_codec import load
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.statuses import PlayStatus
from lionstudio.state.backends import open_database
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.sessions import finish_session
from lionstudio.state.shows import put_play, put_show, transition_play, transition_show

Event = tuple[str, int | None, object]


class Listening:
    """A client of one stream that stores its events."""

    def __init__(self, running: Running, path: str, last: int | None = None, seconds: float = 20) -> None:
        self.connection = running.connect(timeout=seconds)
        headers = {"Authorization": f"Bearer {running.token}"}
        if last is not None:
            headers["Last-Event-ID"] = str(last)
        self.connection.request("GET", path, headers=headers)
        self.response = self.connection.getresponse()
        if self.response.status != 200:
            said = self.response.read()
            self.close()
            raise AssertionError(said)
        assert self.response.headers.get_content_type() == "text/event-stream"

    def __iter__(self) -> Iterator[Event]:
        name, seq, data = "", None, ""
        while line := self.response.readline():
            text = line.decode().rstrip("\n")
            field, _, value = text.partition(": ")
            if field == "event":
                name = value
            elif field == "id":
                seq = int(value)
            elif field == "data":
                data = value
            elif not text and name:
                yield name, seq, load(data)
                name, seq, data = "", None, ""

    def take(self, count: int) -> list[Event]:
        """The next n events."""
        events: list[Event] = []
        for event in self:
            events.append(event)
            if len(events) == count:
                break
        return events

    def close(self) -> None:
        self.response.close()
        self.connection.close()


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def address(request: pytest.FixtureRequest) -> str | None:
    """The address of a hub, None for the file in the home."""
    if request.param == "sqlite":
        return None
    hub: PostgresServer = request.getfixturevalue("postgres_server")
    return hub.local_url(hub.create())


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, address: str | None) -> Iterator[Running]:
    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:  # not for other servers of this module
            if address is not None:
                patch.setenv("LIONAGI_DB", address)
            started = stack.enter_context(server(tmp_path_factory.mktemp("live")))
        until_answering(started)
        yield started


@pytest.fixture
def store(running: Running, address: str | None) -> Iterator[Database]:
    with open_database(address or str(running.home / "state.db")) as database:
        yield database


def test_stream_of_a_mirrored_session_is_not_done_while_messages_are_recent(running: Running, store: Database) -> None:
    """The tool may run where its process is not seen, such as in a container."""
    begun = begin(store, "mirrored", source_kind="imported_claude")
    say(store, begun.branch_id, "m1", created_at=time.time())
    write(store, finish_session, "mirrored", "completed")
    seq = running.ask("GET", "/api/sessions/mirrored/messages")[1]["seq"]
    stream = Listening(running, f"/api/sessions/mirrored/stream?after={seq}")
    write(store, append, begun.branch_id, said("m2", id="m2"), late=True)
    [(name, _, message)] = stream.take(1)
    stream.close()
    assert (name, message["id"]) == ("message", "m2")  # type: ignore[index]


def test_session_stream_has_every_message_in_order_until_done(running: Running, store: Database) -> None:
    begun = begin(store, "heard")
    say(store, begun.branch_id, "h1")
    status, before = running.ask("GET", "/api/sessions/heard/messages")
    assert (status, [message["id"] for message in before["messages"]]) == (200, ["h1"])
    stream = Listening(running, f"/api/sessions/heard/stream?after={before['seq']}")
    say(store, begun.branch_id, "h2", "h3")
    write(store, finish_session, "heard", "completed")
    events = list(stream)
    stream.close()

    messages = [data["id"] for name, _, data in events if name == "message" and isinstance(data, dict)]
    assert messages == ["h2", "h3"]
    assert events[-1][0] == "done"
    numbers = [seq for _, seq, _ in events if seq is not None]
    assert numbers == sorted(numbers)
    same = running.ask("GET", "/api/sessions/heard/messages?after=1")[1]["messages"][0]
    assert [data for name, _, data in events if name == "message"][1] == same


def test_stream_resumes_at_last_event_id_without_repeats(running: Running, store: Database) -> None:
    begun = begin(store, "back")
    say(store, begun.branch_id, *(f"b{number}" for number in range(200)))
    write(store, finish_session, "back", "completed")
    seen: list[object] = []
    last: int | None = 0
    for _ in range(8):
        stream = Listening(running, "/api/sessions/back/stream?after=0", last=last)
        for name, seq, data in stream.take(29):
            last = seq
            if name == "message" and isinstance(data, dict):
                seen.append(data["id"])
        stream.close()
        if len(seen) >= 200:
            break

    assert seen == [f"b{number}" for number in range(200)]


def test_stream_resyncs_after_an_unknown_seq(running: Running) -> None:
    stream = Listening(running, "/api/events?after=99999999")
    events = list(stream)
    stream.close()

    assert [name for name, _, _ in events] == ["resync"]


def test_events_include_every_entity(running: Running, store: Database) -> None:
    stream = Listening(running, "/api/events")
    begun = begin(store, "fed")
    say(store, begun.branch_id, "f1")
    events = stream.take(3)
    stream.close()

    assert [(name, data["kind"]) for name, _, data in events if isinstance(data, dict)] == [
        ("session", "created"),
        ("branch", "created"),
        ("message", "appended"),
    ]


def test_show_stream_ends_with_the_show(running: Running, store: Database) -> None:
    show = write(store, put_show, Show(topic="staged", show_dir="/tmp/staged"))
    write(store, put_play, Play(show_id=show.id, name="one"))
    begin(store, "elsewhere")
    stream = Listening(running, "/api/shows/staged/stream")
    write(store, transition_play, show.id, "one", PlayStatus.PREPARED)
    begin(store, "elsewhere-too")
    write(store, transition_show, "staged", "completed")
    events = list(stream)
    stream.close()

    assert [name for name, _, _ in events] == ["play", "show", "done"]
    assert running.ask("GET", "/api/shows/none/stream")[0] == 404


def test_server_stops_soon_with_open_streams(tmp_path: Path) -> None:
    with server(tmp_path) as started:
        until_answering(started)
        with Database(str(started.home / "state.db")) as database:
            begin(database, "open")
        streams = [Listening(started, path) for path in ("/api/events", "/api/sessions/open/stream") * 3]
        code, seconds = started.stop()
        for stream in streams:
            assert [name for name, _, _ in stream] == []
            stream.close()

    assert code == 0
    assert seconds < 15  # five on a quiet machine
    assert "Traceback" not in (tmp_path / "server.log").read_text()


def test_stream_resyncs_when_the_database_is_replaced(tmp_path: Path) -> None:
    with server(tmp_path) as started:
        until_answering(started)
        path = started.home / "state.db"
        with Database(str(path)) as database:
            begin(database, "old")
        assert [run["id"] for run in started.ask("GET", "/api/runs")[1]["runs"]] == ["old"]
        stream = Listening(started, "/api/events")
        with Database(str(tmp_path / "other.db")) as database:
            begin(database, "new")
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                (path.parent / f"state.db{suffix}").unlink()
        assert [name for name, _, _ in stream] == ["resync"]
        stream.close()
        status, body = started.ask("GET", "/api/runs")
        assert (status, body["code"], body["retryable"]) == (503, "busy", True)
        assert started.ask("GET", "/api/agents")[0] == 200
        assert started.ask("GET", "/healthz")[0] == 200
        shutil.move(tmp_path / "other.db", path)
        assert [run["id"] for run in started.ask("GET", "/api/runs")[1]["runs"]] == ["new"]


WRITER = """
import sys, time
from tests.support.builders import begin, say
from lionstudio.state.database import Database
with Database(sys.argv[1]) as store:
    begun = begin(store, "written")
    for number in range(int(sys.argv[2])):
        say(store, begun.branch_id, f"w{number}")
        time.sleep(0.004)
"""


@pytest.mark.slow
@pytest.mark.crash
def test_stream_resumes_after_the_server_is_killed(tmp_path: Path) -> None:
    """Kill the server repeatedly while a run writes: a client that resumes gets every message exactly once."""
    full = os.environ.get("LIONAGI_CRASH_LENGTH") == "full"
    kills, count = (100, 20_000) if full else (5, 1500)
    seen: list[str] = []
    last, port, writer = 0, 0, None
    for round_ in range(kills + 1):
        if len(seen) == count:
            break
        with server(tmp_path, port=port) as started:
            until_answering(started)
            port = started.port
            if writer is None:
                path = str(started.home / "state.db")
                writer = subprocess.Popen([sys.executable, "-c", WRITER, path, str(count)])
                while started.ask("GET", "/api/sessions/written")[0] != 200:
                    time.sleep(0.02)
            if round_ < kills:
                timer = threading.Timer(0.4, started.process.send_signal, [signal.SIGKILL])
                timer.start()
            stream = Listening(started, "/api/sessions/written/stream?after=0", last=last)
            with contextlib.suppress(OSError, http.client.HTTPException):
                for name, seq, data in stream:
                    last = seq if seq is not None else last
                    if name == "message" and isinstance(data, dict):
                        seen.append(str(data["id"]))
                    if len(seen) == count:
                        break
            stream.close()
    assert writer is not None
    assert writer.wait(timeout=60) == 0

    assert seen == [f"w{number}" for number in range(count)]


@pytest.mark.slow
@pytest.mark.crash
def test_hub_drops_clients_that_never_read(tmp_path: Path) -> None:
    full = os.environ.get("LIONAGI_CRASH_LENGTH") == "full"
    clients, stalled, count = (300, 50, 3000) if full else (60, 10, 600)
    with server(tmp_path) as started, contextlib.ExitStack() as held:
        until_answering(started)
        with Database(str(started.home / "state.db")) as database:
            begun = begin(database, "crowd")
            for _ in range(stalled):
                held.enter_context(never_reading(started, "/api/sessions/crowd/stream"))
            streams = [Listening(started, "/api/sessions/crowd/stream") for _ in range(clients - stalled)]
            heard: list[list[Event]] = [[] for _ in streams]
            threads = [
                threading.Thread(target=lambda stream=stream, into=into: into.extend(stream))
                for stream, into in zip(streams, heard, strict=True)
            ]
            for thread in threads:
                thread.start()
            before = resident(started)
            for number in range(count):
                say(database, begun.branch_id, f"{number:04d}" + "x" * 150, sender="y" * 4000)
                time.sleep(0.03 if full else 0)  # 250 threads of one Python read no faster than that
            write(database, finish_session, "crowd", "completed")
            for thread in threads:
                thread.join(timeout=600)
            after = resident(started)
        for stream in streams:
            stream.close()

    for events in heard:
        assert [name for name, _, _ in events].count("message") == count
        assert events[-1][0] == "done"
    assert after - before < 64_000_000


@contextlib.contextmanager
def never_reading(started: Running, path: str) -> Iterator[None]:
    with socket.socket() as silent:
        silent.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        silent.connect(("127.0.0.1", started.port))
        head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{started.port}\r\nAuthorization: Bearer {started.token}\r\n\r\n"
        silent.sendall(head.encode())
        yield


def resident(started: Running) -> int:
    pages = Path(f"/proc/{started.process.pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
