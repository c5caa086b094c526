"""Sessions of browsers: rows with hashes, one-time codes, expiry, sign-out, and streams that end with them."""

from __future__ import annotations

import json
import shlex
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.commands import LI
from tests.support.records import dump
from tests.support.seed import li
from tests.support.studio import AUTH, BASE, TOKEN, InProcess, application, server, settings_in, until_answering

from lionstudio.state.database import Database
from lionstudio.state.studio import studio_sessions as rows
from lionstudio.studio.db import StudioDb
from lionstudio.studio.http import studio_sessions
from lionstudio.studio.http.studio_sessions import CODE_SECONDS, StudioSessions

DAY = 86400.0


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[InProcess]:
    with application(tmp_path) as running:
        yield running


@pytest.fixture(params=["database", "memory"])
def sessions(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[StudioSessions, Clock]]:
    db, clock = StudioDb(str(tmp_path / "state.db"), read_only=request.param == "memory"), Clock()
    if request.param == "database":
        db.database()
    yield StudioSessions(db, clock), clock
    db.close()


def test_session_needs_both_secrets(sessions: tuple[StudioSessions, Clock]) -> None:
    store, _ = sessions
    one, other = store.sign_in("A browser", "127.0.0.1"), store.sign_in(None, None)

    assert store.find(one.cookie, one.secret) is not None
    assert [store.find(*pair) for pair in ((one.cookie, other.secret), (one.secret, one.cookie), ("", ""))] == [
        None
    ] * 3
    assert {session.id for session in store.list_active()} == {one.id, other.id}


@pytest.mark.parametrize(("used_every", "days", "valid"), [(1, 6, True), (8, 8, False), (1, 29, True), (1, 31, False)])
def test_session_expires_when_idle_and_after_a_month(
    sessions: tuple[StudioSessions, Clock], used_every: int, days: int, valid: bool
) -> None:
    store, clock = sessions
    session = store.sign_in(None, None)
    for day in range(1, days + 1):
        clock.now += DAY
        if day % used_every == 0:
            store.find(session.cookie, session.secret)
            store.list_active()  # writes when it was seen

    assert (store.find(session.cookie, session.secret) is not None) is valid
    assert bool(store.list_active()) is valid


def test_sign_in_ends_the_oldest_session_above_the_limit(sessions: tuple[StudioSessions, Clock]) -> None:
    store, clock = sessions
    first = store.sign_in(None, None)
    for _ in range(rows.MOST_SESSIONS):
        clock.now += 1
        store.sign_in(None, None)

    assert len(store.list_active()) == rows.MOST_SESSIONS
    assert store.find(first.cookie, first.secret) is None


def test_one_time_code_works_once_and_for_less_than_a_minute(sessions: tuple[StudioSessions, Clock]) -> None:
    store, clock = sessions
    early, late = store.create_code(), store.create_code()

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(lambda _: store.use_code(early), range(20))) == 1
    clock.now += CODE_SECONDS + 0.1
    assert CODE_SECONDS < 60
    assert not store.use_code(late)
    assert not store.use_code("")


def test_codes_and_sessions_move_into_the_database_when_it_opens(tmp_path: Path) -> None:
    db = StudioDb(str(tmp_path / "state.db"))
    store = StudioSessions(db)
    code, session = store.create_code(), store.sign_in(None, None)
    db.database()
    store.move_to_database()

    other = StudioSessions(db)
    assert other.find(session.cookie, session.secret) is not None
    assert other.use_code(code)
    db.close()


def test_new_token_ends_the_sessions_of_the_old_one(tmp_path: Path) -> None:
    db = StudioDb(str(tmp_path / "state.db"))
    db.database()
    before = StudioSessions(db).sign_in(None, None)
    store = StudioSessions(db)
    store.end_all()
    assert store.find(before.cookie, before.secret) is None
    store.move_to_database()

    assert StudioSessions(db).find(before.cookie, before.secret) is None
    db.close()


def test_known_session_stays_valid_while_the_database_is_unreadable(studio: InProcess) -> None:
    session = studio.sign_in()
    assert studio.client.get("/api/runs", headers=session).status_code == 200
    database = Path(studio.services.settings.db)
    database.rename(database.with_name("away.db"))

    assert studio.client.get("/api/admin/settings", headers=session).status_code == 200
    assert studio.client.get(
        "/api/admin/settings", headers={**session, "Cookie": "lion_studio_8721=x"}
    ).status_code in (401, 503)


def test_database_holds_no_secret(studio: InProcess) -> None:
    code = studio.services.sessions.create_code()
    session = studio.sign_in()
    text = json.dumps(dump(studio.services.settings.db), default=str)

    assert [row["address"] for row in dump(studio.services.settings.db)["studio_sessions"]] == ["testclient"]
    secrets = (code, session["Cookie"].partition("=")[2], session["Lion-Session"], TOKEN)
    assert [secret for secret in secrets if secret in text] == []


