"""The database of a command: which file it is, a connection that can be interrupted, and who is in the way.

SQLite works and waits inside one call, during which Python hears no Ctrl-C; the two handlers set here let it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lionstudio.errors import Busy
from lionstudio.settings import SETTINGS, Settings, load_settings
from lionstudio.state.connection import Connection, plain_errors
from lionstudio.state.sqlite.open import open_reader, open_writer

if TYPE_CHECKING:
    from lionstudio.state.database import Database

_STEPS = 50_000  # of SQLite's machine between two looks for a signal: about a millisecond
_PATIENCE = 30.0
_SAY_AFTER = 1.0


def settings_of(args: argparse.Namespace) -> Settings:
    """Every setting, with the flags of this command."""
    given = vars(args)
    return load_settings({item.name: given.get(item.name) for item in SETTINGS})


@contextmanager
def reading(path: str) -> Iterator[Connection]:
    """A connection that only reads."""
    conn = open_reader(path)
    try:
        with plain_errors(path):
            _make_interruptible(conn)
            yield conn
    finally:
        conn.close()


@contextmanager
def writing(path: str, *, patience: float = _PATIENCE, quiet: bool = False) -> Iterator[Connection]:
    """A connection that may write to a database that exists."""
    conn = open_writer(path, create=False)
    try:
        with _named_holders(path), plain_errors(path):
            _wait_visibly(conn, patience, quiet)
            yield conn
    finally:
        conn.close()


@contextmanager
def database(
    path: str, *, create: bool = False, patience: float = _PATIENCE, quiet: bool = False
) -> Iterator[Database]:
    """The whole database, for work that is to ring the doorbell; `create` makes it where there is none."""
    from lionstudio.state.database import Database

    with _named_holders(path), Database(path, create=create) as opened:
        _wait_visibly(opened.conn, patience, quiet)
        yield opened


def _make_interruptible(conn: Connection) -> None:
    # called from inside a long statement; Python runs its signal handlers before this returns
    conn.raw.set_progress_handler(lambda: False, _STEPS)


@contextmanager
def watched(conn: Connection, what: str, *, quiet: bool) -> Iterator[None]:
    """Show on a terminal that a long statement is under way, and for how long already."""
    from lionstudio.cli._toolkit.progress import Progress

    with Progress(what, 0, quiet=quiet) as progress:

        def tick() -> bool:
            progress.show(0)
            return False

        conn.raw.set_progress_handler(tick, _STEPS)
        try:
            yield
        finally:
            _make_interruptible(conn)


def _wait_visibly(conn: Connection, patience: float, quiet: bool) -> None:
    _make_interruptible(conn)
    began: list[float] = []

    def wait(attempt: int) -> bool:
        now = time.monotonic()
        if attempt == 0:
            began[:] = [now]
        if attempt and not quiet and began[0] + _SAY_AFTER <= now:
            quiet_from_now()
        if now - began[0] > patience:
            return False
        time.sleep(0.01)
        return True

    def quiet_from_now() -> None:
        nonlocal quiet
        quiet = True
        from lionstudio.cli._toolkit.terminal import say

        say(f"Waiting for {_holders(conn.path) or 'another process'} to let go of the database; Ctrl-C gives up.")

    conn.raw.set_busy_handler(wait)


@contextmanager
def _named_holders(path: str) -> Iterator[None]:
    try:
        yield
    except Busy as error:
        raise busy(path, error.message, error.hint) from None


def busy(path: str, message: str, hint: str | None) -> Busy:
    """The refusal with the processes that are in the way."""
    holders = _holders(path)
    return Busy(f"{message} ({holders})" if holders else message, hint=hint)


def _holders(path: str) -> str:
    from lionstudio.cli._toolkit.lock_holders import list_holders

    return ", ".join(list_holders(path))
