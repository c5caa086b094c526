"""`record`: store the messages of an agent in any Python program while it runs.

With `with record(…) as run` each call returns after its commit; with `async with` each call is awaited.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any, TypeVar

from lionstudio.errors import IllegalTransition, InvalidInput
from lionstudio.model.branches import Branch
from lionstudio.model.ids import new_id
from lionstudio.model.json_codec import jsonable
from lionstudio.model.messages import ActionRequest, ActionResponse, Message, create_message
from lionstudio.model.redaction import Redactor
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import EXIT_CODES, InvocationKind, SessionStatus, SourceKind, parse
from lionstudio.runs.environment import secrets_in
from lionstudio.runs.lease import Lease
from lionstudio.runs.prepare.project import commit_of, project_name
from lionstudio.settings import load_settings
from lionstudio.state.branches import create_branch
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append

T = TypeVar("T")
Work = Callable[[Connection], T]


class RecordingContext:
    """One recorded run, from `with` to its end; it yields a Run, or an AsyncRun with `async with`."""

    def __init__(
        self,
        name: str,
        *,
        kind: InvocationKind | str = "agent",
        project: str | None = None,
        model: str | None = None,
        provider: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        path: str | None = None,
    ) -> None:
        settings = load_settings({"project": project})
        cwd = os.getcwd()
        self._path = path or settings.db
        self._session = Session(
            name=name,
            agent_name=name,
            invocation_kind=parse(InvocationKind, kind, "kind"),
            source_kind=SourceKind.LIVE,
            project=settings.project or project_name(cwd),
            model=model,
            provider=provider,
            cwd=cwd,
            git_commit=commit_of(cwd),
            metadata=metadata or {},
        )
        self._lease: Lease | None = None
        self._database: Database | None = None

    def __enter__(self) -> Run:
        database, branch = self._open()
        try:
            database.write(self._creation(branch))
        except BaseException:
            self._close()
            raise
        return Run(database, self._session.id, branch.id)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        self._finish(error)

    async def __aenter__(self) -> AsyncRun:
        database, branch = self._open()
        try:
            await database.submit(self._creation(branch))
        except BaseException:
            self._close()
            raise
        return AsyncRun(database, self._session.id, branch.id)

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        # not awaited: a cancelled task cannot wait for its own last write
        self._finish(error)

    def _open(self) -> tuple[Database, Branch]:
        self._database = _acquire(self._path)
        try:
            self._lease = Lease(self._database.path, self._session)
        except BaseException:
            self._close()
            raise
        return self._database, Branch(session_id=self._session.id, name="main")

    def _creation(self, branch: Branch) -> Work[None]:
        def create(conn: Connection) -> None:
            assert self._lease is not None
            self._lease.begin(conn)
            create_branch(conn, branch)

        return create

    def _finish(self, error: BaseException | None) -> None:
        assert self._database is not None
        assert self._lease is not None
        status, exit_code = _outcome(error)
        failed = status is SessionStatus.FAILED and error is not None
        reasons = ["run.failed.exit_nonzero"] if failed else []
        detail = _redactor().text(f"{type(error).__name__}: {error}") if failed else None
        try:
            self._database.write(self._lease.end(status, exit_code=exit_code, reasons=reasons, detail=detail))
        except IllegalTransition:
            pass  # another process ended it, such as `li kill`: its status stays, and the original error propagates
        finally:
            self._close()

    def _close(self) -> None:
        if self._lease is not None:
            self._lease.release()
            self._lease = None
        if self._database is not None:
            _release(self._database)
            self._database = None


record = RecordingContext


def _outcome(error: BaseException | None) -> tuple[SessionStatus, int]:
    if isinstance(error, SystemExit):
        code = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
        return (SessionStatus.FAILED, code) if code else (SessionStatus.COMPLETED, 0)
    if error is None or isinstance(error, GeneratorExit):
        status = SessionStatus.COMPLETED
    elif isinstance(error, KeyboardInterrupt):
        status = SessionStatus.ABORTED
    elif type(error).__name__ == "CancelledError":  # of asyncio, which is not loaded only to compare
        status = SessionStatus.CANCELLED
    else:
        status = SessionStatus.FAILED
    return status, EXIT_CODES[status]


class _BranchWriter:
    """Writes messages to a branch; the subclasses differ only in how they wait."""

    def __init__(self, database: Database, session_id: str, branch_id: str) -> None:
        self._database = database
        self.session_id = session_id
        self.branch_id = branch_id

    def _append_work(self, messages: tuple[Message, ...]) -> Work[str]:
        if not messages:
            raise InvalidInput("no messages to add", hint="pass at least one message to add()")

        def work(conn: Connection) -> str:
            return [append(conn, self.branch_id, message).message_id for message in messages][-1]

        return work

    def _branch_work(self, name: str) -> tuple[str, Work[Branch]]:
        branch = Branch(id=new_id(), session_id=self.session_id, name=name)
        return branch.id, lambda conn: create_branch(conn, branch)


@cache
def _redactor() -> Redactor:
    return Redactor(secrets_in(os.environ))


def _clean(value: Any) -> Any:
    return _redactor().value(jsonable(value))


def _message(key: str, text: str, metadata: Mapping[str, Any]) -> Message:
    return create_message({key: _clean(text)}, metadata=_clean(metadata))


def _tool(name: str, arguments: Any, output: Any, error: Any, metadata: Mapping[str, Any]) -> tuple[Message, Message]:
    call = {"function": _clean(name), "arguments": _clean(arguments)}
    request = ActionRequest(content=call, metadata=_clean(metadata))
    result = {"output": _clean(output)} if error is None else {"error": _clean(error)}
    return request, ActionResponse(content={**call, **result, "action_request_id": request.id})


class Run(_BranchWriter):
    """A branch being recorded; each call returns the id of its last message after the commit."""

    def system(self, text: str, **metadata: Any) -> str:
        """Record the system prompt."""
        return self.add(_message("system_message", text, metadata))

    def user(self, text: str, **metadata: Any) -> str:
        """Record a message from the user."""
        return self.add(_message("instruction", text, metadata))

    def assistant(self, text: str, **metadata: Any) -> str:
        """Record a message from the model; `usage={"input_tokens": …}` is added to the run's totals."""
        return self.add(_message("assistant_response", text, metadata))

    def tool(self, name: str, arguments: Any = None, output: Any = None, *, error: Any = None, **metadata: Any) -> str:
        """Record a tool call and its result."""
        return self.add(*_tool(name, arguments, output, error, metadata))

    def add(self, *messages: Message) -> str:
        """Record any messages in one transaction."""
        return self._database.write(self._append_work(messages))

    def branch(self, name: str) -> Run:
        """Create another branch of the session, for a sub-agent."""
        branch_id, create = self._branch_work(name)
        self._database.write(create)
        return Run(self._database, self.session_id, branch_id)


