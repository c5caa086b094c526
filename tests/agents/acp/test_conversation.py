"""The provider acp with a person, and agents that ask oddly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.agent_programs import Run
from tests.support.agents import session, start
from tests.support.conversations import answering, sending, stored, wait_for_question
from tests.support.json_rpc_peers import play, write_peer
from tests.support.waiting import wait_until

from lionstudio.agents.acp.provider import provider
from lionstudio.agents.dialog import Delivery, Dialog
from lionstudio.agents.events import AnswerTaken, Event, QuestionAsked, QuestionClosed
from lionstudio.agents.provider import Task
from lionstudio.model.messages import Instruction
from lionstudio.model.questions import Answer, AnsweredQuestion, AnswerOption, Effect, Question, QuestionKind
from lionstudio.model.status.statuses import SessionStatus

OPENING = """
answer("initialize", agentCapabilities={"loadSession": True})
answer("session/new", sessionId="s")

def update(**fields):
    send(method="session/update", params={"sessionId": "s", "update": fields})

def say(text):
    update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": text})

OPTIONS = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"},
           {"optionId": "forever", "name": "Always", "kind": "allow_always"},
           {"optionId": "no", "name": "No", "kind": "reject_once"}]

def ask(number, title, options=OPTIONS, **fields):
    call = {"toolCallId": f"call-{number}", "title": title, "kind": "execute", "rawInput": {"command": title}, **fields}
    send(id=number, method="session/request_permission",
         params={"sessionId": "s", "toolCall": call, "options": options})

def end(prompt, stop="end_turn"):
    send(id=prompt["id"], result={"stopReason": stop})
"""


def run(folder: Path, script: str, *acts: object, **changes: object) -> Run:
    peer = write_peer(folder / "peer", OPENING, script)
    task = Task("hello", str(folder), {}, permissions="ask", options={"command": [str(peer)]})
    return play(provider(), task._replace(**changes), *acts)  # type: ignore[arg-type]


def questions(run: Run) -> list[Question]:
    return [event.question for event in run.events if isinstance(event, QuestionAsked)]


def closed(run: Run) -> list[str]:
    return [event.question_id for event in run.events if isinstance(event, QuestionClosed)]


def test_several_requests_wait_at_once_and_the_agent_goes_on(tmp_path: Path) -> None:
    script = """
    prompt = receive("session/prompt")
    diff = {"type": "diff", "path": "/w/a.txt", "oldText": "one", "newText": "two"}
    ask(7, "first", content=[diff], locations=[{"path": "/w/a.txt"}])
    ask(8, "second")
    say("meanwhile")
    say(json.dumps([[reply["id"], reply["result"]["outcome"]] for reply in (receive(), receive())]))
    end(prompt)
    """
    asked: list[Question] = []

    def answer_backwards(dialog: Dialog, event: Event) -> None:
        if isinstance(event, QuestionAsked):
            asked.append(event.question)
            if len(asked) == 2:
                dialog.put(AnsweredQuestion(asked[1], Answer("forever")))
                dialog.put(AnsweredQuestion(asked[0], Answer("no")))

    story = run(tmp_path, script, answer_backwards)

    assert [(option.label, option.effect) for option in asked[0].options] == [
        ("Yes", Effect.ALLOW),
        ("Always", Effect.ALLOW_ALWAYS),
        ("No", Effect.DENY),
    ]
    evidence = asked[0].evidence
    assert evidence["arguments"] == {"command": "first"}
    assert evidence["diffs"] == [{"path": "/w/a.txt", "old": "one", "new": "two"}]
    assert evidence["locations"] == [{"path": "/w/a.txt"}]
    outcomes = json.loads("".join(story.texts()).partition("meanwhile")[2])
    assert outcomes == [
        [8, {"outcome": "selected", "optionId": "forever"}],
        [7, {"outcome": "selected", "optionId": "no"}],
    ]
    assert [event.question_id for event in story.events if isinstance(event, AnswerTaken)] == [asked[1].id, asked[0].id]
    assert story.ended.denied == ("execute",)


def test_message_instead_cancels_the_turn_and_every_request(tmp_path: Path) -> None:
    script = """
    prompt = receive("session/prompt")
    ask(7, "first")
    ask(8, "second")
    assert receive()["method"] == "session/cancel"
    outcomes = [receive()["result"]["outcome"]["outcome"], receive()["result"]["outcome"]["outcome"]]
    end(prompt, "cancelled")
    prompt = receive("session/prompt")
    say(json.dumps([outcomes, prompt["params"]["prompt"][0]["text"]]))
    end(prompt)
    """
    seen: list[Event] = []

    def interrupt(dialog: Dialog, event: Event) -> None:
        if isinstance(event, QuestionAsked):
            seen.append(event)
            if len(seen) == 2:
                instead(dialog, event)

    instead = sending("something else", Delivery.INSTEAD, on=QuestionAsked)
    story = run(tmp_path, script, interrupt)

    assert json.loads(story.texts()[-1]) == [["cancelled", "cancelled"], "something else"]
    assert closed(story) == [question.id for question in questions(story)]
    assert story.ended.status is SessionStatus.COMPLETED


def test_message_now_waits_for_the_end_of_the_turn(tmp_path: Path) -> None:
    script = """
    prompt = receive("session/prompt")
    ask(7, "first")
    receive()
    say("one")
    end(prompt)
    prompt = receive("session/prompt")
    say("two: " + prompt["params"]["prompt"][0]["text"])
    end(prompt)
    """
    now = sending("and this", Delivery.NOW, on=QuestionAsked)
    story = run(tmp_path, script, now, answering("yes"))

    assert story.texts() == ["one", "two: and this"]
    ids = [message.id for message in story.messages]
    assert ids.index(now.message.id) == len(ids) - 2


def test_words_of_a_denial_are_the_next_prompt(tmp_path: Path) -> None:
    script = """
    prompt = receive("session/prompt")
    ask(7, "first")
    outcome = receive()["result"]["outcome"]
    end(prompt)
    prompt = receive("session/prompt")
    say(json.dumps([outcome, prompt["params"]["prompt"][0]["text"]]))
    end(prompt)
    """
    story = run(tmp_path, script, answering("no", "use the other one"))

    assert json.loads(story.texts()[-1]) == [{"outcome": "selected", "optionId": "no"}, "use the other one"]


def test_agent_that_offers_nothing_can_still_be_denied(tmp_path: Path) -> None:
    script = """
    prompt = receive("session/prompt")
    ask(7, "first", options=[{"name": "broken"}, 5])
    say(json.dumps(receive()["result"]["outcome"]))
    end(prompt)
    """
    story = run(tmp_path, script, answering("deny"))

    assert [option.id for option in questions(story)[0].options] == ["deny"]
    assert json.loads(story.texts()[0]) == {"outcome": "cancelled"}


def test_request_that_the_agent_cancels_is_closed(tmp_path: Path) -> None:
    script = """
    prompt = receive("session/prompt")
    ask(7, "first")
    send(method="$/cancel_request", params={"requestId": 7})
    receive()
    end(prompt)
    """
    story = run(tmp_path, script)

    assert closed(story) == [question.id for question in questions(story)]


def test_agent_that_dies_while_it_waits_ends_the_run_and_leaves_the_question(tmp_path: Path) -> None:
    script = """
    receive("session/prompt")
    ask(7, "first")
    print("out of luck", file=sys.stderr)
    sys.exit(3)
    """
    story = run(tmp_path, script)

    assert (story.ended.status, story.ended.exit_code, story.ended.detail) == (SessionStatus.FAILED, 3, "out of luck")
    assert closed(story) == []
    assert questions(story)[0].outlives  # it can load the session


def test_recorded_answer_decides_once(tmp_path: Path) -> None:
    script = """
    prompt = receive("session/prompt")
    ask(7, "first")
    outcomes = [receive()["result"]["outcome"]["optionId"]]
    ask(8, "first")
    outcomes.append(receive()["result"]["outcome"]["optionId"])
    say(json.dumps(outcomes))
    end(prompt)
    """
    evidence = {"tool": "execute", "arguments": {"command": "first"}, "cwd": str(tmp_path)}
    first = run(tmp_path, script, answering("no"))
    (question, _) = questions(first)
    assert {name: question.evidence[name] for name in evidence} == evidence

    story = run(tmp_path, script, answering("no"), answered=(AnsweredQuestion(question, Answer("yes")),))

    assert json.loads(story.texts()[-1]) == ["yes", "no"]
    assert next(event.question_id for event in story.events if isinstance(event, AnswerTaken)) == question.id
    assert len(questions(story)) == 1


def test_answer_reaches_agent_that_lost_the_conversation(tmp_path: Path) -> None:
    opening = OPENING.replace(
        'answer("session/new"',
        """lost = receive("session/load")
