"""A home with scripted agents that ask and listen, and a terminal that is typed into."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.children import environment
from tests.support.commands import LI, CommandResult, li
from tests.support.waiting import wait_until

from lionstudio.model.questions import Question
from lionstudio.state.database import Database, reading
from lionstudio.state.exchange.questions import list_open_questions

SECONDS = 30.0
_COLOURS = re.compile(r"\x1b\[\?2004[hl]|\x1b\[[0-9;]*m")


class Home:
    """A home; its commands run as processes of a person, outside any agent."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "home"
        self.path.mkdir()
        self.db = str(self.path / "state.db")
        Database(self.db).close()
        self.env = {"LIONAGI_HOME": str(self.path), "PATH": f"{Path(LI).parent}:{os.environ['PATH']}"}
        self._sessions: list[str] = []

    def li(self, *arguments: str, **options: Any) -> CommandResult:
        return li(*arguments, env=self.env, cwd=self.folder, **options)

    def start(self, script: str, *options: str) -> str:
        """Run a scripted agent in the background; the id of its session."""
        done = self.li("agent", "script", script, "--background", "--quiet", *options)
        assert done.code == 0, done.err
        self._sessions.append(done.out.strip())
        return self._sessions[-1]

    def open_questions(self) -> list[Question]:
        with reading(self.db) as conn:
            return list_open_questions(conn)

    def question(self) -> Question:
        """The oldest open question, as soon as there is one."""
        wait_until(self.open_questions, SECONDS, "nothing was asked")
        return self.open_questions()[0]

    def show(self, session_id: str) -> dict[str, Any]:
        result: dict[str, Any] = self.li("state", "show", session_id, "--json").json
        return result

    def texts(self, session_id: str) -> list[str]:
        """The texts of the messages of a run."""
        contents = [message["content"] for message in self.show(session_id)["messages"]]
        keys = ("instruction", "assistant_response", "error", "output")
        return [next((content[key] for key in keys if key in content), "") for content in contents]

    def stop(self) -> None:
        if self._sessions:
            self.li("kill", "--grace", "0", *self._sessions)


@contextmanager
def home_in(folder: Path) -> Iterator[Home]:
    home = Home(folder)
    try:
        yield home
    finally:
        home.stop()


class Terminal:
    """A command on a terminal: type, and wait for what it prints."""

    def __init__(self, home: Home, *arguments: str, columns: int = 100) -> None:
        self._terminal, child = pty.openpty()
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        self.process = subprocess.Popen(
            [LI, *arguments],
            env=environment(**{"TERM": "xterm", **home.env}),
            stdin=child,
            stdout=child,
            stderr=child,
            cwd=home.folder,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        self.before = termios.tcgetattr(child)
        self._child = child  # kept open: its settings are read after the command has ended
        self.raw = ""
        self._seen = 0  # characters of the screen

    def type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def expect(self, text: str, seconds: float = SECONDS) -> str:
        """Wait until the terminal shows a text after the last one expected; all that was printed between them."""
        deadline = time.monotonic() + seconds
        while (start := self.screen.find(text, self._seen)) < 0:
            assert time.monotonic() < deadline, f"{text!r} not in {self.screen[self._seen :]!r}"
            self._read(0.1)
        before, self._seen = self._seen, start + len(text)
        return self.screen[before:start]

    def _read(self, seconds: float) -> None:
        if select.select([self._terminal], [], [], seconds)[0]:
            self.raw += os.read(self._terminal, 65536).decode(errors="replace")

    @property
    def settings(self) -> list[Any]:
        return termios.tcgetattr(self._child)

    def wait(self) -> int:
        """The exit code; everything that it printed is read."""
        deadline = time.monotonic() + SECONDS
        while self.process.poll() is None:
            assert time.monotonic() < deadline, _plain(self.raw)
            self._read(0.1)
        self._read(0.1)
        return self.process.returncode

    @property
    def screen(self) -> str:
        return _plain(self.raw)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._child)
        os.close(self._terminal)


def _plain(text: str) -> str:
    return _COLOURS.sub("", text.replace("\r\n", "\n").replace("\r\x1b[K", "\n"))
