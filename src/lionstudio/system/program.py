"""Run an agent program: an argv list, never a shell; whole lines out; its process tree ends with it."""

from __future__ import annotations

import asyncio
import ctypes
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import IO, Self

from lionstudio.errors import InvalidInput, NotFound
from lionstudio.system.process_tree import MARK, adopt_orphans, end_tree, new_mark
from lionstudio.system.procfs import find_start_ticks

LONGEST_LINE = 256 * 1024 * 1024  # more than any tool output seen; a longer line is cut in two
_READ_AHEAD = 1024 * 1024  # a program that prints faster than we store must wait
_LINGER_SECONDS = 1.0
_STDERR_TAIL = 64 * 1024  # bytes of stderr kept for the report
_FREE_AFTER = 16 * 1024 * 1024  # bytes already read are returned to the disk in pieces of this size
_POLL_SECONDS = 0.05  # where the kernel does not report that a file has grown
_IN_MODIFY = 0x2
_PUNCH_HOLE = 0x3  # and keep the size


def find_program(name: str, env: Mapping[str, str], how_to_install: str) -> str:
    """Return the full path of a program on the agent's own PATH."""
    path = shutil.which(name, path=env.get("PATH", os.defpath))
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

    The program reads `stdin` to its end; with `conversation` its input stays open as `program.stdin`.
    With `by_file` its output goes through a file.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: str,
        env: Mapping[str, str],
        stdin: bytes | None = None,
        conversation: bool = False,
        by_file: bool = False,
    ) -> None:
        self._argv = list(argv)
        self._cwd = cwd
        self._mark = new_mark()
        self._env = {**env, MARK: self._mark}
        self._stdin = stdin
        self._conversation = conversation
        self._stderr = _StderrTail()
        self._exited = asyncio.Event()
        self._by_file = by_file
        self._outfile: OutputFile | None = None
        self._buffer = bytearray()
        self._searched = 0  # of the buffer, for the end of a line
        self._waiting_since: float | None = None
        self._closed = False

    async def __aenter__(self) -> Self:
        adopt_orphans()
        reading, writing = os.pipe()
        loop = asyncio.get_running_loop()
        self._pipe, _ = await loop.connect_read_pipe(lambda: self._stderr, os.fdopen(reading, "rb", 0))
        try:
            self._outfile = OutputFile() if self._by_file else None
            with self._input() as stdin:
                self._process = await asyncio.create_subprocess_exec(
                    *self._argv,
                    cwd=self._cwd,
                    env=self._env,
                    stdin=stdin,
                    stdout=self._outfile.fileno() if self._outfile else asyncio.subprocess.PIPE,
                    stderr=writing,
                    limit=LONGEST_LINE if self._conversation else _READ_AHEAD,
                    start_new_session=True,  # its own group, so that the terminal's Ctrl-C reaches only us
                )
        except BaseException as error:
            self._close()
            if not isinstance(error, (OSError, ValueError)):
                raise
            raise InvalidInput(f"{self._argv[0]} cannot be started in {self._cwd}: {error}") from None
        finally:
            os.close(writing)
        self._start_ticks = find_start_ticks(self._process.pid)
        self._watch_exit()
        return self

    def _input(self) -> AbstractContextManager[int | IO[bytes]]:
        """Return its standard input: an unnamed file, so that no task must feed a pipe."""
        if self._conversation:
            return nullcontext(asyncio.subprocess.PIPE)
        file = tempfile.TemporaryFile()  # noqa: SIM115
        file.write(self._stdin or b"")
        file.seek(0)
        return file

    async def __aexit__(self, *_: object) -> None:
        # also when it has exited by itself: a child it left behind must not outlive the run
        await end_tree(self._process.pid, self._mark, start_ticks=self._start_ticks)
        await self._exited.wait()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), _LINGER_SECONDS)
        # an escaped process may hold our pipes open for ever; asyncio has no other way to close them
        self._process._transport.close()  # type: ignore[attr-defined]
        self._close()

    def _close(self) -> None:
        self._pipe.close()
        if self._outfile is not None:
            self._outfile.close()
        self._closed = True

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def stdin(self) -> asyncio.StreamWriter:
        """The open input of a conversation."""
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def stdout(self) -> asyncio.StreamReader:
        """The output of a conversation; otherwise use `lines`."""
        assert self._process.stdout is not None
        return self._process.stdout

    @property
    def stderr_tail(self) -> str:
        return bytes(self._stderr.end).decode("utf-8", "backslashreplace").rstrip("\n")

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield its standard output line by line, without the newline; a last line without one counts too."""
        while (line := await self.line()) is not None:
            yield line

    async def line(self, within: float | None = None) -> bytes | None:
        """Return the next line, None after the last; a TimeoutError when none came in time loses nothing."""
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
        line = self._take(end)
        del self._buffer[:1]
        return line

    async def _more(self) -> bytes:
        return await (self._outfile.more() if self._outfile else self.stdout.read(_READ_AHEAD))

    def _take(self, size: int) -> bytes:
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        self._searched = 0
        return data

    def _watch_exit(self) -> None:
        """Notice the exit itself: asyncio's own wait lasts until every pipe is closed."""
        loop = asyncio.get_running_loop()
        if sys.platform != "linux":
            self._poll_exit()
            return
        try:
            descriptor = os.pidfd_open(self._process.pid)
        except ProcessLookupError:  # it has exited already
            self._note_exit()
            return

        def exited() -> None:
            loop.remove_reader(descriptor)
            os.close(descriptor)
            self._note_exit()

        loop.add_reader(descriptor, exited)

    def _poll_exit(self) -> None:
        if self._process.returncode is None:
            asyncio.get_running_loop().call_later(0.05, self._poll_exit)
        else:
            self._note_exit()

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
        while (code := self._process.returncode) is None:  # noqa: ASYNC110  (asyncio has noticed the exit, or is about to)
            await asyncio.sleep(0.005)
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
