"""The content blocks of a Claude Code record as messages: text, thinking, tool calls and what came of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lionstudio.agents.fields import known, text_of
from lionstudio.agents.raw_message import raw_message
from lionstudio.model.coerce import Record, dict_of, list_of
from lionstudio.model.json_codec import jsonable
from lionstudio.model.messages import ActionRequest, ActionResponse, AssistantResponse, Instruction, Message

Calls = dict[str, ActionRequest]  # by the provider's id of the call

_SHORT = 200
_REPEATED = ("stdout", "stderr", "prompt")  # stand in the output or in the request


def assistant_messages(record: Record, calls: Calls) -> Iterator[Message]:
    """What the model said."""
    said = dict_of(record.get("message"))
    about = _about(record, said)
    for block in _blocks(said.get("content")):
        kind = text_of(dict_of(block).get("type"))
        if kind == "text":
            yield AssistantResponse(content={"assistant_response": text_of(block.get("text"))}, metadata=about)
        elif kind in ("thinking", "redacted_thinking"):
            hidden = {"redacted": True} if kind == "redacted_thinking" else {}
            content = {"assistant_response": "", "thinking": text_of(block.get("thinking"))}
            yield AssistantResponse(content=content, metadata={**about, **hidden})
        elif kind.endswith("tool_use"):
            yield _request(block, about, calls)
        elif kind.endswith("tool_result"):
            yield _response(block, about, calls)
        else:
            yield raw_message(block, **about)


def user_messages(record: Record, calls: Calls, *, injected: bool) -> Iterator[Message]:
    """What came from the user's side: results of tools, a sub-agent's task, and what the program itself puts in."""
    said = dict_of(record.get("message"))
    about = _about(record, said)
    for block in _blocks(said.get("content")):
        kind = text_of(dict_of(block).get("type"))
        if kind == "tool_result":
            yield _response(block, {**about, **_noted(record)}, calls)
        elif kind == "text":
            words = {"instruction": text_of(block.get("text"))}
            yield Instruction(content=words, metadata={**about, "injected": True} if injected else about)
        else:
            yield raw_message(block, **about)


def result_text(content: Any) -> Any:
    """Text as text, a list of texts joined; anything else as it is."""
    if not isinstance(content, list):
        return content
    texts = [block.get("text") if dict_of(block).get("type") == "text" else None for block in content]
    return "\n".join(map(text_of, texts)) if all(isinstance(text, str) for text in texts) else content


def _blocks(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list_of(content)


def _about(record: Record, said: Record) -> dict[str, Any]:
    model = said.get("model")
    return known(
        uuid=record.get("uuid"),
        message_id=said.get("id"),
        model=None if model == "<synthetic>" else model,
        error=record.get("error"),
    )


def _request(block: Record, about: Record, calls: Calls) -> Message:
    call = {"function": text_of(block.get("name")), "arguments": jsonable(block.get("input"))}
    request = ActionRequest(content=call, metadata={**about, "call_id": block.get("id")})
    calls[text_of(block.get("id"))] = request
    return request


def _response(block: Record, about: Record, calls: Calls) -> Message:
    call = text_of(block.get("tool_use_id"))
    request = calls.get(call)
    content: dict[str, Any] = {"function": request.content["function"] if request else None}
    content["error" if block.get("is_error") is True else "output"] = jsonable(result_text(block.get("content")))
    content["action_request_id"] = request.id if request else None
    return ActionResponse(content=content, metadata={**about, "call_id": call})


def _noted(record: Record) -> dict[str, Any]:
    """The small values of what the program noted about a result; the rest repeats the output."""
    noted = dict_of(record.get("tool_use_result")).items()
    small = {name: value for name, value in noted if isinstance(value, (bool, int, float)) or _is_word(value)}
    return known(
        result={name: value for name, value in small.items() if value not in (False, "") and name not in _REPEATED}
    )


def _is_word(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _SHORT
