"""Notifications: once for each state, grouped, without content, to loopback sinks."""

from __future__ import annotations

import http.server
import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import begin
from tests.support.studio import AUTH, InProcess, application

from lionstudio.model.questions import ALLOW, DENY, Question, QuestionKind
from lionstudio.runs.notifications import send as sending
from lionstudio.runs.notifications.channels import Channels, desktop_argv, send
from lionstudio.runs.notifications.send import notify_later, send_items
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.exchange.questions import add_question
from lionstudio.studio.notifier import Notifier
from lionstudio.system.process_identity import identify


class Sink(http.server.ThreadingHTTPServer):
    """Collects what is posted to it; `redirect` makes it answer with a redirect instead."""

    def __init__(self, redirect: str | None = None) -> None:
        self.got: list[dict[str, Any]] = []
        sink = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                sink.got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(302 if redirect else 204)
                if redirect:
                    self.send_header("Location", redirect)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/hook?key=s3cr3t-key"

    def wait_for(self, count: int) -> list[dict[str, Any]]:
        deadline = time.monotonic() + 20
        while len(self.got) < count:
            assert time.monotonic() < deadline, self.got
            time.sleep(0.02)
        return self.got


@contextmanager
def listening(redirect: str | None = None) -> Iterator[Sink]:
    with Sink(redirect) as sink:
        threading.Thread(target=sink.serve_forever, daemon=True).start()
        yield sink
        sink.shutdown()


@pytest.fixture
def sink() -> Iterator[Sink]:
    with listening() as sink:
        yield sink


@contextmanager
def studio_with(tmp_path: Path, **settings: Any) -> Iterator[InProcess]:
    with application(tmp_path) as studio:
        changed = studio.services._replace(settings=studio.services.settings._replace(**settings))
        yield studio._replace(services=changed)


def ask(db: Database, session: str, count: int = 1) -> list[Question]:
    questions = [
        Question(
            kind=QuestionKind.PERMISSION, title=f"Bash: secret plan {n}", session_id=session, options=(ALLOW, DENY)
        )
        for n in range(count)
    ]

    def work(conn: Connection) -> None:
        for question in questions:
            add_question(conn, question)

    db.write(work)
    return questions


def look(notifier: Notifier, now: float) -> int:
    """What it sends now, for items that it sees for a moment."""
    notifier.look(now)
    return notifier.look(now + 3)


def test_notifier_sends_a_thousand_questions_as_one_notification_without_content(tmp_path: Path, sink: Sink) -> None:
    with studio_with(tmp_path, notify_webhook=sink.url) as studio:
        db = studio.services.db.database()
        begin(db, "s-asks", name="my secret plan", last_message_at=time.time(), owner=identify()._asdict())
        ask(db, "s-asks", 1000)

        notifier = Notifier(studio.services)
        assert look(notifier, 100.0) == 20  # those that are listed; the last stands for the rest
        [payload] = sink.wait_for(1)

        assert payload["count"] == 20
        assert "session s-asks" in payload["text"]
        assert "secret plan" not in json.dumps(payload)
        assert notifier.look(200.0) == 0  # the same state
        assert look(Notifier(studio.services), 300.0) == 0  # another server, or after a restart
        time.sleep(0.1)
        assert len(sink.got) == 1


def test_notifier_skips_what_is_answered_at_once_snoozed_or_failed(tmp_path: Path, sink: Sink) -> None:
    with studio_with(tmp_path, notify_webhook=sink.url) as studio:
        db = studio.services.db.database()
        begin(db, "s", last_message_at=time.time(), owner=identify()._asdict())
        one, other = ask(db, "s", 2)
        notifier = Notifier(studio.services)
        assert notifier.look(100.0) == 0  # too young
        path = f"/api/questions/{one.id}/answer"
        assert studio.client.post(path, headers=AUTH, json={"option": "allow"}).status_code == 200
        name = f"question:{other.id}:permission"
        assert (
            studio.client.post(f"/api/attention/{name}/snooze", headers=AUTH, json={"seconds": 60}).status_code == 200
        )

        assert look(notifier, 103.0) == 0
        studio.client.delete(f"/api/attention/{name}/dismiss", headers=AUTH)
        assert look(notifier, 110.0) == 1
        assert sink.wait_for(1)[0]["items"][0]["question"] == other.id


