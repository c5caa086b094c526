"""Facts that a run learns about its agent."""

from __future__ import annotations

import pytest
from tests.support.builders import begin, read, write

from lionstudio.state.database import Database
from lionstudio.state.sessions import add_metadata, get_session


@pytest.mark.parametrize(("before", "after"), [(None, "gemini-cli"), ("acp", "gemini-cli"), ("reviewer", "reviewer")])
def test_agent_without_a_name_gets_its_own(db: Database, before: str | None, after: str) -> None:
    begin(db, provider="acp", agent_name=before)
    write(db, add_metadata, "s", {"agent_name": "gemini-cli", "model": "flash", "version": "0.61.0"})

    session = read(db, get_session, "s")
    assert (session.agent_name, session.model, session.metadata["version"]) == (after, "flash", "0.61.0")
    assert "agent_name" not in session.metadata
