"""Any model behind an OpenAI-compatible API: OpenAI, Ollama, vLLM, llama.cpp. Needs the extra `openai`.

The URL is `options["base_url"]` or OPENAI_BASE_URL; agents/openai/tools.py has the tools.
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

_MAX_ROUNDS = 200  # model calls in one run; ends a model that requests tools forever


def provider() -> Provider:
    return OpenAI()


class OpenAI:
    name = "openai"

    def check(self, task: Task) -> None:
        try:
            import openai  # noqa: F401
        except ImportError:
            raise NotFound(
                "the provider openai needs the package openai", hint="pip install 'lion-studio[openai]'"
            ) from None
        if not task.model:
            raise InvalidInput("missing model", hint="li agent openai/MODEL …")

    async def run(self, task: Task) -> AsyncIterator[Event]:
        """Call the model until it requests no more tools."""
        import openai

        base_url = task.options.get("base_url") or task.env.get("OPENAI_BASE_URL")
        key = task.env.get("OPENAI_API_KEY") or "none"  # local servers require a key and ignore it
        yield MetadataEvent({"model": task.model, "conversation": None, **({"base_url": base_url} if base_url else {})})
        try:
            async with openai.AsyncOpenAI(base_url=base_url, api_key=key) as client:
                async for event in _talk(client, task):
                    yield event
        except openai.RateLimitError as error:
            detail = _error_text(error)
            yield Ended(SessionStatus.FAILED, 1, "run.failed.usage_limit", detail, reset_time(detail))
        except openai.AuthenticationError as error:
            hint = "set OPENAI_API_KEY to a valid key"
            yield Ended(SessionStatus.FAILED, 1, "run.failed.exit_nonzero", f"{_error_text(error)}; {hint}")
        except openai.NotFoundError as error:
            yield Ended(
                SessionStatus.FAILED, 1, "run.failed.exit_nonzero", f"{_error_text(error)} (model {task.model})"
            )
        except openai.APIConnectionError as error:
            detail = f"cannot connect to {base_url or 'the OpenAI API'}: {error}"
            yield Ended(SessionStatus.FAILED, 1, "run.failed.provider_crash", detail)
        except openai.OpenAIError as error:
            yield Ended(SessionStatus.FAILED, 1, "run.failed.provider_crash", _error_text(error))


async def _talk(client: Any, task: Task) -> AsyncIterator[Event]:
    messages = _opening(task)
    for _ in range(_MAX_ROUNDS):
        answer = _Answer()
        stream = await client.chat.completions.create(**_request(task, messages))
        async for chunk in stream:
            if text := answer.add(chunk):
                yield TextDelta(text)
        for message in answer.messages():
            yield MessageEvent(message)
        if not answer.calls:
            yield Ended(SessionStatus.COMPLETED, 0)
            return
        messages.append(answer.to_request())
        for request, call in zip(answer.requests, answer.calls.values(), strict=True):
            output, succeeded = await tools.use(task, call["name"], request.content["arguments"])
            result = {**request.content, "output" if succeeded else "error": output, "action_request_id": request.id}
            yield MessageEvent(ActionResponse(content=result, metadata={"call_id": call["id"]}))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": output})
    yield Ended(
        SessionStatus.FAILED, 1, "run.failed.exit_nonzero", f"the agent did not finish within {_MAX_ROUNDS} model calls"
    )


def _request(task: Task, messages: list[dict[str, Any]]) -> dict[str, Any]:
    offered = tools.offered(task)
    return {
        "model": task.model,
        "messages": messages,
        "stream": True,
        "stream_options": {"include_usage": True},
        **({"tools": offered} if offered else {}),
        **({"reasoning_effort": task.effort} if task.effort else {}),
    }


def _opening(task: Task) -> list[dict[str, Any]]:
    """The conversation so far in the shape of the API; tool calls of the history become text."""
    messages = [{"role": "system", "content": task.system}] if task.system else []
    for message in task.history:
        role = message.role if message.role in ("system", "user", "assistant") else "user"
        messages.append({"role": role, "content": message.text})
    return [*messages, {"role": "user", "content": task.prompt}]


class _Answer:
    """One answer of the model, assembled from its chunks."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._usage: dict[str, int] = {}
        self.calls: dict[int, dict[str, str]] = {}
        self.requests: list[ActionRequest] = []

    def add(self, chunk: Any) -> str:
        """Add a chunk and return its text."""
        if chunk.usage is not None:
            cached = getattr(getattr(chunk.usage, "prompt_tokens_details", None), "cached_tokens", None) or 0
            self._usage = {
                "input_tokens": max(0, (chunk.usage.prompt_tokens or 0) - cached),  # the API includes them
                "output_tokens": chunk.usage.completion_tokens or 0,
                "cache_read_tokens": cached,
            }
        if not chunk.choices:
            return ""
        delta = chunk.choices[0].delta
        thinking = getattr(delta, "reasoning_content", None) or getattr(delta, "reasoning", None)
        if isinstance(thinking, str):
            self._thinking.append(thinking)
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
        """The messages of the answer; the first one carries the usage."""
        messages: list[Message] = []
        text, thinking = "".join(self._text), "".join(self._thinking)
        if text or thinking or not self.calls:
            content = {"assistant_response": text, **({"thinking": thinking} if thinking else {})}
            messages.append(AssistantResponse(content=content, metadata=self._metadata()))
        for call in self.calls.values():
            request = ActionRequest(
                content={"function": call["name"], "arguments": _arguments(call["arguments"])},
                metadata={"call_id": call["id"], **self._metadata()},
            )
            self.requests.append(request)
            messages.append(request)
        return messages

    def _metadata(self) -> dict[str, Any]:
        usage, self._usage = self._usage, {}
        return {"usage": usage} if usage else {}

    def to_request(self) -> dict[str, Any]:
        """The answer as a message of the next request."""
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


def _error_text(error: Exception) -> str:
    return str(getattr(error, "message", None) or error)[:1000]
