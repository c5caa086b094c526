"""`record`: store the messages of an agent in any Python program while it runs.

With `with record(…) as run` each call returns after its commit; with `async with` each call is awaited.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar
from warnings import warn

from lionstudio.errors import IllegalTransition, InvalidInput
from lionstudio.model.branches import Branch
from lionstudio.model.ids import new_id
from lionstudio.model.json_codec import jsonable
from lionstudio.model.messages import ActionRequest, ActionResponse, AssistantResponse, Instruction, Message, System
from lionstudio.model.prices import cost_of
from lionstudio.model.redaction.process import redactor
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import EXIT_CODES, InvocationKind, SessionStatus, SourceKind, parse
from lionstudio.model.usage import Usage
from lionstudio.runs.lease import RunLease
from lionstudio.runs.prepare.project import commit_of, project_name
from lionstudio.runs.redaction import LONG_TEXT, text_length, without_secrets
from lionstudio.runs.usage_shapes import ParsedUsage, is_plain, parse_usage
from lionstudio.settings import is_url, load_settings, set_server_home, without_password
from lionstudio.state.backends import open_database
from lionstudio.state.branches import create_branch
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.sqlite.open import set_durability

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
        _check_text("record", "name", name)
        if metadata is not None and not isinstance(metadata, Mapping):
            raise InvalidInput(
                f"record() takes metadata as a mapping, not {metadata!r:.60}", hint='metadata={"key": 1}'
            )
        settings = load_settings({"project": project})
        set_durability(settings.durability)
        set_server_home(settings.home)
        cwd = os.getcwd()
        self._path = path or settings.db
        self._session = Session(
            name=name,
            agent_name=redactor().text(name),  # any text of the program, not the name of an agent file
            invocation_kind=parse(InvocationKind, kind, "kind"),
            source_kind=SourceKind.LIVE,
            project=settings.project or project_name(cwd),
            model=model,
            provider=provider,
            cwd=cwd,
            git_commit=commit_of(cwd),
            metadata=metadata or {},
        )
        self._lease: RunLease | None = None
        self._database: Database | None = None

    def __enter__(self) -> Run:
        database, branch = self._open()
        try:
            database.write(self._creation(branch))
        except BaseException:
            self._close()
            raise
        return Run(database, self._session, branch.id)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        self._finish(error)

    async def __aenter__(self) -> AsyncRun:
        database, branch = self._open()
        try:
            await database.submit(self._creation(branch))
        except BaseException:
            self._close()
            raise
        return AsyncRun(database, self._session, branch.id)

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        # not awaited: a cancelled task cannot wait for its own last write
        self._finish(error)

    def _open(self) -> tuple[Database, Branch]:
        self._database = _acquire(self._path)
        try:
            self._lease = RunLease(self._database.path, self._session)
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
        detail = redactor().text(f"{type(error).__name__}: {error}") if failed else None
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

    def __init__(self, database: Database, session: Session, branch_id: str) -> None:
        self._database = database
        self._session = session
        self.session_id = session.id
        self.branch_id = branch_id

    def _append_work(self, messages: tuple[Message, ...]) -> Work[str]:
        if not messages:
            raise InvalidInput("no messages to add", hint="pass at least one message to add()")
        checked = [self._checked(message) for message in messages]

        def work(conn: Connection) -> str:
            last = ""
            for message in checked:
                last = append(conn, branch_id, message).message_id
            return last

        branch_id = self.branch_id
        return work

    def _checked(self, message: Message) -> Message:
        """The message with its usage in our names and with its cost."""
        if not isinstance(message, Message):
            raise InvalidInput(
                f"add() takes messages, not {type(message).__name__}",
                hint='make one with create_message: run.add(create_message({"instruction": "…"}))',
            )
        usage = message.metadata.get("usage")
        return message if usage is None else replace(message, metadata=self._with_usage(message.metadata, usage))

    def _with_usage(self, metadata: Mapping[str, Any], reported: Any) -> dict[str, Any]:
        if is_plain(reported):
            parsed: ParsedUsage | None = ParsedUsage(Usage.of(reported))
        else:
            parsed = parse_usage(reported)
            metadata = {**metadata, "reported_usage": _clean(reported)}
        others = {name: value for name, value in metadata.items() if name != "usage"}
        if parsed is None:
            # the text has no values, so that Python prints it once
            kind = f"the usage of type {type(reported).__name__}"
            warn(
                f"{kind} has no token counts that are known; it is stored as reported_usage",
                RuntimeWarning,
                stacklevel=2,
            )
            return others
        usage = parsed.usage
        if usage.cost_microusd is None and any(usage[:4]):
            model = metadata.get("model") if isinstance(metadata.get("model"), str) else self._session.model
            hour = parsed.written_for_an_hour
            cost = cost_of(model, usage, written_for_an_hour=hour, provider=self._session.provider)
            usage = usage._replace(cost_microusd=cost)
        return {**others, "usage": {name: value for name, value in usage._asdict().items() if value is not None}}

    def _branch_work(self, name: str) -> tuple[str, Work[Branch]]:
        _check_text("branch", "name", name)
        branch = Branch(id=new_id(), session_id=self.session_id, name=name)
        return branch.id, lambda conn: create_branch(conn, branch)


def _are_long(messages: tuple[Message, ...]) -> bool:
    return sum(map(text_length, messages)) > LONG_TEXT


def _clean(value: Any) -> Any:
    return jsonable(value)  # redacted where the row is bound


def _check_text(method: str, argument: str, value: object) -> None:
    if not isinstance(value, str):
        raise InvalidInput(
            f"{method}() takes {argument} as a string, not {type(value).__name__}",
            hint="join the parts of an answer to one text; add() takes messages of any content",
        )


_TEXTS: Mapping[str, tuple[str, type[Message]]] = {
    "system_message": ("system", System),
    "instruction": ("user", Instruction),
    "assistant_response": ("assistant", AssistantResponse),
}


def _message(key: str, text: str, metadata: Mapping[str, Any]) -> Message:
    method, message_class = _TEXTS[key]
    _check_text(method, "text", text)
    return message_class(content={key: text}, metadata=_clean_metadata(metadata) if metadata else {})


def _clean_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The usage stays as the SDK made it until its counts are read."""
    cleaned: dict[str, Any] = _clean({name: value for name, value in metadata.items() if name != "usage"})
    return cleaned if metadata.get("usage") is None else {**cleaned, "usage": metadata["usage"]}


