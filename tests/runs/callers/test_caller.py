"""The caller of a request: the process behind a connection, and what counts when it cannot be found."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, nullcontext
from pathlib import Path

import pytest
from tests.support.children import environment, unprivileged

from lionstudio.errors import LionError
from lionstudio.runs.callers import caller as callers
from lionstudio.runs.callers.caller import check_person, describe_origin, peer_of, this_process
from lionstudio.state.runs.active_owners import RunningOwner
from lionstudio.system.callers.ancestry import ancestors_of, own_pid
from lionstudio.system.callers.tcp_peer import TcpPeer, find_peer
from lionstudio.system.filelock import RunLock
from lionstudio.system.process_identity import identify
from lionstudio.system.watchdog import WATCHDOG_CODE


@pytest.fixture(params=["127.0.0.1", "::1", "::ffff:127.0.0.1"])
def connection(request: pytest.FixtureRequest) -> Iterator[tuple[str, int, int]]:
    """The address and port of a client of ours, and the port that it is connected to."""
    target = request.param
    with socket.socket(socket.AF_INET6 if ":" in target else socket.AF_INET) as listener:
        if ":" in target:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        try:
            listener.bind(("::" if ":" in target else target, 0))
        except OSError:
            pytest.skip("no IPv6 here")
        listener.listen()
        port = listener.getsockname()[1]
        address = "127.0.0.1" if target.startswith("::ffff") else target
        with closing(socket.create_connection((address, port))), closing(listener.accept()[0]) as server:
            yield (*server.getpeername()[:2], port)


def test_find_peer_finds_the_process_of_a_connection(connection: tuple[str, int, int]) -> None:
    address, port, server_port = connection
    peer = find_peer(address, port, server_port)
    assert peer is not None
    assert (peer.uid, peer.holders) == (os.geteuid(), (os.getpid(),))
    assert peer_of((address, port), server_port).chain[0].pid == os.getpid()
    assert find_peer(address, port, server_port + 1) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="for others, a process that hides its descriptors looks the same")
def test_socket_in_flight_is_refused() -> None:
    """A process may put its socket into a message to itself: for a moment, no process holds it."""
    sending, receiving = socket.socketpair()
    with sending, receiving, socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        client = socket.create_connection(listener.getsockname())
        with closing(listener.accept()[0]) as server:
            socket.send_fds(sending, [b"x"], [client.fileno()])
            client.close()
            caller = peer_of(server.getpeername(), listener.getsockname()[1])
    assert caller.agent == "no process holds the other end of the connection"


def test_find_peer_looks_at_the_descriptors_of_threads() -> None:
    script = (
        "import ctypes, socket, sys, threading, time\n"
        "def connect():\n"
        "    ctypes.CDLL(None).unshare(0x400)\n"  # CLONE_FILES: descriptors of its own
        "    kept = socket.create_connection(('127.0.0.1', int(sys.argv[1])))\n"
        "    time.sleep(60)\n"
        "threading.Thread(target=connect, daemon=True).start()\n"
        "time.sleep(60)"
    )
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        process = subprocess.Popen([sys.executable, "-c", script, str(port)])
        try:
            with closing(listener.accept()[0]) as server:
                address, peer_port = server.getpeername()
                peer = find_peer(address, peer_port, port)
        finally:
            process.kill()
            process.wait()
    assert peer is not None
    assert peer.holders == (process.pid,)


def test_ancestors_lead_to_the_first_process() -> None:
    chain = ancestors_of(own_pid())
    assert chain is not None
    assert [process.pid for process in chain[:2]] == [os.getpid(), os.getppid()]
    assert ancestors_of(2**22 + 1) is None


def test_loopback_peer_that_cannot_be_found_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callers, "find_peer", lambda *_: None)
    assert peer_of(("127.0.0.1", 1), 2).agent is not None
    remote = peer_of(("192.0.2.7", 1), 2)
    assert (remote.agent, describe_origin(remote.origin())) == (None, "on the page, from 192.0.2.7")


def test_peer_of_another_user_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callers, "find_peer", lambda *_: TcpPeer(os.geteuid() + 1, (), ()))
    assert "another user" in str(peer_of(("127.0.0.1", 1), 2).agent)


def test_peer_of_another_user_may_be_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages run nginx and Caddy as users of their own; a process of this user is looked at as without a proxy."""
    monkeypatch.setattr(callers, "find_peer", lambda *_: TcpPeer(os.geteuid() + 1, (), ()))
    assert peer_of(("127.0.0.1", 1), 2, True).agent is None
    monkeypatch.setattr(callers, "find_peer", lambda *_: None)
    assert peer_of(("127.0.0.1", 1), 2, True).agent is not None


