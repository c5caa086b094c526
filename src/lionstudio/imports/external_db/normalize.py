"""Whose message it is: class tags, roles and usage of other tools in our words, the originals kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lionstudio.errors import InvalidInput
from lionstudio.model.coerce import to_microusd, to_token_count
from lionstudio.model.entity import UNKNOWN_TAG, find_class
from lionstudio.model.messages import (
    ActionRequest,
    ActionResponse,
    AssistantResponse,
    Instruction,
    Message,
    System,
    create_message,
)
from lionstudio.model.usage import Usage

_OURS: Mapping[str, type[Message]] = {
    made.__name__: made for made in (System, Instruction, AssistantResponse, ActionRequest, ActionResponse)
}
_ROLES = ("system", "user", "assistant", "tool")
_ROLE_OF = {made: made().role for made in _OURS.values()}
_OTHER_SPELLINGS = {
    "human": "user",
    "ai": "assistant",
    "model": "assistant",
    "developer": "system",
    "function": "tool",
    "action": "tool",
}


def class_for(tag: object, content: object) -> type[Message]:
    """Our class for a class path of any version, by its last part; by the content's keys where there is none."""
    if isinstance(tag, str) and tag not in ("", UNKNOWN_TAG):
        return _OURS.get(tag.rpartition(".")[2], Message)
    if isinstance(content, dict):
        try:
            return type(create_message(content))
        except InvalidInput:
            pass
    return Message


def normalize_tag(metadata: dict[str, Any], made: type[Message]) -> None:
    """Leave in the metadata only a tag that our class does not say by itself."""
    tag = metadata.pop("lion_class", None)
    if made is Message and isinstance(tag, str) and tag and find_class(tag) is None:
        metadata["lion_class"] = tag
    elif tag is not None and tag != made.TAG:
        metadata["lion_class_original"] = tag


def normalize_role(metadata: dict[str, Any], made: type[Message], given: object) -> str | None:
    """One of our four roles; a spelling that had to be changed is kept."""
    role = str(given).strip().lower() if isinstance(given, str) else ""
    if role in _ROLES:
        return role
    if given is not None:
        metadata["role_original"] = given
    return _ROLE_OF.get(made) or _OTHER_SPELLINGS.get(role) or (role or None)


def normalize_usage(metadata: dict[str, Any]) -> None:
    """Put tokens and cost under `usage` in our shape, from wherever the other tool noted them."""
    if "usage" not in metadata and "model_response" not in metadata:
        return
    given = metadata.get("usage")
    if given is not None:
        if _is_ours(given):
            return
        metadata["usage_original"] = metadata.pop("usage")
    found = _reported(metadata.get("model_response")) or _reported({"usage": given})
    if found:
        metadata["usage"] = found


def _is_ours(given: object) -> bool:
    if not isinstance(given, dict) or not set(given) <= set(Usage._fields):
        return False
    try:
        Usage.of(given)
    except InvalidInput:
        return False
    return True


def _reported(response: object) -> dict[str, int]:
    """The usage in a provider's answer; of a list of pieces the last that has any."""
    if isinstance(response, list):
        return next((found for piece in reversed(response) if (found := _reported(piece))), {})
    if not isinstance(response, dict):
        return {}
    used = response.get("usage")
    counts = _counts(used) if isinstance(used, dict) else {}
    cost = to_microusd(response.get("total_cost_usd", response.get("cost_usd")))
    return counts | ({} if cost is None else {"cost_microusd": cost})


def _counts(used: Mapping[str, Any]) -> dict[str, int]:
    names = {
        "input_tokens": ("input_tokens", "prompt_tokens"),
        "output_tokens": ("output_tokens", "completion_tokens"),
        "cache_read_tokens": ("cache_read_input_tokens", "cache_read_tokens"),
        "cache_write_tokens": ("cache_creation_input_tokens", "cache_write_tokens"),
    }
    found = {ours: max(to_token_count(used.get(name)) for name in theirs) for ours, theirs in names.items()}
    return {name: count for name, count in found.items() if count}
