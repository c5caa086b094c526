"""Running a program for a provider: an argv list, never a shell; whole lines out; its tree ended with it."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import IO, Self

from lionstudio.errors import InvalidInput, NotFound
from lionstudio.system.output_file import OutputFile
from lionstudio.system.process_tree import MARK, adopt_orphans, born_at, end_tree, new_mark

LONGEST_LINE = 256 * 1024 * 1024  # more than any tool output seen; beyond it a line is cut in two
_READ_AHEAD = 1024 * 1024  # a program that prints faster than we keep has to wait
_LINGER_SECONDS = 1.0
_LAST_WORDS = 64 * 1024  # bytes of stderr that are kept for the report


def find_program(name: str, env: Mapping[str, str], how_to_install: str) -> str:
    """The full path of a program on the agent's own PATH."""
    found = shutil.which(name, path=env.get("PATH", os.defpath))
    if found is None:
        raise NotFound(f"the program {name} is not installed", hint=how_to_install)
    return found


class _LastWords(asyncio.Protocol):
    """Keeps the end of what comes down a pipe, without a task of its own."""

    def __init__(self) -> None:
        self.end = bytearray()
        self.closed = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        self.end += data
        del self.end[:-_LAST_WORDS]

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed.set()


class Program:
    """A started program; use as an async context manager, leaving it ends the whole tree.

    It reads `stdin` to its end; with `conversation` its input stays open and is written to as `program.stdin`.
    With `by_file` its output comes by way of a file.
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
        self._given = stdin
        self._conversation = conversation
        self._stderr = _LastWords()
        self._exited = asyncio.Event()
        self._by_file = by_file
        self._outfile: OutputFile | None = None
        self._buffer = bytearray()
        self._searched = 0  # of the buffer, for the end of a line
        self._hungry_since: float | None = None
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
            self._let_go()
            if not isinstance(error, (OSError, ValueError)):
                raise
            raise InvalidInput(f"{self._argv[0]} cannot be started in {self._cwd}: {error}") from None
        finally:
            os.close(writing)
        self._born_at = born_at(self._process.pid)
        self._watch_exit()
        return self

    def _input(self) -> AbstractContextManager[int | IO[bytes]]:
        """What it reads: a file without a name, so that nobody has to feed a pipe."""
        if self._conversation:
            return nullcontext(asyncio.subprocess.PIPE)
        file = tempfile.TemporaryFile()  # noqa: SIM115
        file.write(self._given or b"")
        file.seek(0)
        return file

    async def __aexit__(self, *_: object) -> None:
        # also when it has ended by itself: what it left behind must not outlive the run
        await end_tree(self._process.pid, self._mark, born=self._born_at)
        await self._exited.wait()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), _LINGER_SECONDS)
        # whoever got away may hold our pipes open for ever; asyncio has no other way to let go of them
        self._process._transport.close()  # type: ignore[attr-defined]
        self._let_go()

    def _let_go(self) -> None:
        self._pipe.close()
        if self._outfile is not None:
            self._outfile.close()
        self._closed = True

    @property
    def pid(self) -> int:
        """The id of the started process."""
        return self._process.pid

    @property
    def stdin(self) -> asyncio.StreamWriter:
        """The input of a conversation."""
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def stdout(self) -> asyncio.StreamReader:
        """The output of a conversation; otherwise use `lines`."""
        assert self._process.stdout is not None
        return self._process.stdout

    @property
    def last_words(self) -> str:
        """The end of what it wrote to stderr."""
        return bytes(self._stderr.end).decode("utf-8", "backslashreplace").rstrip("\n")

    async def lines(self) -> AsyncIterator[bytes]:
        """Its standard output line by line, without the line's end; a last line without an end counts too."""
        while (line := await self.line()) is not None:
            yield line

    async def line(self, within: float | None = None) -> bytes | None:
        """The next line, None after the last one; TimeoutError when none came in time, and nothing is lost by it."""
        self._hungry_since = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(within):
                return await self._line()
        finally:
            self._hungry_since = None

    async def _line(self) -> bytes | None:
        while (end := self._buffer.find(b"\n", self._searched)) < 0:
            self._searched = len(self._buffer)
            more = b"" if self._searched >= LONGEST_LINE else await self._more()
            if not more:
                return self._taken(self._searched) or None
            self._buffer += more
        line = self._taken(end)
        del self._buffer[:1]
        return line

    async def _more(self) -> bytes:
        return await (self._outfile.more() if self._outfile else self.stdout.read(_READ_AHEAD))

    def _taken(self, size: int) -> bytes:
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        self._searched = 0
        return taken

    def _watch_exit(self) -> None:
        """Notice the exit itself: asyncio's own wait lasts until nobody holds the pipes any more."""
        loop = asyncio.get_running_loop()
        if sys.platform != "linux":
            self._poll_exit()
            return
        try:
            descriptor = os.pidfd_open(self._process.pid)
        except ProcessLookupError:  # it was quicker than we
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
        """A child that outlives the program may hold its output open for ever: it ends when nothing more comes."""
        now = asyncio.get_running_loop().time()
        starving = self._hungry_since is not None and now - self._hungry_since >= _LINGER_SECONDS
        if starving or self._conversation:
            self.stdout.feed_eof()
        elif not self._closed:
            asyncio.get_running_loop().call_later(_LINGER_SECONDS / 4, self._end_output)

    async def wait(self) -> int:
        """Its exit code; a signal is 128 + its number, as a shell says it."""
        await self._exited.wait()
        while (code := self._process.returncode) is None:  # noqa: ASYNC110  (asyncio has seen it, or is about to)
            await asyncio.sleep(0.005)
        with suppress(TimeoutError):  # stderr may still hold its last words
            await asyncio.wait_for(self._stderr.closed.wait(), 1.0)
        return code if code >= 0 else 128 - code
