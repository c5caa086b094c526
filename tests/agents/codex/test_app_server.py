"""Codex as a conversation with a scripted app server: what the real one does rarely, or never."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.agent_programs import Run
from tests.support.conversations import answering, sending
from tests.support.json_rpc_peers import play, write_peer

from lionstudio.agents.codex.provider import is_conversation, provider
from lionstudio.agents.dialog import TAKES_MESSAGES, Delivery, Dialog
from lionstudio.agents.events import AnswerTaken, Event, MetadataEvent, QuestionAsked, QuestionClosed
from lionstudio.agents.provider import Task
from lionstudio.model.messages import Instruction
from lionstudio.model.questions import Answer, AnsweredQuestion, Question, QuestionKind
from lionstudio.model.status.statuses import SessionStatus

OPENING = """
answer("initialize")
receive("initialized")
opened = answer("thread/start", thread={"id": "t"}, model="gpt-5")

def notify(method, **params):
    send(method=method, params={"threadId": "t", "turnId": "u", **params})

def begin(turn="u"):
    started = answer("turn/start", turn={"id": turn})
    notify("turn/started", turn={"id": turn})
    heard(started)
    return started

def heard(request):
    item = {"type": "userMessage", "id": "m", "clientId": request["params"]["clientUserMessageId"],
            "content": request["params"]["input"]}
    notify("item/started", item=item)

def ask(number, command, **more):
    item = {"type": "commandExecution", "id": f"call-{number}", "command": command, "status": "inProgress"}
    notify("item/started", item=item)
    send(id=number, method="item/commandExecution/requestApproval",
         params={"threadId": "t", "turnId": "u", "itemId": f"call-{number}", "command": command, "cwd": "/w", **more})

def say(text):
    notify("item/completed", item={"type": "agentMessage", "id": "a", "text": text})

def end(status="completed"):
    notify("turn/completed", turn={"id": "u", "status": status})
