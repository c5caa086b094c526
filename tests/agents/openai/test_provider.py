"""The provider openai against a server on loopback: every way that a stream can end."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from lionstudio.agents.events import Ended, Event, MessageEvent, TextDelta
from lionstudio.agents.openai.provider import provider
from lionstudio.agents.openai.usage import parse_usage
from lionstudio.agents.provider import Task
from lionstudio.errors import InvalidInput
from lionstudio.model.messages import ActionRequest, ActionResponse, AssistantResponse, Message
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.model.usage import Usage

USAGE = {"prompt_tokens": 1000, "completion_tokens": 100, "prompt_tokens_details": {"cached_tokens": 400}}


class Server(BaseHTTPRequestHandler):
    """Sends the next prepared body for each request; a body without its last chunk breaks the connection."""

    protocol_version = "HTTP/1.1"
    bodies: ClassVar[list[list[str]]] = []

    def log_message(self, *_: Any) -> None:
        pass

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        lines = self.bodies.pop(0)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for line in lines:
            data = f"data: {line}\n\n".encode() if line else b""
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.close_connection = True


@pytest.fixture
def url() -> Iterator[str]:
    Server.bodies = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def chunk(finish: str | None = None, **delta: Any) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return json.dumps({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]})


def usage_chunk(usage: dict[str, Any]) -> str:
    return json.dumps(
        {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": []} | {"usage": usage}
    )


def call_chunk(arguments: str) -> str:
    function = {"name": "write_file", "arguments": arguments}
    return chunk(tool_calls=[{"index": 0, "id": "call-1", "type": "function", "function": function}])


END = ["[DONE]", ""]


def run(url: str, folder: Path, *bodies: list[str]) -> tuple[list[Message], Ended, str]:
    """The messages, the end, and the text that was shown live."""
    Server.bodies = list(bodies)
    env = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "k"}
    task = Task("hello", str(folder), env, model="gpt-5", permissions="edit")

    async def collect() -> list[Event]:
        provider().check(task)
        return [event async for event in provider().run(task)]

    events = asyncio.run(collect())
    assert isinstance(events[-1], Ended)
    assert not Server.bodies
    live = "".join(event.text for event in events if isinstance(event, TextDelta))
    return [event.message for event in events if isinstance(event, MessageEvent)], events[-1], live


def test_answer_has_tokens_and_list_price(url: str, tmp_path: Path) -> None:
    messages, ended, live = run(url, tmp_path, [chunk(content="Hi"), chunk("stop"), usage_chunk(USAGE), *END])

    assert ended == Ended(SessionStatus.COMPLETED, 0)
    assert live == "Hi"
    assert [message.content for message in messages] == [{"assistant_response": "Hi"}]
    # 600 input at $1.25, 400 cached at $0.125, 100 output at $10 per million
    assert messages[0].usage == Usage(600, 100, 400, 0, 1800)


@pytest.mark.parametrize(
    ("finish", "reason"), [("length", "run.failed.answer_cut"), ("content_filter", "run.failed.content_filter")]
)
def test_incomplete_answer_fails_and_is_kept(url: str, tmp_path: Path, finish: str, reason: str) -> None:
    messages, ended, _ = run(url, tmp_path, [chunk(content="Half an answ"), chunk(finish), usage_chunk(USAGE), *END])

    assert (ended.status, ended.exit_code, ended.reason, ended.delivery) == (SessionStatus.FAILED, 1, reason, "partial")
    assert "incomplete" in (ended.detail or "")
    assert messages[0].content == {"assistant_response": "Half an answ"}
    assert messages[0].metadata["finish_reason"] == finish


def test_incomplete_answer_without_text_is_missing(url: str, tmp_path: Path) -> None:
    messages, ended, _ = run(url, tmp_path, [chunk("content_filter"), usage_chunk(USAGE), *END])

    assert (ended.reason, ended.delivery) == ("run.failed.content_filter", "missing")
    assert not any(isinstance(message, AssistantResponse) for message in messages)
    assert messages[0].usage.input_tokens == 600


@pytest.mark.parametrize(
    ("rest", "detail"),
    [
        ([], "the stream broke in the middle of the answer"),
        (["{not json", *END], "a chunk is not JSON: '{not json'"),
        (['{"error": {"message": "the GPU is on fire"}}', *END], "the GPU is on fire"),
        ([*END], "the stream ended before the answer was complete"),
    ],
)
def test_broken_stream_keeps_its_text(url: str, tmp_path: Path, rest: list[str], detail: str) -> None:
    messages, ended, live = run(url, tmp_path, [chunk(content="Half "), chunk(content="an answ"), *rest])

    assert (ended.status, ended.reason, ended.delivery) == (SessionStatus.FAILED, "run.failed.stream_broken", "partial")
    assert detail in (ended.detail or "")
    assert live == "Half an answ"
    assert [message.content for message in messages] == [{"assistant_response": "Half an answ"}]


@pytest.mark.parametrize("rest", [[], [chunk("length"), *END]])
def test_cut_tool_call_is_recorded_and_not_run(url: str, tmp_path: Path, rest: list[str]) -> None:
    messages, ended, _ = run(url, tmp_path, [call_chunk('{"path": "a.txt", "cont'), *rest])

    request, response = messages
    assert isinstance(request, ActionRequest)
    assert isinstance(response, ActionResponse)
    assert request.content["arguments"] == {"unreadable": '{"path": "a.txt", "cont'}
    assert response.content["error"].startswith("not run: ")
    assert response.content["action_request_id"] == request.id
    assert ended.status is SessionStatus.FAILED
    assert not (tmp_path / "a.txt").exists()


def test_stream_that_breaks_after_a_call_keeps_the_call(url: str, tmp_path: Path) -> None:
    call = call_chunk('{"path": "a.txt", "content": "one"}')
    messages, ended, _ = run(url, tmp_path, [call, chunk("tool_calls"), *END], [chunk(content="Wrote")])

    assert [type(message) for message in messages] == [ActionRequest, ActionResponse, AssistantResponse]
    assert (tmp_path / "a.txt").read_text() == "one"
    assert ended.reason == "run.failed.stream_broken"


def test_refusal_is_the_answer_and_the_reason(url: str, tmp_path: Path) -> None:
    messages, ended, _ = run(url, tmp_path, [chunk(refusal="I cannot help."), chunk("stop"), *END])

    assert messages[0].content == {"assistant_response": "I cannot help."}
    assert (ended.status, ended.reason, ended.detail) == (SessionStatus.FAILED, "run.failed.refused", "I cannot help.")


def test_server_that_is_down_is_named(tmp_path: Path) -> None:
    _, ended, _ = run("http://127.0.0.1:9/v1", tmp_path)

    assert ended.reason == "run.failed.provider_error"
    assert (ended.detail or "").startswith("cannot connect to http://127.0.0.1:9/v1: ")


def test_base_url_without_server_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="is not the URL of a server"):
        run("127.0.0.1:11434", tmp_path)


@pytest.mark.parametrize(
    ("report", "usage"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 2}, Usage(10, 2)),
        ({"prompt_tokens": None, "completion_tokens": None}, Usage()),
        ({"prompt_tokens": 10, "completion_tokens": 2, "prompt_cache_hit_tokens": 4}, Usage(6, 2, 4)),
        ({"input_tokens": 10, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 4}}, Usage(6, 2, 4)),
        (
            {"input_tokens": 10, "output_tokens": 2, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 3},
            Usage(10, 2, 4, 3),
        ),
        ({"prompt_tokens": 10, "completion_tokens": 2, "cost": 0.00042}, Usage(10, 2, 0, 0, 420)),
    ],
)
def test_parse_usage_accepts_the_shapes_of_servers(report: dict[str, Any], usage: Usage) -> None:
    assert parse_usage(report, "some-local-model") == usage


def test_write_file_notes_the_diff_of_the_file_it_replaces(url: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    call = call_chunk(json.dumps({"path": "a.txt", "content": "one\nthree\n"}))
    messages, _, _ = run(url, tmp_path, [call, chunk("tool_calls"), *END], [chunk(content="Done"), chunk("stop"), *END])

    _, response, _ = messages
    assert response.metadata["result"] == {"type": "update"}
    assert response.metadata["patch"] == [{"oldStart": 1, "newStart": 1, "lines": [" one", "-two", "+three"]}]
