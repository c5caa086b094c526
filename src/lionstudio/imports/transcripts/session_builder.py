"""Where the messages of one transcript go: its session, the branches of its lanes, and what it shares with others.

A fork begins with records that another session has. As long as they come in that session's own order nothing
is stored; the first message of its own makes the session, with a branch that leaves its parent there.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha1
from typing import Any, NamedTuple

from lionstudio.agents.transcript import MAIN, TranscriptFacts, TranscriptMessage
from lionstudio.imports.transcripts.tools import Tool
from lionstudio.model.branches import Branch
from lionstudio.model.coerce import text_or_none
from lionstudio.model.messages import Instruction, Message
from lionstudio.model.redaction import Redactor
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import InvocationKind, SessionStatus
from lionstudio.runs.prepare.project import project_name
from lionstudio.state.branches import create_branch, history
from lionstudio.state.connection import Connection
from lionstudio.state.imports.transcript_files import (
    SOURCES,
    Position,
    append_if_absent,
    find_branch_session,
    follow_history,
    has_session,
    is_stored,
    last_ord_before,
    set_usage,
    update_branch,
    update_session,
)
from lionstudio.state.sessions import create_session


class BuilderEntry(NamedTuple):
    """A place in the history that a fork of Codex copied, and a digest of what stands there."""

    position: Position
    digest: bytes


class SessionBuilder:
    """Puts the messages of one file where they belong."""

    def __init__(self, tool: Tool, path: str, facts: TranscriptFacts, state: Mapping[str, Any]) -> None:
        self._tool = tool
        self._path = path
        self._facts = facts
        at = state.get("at")
        self._at: Position | None = Position(*at) if at else None  # how far it repeats another session
        self._apart: bool = state.get("apart", False)  # it has said something of its own
        self._branches: dict[tuple[str, str], str] = {}
        self._made: set[str] = set()  # branches that are known to exist
        self._copied: list[BuilderEntry] | None = None
        self._repeated: int = state.get("repeated", 0)
        self._session: str | None = state.get("session")

    def to_state(self) -> dict[str, Any]:
        """What must be known to go on."""
        return {"at": self._at, "apart": self._apart, "repeated": self._repeated, "session": self._session}

    @property
    def session_id(self) -> str:
        """Our id of the session this file belongs to."""
        return self._session or self._tool.session_id(self._facts.session)

    def place(self, conn: Connection, said: TranscriptMessage, status: SessionStatus) -> bool:
        """Keep a message; False when it is here already."""
        lane, message = said
        branch_id = self._branch(lane)
        if branch_id not in self._made:
            if lane == self._facts.lane and not self._apart and self._repeats(conn, branch_id, message):
                return False
            if lane != self._facts.lane and is_stored(conn, message.id):
                return False  # a sidechain that was copied with its conversation
            self._make(conn, branch_id, lane, message, status)
        return append_if_absent(conn, branch_id, message)

    def ready(self, said: TranscriptMessage) -> str | None:
        """The branch of a message, None when it must be placed by itself: the branch may have to be made."""
        branch_id = self._branch(said.lane)
        return branch_id if branch_id in self._made else None

    def _branch(self, lane: str) -> str:
        key = (self._facts.session, lane)
        if key not in self._branches:
            self._branches[key] = self._tool.branch_id(*key)
        return self._branches[key]

    # ── what it repeats ──────────────────────────────────────────────────

    def _repeats(self, conn: Connection, branch_id: str, message: Message) -> bool:
        """Whether a first message only repeats another session, in its order."""
        if find_branch_session(conn, branch_id) is not None:
            return False
        if self._tool.name == "codex":
            return self._repeats_parent(conn, message)
        if not is_stored(conn, message.id):
            return False
        found = follow_history(conn, message.id, self._at, self.session_id)
        if found is None:
            return False
        self._at = found
        return True

    def _repeats_parent(self, conn: Connection, message: Message) -> bool:
        """Older versions of Codex copy the parent's items, with other ids: they are told by their content."""
        facts = self._facts
        if facts.forked_from is None or facts.forked_before is not None:
            return False
        if self._copied is None:
            self._copied = self._history_of(conn, self._tool.branch_id(facts.forked_from, MAIN))
        if self._repeated >= len(self._copied) or self._copied[self._repeated].digest != _digest(message):
            return False
        self._at = self._copied[self._repeated].position
        self._repeated += 1
        return True

    @staticmethod
    def _history_of(conn: Connection, branch_id: str) -> list[BuilderEntry]:
        if find_branch_session(conn, branch_id) is None:
            return []
        return [
            BuilderEntry(Position(entry.branch_id, entry.ord), _digest(entry.message))
            for entry in history(conn, branch_id)
            if entry.message is not None
        ]

    # ── what is made ─────────────────────────────────────────────────────

    def _make(self, conn: Connection, branch_id: str, lane: str, message: Message, status: SessionStatus) -> None:
        self._made.add(branch_id)
        self._apart = self._apart or lane == self._facts.lane
        found = find_branch_session(conn, branch_id)
        self._session = session_id = found or self._session_for(conn)
        if found is not None:
            return
        metadata = self._fork(conn, lane)
        if "parent_branch_id" in metadata:
            self._entitle(message)
        if not has_session(conn, session_id):
            create_session(conn, self._new_session(session_id, message, status))
        branch = Branch(
            id=branch_id, session_id=session_id, created_at=message.created_at, name=lane or "main", metadata=metadata
        )
        create_branch(conn, branch)

    def _session_for(self, conn: Connection) -> str:
        """The session of the file; that of its parent where only the parent is named."""
        facts = self._facts
        if facts.parent and facts.session == facts.thread:
            parent = find_branch_session(conn, self._tool.branch_id(facts.parent, MAIN))
            return parent or self._tool.session_id(facts.parent)
        return self.session_id

    def _fork(self, conn: Connection, lane: str) -> dict[str, Any]:
        facts = self._facts
        if lane != facts.lane:
            return {}
        if facts.forked_from is not None and facts.forked_before is not None:
            parent = self._tool.branch_id(facts.forked_from, MAIN)
            if find_branch_session(conn, parent) is not None:
                self._at = Position(parent, last_ord_before(conn, parent, facts.forked_before))
        if self._at is None:
            return {"forked_from": facts.forked_from} if facts.forked_from else {}
        return {"parent_branch_id": self._at.branch_id, "forked_at_ord": self._at.ord}

    def _entitle(self, message: Message) -> None:
        """A fork is called after what it was made for, not after its parent's first prompt."""
        if isinstance(message, Instruction) and not message.metadata.get("injected"):
            self._facts.titles.pop("prompt", None)
            self._facts.entitle("prompt", message.content.get("instruction"))

    def _new_session(self, session_id: str, message: Message, status: SessionStatus) -> Session:
        facts, tool = self._facts, self._tool
        at = message.created_at
        own = facts.lane == MAIN and not facts.parent  # else it is made for a file that is still to come
        texts: dict[str, Any] = self._texts() if own else {"cwd": facts.cwd, "provider": tool.provider}
        return Session(
            id=session_id,
            created_at=at,
            started_at=at,
            updated_at=at,
            agent_name=tool.agent,
            invocation_kind=InvocationKind.AGENT,
            source_kind=SOURCES[tool.name],
            status=status,
            metadata={"mirror": self._about()},
            **texts,
        )

    # ── what is noted ────────────────────────────────────────────────────

    def note(self, conn: Connection, status: SessionStatus) -> None:
        """Bring the session and the branch up to what the file says by now."""
        facts, branch_id = self._facts, self._branch(self._facts.lane)
        if not self._apart:
            return
        if facts.total is not None:
            set_usage(conn, branch_id, facts.total)
        if facts.lane != MAIN or facts.parent:
            update_branch(conn, branch_id, _agent_name(facts), facts.agent)
            return
        failed = status is SessionStatus.FAILED
        update_session(
            conn,
            self.session_id,
            self._tool.name,
            texts=self._texts(),
            status=status,
            ended_at=None if status is SessionStatus.RUNNING else facts.last_at,
            reasons=(failure_of(facts.failed or ""),) if failed else (),
            mirror=self._about(),
        )

    def _texts(self) -> dict[str, str | None]:
        facts = self._facts
        return {
            "name": _clean(facts.title),
            "model": facts.model,
            "provider": facts.provider or self._tool.provider,
            "project": facts.cwd and project_of(facts.cwd),
            "cwd": facts.cwd,
            "git_commit": facts.git_commit,
        }

    def _about(self) -> dict[str, Any]:
        facts = self._facts
        about = {
            "tool": self._tool.name,
            "session_id": facts.session,
            "path": self._path,
            "version": facts.version,
            "git_branch": facts.git_branch,
            "failed": _clean(facts.failed),
            "records": facts.records or None,
            **{key: value for key, value in facts.extra.items() if key != "met"},
        }
        return {key: value for key, value in about.items() if value is not None}


