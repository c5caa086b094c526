"""The model server of the shared tools, with more commands and with facts that real servers report.

`@run @call TOOL JSON` calls any tool; `NAMESPACE.TOOL` calls a tool of a namespace. A prompt that contains `@cached`
is answered with tokens that were written to and read from the cache. Every response has a request id.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import uuid
from typing import Any

CACHE_WRITTEN, CACHE_READ = 7, 1100


def load(path: str) -> Any:
    """A module by its path."""
    spec = importlib.util.spec_from_file_location("fake_llm", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(path: str, log: str) -> None:
    """Serve on a free port, which is printed."""
    fake = load(path)

    class Turn(fake.Turn):  # type: ignore[misc, name-defined]
        def __init__(self, messages: Any, tools: Any) -> None:
            super().__init__(messages, tools)
            self.cached = "@cached" in json.dumps(messages)
            self.given: Any = None
            if self.command and self.command.startswith("@call ") and " @and " not in self.command:
                self.tool, self.given = self.call(self.command)

        def call(self, command: str) -> Any:
            if not command.startswith("@call "):
                return super().call(command)
            _, tool, given = command.split(" ", 2)
            return tool, json.loads(given)

        def arguments(self) -> Any:
            return super().arguments() if self.given is None else self.given

    class Handler(fake.Handler):  # type: ignore[misc, name-defined]
        cached = False

        def turn(self, messages: Any, request: Any) -> Any:
            with open(f"{log}.bodies", "a", encoding="utf-8") as bodies:
                print(json.dumps(request), file=bodies)
            turn = super().turn(messages, request)
            self.cached = turn is not None and turn.cached
            return turn

        def send_response(self, code: int, message: str | None = None) -> None:
            super().send_response(code, message)
            self.send_header("request-id", f"req_{uuid.uuid4().hex[:20]}")

        def send_events(self, events: Any) -> None:
            super().send_events([(name, self.completed(data)) for name, data in events])

        def completed(self, data: Any) -> Any:
            """An event with tokens of the cache, and with calls in their namespace."""
            message = data.get("message") if isinstance(data, dict) else None
            if self.cached and isinstance(message, dict):
                cache = {"cache_creation_input_tokens": CACHE_WRITTEN, "cache_read_input_tokens": CACHE_READ}
                return {**data, "message": {**message, "usage": {**message["usage"], **cache, "output_tokens": 1}}}
            response = data.get("response") if isinstance(data, dict) else None
            if self.cached and isinstance(response, dict):
                details = {"input_tokens_details": {"cached_tokens": 60}}
                return {**data, "response": {**response, "usage": {**response["usage"], **details}}}
            item = data.get("item") if isinstance(data, dict) else None
            if isinstance(item, dict) and "." in str(item.get("name")):
                namespace, _, name = item["name"].partition(".")
                return {**data, "item": {**item, "namespace": namespace, "name": name}}
            return data

    fake.Turn, fake.Handler = Turn, Handler
    sys.argv = ["fake_llm", "--port", "0", "--log", log]
    fake.main()


if __name__ == "__main__":
    main(*sys.argv[1:])
