"""Builders of older data: run folders of all generations, show folders, databases of other tools."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import apsw
from tests.support.records import dump

from lionstudio.state.backends import is_server
from lionstudio.state.database import Database

TAGS = "lionagi.protocols.messages."
BEGAN = 1_790_000_000.0
CONFIG = {"provider": "claude", "api_key": "sk-secret", "kwargs": {"model": "sonnet"}}
DEEP = "[" * 100_000 + "]" * 100_000


def named(text: str) -> str:
    """A UUID that is the same in every run of the tests."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, text))


def message(
    id_: str, content: dict[str, Any], tag: str, role: str, at: float = BEGAN, **metadata: Any
) -> dict[str, Any]:
    """One message as a snapshot has it."""
    return {
        "id": id_,
        "created_at": at,
        "metadata": {"lion_class": TAGS + tag, **metadata},
        "content": content,
        "embedding": None,
        "sender": "user",
        "recipient": None,
        "channel": None,
        "role": role,
    }


def conversation(prefix: str, rounds: int = 1) -> list[dict[str, Any]]:
    """System prompt, then a question, a tool call, its result and an answer with usage, repeated."""
    messages = [message(f"{prefix}.s", {"system_message": "Be brief."}, "system.System", "system")]
    for n in range(rounds):
        at = BEGAN + n * 10
        call = {"function": "Bash", "arguments": {"command": "echo hi"}, "action_response_id": f"{prefix}.{n}.c"}
        result = {"function": "Bash", "arguments": {}, "output": "hi", "action_request_id": f"{prefix}.{n}.b"}
        usage = {"usage": {"input_tokens": 30, "output_tokens": 14}, "total_cost_usd": 0.0123, "num_turns": 2}
        messages += [
            message(f"{prefix}.{n}.a", {"instruction": f"question {n}"}, "instruction.Instruction", "user", at + 1),
            message(f"{prefix}.{n}.b", call, "action_request.ActionRequest", "action", at + 2),
            message(f"{prefix}.{n}.c", result, "action_response.ActionResponse", "action", at + 3),
            message(
                f"{prefix}.{n}.d",
                {"assistant_response": "42"},
                "assistant_response.AssistantResponse",
                "assistant",
                at + 4,
                model_response=usage,
            ),
        ]
    return messages