def kept_as_text(said: TranscriptMessage, raw: str, why: str) -> TranscriptMessage:
    """A message whose content cannot be stored as it is (too deep, no JSON number), with the line it came from."""
    message = said.message
    key = next(
        (key for key in ("assistant_response", "instruction", "output", "function") if key in message.content), ""
    )
    kept = {name: message.content[name] for name in ("action_request_id", "function") if name in message.content}
    content = {**kept, key if key not in ("", "function") else "arguments": raw}
    metadata = {key: value for key, value in message.metadata.items() if isinstance(value, (str, int))}
    made = type(message)(
        id=message.id, created_at=message.created_at, content=content, metadata={**metadata, "kept_as_text": why}
    )
    return TranscriptMessage(said.lane, made)


@lru_cache(maxsize=1000)
def project_of(cwd: str) -> str | None:
    """The name of the checkout that a folder is in, else the folder's own."""
    try:
        return project_name(cwd) or os.path.basename(cwd.rstrip(os.sep)) or None
    except (OSError, ValueError):  # a NUL in the path, or a folder that is closed to us
        return None


def _clean(text: str | None) -> str | None:
    """Without secrets: a title may be the beginning of a prompt."""
    return text and Redactor().text(text)


def _agent_name(facts: TranscriptFacts) -> str:
    names = ("agentType", "agent_nickname", "agent_role", "description")
    return next((name for key in names if (name := text_or_none(facts.agent.get(key)))), None) or facts.thread


def failure_of(text: str) -> str:
    """The reason code of a session whose last message is this complaint."""
    limited = any(word in text.lower() for word in ("usage limit", "rate limit", "quota", "429"))
    return "run.failed.usage_limit" if limited else "run.failed.provider_error"


def _digest(message: Message) -> bytes:
    if isinstance(message.content, dict):
        # ids of requests differ between the copies
        said: Any = {key: value for key, value in message.content.items() if key != "action_request_id"}
    else:
        said = message.content
    return sha1(f"{message.tag}|{said!r}".encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()
