"""Databases of machines and their hub: sessions with rows in every table, a push, and a comparison row by row."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import Begun, begin, said, say, write

from lionstudio.hub.connect import HubConnection
from lionstudio.hub.push import Push, PushReport
from lionstudio.model.messages import create_message
from lionstudio.model.questions import Answer, AnswerOption, Question, QuestionKind
from lionstudio.state.backends import open_database
from lionstudio.state.branches import fork_branch
from lionstudio.state.database import Database
from lionstudio.state.embeddings import EmbeddingModel, list_missing, store_embeddings
from lionstudio.state.exchange.mailboxes import send
from lionstudio.state.exchange.questions import add_question, answer_question
from lionstudio.state.hub.selection import PushFilters
from lionstudio.state.hub.session_rows import SESSIONS
from lionstudio.state.messages.append import append
from lionstudio.state.runs.labels import add_tags, rename_session, set_note
from lionstudio.state.sessions import finish_session

_MODULES = ("machine", "system.process_identity", "state.hub.run_machines", "hub.push", "hub.status")
EVERYTHING = PushFilters()
MODEL = EmbeddingModel("test", 2)


@contextmanager
def on_machine(machine_id: str, name: str = "laptop") -> Iterator[None]:
    """Act as another machine."""
    with pytest.MonkeyPatch.context() as patch:
        for module in _MODULES:
            patch.setattr(f"lionstudio.{module}.machine_id", lambda: machine_id)
        patch.setattr("lionstudio.hub.push.host_name", lambda: name)
        yield


def push(home: Database, hub: str | Path, filters: PushFilters = EVERYTHING) -> PushReport:
    with HubConnection(str(hub)) as connection:
        return Push(home.path, connection, filters).run()


def full_session(db: Database, session_id: str, **fields: Any) -> Begun:
    """A running session with a row in every table that belongs to sessions."""
    run = begin(db, session_id, project="demo", **fields)
    message = create_message({"system_message": "be brief"}, id=f"{session_id}.system", created_at=1.0)
    write(db, append, run.branch_id, message)
    say(db, run.branch_id, f"{session_id}.first", f"{session_id}.second")
    usage = {"input_tokens": 7, "output_tokens": 3, "cache_read_tokens": 0, "cache_write_tokens": 0, "cost_microusd": 9}
    spent = create_message(
        {"function": "grep", "arguments": {"for": "\u2603"}},
        id=f"{session_id}.call",
        created_at=2.5,
        metadata={"usage": usage, "model": "m-1"},
    )
    write(db, append, run.branch_id, spent)
    child = write(db, fork_branch, run.branch_id, 1, branch_id=f"{session_id}.fork")
    say(db, child.id, f"{session_id}.forked")
    write(db, add_tags, session_id, ["nice", "old"])
    write(db, rename_session, session_id, f"the name of {session_id}")
    write(db, set_note, session_id, "a note")
    question = Question(
        id=f"{session_id}.question",
        kind=QuestionKind.QUESTION,
        title="Which one?",
        session_id=session_id,
        options=(AnswerOption("a", "A"), AnswerOption("b", "B")),
        takes_text=True,
    )
    write(db, add_question, question)
    sent = said("to you", id=f"{session_id}.sent", sender="person", recipient=session_id)
    write(db, send, sent)
    return run


def answer(db: Database, session_id: str) -> None:
    write(db, answer_question, f"{session_id}.question", Answer(option="a"), by="me", origin={})


def finish(db: Database, session_id: str) -> None:
    write(db, finish_session, session_id, "completed", exit_code=0)


def embed(db: Database) -> None:
    vectors = {one.pk: [0.5, 0.25] for one in db.read(lambda conn: list_missing(conn, 0, 1000))}
    db.write(lambda conn: store_embeddings(conn, MODEL, vectors))


_TABLES = {
    "sessions": f"SELECT {SESSIONS.names} FROM sessions WHERE {{of}}",  # noqa: S608
    "branches": """
SELECT id, created_at, node_metadata, "user", name, session_id, progression_id, system_msg_id, input_tokens,
       output_tokens, cache_read_tokens, cache_write_tokens, cost_microusd FROM branches WHERE {of_session}
""",
    "tags": "SELECT session_id, tag, created_at FROM session_tags WHERE {of_session}",
    "questions": "SELECT q.* FROM questions q WHERE {of_session}",
    "transitions": """
SELECT entity_id, at, previous, status, reason_code, source, actor FROM status_transitions
 WHERE entity = 'session' AND entity_id IN (SELECT id FROM sessions WHERE {of}) ORDER BY entity_id, id
""",
    "ledger": """
SELECT s.id, l.quarter, l.model, l.input_tokens, l.output_tokens, l.cache_read_tokens, l.cache_write_tokens,
       l.cost_microusd, l.unpriced_tokens, l.first_at, l.last_at FROM usage_ledger l
  JOIN sessions s ON s.pk = l.session_pk WHERE s.{of}
""",
    "mailboxes": """
SELECT owner, box, channel, progression_id, created_at FROM mailboxes
 WHERE owner IN (SELECT id FROM sessions WHERE {of}) OR owner IN (SELECT id FROM branches WHERE {of_session})
""",
    "heads": "SELECT id, created_at, unreadable FROM progression_heads WHERE id IN ({progressions})",
    "items": """
SELECT h.id, i.ord, i.message_id FROM progression_heads h JOIN progression_items i ON i.prog = h.pk
 WHERE h.id IN ({progressions}) ORDER BY h.id, i.ord
""",
    "messages": """
SELECT m.id, m.created_at, m.node_metadata, m.content, m.embedding, m.sender, m.recipient, m.channel, m.role,
       t.lion_class FROM messages m LEFT JOIN message_types t ON t.type_id = m.lion_class
 WHERE m.id IN (SELECT i.message_id FROM progression_items i JOIN progression_heads h ON h.pk = i.prog
                 WHERE h.id IN ({progressions}))
""",
}
_PROGRESSIONS = """
SELECT progression_id FROM sessions WHERE {of} UNION SELECT progression_id FROM branches WHERE {of_session}
UNION SELECT progression_id FROM mailboxes WHERE owner IN (SELECT id FROM sessions WHERE {of})
   OR owner IN (SELECT id FROM branches WHERE {of_session})
"""


def contents(path: str | Path, like: str = "%") -> dict[str, list[tuple[Any, ...]]]:
    """All rows of the sessions whose ids are like this, without the keys that each file counts for itself."""
    of = {"of": f"id LIKE '{like}'", "of_session": f"session_id LIKE '{like}'"}
    of["progressions"] = _PROGRESSIONS.format(**of)
    with open_database(str(path), create=False) as db, db.reader() as conn:
        return {name: sorted(conn.all(sql.format(**of)), key=repr) for name, sql in _TABLES.items()}