def snapshot(branch_id: str, messages: Sequence[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """A branch snapshot: messages in any order, their order in the progression."""
    return {
        "id": branch_id,
        "created_at": BEGAN,
        "user": "ocean",
        "name": None,
        "metadata": {"lion_class": "lionagi.session.branch.Branch"},
        "messages": {
            "id": named(branch_id + " pile"),
            "collections": list(reversed(messages)),
            "progression": {"id": named(branch_id + " order"), "order": [each["id"] for each in messages]},
        },
        "chat_model": {"endpoint": {"config": CONFIG}},
        **more,
    }


def write_run(home: Path, run_id: str, manifest: dict[str, Any] | None, *branches: dict[str, Any]) -> Path:
    """A run folder."""
    folder = home / "runs" / run_id
    (folder / "branches").mkdir(parents=True)
    if manifest is not None:
        (folder / "run.json").write_text(json.dumps(manifest))
    for branch in branches:
        (folder / "branches" / f"{branch['id']}.json").write_text(json.dumps(branch))
    return folder


def legacy_agent(run_id: str, branch_id: str) -> dict[str, Any]:
    """The oldest manifest: written once at the end, without status and times."""
    return {
        "run_id": run_id,
        "state_root": f"/h/runs/{run_id}",
        "artifact_root": f"/h/runs/{run_id}/artifacts",
        "kind": "agent",
        "model": "sonnet",
        "provider": "claude_code",
        "prompt": "Explain X",
        "branches": [{"id": branch_id, "provider": "claude_code", "model": "sonnet"}],
    }


def legacy_flow(run_id: str, *branch_ids: str) -> dict[str, Any]:
    """The manifest of an orchestration of that time, with keys of its pattern."""
    return {
        "run_id": run_id,
        "kind": "flow",
        "prompt": "Do it",
        "model_spec": "claude/sonnet",
        "orchestrator_branch_id": branch_ids[0],
        "branches": [{"id": id_, "provider": "claude", "name": f"worker {n}"} for n, id_ in enumerate(branch_ids)],
        "agents": [{"id": "a1", "name": "w", "model": "sonnet", "control": False}],
        "rounds": 3,
    }


def current(run_id: str, branch_id: str, status: str = "completed", **more: Any) -> dict[str, Any]:
    """The newest manifest: rewritten while the run goes on."""
    return {
        "run_id": run_id,
        "artifact_root": f"/h/runs/{run_id}/artifacts",
        "branch_id": branch_id,
        "agent_name": None,
        "provider": "claude",
        "model": "claude/sonnet",
        "status": status,
        "started_at": BEGAN,
        "ended_at": BEGAN + 9,
        "signal_persist_dropped": 0,
        "cwd": "/h/work",
        "mcp_config_reason": "no_mcp_config_found",
        **more,
    }


def write_home(home: Path, runs: int = 3, rounds: int = 2) -> list[str]:
    """A home with runs of every generation and two bare snapshots; the ids of its runs."""
    names = []
    for n in range(runs):
        run_id = f"202605{n % 28 + 1:02d}T101500-{n:06x}"
        one, two = named(f"{run_id} one"), named(f"{run_id} two")
        branches = [snapshot(one, conversation(f"{run_id}.one", rounds))]
        manifest = legacy_agent(run_id, one)
        if n % 3 == 1:
            branches.append(snapshot(two, conversation(f"{run_id}.two", rounds)))
            manifest = legacy_flow(run_id, one, two)
        elif n % 3 == 2:
            manifest = current(run_id, one)
        write_run(home, run_id, manifest, *branches)
        names.append(run_id)
    folder = home / "logs" / "agents" / "codex"
    folder.mkdir(parents=True)
    for n in range(2):
        id_ = named(f"snapshot {n}")
        (folder / id_).write_text(json.dumps(snapshot(id_, conversation(f"snapshot{n}", rounds))))
    return names


def plant_bad_runs(home: Path) -> dict[str, str]:
    """One run of every bad kind beside the good ones; its name, and a word that its reason must have."""
    runs = home / "runs"

    def manifest(name: str) -> Path:
        (runs / name).mkdir(parents=True)
        return runs / name / "run.json"

    manifest("bad-utf8").write_bytes(b'{"run_id": "\xff\xfe"}')
    manifest("bad-json").write_text('{"run_id": ')
    manifest("bad-deep").write_text(DEEP)
    manifest("bad-twice").write_text('{"run_id": "a", "status": "failed", "status": "completed"}')
    manifest("bad-array").write_text("[1, 2]")
    manifest("bad-empty").touch()
    manifest("bad-folder").mkdir()
    os.mkfifo(manifest("bad-pipe"))
    manifest("bad-loop").symlink_to("run.json")
    manifest("bad-outside").symlink_to("/etc/hostname")
    with manifest("bad-huge").open("wb") as file:
        file.truncate(5_000_000_000)
    (runs / "bad-nothing").mkdir()
    return {
        "bad-utf8": "UTF-8",
        "bad-json": "JSON",
        "bad-deep": "deep",
        "bad-twice": "twice",
        "bad-array": "object",
        "bad-empty": "JSON",
        "bad-folder": "folder",
        "bad-pipe": "pipe",
        "bad-loop": "run.json",
        "bad-outside": "out of",
        "bad-huge": "larger",
        "bad-nothing": "neither",
    }


# ── Databases of another lineage ─────────────────────────────────────────

FOREIGN_SCHEMA = """
CREATE TABLE schema_meta (key TEXT PRIMARY KEY, value TEXT);
INSERT INTO schema_meta VALUES ('version', '4'), ('lineage', 'lionagi');
CREATE TABLE message_types (type_id INTEGER PRIMARY KEY, lion_class TEXT NOT NULL UNIQUE);
INSERT INTO message_types VALUES (0, '__unknown__'), (1, 'lionagi.protocols.messages.system.System'),
  (2, 'lionagi.protocols.messages.instruction.Instruction'),
  (3, 'lionagi.protocols.messages.assistant_response.AssistantResponse'),
  (4, 'lionagi.protocols.messages.action_request.ActionRequest'),
  (5, 'lionagi.protocols.messages.action_response.ActionResponse'), (9, 'other.tool.Note');
CREATE TABLE messages (id TEXT PRIMARY KEY, created_at REAL, node_metadata JSON, content JSON, embedding BLOB,
  sender TEXT, recipient TEXT, channel TEXT, role TEXT, lion_class INTEGER);
CREATE TABLE progressions (id TEXT PRIMARY KEY, created_at REAL, collection TEXT);
CREATE TABLE sessions (id TEXT PRIMARY KEY, created_at REAL, node_metadata JSON, name TEXT, user TEXT,
  progression_id TEXT, first_msg_id TEXT, last_msg_id TEXT, updated_at REAL, agent_name TEXT, invocation_kind TEXT,
  source_kind TEXT, status TEXT, started_at REAL, ended_at REAL, run_id TEXT, artifact_contract_json JSON,
  cc_session_id TEXT);
CREATE TABLE branches (id TEXT PRIMARY KEY, created_at REAL, node_metadata JSON, user TEXT, name TEXT, session_id TEXT,
  progression_id TEXT, system_msg_id TEXT, model TEXT, provider TEXT, agent_name TEXT, status TEXT);
CREATE TABLE shows (id TEXT PRIMARY KEY, topic TEXT, goal TEXT, status TEXT, show_dir TEXT, created_at REAL,
  updated_at REAL, health TEXT);
CREATE TABLE plays (id TEXT PRIMARY KEY, show_id TEXT, name TEXT, status TEXT, session_id TEXT, depends_on JSON,
  gate_passed INTEGER, created_at REAL, updated_at REAL);
CREATE TABLE teams (id TEXT PRIMARY KEY, name TEXT, members JSON, created_at REAL, updated_at REAL);
CREATE TABLE team_messages (id TEXT PRIMARY KEY, team_id TEXT, created_at REAL, sender TEXT, recipient TEXT,
  content TEXT, read_by JSON, session_id TEXT, kind TEXT);
CREATE TABLE definitions (id TEXT PRIMARY KEY, kind TEXT, name TEXT, version INTEGER, content TEXT, created_at REAL);
CREATE TABLE invocations (id TEXT PRIMARY KEY);
"""
_TYPES = {
    "system.System": 1,
    "instruction.Instruction": 2,
    "assistant_response.AssistantResponse": 3,
    "action_request.ActionRequest": 4,
    "action_response.ActionResponse": 5,
}


class ExternalDbBuilder:
    """A database of another lineage that is filled step by step."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.conn = apsw.Connection(str(path))
        self.conn.execute("PRAGMA journal_mode = WAL").fetchall()
        self.conn.execute("PRAGMA synchronous = OFF")  # a test has no power cuts
        self.conn.execute(FOREIGN_SCHEMA)

    def add(self, table: str, **columns: Any) -> None:
        """One row."""
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        self.conn.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(columns.values()))  # noqa: S608

    def messages(self, items: Iterable[dict[str, Any]]) -> list[str]:
        """Insert messages in the format of another tool; returns their ids."""
        rows = [
            (
                item["id"],
                item["created_at"],
                json.dumps(item["metadata"]),
                json.dumps(item["content"]),
                item["role"],
                _TYPES[item["metadata"]["lion_class"].removeprefix(TAGS)],
            )
            for item in items
        ]
        self.conn.executemany(
            "INSERT INTO messages (id, created_at, node_metadata, content, role, lion_class) VALUES (?, ?, ?, ?, ?, ?)",
            rows,
        )
        return [row[0] for row in rows]

    def session(self, name: str, rows: Sequence[dict[str, Any]], **columns: Any) -> str:
        """A session with one branch."""
        with self.conn:
            ids = self.messages(rows)
            for owner in ("s", "b"):
                self.add("progressions", id=f"{name}.{owner}", created_at=BEGAN, collection=json.dumps(ids))
            row = {
                "id": name,
                "created_at": BEGAN,
                "updated_at": BEGAN + 9,
                "progression_id": f"{name}.s",
                "status": "completed",
                "source_kind": "live",
                "artifact_contract_json": "null",
            }
            self.add("sessions", **(row | columns))
            self.add(
                "branches",
                id=f"{name}.main",
                created_at=BEGAN,
                session_id=name,
                progression_id=f"{name}.b",
                model="sonnet",
                provider="claude",
            )
        return name

    def close(self) -> None:
        """Close and leave one file, as a tool that exits does."""
        self.conn.close()


def write_external_db(path: Path, sessions: int = 4, rounds: int = 2) -> None:
    """A database of another lineage with something in every table."""
    made = ExternalDbBuilder(path)
    for n in range(sessions):
        made.session(f"session {n}", conversation(f"{n}", rounds), created_at=BEGAN + n, run_id=f"run {n}")
    made.add(
        "shows",
        id="show",
        topic="t",
        goal="ship",
        status="active",
        show_dir="/w/t",
        created_at=BEGAN,
        updated_at=BEGAN,
        health="ok",
    )
    made.add(
        "plays",
        id="play",
        show_id="show",
        name="api",
        status="merged",
        session_id="session 0",
        depends_on="[]",
        gate_passed=1,
        created_at=BEGAN,
        updated_at=BEGAN,
    )
    made.add("teams", id="71608b8026e1", name="review", members='["a", "b"]', created_at=BEGAN, updated_at=BEGAN)
    for n in range(3):
        made.add(
            "team_messages",
            id=f"tm{n}",
            team_id="71608b8026e1",
            created_at=BEGAN + n,
            sender="a",
            recipient="b",
            content=f"hello {n}",
            read_by='["b"]',
            session_id="session 1",
            kind="done",
        )
    made.add("definitions", id="d1", kind="agent", name="coder", version=1, content="# hi", created_at=BEGAN)
    made.close()


# ── Comparing ────────────────────────────────────────────────────────────

# the moment and the process of the import; everything else is compared as it is
_OF_THE_IMPORT = {"changes": {"at"}, "schema_meta": {"created_at"}, "status_transitions": {"at", "actor"}}


def rows_of(path: str | Path) -> dict[str, list[Any]]:
    """Every row of every table of a database, without the search index and the times of the feed."""
    if is_server(str(path)):
        tables_of_server = dump(path)
        for rows in tables_of_server.values():
            for row in rows:
                row.pop("at", None)
        return tables_of_server
    conn = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        tables = [
            name
            for (name,) in conn.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%\\_fts%' ESCAPE '\\'"
                " AND name <> 'search_state' ORDER BY name"
            )
        ]
        rows_by_table = {}
        for table in tables:
            cursor = conn.execute(f'SELECT * FROM "{table}"')  # noqa: S608
            rows = []
            for row in cursor:
                names = [column[0] for column in cursor.get_description()]
                rows.append({n: v for n, v in zip(names, row, strict=True) if n not in _OF_THE_IMPORT.get(table, ())})
            rows_by_table[table] = sorted(rows, key=repr)
        return rows_by_table
    finally:
        conn.close()


class AssertUnchanged:
    """Asserts that a block writes nothing: rows changed by the connection, and bytes of the log."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def __enter__(self) -> None:
        self.before = self._measure()

    def __exit__(self, *_: object) -> None:
        assert self._measure() == self.before, "something was written"

    def _measure(self) -> object:
        if is_server(self.db.path):
            return dump(self.db.path)
        log = f"{self.db.path}-wal"
        return (
            self.db.conn.raw.total_changes(),
            os.stat(log).st_size if os.path.exists(log) else 0,
            os.stat(self.db.path).st_mtime_ns,
        )