def test_login_by_code_sets_a_strict_cookie_once(studio: InProcess) -> None:
    code = studio.services.sessions.create_code()
    first = studio.client.post("/api/login", json={"code": code})
    studio.client.cookies.clear()
    again = studio.client.post("/api/login", json={"code": code})

    assert (first.status_code, again.status_code, again.json()["code"]) == (200, 401, "wrong_code")
    cookie = first.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "set-cookie" not in again.headers
    assert first.json()["secret"] not in cookie
    assert first.headers["cache-control"] == "no-store"


def test_login_refuses_other_sites_and_an_empty_code(studio: InProcess) -> None:
    code = studio.services.sessions.create_code()
    foreign = studio.client.post("/api/login", json={"code": code}, headers={"Origin": "http://127.0.0.1:9999"})
    empty = studio.client.post("/api/login")

    assert (foreign.status_code, empty.status_code) == (403, 401)
    assert studio.client.post("/api/login", json={"code": code}).status_code == 200


def test_admin_lists_and_ends_sessions(studio: InProcess) -> None:
    mine, other = {**studio.sign_in(), "Origin": BASE}, studio.sign_in()
    sessions = studio.client.get("/api/admin/studio-sessions", headers=mine).json()["sessions"]
    assert [session["is_current"] for session in sessions].count(True) == 1
    assert all("hash" not in name for session in sessions for name in session)
    [theirs] = [session["id"] for session in sessions if not session["is_current"]]

    assert studio.client.delete(f"/api/admin/studio-sessions/{theirs}", headers=mine).status_code == 204
    assert studio.client.delete(f"/api/admin/studio-sessions/{theirs}", headers=mine).status_code == 404
    assert studio.client.get("/api/runs", headers=other).status_code == 401
    assert studio.client.get("/api/runs", headers=mine).status_code == 200
    assert studio.client.post("/api/logout", headers=mine).status_code == 204
    assert studio.client.get("/api/runs", headers=mine).status_code == 401
    assert studio.client.get("/api/runs", headers=AUTH).status_code == 200


def test_sign_out_of_another_process_ends_the_stream(tmp_path: Path) -> None:
    with server(tmp_path) as running:
        until_answering(running)
        with closing(running.connect()) as connection:
            connection.request("POST", "/api/login", headers={"Authorization": f"Bearer {running.token}"})
            answer = connection.getresponse()
            cookie = answer.headers["Set-Cookie"].partition(";")[0]
            session = {"Cookie": cookie, "Lion-Session": json.loads(answer.read())["secret"]}
            connection.request("GET", "/api/events", headers=session)
            stream = connection.getresponse()
            assert (stream.status, stream.readline()) == (200, b"retry: 1000\n")

            assert "Signed out 1 browser" in li(settings_in(tmp_path), "studio", "--sign-out-all")
            rest = stream.read()  # until its end: without it, a heartbeat every 15 s and then a timeout
            connection.request("GET", "/api/runs", headers=session)
            assert connection.getresponse().status == 401

    assert b": beat" not in rest


def test_sign_in_command_gives_a_link_to_the_running_studio(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    with server(tmp_path) as running:
        printed = json.loads(li(settings, "studio", "--sign-in", "--no-open", "--json", "--port", str(running.port)))
        assert printed["login"].startswith(f"{running.url}login#code=")
        body = json.dumps({"code": printed["login"].partition("#code=")[2]})
        statuses = []
        headers = {"Content-Type": "application/json", "Origin": running.url.rstrip("/")}
        for _ in range(2):
            with closing(running.connect()) as connection:
                connection.request("POST", "/api/login", body, headers)
                statuses.append(connection.getresponse().status)
    assert statuses == [200, 401]


def test_studio_in_the_background_names_a_sign_in_command_that_works(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    words = ["studio", "--port", "0", "--home", settings.home]
    process = subprocess.Popen([LI, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        address = process.stdout.readline().split()[1]
        named = next(line for line in process.stderr if line.startswith("To sign in, run: li "))
        assert "code=" not in named
        command = named.partition("run: li ")[2]
        with socket.create_connection(("127.0.0.1", int(address.rstrip("/").rpartition(":")[2])), timeout=20):
            pass
        done = subprocess.run(
            [LI, *shlex.split(command), "--no-open", "--json"], capture_output=True, text=True, check=True, timeout=60
        )
    finally:
        process.kill()
        process.communicate()
    assert json.loads(done.stdout)["login"].startswith(f"{address}login#code=")


def test_expired_session_ends_its_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(studio_sessions, "_FLUSH_SECONDS", 0.05)
    with application(tmp_path) as studio:
        store = studio.services.sessions
        session = store.sign_in(None, None)
        event = store.end_event(session.id)
        assert event is not None
        with Database(studio.services.settings.db) as db:
            db.write(lambda conn: conn.execute("UPDATE studio_sessions SET expires_at = 1").fetchall())
        deadline = time.monotonic() + 10
        while not event.is_set() and time.monotonic() < deadline:
            time.sleep(0.02)

        assert event.is_set()
        assert dump(studio.services.settings.db)["studio_sessions"] == []
