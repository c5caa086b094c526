"""Liveness of a run's owner, with real processes, locks and namespaces."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.owner_processes import (
    HOLD,
    IDLE,
    LINUX,
    NEW_PIDS,
    SOURCE,
    Start,
    gone,
    machine,
    namespaces,
    path,
    start,
)

from lionstudio.errors import NotFound
from lionstudio.system import process_identity
from lionstudio.system.filelock import RunLock
from lionstudio.system.process_identity import Owner, identify, liveness, signal_owner

__all__ = ["gone", "machine", "namespaces", "path", "start"]  # fixtures
pytestmark = pytest.mark.skipif(not LINUX, reason="reads /proc and makes namespaces")

# Alive


def test_liveness_alive_when_lock_is_held(start: Start, path: str) -> None:
    owner = start(HOLD, path).owner()
    answer, evidence = liveness(owner)
    assert answer == "alive"
    same = f"pid {owner.pid} is the run's process (started at tick {owner.start_ticks})"
    assert evidence == ("the run's lock is held", same)


def test_identify_this_process(path: str) -> None:
    with RunLock.take(path):
        assert liveness(identify(lock_path=path)).answer == "alive"
    assert liveness(identify()).answer == "alive"


def test_identify_is_equal_from_outside_and_inside(start: Start, path: str) -> None:
    script = start(HOLD, path)
    assert identify(script.process.pid, path) == script.owner()


def test_identify_ignores_forged_command_name(start: Start, path: str) -> None:
    forged = "open('/proc/self/comm', 'w').write('a) Z 1 2 (b');"
    script = start(forged + HOLD, path)
    owner = script.owner()
    assert Path(f"/proc/{owner.pid}/comm").read_text() == "a) Z 1 2 (b\n"
    boot = float(Path("/proc/uptime").read_text().split()[0]) * os.sysconf("SC_CLK_TCK")
    assert owner.start_ticks is not None
    assert 0 <= boot - owner.start_ticks < 6000
    assert liveness(owner._replace(lock_path=None)).answer == "alive"


def test_identify_reads_machine_and_boot_id() -> None:
    names = [Path(name) for name in ("/etc/machine-id", "/var/lib/dbus/machine-id")]
    found = [name.read_text().strip() for name in names if name.exists()]
    assert identify().machine_id == next((name for name in found if name), None)
    assert identify().host == os.uname().nodename


def test_identify_makes_lock_path_absolute() -> None:
    assert identify(lock_path="s1.lock").lock_path == f"{os.getcwd()}/s1.lock"


def test_liveness_alive_when_stopped(start: Start, path: str) -> None:
    script = start(HOLD, path)
    owner = script.owner()
    script.process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, owner.pid, os.WSTOPPED | os.WNOWAIT)
    assert liveness(owner).answer == "alive"
    assert liveness(owner._replace(lock_path=None)).answer == "alive"


def test_liveness_alive_when_lock_file_is_deleted(start: Start, path: str) -> None:
    owner = start(HOLD, path).owner()
    os.unlink(path)
    answer, evidence = liveness(owner)
    assert answer == "alive"
    assert evidence[0] == "the run's lock file is gone"


def test_liveness_held_lock_outweighs_all_evidence(start: Start, path: str, gone: Owner) -> None:
    start(HOLD, path).owner()
    strangers: list[dict[str, Any]] = [{}, {"boot_id": "b"}, {"machine_id": "m"}, {"pid": 1}, {"pid_ns": 1}, {"pid": 0}]
    assert {liveness(gone._replace(**change)).answer for change in strangers} == {"alive"}


# The first thread may end (pthread_exit) and leave the work to another one.
LEADERLESS = """
import ctypes, threading
pid = identify(lock_path=sys.argv[1])
def work():
    while open(f"/proc/{os.getpid()}/stat").read().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.001)
    tell(pid)
    stay()
