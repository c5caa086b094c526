"""The items of a Codex rollout as messages: what was said, thought, called, and given back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from lionstudio.agents.transcript import image_reference
from lionstudio.model.coerce import Record, dict_of, list_of, text_or_none
from lionstudio.model.messages import ActionRequest, ActionResponse, AssistantResponse, Instruction, Message

# How texts begin that the program puts into the user's mouth.
_INJECTED = (
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
_HEAD = 400  # characters in which a result says how the command ended
_NOISE = ("additional_tools", "ghost_snapshot", "compaction", "context_compaction", "other")


class CodexPart(NamedTuple):
    """A message to be: its class, content, metadata, and the role or id that differ from the usual."""

    made: type[Message]
    content: dict[str, Any]
    metadata: dict[str, Any]
    role: str | None = None
    id: str | None = None


def item_parts(item: Record, calls: Mapping[str, list[str]]) -> Iterator[CodexPart]:
    """The messages of one item."""
    kind = str(item.get("type"))
    if kind == "message":
        yield from _spoken(item)
    elif kind == "reasoning":
        thought = "\n\n".join([*_texts(item.get("summary")), *_texts(item.get("content"))])
        if thought:
            yield CodexPart(AssistantResponse, {"assistant_response": "", "thinking": thought}, {})
    elif kind.endswith("_call"):
        yield _call(kind, item)
    elif kind.endswith(("_call_output", "tool_search_output")):
        yield _result(item, calls)
    elif kind not in _NOISE:
        yield CodexPart(Instruction, {"instruction": "", "item": dict(item)}, {"record": kind, "injected": True})


def _spoken(item: Record) -> Iterator[CodexPart]:
    role, content = item.get("role"), item.get("content")
    blocks = [{"type": "input_text", "text": content}] if isinstance(content, str) else list_of(content)
    images = [image_reference(block) for block in blocks if dict_of(block).get("type") == "input_image"]
    texts = _texts(blocks)
    if role == "assistant":
        yield from (CodexPart(AssistantResponse, {"assistant_response": text}, {}) for text in texts)
        return
    harness = _from_harness(item, len(texts))
    for number, text in enumerate(texts or ([""] if images else [])):
        metadata: dict[str, Any] = {} if role == "user" else {"record": str(role)}
        if role != "user" or harness[number : number + 1] == [True] or text.lstrip().startswith(_INJECTED):
            metadata["injected"] = True
        said: dict[str, Any] = {"instruction": text, **({"images": images} if images else {})}
        images = []
        yield CodexPart(Instruction, said, metadata, role="user" if role == "user" else "system")


def _from_harness(item: Record, length: int) -> list[bool]:
    """Newer versions say of every text whether the program wrote it."""
    about = dict_of(item.get("internal_chat_message_metadata_passthrough")).get("content_item_metadata")
    found = [dict_of(dict_of(entry).get("provenance")).get("type") == "harness" for entry in list_of(about)]
    return found if len(found) == length else []


def _texts(blocks: object) -> list[str]:
    found = [block for block in map(dict_of, list_of(blocks)) if block.get("type") in _TEXTS]
    return [block["text"] for block in found if isinstance(block.get("text"), str)]


def _call(kind: str, item: Record) -> CodexPart:
    name = text_or_none(item.get("name")) or kind.removesuffix("_call")
    if text_or_none(item.get("namespace")):
        name = f"{item['namespace']}.{name}"
    given: Any = next((item[key] for key in ("arguments", "input", "action", "query") if item.get(key) is not None), {})
    content = {"function": name, "arguments": _arguments(given)}
    return CodexPart(ActionRequest, content, {"call_id": item.get("call_id") or item.get("id")})


def _arguments(given: Any) -> dict[str, Any]:
    if isinstance(given, dict):
        return given
    if isinstance(given, str) and given.lstrip().startswith("{"):
        try:
            found = json.loads(given)
        except (ValueError, RecursionError):
            return {"input": given}
        return found if isinstance(found, dict) else {"input": given}
    return {"input": given}


def _result(item: Record, calls: Mapping[str, list[str]]) -> CodexPart:
    call = str(item.get("call_id"))
    request, function = calls.get(call, (None, None))
    output, exit_code, bad = _output(item.get("output", item.get("tools")))
    metadata: dict[str, Any] = {"call_id": call, **({} if exit_code is None else {"exit_code": exit_code})}
    content = {"function": function, "action_request_id": request, "error" if bad or exit_code else "output": output}
    return CodexPart(ActionResponse, content, metadata)


def _output(given: Any) -> tuple[Any, int | None, bool]:
    """What a tool gave back, the exit code where one is told, and whether the tool says that it failed."""
    bad = False
    if isinstance(given, dict) and "content" in given:
        given, bad = given["content"], given.get("success") is False
    if isinstance(given, str) and given.startswith('{"output":'):
        try:
            wrapped = dict_of(json.loads(given))
        except (ValueError, RecursionError):
            wrapped = {}
        code = dict_of(wrapped.get("metadata")).get("exit_code")
        if "output" in wrapped:
            return wrapped["output"], code if isinstance(code, int) else None, bad
    if isinstance(given, list):
        given = _joined(given)
    if isinstance(given, str):
        head, mark, _ = f"\n{given[:_HEAD]}".partition("\nOutput:")
        found = _EXIT.search(head) if mark else None
        return given, int(found[1]) if found else None, bad
    return given, None, bad


def _joined(blocks: list[Any]) -> Any:
    texts = _texts(blocks)
    if len(texts) == len(blocks):
        return "\n".join(texts)
    return [image_reference(block) if dict_of(block).get("type") == "input_image" else block for block in blocks]
