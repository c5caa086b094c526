"""Two Studios on one hub: a browser, a launch and the feed are the same on both, and each may be killed."""

from __future__ import annotations

import contextlib
import http.client
import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.support.commands import li
from tests.support.studio import Running, server, until_answering
from tests.support.waiting import wait_until

from lionstudio.model.ids import new_id
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.state.backends import open_database
from lionstudio.state.sessions import create_session
from lionstudio.studio import dead_runs
from lionstudio.system.process_identity import identify

pytestmark = pytest.mark.postgres
PUBLIC = "http://studio.test:8080"


class Hub(NamedTuple):
    url: str
    first: Running
    second: Running

    def ask(self, studio: Running, method: str, path: str, session: dict[str, str], body: Any = None) -> Any:
        """The JSON that a signed-in browser gets behind the proxy."""
        headers = {"Host": "studio.test:8080", "Origin": PUBLIC, "Content-Type": "application/json", **session}
        with contextlib.closing(studio.connect()) as connection:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            text = response.read()
            assert response.status in (200, 201, 204), text
            return json.loads(text or b"{}")

    def status(self, studio: Running, path: str, session: dict[str, str]) -> int:
        with contextlib.closing(studio.connect()) as connection:
            connection.request("GET", path, headers={"Host": "studio.test:8080", **session})
            return connection.getresponse().status

    def sign_in(self, studio: Running) -> dict[str, str]:
        headers = {"Host": "studio.test:8080", "Authorization": f"Bearer {studio.token}"}
        with contextlib.closing(studio.connect()) as connection:
            connection.request("POST", "/api/login", headers=headers)
            response = connection.getresponse()
            cookie = str(response.headers["set-cookie"]).partition(";")[0]
            return {"Cookie": cookie, "Lion-Session": json.loads(response.read())["secret"]}

    def record(self, text: str) -> None:
        done = li(
            "agent", "script", f"@say {text}", env={"LIONAGI_DB": self.url, "LIONAGI_HOME": str(self.second.home)}
        )
        assert done.code == 0, done.err


@pytest.fixture
def hub(postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setenv("LIONAGI_DB", postgres_url)
    monkeypatch.setenv("LIONAGI_STUDIO_URL", PUBLIC)
    folders = [tmp_path / name for name in ("a", "b")]
    for folder in folders:
        folder.mkdir()
    with server(folders[0]) as first, server(folders[1]) as second:
        until_answering(first)
        until_answering(second)
        yield Hub(postgres_url, first, second)


def test_browser_is_signed_in_to_both_and_signed_out_of_both(hub: Hub) -> None:
    session = hub.sign_in(hub.first)

    assert hub.status(hub.second, "/api/dashboard", session) == 200
    hub.ask(hub.second, "POST", "/api/logout", session)
    assert hub.status(hub.second, "/api/dashboard", session) == 401
    assert hub.status(hub.first, "/api/dashboard", session) == 401


def test_start_of_another_studio_signs_nobody_out(hub: Hub, tmp_path: Path) -> None:
    session = hub.sign_in(hub.first)
    (tmp_path / "c").mkdir()
    with server(tmp_path / "c") as third:
        until_answering(third)
        assert hub.status(third, "/api/dashboard", session) == 200
    assert hub.status(hub.first, "/api/dashboard", session) == 200


def test_launch_is_started_once_and_seen_on_both(hub: Hub) -> None:
    session = hub.sign_in(hub.first)
    body = {"verb": "agent", "target": "script", "prompt": "@say once", "options": {}}
    keyed = {**session, "Idempotency-Key": "one"}

    first = hub.ask(hub.first, "POST", "/api/launches", keyed, body)["launch"]
    again = hub.ask(hub.second, "POST", "/api/launches", keyed, body)["launch"]
    assert again["id"] == first["id"]

    hub.first.stop(signal.SIGKILL)

    def launches() -> Any:
        return hub.ask(hub.second, "GET", "/api/launches", session)["launches"]

    wait_until(lambda: not launches()[0]["running"])
    (launch,) = launches()
    assert (launch["id"], launch["exit_code"]) == (first["id"], 0)
    (run,) = hub.ask(hub.second, "GET", "/api/runs", session)["runs"]
    assert (run["id"], run["state"]["lifecycle"]) == (first["id"], "completed")


def _events(studio: Running, session: dict[str, str], last: int | None = None) -> Iterator[int]:
    """The numbers of the events, as they come."""
    resume = {} if last is None else {"Last-Event-ID": str(last)}
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=20)
    connection.request("GET", "/api/events", headers={"Host": "studio.test:8080", **session, **resume})
    response = connection.getresponse()
    assert response.status == 200
    try:
        while line := response.readline():
            if line.startswith(b"id: "):
                yield int(line[4:])
            assert not line.startswith(b"event: resync")
    finally:
        connection.close()


def test_feed_resumes_at_another_studio_with_nothing_lost(hub: Hub) -> None:
    session = hub.sign_in(hub.first)
    stream = _events(hub.first, session, 0)
    hub.record("one")
    seen = [next(stream)]
    while len(seen) < 5:
        seen.append(next(stream))
    hub.first.stop(signal.SIGKILL)
    hub.record("two")

    resumed = _events(hub.second, session, seen[-1])
    newest = hub.ask(hub.second, "GET", "/api/runs", session)["seq"]
    while seen[-1] < newest:
        seen.append(next(resumed))
    assert seen == list(range(seen[0], seen[-1] + 1))


def test_run_of_another_machine_is_unknown_and_never_failed(hub: Hub) -> None:
    """Its process cannot be judged from here, and no Studio ends it."""
    owner = identify(lock_path=str(hub.first.home / "run" / "no.lock"))._replace(
        pid=2**22, machine_id="another machine"
    )
    run = Session(id=new_id(), status=SessionStatus.RUNNING, started_at=time.time(), owner=owner._asdict())
    with open_database(hub.url) as database:
        database.write(lambda conn: create_session(conn, run))
    session = hub.sign_in(hub.second)

    time.sleep(dead_runs._SECONDS + 1)  # both Studios have looked
    (row,) = hub.ask(hub.second, "GET", "/api/runs", session)["runs"]
    assert (row["state"]["lifecycle"], row["state"]["health"]) == ("running", "unknown")
