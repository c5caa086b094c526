"""Builders of transcripts in the formats of Claude Code and Codex."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.builders import T0

from lionstudio.agents.transcript import TranscriptTool
from lionstudio.imports.report import Report
from lionstudio.imports.transcripts.sync import Mirror
from lionstudio.imports.transcripts.tools import TOOLS
from lionstudio.state.branches import history, list_branches
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database

CLAUDE, CODEX = TOOLS["claude"], TOOLS["codex"]
USAGE = {"input_tokens": 10, "output_tokens": 4, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20}
LONG_AGO = T0 + 1000  # so that nothing counts as still being written


def iso(number: float) -> str:
    """A time as these tools write it: some seconds after T0."""
    from datetime import UTC, datetime

    return datetime.fromtimestamp(T0 + number, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class ClaudeTranscript:
    """A conversation that grows; every method writes one record."""

    def __init__(
        self,
        root: Path,
        session: str | None = None,
        *,
        folder: str = "-home-u-demo",
        agent: str = "",
        cwd: str = "/home/u/demo",
    ) -> None:
        self.session = session or str(uuid.uuid4())
        base = root / "projects" / folder
        self.path = (
            base / self.session / "subagents" / f"agent-{agent}.jsonl" if agent else base / f"{self.session}.jsonl"
        )
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._agent = agent
        self._cwd = cwd
        self._parent: str | None = None
        self._number = 0
        self.records: list[dict[str, Any]] = []

    def record(self, **fields: Any) -> dict[str, Any]:
        """Append any record."""
        line = json.dumps(fields, ensure_ascii=False) + "\n"
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(line)
        os.utime(self.path, (LONG_AGO + self._number, LONG_AGO + self._number))
        self.records.append(fields)
        return fields

    def turn(self, kind: str, message: dict[str, Any], **more: Any) -> dict[str, Any]:
        """Append a record of the conversation."""
        self._number += 1
        fields: dict[str, Any] = {
            "parentUuid": self._parent,
            "isSidechain": bool(self._agent),
            "type": kind,
            "message": message,
            "uuid": str(uuid.uuid4()),
            "timestamp": iso(self._number),
            "cwd": self._cwd,
            "gitBranch": "main",
            "sessionId": self.session,
            "version": "2.1.197",
        }
        if self._agent:
            fields["agentId"] = self._agent
        self._parent = str(more.get("uuid", fields["uuid"]))
        return self.record(**(fields | more))

    def user(self, text: str, **more: Any) -> dict[str, Any]:
        """A prompt."""
        return self.turn("user", {"role": "user", "content": text}, **more)

    def assistant(self, *blocks: dict[str, Any] | str, id_: str | None = None, **more: Any) -> dict[str, Any]:
        """An answer; a text stands for a text block."""
        content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
        message = {
            "id": id_ or f"msg_{uuid.uuid4().hex}",
            "role": "assistant",
            "model": "claude-sonnet-4-5-20250929",
            "content": content,
            "usage": USAGE,
        }
        return self.turn("assistant", message | more.pop("message", {}), **more)

    def call(self, name: str = "Bash", call: str | None = None, id_: str | None = None, **given: Any) -> str:
        """A tool call; the id of the call."""
        call = call or f"toolu_{uuid.uuid4().hex}"
        self.assistant({"type": "tool_use", "id": call, "name": name, "input": given}, id_=id_)
        return call

    def result(self, call: str, output: Any, *, error: bool = False, **more: Any) -> dict[str, Any]:
        """A tool result."""
        block = {"type": "tool_result", "tool_use_id": call, "content": output, "is_error": error}
        return self.turn("user", {"role": "user", "content": [block]}, **more)

    def talk(self, turns: int) -> ClaudeTranscript:
        """A whole conversation: a prompt, then answers with calls and results."""
        self.user(f"please do {turns} things")
        for number in range(turns):
            id_ = f"msg_{self.session}_{number}"
            self.assistant(f"step {number}", id_=id_)
            call = self.call(command=f"ls {number}", id_=id_)
            self.result(call, f"file {number}")
        self.assistant("All done.")
        return self

    def fork(self, root: Path, upto: int | None = None) -> ClaudeTranscript:
        """Another conversation that begins with a copy of this one's records, as `--fork-session` writes it."""
        child = ClaudeTranscript(root)
        child.record(type="mode", mode="normal", sessionId=child.session)
        for record in [record for record in self.records if "uuid" in record][:upto]:
            child.record(**(record | {"sessionId": child.session}))
            child._parent, child._number = record["uuid"], self._number
        return child


