"""`record`: runs recorded from Python have their messages, owner and end."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import git, read, write
from tests.support.loop_turns import turns_between_pieces

from lionstudio import record
from lionstudio.errors import InvalidInput
from lionstudio.model.branches import Branch
from lionstudio.model.messages import ActionRequest, ActionResponse, create_message
from lionstudio.model.sessions import Session
from lionstudio.runs import api
from lionstudio.state.backends import open_database
from lionstudio.state.branches import history, list_branches
from lionstudio.state.database import Database
from lionstudio.state.sessions import finish_session, get_session
from lionstudio.system.process_identity import Owner, identify, liveness


@pytest.fixture(autouse=True, params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def home(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A temporary home with a file or with a database on a server, and a working folder without a project."""
    for name in [name for name in os.environ if name.startswith("LIONAGI_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("LIONAGI_HOME", str(tmp_path / "home"))
    if request.param == "postgres":
        monkeypatch.setenv("LIONAGI_DB", request.getfixturevalue("postgres_url"))
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    yield tmp_path / "home"
    assert api._open == {}  # every writer was released


def db_of(home: Path) -> str:
    return os.environ.get("LIONAGI_DB") or str(home / "state.db")


def stored(home: Path, session_id: str) -> Session:
    with open_database(db_of(home)) as db:
        return read(db, get_session, session_id)


def said_in(home: Path, session_id: str) -> list[tuple[str, list[Any]]]:
    """Each branch by name, with the contents of its messages."""
    with open_database(db_of(home)) as db:

        def contents(branch: Branch) -> list[Any]:
            entries = db.read(lambda conn: list(history(conn, branch.id)))
            return [entry.message.content for entry in entries if entry.message]

        return [(branch.name or "", contents(branch)) for branch in read(db, list_branches, session_id)]


def test_async_record_lets_the_loop_turn_while_a_long_text_is_redacted(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "some words and names\n" * 60_000 + 'password="hunT3r!x9q"'

    async def main() -> str:
        async with record("my-agent") as run:
            await run.assistant(text, model="m")
            await run.assistant("short")
            return run.session_id

    with turns_between_pieces(monkeypatch) as turns:
        session_id = asyncio.run(main())

    assert len(turns) >= 2 * (len(text) // (512 * 1024))
    assert all(turns)
    [(_, [long, short])] = said_in(home, session_id)
    assert short == {"assistant_response": "short"}
    assert long["assistant_response"].startswith("some words and names\nsome")
    assert "hunT3r" not in long["assistant_response"]


def test_async_record_stores_messages(home: Path) -> None:
    async def main() -> str:
        async with record("my-agent", kind="agent", project="demo") as run:
            await run.user("hello")
            await run.assistant("hi")
            await run.tool("grep", {"pattern": "x"}, ["a.py:1"])
            return run.session_id

    session = stored(home, asyncio.run(main()))

    assert (session.name, session.invocation_kind, session.project) == ("my-agent", "agent", "demo")
    assert (session.status, session.exit_code, session.message_count) == ("completed", 0, 4)
    [(branch, contents)] = said_in(home, session.id)
    assert branch == "main"
    assert contents[:3] == [
        {"instruction": "hello"},
        {"assistant_response": "hi"},
        {"function": "grep", "arguments": {"pattern": "x"}},
    ]
    assert {key: contents[3][key] for key in ("function", "arguments", "output")} == {
        "function": "grep",
        "arguments": {"pattern": "x"},
        "output": ["a.py:1"],
    }


def test_record_stores_messages(home: Path) -> None:
    with record("sync", model="m", provider="p", metadata={"k": 1}) as run:
        run.system("be brief")
        first = run.user("hello", channel="cli")
        run.assistant("hi", usage={"input_tokens": 5, "output_tokens": 2, "cost_microusd": 9})
        run.tool("rm", {"path": "/"}, error="refused")
        last = run.add(create_message({"instruction": "more"}, id="own id"))

    session = stored(home, run.session_id)
    assert (session.model, session.provider, session.metadata) == ("m", "p", {"k": 1})
    assert session.usage == (5, 2, 0, 0, 9)
    assert (session.message_count, session.last_msg_id, last) == (6, "own id", "own id")
    with open_database(db_of(home)) as db:
        messages = db.read(lambda conn: [entry.message for entry in history(conn, run.branch_id)])
    assert messages[1] is not None
    assert (messages[1].id, messages[1].metadata) == (first, {"channel": "cli"})
    request, answer = messages[3], messages[4]
    assert isinstance(request, ActionRequest)
    assert isinstance(answer, ActionResponse)
    assert answer.content == {
        "function": "rm",
        "arguments": {"path": "/"},
        "error": "refused",
        "action_request_id": request.id,
    }


def test_record_commits_each_message(home: Path) -> None:
    with record("live") as run:
        run.user("hello")
        session = stored(home, run.session_id)
        assert (session.status, session.message_count, session.ended_at) == ("running", 1, None)


def test_run_branch_creates_a_branch(home: Path) -> None:
    with record("parent") as run:
        run.user("to all")
        helper = run.branch("helper")
        helper.user("to you")
        run.user("again")
    assert said_in(home, run.session_id) == [
        ("main", [{"instruction": "to all"}, {"instruction": "again"}]),
        ("helper", [{"instruction": "to you"}]),
    ]

    async def main() -> str:
        async with record("parent") as run:
            helper = await run.branch("helper")
            await helper.user("to you")
            return run.session_id

    assert said_in(home, asyncio.run(main()))[1] == ("helper", [{"instruction": "to you"}])


OUTCOMES: dict[str, tuple[BaseException | None, str, int]] = {
    "nothing": (None, "completed", 0),
    "an error": (ValueError("x"), "failed", 1),
    "Ctrl-C": (KeyboardInterrupt(), "aborted", 130),
    "exit": (SystemExit(), "completed", 0),
    "exit 0": (SystemExit(0), "completed", 0),
    "exit 3": (SystemExit(3), "failed", 3),
    "exit with words": (SystemExit("went wrong"), "failed", 1),
    "cancelled": (asyncio.CancelledError(), "cancelled", 143),
    "generator closed": (GeneratorExit(), "completed", 0),
}


def ends_with(error: BaseException | None) -> AbstractContextManager[Any]:
    """The program's own exception reaches its caller."""
    return nullcontext() if error is None else pytest.raises(type(error))


@pytest.mark.parametrize("what", OUTCOMES)
def test_record_status_follows_the_exception(home: Path, what: str) -> None:
    error, status, exit_code = OUTCOMES[what]
    ids: list[str] = []

    def main() -> None:
        with record("r") as run:
            ids.append(run.session_id)
            if error is not None:
                raise error

    with ends_with(error):
        main()

    session = stored(home, ids[0])
    assert (session.status, session.exit_code) == (status, exit_code)
    assert session.reason_codes == (("run.failed.exit_nonzero",) if status == "failed" else ())
    assert session.ended_at is not None


@pytest.mark.parametrize("what", [what for what in OUTCOMES if what not in ("Ctrl-C", "generator closed")])
def test_async_record_status_follows_the_exception(home: Path, what: str) -> None:
    error, status, exit_code = OUTCOMES[what]
    ids: list[str] = []

    async def main() -> None:
        async with record("r") as run:
            ids.append(run.session_id)
            await run.user("hello")
            if error is not None:
                raise error

    with ends_with(error):
        asyncio.run(main())

    session = stored(home, ids[0])
    assert (session.status, session.exit_code, session.message_count) == (status, exit_code, 1)


def test_async_record_cancelled_while_waiting(home: Path) -> None:
    ids: list[str] = []

    async def agent(started: asyncio.Event) -> None:
        async with record("r") as run:
            ids.append(run.session_id)
            await run.user("hello")
            started.set()
            await asyncio.sleep(60)

    async def main() -> None:
        started = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            task = group.create_task(agent(started))
            await started.wait()
            task.cancel()

    asyncio.run(main())

    session = stored(home, ids[0])
    assert (session.status, session.exit_code, session.message_count) == ("cancelled", 143, 1)


def test_async_record_ends_on_timeout(home: Path) -> None:
    ids: list[str] = []

    async def main() -> None:
        async with asyncio.timeout(1), record("r") as run:
            ids.append(run.session_id)
            await asyncio.sleep(60)

    with pytest.raises(TimeoutError):
        asyncio.run(main())

    assert stored(home, ids[0]).status == "cancelled"


def test_record_keeps_the_status_of_another_process(home: Path) -> None:
    """`li kill` writes the end before the signal arrives; its status stays, and the program's own error propagates."""
    ids: list[str] = []

    def main() -> None:
        with record("r") as run:
            ids.append(run.session_id)
            with open_database(db_of(home)) as db:
                write(db, finish_session, run.session_id, "cancelled", exit_code=143)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        main()

    session = stored(home, ids[0])
    assert (session.status, session.exit_code) == ("cancelled", 143)


def test_record_owner_is_this_process_with_a_lock(home: Path) -> None:
    with record("r") as run:
        owner = stored(home, run.session_id).owner
        assert owner == identify(lock_path=str(home / "run" / f"{run.session_id}.lock"))._asdict()
        held = Owner._make(owner.values())
        assert liveness(held).answer == "alive"
        assert (home / "run" / f"{run.session_id}.lock").exists()

    assert not (home / "run" / f"{run.session_id}.lock").exists()
    assert liveness(held._replace(pid=2**22 + 1)).answer in ("dead", "unknown")


def test_concurrent_records_share_one_writer(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def counted(path: str, **more: Any) -> Database:
        opened.append(path)
        return open_database(path, **more)

    monkeypatch.setattr(api, "open_database", counted)

    async def agent(number: int) -> str:
        async with record(f"agent {number}") as run:
            for count in range(20):
                await run.user(f"{number}.{count}")
            return run.session_id

    async def main() -> list[str]:
        return await asyncio.gather(*(agent(number) for number in range(8)))

    ids = asyncio.run(main())
    with record("outer") as outer, record("inner") as inner:
        outer.user("a")
        inner.user("b")

    assert len(opened) == 2  # once for the eight, once for the two
    for number, id_ in enumerate(ids):
        [(_, contents)] = said_in(home, id_)
        assert contents == [{"instruction": f"{number}.{count}"} for count in range(20)]


def test_record_stores_folder_project_and_commit(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = tmp_path / "the-project"
    (repository / "deep").mkdir(parents=True)
    git(repository, "init", "-q")
    git(repository, "commit", "-q", "--allow-empty", "-m", "m")
    monkeypatch.chdir(repository / "deep")

    with record("r") as run:
        pass

    session = stored(home, run.session_id)
    assert (session.project, session.git_commit) == ("the-project", git(repository, "rev-parse", "HEAD"))
    assert session.cwd == str(repository / "deep")


def test_record_accepts_any_text_and_values(home: Path) -> None:
    with record("odd \ud800\0 name") as run:
        run.tool("f", {1: {2, 3}, "path": Path("/x")}, b"bytes", extra=float("nan"))
        run.user("\ud800\0")
        with pytest.raises(InvalidInput):
            run.user("x", usage={"input_tokens": -1})
        run.user("still here")

    session = stored(home, run.session_id)
    assert (session.name, session.message_count, session.status) == ("odd \\ud800\\x00 name", 4, "completed")
    [(_, contents)] = said_in(home, run.session_id)
    assert contents[0]["arguments"] == {"1": [2, 3], "path": "/x"}
    assert contents[2] == {"instruction": "\ud800\0"}


def test_add_without_messages_is_refused(home: Path) -> None:
    with record("r") as run:
        with pytest.raises(InvalidInput):
            run.add()
        run.user("still here")

    assert stored(home, run.session_id).message_count == 1


def test_record_refuses_an_unknown_kind(home: Path) -> None:
    with pytest.raises(InvalidInput):
        record("r", kind="spell")

    assert not home.exists()


def test_record_uses_the_given_path(home: Path, tmp_path: Path) -> None:
    with record("r", path=str(tmp_path / "elsewhere" / "my.db")) as run:
        run.user("hello")

    assert not home.exists()
    with Database(str(tmp_path / "elsewhere" / "my.db")) as db:
        assert read(db, get_session, run.session_id).message_count == 1


def test_record_counts_the_usage_of_any_sdk_and_its_cost(home: Path) -> None:
    reported = {"input_tokens": 100, "output_tokens": 20, "cache_read_input_tokens": 4000, "server_tool_use": None}
    with record("my-agent", model="claude-sonnet-4-5", provider="anthropic") as run:
        run.assistant("hi", usage=reported)
        run.assistant("ho", usage={"prompt_tokens": 1000, "completion_tokens": 100}, model="gpt-4o")
        run.branch("helper").assistant("sub", usage={"input_tokens": 10, "output_tokens": 1})
        run.add(create_message({"assistant_response": "x"}, metadata={"usage": {"promptTokenCount": 7}}))
        run.tool("grep", None, "", usage=None)
    session = stored(home, run.session_id)

    assert session.usage[:4] == (1117, 121, 4000, 0)
    # gpt-4o is not a model of Anthropic, so its cost is unknown; the others are of the run's model
    costs = [100 * 3 + 20 * 15 + 4000 * 0.3, 10 * 3 + 15, 7 * 3]
    assert session.cost_microusd == round(sum(costs))
    with open_database(db_of(home)) as db:
        first = next(iter(db.read(lambda conn: list(history(conn, run.branch_id))))).message
    assert first is not None
    assert first.metadata["reported_usage"] == reported


def test_record_warns_about_unknown_usage(home: Path) -> None:
    with record("my-agent") as run, pytest.warns(RuntimeWarning, match="no token counts"):
        run.assistant("hi", usage={"elapsed": 3})

    assert stored(home, run.session_id).usage[:4] == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda run: run.assistant(None), "assistant() takes text as a string, not NoneType"),
        (lambda run: run.user(123), "user() takes text as a string, not int"),
        (lambda run: run.system(["a"]), "system() takes text as a string, not list"),
        (lambda run: run.tool(None), "tool() takes name as a string, not NoneType"),
        (lambda run: run.add({"role": "user"}), "add() takes messages, not dict"),
        (lambda run: run.branch(3), "branch() takes name as a string, not int"),
        (lambda run: run.assistant("x", usage={"input_tokens": -1}), "usage.input_tokens must be an integer"),
    ],
)
def test_run_refuses_invalid_arguments(home: Path, call: Callable[[Any], object], message: str) -> None:
    with record("my-agent") as run, pytest.raises(InvalidInput) as refused:
        call(run)

    assert refused.value.message.startswith(message)
    assert said_in(home, run.session_id) == [("main", [])]


def test_record_refuses_invalid_arguments(home: Path) -> None:
    with pytest.raises(InvalidInput, match="takes name as a string"):
        record(None)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="takes metadata as a mapping"):
        record("my-agent", metadata=[1])  # type: ignore[arg-type]
