"""Class tags, roles and usage of other tools in our terms; the original values are kept."""

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
    message_class.__name__: message_class
    for message_class in (System, Instruction, AssistantResponse, ActionRequest, ActionResponse)
}
_ROLES = ("system", "user", "assistant", "tool")
_ROLE_OF = {message_class: message_class().role for message_class in _OURS.values()}
_SYNONYMS = {
    "human": "user",
    "ai": "assistant",
    "model": "assistant",
    "developer": "system",
    "function": "tool",
    "action": "tool",
}


def class_for(tag: object, content: object) -> type[Message]:
    """The class for a class path of any version, by its last part; without a path, by the keys of the content."""
    if isinstance(tag, str) and tag not in ("", UNKNOWN_TAG):
        return _OURS.get(tag.rpartition(".")[2], Message)
    if isinstance(content, dict):
        try:
            return type(create_message(content))
        except InvalidInput:
            pass
    return Message


def normalize_tag(metadata: dict[str, Any], message_class: type[Message]) -> None:
    """Keep the tag in the metadata only if it differs from the tag of the class."""
    tag = metadata.pop("lion_class", None)
    if message_class is Message and isinstance(tag, str) and tag and find_class(tag) is None:
        metadata["lion_class"] = tag
    elif tag is not None and tag != message_class.TAG:
        metadata["lion_class_original"] = tag


def normalize_role(metadata: dict[str, Any], message_class: type[Message], value: object) -> str | None:
    """One of our four roles; an original that was changed is kept in the metadata."""
    role = str(value).strip().lower() if isinstance(value, str) else ""
    if role in _ROLES:
        return role
    if value is not None:
        metadata["role_original"] = value
    return _ROLE_OF.get(message_class) or _SYNONYMS.get(role) or (role or None)


def normalize_usage(metadata: dict[str, Any]) -> None:
    """Put tokens and cost under `usage`, from the places where other tools store them."""
    if "usage" not in metadata and "model_response" not in metadata:
        return
    original = metadata.get("usage")
    if original is not None:
        if _is_ours(original):
            return
        metadata["usage_original"] = metadata.pop("usage")
    if usage := _response_usage(metadata.get("model_response")) or _response_usage({"usage": original}):
        metadata["usage"] = usage


def _is_ours(usage: object) -> bool:
    if not isinstance(usage, dict) or not set(usage) <= set(Usage._fields):
        return False
    try:
        Usage.of(usage)
    except InvalidInput:
        return False
    return True


def _response_usage(response: object) -> dict[str, int]:
    """The usage in a provider's response; in a list of chunks the last one that has any."""
    if isinstance(response, list):
        return next((usage for chunk in reversed(response) if (usage := _response_usage(chunk))), {})
    if not isinstance(response, dict):
        return {}
    reported = response.get("usage")
    counts = _token_counts(reported) if isinstance(reported, dict) else {}
    cost = to_microusd(response.get("total_cost_usd", response.get("cost_usd")))
    return counts | ({} if cost is None else {"cost_microusd": cost})


def _token_counts(usage: Mapping[str, Any]) -> dict[str, int]:
    names = {
        "input_tokens": ("input_tokens", "prompt_tokens"),
        "output_tokens": ("output_tokens", "completion_tokens"),
        "cache_read_tokens": ("cache_read_input_tokens", "cache_read_tokens"),
        "cache_write_tokens": ("cache_creation_input_tokens", "cache_write_tokens"),
    }
    counts = {ours: max(to_token_count(usage.get(name)) for name in theirs) for ours, theirs in names.items()}
    return {name: count for name, count in counts.items() if count}
