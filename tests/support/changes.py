"""Runs that changed files, as real transcripts and as a recorded ACP agent."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from tests.support.seed import begin, say
from tests.support.transcripts import CLAUDE, CODEX, ClaudeTranscript, CodexTranscript, mirror

from lionstudio.settings import Settings
from lionstudio.state.branches import fork_branch
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.sessions import finish_session

_CWD = "/home/u/demo"


def edited_home(settings: Settings, folder: Path) -> None:
    """Runs of Claude Code ("Add rate limits"), Codex ("Rename the parser") and ACP ("Greet in two languages")."""
    with Database(settings.db) as db:
        claude_edits(folder / "claude")
        mirror(db, folder / "claude", CLAUDE)
        codex_patches(folder / "codex")
        mirror(db, folder / "codex", CODEX)
        db.write(acp_diffs)


def claude_edits(root: Path) -> ClaudeTranscript:
    """An edit, a new file of 100 lines, several edits at once, and one that was refused."""
    talk = ClaudeTranscript(root)
    talk.user("Add rate limits")
    talk.assistant({"type": "thinking", "thinking": "The limit is a constant."}, "I make the limit a parameter.")
    path = f"{_CWD}/src/limits.py"
    edit = talk.call(
        "Edit", file_path=path, old_string="    return n < 10", new_string="    # inclusive\n    return n < limit"
    )
    lines = [
        " def allow(n, limit):",
        "-    return n < 10",
        "+    # inclusive",
        "+    return n < limit",
        " ",
        " LIMITS = {}",
    ]
    patch = [{"oldStart": 41, "oldLines": 4, "newStart": 41, "newLines": 5, "lines": lines}]
    done = {"filePath": path, "structuredPatch": patch, "userModified": False}
    talk.result(edit, f"The file {path} has been updated. Here's the result of running `cat -n`:", toolUseResult=done)
    tests = f"{_CWD}/tests/test_limits.py"
    content = "".join(f"def test_step_{number}():\n" for number in range(100))
    write = talk.call("Write", file_path=tests, content=content)
    created: dict[str, Any] = {
        "type": "create",
        "filePath": tests,
        "content": content,
        "structuredPatch": [],
        "originalFile": None,
    }
    talk.result(write, f"File created successfully at: {tests}", toolUseResult=created)
    edits = [
        {"old_string": "limit: 10", "new_string": "limit: 20"},
        {"old_string": "burst: 1", "new_string": "burst: 5"},
    ]
    multi = talk.call("MultiEdit", file_path=f"{_CWD}/config.yaml", edits=edits)
    talk.result(multi, "Applied 2 edits")
    refused = talk.call("Edit", file_path=f"{_CWD}/secrets.py", old_string="a", new_string="b")
    talk.result(refused, "The user doesn't want to proceed with this tool use.", error=True)
    talk.assistant("Done.\n\n```python\nallow(3, limit=20)\n```")
    return talk


def codex_patches(root: Path) -> CodexTranscript:
    """A patch as a call of its own, and one in a shell."""
    talk = CodexTranscript(root).begin()
    talk.user("Rename the parser")
    patch = (
        "*** Begin Patch\n*** Update File: parser.py\n*** Move to: lexer.py\n@@ import re\n-def parse(text):\n"
        "+def lex(text):\n     return text.split()\n*** Delete File: old.py\n*** End Patch"
    )
    talk.item("custom_tool_call", name="apply_patch", call_id="c1", input=patch)
    output = '{"output":"Success. Updated the following files:\\nM lexer.py\\n","metadata":{"exit_code":0}}'
    talk.item("custom_tool_call_output", call_id="c1", output=output)
    shell = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: notes.md\n+# Notes\n*** End Patch\nEOF"
    talk.call("c2", "Process exited with code 0\nOutput:\nSuccess.", cmd=shell)
    talk.assistant("Renamed.")
    return talk


def acp_diffs(conn: Connection) -> None:
    """A run of an ACP agent whose results have diffs, a fork of it, and another one to compare with."""
    at = time.time() - 3600
    fields: dict[str, Any] = {"agent_name": "gemini", "provider": "acp", "cwd": _CWD, "model": "gemini-2.5-pro"}
    branch = begin(conn, "run-acp", at, name="Greet in two languages", **fields)
    append(conn, branch, say({"instruction": "Greet in two languages"}, at))
    diff = {"path": f"{_CWD}/hello.txt", "old": "Hello\n", "new": "Hello\nHallo\n"}
    _acp_call(conn, branch, "edit-1", diff, at + 2)
    fork = fork_branch(conn, branch, 2, name="try French")
    _acp_call(conn, fork.id, "edit-2", {"path": f"{_CWD}/salut.txt", "old": None, "new": "Salut\n"}, at + 9)
    finish_session(conn, "run-acp", "completed", exit_code=0, at=at + 60)
    branch = begin(conn, "run-other", at + 100, name="Greet otherwise", **fields)
    append(conn, branch, say({"instruction": "Greet otherwise"}, at + 100))
    _acp_call(conn, branch, "edit-3", {"path": f"{_CWD}/other.txt", "old": None, "new": "1\n2\n3\n"}, at + 102)
    finish_session(conn, "run-other", "completed", exit_code=0, at=at + 160)


def _acp_call(conn: Connection, branch: str, id_: str, diff: dict[str, Any], at: float) -> None:
    function = {"function": "write_file", "arguments": {"title": "Writing", "paths": [diff["path"]]}}
    append(conn, branch, say(function, at, id=id_, metadata={"kind": "edit", "call_id": id_}))
    result = {"function": "write_file", "output": "", "diffs": [diff], "action_request_id": id_}
    append(conn, branch, say(result, at + 1, id=f"{id_}-result", metadata={"call_id": id_}))
