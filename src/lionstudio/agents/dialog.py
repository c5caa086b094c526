"""The dialog of a person with a running agent: answers and messages, which its provider reads while it works.

A provider asks by yielding `QuestionAsked`, which is stored before anyone can see it. When the answer arrives here and
the agent has it, the provider yields `AnswerTaken`. A message is taken by yielding it as a `MessageEvent`, with its id:
its place in the branch is the receipt.

An answer is acted on once: `take` commits that it is taken before the agent has it, so that a run that continues after
a crash does not act on it again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from lionstudio.model.messages import Message
from lionstudio.model.providers import Ability, find_provider
from lionstudio.model.questions import AnsweredQuestion
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import SourceKind

if TYPE_CHECKING:
    import asyncio

MAX_TEXT = 1_000_000  # characters of a message
TAKES_MESSAGES = "takes_messages"  # in the metadata of a session; False: its agent reads neither messages nor answers


class Delivery(StrEnum):
    """When a message reaches the agent."""

    NOW = "now"  # into the running turn, where the program can; else next
    NEXT = "next"  # after the running turn
    INSTEAD = "instead"  # the running turn is interrupted


_WAYS = ((Ability.STEER, Delivery.NOW), (Ability.QUEUE, Delivery.NEXT), (Ability.INTERRUPT, Delivery.INSTEAD))


def deliveries_of(session: Session) -> tuple[Delivery, ...]:
    """The ways to write to the agent of a session while it runs, the usual one first.

    None to a program that another tool runs, and to one that li runs without a conversation.
    """
    entry = find_provider(session.provider or "")
    is_ours = session.source_kind in (None, SourceKind.LIVE)
    if entry is None or not is_ours or session.metadata.get(TAKES_MESSAGES) is False:
        return ()
    return tuple(delivery for ability, delivery in _WAYS if ability in entry.abilities)


def quoted(text: str) -> str:
    """Words of another agent in a message: indented, so that no line of them looks like ours or the user's."""
    return "".join(f"  {line}" for line in text.splitlines(keepends=True))


class SentMessage(NamedTuple):
    """A message of a person, or of a team member, in the inbox of the session."""

    message: Message
    delivery: Delivery = Delivery.NOW

    @property
    def text(self) -> str:
        return self.message.text


Said = AnsweredQuestion | SentMessage


class Dialog:
    """A queue that the run fills and the provider empties; order is kept."""

    def __init__(self, take: Callable[[str], Awaitable[bool]] | None = None) -> None:
        from asyncio import Queue  # slow to load, and commands that only send do not need it

        self._take = take
        self._queue: asyncio.Queue[Said] = Queue()

    def put(self, said: Said) -> None:
        self._queue.put_nowait(said)

    async def receive(self) -> Said:
        """The next answer or message."""
        return await self._queue.get()

    def receive_nowait(self) -> Said | None:
        """The next answer or message that is here already."""
        return None if self._queue.empty() else self._queue.get_nowait()

    async def take(self, question_id: str) -> bool:
        """Commit that the agent takes this answer; False when it was taken before: the agent must not act on it."""
        return True if self._take is None else await self._take(question_id)
