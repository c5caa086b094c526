"""A model server on loopback that plays the directives of a prompt; agent programs take it for their vendor's API.

It speaks the APIs of Anthropic, OpenAI (responses and chat completions) and Gemini. The newest user message with
directives is the script, and each request plays the next one:

    @run echo hi > a.txt      call the program's shell tool with this command
    @run ls @and pwd          call it twice at once (Anthropic's API)
    @say All done.            answer with text, which ends the turn
    @sleep 2                  wait before the next directive
    @status 529               answer this request with an HTTP error, once
    @hang                     never answer
    @flood 100000             answer with that many characters
    @stop max_tokens          end the turn with this stop reason

A script without @say ends with "Done."; a prompt without directives is repeated.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import IO, Any, ClassVar

DIRECTIVES = ("@run ", "@say ", "@sleep ", "@status ", "@flood ", "@hang", "@stop ")
SHELL_TOOLS: dict[str, Callable[[str], dict[str, Any]]] = {  # a tool and its arguments for a command
    "Bash": lambda command: {"command": command, "description": "run a command"},
    "exec_command": lambda command: {"cmd": command},
    "shell_command": lambda command: {"command": command},
    "shell": lambda command: {"command": ["bash", "-lc", command]},
    "bash": lambda command: {"command": command, "description": "run a command"},
    "run_shell_command": lambda command: {"command": command},
}
STEERED = "The user sent a new message while you were working:"  # how Claude Code gives it to the model
RESULTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")
USAGE_IN, USAGE_OUT = 100, 20
Json = dict[str, Any]


def new_id(prefix: str) -> str:
    return f"{prefix}_{uuid.uuid4().hex[:20]}"


def texts(content: Any) -> Iterator[str]:
    """The texts of a message, in any vendor's shape."""
    if isinstance(content, str):
        yield content
    for block in content if isinstance(content, list) else []:
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            yield block["text"]


def script_of(messages: list[Any]) -> tuple[list[str], int]:
    """The directives of the newest user message that has any, and how many calls of them were answered."""
    script: list[str] = []
    played = 0
    for message in messages:
        if not isinstance(message, dict):
            continue
        steered = message.get("role") == "system" and str(message.get("content")).startswith(STEERED)
        if message.get("role") == "user" or steered:
            lines = [line.strip() for text in texts(message.get("content")) for line in text.splitlines()]
            directives = [line for line in lines if line.startswith(DIRECTIVES)]
            if directives:
                script, played = directives, 0
        content = message.get("content")
        blocks = content if isinstance(content, list) else []
        played += sum(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks)
        played += message.get("role") == "tool"
        played += message.get("type") in RESULTS
    return script, played


def last_user_text(messages: list[Any]) -> str:
    prompts = [message for message in messages if isinstance(message, dict) and message.get("role") == "user"]
    return next(
        (text for message in reversed(prompts) if (text := " ".join(texts(message.get("content"))).strip())), ""
    )


