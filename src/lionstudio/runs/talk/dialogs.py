"""Bring answers and messages to the agents of a running session, as soon as they are committed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from lionstudio.agents.dialog import Delivery, Dialog, Said, SentMessage
from lionstudio.errors import Busy, LionError, StorageFailed
from lionstudio.model.coerce import to_enum
from lionstudio.model.messages import Message
from lionstudio.model.questions import AnsweredQuestion
from lionstudio.state.backends import open_tail
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.exchange.mailboxes import list_left, list_untaken
from lionstudio.state.exchange.questions import list_answered, take_answer

_RETRY_SECONDS = 2.0


class Dialogs:
    """The dialogs of a session, one for each agent that runs; a message to the session goes to the first."""

    def __init__(self, database: Database, session_id: str, warn: Callable[[str], None]) -> None:
        self._database = database
        self._session_id = session_id
        self._warn = warn
        self._open: dict[str, Dialog] = {}  # by branch
        self._delivered: dict[str, str] = {}  # ids of answers and messages, each with the branch that has it
        self._listener: asyncio.Task[None] | None = None

    def open(self, branch_id: str) -> Dialog:
        """The dialog of an agent that starts; the first one starts the listener."""
        dialog = self._open[branch_id] = Dialog(self._take)
        if self._listener is None:
            self._listener = asyncio.get_running_loop().create_task(self._listen())
        else:
            with suppress(LionError):  # the listener tries again
                self._deliver()  # what came while no agent ran
        return dialog

    def close(self, branch_id: str) -> None:
        """The agent has ended; what it did not take stays in the inbox, for the next agent of the run."""
        self._open.pop(branch_id, None)
        self._delivered = {id_: branch for id_, branch in self._delivered.items() if branch != branch_id}

    async def _take(self, question_id: str) -> bool:
        """Commit that an answer is taken; while the database is unavailable, the agent waits."""
        while True:
            try:
                return await self._database.submit(lambda conn: take_answer(conn, question_id, self._session_id))
            except (Busy, StorageFailed) as error:
                self._warn(f"{error.message}; the agent gets the answer when the database is available")
                await asyncio.sleep(_RETRY_SECONDS)

    async def stop(self) -> None:
        if self._listener is not None:
            self._listener.cancel()
            with suppress(asyncio.CancelledError):
                await self._listener

    async def _listen(self) -> None:
        while True:
            try:
                # opened before the first look: nothing is committed between them unseen
                with open_tail(self._database.path, watched=False) as tail:
                    rang = asyncio.Event()
                    with tail.waking(rang.set, is_idle=lambda: True):
                        self._deliver()
                        while True:
                            await rang.wait()
                            rang.clear()
                            changes = tail.look()
                            if changes.resync or any(self._is_ours(row.entity, row.kind) for row in changes.rows):
                                self._deliver()
            except LionError as error:
                self._warn(f"{error.message}; answers and messages arrive when the database is available")
                await asyncio.sleep(_RETRY_SECONDS)

    @staticmethod
    def _is_ours(entity: str, kind: str) -> bool:
        return entity == "question" or (entity == "message" and kind == "sent")

    def _deliver(self) -> None:
        self._database.read(self._read)

    def _read(self, conn: Connection) -> None:
        for question in list_answered(conn, self._session_id):
            if question.branch_id in self._open:
                self._put(question.branch_id, question.id, AnsweredQuestion.of(question))
        if self._open:
            first = next(iter(self._open))
            for message in list_left(conn, self._session_id):
                sent = _sent(message)
                # the turn that it was to replace is gone
                is_late = sent.delivery is Delivery.INSTEAD
                self._put(first, message.id, sent._replace(delivery=Delivery.NEXT) if is_late else sent)
            for owner in (self._session_id, *self._open):
                for message in list_untaken(conn, owner, self._session_id):
                    self._put(owner if owner in self._open else first, message.id, _sent(message))

    def _put(self, branch_id: str, id_: str, item: Said) -> None:
        if id_ not in self._delivered:
            self._delivered[id_] = branch_id
            self._open[branch_id].put(item)


def _sent(message: Message) -> SentMessage:
    return SentMessage(message, to_enum(Delivery, message.metadata.get("delivery")) or Delivery.NOW)
