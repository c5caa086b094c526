"""`li mcp`: its protocol, and its tools on a real database."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from tests.support.builders import begin, said, write
from tests.support.commands import LI

from lionstudio.cli._mcp.tools import HistoryTools
from lionstudio.model.questions import Answer
from lionstudio.settings import load_settings
from lionstudio.state.database import Database
from lionstudio.state.exchange.mailboxes import inbox
from lionstudio.state.exchange.questions import answer_question, get_question, list_open_questions
from lionstudio.state.messages.append import append

MOST_TOKENS = 900
CHARACTERS_OF_A_TOKEN = 3  # English and JSON have four or more in every tokenizer of today


class Client:
    """The other end of the protocol."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process, self._number = process, 0

    @property
    def _input(self) -> IO[str]:
        assert self.process.stdin is not None
        return self.process.stdin

    def send(self, **message: Any) -> None:
        self.send_line(json.dumps({"jsonrpc": "2.0", **message}))

    def send_line(self, line: str) -> None:
        self._input.write(f"{line}\n")
        self._input.flush()

    def receive(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def start(self, method: str, **params: Any) -> int:
        self._number += 1
        self.send(id=self._number, method=method, params=params)
        return self._number

    def ask(self, method: str, **params: Any) -> Any:
        number = self.start(method, **params)
        answer = self.receive()
        assert answer["id"] == number
        return answer.get("result", answer.get("error"))

    def call(self, tool: str, **arguments: Any) -> str:
        result = self.ask("tools/call", name=tool, arguments=arguments)
        return str(result["content"][0]["text"])

    def close(self) -> int:
        self._input.close()
        return self.process.wait(20)


@contextmanager
def client(db: Database) -> Iterator[Client]:
    argv = [LI, "mcp", "--db", db.path]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Client(process)
        finally:
            process.kill()


def open_question(db: Database) -> Any:
    deadline = time.monotonic() + 20
    while not (questions := db.read(list_open_questions)):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return questions[0]


def test_mcp_advertises_few_tokens(db: Database) -> None:
    tools = [tool.to_dict() for tool in HistoryTools(load_settings({"db": db.path})).list_tools()]
    assert [tool["name"] for tool in tools] == ["search", "read", "ask_human", "note_to"]
    assert len(json.dumps(tools)) / CHARACTERS_OF_A_TOKEN <= MOST_TOKENS


def test_mcp_speaks_the_protocol(db: Database) -> None:
    with client(db) as peer:
        hello = peer.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "x"})
        assert (hello["protocolVersion"], list(hello["capabilities"])) == ("2025-06-18", ["tools"])
        peer.send(method="notifications/initialized")
        assert peer.ask("ping") == {}
        assert len(peer.ask("tools/list")["tools"]) == 4
        assert peer.ask("resources/list")["code"] == -32601
        assert peer.ask("tools/call", name="nothing")["code"] == -32602
        for line, code in (("nonsense", -32700), ("[" * 100_000, -32700), ("[]", -32600), ('{"id": 7}', -32600)):
            peer.send_line(line)
            assert peer.receive()["error"]["code"] == code
        assert peer.ask("tools/call", name="search", arguments={})["isError"] is True
        assert peer.ask("tools/call", name="read", arguments={"at": 5})["isError"] is True
        assert peer.close() == 0


def test_mcp_search_and_read_cite_messages(db: Database) -> None:
    session = begin(db, "run-1", name="a run")
    for text in ("the quick fox", "a slow turtle", "x" * 10_000):
        write(db, append, session.branch_id, said(text))
    with client(db) as peer:
        assert peer.call("search", query="turtle").startswith("run-1:1 ")
        assert peer.call("search", query="elephant") == "no message matches"
        assert peer.call("read", at="run-1:1", count=1) == "run-1:1 user: a slow turtle"
        assert peer.call("read", at="run-1:2").endswith("… (10,000 characters)")
        assert "not found" in peer.call("read", at="nothing:1")


def test_mcp_ask_human_returns_answer(db: Database) -> None:
    with client(db) as peer:
        number = peer.start("tools/call", name="ask_human", arguments={"question": "Which?", "options": ["a", "b"]})
        assert peer.ask("ping") is not None  # a waiting call blocks no other
        question = open_question(db)
        assert (question.title, [option.label for option in question.options]) == ("Which?", ["a", "b"])
        answer = Answer("2", "because")
        db.write(lambda conn: answer_question(conn, question.id, answer, by="me", origin={}))
        result = peer.receive()
        assert (result["id"], result["result"]["content"][0]["text"]) == (number, "b\nbecause")
        assert db.read(lambda conn: get_question(conn, question.id)).status == "taken"


def test_mcp_ask_human_is_withdrawn_when_cancelled(db: Database) -> None:
    with client(db) as peer:
        number = peer.start("tools/call", name="ask_human", arguments={"question": "Wait?"})
        first = open_question(db)
        peer.send(method="notifications/cancelled", params={"requestId": number})
        until_closed(db, first.id)
        peer.start("tools/call", name="ask_human", arguments={"question": "Gone?"})
        second = open_question(db)
        assert peer.close() == 0
        until_closed(db, second.id)


def test_mcp_question_of_killed_server_is_withdrawn_by_next(db: Database) -> None:
    with client(db) as peer:
        peer.start("tools/call", name="ask_human", arguments={"question": "Killed?"})
        first = open_question(db)
        peer.process.kill()
        peer.process.wait()
    with client(db) as peer:
        peer.start("tools/call", name="ask_human", arguments={"question": "Next?"})
        until_closed(db, first.id)


def until_closed(db: Database, question_id: str) -> None:
    deadline = time.monotonic() + 20
    while (question := db.read(lambda conn: get_question(conn, question_id))).is_open:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert question.status == "withdrawn"


def test_mcp_note_to_reaches_inbox(db: Database) -> None:
    begin(db, "run-2", provider="script")
    with client(db) as peer:
        assert peer.call("note_to", to="run-2", text="look at this").startswith("Queued for run-2")
        assert "not found" in peer.call("note_to", to="nothing", text="x")
    messages = db.read(lambda conn: inbox(conn, "run-2"))
    assert [entry.message.text for entry in messages] == [
        "Message from agent without a run, not from the user:\n\n  look at this"
    ]
