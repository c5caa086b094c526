"""The real Claude Code: its output becomes events, and it ends as it should."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import suppress
from pathlib import Path

import pytest
from tests.support.agent_programs import Agent, Run
from tests.support.process_trees import everything_below, still_alive

from lionstudio.agents.claude.stream import PROGRESS
from lionstudio.agents.events import Ended, Event, LaneOpened, MessageEvent, MetadataEvent, TextDelta
from lionstudio.model.messages import ActionRequest, ActionResponse, AssistantResponse, Instruction
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.model.usage import Usage
from lionstudio.system.watchdog import GRACE_SECONDS

THREE_CALLS = "@run echo one\n@run ls /no/such/file\n@run echo three > a.txt; cat a.txt\n@say All done."


def blocks(run: Run) -> list[tuple[str, str]]:
    """Every printed content block as (type, text or id)."""
    entries = []
    for record in run.printed:
        if record["type"] in ("assistant", "user"):
            for block in record["message"]["content"]:
                entries.append((block["type"], block.get("text") or block.get("id") or block["tool_use_id"]))
    return entries


def kept(run: Run) -> list[tuple[str, str]]:
    """Every message as (type, text or id)."""
    entries = []
    for message in run.messages:
        if isinstance(message, AssistantResponse):
            entries.append(("text", message.content["assistant_response"]))
        elif isinstance(message, ActionRequest):
            entries.append(("tool_use", message.metadata["call_id"]))
        elif isinstance(message, ActionResponse):
            entries.append(("tool_result", message.metadata["call_id"]))
    return entries


def test_claude_text_and_calls_are_stored_one_to_one(claude: Agent) -> None:
    run = claude.run(THREE_CALLS)

    assert run.ended == Ended(SessionStatus.COMPLETED, 0)
    assert kept(run) == blocks(run)
    assert len(run.messages) == 10
    assert [answer.content.get("output", "error") for _, answer in run.calls] == ["one", "error", "three"]
    assert [asked.content["arguments"]["command"].split()[0] for asked, _ in run.calls] == ["echo", "ls", "echo"]
    assert run.usage == Usage(400, 80, 0, 0, 4000)
    assert run.texts()[-1] == "All done."
    assert (
        "".join(event.text for event in run.events if isinstance(event, TextDelta))
        == "Running a command." * 3 + "All done."
    )
    assert (Path(claude.task.cwd) / "a.txt").read_text() == "three\n"


def test_claude_drops_no_record(claude: Agent) -> None:
    run = claude.run(THREE_CALLS)
    read = {"assistant", "user", "result", "system.init"}
    kinds = {
        f"{record['type']}.{record['subtype']}" if record["type"] == "system" else record["type"]
        for record in run.printed
    }

    assert kinds - read - PROGRESS == set()
    assert run.facts["conversation"] == run.printed[0]["session_id"]
    assert run.facts["model"] == run.printed[0]["model"]
    assert run.facts["version"] == run.printed[0]["claude_code_version"]
    assert run.facts["result"]["total_cost_usd"] * 1_000_000 == run.usage.cost_microusd


def test_claude_streams_messages(claude: Agent) -> None:
    at: list[float] = []

    def note(event: Event) -> bool:
        if isinstance(event, MessageEvent):
            at.append(time.monotonic())
        return False

    asyncio.run(claude.play("@run sleep 1\n@say done", until=note))
    word, call, result, answer = at
    assert word <= call < result - 0.7 < answer


def test_claude_subagent_has_own_lane(claude: Agent) -> None:
    asked = {
        "description": "look around",
        "subagent_type": "general-purpose",
        "prompt": "@run echo below\n@say sub done",
    }
    run = claude.run(f"@run @call Task {json.dumps(asked)}\n@say All done.")
    (opened,) = [event for event in run.events if isinstance(event, LaneOpened)]
    below = [said.message for said in run.said if said.lane == opened.lane]

    assert run.ended.status is SessionStatus.COMPLETED
    assert opened.name == "look around"
    assert opened.metadata["agent"] == "general-purpose"
    assert opened.metadata["action_request_id"] == next(m.id for m in run.messages if isinstance(m, ActionRequest))
    assert [type(message) for message in below] == [Instruction, ActionRequest, ActionResponse, AssistantResponse]
    assert below[2].content["output"] == "below"
    assert run.texts(opened.lane) == ["sub done"]
    assert run.texts()[-1] == "All done."
    assert run.usage == Usage(400, 80, 0, 0, 4000)


def test_claude_resume_continues_conversation(claude: Agent) -> None:
    first = claude.run("@say one")
    second = claude.run("and now?", resume=first.facts["conversation"])

    assert second.facts["conversation"] == first.facts["conversation"]
    assert second.ended.status is SessionStatus.COMPLETED
    assert second.texts() == ["one"]  # the newest script in the conversation is the first prompt's
    assert second.usage == Usage(100, 20, 0, 0, 1000)


def test_claude_fork_is_new_conversation_with_history(claude: Agent) -> None:
    first = claude.run("@say one")
    second = claude.run("and now?", resume=first.facts["conversation"], options={"fork": True})

    assert second.facts["conversation"] != first.facts["conversation"]
    assert second.texts() == ["one"]


def test_claude_sends_history_of_unknown_conversation(claude: Agent) -> None:
    history = (
        Instruction(content={"instruction": "@say from before"}),
        AssistantResponse(content={"assistant_response": "x"}),
    )
    run = claude.run("go on", history=history)

    assert run.ended.status is SessionStatus.COMPLETED


def test_claude_reports_missing_conversation(claude: Agent) -> None:
    ended = claude.run("go on", resume="00000000-0000-4000-8000-000000000000").ended

    assert ended.status is SessionStatus.FAILED
    assert ended.detail is not None
    assert "No conversation found" in ended.detail
    assert "--fork" in ended.detail


def test_claude_stores_retries_of_overloaded_service(claude: Agent) -> None:
    run = claude.run("@status 529\n@say at last")

    assert run.ended == Ended(SessionStatus.COMPLETED, 0)
    assert run.texts() == ["at last"]
    (retry,) = [message for message in run.messages if message.metadata.get("record") == "system.api_retry"]
    assert retry.metadata["raw"]["error_status"] == 529


@pytest.mark.parametrize(
    ("status", "reason", "words"), [(400, "run.failed.exit_nonzero", "400"), (403, "run.failed.exit_nonzero", "log in")]
)
def test_claude_service_error_fails_run(claude: Agent, status: int, reason: str, words: str) -> None:
    run = claude.run(f"@status {status}\n@say never", env={**claude.task.env, "CLAUDE_CODE_MAX_RETRIES": "0"})

    assert run.ended.status is SessionStatus.FAILED
    assert run.ended.exit_code == 1
    assert run.ended.reason == reason
    assert words in str(run.ended.detail)


def test_claude_rate_limit_is_usage_limit(claude: Agent) -> None:
    run = claude.run("@status 429\n@say never", env={**claude.task.env, "CLAUDE_CODE_MAX_RETRIES": "0"})

    assert run.ended.status is SessionStatus.FAILED
    assert run.ended.reason == "run.failed.usage_limit"


def test_claude_without_key_hints_at_login(claude: Agent) -> None:
    env = {name: value for name, value in claude.task.env.items() if name != "ANTHROPIC_API_KEY"}
    run = claude.run("hello", env=env)

    assert run.ended.status is SessionStatus.FAILED
    assert "/login" in str(run.ended.detail)
    assert "ANTHROPIC_API_KEY" in str(run.ended.detail)


def test_claude_reports_refused_options(claude: Agent) -> None:
    ended = claude.run("hello", options={"args": ["--no-such-option"]}).ended

    assert ended.status is SessionStatus.FAILED
    assert "--no-such-option" in str(ended.detail)


def test_claude_receives_permissions_and_tools(claude: Agent) -> None:
    run = claude.run("@run touch b.txt\n@say done", permissions="ask", tools=("Bash(touch *)", "Read"))

    assert run.facts["tools"] == ["Bash", "Read"]
    assert run.facts["permission_mode"] == "default"
    denied = claude.run("@run touch c.txt\n@say done", permissions="ask", tools=("Bash(ls *)", "Read"))
    assert "error" in denied.calls[0][1].content
    assert [path.name for path in Path(claude.task.cwd).iterdir()] == ["b.txt"]


def test_claude_close_ends_process_tree(claude: Agent) -> None:
    before = everything_below()
    answered = asyncio.Event()

    def note(event: Event) -> bool:
        if isinstance(event, MessageEvent) and isinstance(event.message, ActionResponse):
            answered.set()
        return False

    async def closed() -> tuple[set[int], float]:
        running = asyncio.ensure_future(claude.play("@run (setsid sleep 300 &) ; echo started\n@hang", until=note))  # noqa: TID251
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


def test_claude_large_output_is_complete(claude: Agent) -> None:
    run = claude.run("@flood 5000000")

    assert run.ended == Ended(SessionStatus.COMPLETED, 0)
    assert len(run.texts()[0]) >= 5_000_000
    assert len(run.messages) == 1


def test_claude_concurrent_runs_stay_separate(claude: Agent) -> None:
    async def several() -> list[Run]:
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(claude.play(f"@run echo number {n}\n@run sleep 0.2\n@say I am {n}")) for n in range(5)
            ]
        return [task.result() for task in tasks]

    for number, run in enumerate(asyncio.run(several())):
        assert run.ended == Ended(SessionStatus.COMPLETED, 0)
        assert kept(run) == blocks(run)
        assert run.calls[0][1].content["output"] == f"number {number}"
        assert run.texts()[-1] == f"I am {number}"
        assert sum(isinstance(event, MetadataEvent) for event in run.events) == 2
