"""The registry of transcript tools: every entry is complete, documented and accepted by the database."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.support.transcripts import ClaudeTranscript, CodexTranscript

from lionstudio.cli.registry import COMMANDS
from lionstudio.imports.transcripts.tools import TOOLS, discover
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.model.transcript_tools import TRANSCRIPT_TOOLS
from lionstudio.state.database import Database
from lionstudio.state.imports.transcript_files import TranscriptFile, find_file, save_file
from lionstudio.state.imports.transcript_stamps import SOURCES
from lionstudio.state.sessions import create_session, get_session

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize("name", TRANSCRIPT_TOOLS)
def test_tools_entry_is_complete(name: str, db: Database, tmp_path: Path) -> None:
    tool, source = TOOLS[name], SOURCES[name]
    assert (tool.name, source) == (name, f"imported_{name}")
    assert f"mirror {name}" in COMMANDS
    assert tool.title in (DOCS / f"how-to/import-{name}.md").read_text(encoding="utf-8")
    assert discover(tool, tool.root({tool.home_variable: str(tmp_path)})).files == []

    session = Session(id="s", source_kind=source, status=SessionStatus.COMPLETED)
    file = TranscriptFile("/t.jsonl", name, "s", 1, 2, 3, 2, "checksum", {}, 0, {}, 1.0)
    db.write(lambda conn: create_session(conn, session))
    assert db.write(lambda conn: save_file(conn, file, ""))

    assert db.read(lambda conn: get_session(conn, "s")).source_kind is source
    assert db.read(lambda conn: find_file(conn, "/t.jsonl")) == file


def test_root_follows_the_environment_of_the_program(tmp_path: Path) -> None:
    home = os.path.realpath(tmp_path)
    assert TOOLS["claude"].root({"HOME": home}) == os.path.join(home, ".claude")
    assert TOOLS["codex"].root({"HOME": "/elsewhere", "CODEX_HOME": home}) == home


def test_conversation_paths_include_subagents(tmp_path: Path) -> None:
    talk = ClaudeTranscript(tmp_path)
    sub = ClaudeTranscript(tmp_path, talk.session, agent="a1")
    for one in (talk, sub, ClaudeTranscript(tmp_path)):
        one.user("x")
    assert TOOLS["claude"].conversation_paths(str(tmp_path), talk.session, 0) == [str(talk.path), str(sub.path)]

    parent = CodexTranscript(tmp_path)
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": parent.thread}}}
    child = CodexTranscript(tmp_path, number=1, source=spawn)
    nested = {"subagent": {"thread_spawn": {"parent_thread_id": child.thread}}}
    grandchild = CodexTranscript(tmp_path, number=2, source=nested)
    CodexTranscript(tmp_path, number=3)
    paths = [str(rollout.path) for rollout in (parent, child, grandchild)]
    assert TOOLS["codex"].conversation_paths(str(tmp_path), parent.thread, 0) == paths