"""


def task_of(folder: Path, *parts: str, permissions: str | None = "ask", **changes: Any) -> Task:
    write_peer(folder / "bin" / "codex", *parts)
    env = {"PATH": str(folder / "bin"), "HOME": str(folder)}
    return Task("hello", str(folder), env, permissions=permissions)._replace(**changes)


def questions(run: Run) -> list[Question]:
    return [event.question for event in run.events if isinstance(event, QuestionAsked)]


def closed(run: Run) -> list[str]:
    return [event.question_id for event in run.events if isinstance(event, QuestionClosed)]


def test_two_requests_are_answered_in_reverse_order(tmp_path: Path) -> None:
    script = """
    begin()
    ask(7, "first")
    ask(8, "second")
    replies = [receive(), receive()]
    say(json.dumps([[reply["id"], reply["result"]["decision"]] for reply in replies]))
    end()
    """
    asked: list[Question] = []

    def answer_backwards(dialog: Dialog, event: Event) -> None:
        if isinstance(event, QuestionAsked):
            asked.append(event.question)
            if len(asked) == 2:
                dialog.put(AnsweredQuestion(asked[1], Answer("allow")))
                dialog.put(AnsweredQuestion(asked[0], Answer("deny")))

    run = play(provider(), task_of(tmp_path, OPENING, script), answer_backwards)

    assert json.loads(run.texts()[0]) == [[8, "accept"], [7, "decline"]]
    taken = [event.question_id for event in run.events if isinstance(event, AnswerTaken)]
    assert taken == [asked[1].id, asked[0].id]
    assert run.ended.status is SessionStatus.COMPLETED


def test_refused_steer_becomes_the_next_turn(tmp_path: Path) -> None:
    script = """
    begin()
    ask(7, "first")
    steer = receive("turn/steer")
    assert steer["params"]["expectedTurnId"] == "u"
    send(id=steer["id"], error={"code": -32600, "message": "no active turn to steer"})
    say("one")
    end()
    second = begin("v")
    say("two: " + second["params"]["input"][0]["text"])
    end()
    """
    hint = sending("mind the tests", Delivery.NOW, on=QuestionAsked)
    run = play(provider(), task_of(tmp_path, OPENING, script), hint)

    assert run.texts() == ["one", "two: mind the tests"]
    assert [message.id for message in run.messages].count(hint.message.id) == 1
    assert closed(run) == [question.id for question in questions(run)]


def test_accepted_message_that_the_turn_did_not_take_is_sent_again(tmp_path: Path) -> None:
    script = """
    begin()
    ask(7, "first")
    steer = receive("turn/steer")
    send(id=steer["id"], result={"turnId": "u"})
    end()
    say("two: " + begin("v")["params"]["input"][0]["text"])
    end()
    """
    run = play(
        provider(), task_of(tmp_path, OPENING, script), sending("mind the tests", Delivery.NOW, on=QuestionAsked)
    )

    assert run.texts() == ["two: mind the tests"]


def test_resolved_request_closes_its_question_and_an_answer_is_ignored(tmp_path: Path) -> None:
    script = """
    begin()
    ask(7, "first")
    notify("serverRequest/resolved", requestId=7)
    ask(8, "second")
    say(json.dumps(receive()["id"]))
    end()
    """
    first: list[Question] = []

    def late(dialog: Dialog, event: Event) -> None:
        if isinstance(event, QuestionAsked):
            first.append(event.question)
            if len(first) == 2:
                for question in first:
                    dialog.put(AnsweredQuestion(question, Answer("allow")))

    run = play(provider(), task_of(tmp_path, OPENING, script), late)

    assert closed(run) == [first[0].id]
    assert [event.question_id for event in run.events if isinstance(event, AnswerTaken)] == [first[1].id]
    assert run.texts() == ["8"]


def test_unknown_request_is_answered_with_an_error(tmp_path: Path) -> None:
    script = """
    begin()
    send(id=5, method="item/teleport/requestApproval", params={"threadId": "t"})
    say(json.dumps(reply_to(5)["error"]["code"]))
    end()
    """
    run = play(provider(), task_of(tmp_path, OPENING, script))

    assert run.texts() == ["-32601"]
    assert not questions(run)


def test_program_that_dies_while_it_waits_ends_the_run_and_leaves_the_question(tmp_path: Path) -> None:
    script = """
    begin()
    ask(7, "first")
    print("out of luck", file=sys.stderr)
    sys.exit(3)
    """
    run = play(provider(), task_of(tmp_path, OPENING, script))

    assert (run.ended.status, run.ended.exit_code, run.ended.detail) == (SessionStatus.FAILED, 3, "out of luck")
    (question,) = questions(run)
    assert question.outlives
    assert closed(run) == []


def test_ten_megabytes_of_arguments_are_evidence_in_full(tmp_path: Path) -> None:
    script = """
    begin()
    ask(7, "echo " + "x" * 10_000_000, reason="it is long")
    say(receive()["result"]["decision"])
    end()
    """
    run = play(provider(), task_of(tmp_path, OPENING, script), answering("allow_session"))

    (question,) = questions(run)
    assert len(question.evidence["arguments"]["command"]) == 10_000_005
    assert question.title.startswith("shell: echo x")
    assert run.texts() == ["acceptForSession"]


def test_options_are_those_of_codex_and_a_proposed_rule_is_always(tmp_path: Path) -> None:
    script = """
    begin()
    rule = {"acceptWithExecpolicyAmendment": {"execpolicy_amendment": ["npm", "test"]}}
    host = {"applyNetworkPolicyAmendment": {"network_policy_amendment": {"host": "example.org", "action": "allow"}}}
    ask(7, "npm test", availableDecisions=["accept", rule, host, "cancel", {"hologram": {}}, 5])
    say(json.dumps(receive()["result"]["decision"]))
    end()
    """
    run = play(provider(), task_of(tmp_path, OPENING, script), answering("always"))

    (question,) = questions(run)
    assert [(option.id, option.label, str(option.effect)) for option in question.options] == [
        ("allow", "Allow", "allow"),
        ("always", "Always allow npm test", "allow_always"),
        ("allow_host_2", "Always allow example.org", "allow_always"),
        ("deny", "Deny", "deny"),
    ]
    assert json.loads(run.texts()[0]) == {"acceptWithExecpolicyAmendment": {"execpolicy_amendment": ["npm", "test"]}}


@pytest.mark.parametrize(
    ("method", "params", "given", "result"),
    [
        (
            "item/permissions/requestApproval",
            {"permissions": {"network": {"enabled": True}, "fileSystem": None}, "cwd": "/w", "reason": "to fetch"},
            Answer("allow"),
            {"permissions": {"network": {"enabled": True}}, "scope": "turn"},
        ),
        (
            "item/permissions/requestApproval",
            {"permissions": {"network": {"enabled": True}}},
            Answer("deny"),
            {"permissions": {}, "scope": "turn"},
        ),
        (
            "mcpServer/elicitation/request",
            {"serverName": "git", "mode": "form", "message": "Push?", "requestedSchema": {"properties": {}}},
            Answer("allow"),
            {"action": "accept", "content": {}, "_meta": None},
        ),
        (
            "mcpServer/elicitation/request",
            {"serverName": "git", "message": "Who?", "requestedSchema": {"properties": {"name": {}}}},
            Answer("allow", arguments={"name": "Ada"}),
            {"action": "accept", "content": {"name": "Ada"}, "_meta": None},
        ),
        (
            "item/tool/requestUserInput",
            {"questions": [{"id": "q", "question": "Which?", "options": [{"label": "red"}, {"label": "blue"}]}]},
            Answer("2"),
            {"answers": {"q": {"answers": ["blue"]}}},
        ),
        (
            "item/tool/requestUserInput",
            {"questions": [{"id": "q", "question": "Which?"}]},
            Answer(text="green"),
            {"answers": {"q": {"answers": ["green"]}}},
        ),
    ],
)
def test_other_requests_are_questions_too(
    tmp_path: Path, method: str, params: dict[str, Any], given: Answer, result: dict[str, Any]
) -> None:
    script = f"""
    begin()
    send(id=5, method={method!r}, params={{"threadId": "t", "turnId": "u", "itemId": "i", **{params!r}}})
    say(json.dumps(receive()["result"]))
    end()
    """

    def respond(dialog: Dialog, event: Event) -> None:
        if isinstance(event, QuestionAsked):
            event.question.check_answer(given)
            dialog.put(AnsweredQuestion(event.question, given))

    run = play(provider(), task_of(tmp_path, OPENING, script), respond)

    assert json.loads(run.texts()[0]) == result
    (question,) = questions(run)
    is_words = "requestUserInput" in method or ("properties" in str(params) and given.arguments is not None)
    assert question.kind is (QuestionKind.QUESTION if is_words else QuestionKind.PERMISSION)


def test_recorded_answer_does_not_allow_another_call(tmp_path: Path) -> None:
    script = """
    begin()
    params = {"serverName": "git", "mode": "form", "message": "MESSAGE", "requestedSchema": {"properties": {}}}
    send(id=5, method="mcpServer/elicitation/request", params={"threadId": "t", "turnId": "u", **params})
    say(receive()["result"]["action"])
    end()
    """

    def outcome(message: str, **changes: Any) -> Run:
        task = task_of(tmp_path, OPENING, script.replace("MESSAGE", message), **changes)
        return play(provider(), task, answering("deny"))

    (asked,) = questions(outcome("Allow the tool fetch?"))
    answered = (AnsweredQuestion(asked, Answer("allow")),)
    allowed = [outcome(f"Allow the tool {tool}?", answered=answered).texts()[0] for tool in ("fetch", "push")]

    assert allowed == ["accept", "decline"]


def test_without_ask_nobody_is_asked_and_the_request_is_declined(tmp_path: Path) -> None:
    script = """
    assert opened["params"]["approvalPolicy"] == "never"
    begin()
    ask(7, "first")
    say(receive()["result"]["decision"])
    end()
    """
    run = play(provider(), task_of(tmp_path, OPENING, script, permissions="edit"))

    assert run.texts() == ["decline"]
    assert not questions(run)


def test_messages_of_sub_agents_are_not_of_the_run_but_their_requests_are_asked(tmp_path: Path) -> None:
    script = """
    begin()
    send(method="item/completed", params={"threadId": "child", "item": {"type": "agentMessage", "text": "psst"}})
    send(method="turn/completed", params={"threadId": "child", "turn": {"id": "x", "status": "completed"}})
    send(id=7, method="item/commandExecution/requestApproval", params={"threadId": "child", "command": "rm x"})
    say(receive()["result"]["decision"])
    end()
    """
    run = play(provider(), task_of(tmp_path, OPENING, script), answering("allow"))

    assert run.texts() == ["accept"]


@pytest.mark.parametrize(
    ("method", "reply", "reason"),
    [
        ("fork", 'result={"thread": {"id": "w", "turns": [{"id": "t1"}, {"id": "t2"}]}}', "forks whole conversations"),
        ("fork", 'error={"code": -32600, "message": "turn not found: t1"}', "turn not found: t1"),
        ("resume", 'error={"code": -32600, "message": "no rollout found"}', "no rollout found"),
    ],
)
def test_conversation_that_codex_does_not_have_is_sent_as_text(
    tmp_path: Path, method: str, reply: str, reason: str
) -> None:
    script = f"""
    answer("initialize")
    asked = receive("thread/{method}")
    assert asked["params"].get("lastTurnId") == ("t1" if "{method}" == "fork" else None)
    send(id=asked["id"], {reply})
    answer("thread/start", thread={{"id": "t"}}, model="gpt-5")
    started = answer("turn/start", turn={{"id": "u"}})
    text = started["params"]["threadId"] + started["params"]["input"][0]["text"]
    item = {{"type": "agentMessage", "id": "a", "text": text}}
    send(method="item/completed", params={{"threadId": "t", "item": item}})
    send(method="turn/completed", params={{"threadId": "t", "turn": {{"id": "u", "status": "completed"}}}})
    """
    earlier = (Instruction(content={"instruction": "said before"}),)
    is_fork = method == "fork"
    fields: dict[str, Any] = {"last_turn": "t1" if is_fork else None, "options": {"fork": is_fork}}
    run = play(provider(), task_of(tmp_path, script, resume="w", history=earlier, **fields))

    assert reason in run.messages[0].text
    assert (run.facts["history_sent"], run.facts["conversation"]) == (True, "t")
    assert "[user] said before" in run.texts()[0]


def test_api_key_of_the_environment_is_used_and_not_stored(tmp_path: Path) -> None:
    script = """
    answer("initialize")
    login = answer("account/login/start", type="apiKey")
    answer("thread/start", thread={"id": "t"}, model="gpt-5")
    send(id=answer("turn/start", turn={"id": "u"})["id"], result={})
    text = json.dumps([login["params"], sys.argv[1:]])
    send(method="item/completed", params={"threadId": "t", "item": {"type": "agentMessage", "id": "a", "text": text}})
    send(method="turn/completed", params={"threadId": "t", "turn": {"id": "u", "status": "completed"}})
    """
    task = task_of(tmp_path, script)
    run = play(provider(), task._replace(env={**task.env, "CODEX_API_KEY": "sk-1"}))

    login, arguments = json.loads(run.texts()[0])
    assert login == {"type": "apiKey", "apiKey": "sk-1"}
    assert arguments == ["app-server", '--config=cli_auth_credentials_store="ephemeral"']


def test_interrupted_turn_that_nobody_replaced_is_not_a_completed_run(tmp_path: Path) -> None:
    run = play(provider(), task_of(tmp_path, OPENING, "begin()\nsay('half')\nend('interrupted')\n"))

    assert run.texts() == ["half"]
    assert run.ended.status is SessionStatus.FAILED


@pytest.mark.parametrize(
    ("args", "talks"),
    [
        ([], True),
        (["-c", "model_verbosity=low", "--enable=web"], True),
        (["--add-dir", "../docs"], False),
        (["--config"], True),
        (["../docs"], False),
    ],
)
def test_is_conversation_keeps_arguments_that_only_codex_exec_has(args: list[str], talks: bool) -> None:
    task = Task("hello", "/", {}, options={"args": args}, dialog=Dialog())

    assert is_conversation(task) is talks
    assert not is_conversation(task._replace(dialog=None))
    assert not is_conversation(task._replace(untrusted_material=True))


def test_codex_exec_says_that_it_takes_no_messages(tmp_path: Path) -> None:
    executed = play(provider(), task_of(tmp_path, "pass\n", options={"args": ["--add-dir=/"]}))
    conversed = play(provider(), task_of(tmp_path, OPENING, "begin()\nend()\n"))

    assert MetadataEvent({TAKES_MESSAGES: False}) in executed.events
    assert MetadataEvent({TAKES_MESSAGES: False}) not in conversed.events


def test_stream_that_is_not_json_is_kept(tmp_path: Path) -> None:
    run = play(provider(), task_of(tmp_path, OPENING, "begin()\nprint('warning: hm', flush=True)\nsay('x')\nend()\n"))

    assert run.messages[0].content.get("raw") == "warning: hm"
