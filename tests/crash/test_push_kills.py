"""A push that is killed at any instant and run again leaves the hub equal, row by row, to one that was not."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from tests.crash.conftest import Figures
from tests.support.builders import said, say
from tests.support.children import environment
from tests.support.commands import LI
from tests.support.hubs import contents, embed, finish, full_session
from tests.support.invariants import assert_whole

from lionstudio.model.messages import Message
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.append_many import PendingRow, append_many
from lionstudio.state.messages.rows import to_row

pytestmark = pytest.mark.crash

FULL = os.environ.get("LIONAGI_CRASH_LENGTH") == "full"
KILLS = 50 if FULL else 20
POINTS = [
    "push.ahead:1",
    "push.ahead:3",
    "push.messages:1",
    "push.placed:2",
    "push.copied:1",
    "push.copied:3",
    "push.batch:1",
    "write.before_commit:4",
    "write.committed:5",
]


@pytest.fixture
def home(blank: Path, tmp_path: Path) -> Path:
    """Sessions short and long, one running."""
    folder = tmp_path / "home"
    folder.mkdir()
    path = shutil.copy(blank, folder / "state.db")
    with Database(str(path)) as db:
        for number in range(8):
            full_session(db, f"s{number}", machine_id="m")
            say(db, f"s{number}.main", *(f"s{number}.m{each}" for each in range(300)))
        full_session(db, "long", machine_id="m")
        say(db, "long.main", *(f"long.m{each}" for each in range(2500)))
        finish(db, "s3")
        embed(db)
    return folder


@pytest.fixture
def hub(blank: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "hub"
    folder.mkdir()
    return Path(shutil.copy(blank, folder / "state.db"))


def pushing(home: Path, hub: Path, **more: str) -> subprocess.Popen[bytes]:
    settings = {"LIONAGI_HUB": str(hub), "LIONAGI_MACHINE_ID": "m", **more}
    command = [LI, "hub", "push", "--home", str(home)]
    return subprocess.Popen(command, env=environment(**settings), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def assert_pushed(home: Path, hub: Path) -> None:
    with pushing(home, hub) as again:
        assert again.wait(120) == 0
    mine, theirs = contents(home / "state.db"), contents(hub)
    for table, rows in mine.items():
        assert theirs[table] == rows, table


@pytest.mark.parametrize("point", POINTS)
def test_push_killed_at_point(home: Path, hub: Path, point: str) -> None:
    with pushing(home, hub, LIONAGI_CRASH_AT=point) as killed:
        assert killed.wait(120) == -signal.SIGKILL

    assert_pushed(home, hub)
    assert_whole(hub, [])


def test_push_killed_at_random(home: Path, hub: Path, figures: Figures) -> None:
    """Every kill hits a push that has begun to write and has not ended; one that ended too early does not count."""
    chance, kills, attempts = random.Random(7), 0, 0
    with Database(str(home / "state.db")) as db:
        longest = undisturbed(home, hub)
        while kills < KILLS:
            attempts += 1
            assert attempts <= 10 * KILLS, f"only {kills} of {attempts} pushes were killed"
            add_work(db, attempts)
            with pushing(home, hub) as killed:
                if begins(killed, hub):
                    time.sleep(chance.uniform(0, longest))
                killed.kill()
                kills += killed.wait(60) == -signal.SIGKILL
    figures(f"{kills} pushes were killed while they wrote, {attempts - kills} ended before")

    assert_pushed(home, hub)


def add_work(db: Database, number: int) -> None:
    """A new session, and later messages of those that were pushed before."""
    full_session(db, f"w{number}", machine_id="m")
    for session in (f"w{number}", "long", f"s{number % 3}"):
        messages = [said(f"{session}.{number}.{each}", id=f"{session}.{number}.{each}") for each in range(300)]
        db.write(lambda conn, to=f"{session}.main", all_=messages: append_all(conn, to, all_))  # type: ignore[misc]


def append_all(conn: Connection, branch_id: str, messages: list[Message]) -> None:
    append_many(conn, branch_id, [PendingRow(message, to_row(conn, message)) for message in messages])


def undisturbed(home: Path, hub: Path) -> float:
    """The seconds in which a push writes, as a range for the moment of a kill."""
    with pushing(home, hub) as whole:
        assert begins(whole, hub)
        began = time.monotonic()
        assert whole.wait(120) == 0
    return time.monotonic() - began


def begins(process: subprocess.Popen[bytes], hub: Path) -> bool:
    """Wait until a push writes to the hub; False when it ended first. The log is only looked at, never opened."""
    log = Path(f"{hub}-wal")

    def look() -> tuple[int, int] | None:
        try:
            status = log.stat()
        except FileNotFoundError:
            return None
        return status.st_size, status.st_mtime_ns

    before = look()
    while process.poll() is None:
        if look() not in (None, before):
            return True
        time.sleep(0.001)
    return False
