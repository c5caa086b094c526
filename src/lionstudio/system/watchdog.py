"""Start programs under a watchdog: a program ends with everything it started, also when we are killed.

This is the one place where programs of others are started. The watchdog is a small process of its own; see
`watchdog_process.py` for what it does when one of us dies.
"""

from __future__ import annotations

import errno
import marshal
import os
import socket
import subprocess
import threading
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from weakref import WeakSet

from lionstudio.system import watchdog_process as protocol
from lionstudio.system.filelock import RunLock
from lionstudio.system.li_process import isolated_argv, start_ours
from lionstudio.system.sandbox.sandbox import Sandbox, confine

WATCHDOG_CODE = (
    "import sys; sys.path.append(sys.argv[1]); import watchdog_process; watchdog_process.main(*map(int, sys.argv[2:]))"
)
GRACE_SECONDS = 5.0  # between TERM and KILL
# By the first the processes of a run are found, and the watchdog is not one of them; the second is meant for its owner.
_NOT_INHERITED = ("LIONAGI_SESSION_ID", "LIONAGI_CRASH_AT", "LIONAGI_DB")
_OF_SERVER = "PG"  # its last command gets them with its arguments, over a pipe

_current: ContextVar[Watchdog | None] = ContextVar("watchdog", default=None)
_open: set[socket.socket] = set()


class GuardedProgram:
    """A program and its guard, the process between us and the program.

    `fileno` becomes readable when there is news; `receive` takes it in.
    """

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        _open.add(control)
        self._lines = b""
        self.pid: int | None = None  # of the program; None before it was started
        self.error: OSError | None = None  # why it was not started
        self.code: int | None = None  # negative for a signal, as in subprocess
        self.gone = False  # the guard has ended, and every process of the program with it

    def fileno(self) -> int:
        return self._control.fileno()

    @property
    def is_lost(self) -> bool:
        """Whether the guard was killed, and the program with it."""
        return self.gone and self.code is None and self.error is None

    def receive(self) -> None:
        """Wait for news and take it in."""
        try:
            data = self._control.recv(4096)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self.gone = not data
        *lines, self._lines = (self._lines + data).split(b"\n")
        for line in lines:
            kind, number = line.decode().split()
            if kind == protocol.STARTED:
                self.pid = int(number)
            elif kind == protocol.FAILED:
                self.error = OSError(int(number), os.strerror(int(number)))
            elif kind == protocol.EXITED:
                self.code = int(number)

    def end(self, grace: float) -> None:
        """Send TERM to every process of the program, and KILL after the grace period; `gone` follows."""
        self._send(protocol.END, int(grace * 1000))

    def close_input(self) -> None:
        """Let the guard close its copy of the other end of the program's input."""
        self._send(protocol.CLOSE_INPUT)

    def suspend(self) -> None:
        self._send(protocol.SUSPEND)

    def resume(self) -> None:
        self._send(protocol.RESUME)

    def close(self) -> None:
        """Let go of the guard: what is left of the program ends within seconds."""
        _open.discard(self._control)
        self._control.close()

    def _send(self, kind: bytes, number: int = 0) -> None:
        with suppress(OSError):  # the guard has ended
            self._control.sendall(kind + number.to_bytes(4, "big"))


