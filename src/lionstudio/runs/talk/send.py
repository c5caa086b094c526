"""Write to a running agent: a message in the inbox of its session, refused when nothing runs that could take it."""

from __future__ import annotations

from shlex import quote

from lionstudio.agents.dialog import MAX_TEXT, Delivery, deliveries_of, quoted
from lionstudio.errors import IllegalTransition, InvalidInput
from lionstudio.model.messages import Instruction, Message
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import SessionStatus, SourceKind
from lionstudio.runs.resume_command import resume_command
from lionstudio.state.connection import Connection
from lionstudio.state.exchange.mailboxes import send
from lionstudio.state.hub.machines import refuse_pushed
from lionstudio.state.sessions import get_session
from lionstudio.state.upkeep.liveness import proof_of

_LONGEST_IN_HINT = 200  # characters of a message in the command that continues the run with it


def words_of_agent(sender: str, text: str) -> str:
    """A text that an agent sends, as the other agent reads it."""
    return f"Message from {sender}, not from the user:\n\n{quoted(text)}"


def send_to_session(
    conn: Connection, session_id: str, text: str, *, sender: str, delivery: Delivery | None = None
) -> Message:
    """Queue a message; the receipt is its place in the session once the agent has taken it."""
    session = get_session(conn, session_id)
    if not text.strip():
        raise InvalidInput("the message is empty", hint='li send SESSION "what to do"')
    if len(text) > MAX_TEXT:
        raise InvalidInput(f"the message is longer than {MAX_TEXT:,} characters", hint="put it into a file")
    refuse_pushed(conn, session_id, f"session {session_id}", "write to")
    if session.status is not SessionStatus.RUNNING:
        raise IllegalTransition(
            f"the run has ended ({session.status}), so nothing can take the message", hint=_continue_hint(session, text)
        )
    if proof_of(session.to_dict()).answer == "dead":
        raise IllegalTransition(
            "the process of the run is gone, so nothing can take the message", hint=f"li state show {session_id}"
        )
    if session.source_kind not in (None, SourceKind.LIVE):
        raise InvalidInput(
            "another tool runs this session, so it takes no messages", hint="type it in its own terminal"
        )
    offered = deliveries_of(session)
    if not offered:
        raise InvalidInput(
            f"this run of {session.provider or 'a program'} takes no messages", hint=f"stop it: li kill {session_id}"
        )
    if delivery is not None and delivery not in offered:
        names = ", ".join(f"--{way}" for way in offered)
        raise InvalidInput(f"{session.provider} cannot take a message {delivery}", hint=f"use one of: {names}")
    message = Instruction(
        content={"instruction": text},
        sender=sender,
        recipient=session_id,
        metadata={"delivery": str(delivery or offered[0])},
    )
    send(conn, message)
    return message


def _continue_hint(session: Session, text: str) -> str:
    """The command that continues the run with the message; a long one is read from stdin."""
    words = quote(text) if len(text) <= _LONGEST_IN_HINT and text.isprintable() else "-"
    command, reason, _ = resume_command(session.to_dict("json"), prompt=words)
    return command or reason or f"li state show {session.id}"