threading.Thread(target=work).start()
ctypes.CDLL(None).pthread_exit(None)
"""


def test_liveness_alive_when_first_thread_ended(start: Start, path: str) -> None:
    assert liveness(start(LEADERLESS, path).owner()).answer == "alive"


# Dead


def test_liveness_dead_when_killed(gone: Owner) -> None:
    assert liveness(gone) == ("dead", ("the run's lock is free", f"pid {gone.pid} is gone"))


def test_liveness_dead_when_killed_without_lock_file(gone: Owner) -> None:
    assert gone.lock_path
    os.unlink(gone.lock_path)
    assert liveness(gone) == ("dead", ("the run's lock file is gone", f"pid {gone.pid} is gone"))


def test_liveness_dead_when_zombie(start: Start, path: str) -> None:
    script = start(HOLD, path)
    owner = script.owner()
    script.process.send_signal(signal.SIGKILL)
    os.waitid(os.P_PID, owner.pid, os.WEXITED | os.WNOWAIT)
    sentence = f"pid {owner.pid} has exited and was not reaped yet (zombie)"
    assert liveness(owner) == ("dead", ("the run's lock is free", sentence))
    assert identify(owner.pid, path) == owner
    with pytest.raises(NotFound, match="zombie"):
        signal_owner(owner, signal.SIGTERM)


def test_liveness_dead_after_reboot(start: Start, path: str, machine: str) -> None:
    living = start(IDLE, path).owner()._replace(machine_id=machine)
    sentence = "the machine was restarted since (boot id differs)"
    for lock_path in (path, None):
        before = living._replace(boot_id="another", lock_path=lock_path)
        assert (liveness(before).answer, liveness(before).evidence[1]) == ("dead", sentence)


REUSE = """
first = subprocess.Popen(["sleep", "60"])
owner = identify(first.pid, sys.argv[1])
os.kill(first.pid, signal.SIGKILL)
first.wait()
time.sleep(0.03)  # the start is told in hundredths of a second
with open("/proc/sys/kernel/ns_last_pid", "w") as file:
    file.write(str(owner.pid - 1))
second = subprocess.Popen(["sleep", "60"])
try:
    signal_owner(owner, signal.SIGKILL)
    refused = ""
except NotFound as error:
    refused = error.message