@pytest.fixture
def guarded() -> Iterator[int]:
    """The pid of a process below one that looks like a guard."""
    code = "import subprocess; subprocess.run(['sh', '-c', 'echo $$; exec sleep 60'], start_new_session=True)"
    words = [sys.executable, "-c", code, WATCHDOG_CODE]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        yield pid
        os.kill(pid, 9)
        process.wait(10)


HIDING_CLIENT = """
import ctypes, socket, sys, time
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))):
    time.sleep(60)
"""
# Runs an agent, and prints what is said of a client that hides: the agent, which may call itself a guard, or another
# program as sshd. It says so with the capability to list descriptors without reading them, if it has one, and without.
SERVER = """
import ctypes, os, socket, subprocess, sys, time
from lionstudio.runs.callers.caller import peer_of
from lionstudio.system.watchdog import WATCHDOG_CODE, Watchdog

client, is_agent, plain = sys.argv[1], sys.argv[2] == "agent", sys.argv[3:]
with socket.create_server(("127.0.0.1", 0)) as listener, open(os.devnull, "r+b") as null:
    port = listener.getsockname()[1]
    hiding, idle = [sys.executable, "-c", client, str(port)], [*plain, "sleep", "60"]
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), null.fileno())
    argv, environ = [*hiding, WATCHDOG_CODE] if is_agent else idle, {"PATH": os.environ["PATH"]}
    program = Watchdog().start(argv, cwd="/", env=environ, **streams)
    person = subprocess.Popen(idle if is_agent else hiding)
    connection, address = listener.accept()
    program.receive()
    idle_pid = person.pid if is_agent else program.pid
    while open(f"/proc/{idle_pid}/comm").read() != "sleep\\n":
        time.sleep(0.01)
    print(peer_of(address, port).agent)
    ctypes.CDLL(None).capset((ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)())
    print(peer_of(address, port).agent)
    person.kill()
    program.end(0)
"""


@pytest.mark.parametrize(("client", "answer"), [("person", "None"), ("agent", "guards a program")])
def test_peer_that_hides_is_told_from_our_own_guards(client: str, answer: str, guarded: int) -> None:
    """As a user other than root, to whom our guards hide too, and while another user runs an agent."""
    inside = unprivileged()
    plain = ["setpriv", "--ambient-caps=-all", "--inh-caps=-all"] if inside else []
    words = [*inside, sys.executable, "-c", SERVER, HIDING_CLIENT, client, *plain]
    output = subprocess.run(words, env=environment(), capture_output=True, text=True, timeout=60)
    assert [answer in line for line in output.stdout.splitlines()] == [True, True], output


def test_socket_that_an_agent_shares_is_the_agents(monkeypatch: pytest.MonkeyPatch, guarded: int) -> None:
    monkeypatch.setattr(callers, "find_peer", lambda *_: TcpPeer(os.geteuid(), (os.getpid(), guarded), ()))
    assert "guards a program" in str(peer_of(("127.0.0.1", 1), 2).agent)


@pytest.mark.parametrize("is_outermost", [True, False])
def test_run_in_another_pid_namespace_hides_nothing_from_the_outermost(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, is_outermost: bool
) -> None:
    """As of a container that shares the home; in an inner namespace, the run may be that of the caller's ancestor."""
    lock_path = str(tmp_path / "lock")
    owner = identify(lock_path=lock_path)
    namespace = owner.pid_ns if is_outermost else None
    monkeypatch.setattr(callers, "INITIAL_PID_NAMESPACE", namespace)
    running = RunningOwner("run", None, None, None, owner._replace(pid_ns=1))
    with RunLock.take(lock_path), nullcontext() if is_outermost else pytest.raises(LionError, match="another pid name"):
        assert check_person([running], this_process(), "li show approve") is None


def test_variable_of_an_ancestor_names_an_agent() -> None:
    """In the environment of a parent, although the process itself has an empty one."""
    code = "from lionstudio.runs.callers.caller import this_process; print(this_process().agent)"
    words = ["sh", "-c", f'env -i {sys.executable} -c "{code}"; exit 0']
    output = subprocess.run(words, env={**os.environ, "LIONAGI_SESSION_ID": "x"}, capture_output=True, text=True)
    assert "LIONAGI_SESSION_ID is set in process" in output.stdout, output
    assert this_process().agent is None
