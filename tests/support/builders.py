"""Small builders: a session with its branch, a message, a history as text, a database for one example of a property."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import apsw
import psycopg

from lionstudio.model.branches import Branch
from lionstudio.model.messages import Message, create_message
from lionstudio.model.sessions import Session
from lionstudio.state.backends import is_server, open_writer
from lionstudio.state.branches import create_branch, history
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.sessions import create_session

P = ParamSpec("P")
T = TypeVar("T")

T0 = 1_790_000_000.0  # a moment that every computed time can be compared with


def write(db: Database, work: Callable[Concatenate[Connection, P], T], *args: P.args, **more: P.kwargs) -> T:
    """`write(db, append, branch, message)`: a state function in a transaction of its own."""
    return db.write(lambda conn: work(conn, *args, **more))


def read(db: Database, work: Callable[Concatenate[Connection, P], T], *args: P.args, **more: P.kwargs) -> T:
    """`read(db, get_session, id)`: a state function that only reads."""
    return db.read(lambda conn: work(conn, *args, **more))


class Begun(NamedTuple):
    """The ids of a session and of its first branch."""

    session_id: str
    branch_id: str


def begin(db: Database, session_id: str = "s", **fields: Any) -> Begun:
    """A running session with one branch."""
    session = Session(**{"id": session_id, "created_at": T0, **fields})
    branch = Branch(id=f"{session_id}.main", session_id=session_id, name="main", created_at=T0)

    def create(conn: Connection) -> None:
        create_session(conn, session)
        create_branch(conn, branch)

    db.write(create)
    return Begun(session_id, branch.id)


def said(text: str = "hello", **fields: Any) -> Message:
    """An instruction."""
    return create_message({"instruction": text}, **{"created_at": T0, **fields})


def say(db: Database, branch_id: str, *texts: str, **fields: Any) -> list[str]:
    """Append instructions whose ids are their texts; the ids."""
    for text in texts:
        write(db, append, branch_id, said(text, id=text, **fields))
    return list(texts)


def read_history(db: Database, branch_id: str) -> list[str]:
    """The message ids that a branch has seen."""
    return db.read(lambda conn: [entry.message_id for entry in history(conn, branch_id)])


def sql(db: Database, statement: str, params: Any = ()) -> list[tuple[Any, ...]]:
    """What any other tool would do: one statement on a plain connection of its own."""
    if is_server(db.path):
        with closing(open_writer(db.path)) as conn:
            cursor = conn.run(statement, params)
            return cursor.fetchall() if cursor.description else []
    other = apsw.Connection(db.path)
    try:
        other.set_busy_timeout(5000)
        other.execute("PRAGMA foreign_keys = ON")
        return other.execute(statement, params).fetchall()
    finally:
        other.close()


def damage(db: Database, statement: str) -> None:
    """A statement of another tool that ignores references."""
    if is_server(db.path):
        with psycopg.connect(db.path.replace("//lion@", "//admin@"), autocommit=True) as server:
            if "UPDATE progressions" not in statement:  # its trigger is part of the view
                server.execute("SET session_replication_role = replica")
            server.execute(statement)
        return
    other = apsw.Connection(db.path)
    other.execute("PRAGMA foreign_keys = OFF")
    other.execute(statement)
    other.close()


@contextmanager
def write_lock(path: str) -> Iterator[None]:
    """Another program holds the write lock; it waits its turn, because a writer in the background may hold it."""
    if is_server(path):
        with closing(open_writer(path)) as conn, conn.transaction():
            conn.one("SELECT 1")
            yield
        return
    holder = apsw.Connection(path)
    try:
        holder.set_busy_timeout(30_000)
        holder.execute("BEGIN IMMEDIATE")
        yield
    finally:
        holder.close()


def git(folder: Path, *arguments: str) -> str:
    """Real git in a folder, without anything of the person who runs the tests; what it printed."""
    settings = ("-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "init.defaultBranch=main")
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", *settings, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@contextmanager
def trial(conn: Connection) -> Iterator[None]:
    """A transaction that is undone at its end, for one example of a property."""
    conn.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        conn.rollback()


@contextmanager
def copied(blank: Path) -> Iterator[Database]:
    """A database for one example, gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        path = shutil.copy(blank, Path(folder) / "state.db")
        with Database(str(path)) as database:
            yield database
