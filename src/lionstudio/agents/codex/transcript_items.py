"""The items of a Codex rollout as messages: prompts, answers, reasoning, tool calls and their results."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from lionstudio.agents.transcript import MessagePart, image_reference
from lionstudio.model.coerce import Record, dict_of, list_of, text_or_none
from lionstudio.model.messages import ActionRequest, ActionResponse, AssistantResponse, Instruction

# Prefixes of texts that Codex inserts as the user.
_INJECTED = (
    "<image name=",
    "</image>",
    "<recommended_plugins>",
    "<environment_context>",
    "<skill>",
    "<turn_aborted>",
    "<user_instructions>",
    "<user_shell_command>",
    "<permissions",
    "<collaboration_mode>",
    "<subagent_notification>",
    "<model_switch>",
    "# AGENTS.md instructions for ",
    "# Context from my IDE setup:",
    "# Files mentioned by the user:",
)
_TEXTS = ("input_text", "output_text", "text", "summary_text", "reasoning_text")
_EXIT = re.compile(r"(?:Process exited with code|Exit code:?) (-?[0-9]{1,6})$", re.MULTILINE)
_EXIT_RANGE = 400  # characters at the start of a result that may hold the exit code
_NOISE = ("additional_tools", "ghost_snapshot", "compaction", "context_compaction", "other")


def item_parts(item: Record, calls: Mapping[str, list[str]]) -> Iterator[MessagePart]:
    kind = str(item.get("type"))
    if kind == "message":
        yield from _message_parts(item)
    elif kind == "reasoning":
        thinking = "\n\n".join([*_texts(item.get("summary")), *_texts(item.get("content"))])
        if thinking:
            yield MessagePart(AssistantResponse, {"assistant_response": "", "thinking": thinking}, {})
    elif kind.endswith("_call"):
        yield _call(kind, item)
    elif kind.endswith(("_call_output", "tool_search_output")):
        yield _result(item, calls)
    elif kind not in _NOISE:
        yield MessagePart(Instruction, {"instruction": "", "item": dict(item)}, {"record": kind, "injected": True})


def _message_parts(item: Record) -> Iterator[MessagePart]:
    role, content = item.get("role"), item.get("content")
    blocks = [{"type": "input_text", "text": content}] if isinstance(content, str) else list_of(content)
    images = [image_reference(block) for block in blocks if dict_of(block).get("type") == "input_image"]
    texts = _texts(blocks)
    if role == "assistant":
        yield from (MessagePart(AssistantResponse, {"assistant_response": text}, {}) for text in texts)
        return
    harness = _from_harness(item, len(texts))
    for number, text in enumerate(texts or ([""] if images else [])):
        metadata: dict[str, Any] = {} if role == "user" else {"record": str(role)}
        if role != "user" or harness[number : number + 1] == [True] or text.lstrip().startswith(_INJECTED):
            metadata["injected"] = True
        prompt: dict[str, Any] = {"instruction": text, **({"images": images} if images else {})}
        images = []
        yield MessagePart(Instruction, prompt, metadata, role="user" if role == "user" else "system")


def _from_harness(item: Record, length: int) -> list[bool]:
    """For every text: True if Codex wrote it. Only newer versions report this."""
    entries = dict_of(item.get("internal_chat_message_metadata_passthrough")).get("content_item_metadata")
    flags = [dict_of(dict_of(entry).get("provenance")).get("type") == "harness" for entry in list_of(entries)]
    return flags if len(flags) == length else []


def _texts(blocks: object) -> list[str]:
    text_blocks = [block for block in map(dict_of, list_of(blocks)) if block.get("type") in _TEXTS]
    return [block["text"] for block in text_blocks if isinstance(block.get("text"), str)]


def _call(kind: str, item: Record) -> MessagePart:
    name = text_or_none(item.get("name")) or kind.removesuffix("_call")
    if namespace := text_or_none(item.get("namespace")):
        # tools of an MCP server have one name, as in the live stream: mcp__server__tool
        name = f"{namespace.removesuffix('__')}__{name}" if namespace.startswith("mcp__") else f"{namespace}.{name}"
    value: Any = next((item[key] for key in ("arguments", "input", "action", "query") if item.get(key) is not None), {})
    content = {"function": name, "arguments": _arguments(value)}
    return MessagePart(ActionRequest, content, {"call_id": item.get("call_id") or item.get("id")})


def _arguments(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            return {"input": value}
        return parsed if isinstance(parsed, dict) else {"input": value}
    return {"input": value}


def _result(item: Record, calls: Mapping[str, list[str]]) -> MessagePart:
    call = str(item.get("call_id"))
    request_id, function = calls.get(call, (None, None))
    output, exit_code, is_failed = _output(item.get("output", item.get("tools")))
    metadata: dict[str, Any] = {"call_id": call, **({} if exit_code is None else {"exit_code": exit_code})}
    content = {"function": function, "action_request_id": request_id}
    content["error" if is_failed or exit_code else "output"] = output
    return MessagePart(ActionResponse, content, metadata)


def _output(value: Any) -> tuple[Any, int | None, bool]:
    """The output of a tool, its exit code if reported, and True if the tool says that it failed."""
    is_failed = isinstance(value, str) and value.startswith("unsupported call: ")  # a tool that does not exist
    if isinstance(value, dict) and "content" in value:
        value, is_failed = value["content"], value.get("success") is False
    if isinstance(value, str) and value.startswith('{"output":'):
        try:
            wrapped = dict_of(json.loads(value))
        except (ValueError, RecursionError):
            wrapped = {}
        code = dict_of(wrapped.get("metadata")).get("exit_code")
        if "output" in wrapped:
            return wrapped["output"], code if isinstance(code, int) else None, is_failed
    if isinstance(value, list):
        value = _joined(value)
    if isinstance(value, str):
        summary, separator, _ = f"\n{value[:_EXIT_RANGE]}".partition("\nOutput:")
        match = _EXIT.search(summary) if separator else None
        return value, int(match[1]) if match else None, is_failed
    return value, None, is_failed


def _joined(blocks: list[Any]) -> Any:
    texts = _texts(blocks)
    if len(texts) == len(blocks):
        return "\n".join(texts)
    return [image_reference(block) if dict_of(block).get("type") == "input_image" else block for block in blocks]
