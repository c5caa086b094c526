"""The real Codex: its output becomes events, and it ends as it should."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import suppress
from pathlib import Path

import pytest
from tests.support.agent_programs import Agent, Run
from tests.support.process_trees import everything_below, still_alive

from lionstudio.agents.denials import completed as ended_with
from lionstudio.agents.events import Ended, Event, LaneOpened, MessageEvent
from lionstudio.model.messages import ActionRequest, ActionResponse, AssistantResponse, Instruction
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.model.usage import Usage
from lionstudio.system.watchdog import GRACE_SECONDS

THREE_CALLS = "@run echo one\n@run ls /no/such/file\n@run echo three > a.txt; cat a.txt\n@say All done."
ONE_RESPONSE = Usage(100, 20, 0, 0, 325)  # by the list price of gpt-5


def items(run: Run) -> list[tuple[str, str]]:
    """Every printed item as (type, stage)."""
    return [(record["item"]["type"], record["type"]) for record in run.printed if "item" in record]


def kept(run: Run) -> list[tuple[str, str]]:
    """Every message as (type, stage)."""
    entries = []
    for message in run.messages:
        if isinstance(message, ActionRequest):
            entries.append((message.metadata["item"], "item.started"))
        elif isinstance(message, ActionResponse):
            entries.append((message.metadata["item"], "item.completed"))
        elif isinstance(message, AssistantResponse):
            entries.append(("agent_message", "item.completed"))
        else:
            entries.append((message.metadata["raw"]["item"]["type"], "item.completed"))
    return entries


def times(usage: Usage, number: int) -> Usage:
    return Usage(*(count * number for count in usage if count is not None))


def test_codex_text_and_calls_are_stored_one_to_one(codex: Agent) -> None:
    run = codex.run(THREE_CALLS)

    assert run.ended == Ended(SessionStatus.COMPLETED, 0)
    assert kept(run) == items(run)
    assert {record["type"] for record in run.printed if "item" not in record} == {
        "thread.started",
        "turn.started",
        "turn.completed",
    }
    assert [answer.content.get("output", "error") for _, answer in run.calls] == ["one\n", "error", "three\n"]
    assert "echo one" in run.calls[0][0].content["arguments"]["command"]
    assert run.texts() == ["All done."]
    assert run.facts["conversation"] == run.printed[0]["thread_id"]
    assert run.facts["model"] == "gpt-5"
    assert run.usage == times(ONE_RESPONSE, 4)
    assert (Path(codex.task.cwd) / "a.txt").read_text() == "three\n"


def test_codex_usage_arrives_before_end(codex: Agent) -> None:
    answers: list[Event] = []

    def second_answer(event: Event) -> bool:
        if isinstance(event, MessageEvent) and isinstance(event.message, ActionResponse):
            answers.append(event)
        return len(answers) == 2

    run = asyncio.run(codex.play("@run true\n@run sleep 0.2\n@hang", until=second_answer))

    assert run.usage.input_tokens >= 100


def test_codex_file_change_is_call(codex: Agent) -> None:
    patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch\nEOF\n"
    run = codex.run(f"@run @call exec_command {json.dumps({'cmd': patch})}\n@say done")
    ((asked, answer),) = run.calls

    assert asked.content["function"] == "apply_patch"
    assert [change["kind"] for change in asked.content["arguments"]["changes"]] == ["add"]
    assert answer.content["output"] == "completed"
    assert (Path(codex.task.cwd) / "new.txt").read_text() == "hello\n"


def test_codex_resume_counts_only_new_tokens(codex: Agent) -> None:
    first = codex.run("@run true\n@say one")
    second = codex.run("and now?", resume=first.facts["conversation"])

    assert second.facts["conversation"] == first.facts["conversation"]
    assert second.ended == Ended(SessionStatus.COMPLETED, 0)
    assert second.printed[-1]["usage"]["input_tokens"] == 300  # of the whole conversation
    assert (first.usage, second.usage) == (times(ONE_RESPONSE, 2), ONE_RESPONSE)


def test_codex_fork_is_new_conversation_with_history(codex: Agent) -> None:
    first = codex.run("@run true\n@say one")
    second = codex.run("and now?", resume=first.facts["conversation"], options={"fork": True})

    assert second.ended == Ended(SessionStatus.COMPLETED, 0)
    assert second.facts["conversation"] != first.facts["conversation"]
    assert second.usage == ONE_RESPONSE


def test_codex_sends_history_of_unknown_conversation(codex: Agent) -> None:
    history = (Instruction(content={"instruction": "@say from before"}),)

    assert codex.run("go on", history=history).ended == Ended(SessionStatus.COMPLETED, 0)


def test_codex_reports_missing_conversation(codex: Agent) -> None:
    ended = codex.run("go on", resume="00000000-0000-4000-8000-000000000000").ended

    assert ended.status is SessionStatus.FAILED
    assert "no rollout found" in str(ended.detail)
    assert "--fork" in str(ended.detail)


def test_codex_receives_instructions_and_effort(codex: Agent) -> None:
    system = 'Be "kind" \\ brief,\nand ünïcode \x7f.'
    run = codex.run("@say hello", system=system, effort="low", model="gpt-5-mini")

    assert run.ended == Ended(SessionStatus.COMPLETED, 0)
    assert run.facts["model"] == "gpt-5-mini"
    (rollout,) = Path(codex.task.env["HOME"]).rglob("rollout-*.jsonl")
    told = [json.loads(line)["payload"] for line in rollout.read_text().splitlines()]
    assert system in [block["text"] for item in told if item.get("role") == "developer" for block in item["content"]]
    assert next(item["effort"] for item in told if "effort" in item) == "low"


def test_codex_retries_overloaded_service(codex: Agent) -> None:
    run = codex.run("@status 529\n@say at last, codex")

    assert run.ended == Ended(SessionStatus.COMPLETED, 0)
    assert run.texts() == ["at last, codex"]


@pytest.mark.parametrize(("status", "reason"), [(400, "run.failed.exit_nonzero"), (429, "run.failed.usage_limit")])
def test_codex_service_error_fails_run(codex: Agent, status: int, reason: str) -> None:
    run = codex.run(f"@status {status}\n@say never, codex")

    assert run.ended.status is SessionStatus.FAILED
    assert run.ended.exit_code == 1
    assert run.ended.reason == reason
    assert run.texts() == []


def test_codex_reports_refused_options(codex: Agent) -> None:
    ended = codex.run("hello", options={"args": ["--no-such-option"]}).ended

    assert ended.status is SessionStatus.FAILED
    assert ended.exit_code == 2
    assert "--no-such-option" in str(ended.detail)


@pytest.mark.parametrize(("permissions", "written"), [("ask", False), ("edit", True), ("all", True)])
def test_codex_receives_permissions(codex: Agent, permissions: str, written: bool) -> None:
    run = codex.run("@run touch b.txt\n@say done", permissions=permissions)

    assert run.ended == ended_with(() if written else ("exec_command",))
    assert (Path(codex.task.cwd) / "b.txt").exists() is written


def test_codex_close_ends_process_tree(codex: Agent) -> None:
    before = everything_below()
    answered = asyncio.Event()

    def note(event: Event) -> bool:
        if isinstance(event, MessageEvent) and isinstance(event.message, ActionResponse):
            answered.set()
        return False

    async def closed() -> tuple[set[int], float]:
        prompt = "@run (setsid sleep 300 >/dev/null 2>&1 &) ; echo started\n@hang"
        running = asyncio.ensure_future(codex.play(prompt, until=note))  # noqa: TID251
        await answered.wait()
        await asyncio.sleep(0.5)
        tree = everything_below() - before
        begun = time.monotonic()
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        return tree, time.monotonic() - begun

    tree, took = asyncio.run(closed())
    assert len(tree) >= 2
    assert still_alive(tree) == set()
    assert took < GRACE_SECONDS + 2


def test_codex_large_output_is_complete(codex: Agent) -> None:
    run = codex.run("@flood 5000000")

    assert run.ended == Ended(SessionStatus.COMPLETED, 0)
    assert len(run.texts()[0]) >= 5_000_000


def test_codex_concurrent_runs_stay_separate(codex: Agent) -> None:
    async def several() -> list[Run]:
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(codex.play(f"@run echo number {n}\n@run sleep 0.2\n@say I am {n}")) for n in range(5)
            ]
        return [task.result() for task in tasks]

    for number, run in enumerate(asyncio.run(several())):
        assert run.ended == Ended(SessionStatus.COMPLETED, 0)
        assert run.calls[0][1].content["output"] == f"number {number}\n"
        assert run.texts()[-1] == f"I am {number}"
        assert run.usage == times(ONE_RESPONSE, 3)
        assert not [event for event in run.events if isinstance(event, LaneOpened)]