def _tool(name: str, arguments: Any, output: Any, error: Any, metadata: Mapping[str, Any]) -> tuple[Message, Message]:
    _check_text("tool", "name", name)
    call = {"function": _clean(name), "arguments": _clean(arguments)}
    request = ActionRequest(content=call, metadata=_clean_metadata(metadata))
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
        """Record a message from the model; `usage` (a response's, of any SDK) is added to the run's totals."""
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
        return Run(self._database, self._session, branch_id)


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
        work = self._append_work(messages)
        return self._add_long(messages) if _are_long(messages) else self._database.submit(work)

    async def _add_long(self, messages: tuple[Message, ...]) -> str:
        """Redact in a thread; the event loop has other things to do."""
        from asyncio import to_thread  # slow to load, and a program without asyncio does not need it

        cleaned = [await to_thread(without_secrets, message) for message in messages]
        return await self._database.submit(self._append_work(tuple(cleaned)))

    async def branch(self, name: str) -> AsyncRun:
        branch_id, create = self._branch_work(name)
        await self._database.submit(create)
        return AsyncRun(self._database, self._session, branch_id)


# One writer per process and database file, shared by all runs recorded at once.
_open: dict[str, tuple[Database, int]] = {}
_guard = threading.Lock()


def _acquire(path: str) -> Database:
    key = without_password(path) if is_url(path) else os.path.abspath(path)
    with _guard:
        database, users = _open.get(key) or (open_database(key, long_lived=True), 0)
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
