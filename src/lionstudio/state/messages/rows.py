"""Messages as rows of the table: to a row, from a row, and one message by id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lionstudio.errors import InvalidInput, NotFound
from lionstudio.model.entity import UNKNOWN_TAG
from lionstudio.model.ids import check_id
from lionstudio.model.json_codec import dump, dump_text, load_or_keep, visible
from lionstudio.model.message_text import text_of
from lionstudio.model.messages import MESSAGE_CLASSES, TYPE_IDS, Message, pack, unpack
from lionstudio.model.redaction.process import redactor
from lionstudio.model.usage import Usage
from lionstudio.state.connection import Connection, Row

INSERT_MESSAGE = """
INSERT INTO messages (id, created_at, node_metadata, content, embedding, sender, recipient, channel, role, lion_class)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
"""
_LAST_TIME = 1e12  # seconds; 30,000 years


def to_row(conn: Connection, message: Message) -> Row:
    """The columns of a message in the order of INSERT_MESSAGE; raises InvalidInput for values that no column holds."""
    metadata, content, embedding = message.metadata, message.content, message.embedding
    if "lion_class" in metadata:  # it has a column of its own
        metadata = {key: value for key, value in metadata.items() if key != "lion_class"}
    if isinstance(content, (int, float)) and not isinstance(content, bool):
        # a column declared JSON would turn the digits into a number and round them
        raise InvalidInput("content must be a JSON object, array or text, not a bare number")
    at = float(message.created_at)
    if not -_LAST_TIME < at < _LAST_TIME:  # NaN fails this too
        raise InvalidInput(f"created_at must be a time in unix seconds, not {message.created_at!r:.60}")
    sender, recipient, channel, role, tag = (
        message.sender,
        message.recipient,
        message.channel,
        message.role,
        message.tag,
    )
    stored = redactor().stored
    return (
        check_id(message.id, "message id"),
        at,
        stored_metadata(metadata) if metadata else None,
        None if content is None else stored_content(content),
        None if embedding is None else pack(embedding),
        sender and stored(visible(sender)),
        recipient and stored(visible(recipient)),
        channel and stored(visible(channel)),
        role and visible(role),
        TYPE_IDS.get(tag) or type_id(conn, tag),
    )


# what most metadata has: ids, the name of a model, and numbers
_IDS = frozenset(("uuid", "parent_uuid", "session", "message_id", "call_id", "model"))


def stored_metadata(metadata: Mapping[str, Any]) -> str:
    """The JSON text of metadata without secrets; ids are looked at one by one, because most are known already."""
    text, is_clean = dump(metadata, "metadata"), redactor().is_clean_word
    for key, value in metadata.items():
        if key in _IDS and type(value) is str and is_clean(value):
            continue
        if key == "usage" and type(value) is dict and _has_numbers_only(value):
            continue
        return redactor().stored(text)
    return text


def _has_numbers_only(usage: dict[str, Any]) -> bool:
    return usage.keys() <= _USAGE and all(value is None or type(value) is int for value in usage.values())


_USAGE = frozenset(Usage._fields)
# The keys of contents of texts, as most are. Each text is searched alone: the names of these keys tell nothing about
# their values, and half of the search would be in them.
_STARTS = {
    key: f'"{key}":'
    for key in (
        *("system_message", "instruction", "assistant_response"),
        *("function", "action_request_id", "output", "error"),
    )
}


def stored_content(content: Any) -> str:
    """The JSON text of a content without secrets."""
    if type(content) is dict:
        stored = []
        for key, text in content.items():
            if (start := _STARTS.get(key)) is None or not (type(text) is str or text is None):
                break
            stored.append(start + _stored_text(text))
        else:
            return f"{{{','.join(stored)}}}"
    return redactor().stored(dump(content))


_WORD = 64  # characters of an id or of the name of a tool, at most


def _stored_text(text: str | None) -> str:
    if text is None:
        return "null"
    if len(text) <= _WORD and redactor().is_clean_word(text):
        return f'"{text}"'
    return redactor().stored(dump_text(text))


_TYPE_OF = "SELECT type_id FROM message_types WHERE lion_class = :tag"
_NEW_TYPE = """
INSERT INTO message_types (type_id, lion_class)
VALUES ((SELECT max(type_id) + 1 FROM message_types), :tag) RETURNING type_id
"""


def type_id(conn: Connection, tag: str) -> int:
    """The id of a class tag; 0 for an empty or unknown one, the next number for a new one."""
    if tag in ("", UNKNOWN_TAG):
        return 0
    tag = visible(tag)
    number = conn.value(_TYPE_OF, {"tag": tag})
    return int(number if number is not None else conn.value(_NEW_TYPE, {"tag": tag}))


def from_row(row: Row) -> Message:
    """The message of a row; values that another tool damaged are shown as they are."""
    id_, created_at, metadata, content, embedding, sender, recipient, channel, role, tag = row[:10]
    metadata = loaded_metadata(metadata)
    cls = MESSAGE_CLASSES.get(tag)
    if cls is not None:
        metadata.pop("lion_class", None)  # the class has it
    elif tag and tag != UNKNOWN_TAG:
        metadata["lion_class"] = tag
    fields = {
        "id": id_,
        "created_at": created_at,
        "metadata": metadata,
        "content": load_or_keep(content),
        "embedding": unpack(embedding) if isinstance(embedding, bytes) and len(embedding) % 4 == 0 else None,
        "sender": sender,
        "recipient": recipient,
        "channel": channel,
        "role": role,
    }
    return Message.from_dict(fields) if cls is None else cls(**fields)


def loaded_metadata(text: Any) -> dict[str, Any]:
    """The metadata of a row; what another tool damaged is shown as it is."""
    metadata = load_or_keep(text) if text is not None else {}
    return metadata if isinstance(metadata, dict) else {"unreadable": metadata}


_GET = """
SELECT m.id, m.created_at, m.node_metadata, m.content, m.embedding, m.sender, m.recipient, m.channel, m.role,
       t.lion_class
  FROM messages m LEFT JOIN message_types t ON t.type_id = m.lion_class WHERE m.id = :id
"""


def readable_text(content: Any) -> str:
    """The text that a person reads in a stored content."""
    text = text_of(load_or_keep(content))
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def find_message(conn: Connection, message_id: str) -> Message | None:
    row = conn.one(_GET, {"id": message_id})
    return None if row is None else from_row(row)


def get_message(conn: Connection, message_id: str) -> Message:
    message = find_message(conn, message_id)
    if message is None:
        raise NotFound(f"message {message_id} not found")
    return message
