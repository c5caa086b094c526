"""Run `li agent` with scripted agents as processes, and read the stored messages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from lionstudio.state.branches import branch_entries, list_branches
from lionstudio.state.database import reading
from lionstudio.state.runs.run_list import list_sessions
from lionstudio.state.sessions import from_row

LI = str(Path(sys.executable).parent / "li")


def environment(home: Path, **more: str) -> dict[str, str]:
    """The environment of a command with a home of its own."""
    return {**os.environ, "LIONAGI_HOME": str(home), "NO_COLOR": "1", **more}


def li(
    home: Path, *words: str, stdin: str | None = None, timeout: float = 60, **more: str
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        [LI, *words],
        env=environment(home, **more),
        cwd=home,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def start(home: Path, *words: str, **more: str) -> subprocess.Popen[str]:
    """Start a command; the test ends it."""
    return subprocess.Popen(
        [LI, *words],
        env=environment(home, **more),
        cwd=home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def sessions(home: Path) -> list[dict[str, Any]]:
    """Every session, newest first."""
    with reading(str(home / "state.db")) as conn:
        return list_sessions(conn, limit=1000).rows


def session(home: Path) -> dict[str, Any]:
    """The only session."""
    rows = sessions(home)
    assert len(rows) == 1, [row["id"] for row in rows]
    with reading(str(home / "state.db")) as conn:
        row = conn.first_dict("SELECT * FROM sessions")
    assert row is not None
    return from_row(row).to_dict("json")


def contents(home: Path, session_id: str | None = None) -> dict[str, list[Any]]:
    """The stored messages of each branch, by name."""
    wanted = session_id or session(home)["id"]
    with reading(str(home / "state.db")) as conn:
        return {
            branch.name or branch.id: [
                entry.message.content for entry in branch_entries(conn, branch.id) if entry.message is not None
            ]
            for branch in list_branches(conn, wanted)
        }


def json_lines(text: str) -> list[dict[str, Any]]:
    """The records of a command that prints JSON lines."""
    return [json.loads(line) for line in text.splitlines()]
