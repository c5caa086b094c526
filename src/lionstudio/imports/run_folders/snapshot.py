"""From a branch snapshot (`branches/<id>.json`) to a branch and its messages, in the order its progression gives."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from lionstudio.imports.external_db.normalize import class_for, normalize_role, normalize_tag, normalize_usage
from lionstudio.imports.redact import redact_mapping
from lionstudio.model import import_ids
from lionstudio.model.branches import Branch
from lionstudio.model.coerce import to_id, to_mapping, to_text, to_timestamp
from lionstudio.model.messages import Message

_KNOWN = frozenset({"id", "created_at", "metadata", "node_metadata", "user", "name", "messages"})
# Copies of every request with all messages before it: they stay in the file, the messages themselves are kept.
_LEFT_IN_FILE = frozenset({"logs", "log_config"})
_MESSAGE_KNOWN = frozenset(
    {"id", "created_at", "metadata", "node_metadata", "content", "embedding", "sender", "recipient", "channel", "role"}
)
_SECRET = re.compile(r"api_?key|secret|password|authorization|access_token", re.IGNORECASE)
_LARGEST_FLOAT32 = 3.4e38


class Snapshot(NamedTuple):
    """A branch as its file has it."""

    branch: Branch
    order: tuple[str, ...]
    messages: dict[str, Message]
    clone_of: str | None


def read_snapshot(value: Mapping[str, Any], name: str, session_id: str, fallback_at: float) -> Snapshot:
    """The branch of a JSON object; `name` is the file's, which bears the id where the object does not."""
    branch_id = to_id(value.get("id")) or to_id(name) or import_ids.branch_of_file(session_id, name)
    made_at = to_timestamp(value.get("created_at")) or fallback_at
    metadata = to_mapping(value.get("metadata") or value.get("node_metadata"))
    metadata.pop("lion_class", None)
    clone_of = _reference(metadata.get("clone_from"))
    messages = {message.id: message for message in _messages(value.get("messages"), branch_id, made_at)}
    order = _order(value.get("messages"))
    listed = set(order)
    # what the order forgot comes last, by time
    rest = sorted((m for m in messages.values() if m.id not in listed), key=lambda message: message.created_at)
    branch = Branch(
        id=branch_id,
        created_at=made_at,
        session_id=session_id,
        name=to_text(value.get("name")),
        user=to_text(value.get("user")),
        metadata=_configuration(value, metadata),
    )
    return Snapshot(branch, (*order, *(message.id for message in rest)), messages, clone_of)


def _configuration(value: Mapping[str, Any], metadata: dict[str, Any]) -> dict[str, Any]:
    """Provider and model where everybody looks for them; every other key as it was, without secrets."""
    endpoint = to_mapping(to_mapping(value.get("chat_model")).get("endpoint"))
    config = to_mapping(endpoint.get("config"))
    for key, found in (
        ("provider", to_text(config.get("provider"))),
        ("model", to_text(to_mapping(config.get("kwargs")).get("model")) or to_text(config.get("model"))),
    ):
        if found is not None:
            metadata.setdefault(key, found)
    rest = {key: item for key, item in value.items() if key not in _KNOWN | _LEFT_IN_FILE and item is not None}
    return redact_mapping({**metadata, "imported": _without_secrets(rest)} if rest else metadata)


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
    return tuple(found for item in listed if (found := _reference(item)) is not None)


def _reference(item: object) -> str | None:
    """The id in a reference, which is the id itself or an object that has one."""
    return to_id(item.get("id") if isinstance(item, dict) else item)


def _messages(pile: Any, branch_id: str, made_at: float) -> Iterator[Message]:
    """Every message of the bag; without a usable time it has the time of the one before."""
    bag = pile.get("collections", pile.get("collection")) if isinstance(pile, dict) else pile
    listed = list(bag.values()) if isinstance(bag, dict) else bag
    at = made_at
    for position, item in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(item, dict):
            at = to_timestamp(item.get("created_at")) or at
            yield read_message(item, to_id(item.get("id")) or import_ids.message_at(branch_id, position), at)


def read_message(value: Mapping[str, Any], id_: str, at: float) -> Message:
    """One message; whatever has no place in our fields is kept in the metadata."""
    metadata, content = to_mapping(value.get("metadata") or value.get("node_metadata")), value.get("content")
    made = class_for(metadata.get("lion_class"), content)
    normalize_tag(metadata, made)
    normalize_usage(metadata)
    role = normalize_role(metadata, made, value.get("role"))
    embedding = _vector(value.get("embedding"), metadata)
    rest = {key: item for key, item in value.items() if key not in _MESSAGE_KNOWN and item is not None}
    if rest:
        metadata["imported"] = rest
    return made(
        id=id_,
        created_at=at,
        metadata=metadata,
        # a column of JSON would round a bare number
        content=str(content) if isinstance(content, (int, float)) and not isinstance(content, bool) else content,
        embedding=embedding,
        sender=to_text(value.get("sender")),
        recipient=to_text(value.get("recipient")),
        channel=to_text(value.get("channel")),
        role=role,
    )


def _vector(given: object, metadata: dict[str, Any]) -> tuple[float, ...] | None:
    if given is None:
        return None
    if isinstance(given, list) and given and all(_is_float32(number) for number in given):
        return tuple(float(number) for number in given)
    metadata["embedding_original"] = given
    return None


def _is_float32(number: object) -> bool:
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        return False
    return abs(number) <= _LARGEST_FLOAT32 and math.isfinite(number)
