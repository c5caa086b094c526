"""The Model Context Protocol over standard input and output: JSON-RPC 2.0, one message a line, tools only.

Our own lines, because the package `mcp` installs 28 packages (45 MB) and takes a second to import, for four tools.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any, NamedTuple

from lionstudio.errors import InvalidInput, LionError
from lionstudio.model.coerce import dict_of
from lionstudio.version import VERSION

_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")  # newest first; tools are the same in all of them
_MOST_LINE = 10_000_000  # characters of one message
_MOST_CALLS = 32  # at a time
_PARSE_ERROR, _INVALID_REQUEST, _NO_METHOD, _INVALID_PARAMS, _INTERNAL = -32700, -32600, -32601, -32602, -32603


class Cancelled(Exception):
    """The client no longer waits for the result of a call."""


class McpTool(NamedTuple):
    """A tool: what a model reads about it, and the function; `schema` has the properties of its arguments."""

    name: str
    description: str
    schema: Mapping[str, Any]
    required: Sequence[str]
    call: Callable[[Mapping[str, Any], threading.Event], str]

    def to_dict(self) -> dict[str, Any]:
        schema = {"type": "object", "properties": dict(self.schema), "required": list(self.required)}
        return {"name": self.name, "description": self.description, "inputSchema": schema}


class _Fault(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class McpServer:
    """Answers requests until the input ends; every call has a thread, so that a long one blocks no other."""

    def __init__(self, tools: Sequence[McpTool], output: IO[str]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._output = output
        self._lock = threading.Lock()
        self._calls: dict[Any, threading.Event] = {}
        self._threads: list[threading.Thread] = []

    def serve(self, lines: IO[str]) -> None:
        """Read messages; at the end of the input every call is cancelled."""
        while line := lines.readline(_MOST_LINE + 1):
            if len(line) > _MOST_LINE:
                self._send_error(None, _INVALID_REQUEST, "the message is too long")
                break
            if line.strip():
                self._receive(line)
        for cancelled in list(self._calls.values()):
            cancelled.set()
        for thread in self._threads:
            thread.join()

    def _receive(self, line: str) -> None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            self._send_error(None, _PARSE_ERROR, "the message is not JSON")
            return
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            if not isinstance(message, dict) or "result" not in message:  # we send no requests
                self._send_error(None, _INVALID_REQUEST, "the message is not a request")
            return
        number, method, params = message.get("id"), message["method"], dict_of(message.get("params"))
        if number is None:
            if method == "notifications/cancelled" and (call := self._calls.get(_key(params.get("requestId")))):
                call.set()
            return
        try:
            if method == "tools/call":
                self._start(number, params)
            else:
                self._send({"id": number, "result": self._answer(method, params)})
        except _Fault as fault:
            self._send_error(number, fault.code, str(fault))

    def _answer(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        match method:
            case "initialize":
                wanted = params.get("protocolVersion")
                return {
                    "protocolVersion": wanted if wanted in _VERSIONS else _VERSIONS[0],
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "lion-studio", "version": VERSION},
                }
            case "tools/list":
                return {"tools": [tool.to_dict() for tool in self._tools.values()]}
            case "ping":
                return {}
        raise _Fault(_NO_METHOD, f"unknown method {method[:60]}")

    def _start(self, number: Any, params: Mapping[str, Any]) -> None:
        tool = self._tools.get(str(params.get("name")))
        if tool is None:
            raise _Fault(_INVALID_PARAMS, f"unknown tool {str(params.get('name'))[:60]}")
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        if len(self._threads) >= _MOST_CALLS or _key(number) in self._calls:
            raise _Fault(_INVALID_REQUEST, "too many calls at once, or two with one id")
        cancelled = self._calls[_key(number)] = threading.Event()
        thread = threading.Thread(target=self._call, args=(number, tool, dict_of(params.get("arguments")), cancelled))
        self._threads.append(thread)
        thread.start()

    def _call(self, number: Any, tool: McpTool, arguments: Mapping[str, Any], cancelled: threading.Event) -> None:
        """Run a tool; an error of ours is a result that the model reads."""
        result: dict[str, Any]
        try:
            _check(tool, arguments)
            result = {"content": [{"type": "text", "text": tool.call(arguments, cancelled)}]}
        except Cancelled:
            return  # the client does not expect an answer
        except LionError as error:
            text = error.message if error.hint is None else f"{error.message}; {error.hint}"
            result = {"content": [{"type": "text", "text": text}], "isError": True}
        except Exception as error:
            self._send_error(number, _INTERNAL, f"{type(error).__name__}: {error}")
            return
        finally:
            self._calls.pop(_key(number), None)
        self._send({"id": number, "result": result})

    def _send_error(self, number: Any, code: int, message: str) -> None:
        self._send({"id": number, "error": {"code": code, "message": message}})

    def _send(self, message: Mapping[str, Any]) -> None:
        line = json.dumps({"jsonrpc": "2.0", **message})
        with self._lock:
            self._output.write(line + "\n")
            self._output.flush()


def _key(number: Any) -> str:
    return json.dumps(number, sort_keys=True)


_TYPES: Mapping[str, type] = {"string": str, "integer": int, "array": list}


def _check(tool: McpTool, arguments: Mapping[str, Any]) -> None:
    missing = [name for name in tool.required if name not in arguments]
    if missing:
        raise InvalidInput(f"missing argument: {', '.join(missing)}")
    for name, value in arguments.items():
        kind = tool.schema.get(name, {}).get("type")
        if kind is not None and (not isinstance(value, _TYPES[kind]) or isinstance(value, bool)):
            raise InvalidInput(f"{name} must be of type {kind}")
