"""Maps the messages of one transcript to its session and branches, and finds the part it shares with its parent.

A fork begins with records of another session. Nothing is stored while they repeat that session in its order; the
first new message creates the session, with a branch that forks from the parent at that point.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import sha1
from typing import Any, NamedTuple

from lionstudio.agents.transcript import MAIN, TranscriptFacts, TranscriptMessage, TranscriptTool, drop_oldest
from lionstudio.imports.transcripts.completion import Completion, find_runs
from lionstudio.imports.transcripts.doubles import merge_copy
from lionstudio.imports.transcripts.record_order import Move
from lionstudio.model.branches import Branch
from lionstudio.model.coerce import text_or_none
from lionstudio.model.messages import Instruction, Message, System
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import InvocationKind, SessionStatus
from lionstudio.runs.prepare.project import project_name
from lionstudio.state.branches import branch_length, create_branch, history
from lionstudio.state.connection import Connection
from lionstudio.state.imports.session_order import move_after
from lionstudio.state.imports.transcript_files import (
    Position,
    append_if_absent,
    find_branch_session,
    find_stored,
    follow_history,
    has_session,
    last_ord_before,
    set_usage,
    start_earlier,
    update_branch,
    update_session,
)
from lionstudio.state.imports.transcript_stamps import SOURCES
from lionstudio.state.sessions import create_session
from lionstudio.state.usage.ledger import SpentPart

_MAX_CALLS = 500


class ParentEntry(NamedTuple):
    """A position in the history that a fork copied, and a digest of the message there."""

    position: Position
    digest: bytes


class SessionBuilder:
    def __init__(self, tool: TranscriptTool, path: str, facts: TranscriptFacts, state: Mapping[str, Any]) -> None:
        self._tool = tool
        self._path = path
        self._facts = facts
        at = state.get("at")
        self._at: Position | None = Position(*at) if at else None  # the last message that repeats another session
        self._diverged: bool = state.get("apart", False)  # it has messages of its own
        self._branch_ids: dict[tuple[str, str], str] = {}
        self._existing: set[str] = set()  # branches that are known to exist
        self._parent_history: list[ParentEntry] | None = None
        self._repeated: int = state.get("repeated", 0)
        self._session: str | None = state.get("session")
        self._live: dict[str, Any] = dict(state.get("live", {}))  # the state of the completion of live runs
        self._completion: Completion | None = None

    def to_state(self) -> dict[str, Any]:
        state = {"at": self._at, "apart": self._diverged, "repeated": self._repeated, "session": self._session}
        drop_oldest(self._live.get("calls", {}), _MAX_CALLS)
        return state | ({"live": self._live} if self._live else {})

    @property
    def session_id(self) -> str:
        return self._session or self._tool.session_id(self._facts.session)

    def store(self, conn: Connection, entry: TranscriptMessage, status: SessionStatus) -> bool:
        """Store a message; False when the database has it already."""
        branch_id = self.branch_of(conn, entry, status)
        return branch_id is not None and append_if_absent(conn, branch_id, entry.message)

    def branch_of(self, conn: Connection, entry: TranscriptMessage, status: SessionStatus) -> str | None:
        """The branch of a message, created if it is the first; None for a message that repeats another session."""
        lane, message = entry.lane, entry.message
        branch_id = self._branch_id(lane)
        if branch_id not in self._existing:
            if lane == self._facts.lane and not self._diverged and self._repeats(conn, branch_id, message):
                return None
            if lane != self._facts.lane and find_stored(conn, message.id) is not None:
                return None  # a sidechain that was copied with its conversation
            self._create(conn, branch_id, lane, message, status)
        return branch_id

    def complete(
        self, conn: Connection, entries: Callable[[], Sequence[TranscriptMessage]], status: SessionStatus
    ) -> int | None:
        """Store the records of a conversation that live runs recorded; None when no live run recorded it."""
        runs = find_runs(conn, self._tool, self._facts)
        self._completion = None
        if not runs:
            return None
        merge_copy(conn, self._tool.session_id(self._facts.session))
        name = _agent_name(self._facts)
        self._session = None  # an earlier part of the file may belong to another session
        self._completion = Completion(conn, self._tool, self._facts, self._live, runs, name)
        stored = self._completion.store(entries(), lambda entry: self.store(conn, entry, status))
        self._session = self._completion.session_id or self._session
        return stored

    def move(self, conn: Connection, moves: Sequence[Move]) -> None:
        """Move messages of an earlier read behind their parents."""
        branch_id = self._branch_id(self._facts.lane)
        if self._completion is None and moves and find_branch_session(conn, branch_id) is not None:
            for move in moves:
                move_after(conn, branch_id, move.ids, move.after)

    def place_of(self, messages: Sequence[Message]) -> tuple[str, float] | None:
        """The mirrored session of new messages and their earliest time; None for those of live runs."""
        # the instructions of the program are stored once, with the time of their first conversation
        times = [message.created_at for message in messages if not isinstance(message, System)]
        return (self.session_id, min(times)) if times and self._completion is None else None

    def _branch_id(self, lane: str) -> str:
        key = (self._facts.session, lane)
        if key not in self._branch_ids:
            self._branch_ids[key] = self._tool.branch_id(*key)
        return self._branch_ids[key]

    # ── messages that repeat the parent ──────────────────────────────────

    def _repeats(self, conn: Connection, branch_id: str, message: Message) -> bool:
        """True if a message before the first new one repeats another session in its order."""
        if find_branch_session(conn, branch_id) is not None:
            return False
        if self._tool.record_id_key is None:
            return self._repeats_parent(conn, message)
        stored_id = find_stored(conn, message.id)
        if stored_id is None:
            return False
        position = follow_history(conn, stored_id, self._at, self.session_id)
        if position is None:
            return False
        self._at = position
        return True

    def _repeats_parent(self, conn: Connection, message: Message) -> bool:
        """The fork copies the parent's messages under other ids: compare their content."""
        facts = self._facts
        if facts.forked_from is None or facts.forked_before is not None:
            return False
        if self._parent_history is None:
            self._parent_history = self._read_history(conn, self._tool.branch_id(facts.forked_from, MAIN))
        entry = next(iter(self._parent_history[self._repeated : self._repeated + 1]), None)
        if entry is None or entry.digest != _digest(message):
            return False
        self._at = entry.position
        self._repeated += 1
        return True

    @staticmethod
    def _read_history(conn: Connection, branch_id: str) -> list[ParentEntry]:
        if find_branch_session(conn, branch_id) is None:
            return []
        return [
            ParentEntry(Position(entry.branch_id, entry.ord), _digest(entry.message))
            for entry in history(conn, branch_id)
            if entry.message is not None
        ]

    # ── new sessions and branches ────────────────────────────────────────

    def _create(self, conn: Connection, branch_id: str, lane: str, message: Message, status: SessionStatus) -> None:
        self._existing.add(branch_id)
        self._diverged = self._diverged or lane == self._facts.lane
        existing = find_branch_session(conn, branch_id)
        self._session = session_id = existing or self._session_for(conn)
        if existing is not None:
            return
        metadata = self._fork_metadata(conn, lane)
        if "parent_branch_id" in metadata:
            self._retitle(message)
        if not has_session(conn, session_id):
            session = self._new_session(session_id, message, status)
            if parent := metadata.get("parent_branch_id"):
                origin = find_branch_session(conn, parent)
                is_same = bool(self._live.get("continues"))
                session = replace(session, continues=origin) if is_same else replace(session, forked_from=origin)
            create_session(conn, session)
        else:
            start_earlier(conn, session_id, self._tool.name, message.created_at)
        branch = Branch(
            id=branch_id,
            session_id=session_id,
            created_at=message.created_at,
            name=self._lane_name(lane),
            metadata=metadata,
        )
        create_branch(conn, branch)

    def _session_for(self, conn: Connection) -> str:
        """The session of the file, or of its parent where the file names only the parent."""
        facts = self._facts
        if facts.parent and facts.session == facts.thread:
            parent = find_branch_session(conn, self._tool.branch_id(facts.parent, MAIN))
            return parent or self._tool.session_id(facts.parent)
        return self.session_id

    def _lane_name(self, lane: str) -> str:
        return self._facts.lane_names.get(lane) or lane or "main"

    def _fork_metadata(self, conn: Connection, lane: str) -> dict[str, Any]:
        facts = self._facts
        if lane != facts.lane:
            return {}
        if parent := self._live.get("continues"):
            self._at = Position(parent, branch_length(conn, parent) - 1)
        elif facts.forked_from is not None and facts.forked_before is not None:
            parent = self._tool.branch_id(facts.forked_from, MAIN)
            if find_branch_session(conn, parent) is not None:
                self._at = Position(parent, last_ord_before(conn, parent, facts.forked_before))
        if self._at is None:
            return {"forked_from": facts.forked_from} if facts.forked_from else {}
        return {"parent_branch_id": self._at.branch_id, "forked_at_ord": self._at.ord}

    def _retitle(self, message: Message) -> None:
        """Name a fork after its own first prompt, not after its parent's."""
        if isinstance(message, Instruction) and not message.metadata.get("injected"):
            self._facts.titles.pop("prompt", None)
            self._facts.add_title("prompt", message.content.get("instruction"))

    def _new_session(self, session_id: str, message: Message, status: SessionStatus) -> Session:
        facts, tool = self._facts, self._tool
        at = message.created_at
        is_own = facts.lane == MAIN and not facts.parent  # else the file of the session is still to come
        values: dict[str, Any] = (
            {**self._texts(), **self._end(status)}
            if is_own
            else {"cwd": facts.cwd, "provider": tool.provider, "title": facts.title}
        )
        return Session(
            id=session_id,
            created_at=at,
            started_at=at,
            updated_at=at,
            agent_name=tool.agent_name,
            invocation_kind=InvocationKind.AGENT,
            source_kind=SOURCES[tool.name],
            status=status,
            conversation_id=facts.session,
            metadata={"mirror": self._mirror_metadata()},
            **values,
        )

    # ── facts about the session ──────────────────────────────────────────

    def save_facts(self, conn: Connection, status: SessionStatus) -> None:
        """Update the session and the branch with the facts read so far."""
        facts, branch_id = self._facts, self._branch_id(self._facts.lane)
        if self._completion is not None:
            self._completion.save_usage()
            if self._completion.session_id is not None:
                return  # the run has its own status, name and end
        if not self._diverged:
            return
        if facts.total is not None and self._completion is None:
            set_usage(conn, branch_id, facts.total, [SpentPart(*one) for one in facts.list_spent()])
        if facts.lane != MAIN or facts.parent:
            update_branch(conn, branch_id, _agent_name(facts), facts.agent)
            return
        end = self._end(status)
        update_session(
            conn,
            self.session_id,
            self._tool.name,
            texts=self._texts(),
            status=status,
            ended_at=end["ended_at"],
            reasons=end["reason_codes"],
            mirror=self._mirror_metadata(),
        )

    def _texts(self) -> dict[str, str | None]:
        facts = self._facts
        return {
            "name": facts.name,
            "title": facts.title,
            "model": facts.model,
            "provider": facts.provider or self._tool.provider,
            "project": facts.cwd and _project(facts.cwd),
            "cwd": facts.cwd,
            "git_commit": facts.git_commit,
        }

    def _end(self, status: SessionStatus) -> dict[str, Any]:
        facts = self._facts
        return {
            "ended_at": None if status is SessionStatus.RUNNING else facts.last_at,
            "reason_codes": (failure_code(facts.failed or ""),) if status is SessionStatus.FAILED else (),
        }

    def _mirror_metadata(self) -> dict[str, Any]:
        facts = self._facts
        metadata = {
            "tool": self._tool.name,
            "session_id": facts.session,
            "name": facts.name,
            "path": self._path,
            "version": facts.version,
            "git_branch": facts.git_branch,
            "failed": facts.failed,
            "records": facts.records or None,
            **{key: value for key, value in facts.extra.items() if key != "met"},
        }
        return {key: value for key, value in metadata.items() if value is not None}


