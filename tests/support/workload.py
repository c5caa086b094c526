"""The programs that the tests kill: each does one kind of work and tells, a JSON object a line, what was acknowledged.

A line is written after the call returned, so whatever stands in it must be there for good.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from lionstudio.errors import Busy, LionError, NotFound, StorageFailed
from lionstudio.model.branches import Branch
from lionstudio.model.messages import Message, create_message
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.runs.api import record
from lionstudio.state.backends import open_database
from lionstudio.state.branches import create_branch, fork_branch
from lionstudio.state.connection import Connection, Row
from lionstudio.state.database import Database, reading
from lionstudio.state.imports.session_merge import Incoming, IncomingBranch, merge
from lionstudio.state.messages.append import append
from lionstudio.state.messages.rows import to_row
from lionstudio.state.messages.windows import messages_after
from lionstudio.state.postgres.errors import CommitUnknown
from lionstudio.state.runs.run_list import list_sessions
from lionstudio.state.sessions import create_session, find_session, finish_session
from lionstudio.state.sqlite.fulltext import index_batch
from lionstudio.state.sqlite.maintenance import CHECKPOINT_MODES, backup, checkpoint, free_pages, vacuum
from lionstudio.state.sqlite.open import open_writer
from lionstudio.state.upkeep.prune import plan_prune, prune

PRODUCERS = 4
_PAUSE = 0.05  # before a server that is away is tried again
SHARED = "shared"  # a session that every process may write to


_journal: int | None = None


def keep_journal(folder: str) -> None:
    """Tell everything to a file of this process as well, on disk before the next step."""
    global _journal
    _journal = os.open(os.path.join(folder, f"{os.getpid()}.jsonl"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)


def tell(**event: Any) -> None:
    """One line on stdout; short enough for the kernel to write it whole."""
    line = json.dumps(event).encode() + b"\n"
    if _journal is not None:
        os.write(_journal, line)
        os.fdatasync(_journal)
    os.write(1, line)


def said(text: str) -> Message:
    """A message with usage, so that the sums on session and branch are at stake too."""
    return create_message({"instruction": text}, metadata={"usage": {"input_tokens": 3, "output_tokens": 2}})


def begin(conn: Connection, session_id: str | None = None) -> Branch:
    """A branch to write to, in a session of its own or in the given one."""
    session = Session(id=session_id, name="work") if session_id else Session(name="work")
    if find_session(conn, session.id) is None:
        create_session(conn, session)
    return create_branch(conn, Branch(session_id=session.id, name="main"))


def say(database: Database, branch: Branch, text: str) -> None:
    """Append and tell."""
    done = database.write(lambda conn: append(conn, branch.id, said(text)))
    tell(message=done.message_id, branch=branch.id, session=done.session_id)


async def _say(database: Database, branch: Branch, text: str) -> None:
    done = await database.submit(lambda conn: append(conn, branch.id, said(text)))
    tell(message=done.message_id, branch=branch.id, session=done.session_id)


def opening(path: str, _: int) -> None:
    """Create or upgrade, nothing more."""
    Database(path).close()
    tell(opened=path)


def synchronous(path: str, n: int, *, shared: bool = False, size: int = 0, long_lived: bool = False) -> None:
    """Append one message a transaction."""
    with Database(path, long_lived=long_lived) as database:
        branch = database.write(lambda conn: begin(conn, SHARED if shared else None))
        for number in range(n):
            say(database, branch, f"message {number} " + "x" * size)


def grouped(path: str, n: int, *, shared: bool = False, long_lived: bool = False) -> None:
    """Append from several producers whose messages share commits."""

    async def produce(database: Database) -> None:
        branch = await database.submit(lambda conn: begin(conn, SHARED if shared else None))
        for number in range(n):
            await _say(database, branch, f"message {number}")

    async def produce_all(database: Database) -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(PRODUCERS):
                group.create_task(produce(database))

    with Database(path, long_lived=long_lived) as database:
        asyncio.run(produce_all(database))


def mixed(path: str, n: int) -> None:
    """Producers whose commits are shared with work that is refused; only the refused hear of it."""

    async def produce(database: Database) -> None:
        for number in range(n):
            branch = await database.submit(begin)
            tell(began=branch.session_id)
            with suppress(NotFound):
                await database.submit(lambda conn: append(conn, "no such branch", said("never stored")))
                raise AssertionError("this must be refused")
            await _say(database, branch, f"message {number}")

    async def produce_all(database: Database) -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(PRODUCERS):
                group.create_task(produce(database))

    with Database(path) as database:
        asyncio.run(produce_all(database))


def recorded(path: str, n: int) -> None:
    """What a program of somebody else does."""
    with record("recorded", path=path, project="tests") as run:
        for number in range(n):
            message = run.assistant(f"answer {number}", usage={"input_tokens": 3, "output_tokens": 2})
            tell(message=message, branch=run.branch_id, session=run.session_id)
    tell(finished=run.session_id, status="completed")


def forking(path: str, n: int) -> None:
    """Fork a branch again and again; each fork says something of its own."""
    with Database(path) as database:
        branch = database.write(begin)
        for number in range(n):
            say(database, branch, f"before fork {number}")
            parent = branch.id
            branch = database.write(lambda conn, parent=parent: fork_branch(conn, parent))  # type: ignore[misc]
            tell(fork=branch.id, parent=parent, session=branch.session_id)


def sessions(path: str, n: int) -> None:
    """Begin and end sessions."""
    with Database(path) as database:
        for number in range(n):
            branch = database.write(begin)
            assert branch.session_id is not None
            session = branch.session_id
            tell(began=session)
            say(database, branch, f"only message {number}")
            database.write(lambda conn, session=session: finish_session(conn, session, "completed", exit_code=0))  # type: ignore[misc]
            tell(finished=session, status="completed")


def importing(path: str, n: int) -> None:
    """Whole sessions at once, as importers bring them; each comes a second time, longer by one message."""
    with Database(path) as database:
        for _ in range(n):
            session, branch = Session(status=SessionStatus.COMPLETED), Branch()
            messages = [said(f"imported {number}") for number in range(5)]
            for known in (messages[:-1], messages):
                database.write(partial(_merge, session, branch, known))
                tell(imported=session.id, messages=len(known))


def _merge(session: Session, branch: Branch, messages: list[Message], conn: Connection) -> None:
    ids = [message.id for message in messages]

    def fetch(conn: Connection, wanted: Sequence[str]) -> list[Row]:
        return [to_row(conn, message) for message in messages if message.id in wanted]

    coming = IncomingBranch(branch, f"{branch.id}.order", ids)
    merge(conn, Incoming(session, f"{session.id}.order", ids, [coming], fetch), find_session(conn, session.id))


def lasting(path: str, n: int, *, journal: str | None = None, kind: str = "appends", shared: bool = False) -> None:
    """Write to a server that may end at any moment, and tell of each write whether it was done, refused or unknown."""
    if journal is not None:
        keep_journal(journal)
    database, branch = _begin_again(path, shared)
    asyncio.run(_last(database, branch, n, kind))


def _begin_again(path: str, shared: bool) -> tuple[Database, Branch]:
    while True:
        try:
            database = open_database(path)
            return database, database.write(lambda conn: begin(conn, SHARED if shared else None))
        except (Busy, StorageFailed):
            time.sleep(_PAUSE)


async def _last(database: Database, branch: Branch, n: int, kind: str) -> None:
    for _ in range(n):
        works = [_Write.of(kind, branch) for _ in range(PRODUCERS if kind == "groups" else 1)]
        if kind == "groups":
            calls = [database.submit(one.work) for one in works]
            outcomes: list[Any] = await asyncio.gather(*calls, return_exceptions=True)
        else:
            outcomes = [_outcome(database, works[0].work)]
        for write, outcome in zip(works, outcomes, strict=True):
            if not isinstance(outcome, BaseException):
                tell(**write.done)
            elif isinstance(outcome, CommitUnknown):
                tell(unknown=write.id)
            elif isinstance(outcome, (Busy, StorageFailed)):
                tell(refused=write.id, text=str(outcome))
            else:
                raise outcome
        if any(isinstance(outcome, BaseException) for outcome in outcomes):
            await asyncio.sleep(_PAUSE)


def _outcome(database: Database, work: Callable[[Connection], Any]) -> Any:
    try:
        return database.write(work)
    except LionError as error:
        return error


class _Write(NamedTuple):
    """One write, its id, and the event that acknowledges it."""

    id: str
    work: Callable[[Connection], Any]
    done: dict[str, str]

    @classmethod
    def of(cls, kind: str, branch: Branch) -> _Write:
        if kind == "sessions":
            session = Session(name="of a lasting writer")
            return cls(session.id, lambda conn: create_session(conn, session), {"began": session.id})
        # an answer is sent with the commit of its group, an instruction is not
        message = said("text") if kind == "appends" else create_message({"assistant_response": "text"})
        told = {"message": message.id, "branch": branch.id, "session": str(branch.session_id)}
        return cls(message.id, lambda conn: append(conn, branch.id, message), told)


def rolling(path: str, n: int, *, seed: int = 0) -> None:
    """Random transactions, of which some are rolled back at the end; tell those that were committed."""
    chance = random.Random(seed)
    with open_database(path) as database:
        own = database.write(begin)
        shared = database.write(lambda conn: begin(conn, SHARED))
        for _ in range(n):
            steps = [(chance.choice((own, shared)), said("text")) for _ in range(chance.randrange(1, 4))]
            note, fails = chance.random() < 0.3, chance.random() < 0.25
            with suppress(ZeroDivisionError):
                database.write(partial(_roll, steps=steps, note=note, fails=fails))
                for branch, message in steps:
                    tell(message=message.id, branch=branch.id, session=branch.session_id)


def _roll(conn: Connection, steps: list[tuple[Branch, Message]], note: bool, fails: bool) -> None:
    for branch, message in steps:
        if note:
            conn.execute(
                "UPDATE sessions SET note = :note WHERE id = :id", {"note": message.id, "id": branch.session_id}
            )
        append(conn, branch.id, message)
    if fails:
        raise ZeroDivisionError


def pruning(path: str, keep_n: int) -> None:
    """Delete every finished session but the newest, with what only they held."""
    conn = open_writer(path)
    plan_prune(conn, before=time.time() - 86400, keep_n=keep_n, orphan_progressions=True)
    tell(pruned=prune(conn)._asdict())
    free_pages(conn)
    conn.close()


def backing_up(path: str, n: int, *, pause: float = 0) -> None:
    """Copy the database to `….copy0`, `….copy1` and so on."""
    for number in range(n):
        time.sleep(pause)
        target = f"{path}.copy{number}"
        tell(copying=target)
        backup(path, target)
        tell(backup=target)


def upkeep(path: str, n: int) -> None:
    """Everything that runs beside writers, over and over: checkpoints of all modes, index, free pages."""
    with Database(path) as database:
        for number in range(n):
            database.write(index_batch)
            checkpoint(database.conn, CHECKPOINT_MODES[number % len(CHECKPOINT_MODES)])
            free_pages(database.conn)
    tell(upkeep=n)


def vacuuming(path: str, n: int) -> None:
    """Rebuild the file; a reader in the way is no failure of the writers."""
    conn = open_writer(path)
    for _ in range(n):
        try:
            vacuum(conn)
        except LionError as error:
            tell(stepped_back=type(error).__name__)
    conn.close()
    tell(vacuumed=n)


def looking(path: str, n: int) -> None:
    """Readers that come, look at lists and messages, and go."""
    for _ in range(n):
        with reading(path) as conn:
            page = list_sessions(conn, limit=20)
            for session in page.rows[:3]:
                messages_after(conn, session["id"], limit=200)
    tell(looked=n)


WORKS: Mapping[str, Callable[..., None]] = {
    work.__name__: work
    for work in (
        opening,
        synchronous,
        grouped,
        recorded,
        forking,
        sessions,
        pruning,
        backing_up,
        upkeep,
        vacuuming,
        looking,
        mixed,
        importing,
        lasting,
        rolling,
    )
}


def perform(work: str, path: str, n: int, **options: Any) -> int:
    """Do it; an error of ours becomes one line and its exit code, as on the command line."""
    code = 0
    try:
        WORKS[work](path, n, **options)
    except* LionError as group:
        error = _first(group)
        tell(error=type(error).__name__, text=str(error))
        print(f"error: {error}", file=sys.stderr)
        code = error.exit_code
    return code


def _first(group: BaseExceptionGroup[LionError]) -> LionError:
    found = group.exceptions[0]
    return _first(found) if isinstance(found, BaseExceptionGroup) else found


if __name__ == "__main__":
    sys.exit(perform(sys.argv[1], sys.argv[2], int(sys.argv[3]), **json.loads((sys.argv[4:] or ["{}"])[0])))
