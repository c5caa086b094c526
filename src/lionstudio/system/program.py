"""Run an agent program: an argv list, never a shell; whole lines out; its process tree ends with it."""

from __future__ import annotations

import asyncio
import ctypes
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import Self

from lionstudio.errors import InvalidInput, LionError, NotFound
from lionstudio.system.filenames import which
from lionstudio.system.sandbox.sandbox import Sandbox
from lionstudio.system.watchdog import GRACE_SECONDS, GuardedProgram, watchdog

LONGEST_LINE = 256 * 1024 * 1024  # more than any tool output seen; a longer line is cut in two
_READ_AHEAD = 1024 * 1024  # a program that prints faster than we store must wait
_LINGER_SECONDS = 1.0
_STDERR_TAIL = 64 * 1024  # bytes of stderr kept for the report
_FREE_AFTER = 16 * 1024 * 1024  # bytes already read are returned to the disk in pieces of this size
_POLL_SECONDS = 0.05  # where the kernel does not report that a file has grown
_IN_MODIFY = 0x2
_PUNCH_HOLE = 0x3  # and keep the size


def find_program(name: str, env: Mapping[str, str], how_to_install: str, *, cwd: str | None = None) -> str:
    """Return the full path of a program on the agent's own PATH, or of one that is named relative to `cwd`."""
    target = os.path.join(cwd, name) if cwd is not None and os.path.dirname(name) else name
    path = which(target, env.get("PATH"))
    if path is None:
        raise NotFound(f"the program {name} is not installed", hint=how_to_install)
    return path


class _StderrTail(asyncio.Protocol):
    """Keeps the last bytes of a pipe, without a task of its own."""

    def __init__(self) -> None:
        self.end = bytearray()
        self.closed = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        self.end += data
        del self.end[:-_STDERR_TAIL]

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed.set()