time.sleep(0.01)
with_and_without = liveness(owner), liveness(owner._replace(lock_path=None))
tell(owner, identify(second.pid), *with_and_without, refused, second.poll())
second.kill()
second.wait()
"""


def test_liveness_dead_when_pid_is_reused(start: Start, path: str, namespaces: None) -> None:
    owner, stranger, *answers, refused, ended = start(REUSE, path, inside=NEW_PIDS).told()
    assert owner[0] == stranger[0]
    sentence = f"pid {owner[0]} belongs to another process (started at tick {stranger[1]}, the run's at {owner[1]})"
    assert [answer for answer, _ in answers] == ["dead", "dead"]
    assert [evidence[1] for _, evidence in answers] == [sentence, sentence]
    assert refused == f"no signal sent: {sentence}"
    assert ended is None


def test_liveness_dead_when_start_ticks_differ(start: Start, path: str) -> None:
    living = start(IDLE, path).owner()
    earlier = living._replace(start_ticks=1)
    assert liveness(earlier).answer == "dead"
    assert liveness(earlier._replace(lock_path=None)).answer == "dead"


# Unknown


def test_liveness_held_lock_crosses_pid_namespaces(start: Start, path: str, namespaces: None) -> None:
    owner = start(HOLD, path, inside=NEW_PIDS).owner()
    answer, evidence = liveness(owner)
    assert answer == "alive"
    assert evidence == ("the run's lock is held", f"pid {owner.pid} belongs to another pid namespace")


def test_liveness_unknown_in_another_pid_namespace(start: Start, path: str, namespaces: None) -> None:
    owner = start(IDLE, path, inside=NEW_PIDS).owner()
    sentence = f"pid {owner.pid} belongs to another pid namespace"
    assert liveness(owner) == ("unknown", ("the run's lock file is gone", sentence))
    Path(path).parent.mkdir()
    Path(path).touch()
    assert liveness(owner) == ("unknown", ("the run's lock is free", sentence))
    with pytest.raises(NotFound, match="another pid namespace"):
        signal_owner(owner, signal.SIGKILL)


FOREIGN_PROC = """
child = subprocess.Popen(["sleep", "60"])
owner = identify(child.pid, sys.argv[1])
before = [liveness(who) for who in (owner, owner._replace(start_ticks=5), identify())]
child.kill()
child.wait()
tell(owner, before, liveness(owner))
"""


def test_liveness_ignores_proc_of_another_namespace(start: Start, path: str, namespaces: None) -> None:
    owner, before, after = start(FOREIGN_PROC, path, inside=NEW_PIDS[:2]).told()
    assert owner[1] is None
    assert [answer for answer, _ in before] == ["unknown", "unknown", "alive"]
    assert before[0][1][1].endswith("cannot be read (/proc shows another pid namespace)")
    assert after == ["dead", ["the run's lock file is gone", f"pid {owner[0]} is gone"]]


DOUBTS: list[tuple[dict[str, Any], str]] = [
    ({"machine_id": "m", "host": "moon"}, "the run belongs to another machine (moon)"),
    ({"machine_id": "m", "host": None}, "the run belongs to another machine (m)"),
    ({"machine_id": "m", "boot_id": "b", "host": "moon"}, "the run belongs to another machine (moon)"),
    ({"boot_id": None}, "the boot id was not recorded or cannot be read"),
    ({"boot_id": "b", "machine_id": None}, "the boot id differs, but whether it is the same machine is not known"),
    ({"pid": 0}, "no process id was recorded"),
    ({"pid": -1}, "no process id was recorded"),
    ({"pid": 2**31}, "no process id was recorded"),
]


@pytest.mark.parametrize(("change", "reason"), DOUBTS)
def test_liveness_unknown_on_doubt(gone: Owner, machine: str, change: dict[str, Any], reason: str) -> None:
    doubtful = gone._replace(machine_id=machine)._replace(**change)
    assert liveness(doubtful) == ("unknown", ("the run's lock is free", reason))
    with pytest.raises(NotFound) as refused:
        signal_owner(doubtful, signal.SIGKILL)
    assert refused.value.message == f"no signal sent: {reason}"


def test_liveness_unknown_without_recorded_namespace(gone: Owner) -> None:
    assert liveness(gone._replace(pid_ns=None)).answer == "unknown"


def test_liveness_unknown_when_gone_without_recorded_lock(gone: Owner) -> None:
    reasons = ("no lock was recorded for the run", f"pid {gone.pid} is gone")
    assert liveness(gone._replace(lock_path=None)) == ("unknown", reasons)


def test_liveness_uses_boot_id_without_machine_id(gone: Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    assert liveness(gone._replace(machine_id=None)).answer == "dead"
    monkeypatch.setattr(process_identity, "machine_id", lambda: None)
    assert liveness(gone._replace(machine_id="m")).answer == "dead"
    assert liveness(gone._replace(machine_id="m", boot_id="b")).answer == "unknown"


def test_liveness_unknown_when_start_cannot_be_compared(start: Start, path: str, gone: Owner) -> None:
    living = start(IDLE, path).owner()
    for change in ({"start_ticks": None}, {"time_ns": 1}, {"time_ns": None}, {"time_ns": 1, "start_ticks": 1}):
        assert liveness(living._replace(**change)).answer == "unknown"
        assert liveness(gone._replace(**change)).answer == "dead"


def test_liveness_unknown_when_lock_is_not_a_regular_file(gone: Owner, path: str) -> None:
    folder = Path(path).parent
    os.mkfifo(folder / "fifo")
    (folder / "link").symlink_to(path)
    for odd in (f"{folder}", f"{folder}/fifo", f"{folder}/link", f"{path}/below", "nul\0", "\ud800"):
        answer, evidence = liveness(gone._replace(lock_path=odd))
        assert answer == "unknown"
        assert evidence[0].startswith("the run's lock cannot be read (")


# Elsewhere than Linux


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_identity, "_LINUX", False)
    monkeypatch.setattr(process_identity, "_boot_id", lambda: None)
    monkeypatch.setattr(process_identity, "machine_id", lambda: None)
    monkeypatch.setattr(process_identity, "_namespace", lambda kind: None)


def test_liveness_by_psutil_matches_linux(elsewhere: None, start: Start, path: str) -> None:
    pytest.importorskip("psutil", reason="psutil is optional")
    script = start(IDLE, path)
    script.owner()
    owner = identify(script.process.pid, path)
    assert liveness(owner).answer == "alive"
    assert liveness(owner._replace(host="moon")).answer == "unknown"
    assert liveness(owner._replace(start_ticks=1)).answer == "unknown"
    RunLock.take(path).release()
    Path(path).touch()
    assert liveness(owner._replace(start_ticks=1)).answer == "dead"
    with pytest.raises(NotFound):
        signal_owner(owner._replace(start_ticks=1), signal.SIGKILL)
    signal_owner(owner, signal.SIGKILL)
    os.waitid(os.P_PID, owner.pid, os.WEXITED | os.WNOWAIT)
    assert liveness(owner).answer == "dead"
    script.process.wait()
    assert liveness(owner).answer == "dead"


def test_liveness_without_psutil_uses_only_the_lock(
    elsewhere: None, start: Start, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psutil", None)
    script = start(HOLD, path)
    script.owner()
    owner = identify(script.process.pid, path)
    assert liveness(owner).answer == "alive"
    script.kill()
    assert liveness(owner).answer == "unknown"


# Cost


LOADED = f"""
import sys
sys.path.insert(0, {SOURCE!r})
import lionstudio.errors, lionstudio.state
before = set(sys.modules)
import lionstudio.system.process_identity
print(*set(sys.modules) - before)
"""


def test_process_identity_is_cheap_to_import() -> None:
    loaded = subprocess.run([sys.executable, "-ISc", LOADED], capture_output=True, text=True, check=True)
    heavy = {"subprocess", "pathlib", "dataclasses", "inspect", "socket", "asyncio", "psutil", "fcntl"}
    assert not heavy & set(loaded.stdout.split())
