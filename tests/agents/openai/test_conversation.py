"""The provider openai with a person: its tools ask, and messages reach the model between requests."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tests.support.agent_programs import Run
from tests.support.conversations import answering, sending
from tests.support.json_rpc_peers import play

from lionstudio.agents.dialog import Delivery, Dialog
from lionstudio.agents.events import AnswerTaken, Event, QuestionAsked, QuestionClosed, TextDelta
from lionstudio.agents.openai.provider import provider
from lionstudio.agents.provider import Task
from lionstudio.model.messages import ActionRequest
from lionstudio.model.questions import Answer, AnsweredQuestion, Question
from lionstudio.model.status.statuses import SessionStatus


class Server(BaseHTTPRequestHandler):
    """Answers each request with the next text or call, and keeps what it was asked."""

    answers: ClassVar[list[Any]] = []
    asked: ClassVar[list[list[dict[str, Any]]]] = []
    hold: ClassVar[threading.Event]

    def log_message(self, *_: Any) -> None:
        pass

    def do_POST(self) -> None:
        self.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"])))["messages"])
        answer = self.answers.pop(0)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        if isinstance(answer, str):
            self.chunk({"content": answer.removesuffix("…")})
            if answer.endswith("…"):  # the rest never comes
                self.hold.wait(20)
                return
            self.chunk({}, "stop")
        else:
            name, arguments = answer
            function = {"name": name, "arguments": json.dumps(arguments)}
            self.chunk({"tool_calls": [{"index": 0, "id": "call-1", "type": "function", "function": function}]})
            self.chunk({}, "tool_calls")
        self.wfile.write(b"data: [DONE]\n\n")

    def chunk(self, delta: dict[str, Any], finish: str | None = None) -> None:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        self.wfile.write(f"data: {json.dumps({**head, 'choices': [choice]})}\n\n".encode())
        self.wfile.flush()


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Callable[..., Run]]:
    Server.answers, Server.asked, Server.hold = [], [], threading.Event()
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        env = {"OPENAI_BASE_URL": f"http://127.0.0.1:{server.server_port}/v1", "OPENAI_API_KEY": "k"}

        def run(answers: list[Any], *acts: Callable[[Dialog, Event], None], **changes: Any) -> Run:
            Server.answers = answers
            task = Task("hello", str(tmp_path), env, model="m", permissions="ask")
            return play(provider(), task._replace(**changes), *acts)

        yield run
        Server.hold.set()
        server.shutdown()


def questions(run: Run) -> list[Question]:
    return [event.question for event in run.events if isinstance(event, QuestionAsked)]


WRITE = ("write_file", {"path": "a.txt", "content": "one"})


def test_tool_asks_and_runs_when_allowed(talk: Callable[..., Run], tmp_path: Path) -> None:
    run = talk([WRITE, "done"], answering("allow"))

    (question,) = questions(run)
    assert question.title == "write_file: a.txt"
    assert question.evidence["arguments"] == WRITE[1]
    assert [event.question_id for event in run.events if isinstance(event, AnswerTaken)] == [question.id]
    assert (tmp_path / "a.txt").read_text() == "one"
    assert run.texts() == ["done"]


def test_model_reads_why_a_tool_was_denied(talk: Callable[..., Run], tmp_path: Path) -> None:
    run = talk([WRITE, "sorry"], answering("deny", "it is mine"))

    assert not (tmp_path / "a.txt").exists()
    assert "it is mine" in run.calls[0][1].content["error"]
    assert "it is mine" in Server.asked[1][-1]["content"]


def test_person_changes_the_arguments(talk: Callable[..., Run], tmp_path: Path) -> None:
    def change(dialog: Dialog, event: Event) -> None:
        if isinstance(event, QuestionAsked):
            given = Answer("allow", arguments={"path": "b.txt", "content": "two"})
            event.question.check_answer(given)
            dialog.put(AnsweredQuestion(event.question, given))

    run = talk([WRITE, "done"], change)

    assert not (tmp_path / "a.txt").exists()
    assert (tmp_path / "b.txt").read_text() == "two"
    assert run.calls[0][1].content["arguments"]["path"] == "b.txt"


def test_reading_asks_nobody(talk: Callable[..., Run]) -> None:
    run = talk([("list_files", {"path": "."}), "done"])

    assert not questions(run)
    assert run.ended.status is SessionStatus.COMPLETED


def test_ask_without_a_person_only_reads(tmp_path: Path) -> None:
    from lionstudio.agents.openai.tools import offered

    task = Task("hello", str(tmp_path), {}, permissions="ask")
    reads = ["read_file", "list_files"]
    assert [tool["function"]["name"] for tool in offered(task)] == reads
    reviewer = task._replace(dialog=Dialog(), untrusted_material=True)
    assert [tool["function"]["name"] for tool in offered(reviewer)] == reads
    assert len(offered(task._replace(dialog=Dialog()))) == 4


def test_message_now_is_in_the_next_request(talk: Callable[..., Run]) -> None:
    now = sending("mind the tests", Delivery.NOW, on=ActionRequest)
    run = talk([("list_files", {"path": "."}), "done"], now)

    assert [message["role"] for message in Server.asked[1]] == ["user", "assistant", "tool", "user"]
    assert Server.asked[1][-1]["content"] == "mind the tests"
    assert run.texts() == ["done"]
    assert [message.id for message in run.messages].count(now.message.id) == 1


def test_messages_next_follow_the_turn_one_by_one(talk: Callable[..., Run]) -> None:
    acts = [sending(text, Delivery.NEXT, on=ActionRequest) for text in ("two?", "three?")]
    run = talk([("list_files", {"path": "."}), "one", "two", "three"], *acts)

    assert run.texts() == ["one", "two", "three"]
    assert [message["content"] for message in Server.asked[2]][-2:] == ["one", "two?"]
    assert [message["content"] for message in Server.asked[3]][-2:] == ["two", "three?"]


def test_message_instead_stops_the_answer(talk: Callable[..., Run]) -> None:
    run = talk(["Let me think…", "else"], sending("something else", Delivery.INSTEAD, on=TextDelta))

    assert run.texts() == ["Let me think", "else"]
    assert [message["content"] for message in Server.asked[1]] == ["hello", "Let me think", "something else"]
    assert run.ended.status is SessionStatus.COMPLETED


def test_message_instead_closes_the_question(talk: Callable[..., Run], tmp_path: Path) -> None:
    run = talk([WRITE, "else"], sending("something else", Delivery.INSTEAD, on=QuestionAsked))

    assert [event.question_id for event in run.events if isinstance(event, QuestionClosed)] == [questions(run)[0].id]
    assert not (tmp_path / "a.txt").exists()
    assert "not run" in Server.asked[1][-2]["content"]


def test_message_instead_ends_a_running_program(talk: Callable[..., Run]) -> None:
    dialogs: list[Dialog] = []

    def allow_then_interrupt(dialog: Dialog, event: Event) -> None:
        if isinstance(event, QuestionAsked):
            dialog.put(AnsweredQuestion(event.question, Answer("allow")))
            loop = asyncio.get_running_loop()
            instead = sending("stop that", Delivery.INSTEAD, on=QuestionAsked)
            loop.call_later(1.0, instead, dialog, event)
            dialogs.append(dialog)

    run = talk([("run", {"argv": ["/bin/sleep", "300"]}), "stopped"], allow_then_interrupt)

    assert run.texts() == ["stopped"]
    assert "interrupted" in run.calls[0][1].content["error"]
