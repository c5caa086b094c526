"""The registry of transcript tools: every entry is complete, documented and accepted by the database."""

from __future__ import annotations

from pathlib import Path

import pytest

from lionstudio.cli.registry import COMMANDS
from lionstudio.imports.transcripts.tools import TOOLS, discover
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.model.transcript_tools import TRANSCRIPT_TOOLS
from lionstudio.state.database import Database
from lionstudio.state.imports.transcript_files import SOURCES, TranscriptFile, find_file, save_file
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
