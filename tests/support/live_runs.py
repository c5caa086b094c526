"""Live runs of Claude Code and Codex as the recorder stores them, from the records that the program would print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tests.support.builders import T0
from tests.support.transcripts import ClaudeTranscript, CodexTranscript

from lionstudio.agents.claude.stream import ClaudeStreamReader
from lionstudio.agents.codex.rollout import Rollouts
from lionstudio.agents.codex.stream import CodexStreamReader
from lionstudio.agents.jsonl_process import StreamReader
from lionstudio.model.branches import Branch
from lionstudio.model.messages import Instruction
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import SourceKind
from lionstudio.runs.event_writer import BoundEvent, LaneBranches
from lionstudio.state.branches import create_branch, fork_branch
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.sessions import create_session, finish_session

RECORDED = "completed"


def record_run(
    db: Database,
    session_id: str,
    reader: StreamReader,
    printed: Sequence[dict[str, Any]],
    prompt: str,
    *,
    status: str | None = RECORDED,
    started: float = 0,
    ended: float = 500,
    parent: str | None = None,
    history_sent: bool = False,
    **fields: Any,
) -> str:
    """Store a run, with times in seconds after T0; None as its status leaves it running. Returns its branch."""
    branch_id = f"{session_id}.main"
    at = T0 + started

    def begin(conn: Connection) -> None:
        session = Session(
            id=session_id, created_at=at, started_at=at, source_kind=SourceKind.LIVE, cwd="/home/u/demo", **fields
        )
        create_session(conn, session)
        if parent is None:
            create_branch(conn, Branch(id=branch_id, session_id=session_id, name="main", created_at=at))
        else:
            sent = {"history_sent": history_sent}
            fork_branch(
                conn, parent, session_id=session_id, branch_id=branch_id, metadata=sent, inherit=not history_sent
            )
        append(conn, branch_id, Instruction(content={"instruction": prompt}, created_at=at))

    db.write(begin)
    lanes = LaneBranches(session_id, branch_id)
    for record in printed:
        for event in reader.feed(record):
            bound = BoundEvent(lanes, event)
            db.write(bound.write)
    for held in reader.flush():
        db.write(BoundEvent(lanes, held).write)
    if status is not None:
        db.write(lambda conn: finish_session(conn, session_id, status, at=T0 + ended))
    return branch_id


def claude_run(
    db: Database, talk: ClaudeTranscript, records: Sequence[dict[str, Any]], prompt: str, **fields: Any
) -> str:
    """A run of Claude Code that printed these records of its transcript."""
    name = fields.pop("name", "live")
    return record_run(db, name, ClaudeStreamReader(), list(_printed(talk, records)), prompt, **fields)


def _printed(talk: ClaudeTranscript, records: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    yield {"type": "system", "subtype": "init", "session_id": talk.session, "model": "claude-sonnet-4-5"}
    for record in records:
        yield {"type": record["type"], "message": record["message"], "uuid": record["uuid"], "session_id": talk.session}


def codex_run(
    db: Database, rollout: CodexTranscript, items: Sequence[dict[str, Any]], prompt: str, **fields: Any
) -> str:
    """A run of Codex that printed these items; a call is printed when it has completed."""
    name = fields.pop("name", "live")
    printed: list[dict[str, Any]] = [{"type": "thread.started", "thread_id": rollout.thread}]
    printed += [
        {"type": "item.completed", "item": {"id": f"item_{number}", **item}} for number, item in enumerate(items)
    ]
    return record_run(db, name, CodexStreamReader(Rollouts("/nowhere")), printed, prompt, **fields)
