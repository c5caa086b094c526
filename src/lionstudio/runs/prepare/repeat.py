"""Repeat a run: what a run keeps of its request, and the request that a person edits before it runs again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lionstudio.model.coerce import dict_of, list_of
from lionstudio.model.messages import Instruction
from lionstudio.model.providers import find_provider
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import InvocationKind, SourceKind
from lionstudio.runs.resume_command import resume_command
from lionstudio.runs.talk.continue_answered import request_of
from lionstudio.state.connection import Connection
from lionstudio.state.messages.windows import messages_after
from lionstudio.state.sessions import get_session

_LONGEST_INPUT = 20_000  # characters; a longer one is typed again
_FIRST_MESSAGES = 20  # the prompt is among them: only system messages come before it


class RepeatableRun(NamedTuple):
    """The request of a run; `problem` is the reason why the page cannot start it again."""

    kind: str  # agent or playbook
    target: str | None
    prompt: str
    folder: str | None
    options: Mapping[str, Any] = {}
    args: Mapping[str, str] = {}
    problem: str | None = None


def playbook_request(name: str, options: Mapping[str, Any], text: str, args: Sequence[str]) -> dict[str, Any]:
    """The request of a playbook's run, as its metadata keep it."""
    request = request_of(name, options, (), ())
    agent = {"agent": options["agent"]} if options.get("agent") else {}
    input_ = {"input": text} if text and len(text) <= _LONGEST_INPUT else {}
    return {**request, "options": request["options"] | agent, "args": list(args), **input_}


def get_repeatable(conn: Connection, session_id: str) -> RepeatableRun:
    """The request of a session; one that was imported has its provider, folder and first prompt.

    Options that another database claims, such as no sandbox and all permissions, were never chosen here.
    """
    session = get_session(conn, session_id)
    ours = session.source_kind in (None, SourceKind.LIVE)
    request = dict_of(session.metadata.get("request")) if ours else {}
    options = dict_of(request.get("options"))
    if session.invocation_kind == InvocationKind.PLAY and session.playbook_name:
        pairs = (str(text).partition("=") for text in list_of(request.get("args")))
        args = {name.strip(): value for name, _, value in pairs}
        return RepeatableRun(
            "playbook", session.playbook_name, str(request.get("input") or ""), session.cwd, options, args
        )
    target = request.get("target") or _target(session)
    run = RepeatableRun("agent", target, _first_prompt(conn, session_id), session.cwd, options)
    return run._replace(problem=_problem(session, request, target))


def _problem(session: Session, request: Mapping[str, Any], target: str | None) -> str | None:
    match session.invocation_kind:
        case InvocationKind.SHOW_PLAY:
            return "It is a play of a show: redo it on the page of the show"
        case InvocationKind.FLOW | InvocationKind.FANOUT:
            return f"A {session.invocation_kind} is started in a terminal: li {session.invocation_kind} --help"
    if request.get("command"):
        return "It runs a program of your command line: repeat it in a terminal"
    return None if target else "Its agent is not known"


def _target(session: Session) -> str | None:
    provider = find_provider(session.provider or "")
    return resume_command(session.to_dict("json"), verb="fork").target or (provider.name if provider else None)


def _first_prompt(conn: Connection, session_id: str) -> str:
    messages = (item.message for item in messages_after(conn, session_id, -1, _FIRST_MESSAGES))
    return next((message.text for message in messages if isinstance(message, Instruction)), "")
