"""JSON-RPC over the standard input and output of an agent program, one message per line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.agents.records import parse_line, text_or_empty
from lionstudio.model.coerce import Record, dict_of
from lionstudio.system.program import Program

METHOD_NOT_FOUND = -32601
AUTH_REQUIRED = -32000


class Notification(NamedTuple):
    method: str
    params: Record


class AgentRequest(NamedTuple):
    """A request of the agent that waits for our response."""

    id: Any
    method: str
    params: Record


class Response(NamedTuple):
    """The agent's answer to a request of ours."""

    id: Any
    result: Record
    error: Record | None


class Output(NamedTuple):
    """A line that is not a message of the protocol."""

    value: Any


class ConnectionClosed(Exception):
    """The agent closed its output."""


class AgentError(Exception):
    """The agent answered a request with an error."""

    def __init__(self, method: str, error: Record) -> None:
        self.method = method
        self.code = error.get("code")
        super().__init__(error_text(error))


class AgentConnection:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._last_id = 0

    async def send_request(self, method: str, params: Mapping[str, Any]) -> int:
        """Send a request and return its id; the answer is one of the next messages."""
        self._last_id += 1
        await self._send({"id": self._last_id, "method": method, "params": params})
        return self._last_id

    async def notify(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        await self._send({"method": method} if params is None else {"method": method, "params": params})

    async def respond(self, request: AgentRequest, result: Mapping[str, Any]) -> None:
        await self._send({"id": request.id, "result": result})

    async def refuse(self, request: AgentRequest) -> None:
        """Tell the agent that we do not offer this method."""
        error = {"code": METHOD_NOT_FOUND, "message": f"{request.method} is not supported"}
        await self._send({"id": request.id, "error": error})

    async def receive(self, within: float | None = None) -> Notification | AgentRequest | Response | Output:
        """The next message; a TimeoutError when none came in time loses nothing."""
        while True:
            line = await self._program.line(within)
            if line is None:
                raise ConnectionClosed
            if line.strip():
                return _message(parse_line(line))

    async def _send(self, message: Mapping[str, Any]) -> None:
        line = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=True) + "\n"
        try:
            self._program.stdin.write(line.encode())
            await self._program.stdin.drain()
        except OSError:
            raise ConnectionClosed from None


def _message(value: Any) -> Notification | AgentRequest | Response | Output:
    record = dict_of(value)
    method = text_or_empty(record.get("method"))
    if method and "id" in record:
        return AgentRequest(record["id"], method, dict_of(record.get("params")))
    if method:
        return Notification(method, dict_of(record.get("params")))
    if "id" in record and ("result" in record or "error" in record):
        error = dict_of(record.get("error")) or {"message": "the agent sent an empty error"}
        return Response(record["id"], dict_of(record.get("result")), error if "error" in record else None)
    return Output(value)


def error_text(error: Record) -> str:
    """The message of an error; agents put the cause into `data`, in several shapes, some as JSON in a string."""
    message = text_or_empty(error.get("message"))
    data = error.get("data")
    record = dict_of(data)
    causes = (record.get("message"), record.get("details"), record.get("error"), data)
    cause = next((text for text in map(text_or_empty, causes) if text), "")
    inner = dict_of(parse_line(cause.encode("utf-8", "backslashreplace"))) if cause.startswith("{") else {}
    cause = text_or_empty(dict_of(inner.get("error")).get("message")) or text_or_empty(inner.get("message")) or cause
    message = message.removeprefix("Internal error: ")
    if not cause or cause in message:
        return message or "the agent reported an error without a message"
    return cause if message in ("", "Internal error") else f"{message}: {cause}"
