"""Full disk, limits, read-only folders, missing permissions: one error each, and nothing acknowledged is lost."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.support.children import PYTHON, ROOT, Event, environment, parse, run
from tests.support.commands import LI
from tests.support.invariants import assert_whole
from tests.support.old_files import add_old_sessions, make_v1
from tests.support.workload import begin

from lionstudio.state.database import Database
from lionstudio.state.sqlite.tail import Tail

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="mounts, limits and capabilities of Linux")

# Our own namespace, in which we may mount; the mounts vanish with the program.
NAMESPACE = ("unshare", "-rm", "sh", "-euc")
SMALL_DISK = 'mount -t tmpfs -o size=6m tmpfs "$0"; cp -r "$1/." "$0"; shift; "$@"; cp -r "$0/." "$OUT"'
READ_ONLY = 'mount --bind "$0" "$0"; mount -o remount,ro,bind "$0"; shift; exec "$@"'
# Root ignores permissions unless this capability is dropped.
MERE_MORTAL = ("setpriv", "--bounding-set=-dac_override,-dac_read_search") if os.geteuid() == 0 else ()


@pytest.fixture(scope="session")
def namespaces() -> None:
    tried = subprocess.run([*NAMESPACE, 'mount -t tmpfs tmpfs "$0"', "/mnt"], capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(f"a mount in a namespace of our own is not permitted here: {tried.stderr.strip()}")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def meet(program: str, home: Path, *inside: str, out: Path | None = None) -> list[Event]:
    """Run a program of fault_programs.py and return its events."""
    command = [*inside, *PYTHON, "-m", "tests.support.fault_programs", program, str(home / "state.db")]
    env = environment(LIONAGI_HOME=str(home), OUT=str(out))
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=100)
    errors = [line for line in done.stderr.splitlines() if not line.startswith("Upgrading ")]
    assert (done.returncode, errors) == (0, []), done
    return parse(done.stdout)


def outcomes(events: Sequence[Event]) -> dict[str, str]:
    return {event["tried"]: event["outcome"] for event in events if "tried" in event}


def on_a_small_disk(program: str, home: Path, tmp_path: Path) -> tuple[list[Event], Path]:
    """Run on a 4 MB disk with a copy of the home, which is copied back afterwards."""
    out, disk = tmp_path / "out", tmp_path / "disk"
    out.mkdir()
    disk.mkdir()
    return meet(program, disk, *NAMESPACE, SMALL_DISK, str(disk), str(home), out=out), out / "state.db"


@pytest.mark.parametrize("program", ["full_disk", "full_disk_grouped"])
def test_full_disk_fails_writes_and_recovers(program: str, home: Path, tmp_path: Path, namespaces: None) -> None:
    events, path = on_a_small_disk(program, home, tmp_path)
    assert outcomes(events) == {
        "write to a full disk": "StorageFailed",
        "read from a full disk": "ok",
        "write again": "StorageFailed",
        "write with space": "ok",
    }
    seen = assert_whole(path, events)
    assert seen.messages == seen.acknowledged > 50


FILL = """mount -t tmpfs -o size=6m tmpfs "$0"; "$1" agent script "@say hi" >/dev/null 2>&1
dd if=/dev/zero of="$0/ballast" bs=4k 2>/dev/null || true; shift; exec "$@"
"""


@pytest.mark.parametrize("argv", [("state", "ls"), ("agent", "script", "@say hi")])
def test_commands_name_the_full_disk(argv: tuple[str, ...], home: Path, namespaces: None) -> None:
    command = [*NAMESPACE, FILL, str(home), LI, LI, *argv]
    env = environment(LIONAGI_HOME=str(home))
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"li: the disk with {home}/state.db is full" in done.stderr
    assert "free some space" in done.stderr


def test_maintenance_on_a_full_disk_changes_nothing(home: Path, tmp_path: Path, namespaces: None) -> None:
    made = make_v1(home / "state.db", sessions=20, messages=100)
    events, path = on_a_small_disk("upkeep_on_a_full_disk", home, tmp_path)
    assert outcomes(events) == {
        "upgrade without space": "StorageFailed",
        "upgrade with space": "ok",
        "copy without space": "StorageFailed",
        "vacuum without space": "StorageFailed",
        "prune without space": "StorageFailed",
        "prune with space": "ok",
    }
    files = [event["files"] for event in events if "files" in event]
    [backups] = [event["backups"] for event in events if "backups" in event]
    ours = {"ballast", "state.db", "state.db-wal", "state.db-shm"}
    assert set(files[0]) <= ours
    assert set(files[1]) <= {*ours, *backups}
    assert len(backups) == 1
    assert assert_whole(path, []).messages == len(made[0]), "one session was to be kept"
    assert assert_whole(path.with_name(backups[0]), []).messages == sum(map(len, made))


def test_file_size_limit_fails_writes_and_recovers(home: Path) -> None:
    events = meet("file_size_limit", home)
    assert outcomes(events) == {"write beyond the limit": "StorageFailed", "write without a limit": "ok"}
    seen = assert_whole(home / "state.db", events)
    assert seen.messages == seen.acknowledged > 10


def test_open_database_works_without_free_descriptors(home: Path) -> None:
    events = meet("no_descriptors", home)
    assert outcomes(events) == {
        "open a second time": "StorageFailed",
        "open to read": "StorageFailed",
        "write": "ok",
        "write later": "ok",
        "read later": "ok",
    }
    [seen] = [event["seen"] for event in events if "seen" in event]
    assert seen > 0, "a commit without a bell is found by looking"
    assert {"rang": True} in events
    assert assert_whole(home / "state.db", events).acknowledged == 2


def test_failing_bell_does_not_undo_the_commit(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Database(str(home / "state.db")) as database, Tail(str(home / "state.db")) as tail:

        def refuse(*_: object) -> None:
            raise OSError("Too many open files")

        monkeypatch.setattr("lionstudio.state.sqlite.doorbell.socket.socket", refuse)
        database.write(begin)
        monkeypatch.undo()
        assert len(tail.look().rows) == 2


READS = ("list", "count", "doctor", "search", "export", "stats", "plan a prune")
ONLY_READS = dict.fromkeys(READS, "ok") | {"write": "StorageFailed"}


def test_read_only_home_is_readable(home: Path, namespaces: None) -> None:
    add_old_sessions(home / "state.db", sessions=5, messages=4)
    events = meet("look_and_touch", home, *NAMESPACE, READ_ONLY, str(home), "")
    assert outcomes(events) == ONLY_READS
    assert {"messages": 20} in events


def test_read_only_home_of_a_killed_writer_is_readable(home: Path, namespaces: None) -> None:
    killed = run("synchronous", home / "state.db", 30, env={"LIONAGI_CRASH_AT": "write.committed:20"})
    assert killed.code == -signal.SIGKILL
    assert (home / "state.db-wal").stat().st_size > 0
    events = meet("look_and_touch", home, *NAMESPACE, READ_ONLY, str(home), "")
    assert outcomes(events) == ONLY_READS
    [count] = [event["messages"] for event in events if "messages" in event]
    assert count == len(killed.events) + 1, "the last commit was not told any more"
    assert_whole(home / "state.db", killed.events)


def test_read_only_file_is_readable(home: Path, namespaces: None) -> None:
    add_old_sessions(home / "state.db", sessions=5, messages=4)
    events = meet("look_and_touch", home, *NAMESPACE, READ_ONLY, str(home / "state.db"), "")
    assert outcomes(events) == ONLY_READS


@pytest.fixture(scope="session")
def mortal() -> tuple[str, ...]:
    if MERE_MORTAL and shutil.which(MERE_MORTAL[0]) is None:
        pytest.skip("root ignores permissions, and setpriv is not installed")
    return MERE_MORTAL


@pytest.mark.parametrize("name", ["state.db", "state.db-shm", "state.db-wal"])
def test_open_refuses_a_file_without_permission(name: str, home: Path, mortal: tuple[str, ...]) -> None:
    killed = run("synchronous", home / "state.db", 30, env={"LIONAGI_CRASH_AT": "write.committed:20"})
    (home / name).chmod(0)
    events = meet("look_and_touch", home, *mortal)
    assert set(outcomes(events).values()) == {"StorageFailed"}
    (home / name).chmod(0o600)
    assert_whole(home / "state.db", killed.events)


def test_home_without_write_permission_is_readable(home: Path, mortal: tuple[str, ...]) -> None:
    add_old_sessions(home / "state.db", sessions=5, messages=4)
    home.chmod(0o500)
    events = meet("look_and_touch", home, *mortal)
    home.chmod(0o700)
    assert outcomes(events) == ONLY_READS


def test_open_refuses_a_home_that_cannot_be_created(home: Path, mortal: tuple[str, ...]) -> None:
    home.chmod(0o500)
    events = meet("look_and_touch", home / "below", *mortal)
    home.chmod(0o700)
    assert outcomes(events) == dict.fromkeys(READS, "NotFound") | {"write": "StorageFailed"}
