"""Convert between the JSON of a team file, in all its versions, and teams; unknown keys are kept.

`to` is a list, a name or missing; `read_by` a mapping of times or a list of names; times are ISO strings or numbers.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from lionstudio.errors import InvalidInput
from lionstudio.model.ids import MAX_ID_LENGTH
from lionstudio.model.json_codec import dump, jsonable, visible
from lionstudio.model.status.statuses import TeamStatus
from lionstudio.model.teams import Team, TeamMessage

Json = dict[str, Any]

EVERYONE = "all"
_EVERYONE_IN_FILES = ("*", "all", "")
_TEAM_KEYS = frozenset({"id", "name", "members", "messages", "created_at", "status", "archived_at"})
_MESSAGE_KEYS = frozenset({"id", "from", "to", "content", "timestamp", "read_by", "summary", "session_id"})


def team_of(data: Json, *, fallback: float = 0.0) -> Team:
    """Read the team of a file; `fallback` is its creation time when the file has none."""
    try:
        return _team(data, fallback)
    except RecursionError:
        raise _too_deep() from None


def messages_of(data: Json, team: Team) -> list[TeamMessage]:
    """Read the messages of a file; a message without an id gets the same id at every read."""
    entries = data.get("messages")
    taken: set[str] = set()
    messages: list[TeamMessage] = []
    at = team.created_at
    try:
        for entry in entries if isinstance(entries, list) else []:
            if isinstance(entry, dict):
                at = parse_time(entry.get("timestamp")) or at
                messages.append(_message(entry, team.id, at, taken))
    except RecursionError:
        raise _too_deep() from None
    return messages


def team_data(team: Team, messages: list[TeamMessage]) -> Json:
    """Build the JSON of a team and its messages; the inverse of `team_of` and `messages_of`."""
    extra = {key: value for key, value in team.metadata.items() if key not in _TEAM_KEYS}
    data: Json = {
        "id": team.id,
        "name": team.name,
        "members": list(team.members),
        "messages": [message_data(message) for message in messages],
        "created_at": iso(team.created_at),
        **extra,
    }
    if team.status == TeamStatus.ARCHIVED:
        data["status"] = str(team.status)
        data["archived_at"] = team.metadata.get("archived_at") or iso(team.updated_at or team.created_at)
    return data


def message_data(message: TeamMessage) -> Json:
    metadata = dict(message.metadata)
    to = metadata.pop("to", None) or (["*"] if message.recipient == EVERYONE else [message.recipient])
    read_at = metadata.pop("read_at", None) or {}
    data: Json = {
        "id": message.id,
        "from": message.sender,
        "to": to,
        "content": message.content,
        "timestamp": iso(message.created_at),
        "read_by": {name: read_at.get(name, "") for name in message.read_by},
        **metadata,
    }
    for key, value in (("summary", message.summary), ("session_id", message.session_id)):
        if value is not None:
            data[key] = value
    return data


def recipients(message: TeamMessage) -> list[str]:
    """Return the recipients of a message; [all] for everyone."""
    names = message.metadata.get("to")
    return list(names) if isinstance(names, list) else [message.recipient]


def is_for(message: TeamMessage, member: str) -> bool:
    """Tell whether a message belongs in a member's inbox."""
    return message.sender != member and bool({member, EVERYONE} & set(recipients(message)))


def parse_time(value: Any) -> float | None:
    """Convert an ISO string or a number to Unix seconds, anything else to None; the default zone is UTC."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1e11:
        return float(value)
    if not isinstance(value, str):
        return None
    try:
        when = datetime.fromisoformat(value)
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def now() -> float:
    """Return the time in microseconds, the precision of a file, so that file and row agree."""
    return round(time.time(), 6)


def iso(at: float | None = None) -> str:
    """Format a time as in team files; now by default."""
    return datetime.fromtimestamp(now() if at is None else at, UTC).isoformat()


def _team(data: Json, fallback: float) -> Team:
    times = [at for entry in _dicts(data.get("messages")) if (at := parse_time(entry.get("timestamp"))) is not None]
    created_at = parse_time(data.get("created_at")) or min(times, default=fallback)
    archived_at = parse_time(data.get("archived_at"))
    members = data.get("members")
    return Team(
        id=data["id"],
        name=visible(str(data.get("name") or data["id"])),
        members=tuple(visible(str(name)) for name in members) if isinstance(members, list) else (),
        status=TeamStatus.ARCHIVED if data.get("status") == TeamStatus.ARCHIVED else TeamStatus.ACTIVE,
        created_at=created_at,
        updated_at=max([created_at, *times, *([archived_at] if archived_at else [])]),
        metadata=jsonable({key: data[key] for key in data if key not in _TEAM_KEYS or key == "archived_at"}),
    )


def _message(entry: Json, team_id: str, at: float, taken: set[str]) -> TeamMessage:
    metadata: Json = jsonable({key: value for key, value in entry.items() if key not in _MESSAGE_KEYS})
    to = _recipients(entry.get("to"))
    if len(to) > 1:
        metadata["to"] = to
    read_by = entry.get("read_by")
    read_at = _read_times(read_by)
    if read_at:
        metadata["read_at"] = read_at
    content = entry.get("content")
    return TeamMessage(
        id=_id_of(entry, team_id, taken),
        team_id=team_id,
        created_at=at,
        sender=visible(str(entry.get("from") or "system")),
        recipient=", ".join(to),
        content=visible(content if isinstance(content, str) else "" if content is None else dump(jsonable(content))),
        summary=visible(entry["summary"]) if isinstance(entry.get("summary"), str) else None,
        read_by=tuple(visible(str(name)) for name in read_by) if isinstance(read_by, (dict, list)) else (),
        session_id=_text(entry.get("session_id")),
        metadata=metadata,
    )


def _read_times(read_by: Any) -> dict[str, str]:
    """Return the read times that the file contains, by reader."""
    items = read_by.items() if isinstance(read_by, dict) else ()
    return {visible(str(name)): visible(at) for name, at in items if isinstance(at, str) and at}


def _recipients(value: Any) -> list[str]:
    items = value if isinstance(value, list) else [value]
    names = [visible(str(name)) for name in items if name is not None]
    return [EVERYONE] if not names or any(name in _EVERYONE_IN_FILES for name in names) else names


def _id_of(entry: Mapping[str, Any], team_id: str, taken: set[str]) -> str:
    id_ = _text(entry.get("id"))
    if id_ is None or id_ in taken:
        # the position in the file is not part of the id: older messages may be removed
        content = repr([entry.get(key) for key in ("id", "from", "to", "timestamp", "content")])
        id_ = f"{team_id}.{hashlib.sha256(content.encode('utf-8', 'backslashreplace')).hexdigest()[:16]}"
    unique, number = id_, 1
    while unique in taken:
        number += 1
        unique = f"{id_}.{number}"
    taken.add(unique)
    return unique


def _text(value: Any) -> str | None:
    good = isinstance(value, str) and 0 < len(value) <= MAX_ID_LENGTH - 40 and value.isprintable()
    return value if good else None


def _dicts(value: Any) -> list[Json]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _too_deep() -> InvalidInput:
    return InvalidInput("a value in the file is nested too deeply", hint="make it flatter")
