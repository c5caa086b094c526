"""Pushes to a PostgreSQL hub that goes away, and pushers that are killed: everything arrives once."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
from tests.crash.conftest import Figures
from tests.crash.test_push_kills import append_all
from tests.support.builders import begin, said, say
from tests.support.children import environment
from tests.support.commands import LI, start_li
from tests.support.hubs import contents, embed, finish, full_session
from tests.support.invariants import check
from tests.support.postgres_server import PostgresServer
from tests.support.waiting import wait_until

from lionstudio.state.backends import open_database
from lionstudio.state.database import Database

pytestmark = [pytest.mark.crash, pytest.mark.postgres, pytest.mark.timeout(900)]

FULL = os.environ.get("LIONAGI_CRASH_LENGTH") == "full"
KILLS = 50 if FULL else 4
MESSAGES = 10_200 if FULL else 900  # while the hub is away
AT_ONCE = 100


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    server = PostgresServer(durable=True)
    try:
        yield server
    finally:
        server.close()


@pytest.fixture
def hub(server: PostgresServer) -> str:
    url = server.local_url(server.create())
    open_database(url).close()
    return url


def new_home(blank: Path, folder: Path) -> Path:
    folder.mkdir(mode=0o700)
    shutil.copy(blank, folder / "state.db")
    return folder


def variables(hub: str, machine: str) -> dict[str, str]:
    return {"LIONAGI_HUB": hub, "LIONAGI_MACHINE_ID": machine}


def pushing(home: Path, hub: str, machine: str = "m") -> subprocess.Popen[bytes]:
    command = [LI, "hub", "push", "--home", str(home)]
    return subprocess.Popen(
        command, env=environment(**variables(hub, machine)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def assert_same(home: Path, hub: str, like: str = "%") -> None:
    mine, theirs = contents(home / "state.db", like), contents(hub, like)
    for table, rows in mine.items():
        assert theirs[table] == rows, table


def assert_sound(hub: str) -> None:
    with open_database(hub) as db:
        # messages in the feed of a hub are those of whole rounds, and a mailbox has no session
        violations = [one for one in check(db.conn, [], loose=True).violations if "announced" not in one]
    assert violations == []


def test_followers_push_what_was_written_while_the_hub_was_away(
    server: PostgresServer, hub: str, blank: Path, tmp_path: Path, figures: Figures
) -> None:
    homes = [new_home(blank, tmp_path / f"home{number}") for number in range(3)]
    with ExitStack() as stack:
        databases = [stack.enter_context(Database(str(home / "state.db"))) for home in homes]
        for number, db in enumerate(databases):
            begin(db, f"run{number}")
        followers = [
            stack.enter_context(
                start_li("hub", "push", "--follow", "--home", str(home), env=variables(hub, f"machine{number}"))
            )
            for number, home in enumerate(homes)
        ]
        wait_until(lambda: len(contents(hub)["sessions"]) == 3)

        server.stop(signal.SIGQUIT)
        for step in range(MESSAGES // 3 // AT_ONCE):
            for number, db in enumerate(databases):
                messages = [said("while away", id=f"{number}.{step}.{each}") for each in range(AT_ONCE)]
                db.write(lambda conn, to=f"run{number}.main", all_=messages: append_all(conn, to, all_))  # type: ignore[misc]
        for number, db in enumerate(databases):
            full_session(db, f"full{number}", machine_id=f"machine{number}")
        time.sleep(1.5)  # each of them has tried in vain
        server.start()

        wait_until(lambda: all(_arrived(home, hub, n) for n, home in enumerate(homes)), seconds=240)
        for follower in followers:
            follower.send_signal(signal.SIGINT)
        outputs = [follower.communicate(timeout=60) for follower in followers]
    assert [follower.returncode for follower in followers] == [0, 0, 0]
    assert [(err.count("cannot be reached"), err.count("The hub is back.")) for _, err in outputs] == [(1, 1)] * 3
    for number, home in enumerate(homes):
        for kind in ("run", "full"):
            assert_same(home, hub, f"{kind}{number}")
    assert_sound(hub)
    figures(f"3 homes, {len(contents(hub)['messages'])} messages on the hub, each once")


def _arrived(home: Path, hub: str, number: int) -> bool:
    """Whether the hub counts as many messages: cheaper than to compare all rows each time."""
    sql = "SELECT id, message_count FROM sessions WHERE id IN (:run, :full) ORDER BY id"
    ids = {"run": f"run{number}", "full": f"full{number}"}
    with open_database(str(home / "state.db")) as mine, open_database(hub) as theirs:
        return mine.conn.all(sql, ids) == theirs.conn.all(sql, ids)


def test_pushers_killed_at_random_push_everything_once(hub: str, blank: Path, tmp_path: Path, figures: Figures) -> None:
    home = new_home(blank, tmp_path / "home")
    chance, kills, attempts = random.Random(5), 0, 0
    with Database(str(home / "state.db")) as db, psycopg.connect(hub, autocommit=True) as observer:
        full_session(db, "long", machine_id="m")
        while kills < KILLS:
            attempts += 1
            assert attempts <= 10 * KILLS, f"only {kills} of {attempts} pushes were killed"
            full_session(db, f"s{attempts}", machine_id="m")
            for session in (f"s{attempts}", "long"):
                messages = [said("more", id=f"{session}.{attempts}.{each}") for each in range(300)]
                db.write(lambda conn, to=f"{session}.main", all_=messages: append_all(conn, to, all_))  # type: ignore[misc]
            with pushing(home, hub) as killed:
                if _is_connected(killed, observer):
                    time.sleep(chance.uniform(0, 0.2))
                killed.kill()
                kills += killed.wait(60) == -signal.SIGKILL
        finish(db, "s1")
        embed(db)
    with pushing(home, hub) as again:
        assert again.wait(120) == 0
    assert_same(home, hub)
    assert_sound(hub)
    figures(f"{kills} pushes were killed while they were connected, {attempts - kills} ended before")


_CLIENTS = """
SELECT count(*) FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""


def _is_connected(process: subprocess.Popen[bytes], observer: psycopg.Connection[tuple[object, ...]]) -> bool:
    while process.poll() is None:
        if observer.execute(_CLIENTS).fetchone() != (0,):
            return True
        time.sleep(0.002)
    return False


def test_copies_of_one_database_pushed_at_the_same_time_have_one_owner(hub: str, blank: Path, tmp_path: Path) -> None:
    """The machine that recorded the sessions keeps them, whichever was first."""
    home = new_home(blank, tmp_path / "home")
    with Database(str(home / "state.db")) as db:
        for number in range(5):
            full_session(db, f"s{number}", machine_id="recorder")
            say(db, f"s{number}.main", *(f"s{number}.m{each}" for each in range(40)))
    copy = tmp_path / "copy"
    shutil.copytree(home, copy)
    with Database(str(copy / "state.db")) as db:
        for number in range(5):
            say(db, f"s{number}.main", f"s{number}.of the copy")
    for _ in range(3):
        with pushing(home, hub, "recorder") as one, pushing(copy, hub, "other") as two:
            codes = {one.wait(120), two.wait(120)}
        assert codes == {0}
    assert_same(home, hub)
    assert_sound(hub)