class CodexTranscript:
    """A rollout that grows."""

    def __init__(
        self, root: Path, thread: str | None = None, *, number: int = 0, ordinals: bool = True, **meta: Any
    ) -> None:
        self.thread = thread or str(uuid.uuid4())
        day = root / "sessions" / "2026" / "09" / "22"
        day.mkdir(parents=True, exist_ok=True)
        self.path = day / f"rollout-2026-09-22T10-00-{number:02}-{self.thread}.jsonl"
        self._number = self.ordinal = 0
        self._ordinals = ordinals
        self.lines: list[dict[str, Any]] = []
        self.write("session_meta", {"id": self.thread, "cwd": "/home/u/demo", "originator": "codex_exec", **meta})

    def write(self, kind: str, payload: dict[str, Any], **more: Any) -> None:
        """Append a record."""
        self._number += 1
        record = {"timestamp": iso(self._number), "type": kind, "payload": payload, **more}
        if self._ordinals:
            record["ordinal"] = self.ordinal
            self.ordinal += 1
        self.lines.append(record)
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        os.utime(self.path, (LONG_AGO + self._number, LONG_AGO + self._number))

    def begin(self, model: str = "gpt-5-codex", effort: str | None = "high") -> CodexTranscript:
        """A turn with its model."""
        self.write(
            "turn_context", {"turn_id": f"t{self._number}", "model": model, "effort": effort, "cwd": "/home/u/demo"}
        )
        return self

    def item(self, kind: str, **payload: Any) -> None:
        """An item of the conversation."""
        self.write("response_item", {"type": kind, **payload})

    def user(self, text: str, **more: Any) -> None:
        """A prompt."""
        self.item("message", role="user", content=[{"type": "input_text", "text": text}], **more)

    def assistant(self, text: str) -> None:
        """An answer."""
        self.item("message", role="assistant", content=[{"type": "output_text", "text": text}])

    def call(self, call: str, output: str, **given: Any) -> None:
        """A call with its result."""
        self.item("function_call", name="exec_command", call_id=call, arguments=json.dumps(given))
        self.item("function_call_output", call_id=call, output=output)

    def event(self, kind: str, **payload: Any) -> None:
        """An event."""
        self.write("event_msg", {"type": kind, **payload})

    def tokens(self, total: int, cached: int = 0, output: int = 0, last: int = 0) -> None:
        """Running sums, as every version reports them."""
        sums = {"input_tokens": total, "cached_input_tokens": cached, "output_tokens": output}
        self.event("token_count", info={"total_token_usage": sums, "last_token_usage": {"input_tokens": last}})


def mirror(db: Database, root: Path, tool: TranscriptTool = CLAUDE) -> Report:
    """One run over a folder."""
    report = Report()
    Mirror(db, tool, os.path.realpath(root)).run(report)
    return report


def codex(db: Database, root: Path) -> Report:
    """One run over a folder of Codex."""
    return mirror(db, root, CODEX)


def main_branch(db: Database, session: str, tool: TranscriptTool = CLAUDE) -> list[Any]:
    """The messages of a session's main branch as (class, text)."""

    def read(conn: Connection) -> list[Any]:
        branch = tool.branch_id(session, "")
        return [(type(entry.message).__name__, entry.message.text) for entry in history(conn, branch) if entry.message]

    return db.read(read)


def branch_names(db: Database, session: str, tool: TranscriptTool = CLAUDE) -> list[str | None]:
    """The names of a session's branches, oldest first."""
    return db.read(lambda conn: [branch.name for branch in list_branches(conn, tool.session_id(session))])


_EVERYTHING = (
    "SELECT * FROM messages ORDER BY id",
    "SELECT s.* FROM sessions s ORDER BY id",
    "SELECT b.* FROM branches b ORDER BY id",
    "SELECT * FROM progression_items ORDER BY prog, ord",
    "SELECT path, session_id, size, read_to, seal, state, messages, skipped FROM mirror_files ORDER BY path",
)


def all_rows(db: Database) -> list[list[tuple[Any, ...]]]:
    """Every row that a mirror writes, but for when it was written."""
    return db.read(lambda conn: [conn.all(sql) for sql in _EVERYTHING])


def texts(db: Database) -> Iterator[str]:
    """The contents of all messages."""
    return iter(db.read(lambda conn: [row[0] for row in conn.all("SELECT content FROM messages ORDER BY id")]))
