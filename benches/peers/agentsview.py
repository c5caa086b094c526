"""agentsview, a viewer of the sessions of coding agents: import, lists, search, live updates, and rest."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import socket
import statistics
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from benches.bench_mirror import write_transcript
from benches.corpus import Writer, word
from benches.measure import timed
from benches.process_cost import cost_of, cpu_of_tree
from benches.stores import fresh_folder
from benches.table import Options, Table, at_least
from lionstudio.system.li_process import li_argv

_PATIENCE = 30.0
_NAME = "agentsview"


class Viewer(NamedTuple):
    """A running server of either product."""

    pid: int
    port: int
    headers: Mapping[str, str]

    def get(self, path: str) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_PATIENCE)
        connection.request("GET", path, headers=dict(self.headers))
        response = connection.getresponse()
        body = response.read()
        connection.close()
        assert response.status == 200, (path, body[:300])
        return body


def measure(table: Table, args: Options, program: Path) -> None:
    """The rows of this peer, after the same transcripts were imported by both."""
    folder = fresh_folder("history")
    writer = Writer(random.Random(11))
    count = 100 if args.quick else 1000
    files = [write_transcript(folder / "projects" / f"-p{n % 40}", n, writer.text()) for n in range(count)]
    homes = {"ours": fresh_folder("ours"), _NAME: fresh_folder("theirs")}
    ours = {**os.environ, "LIONAGI_HOME": str(homes["ours"]), "CLAUDE_CONFIG_DIR": str(folder)}
    theirs = _environment(homes[_NAME], folder)
    table.say(f"{count} sessions of 49 messages, the history of Claude Code")
    _imports(table, ours, theirs, program)
    with _studio(ours) as mine, _their_server(program, theirs) as other:
        _requests(table, args, mine, other)
        _live(table, args, mine, other, files[count // 2])
        _rest(table, args, mine, other)


def _environment(home: Path, folder: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    projects = {"CLAUDE_PROJECTS_DIR": str(folder / "projects")}
    return {**kept, **projects, "HOME": str(home), "AGENTSVIEW_DATA_DIR": str(home / "data")}


def _versus(table: Table, what: str, ours: float, theirs: float, unit: str) -> None:
    """Three rows; ours is ahead when theirs takes at least as much."""
    table.row(f"{what}, ours", ours, unit)
    table.row(f"{what}, {_NAME}", theirs, unit)
    table.row(f"{what}, {_NAME} / ours", theirs / ours, "×", at_least(1))


def _imports(table: Table, ours: dict[str, str], theirs: dict[str, str], program: Path) -> None:
    without_server = {**theirs, "AGENTSVIEW_NO_DAEMON": "1"}
    for what in ("import", "import again, nothing new"):
        mine = cost_of(li_argv("mirror", "claude"), ours)
        other = cost_of([str(program), "sync"], without_server)
        _versus(table, f"{what}, by the clock", mine.wall, other.wall, "s")
        _versus(table, f"{what}, CPU", mine.cpu, other.cpu, "s")


def _requests(table: Table, args: Options, mine: Viewer, other: Viewer) -> None:
    common, rare = word(3), word(9000)
    pairs = {
        "list of 100 runs": ("/api/runs?limit=100", "/api/v1/sessions?limit=100&include_one_shot=true"),
        "search, common word": (f"/api/search?q={common}&limit=20", f"/api/v1/search?q={common}&limit=20"),
        "search, rare word": (f"/api/search?q={rare}&limit=20", f"/api/v1/search?q={rare}&limit=20"),
    }
    for what, (our_path, their_path) in pairs.items():
        mine.get(our_path), other.get(their_path)
        each: dict[str, list[float]] = {"ours": [], "theirs": []}
        for _ in range(10 if args.quick else 60):  # in turn, so that other load on the machine meets both
            each["ours"] += timed(1, mine.get, our_path)
            each["theirs"] += timed(1, other.get, their_path)
        middle = {name: statistics.median(times) / 1000 for name, times in each.items()}
        _versus(table, what, middle["ours"], middle["theirs"], "ms")


def _live(table: Table, args: Options, mine: Viewer, other: Viewer, transcript: Path) -> None:
    """From a line in a transcript to the event at a client."""
    last = transcript.read_text().splitlines()[-1]
    listeners = {
        "ours": _Listener(mine, "/api/events", b"event: message"),
        "theirs": _Listener(other, f"/api/v1/sessions/{transcript.stem}/watch", b"session_updated"),
    }
    delays: dict[str, list[float]] = {name: [] for name in listeners}
    for number in range(3 if args.quick else 12):
        time.sleep(3 + random.random())
        for listener in listeners.values():
            listener.heard.clear()
        record = json.loads(last)
        record |= {"uuid": f"{transcript.stem}-live{number}", "type": "user"}
        record["message"] = {"role": "user", "content": f"one more thing, number {number}"}
        with open(transcript, "a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        written = time.monotonic()
        for name, listener in listeners.items():
            arrived = listener.at if listener.heard.wait(_PATIENCE) else written + _PATIENCE
            delays[name].append((arrived - written) * 1000)
    middle = {name: statistics.median(each) for name, each in delays.items()}
    _versus(table, "live: line of a transcript to a client, p50", middle["ours"], middle["theirs"], "ms")


class _Listener:
    """An SSE client; `heard` is set, and `at` the moment, when an event contains the mark."""

    def __init__(self, viewer: Viewer, path: str, mark: bytes) -> None:
        self.heard = threading.Event()
        self.at = 0.0
        self._mark = mark
        self._stream = socket.create_connection(("127.0.0.1", viewer.port))
        heads = "".join(f"{name}: {value}\r\n" for name, value in viewer.headers.items())
        self._stream.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{viewer.port}\r\n{heads}\r\n".encode())
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        rest = b""
        while piece := self._stream.recv(65_536):
            now = time.monotonic()
            *lines, rest = (rest + piece).split(b"\n")
            if any(self._mark in line for line in lines) and not self.heard.is_set():
                self.at = now
                self.heard.set()


def _rest(table: Table, args: Options, mine: Viewer, other: Viewer) -> None:
    time.sleep(3 if args.quick else 15)
    seconds = 5.0 if args.quick else 60.0
    before = {viewer.pid: cpu_of_tree(viewer.pid) for viewer in (mine, other)}
    time.sleep(seconds)
    shares = [(cpu_of_tree(viewer.pid) - before[viewer.pid]) / seconds * 100 for viewer in (mine, other)]
    table.row("at rest, a client listens, CPU, ours", shares[0], "%")
    table.row(f"at rest, a client listens, CPU, {_NAME}", shares[1], "%")


@contextlib.contextmanager
def _studio(environ: Mapping[str, str]) -> Iterator[Viewer]:
    process = subprocess.Popen(
        li_argv("studio", "--json", "--no-open", "--port", "0"),
        env=dict(environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        port = int(json.loads(process.stdout.readline())["url"].split(":")[2].split("/")[0])
        token = Path(environ["LIONAGI_HOME"], "studio.token").read_text(encoding="ascii").strip()
        yield Viewer(process.pid, port, {"Authorization": f"Bearer {token}"})
    finally:
        process.terminate()
        process.wait(timeout=20)


@contextlib.contextmanager
def _their_server(program: Path, environ: Mapping[str, str]) -> Iterator[Viewer]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["serve", "--port", str(port), "--no-browser", "--no-update-check"]
    process = subprocess.Popen(
        [str(program), *words], env=dict(environ), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    viewer = Viewer(process.pid, port, {})
    try:
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                viewer.get("/api/v1/version")
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
        yield viewer
    finally:
        process.terminate()
        process.wait(timeout=20)
