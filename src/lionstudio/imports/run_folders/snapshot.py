"""A branch snapshot (`branches/<id>.json`) as a branch and its messages, in the order of its progression."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from lionstudio.imports.external_db.normalize import class_for, normalize_role, normalize_tag, normalize_usage
from lionstudio.model import import_ids
from lionstudio.model.branches import Branch
from lionstudio.model.coerce import to_id, to_mapping, to_text, to_timestamp
from lionstudio.model.messages import Message

_BRANCH_KEYS = frozenset({"id", "created_at", "metadata", "node_metadata", "user", "name", "messages"})
# Copies of every request with all messages before it: not imported, the messages themselves are.
_IGNORED_KEYS = frozenset({"logs", "log_config"})
_MESSAGE_KEYS = frozenset(
    {"id", "created_at", "metadata", "node_metadata", "content", "embedding", "sender", "recipient", "channel", "role"}
)
_SECRET = re.compile(r"api_?key|secret|password|authorization|access_token", re.IGNORECASE)
_MAX_FLOAT32 = 3.4e38


class Snapshot(NamedTuple):
    branch: Branch
    order: tuple[str, ...]
    messages: dict[str, Message]
    clone_of: str | None


def read_snapshot(value: Mapping[str, Any], name: str, session_id: str, fallback_at: float) -> Snapshot:
    """Read a branch from a JSON object; `name` is the file name, which is the id of an object without one."""
    branch_id = to_id(value.get("id")) or to_id(name) or import_ids.branch_of_file(session_id, name)
    created_at = to_timestamp(value.get("created_at")) or fallback_at
    metadata = to_mapping(value.get("metadata") or value.get("node_metadata"))
    metadata.pop("lion_class", None)
    clone_of = _id_of(metadata.get("clone_from"))
    messages = {message.id: message for message in _messages(value.get("messages"), branch_id, created_at)}
    order = _order(value.get("messages"))
    listed = set(order)
    # messages that the order does not list come last, by time
    rest = sorted((m for m in messages.values() if m.id not in listed), key=lambda message: message.created_at)
    branch = Branch(
        id=branch_id,
        created_at=created_at,
        session_id=session_id,
        name=to_text(value.get("name")),
        user=to_text(value.get("user")),
        metadata=_configuration(value, metadata),
    )
    return Snapshot(branch, (*order, *(message.id for message in rest)), messages, clone_of)


def _configuration(value: Mapping[str, Any], metadata: dict[str, Any]) -> dict[str, Any]:
    """Provider and model as keys of their own; every other key unchanged, without secrets."""
    endpoint = to_mapping(to_mapping(value.get("chat_model")).get("endpoint"))
    config = to_mapping(endpoint.get("config"))
    for key, setting in (
        ("provider", to_text(config.get("provider"))),
        ("model", to_text(to_mapping(config.get("kwargs")).get("model")) or to_text(config.get("model"))),
    ):
        if setting is not None:
            metadata.setdefault(key, setting)
    rest = {key: item for key, item in value.items() if key not in _BRANCH_KEYS | _IGNORED_KEYS and item is not None}
    return {**metadata, "imported": _without_secrets(rest)} if rest else metadata


def _without_secrets(value: Any, depth: int = 0) -> Any:
    if depth > 50:
        return value
    if isinstance(value, dict):
        return {
            key: "[REDACTED]" if isinstance(item, str) and _SECRET.search(key) else _without_secrets(item, depth + 1)
            for key, item in value.items()
        }
    return [_without_secrets(item, depth + 1) for item in value] if isinstance(value, list) else value


def _order(pile: Any) -> tuple[str, ...]:
    progression = pile.get("progression") if isinstance(pile, dict) else None
    listed = progression.get("order") if isinstance(progression, dict) else progression
    if not isinstance(listed, list):
        return ()
    return tuple(id_ for item in listed if (id_ := _id_of(item)) is not None)


def _id_of(item: object) -> str | None:
    """The id in a reference: the reference itself, or the `id` of an object."""
    return to_id(item.get("id") if isinstance(item, dict) else item)


def _messages(pile: Any, branch_id: str, created_at: float) -> Iterator[Message]:
    """Every message of the pile; one without a valid time gets the time of the one before."""
    collection = pile.get("collections", pile.get("collection")) if isinstance(pile, dict) else pile
    items = list(collection.values()) if isinstance(collection, dict) else collection
    at = created_at
    for position, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict):
            at = to_timestamp(item.get("created_at")) or at
            yield read_message(item, to_id(item.get("id")) or import_ids.message_at(branch_id, position), at)


def read_message(value: Mapping[str, Any], id_: str, at: float) -> Message:
    """Read a message; keys without a field are kept in the metadata."""
    metadata, content = to_mapping(value.get("metadata") or value.get("node_metadata")), value.get("content")
    message_class = class_for(metadata.get("lion_class"), content)
    normalize_tag(metadata, message_class)
    normalize_usage(metadata)
    role = normalize_role(metadata, message_class, value.get("role"))
    embedding = _vector(value.get("embedding"), metadata)
    rest = {key: item for key, item in value.items() if key not in _MESSAGE_KEYS and item is not None}
    if rest:
        metadata["imported"] = rest
    return message_class(
        id=id_,
        created_at=at,
        metadata=metadata,
        # JSON would round a bare number
        content=str(content) if isinstance(content, (int, float)) and not isinstance(content, bool) else content,
        embedding=embedding,
        sender=to_text(value.get("sender")),
        recipient=to_text(value.get("recipient")),
        channel=to_text(value.get("channel")),
        role=role,
    )


def _vector(value: object, metadata: dict[str, Any]) -> tuple[float, ...] | None:
    if value is None:
        return None
    if isinstance(value, list) and value and all(_is_float32(number) for number in value):
        return tuple(float(number) for number in value)
    metadata["embedding_original"] = value
    return None


def _is_float32(number: object) -> bool:
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        return False
    return abs(number) <= _MAX_FLOAT32 and math.isfinite(number)
