"""Any program as an agent: lines that arrive together are a message; a JSON line in the shape of one becomes it.

The argv is `options["command"]`. `{prompt}` in it is replaced by the prompt; without it the program reads the prompt
from stdin.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

from lionstudio.agents.events import Ended, Event, MessageEvent
from lionstudio.agents.provider import Provider, Task, history_as_text
from lionstudio.agents.records import parse_line, raw_message
from lionstudio.errors import InvalidInput
from lionstudio.model.json_codec import jsonable
from lionstudio.model.message_text import LINES
from lionstudio.model.messages import AssistantResponse, Instruction, Message, System, create_message
from lionstudio.model.status.statuses import EXIT_CODES, SessionStatus
from lionstudio.system.program import Program, find_program

_MOST_TOGETHER = 64 * 1024  # bytes of lines in one message; a longer line is a message of its own
_BY_ROLE: Mapping[str, tuple[type[Message], str]] = {
    "assistant": (AssistantResponse, "assistant_response"),
    "user": (Instruction, "instruction"),
    "system": (System, "system_message"),
}


def provider() -> Provider:
    return CommandAgent()


class CommandAgent:
    name = "command"

    def check(self, task: Task) -> None:
        argv = task.options.get("command")
        if not isinstance(argv, (list, tuple)) or not argv or not all(isinstance(part, str) for part in argv):
            raise InvalidInput(
                "missing command",
                hint='set `command: ["program", "{prompt}"]` in the agent, or run: li agent command "…" -- program …',
            )
        find_program(argv[0], task.env, f"install {argv[0]} or use its full path", cwd=task.cwd)

    async def run(self, task: Task) -> AsyncIterator[Event]:
        prompt = history_as_text(task.history) + task.prompt if task.history else task.prompt
        command = [str(part) for part in task.options["command"]]
        argv = [
            find_program(command[0], task.env, "", cwd=task.cwd),
            *(part.replace("{prompt}", prompt) for part in command[1:]),
        ]
        stdin = None if any("{prompt}" in part for part in command) else prompt.encode("utf-8", "surrogateescape")
        async with Program(argv, cwd=task.cwd, env=task.env, stdin=stdin, sandbox=task.sandbox) as program:
            async for lines in program.line_groups(_MOST_TOGETHER):
                for message in messages_of(lines):
                    yield MessageEvent(message)
            code = await program.wait()
            yield _ended(code, program.stderr_tail)


def messages_of(lines: bytes) -> Iterator[Message]:
    """The messages of lines that arrived together: their text, and each JSON object for itself."""
    if b"{" not in lines:
        yield from _output(lines)
        return
    before: list[bytes] = []
    for line in lines.split(b"\n"):
        value = parse_line(line) if line.lstrip().startswith(b"{") else None
        if isinstance(value, dict):
            yield from _output(b"\n".join(before))
            before.clear()
            yield _message_of(value)
        else:
            before.append(line)
    yield from _output(b"\n".join(before))


def _output(lines: bytes) -> Iterator[Message]:
    """One message with this output; nothing for blank lines."""
    text = lines.decode("utf-8", "backslashreplace").strip("\n")
    if text and not text.isspace():
        several = {LINES: text.count("\n") + 1} if "\n" in text else {}
        yield AssistantResponse(content={"assistant_response": text}, metadata=several)


def _message_of(record: dict[str, Any]) -> Message:
    content = jsonable(record)
    role, text = content.get("role"), content.get("content")
    if role in _BY_ROLE and isinstance(text, str):
        message_class, key = _BY_ROLE[role]
        rest = {name: item for name, item in content.items() if name not in ("role", "content")}
        return message_class(content={key: text}, metadata={"raw": rest} if rest else {})
    try:
        return create_message(content)
    except InvalidInput:
        return raw_message(record)


def _ended(code: int, last_words: str) -> Ended:
    if code == 0:
        return Ended(SessionStatus.COMPLETED, 0)
    detail = last_words[-2000:] or f"exit code {code}"
    if code == EXIT_CODES[SessionStatus.TIMED_OUT]:
        return Ended(SessionStatus.TIMED_OUT, code, None, detail)
    if code == 137:  # a SIGKILL that we did not send: usually the system was out of memory
        return Ended(SessionStatus.FAILED, code, "run.failed.out_of_memory", detail)
    return Ended(SessionStatus.FAILED, code, "run.failed.exit_nonzero", detail)
