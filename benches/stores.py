"""Databases to measure, in benches/.data, with the real schema."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from benches.table import DATA
from lionstudio.model.branches import Branch
from lionstudio.model.ids import new_id
from lionstudio.model.messages import AssistantResponse, Message
from lionstudio.model.sessions import Session
from lionstudio.state.branches import create_branch
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.sessions import create_session
from lionstudio.state.sqlite.open import schema_sql

_FOLDERS = 0


def fresh_folder(name: str) -> Path:
    """An empty folder of this process; each database has its own, because listeners register by folder."""
    global _FOLDERS
    if not _FOLDERS:
        _remove_leftovers()
    _FOLDERS += 1
    folder = DATA / f"run-{os.getpid()}" / f"{_FOLDERS}-{name}"
    folder.mkdir(parents=True)
    return folder


def fresh_path(name: str) -> str:
    """A path for a new database."""
    return str(fresh_folder(name) / "state.db")


def clean_up() -> None:
    """Remove the folders of this process; cached databases stay."""
    shutil.rmtree(DATA / f"run-{os.getpid()}", ignore_errors=True)


def _remove_leftovers() -> None:
    """Remove the folders of killed benches."""
    for folder in DATA.glob("run-*"):
        try:
            os.kill(int(folder.name[4:]), 0)
        except ProcessLookupError:
            shutil.rmtree(folder, ignore_errors=True)


def schema_key() -> str:
    """A checksum of the schema, so that a cached database never has an old one."""
    return hashlib.sha256(schema_sql().encode()).hexdigest()[:12]


def begin(database: Database) -> tuple[str, str]:
    """Create a running session with one branch; returns their ids."""
    session = Session(name="bench", invocation_kind=None, project="bench")
    branch = Branch(session_id=session.id, name="main")

    def create(conn: Connection) -> None:
        create_session(conn, session)
        create_branch(conn, branch)

    database.write(create)
    return session.id, branch.id


_WORDS = [f"{a}{b}{c}" for a in ("lo", "ra", "ti", "mu", "ke") for b in ("na", "rin", "sto") for c in ("", "l", "ver")]


def prose(characters: int, dice: random.Random) -> str:
    """Word-like text of about this length."""
    words = []
    left = characters
    while left > 0:
        words.append(dice.choice(_WORDS))
        left -= len(words[-1]) + 1
    return " ".join(words)


def messages(dice: random.Random, characters: int = 450) -> Iterator[Message]:
    """Messages of about half a kilobyte, without end."""
    texts = [prose(characters, dice) for _ in range(64)]
    while True:
        yield AssistantResponse(content={"assistant_response": dice.choice(texts)})


_FILL_MESSAGES = """
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < :count)
INSERT INTO messages (id, created_at, content, role, lion_class)
  SELECT printf('%s-7000-8000-%012x', :stamp, i), :at + i * 0.001, :content, 'assistant', 3 FROM n
"""
_FILL_ITEMS = """
INSERT INTO progression_items (prog, ord, message_id)
  SELECT h.pk, m.pk - 1, m.id FROM messages m CROSS JOIN progression_heads h ORDER BY h.pk, m.pk
"""
_FILL_COUNT = """
UPDATE sessions SET message_count = :count, last_message_at = :at, updated_at = :at,
  first_msg_id = (SELECT id FROM messages ORDER BY pk LIMIT 1),
  last_msg_id = (SELECT id FROM messages ORDER BY pk DESC LIMIT 1)
"""


def fill_session(database: Database, count: int) -> None:
    """Fill the only session of a database with messages, by bulk SQL."""
    content = '{"assistant_response":"' + prose(450, random.Random(1)) + '"}'
    stamp = new_id()[:13]
    at = time.time()

    def work(conn: Connection) -> None:
        conn.execute(_FILL_MESSAGES, {"count": count, "stamp": stamp, "at": at, "content": content})
        conn.execute(_FILL_ITEMS)
        conn.execute(_FILL_COUNT, {"count": count, "at": at})

    database.write(work)
    database.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