class Turn:
    """The answer to one request: text, and possibly one call."""

    statuses_sent: ClassVar[set[tuple[str, int]]] = set()
    lock = threading.Lock()

    def __init__(self, messages: list[Any], tools: list[str]) -> None:
        script, played = script_of(messages)
        self.text, self.stop = "", ""
        self.command: str | None = None
        self.status: int | None = None
        self.tool = next((name for name in SHELL_TOOLS if name in tools), "")
        runs = 0
        for number, line in enumerate(script):
            word, _, rest = line.partition(" ")
            if word == "@run":
                runs += len(rest.split(" @and "))
                if runs <= played:
                    continue
                if self.tool or rest.startswith("@call "):
                    self.command = rest
                    self.text = "Running a command."
                    return
            elif runs < played:
                continue
            elif word == "@sleep":
                time.sleep(float(rest))
            elif word == "@hang":
                time.sleep(3600)
            elif word == "@status" and self._is_first((json.dumps(script), number)):
                self.status = int(rest)
                return
            elif word == "@flood":
                self.text = "lorem ipsum " * (int(rest) // 12 + 1)
                return
            elif word == "@say":
                self.text = rest
                return
            elif word == "@stop":
                self.text, self.stop = "Half an answ", rest
                return
        self.text = "Done." if script else "You said: " + last_user_text(messages)[:400]

    def _is_first(self, key: tuple[str, int]) -> bool:
        with Turn.lock:
            is_first = key not in Turn.statuses_sent
            Turn.statuses_sent.add(key)
        return is_first

    def arguments(self) -> Json:
        assert self.command is not None
        return SHELL_TOOLS[self.tool](self.command)

    def calls(self) -> list[tuple[str, Json]]:
        """The tool and the arguments of every call of this answer."""
        if self.command is None or " @and " not in self.command:
            return [] if self.command is None else [(self.tool, self.arguments())]
        return [self.call(command) for command in self.command.split(" @and ")]

    def call(self, command: str) -> tuple[str, Json]:
        return self.tool, SHELL_TOOLS[self.tool](command)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    log_file: ClassVar[IO[str] | None] = None

    def log_message(self, *_: Any) -> None:
        pass

    def note(self, **entry: Any) -> None:
        if self.log_file:
            print(json.dumps({"at": time.time(), "path": self.path, **entry}), file=self.log_file, flush=True)

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        self.send_json({"object": "list", "data": [{"id": "fake", "object": "model"}]})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            request = json.loads(body)
        except ValueError:
            self.send_json({"error": {"message": "not JSON"}}, 400)
            return
        if "count_tokens" in self.path or "countTokens" in self.path:
            self.send_json({"input_tokens": 10, "totalTokens": 10})
            return
        apis = {
            "/messages": self.anthropic,
            "/responses": self.openai_responses,
            "/chat/completions": self.openai_chat,
            "enerateContent": self.gemini,
        }
        answer = next((answer for part, answer in apis.items() if part in self.path), None)
        if answer is None:
            self.send_json({"error": {"message": f"no such path: {self.path}"}}, 404)
        else:
            answer(request)

    def turn(self, messages: list[Any], request: Json) -> Turn | None:
        declared = [
            function for tool in request.get("tools") or [] for function in tool.get("functionDeclarations") or [tool]
        ]
        tools = [str(tool.get("name") or (tool.get("function") or {}).get("name")) for tool in declared]
        turn = Turn(messages, tools)
        self.note(model=request.get("model"), say=turn.text[:80], run=turn.command, status=turn.status)
        if turn.status:
            error = {"type": "api_error", "message": "asked for by the script", "code": turn.status}
            self.send_json({"type": "error", "error": error}, turn.status)
            return None
        return turn

    def anthropic(self, request: Json) -> None:
        turn = self.turn(request.get("messages", []), request)
        if turn is None:
            return
        content: list[Json] = [{"type": "text", "text": turn.text}] if turn.text else []
        for tool, arguments in turn.calls():
            content.append({"type": "tool_use", "id": new_id("toolu"), "name": tool, "input": arguments})
        stop = turn.stop or ("tool_use" if turn.command is not None else "end_turn")
        usage = {
            "input_tokens": USAGE_IN,
            "output_tokens": USAGE_OUT,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        }
        message = {
            "id": new_id("msg"),
            "type": "message",
            "role": "assistant",
            "model": request.get("model"),
            "content": content,
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": usage,
        }
        if not request.get("stream"):
            self.send_json(message)
            return
        events: list[Json] = [{"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}]
        for index, block in enumerate(content):
            start: Json
            if block["type"] == "text":
                start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
            else:
                start = {**block, "input": {}}
                delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            events += [
                {"type": "content_block_start", "index": index, "content_block": start},
                {"type": "content_block_delta", "index": index, "delta": delta},
                {"type": "content_block_stop", "index": index},
            ]
        end = {"stop_reason": stop, "stop_sequence": None}
        events += [
            {"type": "message_delta", "delta": end, "usage": {"output_tokens": USAGE_OUT}},
            {"type": "message_stop"},
        ]
        self.send_events([(event["type"], event) for event in events])

    def openai_responses(self, request: Json) -> None:
        messages = request.get("input", [])
        turn = self.turn(messages if isinstance(messages, list) else [{"role": "user", "content": messages}], request)
        if turn is None:
            return
        item: Json
        if turn.command is not None:
            item = {
                "type": "function_call",
                "id": new_id("fc"),
                "call_id": new_id("call"),
                "name": turn.tool,
                "arguments": json.dumps(turn.arguments()),
            }
        else:
            text = {"type": "output_text", "text": turn.text, "annotations": []}
            item = {"type": "message", "id": new_id("msg"), "role": "assistant", "status": "completed"}
            item["content"] = [text]
        usage = {
            "input_tokens": USAGE_IN,
            "output_tokens": USAGE_OUT,
            "total_tokens": USAGE_IN + USAGE_OUT,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        }
        response = {"id": new_id("resp"), "object": "response", "status": "completed", "model": request.get("model")}
        response |= {"output": [item], "usage": usage}
        if not request.get("stream"):
            self.send_json(response)
            return
        created = {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}}
        done = {"type": "response.output_item.done", "output_index": 0, "item": item}
        completed = {"type": "response.completed", "response": response}
        self.send_events([(str(event["type"]), event) for event in (created, done, completed)])

    def openai_chat(self, request: Json) -> None:
        turn = self.turn(request.get("messages", []), request)
        if turn is None:
            return
        message: Json = {"role": "assistant", "content": turn.text or None}
        if turn.command is not None:
            function = {"name": turn.tool, "arguments": json.dumps(turn.arguments())}
            message["tool_calls"] = [{"id": new_id("call"), "type": "function", "index": 0, "function": function}]
        finish = turn.stop or ("tool_calls" if turn.command is not None else "stop")
        usage = {"prompt_tokens": USAGE_IN, "completion_tokens": USAGE_OUT, "total_tokens": USAGE_IN + USAGE_OUT}
        base = {"id": new_id("chatcmpl"), "created": int(time.time()), "model": request.get("model") or "fake"}
        if not request.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": finish}
            self.send_json({**base, "object": "chat.completion", "usage": usage, "choices": [choice]})
            return
        chunk = {**base, "object": "chat.completion.chunk"}
        chunks = [
            {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]},
            {**chunk, "choices": [], "usage": usage},
        ]
        self.send_events([*((None, chunk) for chunk in chunks), (None, "[DONE]")])

    def gemini(self, request: Json) -> None:
        schema = (request.get("generationConfig") or {}).get("responseJsonSchema")
        if schema is not None:  # a question of the program to itself, such as which model to use
            turn = Turn([], [])
            turn.text = json.dumps(_example(schema))
        elif (answer := self.turn([_gemini_message(content) for content in request["contents"]], request)) is None:
            return
        else:
            turn = answer
        parts: list[Json] = [{"text": turn.text}] if turn.text else []
        if turn.command is not None:
            parts.append({"functionCall": {"name": turn.tool, "args": turn.arguments()}})
        candidate = {"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": turn.stop or "STOP"}
        usage = {
            "promptTokenCount": USAGE_IN,
            "candidatesTokenCount": USAGE_OUT,
            "totalTokenCount": USAGE_IN + USAGE_OUT,
        }
        response = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "fake"}
        if "streamGenerateContent" in self.path:
            self.send_events([(None, response)])
        else:
            self.send_json(response)

    def send_json(self, body: Json, status: int = 200) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def send_events(self, events: list[tuple[str | None, Any]]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for name, data in events:
            head = f"event: {name}\n" if name else ""
            body = data if isinstance(data, str) else json.dumps(data)
            self.wfile.write(f"{head}data: {body}\n\n".encode())
            self.wfile.flush()
        self.close_connection = True


def _gemini_message(content: Json) -> Json:
    """A message of Gemini's API in the shape of the others."""
    blocks = [{"type": "tool_result"} if "functionResponse" in part else part for part in content.get("parts", [])]
    return {"role": "assistant" if content.get("role") == "model" else "user", "content": blocks}


def _example(schema: Json) -> Any:
    """A value that fits a JSON schema."""
    if "enum" in schema:
        return schema["enum"][0]
    match str(schema.get("type")).lower():
        case "object":
            return {name: _example(part) for name, part in schema.get("properties", {}).items()}
        case "array":
            return []
        case "boolean":
            return False
        case "integer" | "number":
            return 1
        case _:
            return "text"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--port", type=int, default=8765, help="0 picks a free port and prints it")
    parser.add_argument("--log", help="append a JSON line per request to this file")
    arguments = parser.parse_args()
    if arguments.log:
        Handler.log_file = open(arguments.log, "a", encoding="utf-8")  # noqa: SIM115
    server = ThreadingHTTPServer(("127.0.0.1", arguments.port), Handler)
    server.daemon_threads = True
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
