"""The processes of a session, found by the session id in their environment."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from collections import Counter

import pytest
from tests.support.children import environment

from lionstudio.model.ids import new_id
from lionstudio.system import procfs, session_processes
from lionstudio.system.session_processes import VARIABLE, end_processes_of, processes_of, seen_processes_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

LEADERLESS = """
import ctypes, os, threading, time
def work():
    while open(f"/proc/{os.getpid()}/stat").read().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.001)
    os.write(1, b".")
    time.sleep(60)
threading.Thread(target=work).start()
ctypes.CDLL(None).pthread_exit(None)
"""


def test_end_processes_of_ends_process_whose_first_thread_ended() -> None:
    session_id = new_id()
    with subprocess.Popen(
        [sys.executable, "-c", LEADERLESS], env=environment(**{VARIABLE: session_id}), stdout=subprocess.PIPE
    ) as process:
        try:
            assert process.stdout is not None
            assert os.read(process.stdout.fileno(), 1) == b"."
            assert processes_of(session_id) == {process.pid}
            assert end_processes_of(session_id, grace=5) == 1
        finally:
            process.kill()


def test_processes_of_reads_each_process_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A supervisor looks at all processes of the machine when its agent has ended."""
    read: Counter[int] = Counter()

    def read_environ(pid: int) -> list[bytes]:
        read[pid] += 1
        return procfs.read_environ(pid)

    monkeypatch.setattr(session_processes, "read_environ", read_environ)
    session_id = new_id()
    below = "import subprocess; subprocess.run(['sh', '-c', 'env -i sleep 60; true'])"
    with subprocess.Popen([sys.executable, "-c", below], env=environment(**{VARIABLE: session_id})) as process:
        try:
            while len(found := processes_of(session_id)) < 3:
                assert process.poll() is None
            read.clear()
            assert processes_of(session_id) == found
            assert set(read.values()) == {1}
        finally:
            end_processes_of(session_id, grace=0)


# each waits for the next one
CHAIN = """
import os, time
for _ in range(150):
    if os.fork():
        os.wait()
        os._exit(0)
os.write(1, b".")
time.sleep(60)
"""


def test_processes_of_a_chain_are_found_however_deep_it_is() -> None:
    """An agent chooses how deep; a recursion would fail at the limit, and its processes would go on."""
    session_id = new_id()
    command = ["sh", "-c", 'env -i "$0" -S -c "$1"; true', sys.executable, CHAIN]
    with subprocess.Popen(command, env=environment(**{VARIABLE: session_id}), stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert os.read(process.stdout.fileno(), 1) == b"."
            limit = sys.getrecursionlimit()
            sys.setrecursionlimit(len(inspect.stack()) + 100)
            try:
                assert len(processes_of(session_id)) == 152
                assert len(seen_processes_of(session_id)) == 152
            finally:
                sys.setrecursionlimit(limit)
        finally:
            assert end_processes_of(session_id, grace=0) == 152
