"""Any agent that speaks the Agent Client Protocol on stdin and stdout. Needs the extra `acp`.

The program is `options["command"]`. We offer no file system and no terminal: the agent uses its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from lionstudio.agents.events import Ended, Event, MessageEvent, MetadataEvent, TextDelta, WaitingEvent
from lionstudio.agents.provider import Provider, Task, history_as_text
from lionstudio.agents.records import raw_message, without_empty
from lionstudio.errors import InvalidInput, NotFound
from lionstudio.model.json_codec import jsonable
from lionstudio.model.messages import ActionRequest, ActionResponse, AssistantResponse
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.system.program import Program, find_program
from lionstudio.version import VERSION

_GRANTED = {"ask": (), "edit": ("read", "search", "think", "fetch", "edit", "move"), "all": None}


def provider() -> Provider:
    return Acp()


class Acp:
    name = "acp"

    def check(self, task: Task) -> None:
        try:
            import acp  # noqa: F401
        except ImportError:
            raise NotFound(
                "the provider acp needs the package agent-client-protocol", hint="pip install 'lion-studio[acp]'"
            ) from None
        argv = task.options.get("command")
        if not isinstance(argv, (list, tuple)) or not argv:
            raise InvalidInput("missing command", hint='li agent acp "…" -- my-agent --acp')
        find_program(str(argv[0]), task.env, f"install {argv[0]} or use its full path")

    async def run(self, task: Task) -> AsyncIterator[Event]:
        """Start the program, send one prompt, yield its events."""
        command = [str(part) for part in task.options["command"]]
        argv = [find_program(command[0], task.env, ""), *command[1:]]
        async with Program(argv, cwd=task.cwd, env=task.env, conversation=True) as program:
            client = _Client(task)
            async with asyncio.TaskGroup() as group:
                talking = group.create_task(_talk(client, program, task))
                try:
                    while (event := await client.events.get()) is not None:
                        yield event
                except GeneratorExit:
                    pass  # the task group must not see it; there is nothing more to yield
                talking.cancel()


async def _talk(client: _Client, program: Program, task: Task) -> None:
    """Send the prompt and wait for its end; the last event is always the outcome."""
    try:
        ended = await _prompt(client, program, task)
    except Exception as error:  # the library may raise anything; the run must end with an outcome
        stderr = program.stderr_tail[-2000:]
        detail = f"{type(error).__name__}: {error}" + (f"\n{stderr}" if stderr else "")
        ended = Ended(SessionStatus.FAILED, 1, "run.failed.provider_crash", detail)
    client.finish_message()
    client.events.put_nowait(ended)
    client.events.put_nowait(None)


async def _prompt(client: _Client, program: Program, task: Task) -> Ended:
    import acp
    from acp.schema import ClientCapabilities, Implementation

    agent = acp.connect_to_agent(client, program.stdin, program.stdout)
    info = Implementation(name="lion-studio", version=VERSION)
    greeting = await agent.initialize(acp.PROTOCOL_VERSION, ClientCapabilities(), info)
    session_id = await _session(agent, greeting, task)
    facts = without_empty(conversation=session_id, agent=getattr(greeting.agent_info, "name", None))
    client.events.put_nowait(MetadataEvent(facts))
    context = [part for part in (task.system, history_as_text(task.history) if task.history else None) if part]
    answer = await agent.prompt(session_id, [acp.text_block("\n\n".join([*context, task.prompt]))])
    client.finish_message(_usage(answer))
    if answer.stop_reason == "end_turn":
        return Ended(SessionStatus.COMPLETED, 0)
    return Ended(
        SessionStatus.FAILED, 1, "run.failed.exit_nonzero", f"the agent stopped: {answer.stop_reason.replace('_', ' ')}"
    )


async def _session(agent: Any, greeting: Any, task: Task) -> str:
    if task.resume and getattr(greeting.agent_capabilities, "load_session", False):
        await agent.load_session(cwd=task.cwd, session_id=task.resume, mcp_servers=[])
        return task.resume
    return str((await agent.new_session(cwd=task.cwd, mcp_servers=[])).session_id)


def _usage(answer: Any) -> dict[str, int]:
    usage = getattr(answer, "usage", None)
    if usage is None:
        return {}
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cache_read_tokens": usage.cached_read_tokens or 0,
        "cache_write_tokens": usage.cached_write_tokens or 0,
    }


class _Client:
    """The client side of the protocol: turns updates into events."""

    def __init__(self, task: Task) -> None:
        self.events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._granted = _GRANTED[task.permissions or "ask"]
        self._key, self._chunks = "", [""]
        self._requests: dict[str, ActionRequest] = {}

    def on_connect(self, conn: Any) -> None:
        """Required by the protocol; the client sends first."""

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        kind = update.session_update
        if kind in ("agent_message_chunk", "agent_thought_chunk"):
            text = getattr(update.content, "text", None)
            if isinstance(text, str):
                self._add_chunk("assistant_response" if kind == "agent_message_chunk" else "thinking", text)
                return
        self.finish_message()
        if kind in ("tool_call", "tool_call_update"):
            self._tool(update)
        elif kind != "user_message_chunk":  # our prompt, or messages of a loaded session
            self.events.put_nowait(MessageEvent(raw_message(_to_json(update), kind=kind)))

    def _add_chunk(self, key: str, text: str) -> None:
        if key != self._key:
            self.finish_message()
        self._key = key
        self._chunks.append(text)
        if key == "assistant_response":
            self.events.put_nowait(TextDelta(text))

    def finish_message(self, usage: dict[str, int] | None = None) -> None:
        """Emit the chunks so far as one message."""
        text, key = "".join(self._chunks), self._key
        self._key, self._chunks = "", []
        if text or usage:
            content = {"assistant_response": "", key or "assistant_response": text}
            metadata = {"usage": usage} if usage else {}
            self.events.put_nowait(MessageEvent(AssistantResponse(content=content, metadata=metadata)))

    def _tool(self, update: Any) -> None:
        call_id = update.tool_call_id
        request = self._requests.get(call_id)
        if request is None:
            content = {"function": update.title or update.kind or "tool", "arguments": jsonable(update.raw_input or {})}
            request = ActionRequest(content=content, metadata={"call_id": call_id, "kind": update.kind})
            self._requests[call_id] = request
            self.events.put_nowait(MessageEvent(request))
        if update.status in ("completed", "failed"):
            output = update.raw_output if update.raw_output is not None else _to_json(update.content or [])
            result = {"output" if update.status == "completed" else "error": jsonable(output)}
            content = {**request.content, **result, "action_request_id": request.id}
            self.events.put_nowait(MessageEvent(ActionResponse(content=content, metadata={"call_id": call_id})))

    async def request_permission(self, session_id: str, tool_call: Any, options: list[Any], **_: Any) -> Any:
        """Grant what the task permits and deny the rest, without asking the user."""
        from acp.schema import AllowedOutcome, DeniedOutcome, RequestPermissionResponse

        is_permitted = self._granted is None or tool_call.kind in self._granted
        kinds = ("allow_once", "allow_always") if is_permitted else ("reject_once", "reject_always")
        choice = next((option for kind in kinds for option in options if option.kind == kind), None)
        if not is_permitted:
            self.events.put_nowait(WaitingEvent(f"a permission: {tool_call.title or tool_call.kind}"))
        if choice is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(outcome=AllowedOutcome(option_id=choice.option_id, outcome="selected"))

    def __getattr__(self, name: str) -> Any:
        """Refuse every other method with the error of the protocol."""
        if name.startswith("_"):
            raise AttributeError(name)
        from acp import RequestError

        async def refuse(*_: Any, **__: Any) -> Any:
            raise RequestError.method_not_found(name)

        return refuse


def _to_json(value: Any) -> Any:
    if isinstance(value, list):
        return [_to_json(item) for item in value]
    return value.model_dump(mode="json", exclude_none=True) if hasattr(value, "model_dump") else jsonable(value)