class Watchdog:
    """The watchdog of this process; threads may share it. A killed one is replaced.

    With a lock, it is held until this process and the watchdog have ended.
    """

    def __init__(self, lock: RunLock | None = None) -> None:
        self._kept = [] if lock is None else [lock.fileno()]
        self._lock = threading.Lock()
        self._last: bytes | None = None
        self._programs: WeakSet[GuardedProgram] = WeakSet()
        protocol.make_memory_private()  # the programs run as the same user
        self._spawn()

    def _spawn(self) -> None:
        self._socket, theirs = socket.socketpair()
        descriptors = [theirs.fileno(), *self._kept]
        with theirs:
            self._process = start_ours(
                isolated_argv(WATCHDOG_CODE, os.path.dirname(__file__), *map(str, descriptors)),
                _environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=tuple(descriptors),
            )
        _open.add(self._socket)
        if self._last is not None:
            self._socket.sendall(self._last)

    @property
    def pid(self) -> int:
        return self._process.pid

    def fileno(self) -> int:
        """The descriptor that becomes readable when the watchdog has died: call `replace` then."""
        return self._socket.fileno()

    def replace(self) -> None:
        """Start another watchdog in place of one that was killed; its programs keep their guards."""
        with self._lock:
            self._replace()

    def _replace(self) -> None:
        _open.discard(self._socket)
        self._socket.close()
        self._process.wait()
        self._spawn()

    def set_last_command(self, argv: Sequence[str], variables: Mapping[str, str] | None = None) -> None:
        """Set the command that the watchdog runs when this process dies without `close`, with more variables."""
        body = marshal.dumps((list(argv), {**_environment(), **(variables or {})}))
        self._last = protocol.LAST_COMMAND + len(body).to_bytes(4, "big") + body
        self._send(self._last)

    def start(
        self,
        argv: Sequence[str],
        *,
        cwd: str,
        env: Mapping[str, str],
        stdin: int,
        stdout: int,
        stderr: int,
        held_input: int | None = None,
        sandbox: Sandbox | None = None,
    ) -> GuardedProgram:
        """Start a program in a session of its own; its pid or the error follows by `receive`.

        The guard keeps `held_input`, the other end of stdin, open until `close_input`.
        """
        if sandbox is not None:
            argv, env = confine(argv, cwd, env, sandbox)
        body = marshal.dumps(([os.fspath(part) for part in argv], cwd, dict(env), sandbox is not None))
        ours, theirs = socket.socketpair()
        with theirs:
            held = [] if held_input is None else [held_input]
            descriptors = array("i", [stdin, stdout, stderr, theirs.fileno(), *held])
            self._send(protocol.START + bytes(4), [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)])
        program = GuardedProgram(ours)
        self._programs.add(program)
        with suppress(OSError):  # the guard has ended: `receive` says so
            ours.sendall(protocol.START + len(body).to_bytes(4, "big") + body)
        return program

    def suspend(self) -> None:
        """Stop all processes of all programs until `resume`."""
        for program in list(self._programs):
            program.suspend()

    def resume(self) -> None:
        for program in list(self._programs):
            program.resume()

    def _send(self, message: bytes, ancillary: Sequence[tuple[int, int, array[int]]] = ()) -> None:
        with self._lock:
            for attempt in range(2):
                try:
                    sent = self._socket.sendmsg([message], ancillary)
                    self._socket.sendall(message[sent:])
                    return
                except OSError as error:
                    if attempt or error.errno not in (errno.EPIPE, errno.ECONNRESET):
                        raise
                    self._replace()

    def close(self) -> None:
        """End the watchdog without its last command."""
        with self._lock:
            _open.discard(self._socket)
            with suppress(OSError):
                self._socket.sendall(protocol.RELEASE + bytes(4))
            self._socket.close()
            self._process.wait()

    @contextmanager
    def for_programs(self) -> Iterator[None]:
        """Make this the watchdog of the programs that are started in the block."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)


@contextmanager
def watchdog() -> Iterator[Watchdog]:
    """The watchdog of the block around, or a new one that ends with this block."""
    shared = _current.get()
    if shared is not None:
        yield shared
        return
    own = Watchdog()
    try:
        yield own
    finally:
        own.close()


def _environment() -> dict[str, str]:
    every = os.environ.items()
    return {name: value for name, value in every if name not in _NOT_INHERITED and not name.startswith(_OF_SERVER)}


def _drop_inherited() -> None:
    # a forked copy of us would keep the sockets open, and our death would go unnoticed
    for one in _open:
        one.close()
    _open.clear()


os.register_at_fork(after_in_child=_drop_inherited)
