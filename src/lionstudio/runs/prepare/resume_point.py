"""The point that `--resume` and `--fork` continue from, and the checks that it can be continued."""

from __future__ import annotations

from typing import Any, NamedTuple

from lionstudio.errors import Conflict, InvalidInput, NotFound
from lionstudio.model.branches import Branch, ForkPoint
from lionstudio.model.messages import Message
from lionstudio.model.providers import find_provider
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.model.transcript_tools import TRANSCRIPT_TOOLS
from lionstudio.state.branches import branch_length, get_branch, history, list_branches
from lionstudio.state.connection import Connection
from lionstudio.state.messages.windows import branches_of, messages_after
from lionstudio.state.runs.conversations import running_in_conversation
from lionstudio.state.runs.reference import resolve_session
from lionstudio.state.sessions import get_session
from lionstudio.state.upkeep.liveness import owner_of, proof_of


class ConversationTurn(NamedTuple):
    """A turn of the provider's conversation, by the ids of both."""

    conversation: str
    id: str


class ResumePoint(NamedTuple):
    """The branch and message that a run continues from, and the provider's conversation."""

    session: Session
    fork: ForkPoint
    conversation: str | None  # the provider's own id, when it can continue from exactly there
    history: tuple[Message, ...]
    provider: str | None = None  # None where it is unknown
    turn: ConversationTurn | None = None  # the turn that ends there, where a fork can leave out what follows


def find_resume_point(conn: Connection, *, resume: str | None, fork: str | None) -> ResumePoint | None:
    """The point that --resume SESSION or --fork SESSION[:ORD] refers to; None without either."""
    if resume is not None:
        session_id = resolve_session(conn, resume)
        return _resume_point(conn, session_id, _main_branch(conn, session_id), None)
    if fork is None:
        return None
    name, colon, ord_ = fork.rpartition(":")
    if not (colon and ord_.isascii() and ord_.isdigit()):
        session_id = resolve_session(conn, fork)
        return _resume_point(conn, session_id, _main_branch(conn, session_id), None)
    session_id = resolve_session(conn, name)
    entries = messages_after(conn, session_id, int(ord_) - 1, 1)
    if not entries or entries[0].ord != int(ord_):
        raise _no_such_message(get_session(conn, session_id), ord_)
    branch_id = branches_of(conn, session_id, [entries[0].message_id]).get(entries[0].message_id)
    if branch_id is None:
        raise NotFound(f"message {ord_} of session {session_id} is not on a branch")
    return _resume_point(conn, session_id, get_branch(conn, branch_id), entries[0].message_id)


def _no_such_message(session: Session, ord_: str) -> NotFound:
    last = session.message_count - 1
    numbers = "has no messages" if last < 0 else f"has messages 0 to {last}"
    return NotFound(f"session {session.id} {numbers}, not {ord_}", hint=f"li state show {session.id}")


def _main_branch(conn: Connection, session_id: str) -> Branch:
    branches = list_branches(conn, session_id)
    if not branches:
        raise NotFound(f"session {session_id} has no branch to continue")
    return branches[0]


def _resume_point(conn: Connection, session_id: str, branch: Branch, message_id: str | None) -> ResumePoint:
    messages: list[Message] = []
    later_turns: set[Any] = set()
    last = branch_length(conn, branch.id) - 1
    is_later = False
    for entry in history(conn, branch.id):
        if entry.message is not None and is_later:
            later_turns.add(entry.message.metadata.get("turn_id"))
        elif entry.message is not None:
            messages.append(entry.message)
        if message_id is not None and entry.message_id == message_id and entry.branch_id == branch.id:
            last, is_later = entry.ord, True
    at_end = last == branch_length(conn, branch.id) - 1
    session = get_session(conn, session_id)
    provider = _provider_of(session, branch.metadata)
    point = ResumePoint(session, ForkPoint(branch.id, last), None, tuple(messages), provider)
    conversation = branch.metadata.get("conversation")
    if not isinstance(conversation, str) or conversation.startswith("-"):  # an option of the program: not its id
        return point
    entry_of_provider = find_provider(provider or "")
    turn = messages[-1].metadata.get("turn_id") if messages else None
    # the last turn of a run that is not over may not be over either
    is_over = turn not in later_turns and not (at_end and session.status is SessionStatus.RUNNING)
    if isinstance(turn, str) and is_over and entry_of_provider is not None and entry_of_provider.forks_at_turn:
        point = point._replace(turn=ConversationTurn(conversation, turn))
    return point._replace(conversation=conversation if at_end else None)


def _provider_of(session: Session, metadata: Any) -> str | None:
    """The provider that has the conversation; a mirrored one is of the tool that wrote the transcript."""
    tool = str(session.source_kind or "").removeprefix("imported_")
    if tool in TRANSCRIPT_TOOLS:
        return tool
    provider = metadata.get("provider") or session.provider
    entry = find_provider(provider) if isinstance(provider, str) else None
    return None if entry is None else entry.name


def continue_with(origin: ResumePoint, provider: str, target: str | None, *, same_conversation: bool) -> ResumePoint:
    """The point as this provider can continue from it; raises InvalidInput when it cannot.

    Another program does not have the conversation: it cannot resume it, and a fork sends it the earlier messages.
    """
    if origin.provider in (None, provider):
        return origin
    if same_conversation:
        session = origin.session.id
        fork = f'send its messages to {provider}: li agent {target or provider} --fork {session} "…"'
        resume = f'li agent {origin.provider} --resume {session} "…"; or '
        raise InvalidInput(
            f"session {session} is a conversation of {origin.provider}, which {provider} cannot resume",
            # the command line of such a program is not stored
            hint=fork if origin.provider in ("acp", "command") else resume + fork,
        )
    return origin._replace(conversation=None, turn=None)


def check_not_running(conn: Connection, origin: ResumePoint) -> None:
    """Raise Conflict while another run continues the same conversation: the program would mix the two."""
    if origin.conversation is None:
        return
    for row in running_in_conversation(conn, origin.conversation):
        if owner_of(row) is not None and proof_of(row).answer != "dead":
            raise Conflict(
                f"session {row['id']} is still running this conversation",
                hint=f"wait for it (li wait {row['id']}), or fork what was said so far: --fork {origin.session.id}",
            )
