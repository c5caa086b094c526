"""Any agent that speaks the Agent Client Protocol over its standard streams. Needs the extra `acp`.

The program is `options["command"]`. We offer no files and no terminal: the agent works in its folder by itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from lionstudio.agents.events import Ended, Event, MessageEvent, MetadataEvent, TextDelta, WaitingEvent
from lionstudio.agents.provider import Provider, Task, history_as_text
from lionstudio.agents.records import raw_message
from lionstudio.errors import InvalidInput, NotFound
from lionstudio.model.json_codec import jsonable
from lionstudio.model.messages import ActionRequest, ActionResponse, AssistantResponse
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.system.program import Program, find_program
from lionstudio.version import VERSION

_GRANTED = {"ask": (), "edit": ("read", "search", "think", "fetch", "edit", "move"), "all": None}


def provider() -> Provider:
    """The provider of this module."""
    return Acp()


class Acp:
    """An agent program behind the protocol."""

    name = "acp"

    def check(self, task: Task) -> None:
        """The protocol's package and the agent's program must be there."""
        try:
            import acp  # noqa: F401
        except ImportError:
            raise NotFound(
                "speaking the Agent Client Protocol needs a package that is not installed",
                hint="pip install 'lion-studio[acp]'",
            ) from None
        argv = task.options.get("command")
        if not isinstance(argv, (list, tuple)) or not argv:
            raise InvalidInput("no program is given", hint='li agent acp "…" -- my-agent --acp')
        find_program(str(argv[0]), task.env, f"install {argv[0]} or give its full path")

    async def run(self, task: Task) -> AsyncIterator[Event]:
        """Start the program, prompt it once, yield what it reports."""
        given = [str(part) for part in task.options["command"]]
        argv = [find_program(given[0], task.env, ""), *given[1:]]
        async with Program(argv, cwd=task.cwd, env=task.env, conversation=True) as program:
            client = _Client(task)
            async with asyncio.TaskGroup() as group:
                talking = group.create_task(_talk(client, program, task))
                try:
                    while (event := await client.events.get()) is not None:
                        yield event
                except GeneratorExit:
                    pass  # the group must be left in peace; there is nothing more to yield
                talking.cancel()


async def _talk(client: _Client, program: Program, task: Task) -> None:
    """One prompt from beginning to end; whatever happens, the last event says how it went."""
    try:
        ended = await _prompt(client, program, task)
    except Exception as error:  # the library raises what it likes; the run must end in our words
        words = program.last_words[-2000:]
        detail = f"{type(error).__name__}: {error}" + (f"\n{words}" if words else "")
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
    known = {"conversation": session_id, "agent": getattr(greeting.agent_info, "name", None)}
    client.events.put_nowait(MetadataEvent({name: value for name, value in known.items() if value}))
    told = [part for part in (task.system, history_as_text(task.history) if task.history else None) if part]
    answer = await agent.prompt(session_id, [acp.text_block("\n\n".join([*told, task.prompt]))])
    client.finish_message(_usage(answer))
    if answer.stop_reason == "end_turn":
        return Ended(SessionStatus.COMPLETED, 0)
    return Ended(
        SessionStatus.FAILED, 1, "run.failed.exit_nonzero", f"it stopped: {answer.stop_reason.replace('_', ' ')}"
    )


async def _session(agent: Any, greeting: Any, task: Task) -> str:
    if task.resume and getattr(greeting.agent_capabilities, "load_session", False):
        await agent.load_session(cwd=task.cwd, session_id=task.resume, mcp_servers=[])
        return task.resume
    return str((await agent.new_session(cwd=task.cwd, mcp_servers=[])).session_id)


def _usage(answer: Any) -> dict[str, int]:
    found = getattr(answer, "usage", None)
    if found is None:
        return {}
    return {
        "input_tokens": found.input_tokens,
        "output_tokens": found.output_tokens,
        "cache_read_tokens": found.cached_read_tokens or 0,
        "cache_write_tokens": found.cached_write_tokens or 0,
    }


class _Client:
    """Our side of the protocol: turns the agent's reports into events."""

    def __init__(self, task: Task) -> None:
        self.events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._granted = _GRANTED[task.permissions or "ask"]
        self._key, self._pieces = "", [""]
        self._requests: dict[str, ActionRequest] = {}

    def on_connect(self, conn: Any) -> None:
        """Nothing to do: we speak first."""

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        """One report."""
        kind = update.session_update
        if kind in ("agent_message_chunk", "agent_thought_chunk"):
            text = getattr(update.content, "text", None)
            if isinstance(text, str):
                self._say("assistant_response" if kind == "agent_message_chunk" else "thinking", text)
                return
        self.finish_message()
        if kind in ("tool_call", "tool_call_update"):
            self._tool(update)
        elif kind != "user_message_chunk":  # our own words, or those of a session that was loaded
            self.events.put_nowait(MessageEvent(raw_message(_plain(update), kind=kind)))

    def _say(self, key: str, text: str) -> None:
        if key != self._key:
            self.finish_message()
        self._key = key
        self._pieces.append(text)
        if key == "assistant_response":
            self.events.put_nowait(TextDelta(text))

    def finish_message(self, usage: dict[str, int] | None = None) -> None:
        """What was said in pieces becomes one message."""
        text, key = "".join(self._pieces), self._key
        self._key, self._pieces = "", []
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
            given = update.raw_output if update.raw_output is not None else _plain(update.content or [])
            answer = {"output" if update.status == "completed" else "error": jsonable(given)}
            content = {**request.content, **answer, "action_request_id": request.id}
            self.events.put_nowait(MessageEvent(ActionResponse(content=content, metadata={"call_id": call_id})))

    async def request_permission(self, session_id: str, tool_call: Any, options: list[Any], **_: Any) -> Any:
        """Grant what the task permits, deny the rest; nobody is there to be asked."""
        from acp.schema import AllowedOutcome, DeniedOutcome, RequestPermissionResponse

        permitted = self._granted is None or tool_call.kind in self._granted
        wanted = ("allow_once", "allow_always") if permitted else ("reject_once", "reject_always")
        chosen = next((option for kind in wanted for option in options if option.kind == kind), None)
        if not permitted:
            self.events.put_nowait(WaitingEvent(f"a permission: {tool_call.title or tool_call.kind}"))
        if chosen is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(outcome=AllowedOutcome(option_id=chosen.option_id, outcome="selected"))

    def __getattr__(self, name: str) -> Any:
        """What we do not offer is refused by the protocol's own words."""
        if name.startswith("_"):
            raise AttributeError(name)
        from acp import RequestError

        async def refuse(*_: Any, **__: Any) -> Any:
            raise RequestError.method_not_found(name)

        return refuse


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value.model_dump(mode="json", exclude_none=True) if hasattr(value, "model_dump") else jsonable(value)
