"""The database of a command: its path, interruptible connections, and the processes that hold its lock.

SQLite works and waits inside one call, during which Python does not run signal handlers. The progress and busy
handlers set here let Ctrl-C through.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from lionstudio.errors import Busy, StorageFailed
from lionstudio.settings import SETTINGS, Settings, home_of, load_settings, set_server_home
from lionstudio.state.backends import is_server, open_database, open_reader, open_writer
from lionstudio.state.connection import Connection, plain_errors
from lionstudio.state.sqlite import open as state_open
from lionstudio.state.sqlite.open import NeedsUpgrade
from lionstudio.state.upkeep.private_home import make_private

if TYPE_CHECKING:
    from lionstudio.state.database import Database

_STEPS = 50_000  # virtual machine steps of SQLite between two signal checks: about a millisecond
_BUSY_SECONDS = 30.0
_NOTICE_AFTER = 1.0


def settings_of(args: argparse.Namespace) -> Settings:
    options = vars(args)
    flags = {setting.name: options.get(setting.name) for setting in SETTINGS}
    # first: the settings file of a home that is not ours cannot be read
    notice = make_private(home_of(flags))
    if notice is not None:
        _say_line(notice)
    settings = load_settings(flags)
    state_open.set_durability(settings.durability)
    set_server_home(settings.home)
    return settings


@contextmanager
def reading(path: str) -> Iterator[Connection]:
    """A connection that only reads; an older database is upgraded first, or a copy of it where it cannot be written."""
    with ExitStack() as stack:
        try:
            conn = open_reader(path)
        except NeedsUpgrade as outdated:
            if is_server(path):
                raise
            try:
                open_writer(path, create=False).close()
                conn = open_reader(path)
            except StorageFailed as error:
                conn = stack.enter_context(_upgraded_copy(path, outdated, error))
        stack.callback(conn.close)
        with plain_errors(path):
            _make_interruptible(conn)
            yield conn


@contextmanager
def _upgraded_copy(path: str, outdated: NeedsUpgrade, reason: StorageFailed) -> Iterator[Connection]:
    """A reader of a temporary copy with the current schema."""
    import tempfile

    from lionstudio.state.sqlite.migrate import copy_database

    _say_line(f"{outdated.message}, but {reason.message}; reading a temporary copy, the file stays as it is")
    with tempfile.TemporaryDirectory(prefix="lion-studio-") as folder:
        copy = os.path.join(folder, "state.db")
        copy_database(path, copy)
        announce, state_open.announce = state_open.announce, lambda _: None
        try:
            open_writer(copy, create=False).close()
        finally:
            state_open.announce = announce
        yield open_reader(copy)


def _say_line(line: str) -> None:
    from lionstudio.cli._toolkit.escape import inline
    from lionstudio.cli._toolkit.terminal import say

    say(inline(line))


state_open.announce = _say_line


def log_upgrades(log: Callable[[str], None]) -> None:
    """Pass the line about an upgrade to a log too."""

    def announce(line: str) -> None:
        _say_line(line)
        log(line)

    state_open.announce = announce


@contextmanager
def writing(path: str, *, busy_seconds: float = _BUSY_SECONDS, quiet: bool = False) -> Iterator[Connection]:
    """A connection that may write; the database must exist."""
    conn = open_writer(path, create=False)
    try:
        with _named_holders(path), plain_errors(path):
            _wait_visibly(conn, busy_seconds, quiet)
            yield conn
    finally:
        conn.close()


@contextmanager
def database(
    path: str, *, create: bool = False, busy_seconds: float = _BUSY_SECONDS, quiet: bool = False
) -> Iterator[Database]:
    """The database with its doorbell, for writes that other processes watch; `create` makes a missing one."""
    with _named_holders(path), open_database(path, create=create) as database:
        _wait_visibly(database.conn, busy_seconds, quiet)
        yield database


def _make_interruptible(conn: Connection) -> None:
    # SQLite calls this inside a long statement; Python runs its signal handlers before it returns
    conn.raw.set_progress_handler(lambda: False, _STEPS)


@contextmanager
def watched(conn: Connection, title: str, *, quiet: bool) -> Iterator[None]:
    """Show the elapsed time of a long statement on a terminal."""
    from lionstudio.cli._toolkit.progress import ProgressBar

    with ProgressBar(title, 0, quiet=quiet) as progress:

        def tick() -> bool:
            progress.show(0)
            return False

        conn.raw.set_progress_handler(tick, _STEPS)
        try:
            yield
        finally:
            _make_interruptible(conn)


def _wait_visibly(conn: Connection, busy_seconds: float, quiet: bool) -> None:
    _make_interruptible(conn)
    started = 0.0

    def wait(attempt: int) -> bool:
        nonlocal started, quiet
        now = time.monotonic()
        if attempt == 0:
            started = now
        if attempt and not quiet and started + _NOTICE_AFTER <= now:
            from lionstudio.cli._toolkit.terminal import say

            say(f"Waiting for the database lock of {_holders(conn.path) or 'another process'}… Ctrl-C cancels.")
            quiet = True
        if now - started > busy_seconds:
            return False
        time.sleep(0.01)
        return True

    conn.raw.set_busy_handler(wait)


@contextmanager
def _named_holders(path: str) -> Iterator[None]:
    try:
        yield
    except Busy as error:
        raise busy(path, error.message, error.hint) from None


def busy(path: str, message: str, hint: str | None) -> Busy:
    """The error with the processes that hold the lock."""
    holders = _holders(path)
    return Busy(f"{message} ({holders})" if holders else message, hint=hint)


def _holders(path: str) -> str:
    from lionstudio.cli._toolkit.lock_holders import list_holders

    return ", ".join(list_holders(path))
