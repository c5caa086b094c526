"""The real Claude Code in a dialog: it asks, takes answers and messages, and continues after a long wait."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.agent_programs import Agent, Run

from lionstudio.agents.dialog import Delivery, Dialog, SentMessage
from lionstudio.agents.events import AnswerTaken, Ended, Event, MessageEvent, QuestionAsked, QuestionClosed
from lionstudio.model.messages import ActionRequest, ActionResponse, Instruction
from lionstudio.model.questions import Answer, AnsweredQuestion, Effect, Question, QuestionKind, QuestionStatus
from lionstudio.model.status.statuses import SessionStatus

React = Callable[[Event, Dialog], None]


def talk(claude: Agent, prompt: str, react: React, **changes: Any) -> Run:
    """Run it with a dialog that reacts to its events."""

    async def play() -> Run:
        dialog = Dialog()

        def note(event: Event) -> bool:
            react(event, dialog)
            return False

        return await claude.play(prompt, until=note, dialog=dialog, **{"permissions": "ask", **changes})

    return asyncio.run(play())


def answering(*answers: Answer) -> React:
    """Answer each question with the next answer."""
    left = list(answers)

    def react(event: Event, dialog: Dialog) -> None:
        if isinstance(event, QuestionAsked):
            dialog.put(AnsweredQuestion(event.question, left.pop(0)))

    return react


def asked(run: Run) -> list[Question]:
    return [event.question for event in run.events if isinstance(event, QuestionAsked)]


def taken(run: Run) -> list[str]:
    return [event.question_id for event in run.events if isinstance(event, AnswerTaken)]


def files(claude: Agent) -> list[str]:
    return sorted(path.name for path in Path(claude.task.cwd).iterdir() if not path.name.startswith("."))


def prompt_message(text: str) -> Instruction:
    return Instruction(content={"instruction": text}, sender="user", recipient="run")


def test_claude_runs_allowed_call(claude: Agent) -> None:
    run = talk(claude, "@run touch a.txt\n@say done", answering(Answer("allow")))

    assert run.ended == Ended(SessionStatus.COMPLETED, 0)
    (question,) = asked(run)
    assert question.kind is QuestionKind.PERMISSION
    assert question.title == "Bash: touch a.txt"
    assert question.evidence["arguments"]["command"] == "touch a.txt"
    assert question.evidence["cwd"] == claude.task.cwd
    assert question.evidence["call_id"] == run.calls[0][0].metadata["call_id"]
    assert [option.effect for option in question.options][:3] == [Effect.ALLOW, Effect.DENY, Effect.ALLOW_ALWAYS]
    assert taken(run) == [question.id]
    kinds = [type(getattr(event, "message", event)) for event in run.events]
    assert kinds.index(ActionRequest) < kinds.index(QuestionAsked) < kinds.index(AnswerTaken)
    assert files(claude) == ["a.txt"]
    assert run.texts()[-1] == "done"


def test_claude_reads_reason_of_denial(claude: Agent) -> None:
    words = "not today, use the other folder"
    run = talk(claude, "@run touch a.txt\n@say done", answering(Answer("deny", words)))

    assert run.calls[0][1].content["error"] == words
    assert words in claude.network.bodies()
    assert run.ended == Ended(SessionStatus.COMPLETED, 0)  # a person denied it: nothing was denied in silence
    assert "denied" not in run.facts
    assert files(claude) == []


def test_claude_runs_changed_arguments(claude: Agent) -> None:
    run = talk(
        claude, "@run touch a.txt\n@say done", answering(Answer("allow", arguments={"command": "touch changed.txt"}))
    )

    assert run.ended.status is SessionStatus.COMPLETED
    assert files(claude) == ["changed.txt"]


def test_claude_always_writes_its_own_rule(claude: Agent) -> None:
    subprocess.run(["git", "init", "-q"], cwd=claude.task.cwd, check=True)  # elsewhere it asks again
    run = talk(claude, "@run python3 -c 1\n@run python3 -c 1\n@say done", answering(Answer("always-1")))

    assert len(asked(run)) == 1
    assert len(run.calls) == 2
    rules = json.loads((Path(claude.task.cwd) / ".claude" / "settings.local.json").read_text())
    assert any("python3" in rule for rule in rules["permissions"]["allow"])


def test_claude_parallel_questions_are_answered_in_any_order(claude: Agent) -> None:
    outside = Path(claude.task.cwd).parent
    for name in ("a", "b"):
        (outside / f"{name}.txt").write_text(f"content of {name}")
    waiting: list[Question] = []

    def react(event: Event, dialog: Dialog) -> None:
        if isinstance(event, QuestionAsked):
            waiting.append(event.question)
            if len(waiting) == 2:
                for question, answer in zip(reversed(waiting), (Answer("allow"), Answer("deny", "no")), strict=True):
                    dialog.put(AnsweredQuestion(question, answer))

    calls = [f"@call Read {json.dumps({'file_path': str(outside / name)})}" for name in ("a.txt", "b.txt")]
    run = talk(claude, f"@run {' @and '.join(calls)}\n@say done", react)

    assert [question.title for question in waiting] == [f"Read: {outside}/a.txt", f"Read: {outside}/b.txt"]
    assert taken(run) == [waiting[1].id, waiting[0].id]
    results = {asked.content["arguments"]["file_path"][-5:]: answer.content for asked, answer in run.calls}
    assert results["a.txt"]["error"] == "no"
    assert "content of b" in results["b.txt"]["output"]
    assert run.ended == Ended(SessionStatus.COMPLETED, 0)


def test_claude_question_in_words_is_answered(claude: Agent) -> None:
    colours = {"question": "Which colour?", "header": "Colour", "multiSelect": False}
    colours["options"] = [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]
    call = json.dumps({"questions": [colours]})
    run = talk(claude, f"@run @call AskUserQuestion {call}\n@say done", answering(Answer("2")))

    (question,) = asked(run)
    assert question.kind is QuestionKind.QUESTION
    assert question.title == "Which colour?"
    assert [option.label for option in question.options] == ["Red", "Blue", "Deny"]
    assert '"Which colour?"="Blue"' in run.calls[0][1].content["output"]


def test_claude_takes_message_in_running_turn(claude: Agent) -> None:
    message = prompt_message("and mind the tests")

    def react(event: Event, dialog: Dialog) -> None:
        if isinstance(event, MessageEvent) and isinstance(event.message, ActionRequest):
            dialog.put(SentMessage(message, Delivery.NOW))

    run = talk(claude, "@run sleep 1\n@say done", react, permissions="all")

    assert [said for said in run.messages if said.id == message.id] == [message]
    kinds = [type(said) for said in run.messages]
    place = run.messages.index(message)
    assert isinstance(run.messages[place - 1], ActionResponse), kinds
    assert [record["type"] for record in run.printed].count("result") == 1
    assert "and mind the tests" in claude.network.bodies()


def test_claude_takes_next_message_after_turn(claude: Agent) -> None:
    message = prompt_message("@say second")

    def react(event: Event, dialog: Dialog) -> None:
        if isinstance(event, MessageEvent) and isinstance(event.message, ActionRequest):
            dialog.put(SentMessage(message, Delivery.NEXT))

    run = talk(claude, "@run sleep 1\n@say first", react, permissions="all")

    assert run.ended == Ended(SessionStatus.COMPLETED, 0)
    assert [said.text for said in run.messages][-3:] == ["first", "@say second", "second"]
    assert [record["type"] for record in run.printed].count("result") == 2
    assert run.usage.output_tokens == 60  # three answers, none counted twice


def test_claude_command_as_message_is_taken(claude: Agent) -> None:
    message = prompt_message("/context")

    def react(event: Event, dialog: Dialog) -> None:
        if isinstance(event, MessageEvent) and isinstance(event.message, ActionRequest):
            dialog.put(SentMessage(message, Delivery.NEXT))

    run = talk(claude, "@run true\n@say first", react, permissions="all")

    assert message in run.messages
    assert run.ended == Ended(SessionStatus.COMPLETED, 0)


def test_claude_message_replaces_turn(claude: Agent) -> None:
    message = prompt_message("@say something else")

    def react(event: Event, dialog: Dialog) -> None:
        if isinstance(event, QuestionAsked):
            dialog.put(SentMessage(message, Delivery.INSTEAD))

    run = talk(claude, "@run touch a.txt\n@say never", react)

    (question,) = asked(run)
    assert QuestionStatus.WITHDRAWN in [event.status for event in run.events if isinstance(event, QuestionClosed)]
    assert message in run.messages
    assert run.texts()[-1] != "never"
    assert run.ended == Ended(SessionStatus.COMPLETED, 0)
    assert files(claude) == []
    assert taken(run) == [], question


def test_claude_parks_and_runs_call_after_answer(claude: Agent) -> None:
    asked_at: list[Question] = []

    async def play() -> Run:
        dialog = Dialog()

        def note(event: Event) -> bool:
            if isinstance(event, QuestionAsked):
                asked_at.append(event.question)
                loop = asyncio.get_running_loop()
                loop.call_later(4, dialog.put, AnsweredQuestion(event.question, Answer("allow")))
            return False

        return await claude.play(
            "@run echo once >> a.txt\n@say done", until=note, dialog=dialog, permissions="ask", park_after=0.5
        )

    run = asyncio.run(play())

    assert len(asked_at) == 1
    assert taken(run) == [asked_at[0].id]
    assert (Path(claude.task.cwd) / "a.txt").read_text() == "once\n"
    assert run.ended == Ended(SessionStatus.COMPLETED, 0)
    assert run.texts()[-1] == "done"
    assert len({record["session_id"] for record in run.printed if "session_id" in record}) == 1


def test_claude_continues_dead_run_with_answer(claude: Agent) -> None:
    def ask(event: Event) -> bool:
        return isinstance(event, QuestionAsked)

    async def died() -> Run:
        return await claude.play("@run echo once >> a.txt\n@say done", until=ask, dialog=Dialog(), permissions="ask")

    first = asyncio.run(died())
    (question,) = asked(first)
    answered = AnsweredQuestion(question, Answer("allow", arguments={"command": "echo changed >> a.txt"}))
    run = talk(claude, "go on", answering(), resume=first.facts["conversation"], answered=(answered,))

    assert asked(run) == []
    assert taken(run) == [question.id]
    assert (Path(claude.task.cwd) / "a.txt").read_text() == "changed\n"


def test_claude_answer_is_good_for_one_call(claude: Agent) -> None:
    def ask(event: Event) -> bool:
        return isinstance(event, QuestionAsked)

    async def died() -> Run:
        return await claude.play(
            "@run echo x >> a.txt\n@run echo x >> a.txt\n@say done", until=ask, dialog=Dialog(), permissions="ask"
        )

    first = asyncio.run(died())
    answered = AnsweredQuestion(asked(first)[0], Answer("allow"))
    run = talk(claude, "go on", answering(Answer("deny")), resume=first.facts["conversation"], answered=(answered,))

    assert len(asked(run)) == 1
    assert (Path(claude.task.cwd) / "a.txt").read_text() == "x\n"


def test_claude_crash_in_dialog_is_reported(claude: Agent) -> None:
    run = talk(claude, "hello", answering(), options={"args": ["--no-such-option"]})

    assert run.ended.status is SessionStatus.FAILED
    assert "--no-such-option" in str(run.ended.detail)


def test_claude_large_output_in_dialog_is_complete(claude: Agent) -> None:
    run = talk(claude, "@flood 5000000", answering(), permissions="all")

    assert run.ended == Ended(SessionStatus.COMPLETED, 0)
    assert len(run.texts()[0]) >= 5_000_000
    assert len(run.messages) == 1
