"""Dialogs: a message that one agent of a run did not take is for the next one."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lionstudio.agents.dialog import SentMessage
from lionstudio.model.sessions import Session
from lionstudio.runs.talk.dialogs import Dialogs
from lionstudio.runs.talk.send import send_to_session
from lionstudio.state.database import Database
from lionstudio.state.sessions import create_session


def test_dialogs_give_untaken_message_to_next_agent(tmp_path: Path) -> None:
    session = Session(provider="script")

    async def run(database: Database) -> list[SentMessage]:
        dialogs = Dialogs(database, session.id, print)
        received = []
        async with asyncio.timeout(20):
            for branch in ("first", "second"):
                message = await dialogs.open(branch).receive()
                assert isinstance(message, SentMessage)
                received.append(message)
                dialogs.close(branch)
            await dialogs.stop()
        return received

    with Database(str(tmp_path / "state.db")) as database:
        database.write(lambda conn: create_session(conn, session))
        sent = database.write(lambda conn: send_to_session(conn, session.id, "hello", sender="me"))
        received = asyncio.run(run(database))

    assert [message.message.id for message in received] == [sent.id, sent.id]
