"""Continue runs that died while a question waited, once it is answered: a new run of the same conversation.

The process that stores the answer starts it; Studio and the next run start what a killed one left. Several may try: the
new run begins only if no other one has, and an answer is taken once.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

from lionstudio.errors import Conflict, InvalidInput, LionError
from lionstudio.model.coerce import dict_of, list_of
from lionstudio.model.ids import new_id
from lionstudio.model.questions import AnsweredQuestion, QuestionStatus
from lionstudio.model.redaction.process import secrets_to_pass
from lionstudio.model.sessions import Session
from lionstudio.model.status.reasons import INTERRUPTED_RUN
from lionstudio.model.status.statuses import InvocationKind, SessionStatus, SourceKind
from lionstudio.runs.environment import SESSION_VARIABLE
from lionstudio.runs.settle import SETTLE_SECONDS, settle_run
from lionstudio.settings import Settings
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.exchange.questions import get_question, list_answered, list_questions
from lionstudio.state.runs.conversations import list_successors
from lionstudio.state.sessions import get_session
from lionstudio.state.upkeep.liveness import owner_of, proof_of
from lionstudio.system.li_process import li_argv, li_environment, start_ours
from lionstudio.system.process_identity import is_of_this_machine

_MOST_ERROR = 500  # characters
_MOST_ATTEMPTS = 3  # of runs that die before the agent has the answer
_OPTIONS = ("name", "model", "effort", "permissions", "system", "timeout", "sandbox", "team_mode", "member")


class Continuation(NamedTuple):
    """The `li` command that continues a run, the variables that it passes on, and the id of the new session."""

    session_id: str
    target: str
    argv: list[str]
    pass_env: tuple[str, ...]


def request_of(target: str, options: Mapping[str, Any], pass_env: Collection[str], command: Collection[str]) -> Any:
    """The request of a run as its metadata keep it, so that a run that continues it has the same options."""
    request = {"target": target, "options": {name: options.get(name) for name in _OPTIONS if options.get(name)}}
    return request | {"pass_env": list(pass_env), "command": list(command)}


def continue_answered(
    database: Database,
    settings: Settings,
    environ: Mapping[str, str],
    *,
    session_id: str | None = None,
    start: Callable[[Continuation], None] | None = None,
) -> list[str]:
    """Continue the run that died and whose questions are all answered, or all such runs; returns the new session ids.

    Call it after an answer was committed: for a run that is alive it does nothing, because that takes the answer
    itself. `start` starts the command instead of a process in the background.
    """
    ids = [session_id] if session_id is not None else list(database.read(_waiting_sessions))
    started = []
    for dead in ids:
        session = settle_run(database, dead)
        if session is not None and session.status is SessionStatus.RUNNING and _is_dead(session):
            settle_run(database, dead, wait=SETTLE_SECONDS)  # its watchdog is doing that

        def find(conn: Connection, dead: str = dead) -> Continuation | None:
            return find_continuation(conn, dead)

        continuation = database.read(find)
        if continuation is not None:
            if start is None:
                _start_in_background(continuation, settings, environ)
            else:
                start(continuation)
            started.append(continuation.session_id)
    return started


def _waiting_sessions(conn: Connection) -> dict[str, None]:
    return {question.session_id: None for question in list_answered(conn) if question.session_id and question.outlives}


def find_continuation(conn: Connection, session_id: str) -> Continuation | None:
    """The command that continues a session; None when it is alive, waits for more answers, or was continued."""
    session = get_session(conn, session_id)
    waiting = [question for question in list_questions(conn, session_id=session_id) if question.outlives]
    answered = [question for question in waiting if question.status is QuestionStatus.ANSWERED]
    request = dict_of(session.metadata.get("request"))
    if not _has_died(session) or session.invocation_kind != InvocationKind.AGENT:
        return None
    if not answered or any(question.is_open for question in waiting) or not request.get("target"):
        return None
    owner = owner_of(session.to_dict())
    if not _may_begin(conn, session) or (owner is not None and not is_of_this_machine(owner)):
        return None  # its folder and its programs are there
    new_session = new_id()
    argv = ["agent", str(request["target"]), f"--resume={session.id}", f"--session-id={new_session}"]
    argv += [f"--answered={question.id}" for question in answered]
    argv += [f"--cwd={session.cwd}"] if session.cwd else []
    names = {"member": "as"}
    argv += [
        f"--{names.get(name, name).replace('_', '-')}={value}"
        for name, value in dict_of(request.get("options")).items()
        if name in _OPTIONS
    ]
    pass_env = tuple(map(str, list_of(request.get("pass_env"))))
    argv += [f"--pass-env={name}" for name in pass_env]
    command = [str(part) for part in list_of(request.get("command"))]
    argv += ["--", *command] if command else []
    return Continuation(new_session, str(request["target"]), argv, pass_env)


def _may_begin(conn: Connection, session: Session) -> bool:
    """Whether no other run continues it: one that died as well, before it had the answers, does not count."""
    died = 0
    for row in list_successors(conn, session.id):
        if row["relation"] != "continued":
            continue
        successor = get_session(conn, row["id"])
        if not (_is_dead(successor) if successor.status is SessionStatus.RUNNING else _has_died(successor)):
            return False
        died += 1
    return died < _MOST_ATTEMPTS


def _has_died(session: Session) -> bool:
    """Whether a run of ours was ended from outside; one that a person stopped has no answers left."""
    ours = session.source_kind in (None, SourceKind.LIVE)  # the command of another database is not ours to run
    return ours and not INTERRUPTED_RUN.isdisjoint(session.reason_codes)


def _is_dead(session: Session) -> bool:
    return proof_of(session.to_dict()).answer == "dead"


def load_answered(
    conn: Connection, question_ids: Collection[str], session_id: str | None
) -> tuple[AnsweredQuestion, ...]:
    """The answers for a run that continues a session; raises Conflict when another run has taken one."""
    questions = [get_question(conn, question_id) for question_id in question_ids]
    for question in questions:
        if question.session_id is None or question.session_id != session_id:
            raise InvalidInput(f"question {question.id} was asked by another run", hint=f"li ask show {question.id}")
        if question.status is not QuestionStatus.ANSWERED:
            by = f" by session {question.taken_session}" if question.taken_session else ""
            raise Conflict(f"question {question.id} is {question.status}{by}", hint=f"li ask show {question.id}")
    return tuple(map(AnsweredQuestion.of, questions))


def check_may_begin(conn: Connection, answered: Collection[AnsweredQuestion]) -> None:
    """Raise Conflict in the transaction that begins a run when another one continues with these answers."""
    for question, _ in answered:
        current = get_question(conn, question.id)
        session = get_session(conn, str(question.session_id))
        if current.status is not QuestionStatus.ANSWERED or not _may_begin(conn, session):
            raise Conflict(
                f"another run continues session {session.id} with this answer", hint=f"li state show {session.id}"
            )


def _start_in_background(continuation: Continuation, settings: Settings, environ: Mapping[str, str]) -> None:
    end = continuation.argv.index("--") if "--" in continuation.argv else len(continuation.argv)
    argv = [*continuation.argv[:end], "--background", *continuation.argv[end:]]
    child = start_ours(
        li_argv(*argv),
        {**environ, **li_environment(settings)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        private=secrets_to_pass(),
    )
    with child:
        _, errors = child.communicate()
    if child.returncode:
        raise LionError(f"it did not start: {errors.decode('utf-8', 'replace').strip()[-_MOST_ERROR:]}")


def continuations(database: Database, settings: Settings, environ: Mapping[str, str]) -> Iterator[str]:
    """Continue all runs that were left; yields a message for each. An error must not stop the caller's own work."""
    if SESSION_VARIABLE in environ:  # an agent calls: what it starts ends with it
        return
    try:
        for session_id in continue_answered(database, settings, environ):
            yield f"a run that had ended while it waited was answered: it continues as {session_id}"
    except (LionError, OSError) as error:
        yield f"a run that had ended while it waited cannot be continued with its answer: {error}"
