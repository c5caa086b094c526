"""Programs that meet a fault of the storage and go on: they tell what was acknowledged and what was refused."""

from __future__ import annotations

import asyncio
import os
import resource
import select
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

from tests.support.workload import begin, said, say, tell

from lionstudio.errors import LionError
from lionstudio.model.branches import Branch
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database, reading
from lionstudio.state.messages.append import append
from lionstudio.state.messages.export import export
from lionstudio.state.runs.run_list import list_sessions
from lionstudio.state.sqlite.fulltext import search
from lionstudio.state.sqlite.maintenance import backup, stats, vacuum
from lionstudio.state.sqlite.open import open_writer
from lionstudio.state.sqlite.tail import Tail
from lionstudio.state.upkeep.doctor import examine
from lionstudio.state.upkeep.prune import plan_prune, prune

TEXT = "x" * 2000
BALLAST = 1_000_000


def attempt(what: str, work: Callable[[], object]) -> None:
    """Tell how a work ends: `ok`, or the name of our error; any other error ends the program."""
    try:
        work()
        tell(tried=what, outcome="ok")
    except LionError as error:
        tell(tried=what, outcome=type(error).__name__, text=str(error))


def until_refused(database: Database, branch: Branch) -> None:
    """Append until the storage says no."""
    while True:
        say(database, branch, TEXT)


def until_refused_grouped(database: Database, branch: Branch) -> None:
    """The same with several messages in a commit; all producers hear of it."""

    async def produce() -> None:
        while True:
            done = await database.submit(lambda conn: append(conn, branch.id, said(TEXT)))
            tell(message=done.message_id, branch=branch.id, session=done.session_id)

    async def produce_all() -> None:
        ends = await asyncio.gather(*(produce() for _ in range(8)), return_exceptions=True)
        others = [end for end in ends if not isinstance(end, LionError)]
        raise (others or ends)[0] or AssertionError

    asyncio.run(produce_all())


def full_disk(path: Path, write: Callable[[Database, Branch], None] = until_refused) -> None:
    """A small disk fills up under a writer; then somebody frees a megabyte."""
    ballast = path.with_name("ballast")
    ballast.write_bytes(bytes(BALLAST))
    with Database(str(path), long_lived=True) as database:
        branch = database.write(begin)
        attempt("write to a full disk", lambda: write(database, branch))
        attempt("read from a full disk", lambda: database.read(list_sessions))
        attempt("write again", lambda: write(database, branch))  # one alone may fit where several did not
        ballast.unlink()
        attempt("write with space", lambda: say(database, branch, TEXT))


def full_disk_grouped(path: Path) -> None:
    """The same for asynchronous writers."""
    full_disk(path, until_refused_grouped)


def fill(folder: Path) -> Path:
    """Take every byte that is left."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(4096)):
            pass
    return ballast


def upkeep_on_a_full_disk(path: Path) -> None:
    """A prepared file is upgraded, copied, rebuilt and pruned where there is no room for that."""
    ballast = fill(path.parent)
    attempt("upgrade without space", lambda: Database(str(path)).close())
    tell(files=sorted(os.listdir(path.parent)))
    ballast.unlink()
    attempt("upgrade with space", lambda: Database(str(path)).close())
    tell(backups=[name for name in os.listdir(path.parent) if name.endswith(".bak")])
    ballast = fill(path.parent)
    attempt("copy without space", lambda: backup(str(path), f"{path}.copy"))
    attempt("vacuum without space", lambda: with_writer(path, vacuum))
    attempt("prune without space", lambda: with_writer(path, _prune))
    tell(files=sorted(os.listdir(path.parent)))
    ballast.unlink()
    attempt("prune with space", lambda: with_writer(path, _prune))


def _prune(conn: Connection) -> None:
    plan_prune(conn, before=1e10, keep_n=1, orphan_progressions=True)
    prune(conn)


def with_writer(path: Path, work: Callable[[Connection], object]) -> None:
    """Open, do, close."""
    conn = open_writer(str(path))
    try:
        work(conn)
    finally:
        conn.close()


def file_size_limit(path: Path) -> None:
    """The log may not grow any more; then it may."""
    with Database(str(path)) as database:
        branch = database.write(begin)
        say(database, branch, TEXT)
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        present = os.stat(f"{path}-wal").st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (present + 1_000_000, hard))
        attempt("write beyond the limit", lambda: until_refused(database, branch))
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        attempt("write without a limit", lambda: say(database, branch, TEXT))


def no_descriptors(path: Path) -> None:
    """Not one descriptor is left: what is open goes on, what must be opened is refused, and both recover."""
    with ExitStack() as opened:
        database = opened.enter_context(Database(str(path)))
        branch = database.write(begin)  # before anybody listens, so that the bell has no socket yet
        tail = opened.enter_context(Tail(str(path)))
        time.sleep(0.3)  # the writer looks for listeners only now and then
        with ExitStack() as stack:
            resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
            with suppress(OSError):
                while True:
                    stack.callback(os.close, os.dup(0))
            attempt("open a second time", lambda: Database(str(path)))
            attempt("open to read", lambda: database.read(list_sessions))
            attempt("write", lambda: say(database, branch, TEXT))
        tell(seen=len(tail.look().rows))
        time.sleep(0.1)
        attempt("write later", lambda: say(database, branch, TEXT))
        tell(rang=bool(select.select([tail.bell or 0], [], [], 1)[0]))
        attempt("read later", lambda: database.read(list_sessions))


def look_and_touch(path: Path) -> None:
    """Everything that reads, then everything that writes."""
    for what, work in READS.items():
        attempt(what, lambda work=work: _read(path, work))  # type: ignore[misc]
    attempt("write", lambda: _write(path))


def _read(path: Path, work: Callable[[Connection], object]) -> None:
    with reading(str(path)) as conn:
        work(conn)


def _write(path: Path) -> None:
    with Database(str(path)) as database:
        database.write(begin)


READS: Mapping[str, Callable[[Connection], object]] = {
    "list": list_sessions,
    "count": lambda conn: tell(messages=conn.value("SELECT count(*) FROM messages")),
    "doctor": lambda conn: list(examine(conn, deep=True)),
    "search": lambda conn: search(conn, "message"),
    "export": lambda conn: [list(export(conn, id_, "jsonl")) for (id_,) in conn.all("SELECT id FROM sessions")],
    "stats": stats,
    "plan a prune": lambda conn: plan_prune(conn, before=1e10),
}

PROGRAMS: Mapping[str, Callable[[Path], None]] = {
    program.__name__: program
    for program in (
        full_disk,
        full_disk_grouped,
        upkeep_on_a_full_disk,
        file_size_limit,
        no_descriptors,
        look_and_touch,
    )
}

if __name__ == "__main__":
    PROGRAMS[sys.argv[1]](Path(sys.argv[2]))
