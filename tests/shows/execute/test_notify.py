"""Notifications of a show: by command and by webhook, without secrets, and never in its way."""

from __future__ import annotations

import http.server
import json
import queue
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.support.show_harness import TOPIC, ShowHarness

from lionstudio.model.shows.plan import Notify
from lionstudio.shows.execute.notify import notify


def test_notify_command_gets_no_secrets(harness: ShowHarness) -> None:
    notified = harness.root / "told"
    command = ["sh", "-c", f"env > {notified}.new; mv {notified}.new {notified}"]
    harness.env |= {"ANTHROPIC_API_KEY": "sk-secret-123", "MY_TOKEN": "abcdefgh", "DBUS_SESSION_BUS_ADDRESS": "unix:x"}
    harness.write_plan({"a": "@fail 1 no"}, max_attempts=1, notify={"desktop": False, "command": command})
    harness.direct()
    harness.wait_until(notified.exists)

    names = {line.partition("=")[0] for line in notified.read_text().splitlines()}
    assert {"PATH", "DBUS_SESSION_BUS_ADDRESS"} <= names
    assert not {"ANTHROPIC_API_KEY", "MY_TOKEN", "LIONAGI_HOME"} & names


def test_notify_runs_no_program_of_the_current_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "tell").write_text("#!/bin/sh\n: > ran\n")
    (tmp_path / "tell").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    warnings: queue.Queue[str] = queue.Queue()
    notify(Notify(desktop=False, command=("tell",)), {}, {"PATH": ".:/usr/bin:/bin"}, warnings.put)

    assert "could not send a notification" in warnings.get(timeout=30)
    assert not (tmp_path / "ran").exists()


def test_notify_runs_command_and_webhook(harness: ShowHarness) -> None:
    notified: list[dict[str, Any]] = []

    class Hook(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            notified.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        by_command = harness.root / "told"
        notify = {
            "desktop": False,
            "webhook": f"http://127.0.0.1:{server.server_port}/",
            "command": ["sh", "-c", f"cat > {by_command}.new; mv {by_command}.new {by_command}"],
        }
        harness.write_plan({"a": "@fail 1 no idea"}, max_attempts=1, notify=notify)
        harness.direct()
        harness.wait_until(lambda: notified and by_command.exists())
        server.shutdown()

    assert notified == [json.loads(by_command.read_text())]
    assert (notified[0]["show"], notified[0]["play"], notified[0]["attempt"]) == (TOPIC, "a", 1)
    assert "no idea" in notified[0]["text"]
    assert notified[0]["session_id"] == harness.meta("a")["session_id"]


def test_notify_failure_does_not_stop_the_show(harness: ShowHarness) -> None:
    harness.write_plan(
        {"a": "@fail 1 no"}, max_attempts=1, notify={"webhook": "http://127.0.0.1:9/", "command": ["/no"]}
    )
    harness.direct()

    assert harness.statuses() == {"a": "escalated"}
    harness.wait_until(lambda: sum("could not send a notification" in warning for warning in harness.warnings) == 2)