def test_notifier_groups_what_comes_soon_after(tmp_path: Path, sink: Sink) -> None:
    with studio_with(tmp_path, notify_webhook=sink.url, notify_titles=True) as studio:
        db = studio.services.db.database()
        begin(db, "s", name="my run", last_message_at=time.time(), owner=identify()._asdict())
        notifier = Notifier(studio.services)
        ask(db, "s")
        assert look(notifier, 100.0) == 1
        ask(db, "s")
        ask(db, "s")
        assert look(notifier, 104.0) == 0  # soon after the first
        assert notifier.is_due(None, 115.0)
        assert notifier.look(115.0) == 2
        assert "my run: Bash: secret plan 0" in sink.wait_for(2)[0]["text"]  # the setting allows it


def test_asker_and_studio_send_a_question_once(tmp_path: Path, sink: Sink, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "_ASKER_WAITS", 0.3)
    warnings: list[str] = []
    with studio_with(tmp_path, notify_webhook=sink.url) as studio:
        db = studio.services.db.database()
        begin(db, "s", last_message_at=time.time(), owner=identify()._asdict())
        for question in ask(db, "s", 30):
            notify_later(db, studio.services.settings, question.id, warnings.append)
        sink.wait_for(1)
        assert look(Notifier(studio.services), 100.0) == 0

        [question] = ask(db, "s")
        assert look(Notifier(studio.services), 200.0) == 0  # the item of the flood has the same state
        studio.client.post(f"/api/questions/{question.id}/answer", headers=AUTH, json={"option": "allow"})
        notify_later(db, studio.services.settings, question.id, warnings.append)
        time.sleep(1)
    assert [payload["count"] for payload in sink.got] == [30]
    assert warnings == []


def test_claims_of_racing_processes_send_once(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    with studio_with(tmp_path, notify_command=f"{sys.executable} -c \"open('{marks}','a').write('x')\"") as studio:
        services, item = studio.services, {"id": "run:s:x", "state": "1", "kind": "run", "code": "x", "title": "t"}
        counts: list[int] = []

        def race() -> None:
            with Database(services.db.path) as db:
                counts.append(send_items(db, services.settings, [item], {"PATH": "/usr/bin:/bin"}, print))

        services.db.database()
        threads = [threading.Thread(target=race) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(counts) == [0] * 7 + [1]
        deadline = time.monotonic() + 20
        while not marks.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
    assert marks.read_text() == "x"


def test_webhook_follows_no_redirect_and_leaks_no_key(sink: Sink) -> None:
    warnings: list[str] = []
    with listening(redirect=sink.url) as first:
        send(Channels(webhook=first.url), {"title": "t"}, {}, warnings.append)
        first.wait_for(1)
        wait_for_warning(warnings)
    for url in (
        "file:///etc/passwd?key=s3cr3t-key",
        "ftp://127.0.0.1/s3cr3t-key",
        "http://127.0.0.1:1/s3cr3t-key",
        "http://127.0.0.1:1/s3cr3t-key two words",
        "http://user:s3cr3t-key@127.0.0.1:1/",
        "http://127.0.0.1:s3cr3t-key/",
    ):
        warnings.clear()
        send(Channels(webhook=url), {"title": "t"}, {}, warnings.append)
        wait_for_warning(warnings)
        assert "s3cr3t-key" not in warnings[0]
    assert sink.got == []


def wait_for_warning(warnings: list[str]) -> None:
    deadline = time.monotonic() + 20
    while not warnings:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_desktop_needs_a_screen(tmp_path: Path) -> None:
    program = tmp_path / "notify-send"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    env = {"PATH": str(tmp_path)}

    assert desktop_argv("t", "-x", env) is None
    assert desktop_argv("t", "-x", {**env, "DISPLAY": ":0"}) == [
        str(program),
        "--app-name=Lion Studio",
        "--",
        "t",
        "-x",
    ]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of its own imports
def test_apprise_sends_to_a_service(sink: Sink) -> None:
    pytest.importorskip("apprise")
    warnings: list[str] = []
    send(Channels(apprise=f"json://127.0.0.1:{sink.server_port}/"), {"title": "t", "text": "x"}, {}, warnings.append)

    assert sink.wait_for(1)[0]["message"] == "x"
    assert warnings == []


def test_apprise_that_is_not_installed_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "apprise", None)
    warnings: list[str] = []
    send(Channels(apprise="json://127.0.0.1"), {"title": "t"}, {}, warnings.append)
    wait_for_warning(warnings)

    assert "pip install 'lion-studio[apprise]'" in warnings[0]
