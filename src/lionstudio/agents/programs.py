"""Running a program for a provider: an argv list, never a shell; whole lines out; its tree ended with it."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from typing import IO, Self

from lionstudio.agents.trees import MARK, adopt_orphans, end_tree
from lionstudio.errors import InvalidInput, NotFound
from lionstudio.model.ids import new_id

LONGEST_LINE = 256 * 1024 * 1024  # more than any tool output seen; beyond it the rest of the line is cut off
_LINGER_SECONDS = 1.0
_LAST_WORDS = 200  # lines of stderr that are kept for the report


def find_program(name: str, env: Mapping[str, str], how_to_install: str) -> str:
    """The full path of a program on the agent's own PATH."""
    found = shutil.which(name, path=env.get("PATH", os.defpath))
    if found is None:
        raise NotFound(f"the program {name} is not installed", hint=how_to_install)
    return found


class _LastWords(asyncio.Protocol):
    """Keeps the end of what comes down a pipe, without a task of its own."""

    def __init__(self) -> None:
        self.lines: deque[str] = deque(maxlen=_LAST_WORDS)
        self.closed = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        self.lines.extend(data.decode("utf-8", "backslashreplace").splitlines())

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed.set()


class Program:
    """A started program; use as an async context manager, leaving it ends the whole tree."""

    def __init__(self, argv: Sequence[str], *, cwd: str, env: Mapping[str, str], stdin: bytes | None = None) -> None:
        self._argv = list(argv)
        self._cwd = cwd
        self._mark = new_id()
        self._env = {**env, MARK: self._mark}
        self._given = stdin
        self._stderr = _LastWords()
        self._exited = asyncio.Event()

    async def __aenter__(self) -> Self:
        adopt_orphans()
        reading, writing = os.pipe()
        loop = asyncio.get_running_loop()
        self._pipe, _ = await loop.connect_read_pipe(lambda: self._stderr, os.fdopen(reading, "rb", 0))
        try:
            with self._input() as stdin:
                self._process = await asyncio.create_subprocess_exec(
                    *self._argv,
                    cwd=self._cwd,
                    env=self._env,
                    stdin=stdin,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=writing,
                    limit=LONGEST_LINE,
                    start_new_session=True,  # its own group, so that the terminal's Ctrl-C reaches only us
                )
        except (OSError, ValueError) as error:
            self._pipe.close()
            raise InvalidInput(f"{self._argv[0]} cannot be started in {self._cwd}: {error}") from None
        finally:
            os.close(writing)
        self._watch_exit()
        return self

    def _input(self) -> IO[bytes]:
        """What it reads: a file without a name, so that nobody has to feed a pipe."""
        file = tempfile.TemporaryFile()  # noqa: SIM115
        file.write(self._given or b"")
        file.seek(0)
        return file

    async def __aexit__(self, *_: object) -> None:
        # also when it has ended by itself: what it left behind must not outlive the run
        await end_tree(self._process.pid, self._mark)
        await self._process.wait()
        self._pipe.close()

    @property
    def pid(self) -> int:
        """The id of the started process."""
        return self._process.pid

    @property
    def last_words(self) -> str:
        """The end of what it wrote to stderr."""
        return "\n".join(self._stderr.lines)

    async def lines(self) -> AsyncIterator[bytes]:
        """Its standard output line by line, without the line's end; a last line without an end counts too."""
        while (line := await self._line()) is not None:
            yield line

    async def _line(self) -> bytes | None:
        reader = self._process.stdout
        assert reader is not None
        try:
            return (await reader.readuntil(b"\n"))[:-1]
        except asyncio.IncompleteReadError as rest:
            return rest.partial or None
        except asyncio.LimitOverrunError as full:
            return await reader.readexactly(full.consumed)

    def _watch_exit(self) -> None:
        """Notice the exit itself: asyncio's own wait lasts until nobody holds the pipes any more."""
        loop = asyncio.get_running_loop()
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

    def _note_exit(self) -> None:
        reader = self._process.stdout
        assert reader is not None
        self._exited.set()
        # a child that outlives the program may hold its output open for ever; then it ends here
        asyncio.get_running_loop().call_later(_LINGER_SECONDS, reader.feed_eof)

    async def wait(self) -> int:
        """Its exit code; a signal is 128 + its number, as a shell says it."""
        await self._exited.wait()
        while (code := self._process.returncode) is None:  # noqa: ASYNC110  (asyncio has seen it, or is about to)
            await asyncio.sleep(0.005)
        with suppress(TimeoutError):  # stderr may still hold its last words
            await asyncio.wait_for(self._stderr.closed.wait(), 1.0)
        return code if code >= 0 else 128 - code
