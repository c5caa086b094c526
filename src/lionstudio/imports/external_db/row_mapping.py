"""Rows of another database as sessions, branches and messages; original values that were changed are kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lionstudio.errors import InvalidInput
from lionstudio.imports.external_db.columns import (
    Record,
    as_text,
    columns_of,
    content_text,
    decoded,
    keep_rest,
    metadata_of,
    text_column,
)
from lionstudio.imports.external_db.normalize import class_for, normalize_role, normalize_tag, normalize_usage
from lionstudio.imports.run_folders.manifest import parse_status
from lionstudio.imports.upsert import flattened
from lionstudio.model.branches import Branch
from lionstudio.model.coerce import (
    MAX_COUNT,
    to_enum,
    to_id,
    to_int,
    to_mapping,
    to_microusd,
    to_text,
    to_timestamp,
    to_token_count,
)
from lionstudio.model.ids import check_id
from lionstudio.model.json_codec import dump
from lionstudio.model.messages import TYPE_IDS, Message
from lionstudio.model.sessions import IMPORTED_TEXT_COLUMNS, Session
from lionstudio.model.status.statuses import InvocationKind, SessionStatus, SourceKind
from lionstudio.model.status.vocabulary import DELIVERIES
from lionstudio.model.usage import NOTHING, Usage
from lionstudio.state.connection import Connection, Row
from lionstudio.state.messages.rows import type_id

_TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
_OWN_COLUMNS = frozenset({"health", "delivery", "reason_codes"})  # meaningful only if Lion Studio wrote them
# `owner` is read by no import: it names a process of this machine, which `li kill` would end
_SESSION_COLUMNS = columns_of(Session) - _OWN_COLUMNS | {"pk", "run_id", "status_reason_code"}
_REASON_CODE = re.compile(r"[a-z]+(\.[a-z_]+){1,3}")
_BRANCH_COLUMNS = columns_of(Branch) | {"parent_branch_id", "model", "provider", "agent_name", *Usage._fields}
_MESSAGE_COLUMNS = columns_of(Message) | {"lion_class", "pk", "content_is_json", "class_tag"}


def session_of(record: Record, *, ours: bool) -> Session:
    """The session of a row; the health and reasons of a row count only if Lion Studio wrote it (`ours`)."""
    metadata = metadata_of(record)
    status, kind = record.get("status"), to_enum(InvocationKind, record.get("invocation_kind"))
    mapped = SessionStatus.COMPLETED if status is None else parse_status(str(status))
    source = _source_kind(record.get("source_kind"))
    replaced = {
        "status": None if status == mapped else status,
        "invocation_kind": None if kind else record.get("invocation_kind"),
        "source_kind": None if source == record.get("source_kind") else record.get("source_kind"),
    }
    columns = _SESSION_COLUMNS | (_OWN_COLUMNS if ours else frozenset())
    metadata = keep_rest(metadata, record, columns, **replaced)
    if to_text(record.get("run_id")):
        metadata.setdefault("run_id", record["run_id"])
    return Session(
        id=check_id(record["id"], "session id"),
        created_at=_created_at(record),
        metadata=metadata,
        **{name: to_text(record.get(name)) for name in IMPORTED_TEXT_COLUMNS},  # type: ignore[arg-type]
        invocation_kind=kind,
        source_kind=source,
        status=mapped,
        started_at=to_timestamp(record.get("started_at")),
        ended_at=to_timestamp(record.get("ended_at")),
        updated_at=updated_at(record),
        last_message_at=to_timestamp(record.get("last_message_at")),
        exit_code=to_int(record.get("exit_code")),
        **usage_of(record)._asdict(),
        **(_own_columns(record) if ours else {"reason_codes": _reason_codes(record)}),
    )


def _own_columns(record: Record) -> dict[str, Any]:
    codes = decoded(record.get("reason_codes"))
    return {
        "health": "waiting" if record.get("health") == "waiting" else None,
        "delivery": record.get("delivery") if record.get("delivery") in DELIVERIES else None,
        "reason_codes": tuple(str(code) for code in codes) if isinstance(codes, list) else (),
    }


def _reason_codes(record: Record) -> tuple[str, ...]:
    """The reason code of another tool, which has one in a column of its own."""
    code = to_text(record.get("status_reason_code"))
    return (code,) if code is not None and _REASON_CODE.fullmatch(code) else ()


def _source_kind(value: object) -> SourceKind:
    kind = to_enum(SourceKind, value)
    return SourceKind.IMPORTED_DB if kind is None or kind is SourceKind.LIVE else kind


def _created_at(record: Record) -> float:
    times = (to_timestamp(record.get(name)) for name in ("created_at", "started_at", "updated_at", "ended_at"))
    return next((at for at in times if at is not None), 0.0)


def updated_at(record: Record) -> float | None:
    """The last change of a row, from its other times if it has no `updated_at`."""
    updated = to_timestamp(record.get("updated_at"))
    if updated is not None:
        return updated
    times = (to_timestamp(record.get(name)) for name in ("ended_at", "last_message_at", "started_at", "created_at"))
    return max((at for at in times if at is not None), default=None)


def usage_of(record: Record) -> Usage:
    cost = to_int(record.get("cost_microusd"))
    if cost is None or not 0 <= cost <= MAX_COUNT:
        cost = to_microusd(record.get("total_cost_usd", record.get("cost_usd")))
    counts = {name: to_token_count(record.get(name)) for name in _TOKENS}
    return Usage(**counts, cost_microusd=cost) if any(counts.values()) or cost else NOTHING


def branch_of(record: Record, session: Session) -> Branch:
    metadata = keep_rest(metadata_of(record), record, _BRANCH_COLUMNS)
    for name in ("model", "provider", "agent_name"):
        if to_text(record.get(name)):
            metadata.setdefault(name, record[name])
    return Branch(
        id=check_id(record["id"], "branch id"),
        created_at=_created_at(record) or session.created_at,
        session_id=session.id,
        name=to_text(record.get("name")),
        user=to_text(record.get("user")),
        system_msg_id=to_id(record.get("system_msg_id")),
        metadata=metadata,
    )


def own_message_row(conn: Connection, record: Record) -> Row:
    """The unchanged columns of a message that Lion Studio wrote."""
    tag = record["class_tag"] or ""
    return (
        check_id(record["id"], "message id"),
        record["created_at"],
        record["node_metadata"],
        record["content"],
        record["embedding"],
        record["sender"],
        record["recipient"],
        record["channel"],
        record["role"],
        TYPE_IDS.get(tag) or type_id(conn, tag),
    )


def message_row(conn: Connection, record: Record, fallback_at: float) -> Row:
    """The columns of a message for messages.INSERT; valid content is not changed."""
    metadata = metadata_of(record)
    lion_class, tag = record.get("lion_class"), record.get("class_tag")
    tag = tag or (lion_class if isinstance(lion_class, str) else None) or metadata.get("lion_class")
    content = record.get("content")
    message_class = class_for(tag, decoded(content) if tag is None else None)
    metadata["lion_class"] = tag
    normalize_tag(metadata, message_class)
    normalize_usage(metadata)
    role = record.get("role")
    role = normalize_role(metadata, message_class, as_text(role) if isinstance(role, bytes) else role)
    embedding = record.get("embedding")
    if embedding is not None and not (isinstance(embedding, bytes) and len(embedding) % 4 == 0):
        metadata["embedding_original"] = embedding.hex() if isinstance(embedding, bytes) else decoded(embedding)
        embedding = None
    keep_rest(metadata, record, _MESSAGE_COLUMNS, lion_class=_unnamed_class(lion_class, tag))
    unknown_tag = metadata.pop("lion_class", None)
    at = to_timestamp(record.get("created_at"))
    return (
        check_id(record["id"], "message id"),
        fallback_at if at is None else at,
        _dumped(metadata) if metadata else None,
        _content(content, bool(record.get("content_is_json"))),
        embedding,
        text_column(record.get("sender")),
        text_column(record.get("recipient")),
        text_column(record.get("channel")),
        text_column(role),
        TYPE_IDS.get(message_class.TAG) or (type_id(conn, unknown_tag) if isinstance(unknown_tag, str) else 0),
    )


def _unnamed_class(lion_class: object, tag: object) -> object:
    """A class number without a name in the other database."""
    return lion_class if tag is None and lion_class not in (None, 0) else None


def _content(value: Any, is_json: bool) -> str | None:
    try:
        return content_text(value, is_json)
    except InvalidInput:
        return dump(as_text(value) if isinstance(value, bytes) else str(value))


def _dumped(metadata: Mapping[str, Any]) -> str:
    try:
        return dump(metadata, "metadata")
    except InvalidInput:
        return dump({key: flattened(value) for key, value in to_mapping(metadata).items()}, "metadata")
