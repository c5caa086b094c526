"""The lock of a run, and signals that reach only its owner, with real processes."""

from __future__ import annotations

import errno
import json
import os
import signal
from pathlib import Path

import pytest
from tests.support.owner_processes import HOLD, IDLE, LINUX, Start, gone, machine, namespaces, path, start

from lionstudio.errors import Busy, InvalidInput, NotFound, StorageFailed
from lionstudio.system.filelock import RunLock
from lionstudio.system.process_identity import identify, liveness, signal_owner

__all__ = ["gone", "machine", "namespaces", "path", "start"]  # fixtures
pytestmark = pytest.mark.skipif(not LINUX, reason="reads /proc and makes namespaces")

# The lock


def test_run_lock_file_and_folders_are_private(tmp_path: Path) -> None:
    umask = os.umask(0)
    try:
        lock = RunLock.take(tmp_path / "home" / "run" / "s1.lock")
    finally:
        os.umask(umask)
    modes = [os.stat(tmp_path / name).st_mode & 0o777 for name in ("home", "home/run", "home/run/s1.lock")]
    assert modes == [0o700, 0o700, 0o600]
    lock.release()


def test_run_lock_is_busy_until_holder_is_killed(start: Start, path: str) -> None:
    script = start(HOLD, path)
    script.owner()
    with pytest.raises(Busy, match=r"s1\.lock"):
        RunLock.take(path)
    script.kill()
    with RunLock.take(path), pytest.raises(Busy):
        RunLock.take(path)


def test_run_lock_release_removes_file_once(path: str) -> None:
    lock = RunLock.take(path)
    lock.release()
    assert not os.path.exists(path)
    with RunLock.take(path):
        lock.release()
        assert os.path.exists(path)
        with pytest.raises(Busy):
            RunLock.take(path)


def test_run_lock_release_keeps_another_file(path: str) -> None:
    lock = RunLock.take(path)
    os.rename(path, f"{path}.old")
    Path(path).write_text("another")
    lock.release()
    assert Path(path).read_text() == "another"
    RunLock.take(f"{path}.old").release()


def test_run_lock_release_without_folder(path: str) -> None:
    lock = RunLock.take(path)
    os.unlink(path)
    os.rmdir(os.path.dirname(path))
    lock.release()
    assert not os.path.exists(os.path.dirname(path))


def test_run_lock_failure_gives_the_reason(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageFailed, match=os.strerror(errno.ENOTDIR)):
        RunLock.take(tmp_path / "file" / "s1.lock")


CONTEND = """
path = sys.argv[1]
for _ in range(100):
    try:
        with RunLock.take(path):
            os.close(os.open(path + ".inside", os.O_CREAT | os.O_EXCL))
            os.unlink(path + ".inside")
    except Busy:
        pass
tell("never two")
"""


def test_run_lock_is_exclusive(start: Start, path: str) -> None:
    scripts = [start("from lionstudio.errors import Busy\n" + CONTEND, path) for _ in range(4)]
    assert [script.told() for script in scripts] == [["never two"]] * 4


INHERIT = """
for _ in range(20):
    RunLock.take(sys.argv[1] + ".earlier").release()
lock = RunLock.take(sys.argv[1])
subprocess.Popen(["cat"], close_fds=False)
told, ready = os.pipe()
if os.fork() == 0:
    lock.release()
    os.write(ready, b".")
    stay()
    os._exit(0)
os.read(told, 1)
tell(identify(lock_path=lock.path))
stay()
"""


def test_run_lock_is_not_inherited(start: Start, path: str) -> None:
    script = start(INHERIT, path)
    owner = script.owner()
    children = Path(f"/proc/{owner.pid}/task/{owner.pid}/children").read_text().split()
    assert liveness(owner).evidence[0] == "the run's lock is held"
    script.kill()
    assert len(children) == 2
    assert all(liveness(identify(int(child))).answer == "alive" for child in children)
    assert liveness(owner).answer == "dead"
    RunLock.take(path).release()


LOOK = """
owner = Owner(*json.loads(sys.argv[1]))
parent = os.getpid()
def look():
    answers = set()
    go = True
    def stop(*_):
        nonlocal go
        go = False
    signal.signal(signal.SIGTERM, stop)
    os.write(ready, b".")
    while go and os.getppid() == parent:
        answers.add(liveness(owner).answer)
    os._exit(answers != {"alive"})
told, ready = os.pipe()
children = []
for _ in range(50):
    child = os.fork()
    if not child:
        look()
    children.append(child)
for _ in children:
    os.read(told, 1)
tell("looking")
stay()
for child in children:
    os.kill(child, signal.SIGTERM)
tell(sum(os.waitpid(child, 0)[1] for child in children))
"""


def test_run_lock_survives_fifty_probes(start: Start, path: str) -> None:
    lookers = start(LOOK, json.dumps(identify(lock_path=path)))
    assert lookers.told() == ["looking"]
    for round_ in range(20):
        lock = RunLock.take(path)
        lock.release()
        if round_ % 2:
            Path(path).touch()  # what a killed run leaves behind, and what lookers lock
    assert lookers.process.stdin
    lookers.process.stdin.close()
    assert lookers.told() == [0]


def test_run_lock_waits_for_a_long_probe(start: Start, path: str) -> None:
    look = "import fcntl; file = open(sys.argv[1]); fcntl.flock(file, fcntl.LOCK_SH)\ntell(); time.sleep(0.2)"
    Path(path).parent.mkdir()
    Path(path).touch()
    start(look, path).told()
    lock = RunLock.take(path)
    assert os.path.exists(path)
    lock.release()


# Signals


def test_signal_owner_reaches_the_owner(start: Start, path: str) -> None:
    script = start(HOLD, path)
    owner = script.owner()
    signal_owner(owner, signal.SIGTERM)
    assert script.process.wait() == -signal.SIGTERM
    with pytest.raises(NotFound, match=f"pid {owner.pid} is gone"):
        signal_owner(owner, signal.SIGTERM)


def test_signal_owner_spares_other_processes(start: Start, path: str) -> None:
    script = start(IDLE, path)
    owner = script.owner()
    for change in ({"start_ticks": 1}, {"start_ticks": None}, {"boot_id": "b"}, {"time_ns": 1}):
        with pytest.raises(NotFound):
            signal_owner(owner._replace(**change), signal.SIGKILL)
    assert script.process.poll() is None
    assert liveness(owner).answer == "alive"


def test_signal_owner_spares_a_pid_reused_after_the_check(
    start: Start, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, stranger = start(IDLE, path), start(IDLE, path)
    owner, other = script.owner(), stranger.owner()
    open_pidfd = os.pidfd_open

    def too_late(pid: int) -> int:
        script.kill()
        return open_pidfd(other.pid)

    monkeypatch.setattr(os, "pidfd_open", too_late)
    with pytest.raises(NotFound):
        signal_owner(owner, signal.SIGKILL)
    assert liveness(other).answer == "alive"


def test_signal_owner_refuses_unknown_signal(start: Start, path: str) -> None:
    owner = start(IDLE, path).owner()
    with pytest.raises(InvalidInput, match=os.strerror(errno.EINVAL)):
        signal_owner(owner, 200)
