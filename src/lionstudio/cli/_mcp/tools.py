"""The tools of `li mcp`: few and small, because a model reads their descriptions in every session."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import Any

from lionstudio.cli._mcp.protocol import Cancelled, McpTool
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.humanize import iso
from lionstudio.cli.talk._sender import agent_name
from lionstudio.errors import InvalidInput
from lionstudio.files.teams.team_file import OUTSIDER
from lionstudio.model.json_codec import dump
from lionstudio.model.message_text import text_of
from lionstudio.model.questions import AnsweredQuestion, Question, QuestionKind, QuestionStatus, replies
from lionstudio.runs.callers.caller import sessions_in, this_process
from lionstudio.settings import Settings
from lionstudio.state.backends import open_tail
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.exchange.questions import (
    add_question,
    close_question,
    get_question,
    list_open_questions,
    take_answer,
)
from lionstudio.state.messages.windows import messages_after
from lionstudio.state.runs.active_owners import RunningOwner, list_agent_owners
from lionstudio.state.runs.reference import resolve_session
from lionstudio.state.sqlite.fulltext import search
from lionstudio.state.teams import list_running_members
from lionstudio.state.upkeep.liveness import owner_of
from lionstudio.system.process_identity import identify, liveness
from lionstudio.system.session_processes import VARIABLE

_MOST_HITS, _HITS = 50, 10
_MOST_READ, _READ = 100, 10
_MESSAGE_CHARS, _TOTAL_CHARS = 4_000, 40_000
_LOOK_SECONDS = 1.0  # between two looks whether the agent still waits
_MOST_OPTIONS = 20


class HistoryTools:
    """The tools of one agent: they read the database, and write questions and messages alone."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def list_tools(self) -> list[McpTool]:
        text = {"type": "string"}
        return [
            McpTool(
                "search",
                "Search the messages of all recorded agent sessions, last recorded first. All words must match; "
                'word* and "a phrase" work. Results start with SESSION:ORD.',
                {"query": text, "limit": {"type": "integer"}, "project": text},
                ["query"],
                self._search,
            ),
            McpTool(
                "read",
                "Read messages of a session from SESSION:ORD on.",
                {"at": text, "count": {"type": "integer"}},
                ["at"],
                self._read,
            ),
            McpTool(
                "ask_human",
                "Ask the user a question and wait for the answer. Use it only when you cannot decide by yourself.",
                {"question": text, "options": {"type": "array", "items": text}},
                ["question"],
                self._ask,
            ),
            McpTool(
                "note_to",
                "Send a message to another running session (its id or name), or to a team member (TEAM/MEMBER).",
                {"to": text, "text": text},
                ["to", "text"],
                self._note,
            ),
        ]

    def _search(self, arguments: Mapping[str, Any], _: threading.Event) -> str:
        limit = _bounded(arguments.get("limit", _HITS), _MOST_HITS)
        with db_access.reading(self._settings.db) as conn:
            hits = search(conn, arguments["query"], limit=limit, project=arguments.get("project"))
        lines = [
            f"{hit.session_id}:{hit.ord} {iso(hit.created_at)} {hit.role} ({hit.session_name}) {hit.snippet}"
            for hit in hits
            if hit.session_id is not None
        ]
        return "\n".join(lines) or "no message matches"

    def _read(self, arguments: Mapping[str, Any], _: threading.Event) -> str:
        reference, colon, number = arguments["at"].rpartition(":")
        if not colon:
            reference, number = arguments["at"], "0"
        if not (number.isascii() and number.isdecimal()):
            raise InvalidInput("`at` must be SESSION:ORD, as search prints it")
        limit = _bounded(arguments.get("count", _READ), _MOST_READ)
        with db_access.reading(self._settings.db) as conn:
            session_id = resolve_session(conn, reference)
            window = messages_after(conn, session_id, int(number[:15]) - 1, limit)
        pieces, size = [], 0
        for entry in window:
            if entry.message is None:
                continue
            body = text_of(entry.message.content)
            cut = "" if len(body) <= _MESSAGE_CHARS else f" … ({len(body):,} characters)"
            pieces.append(f"{session_id}:{entry.ord} {entry.message.role}: {body[:_MESSAGE_CHARS]}{cut}")
            size += len(pieces[-1])
            if size > _TOTAL_CHARS:
                break
        return "\n\n".join(pieces) or "no messages from there on"

    def _ask(self, arguments: Mapping[str, Any], cancelled: threading.Event) -> str:
        options = arguments.get("options", [])
        if len(options) > _MOST_OPTIONS or not all(isinstance(option, str) and option for option in options):
            raise InvalidInput(f"options must be up to {_MOST_OPTIONS} texts")
        with db_access.database(self._settings.db, create=True, quiet=True) as database:
            session_id = database.read(self._own_session)
            question = Question(
                kind=QuestionKind.QUESTION,
                title=arguments["question"],
                session_id=session_id,
                reason="mcp",
                evidence={"text": arguments["question"], "asker": identify()._asdict()},
                options=replies(options),
                takes_text=True,
            )
            with open_tail(database.path) as tail:
                database.write(lambda conn: _ask(conn, question))
                while (now := database.read(lambda conn: get_question(conn, question.id))).is_open:
                    if cancelled.is_set():
                        _withdraw(database, question.id, "the agent stopped waiting")
                        raise Cancelled
                    tail.wait(_LOOK_SECONDS)
            if now.status is not QuestionStatus.ANSWERED:
                return f"The question was withdrawn: {now.closed_reason or now.status}"
            database.write(lambda conn: take_answer(conn, question.id, session_id))
        answered = AnsweredQuestion.of(now)
        option = now.option(answered.answer.option)
        return "\n".join(filter(None, (option and option.label, answered.answer.text)))

    def _note(self, arguments: Mapping[str, Any], _: threading.Event) -> str:
        to, text = arguments["to"], arguments["text"]
        team, slash, member = to.partition("/")
        with db_access.database(self._settings.db, quiet=True) as database:
            from lionstudio.runs.talk.send import send_to_session, words_of_agent

            agents = database.read(_calling_agents)
            session_id, sender = database.read(self._own_session), agent_name(agents)
            if slash:
                from lionstudio.teams.service import open_teams

                teams = open_teams(self._settings, database)
                running = database.read(lambda conn: list_running_members(conn, teams.get(team).team.id))
                own = next((name for name, run in running.items() if run == session_id), None)
                words = text if own is not None else words_of_agent(sender, text)
                sent = teams.send(team, words, sender=own or OUTSIDER, to=[member], session_id=session_id)
                return f"Sent to {member} in {sent.team.name}."
            target = database.read(lambda conn: resolve_session(conn, to))
            if target in {session_id, *(agent.id for agent in agents)}:
                raise InvalidInput("an agent does not write to its own session")
            words = words_of_agent(sender, text)
            message = database.write(lambda conn: send_to_session(conn, target, words, sender=sender))
            return f"Queued for {target} (message {message.id})."

    def _own_session(self, conn: Connection) -> str | None:
        """The session of the agent that started us: by its processes, else by the variable of our runs."""
        if agents := _calling_agents(conn):
            return agents[0].id
        from lionstudio.state.sessions import find_session

        session_id = os.environ.get(VARIABLE)
        return session_id if session_id and find_session(conn, session_id) is not None else None


def _calling_agents(conn: Connection) -> list[RunningOwner]:
    """The sessions of the agents that started us, nearest first."""
    return sessions_in(this_process().chain, list_agent_owners(conn))


def _ask(conn: Connection, question: Question) -> None:
    """Store a question; those of servers that were killed are withdrawn."""
    for other in list_open_questions(conn):
        asker = owner_of({"owner": dump(other.evidence.get("asker"))}) if other.reason == "mcp" else None
        if asker is not None and liveness(asker).answer != "alive":
            close_question(conn, other.id, QuestionStatus.WITHDRAWN, "the agent ended")
    add_question(conn, question)


def _withdraw(database: Database, question_id: str, reason: str) -> None:
    database.write(lambda conn: close_question(conn, question_id, QuestionStatus.WITHDRAWN, reason))


def _bounded(value: int, most: int) -> int:
    return max(1, min(value, most))
