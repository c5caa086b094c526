"""Any model behind an OpenAI-compatible address: OpenAI, Ollama, vLLM, llama.cpp. Needs the extra `openai`.

The address is `options["base_url"]` or OPENAI_BASE_URL; tools are ours (agents/openai/tools.py).
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from lionstudio.agents.events import Ended, Event, MessageEvent, MetadataEvent, TextDelta
from lionstudio.agents.openai import tools
from lionstudio.agents.provider import Provider, Task
from lionstudio.agents.rate_limits import reset_time
from lionstudio.errors import InvalidInput, NotFound
from lionstudio.model.ids import new_id
from lionstudio.model.messages import ActionRequest, ActionResponse, AssistantResponse, Message
from lionstudio.model.status.statuses import SessionStatus

_MOST_ROUNDS = 200  # calls of the model in one run: a model that never stops asking for tools is stopped


def provider() -> Provider:
    """The provider of this module."""
    return OpenAI()


class OpenAI:
    """A model that is called over HTTP."""

    name = "openai"

    def check(self, task: Task) -> None:
        """The client library must be there, and a model must be named."""
        try:
            import openai  # noqa: F401
        except ImportError:
            raise NotFound(
                "calling a model over HTTP needs a package that is not installed",
                hint="pip install 'lion-studio[openai]'",
            ) from None
        if not task.model:
            raise InvalidInput("no model is named", hint="li agent openai/MODEL …")

    async def run(self, task: Task) -> AsyncIterator[Event]:
        """Talk with the model until it asks for no more tools."""
        import openai

        address = task.options.get("base_url") or task.env.get("OPENAI_BASE_URL")
        key = task.env.get("OPENAI_API_KEY") or "none"  # local servers want something, and do not look at it
        yield MetadataEvent({"model": task.model, "conversation": None, **({"base_url": address} if address else {})})
        try:
            async with openai.AsyncOpenAI(base_url=address, api_key=key) as client:
                async for event in _talk(client, task):
                    yield event
        except openai.RateLimitError as error:
            detail = _sentence(error)
            yield Ended(SessionStatus.FAILED, 1, "run.failed.usage_limit", detail, reset_time(detail))
        except openai.AuthenticationError as error:
            hint = "set OPENAI_API_KEY to a key that is valid"
            yield Ended(SessionStatus.FAILED, 1, "run.failed.exit_nonzero", f"{_sentence(error)}; {hint}")
        except openai.NotFoundError as error:
            yield Ended(SessionStatus.FAILED, 1, "run.failed.exit_nonzero", f"{_sentence(error)} (model {task.model})")
        except openai.APIConnectionError as error:
            where = address or "the vendor's address"
            yield Ended(SessionStatus.FAILED, 1, "run.failed.provider_crash", f"{where} cannot be reached: {error}")
        except openai.OpenAIError as error:
            yield Ended(SessionStatus.FAILED, 1, "run.failed.provider_crash", _sentence(error))


async def _talk(client: Any, task: Task) -> AsyncIterator[Event]:
    said = _opening(task)
    for _ in range(_MOST_ROUNDS):
        answer = _Answer()
        stream = await client.chat.completions.create(**_request(task, said))
        async for chunk in stream:
            heard = answer.take(chunk)
            if heard:
                yield TextDelta(heard)
        for message in answer.messages():
            yield MessageEvent(message)
        if not answer.calls:
            yield Ended(SessionStatus.COMPLETED, 0)
            return
        said.append(answer.as_sent())
        for request, call in zip(answer.requests, answer.calls.values(), strict=True):
            text, worked = await tools.use(task, call["name"], request.content["arguments"])
            result = {**request.content, "output" if worked else "error": text, "action_request_id": request.id}
            yield MessageEvent(ActionResponse(content=result, metadata={"call_id": call["id"]}))
            said.append({"role": "tool", "tool_call_id": call["id"], "content": text})
    yield Ended(SessionStatus.FAILED, 1, "run.failed.exit_nonzero", f"it did not finish in {_MOST_ROUNDS} rounds")


def _request(task: Task, said: list[dict[str, Any]]) -> dict[str, Any]:
    offered = tools.offered(task)
    return {
        "model": task.model,
        "messages": said,
        "stream": True,
        "stream_options": {"include_usage": True},
        **({"tools": offered} if offered else {}),
        **({"reasoning_effort": task.effort} if task.effort else {}),
    }


def _opening(task: Task) -> list[dict[str, Any]]:
    """The conversation so far, as the API has it; tool calls of a history are told as text."""
    said = [{"role": "system", "content": task.system}] if task.system else []
    for message in task.history:
        role = message.role if message.role in ("system", "user", "assistant") else "user"
        said.append({"role": role, "content": message.text})
    return [*said, {"role": "user", "content": task.prompt}]


class _Answer:
    """One answer of the model, put together from its pieces."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._thought: list[str] = []
        self._usage: dict[str, int] = {}
        self.calls: dict[int, dict[str, str]] = {}
        self.requests: list[ActionRequest] = []

    def take(self, chunk: Any) -> str:
        """Add a piece; the text in it."""
        if chunk.usage is not None:
            cached = getattr(getattr(chunk.usage, "prompt_tokens_details", None), "cached_tokens", None) or 0
            self._usage = {
                "input_tokens": max(0, (chunk.usage.prompt_tokens or 0) - cached),  # the vendor counts them in
                "output_tokens": chunk.usage.completion_tokens or 0,
                "cache_read_tokens": cached,
            }
        if not chunk.choices:
            return ""
        delta = chunk.choices[0].delta
        thought = getattr(delta, "reasoning_content", None) or getattr(delta, "reasoning", None)
        if isinstance(thought, str):
            self._thought.append(thought)
        for piece in delta.tool_calls or ():
            call = self.calls.setdefault(piece.index, {"id": "", "name": "", "arguments": ""})
            call["id"] = piece.id or call["id"] or new_id()
            if piece.function is not None:
                call["name"] += piece.function.name or ""
                call["arguments"] += piece.function.arguments or ""
        text = delta.content or ""
        self._text.append(text)
        return text

    def messages(self) -> list[Message]:
        """What is kept of it; its usage is noted once."""
        made: list[Message] = []
        text, thought = "".join(self._text), "".join(self._thought)
        if text or thought or not self.calls:
            content = {"assistant_response": text, **({"thinking": thought} if thought else {})}
            made.append(AssistantResponse(content=content, metadata=self._metadata()))
        for call in self.calls.values():
            request = ActionRequest(
                content={"function": call["name"], "arguments": _arguments(call["arguments"])},
                metadata={"call_id": call["id"], **self._metadata()},
            )
            self.requests.append(request)
            made.append(request)
        return made

    def _metadata(self) -> dict[str, Any]:
        usage, self._usage = self._usage, {}
        return {"usage": usage} if usage else {}

    def as_sent(self) -> dict[str, Any]:
        """The answer as the API wants it back."""
        calls = [
            {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}}
            for call in self.calls.values()
        ]
        return {"role": "assistant", "content": "".join(self._text) or None, "tool_calls": calls}


def _arguments(text: str) -> Any:
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {"unreadable": text}
    return value if isinstance(value, dict) else {"value": value}


def _sentence(error: Exception) -> str:
    return str(getattr(error, "message", None) or error)[:1000]