class AsyncRun(_BranchWriter):
    """A Run whose calls are awaited."""

    def system(self, text: str, **metadata: Any) -> Awaitable[str]:
        return self.add(_message("system_message", text, metadata))

    def user(self, text: str, **metadata: Any) -> Awaitable[str]:
        return self.add(_message("instruction", text, metadata))

    def assistant(self, text: str, **metadata: Any) -> Awaitable[str]:
        return self.add(_message("assistant_response", text, metadata))

    def tool(
        self, name: str, arguments: Any = None, output: Any = None, *, error: Any = None, **metadata: Any
    ) -> Awaitable[str]:
        return self.add(*_tool(name, arguments, output, error, metadata))

    def add(self, *messages: Message) -> Awaitable[str]:
        return self._database.submit(self._append_work(messages))

    async def branch(self, name: str) -> AsyncRun:
        branch_id, create = self._branch_work(name)
        await self._database.submit(create)
        return AsyncRun(self._database, self.session_id, branch_id)


# One writer per process and database file, shared by all runs recorded at once.
_open: dict[str, tuple[Database, int]] = {}
_guard = threading.Lock()


def _acquire(path: str) -> Database:
    key = os.path.abspath(path)
    with _guard:
        database, users = _open.get(key) or (Database(key, long_lived=True), 0)
        _open[key] = (database, users + 1)
        return database


def _release(database: Database) -> None:
    with _guard:
        _, users = _open[database.path]
        if users > 1:
            _open[database.path] = (database, users - 1)
            return
        del _open[database.path]
    database.close()
