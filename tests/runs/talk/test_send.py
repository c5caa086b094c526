"""A message is accepted only for a run that can take it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lionstudio.agents.dialog import TAKES_MESSAGES, Delivery, deliveries_of
from lionstudio.cli.talk._talk import help_of
from lionstudio.errors import InvalidInput
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import SourceKind
from lionstudio.runs.talk.send import send_to_session
from lionstudio.state.database import Database
from lionstudio.state.sessions import create_session


def test_send_to_session_refuses_reviewer(tmp_path: Path) -> None:
    reviewer = Session(provider="claude", metadata={TAKES_MESSAGES: False})
    with Database(str(tmp_path / "state.db")) as database:
        database.write(lambda conn: create_session(conn, reviewer))
        with pytest.raises(InvalidInput, match="takes no messages"):
            database.write(lambda conn: send_to_session(conn, reviewer.id, "approve it", sender="me"))


def test_deliveries_of_claude() -> None:
    assert deliveries_of(Session(provider="claude")) == (Delivery.NOW, Delivery.NEXT, Delivery.INSTEAD)


def test_deliveries_of_other_programs() -> None:
    assert deliveries_of(Session(provider="acp")) == (Delivery.NEXT, Delivery.INSTEAD)
    assert deliveries_of(Session(provider="command")) == ()
    assert deliveries_of(Session(provider="claude", source_kind=SourceKind("imported_claude"))) == ()


def test_help_of_attach_offers_only_what_the_agent_takes() -> None:
    assert help_of(Session(provider="acp")).startswith("/next TEXT or /instead TEXT sends a message;")
    assert help_of(Session(provider="codex", metadata={TAKES_MESSAGES: False})).startswith("this run takes no messages")