def keep_as_text(entry: TranscriptMessage, line: str, reason: str) -> TranscriptMessage:
    """A message whose content cannot be stored (nested too deeply, a number that is not JSON) with its line instead."""
    message = entry.message
    key = next(
        (key for key in ("assistant_response", "instruction", "output", "function") if key in message.content), ""
    )
    call = {name: message.content[name] for name in ("action_request_id", "function") if name in message.content}
    content = {**call, key if key not in ("", "function") else "arguments": line}
    metadata = {key: value for key, value in message.metadata.items() if isinstance(value, (str, int))}
    metadata["kept_as_text"] = reason
    text_message = type(message)(id=message.id, created_at=message.created_at, content=content, metadata=metadata)
    return entry._replace(message=text_message)


@lru_cache(maxsize=1000)
def _project(cwd: str) -> str | None:
    """The name of the checkout that a folder is in, else of the folder itself."""
    try:
        return project_name(cwd) or os.path.basename(cwd.rstrip(os.sep)) or None
    except (OSError, ValueError):  # a NUL in the path, or a folder without permission
        return None


def _agent_name(facts: TranscriptFacts) -> str:
    names = ("description", "agentType", "agent_nickname", "agent_role")
    return next((name for key in names if (name := text_or_none(facts.agent.get(key)))), None) or facts.thread


def failure_code(error: str) -> str:
    """The reason code of a session that ended with this error."""
    is_limit = any(word in error.lower() for word in ("usage limit", "rate limit", "quota", "429"))
    return "run.failed.usage_limit" if is_limit else "run.failed.provider_error"


def _digest(message: Message) -> bytes:
    content: Any = message.content
    if isinstance(content, dict):  # without the ids of requests, which differ between the copies
        content = {key: value for key, value in content.items() if key != "action_request_id"}
    return sha1(f"{message.tag}|{content!r}".encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()