send(id=lost["id"], error={"code": -32603, "message": "no such session"})
answer("session/new\"""",
    )
    script = """
    prompt = receive("session/prompt")
    ask(7, "echo one")
    say(json.dumps([reply_to(7)["result"], prompt["params"]["prompt"][0]["text"]]))
    end(prompt)
    """
    evidence = {"tool": "execute", "arguments": {"command": "echo one"}, "text": "echo one", "kind": "execute"}
    evidence |= {"cwd": str(tmp_path)}
    asked = Question(kind=QuestionKind.PERMISSION, title="t", evidence=evidence, options=(AnswerOption("yes", "Yes"),))
    peer = write_peer(tmp_path / "peer", opening, script)
    task = Task("go on", str(tmp_path), {}, permissions="ask", options={"command": [str(peer)]}, resume="gone")
    task = task._replace(
        history=(Instruction(content={"instruction": "said before"}),),
        answered=(AnsweredQuestion(asked, Answer("yes")),),
    )
    story = play(provider(), task)

    reply, text = json.loads(story.texts()[-1])
    assert reply == {"outcome": {"outcome": "selected", "optionId": "yes"}}
    assert "[user] said before" in text
    assert (story.facts["history_sent"], story.facts["conversation"]) == (True, "s")
    assert not questions(story)


@pytest.mark.parametrize("can_load", [True, False])
def test_question_outlives_killed_run_if_agent_can_continue(tmp_path: Path, *, can_load: bool) -> None:
    opening = OPENING if can_load else OPENING.replace('{"loadSession": True}', "{}")
    peer = write_peer(tmp_path / "peer", opening, 'receive("session/prompt")\nask(7, "echo one")\nreply_to(7)\n')
    with start(tmp_path, "agent", "acp", "hello", "--permissions", "ask", "--", str(peer)) as process:
        question = wait_for_question(tmp_path, process)
        process.kill()
        process.communicate()
    wait_until(lambda: session(tmp_path)["status"] == "failed")

    after = stored(tmp_path, question)
    assert after.is_open is can_load
    if not can_load:
        reason = "the run ended: failed, and its agent cannot continue it"
        assert (after.status, after.closed_reason) == ("withdrawn", reason)


def test_ten_megabytes_of_arguments_are_evidence_in_full(tmp_path: Path) -> None:
    script = """
    prompt = receive("session/prompt")
    ask(7, "first", rawInput={"command": "x" * 10_000_000})
    receive()
    end(prompt)
    """
    story = run(tmp_path, script, answering("yes"))

    assert len(questions(story)[0].evidence["arguments"]["command"]) == 10_000_000
    assert story.ended.status is SessionStatus.COMPLETED
