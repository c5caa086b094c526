"""The real Codex as a conversation: it asks, takes answers and messages, and stores what `codex exec` stores."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import Any

import pytest
from tests.programs.test_codex import ONE_RESPONSE, THREE_CALLS, times
from tests.support.agent_programs import Agent, Run
from tests.support.agents import LI, contents, environment, session
from tests.support.conversations import answer, answering, send, sending, stored, wait_for_question
from tests.support.sandboxes import needs_bwrap
from tests.support.waiting import wait_until

from lionstudio.agents.dialog import Delivery, Dialog
from lionstudio.agents.events import AnswerTaken, Ended, Event, MessageEvent, QuestionAsked, QuestionClosed
from lionstudio.errors import LionError
from lionstudio.model.messages import ActionRequest, ActionResponse, Instruction
from lionstudio.model.questions import Answer, AnsweredQuestion, Effect, Question
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.state.database import reading
from lionstudio.state.exchange.mailboxes import list_receipts

PATCH = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch\nEOF\n"


def escalated(command: str) -> str:
    """The call of a command outside the sandbox, which needs permission."""
    arguments = {"cmd": command, "sandbox_permissions": "require_escalated", "justification": "it must be written"}
    return f"@run @call exec_command {json.dumps(arguments)}"


def play(codex: Agent, prompt: str, *acts: Callable[[Dialog, Event], None], **changes: Any) -> Run:
    """Run it with a person who acts on its events."""
    dialog = Dialog()

    def act(event: Event) -> bool:
        for each in acts:
            each(dialog, event)
        return False

    return asyncio.run(codex.play(prompt, until=act, dialog=dialog, **changes))


def questions(run: Run) -> list[Question]:
    return [event.question for event in run.events if isinstance(event, QuestionAsked)]


def shapes(run: Run) -> list[Any]:
    """The messages, without what differs between two runs."""
    texts = []
    for message in run.messages:
        content = {key: value for key, value in message.content.items() if key != "action_request_id"}
        kinds = {
            key: message.metadata[key] for key in ("item", "status", "exit_code", "record") if key in message.metadata
        }
        texts.append((type(message).__name__, content, kinds))
    return texts


def test_codex_conversation_stores_the_messages_of_codex_exec(codex: Agent) -> None:
    prompt = f"{THREE_CALLS} @cached"
    alone, conversation = codex.run(prompt), play(codex, prompt)

    assert conversation.ended == alone.ended == Ended(SessionStatus.COMPLETED, 0)
    assert shapes(conversation) == shapes(alone)
    assert conversation.usage[:4] == alone.usage[:4]
    # each of the four calls is rounded to a micro-dollar by itself, the sum of `codex exec` once
    assert abs((conversation.usage.cost_microusd or 0) - (alone.usage.cost_microusd or 0)) <= 4
    assert conversation.facts["model"] == "gpt-5"
    assert conversation.facts["conversation"]
    assert not questions(conversation)


@pytest.mark.parametrize(
    ("option", "effect", "runs"),
    [("allow", Effect.ALLOW, True), ("always", Effect.ALLOW_ALWAYS, True), ("deny", Effect.DENY, False)],
)
def test_codex_asks_before_a_command(codex: Agent, option: str, effect: Effect, runs: bool) -> None:
    prompt = f"{escalated('touch a.txt')}\n{escalated('touch a.txt')}\n@say done"
    run = play(codex, prompt, answering(option), permissions="ask")

    asked = questions(run)
    assert asked[0].title == "shell: touch a.txt"
    assert asked[0].effect_of(Answer(option)) is effect
    assert "touch a.txt" in asked[0].evidence["arguments"]["command"]
    assert asked[0].evidence["cwd"] == codex.task.cwd
    assert asked[0].evidence["text"] == "it must be written"
    assert asked[0].evidence["suggestions"] == ["touch", "a.txt"]
    assert len(asked) == (1 if option == "always" else 2)
    assert [event.question_id for event in run.events if isinstance(event, AnswerTaken)] == [one.id for one in asked]
    assert (Path(codex.task.cwd) / "a.txt").exists() is runs
    assert run.ended.status is SessionStatus.COMPLETED
    assert len(run.ended.denied) == (0 if runs else 2)
    rules = Path(codex.task.env["CODEX_HOME"], "rules", "default.rules")
    assert rules.exists() is (option == "always")
    kinds = [event.message if isinstance(event, MessageEvent) else event for event in run.events]
    request = next(n for n, kind in enumerate(kinds) if isinstance(kind, ActionRequest))
    response = next(n for n, kind in enumerate(kinds) if isinstance(kind, ActionResponse))
    question = next(n for n, kind in enumerate(kinds) if isinstance(kind, QuestionAsked))
    assert request < question < response


def test_codex_counts_only_what_was_denied_in_the_end(codex: Agent) -> None:
    prompt = f"@run touch a.txt\n@run touch b.txt\n{escalated('touch a.txt')}\n@say done"
    run = play(codex, prompt, answering("allow"), permissions="ask")

    assert run.ended.denied == ("exec_command",)  # b.txt
    assert sorted(path.name for path in Path(codex.task.cwd).glob("?.txt")) == ["a.txt"]


def test_codex_asks_before_a_file_change(codex: Agent) -> None:
    prompt = f"@run @call exec_command {json.dumps({'cmd': PATCH})}\n@say done"
    run = play(codex, prompt, answering("allow"), permissions="ask")

    (question,) = questions(run)
    assert question.title == "apply_patch: new.txt"
    assert "hello" in question.evidence["diff"]
    assert question.evidence["arguments"]["changes"][0]["kind"] == "add"
    assert (Path(codex.task.cwd) / "new.txt").read_text() == "hello\n"
    ((asked, result),) = run.calls
    assert asked.content["function"] == "apply_patch"
    assert result.content["output"] == "completed"


def test_codex_reads_the_words_of_a_denial_in_the_same_turn(codex: Agent) -> None:
    before = len(codex.network.bodies())
    run = play(
        codex, f"{escalated('touch a.txt')}\n@say done", answering("deny", "use b.txt instead"), permissions="ask"
    )

    words = [message for message in run.messages if isinstance(message, Instruction) and message.role == "user"]
    assert [message.content["instruction"] for message in words] == ["use b.txt instead"]
    bodies = [json.loads(line) for line in codex.network.bodies(before).splitlines()]
    assert "use b.txt instead" in json.dumps(bodies[1:]), [body["input"][-2:] for body in bodies]
    assert [record.get("method") for record in run.printed].count("turn/completed") == 1
    assert not (Path(codex.task.cwd) / "a.txt").exists()


def test_codex_takes_a_message_into_the_running_turn(codex: Agent) -> None:
    before = len(codex.network.bodies())
    hint = sending("mind the tests", Delivery.NOW, on=ActionRequest)
    run = play(codex, "@run sleep 2; echo one\n@say done", hint)

    said = [message for message in run.messages if message.id == hint.message.id]
    assert len(said) == 1
    assert run.texts() == ["done"]
    order = [message.id for message in run.messages]
    (result,) = (message.id for message in run.messages if isinstance(message, ActionResponse))
    assert order.index(result) < order.index(hint.message.id) < len(order) - 1
    bodies = [json.loads(line) for line in codex.network.bodies(before).splitlines()]
    assert "mind the tests" in json.dumps(bodies[1])
    assert run.usage == times(ONE_RESPONSE, 2)
    assert run.ended == Ended(SessionStatus.COMPLETED, 0)


def test_codex_takes_a_message_after_the_turn(codex: Agent) -> None:
    later = sending("@say second", Delivery.NEXT, on=ActionRequest)
    run = play(codex, "@run sleep 1; echo one\n@say first", later)

    assert run.texts() == ["first", "second"]
    ids = [message.id for message in run.messages]
    assert ids.index(later.message.id) == len(ids) - 2
    assert run.usage == times(ONE_RESPONSE, 3)


def test_codex_message_replaces_the_turn(codex: Agent) -> None:
    instead = sending("@say something else", Delivery.INSTEAD, on=QuestionAsked)
    run = play(codex, f"{escalated('touch a.txt')}\n@say done", instead, permissions="ask")

    (question,) = questions(run)
    assert [event.question_id for event in run.events if isinstance(event, QuestionClosed)] == [question.id]
    assert run.texts() == ["something else"]
    assert run.ended.status is SessionStatus.COMPLETED
    assert not (Path(codex.task.cwd) / "a.txt").exists()


def test_codex_continues_from_an_answer_after_it_was_killed(codex: Agent) -> None:
    prompt = f"{escalated('echo once >> a.txt')}\n@say done"
    first = asyncio.run(
        codex.play(prompt, until=lambda event: isinstance(event, QuestionAsked), dialog=Dialog(), permissions="ask")
    )
    (question,) = questions(first)
    assert question.outlives

    answered = (AnsweredQuestion(question, Answer("allow")),)
    twice = f"{escalated('echo once >> a.txt')}\n{escalated('echo once >> a.txt')}\n@say done"
    second = play(
        codex, twice, answering("deny"), permissions="ask", resume=first.facts["conversation"], answered=answered
    )

    assert second.facts["conversation"] == first.facts["conversation"]
    assert (Path(codex.task.cwd) / "a.txt").read_text() == "once\n"
    taken = [event.question_id for event in second.events if isinstance(event, AnswerTaken)]
    assert taken[0] == question.id
    assert len(questions(second)) == 1  # the recorded answer decides once


def test_codex_conversation_resumes_and_forks(codex: Agent) -> None:
    first = play(codex, "@run true\n@say one")
    second = play(codex, "and now?", resume=first.facts["conversation"])
    forked = play(codex, "or this?", resume=first.facts["conversation"], options={"fork": True})

    assert second.facts["conversation"] == first.facts["conversation"] != forked.facts["conversation"]
    assert (first.usage, second.usage, forked.usage) == (times(ONE_RESPONSE, 2), ONE_RESPONSE, ONE_RESPONSE)
    ended = play(codex, "go on", resume="00000000-0000-4000-8000-000000000000").ended
    assert ended.status is SessionStatus.FAILED
    assert "--fork" in str(ended.detail)


def test_codex_conversation_receives_instructions_and_effort(codex: Agent) -> None:
    system = 'Be "kind" \\ brief,\nand ünïcode \x7f.'
    run = play(codex, "@say hello", system=system, effort="low", model="gpt-5-mini")

    assert run.facts["model"] == "gpt-5-mini"
    (rollout,) = Path(codex.task.env["HOME"]).rglob("rollout-*.jsonl")
    told = [json.loads(line)["payload"] for line in rollout.read_text().splitlines()]
    assert system in [block["text"] for item in told if item.get("role") == "developer" for block in item["content"]]
    assert next(item["effort"] for item in told if "effort" in item) == "low"


@pytest.mark.parametrize(("permissions", "written"), [(None, False), ("edit", True), ("all", True)])
def test_codex_conversation_receives_permissions(codex: Agent, permissions: str | None, written: bool) -> None:
    run = play(codex, "@run touch b.txt\n@say done", permissions=permissions)

    assert run.ended.denied == (() if written else ("exec_command",))
    assert (Path(codex.task.cwd) / "b.txt").exists() is written


@pytest.mark.parametrize(("status", "reason"), [(400, "run.failed.exit_nonzero"), (429, "run.failed.usage_limit")])
def test_codex_conversation_fails_with_the_service(codex: Agent, status: int, reason: str) -> None:
    run = play(codex, f"@status {status}\n@say never, conversation")

    assert (run.ended.status, run.ended.reason) == (SessionStatus.FAILED, reason)


@contextmanager
def running(codex: Agent, home: Path, prompt: str, *more: str, confined: bool = False) -> Iterator[Popen[str]]:
    """`li agent codex` in progress; it is ended afterwards."""
    words = [LI, "agent", "codex", prompt, "--pass-env", "FAKE_KEY", *more]
    env = {**environment(home), **codex.task.env}
    if confined:  # the program cannot enter the network from its own namespaces, so all of `li` is in it
        words = ["nsenter", f"--target={codex.network.pid}", "--net", "--", *words, "--sandbox", "require"]
        env["PATH"] = os.pathsep.join(env["PATH"].split(os.pathsep)[1:])
    with Popen(words, env=env, cwd=home, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def test_li_agent_codex_asks_and_its_receipt_is_right(codex: Agent, tmp_path: Path) -> None:
    prompt = f"{escalated('echo one > a.txt')}\n@say done"
    with running(codex, tmp_path, prompt, "--permissions", "ask") as process:
        question = wait_for_question(tmp_path, process)
        assert session(tmp_path)["health"] == "waiting"
        assert not (tmp_path / "a.txt").exists()
        answer(tmp_path, question, Effect.ALLOW)
        out, err = process.communicate(timeout=60)

    assert (process.returncode, out.splitlines()[-1]) == (0, "done"), err
    assert (tmp_path / "a.txt").read_text() == "one\n"
    after = stored(tmp_path, question)
    assert (after.status, after.answered_by) == ("taken", "ada")
    messages = contents(tmp_path)["main"]
    assert after.taken_ord is not None
    assert [set(content) & {"arguments", "action_request_id"} for content in messages[after.taken_ord :][:2]] == [
        {"arguments"},
        {"action_request_id"},
    ]


def test_li_agent_codex_takes_a_message_during_a_call_with_its_ord(codex: Agent, tmp_path: Path) -> None:
    with running(codex, tmp_path, "@run sleep 3; echo one\n@say done", "--permissions", "all") as process:
        wait_until(lambda: any("arguments" in content for content in _stored(tmp_path)))
        message = send(tmp_path, "mind the tests", Delivery.NOW)
        out, err = process.communicate(timeout=60)

    assert (process.returncode, out.splitlines()[-1]) == (0, "done"), err
    run = session(tmp_path)["id"]
    with reading(str(tmp_path / "state.db")) as conn:
        (receipt,) = list_receipts(conn, run, run)
    assert receipt.message.id == message
    messages = contents(tmp_path)["main"]
    assert receipt.taken_ord is not None
    assert messages[receipt.taken_ord] == {"instruction": "mind the tests"}
    assert "action_request_id" in messages[receipt.taken_ord - 1]
    assert messages[receipt.taken_ord + 1] == {"assistant_response": "done"}
    assert [content for content in messages if content.get("instruction") == "mind the tests"] == [
        messages[receipt.taken_ord]
    ]


@needs_bwrap
def test_confined_codex_asks_and_writes_what_is_allowed(codex: Agent, tmp_path: Path) -> None:
    work = tmp_path / "work"
    prompt = f"@run touch b.txt\n{escalated('echo one > a.txt')}\n@say done"
    with running(codex, tmp_path, prompt, "--permissions", "ask", "--cwd", str(work), confined=True) as process:
        question = wait_for_question(tmp_path, process)
        assert not (work / "b.txt").exists()
        answer(tmp_path, question, Effect.ALLOW)
        out, err = process.communicate(timeout=60)

    assert (process.returncode, out.splitlines()[-1]) == (0, "done"), err
    assert Effect.ALLOW_ALWAYS not in {option.effect for option in question.options}  # it must not leave rules behind
    assert (work / "a.txt").read_text() == "one\n"
    assert not (work / "b.txt").exists()


def _stored(home: Path) -> list[Any]:
    try:
        return contents(home).get("main", [])
    except (LionError, AssertionError):  # not even a session yet
        return []