class Program:
    """A started program; use as an async context manager, leaving it ends the whole process tree.

    The program reads `stdin` to its end; with `conversation` its input stays open as `program.stdin`. If we are killed,
    `hold_input` keeps it open until the program has ended. With `by_file` its output goes through a file, with a
    `sandbox` it runs confined.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: str,
        env: Mapping[str, str],
        stdin: bytes | None = None,
        conversation: bool = False,
        hold_input: bool = False,
        by_file: bool = False,
        sandbox: Sandbox | None = None,
    ) -> None:
        self._argv = list(argv)
        self._cwd = cwd
        self._env = env
        self._sandbox = sandbox
        self._stdin = stdin
        self._conversation = conversation
        self._hold_input = hold_input
        self._held_input: int | None = None
        self._stderr = _StderrTail()
        self._started = asyncio.Event()
        self._exited = asyncio.Event()
        self._gone = asyncio.Event()  # everything it started, too
        self._by_file = by_file
        self._outfile: OutputFile | None = None
        self._buffer = bytearray()
        self._searched = 0  # of the buffer, for the end of a line
        self._waiting_since: float | None = None
        self._closed = False
        self._resources = ExitStack()

    async def __aenter__(self) -> Self:
        try:
            self._program = await self._start()
            await self._started.wait()
            if self._program.error is not None:
                raise self._program.error
        except BaseException as error:
            self._close()
            if not isinstance(error, (OSError, ValueError)):
                raise
            raise InvalidInput(f"{self._argv[0]} cannot be started in {self._cwd}: {error}") from None
        return self

    async def _start(self) -> GuardedProgram:
        loop = asyncio.get_running_loop()
        guard = self._resources.enter_context(watchdog())
        with ExitStack() as given:  # closed here once the program has them
            stdin = await self._open_stdin(given)
            stdout = await self._open_stdout(given)
            stderr = await self._read_pipe(self._stderr, given)
            program = guard.start(
                self._argv,
                cwd=self._cwd,
                env=self._env,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                held_input=self._held_input,
                sandbox=self._sandbox,
            )
        self._resources.callback(program.close)
        loop.add_reader(program.fileno(), self._on_news, program)
        self._resources.callback(loop.remove_reader, program.fileno())
        return program

    async def _open_stdin(self, given: ExitStack) -> int:
        """Open its standard input: an unnamed file, so that no task must feed a pipe, or a conversation's pipe."""
        if not self._conversation:
            file = given.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
            file.write(self._stdin or b"")
            file.seek(0)
            return file.fileno()
        loop = asyncio.get_running_loop()
        reading, writing = os.pipe()
        given.callback(os.close, reading)
        if self._hold_input:
            self._held_input = os.dup(writing)
            given.callback(os.close, self._held_input)
        protocol = asyncio.StreamReaderProtocol(asyncio.StreamReader())  # for the flow control of the writer
        transport, _ = await loop.connect_write_pipe(lambda: protocol, os.fdopen(writing, "wb", 0))
        # the program may have closed its end, and asyncio cannot abort what is closed
        self._resources.callback(lambda: None if transport.is_closing() else transport.abort())
        self._input = asyncio.StreamWriter(transport, protocol, None, loop)
        return reading

    async def _open_stdout(self, given: ExitStack) -> int:
        if self._by_file:
            self._outfile = OutputFile()
            self._resources.callback(self._outfile.close)
            return self._outfile.fileno()
        self._output = asyncio.StreamReader(limit=LONGEST_LINE if self._conversation else _READ_AHEAD)
        return await self._read_pipe(asyncio.StreamReaderProtocol(self._output), given)

    async def _read_pipe(self, protocol: asyncio.BaseProtocol, given: ExitStack) -> int:
        reading, writing = os.pipe()
        given.callback(os.close, writing)
        file = os.fdopen(reading, "rb", 0)
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, file)
        self._resources.callback(transport.close)
        return writing

    async def __aexit__(self, *_: object) -> None:
        # also when it has exited by itself: a child it left behind must not outlive the run
        self._program.end(GRACE_SECONDS)
        try:
            await self._gone.wait()
        finally:
            self._close()

    def _close(self) -> None:
        self._resources.close()
        self._closed = True

    @property
    def pid(self) -> int:
        assert self._program.pid is not None
        return self._program.pid

    @property
    def stdin(self) -> asyncio.StreamWriter:
        """The open input of a conversation."""
        return self._input

    def close_input(self) -> None:
        """End the input of a conversation."""
        self._program.close_input()
        self._input.close()

    @property
    def stdout(self) -> asyncio.StreamReader:
        """The output of a conversation; otherwise use `lines`."""
        return self._output

    @property
    def stderr_tail(self) -> str:
        return bytes(self._stderr.end).decode("utf-8", "backslashreplace").rstrip("\n")

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield its standard output line by line, without the newline; a last line without one counts too."""
        while (line := await self.line()) is not None:
            yield line

    async def line_groups(self, most: int) -> AsyncIterator[bytes]:
        """Yield whole lines that arrived together, at most so many bytes of them unless one line has more."""
        while (group := await self.line()) is not None:
            end = self._buffer.rfind(b"\n", 0, max(0, most - len(group)))
            if end >= 0:
                group += b"\n" + self._take_line(end)
            yield group

    async def line(self, within: float | None = None) -> bytes | None:
        """Return the next line, None after the last; a TimeoutError when none came in time loses nothing."""
        if (end := self._buffer.find(b"\n", self._searched)) >= 0:
            return self._take_line(end)
        self._waiting_since = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(within):
                return await self._line()
        finally:
            self._waiting_since = None

    async def _line(self) -> bytes | None:
        while (end := self._buffer.find(b"\n", self._searched)) < 0:
            self._searched = len(self._buffer)
            more = b"" if self._searched >= LONGEST_LINE else await self._more()
            if not more:
                return self._take(self._searched) or None
            self._buffer += more
        return self._take_line(end)

    async def _more(self) -> bytes:
        return await (self._outfile.more() if self._outfile else self.stdout.read(_READ_AHEAD))

    def _take_line(self, end: int) -> bytes:
        line = self._take(end)
        del self._buffer[:1]
        return line

    def _take(self, size: int) -> bytes:
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        self._searched = 0
        return data

    def _on_news(self, program: GuardedProgram) -> None:
        """Take in what the guard reports: the start, the exit, the end of everything that was started."""
        program.receive()
        if program.pid is not None or program.gone:
            self._started.set()
        if (program.code is not None or program.gone) and not self._exited.is_set():
            self._note_exit()
        if program.gone:
            asyncio.get_running_loop().remove_reader(program.fileno())
            self._gone.set()

    def _note_exit(self) -> None:
        self._exited.set()
        if self._outfile is not None:
            self._outfile.end()
        else:
            asyncio.get_running_loop().call_later(_LINGER_SECONDS, self._end_output)

    def _end_output(self) -> None:
        """End the output when it stays silent: a child that outlives the program may hold it open for ever."""
        now = asyncio.get_running_loop().time()
        silent = self._waiting_since is not None and now - self._waiting_since >= _LINGER_SECONDS
        if silent or self._conversation:
            self.stdout.feed_eof()
        elif not self._closed:
            asyncio.get_running_loop().call_later(_LINGER_SECONDS / 4, self._end_output)

    async def wait(self) -> int:
        """Return its exit code; 128 + number for a signal, as in a shell."""
        await self._exited.wait()
        code = self._program.code
        if code is None:
            raise LionError(f"the guard of {os.path.basename(self._argv[0])} was killed, and the program with it")
        with suppress(TimeoutError):  # stderr may still hold its last lines
            await asyncio.wait_for(self._stderr.closed.wait(), 1.0)
        return code if code >= 0 else 128 - code


class OutputFile:
    """A program's output through an unnamed file, read while it grows.

    Some programs exit without waiting until a pipe was read, and what did not fit into it is lost; a file takes all.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
        self._read = self._freed = 0
        self._ended = False
        self._changed = asyncio.Event()
        self._watch = _watch(self._file.fileno())
        if self._watch is not None:
            asyncio.get_running_loop().add_reader(self._watch, self._on_growth)

    def fileno(self) -> int:
        return self._file.fileno()

    def end(self) -> None:
        """Note that the program has exited: the output is complete."""
        self._ended = True
        self._changed.set()

    async def more(self) -> bytes:
        """Return the next bytes, none at the end."""
        while True:
            ended = self._ended
            self._changed.clear()
            if piece := os.pread(self.fileno(), _READ_AHEAD, self._read):
                self._read += len(piece)
                self._free_read()
                return piece
            if ended:
                return b""
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), _POLL_SECONDS if self._watch is None else None)

    def close(self) -> None:
        if self._watch is not None:
            asyncio.get_running_loop().remove_reader(self._watch)
            os.close(self._watch)
            self._watch = None
        self._file.close()

    def _on_growth(self) -> None:
        assert self._watch is not None
        os.read(self._watch, 4096)
        self._changed.set()

    def _free_read(self) -> None:
        size = self._read - self._freed
        if size < _FREE_AFTER or sys.platform != "linux":
            return
        libc = ctypes.CDLL(None)
        libc.fallocate(self.fileno(), _PUNCH_HOLE, ctypes.c_long(self._freed), ctypes.c_long(size))
        self._freed = self._read


def _watch(descriptor: int) -> int | None:
    """Return a descriptor that becomes readable when the file grows, None where the system has none."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    watch: int = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if watch < 0:
        return None
    if libc.inotify_add_watch(watch, f"/proc/self/fd/{descriptor}".encode(), _IN_MODIFY) < 0:
        os.close(watch)
        return None
    return watch
