"""What lies beside the sessions of another database: shows with their plays, teams, versions of definitions.

Where both sides have a row, the one that changed last is kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from typing import Any

from lionstudio.crash import point
from lionstudio.errors import InvalidInput
from lionstudio.imports.external_db.columns import Record, decoded, keep, metadata_of
from lionstudio.imports.redact import redact_text
from lionstudio.imports.report import ImportTarget, Report
from lionstudio.imports.upsert import ITEM_ERRORS, Missing, Write, said, upsert_rows
from lionstudio.model import import_ids
from lionstudio.model.coerce import to_enum, to_id, to_int, to_text, to_timestamp
from lionstudio.model.ids import check_id
from lionstudio.model.shows.play_codec import parse_columns, parse_gate
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.statuses import (
    PLAY_TRANSITIONS,
    SHOW_TRANSITIONS,
    PlayStatus,
    ShowStatus,
    TeamStatus,
    can_reach,
)
from lionstudio.model.teams import Team, TeamMessage
from lionstudio.state.connection import Connection
from lionstudio.state.definitions import Version, copy_version, list_versions
from lionstudio.state.imports import external_rows
from lionstudio.state.imports.existing import find_branch_end, find_existing
from lionstudio.state.imports.external_db import ExternalDb
from lionstudio.state.shows import find_play, find_show, sync_play, sync_show
from lionstudio.state.teams import find_team, find_team_message, post, put_team


def _each(
    kind: str, rows: Callable[[], Iterable[Record]], name: str, take: Callable[[Record], Missing]
) -> Iterable[tuple[str, Missing | Exception]]:
    try:
        listed = list(rows())
    except ITEM_ERRORS as error:
        yield kind, error
        return
    for row in listed:
        try:
            yield str(row.get(name)), take(row)
        except ITEM_ERRORS as error:
            yield str(row.get(name)), error


def _settle(
    store: ImportTarget, kind: str, found: Iterable[tuple[str, Missing | Exception]], report: Report, dry_run: bool
) -> None:
    """Each item in one transaction, and only when it lacks something here."""
    for name, missing in found:
        try:
            if isinstance(missing, Exception):
                raise missing
            report.add(upsert_rows(store, kind, name, missing, dry_run=dry_run))
        except ITEM_ERRORS as error:
            report.skip(kind, name, said(error))
        point("import.item")


# ── Shows ────────────────────────────────────────────────────────────────

_SHOW, _PLAY = (
    frozenset("node_metadata" if field.name == "metadata" else field.name for field in fields(entity))
    for entity in (Show, Play)
)


def import_shows(store: ImportTarget, source: ExternalDb, report: Report, dry_run: bool) -> None:
    """Shows by their topic, and their plays by name."""

    def take(row: Record) -> Missing:
        show, plays = _show(row), external_rows.read_plays(source, row["id"])
        return lambda conn: _missing_of_show(conn, source, show, plays)

    found = _each("show", lambda: external_rows.read_shows(source), "topic", take)
    _settle(store, "show", found, report, dry_run)


def _show(row: Record) -> Show:
    status = to_enum(ShowStatus, row.get("status"))
    created, topic = _made(row), check_id(row["topic"], "topic")
    return Show(
        id=to_id(row.get("id")) or import_ids.show(topic),
        topic=topic,
        created_at=created,
        updated_at=to_timestamp(row.get("updated_at")) or created,
        show_dir=to_text(row.get("show_dir")) or "",
        goal=to_text(row.get("goal")),
        repo=to_text(row.get("repo")),
        base_branch=to_text(row.get("base_branch")),
        integration_branch=to_text(row.get("integration_branch")),
        status=status or ShowStatus.IMPORTED,
        status_source=to_text(row.get("status_source")),
        metadata=keep(metadata_of(row), row, _SHOW, status=None if status else row.get("status")),
    )


def _made(row: Record) -> float:
    return to_timestamp(row.get("created_at")) or to_timestamp(row.get("updated_at")) or 0.0


def _missing_of_show(
    conn: Connection, source: ExternalDb, show: Show, rows: Sequence[Record]
) -> tuple[list[Write], bool]:
    here = find_show(conn, show.topic)
    writes: list[Write] = []
    if here is None or _overtakes(show, here, can_reach(SHOW_TRANSITIONS, here.status, show.status)):
        better = show if here is None else replace(show, id=here.id, metadata={**here.metadata, **show.metadata})
        writes.append(lambda conn: _put_show(conn, better, here))
    for row in rows:
        play = _play(conn, source, row, show.id if here is None else here.id, show.topic)
        known = None if here is None else find_play(conn, here.id, play.name)
        if known is None or _is_better(play, known):
            writes.append(_putting(play, known))
    return writes, here is None


def _put_show(conn: Connection, show: Show, current: Show | None) -> None:
    sync_show(conn, show, current, via="import")


def _putting(play: Play, known: Play | None) -> Write:
    if known is not None and not _is_newer(play, known):
        play = replace(known, session_id=play.session_id)  # only its session was not here the last time
    elif known is not None:
        play = replace(play, id=known.id, metadata={**known.metadata, **play.metadata})

    def write(conn: Connection) -> None:
        sync_play(conn, play, known, via="import")

    return write


def _is_better(play: Play, known: Play) -> bool:
    return _is_newer(play, known) or (known.session_id is None and play.session_id is not None)


def _is_newer(play: Play, known: Play) -> bool:
    return _overtakes(play, known, can_reach(PLAY_TRANSITIONS, known.status, play.status))


def _overtakes(there: Show | Play, here: Show | Play, may_follow: bool) -> bool:
    """Changed later, and a status that may follow ours (ADR-0020)."""
    return may_follow and (here.updated_at or 0.0) < (there.updated_at or 0.0)


def _play(conn: Connection, source: ExternalDb, row: Record, show_id: str, topic: str) -> Play:
    name, status = check_id(row["name"], "play name"), to_enum(PlayStatus, row.get("status"))
    session, needs = find_session_here(conn, source, row.get("session_id")), decoded(row.get("depends_on"))
    created = _made(row)
    originals = {"status": row.get("status"), "session_id": row.get("session_id")}
    lost = {"status": status is None, "session_id": session != row.get("session_id")}
    return Play(
        id=to_id(row.get("id")) or import_ids.play(topic, name),
        show_id=show_id,
        name=name,
        created_at=created,
        updated_at=to_timestamp(row.get("updated_at")) or created,
        status=status or PlayStatus.PENDING,
        attempt=to_int(row.get("attempt")) or 1,
        session_id=session,
        **parse_columns(row),
        **parse_gate({"gate_passed": row.get("gate_passed"), "feedback": row.get("gate_feedback")}),
        depends_on=tuple(str(need) for need in needs) if isinstance(needs, list) else (),
        sort_order=to_int(row.get("sort_order")) or 0,
        metadata=keep(metadata_of(row), row, _PLAY, **{key: originals[key] for key, gone in lost.items() if gone}),
    )


def find_session_here(conn: Connection, source: ExternalDb, session_id: Any) -> str | None:
    """What a session of the source is called here: the same, or the one that already had its branches."""
    if to_id(session_id) is None:
        return None
    if find_existing(conn, session_id) is not None:
        return str(session_id)
    places = (find_branch_end(conn, row["id"]) for row in external_rows.read_branches(source, session_id))
    return next((place.session_id for place in places if place is not None), None)


# ── Teams ────────────────────────────────────────────────────────────────

_TEAM = frozenset({"id", "name", "created_at", "updated_at", "member_count", "members", "node_metadata", "status"})
_TEAM_MESSAGE = frozenset(
    {
        "id",
        "team_id",
        "created_at",
        "sender",
        "recipient",
        "content",
        "summary",
        "read_by",
        "session_id",
        "node_metadata",
    }
)


def import_teams(store: ImportTarget, source: ExternalDb, report: Report, dry_run: bool) -> None:
    """Teams by their id, with the messages that are not here yet."""

    def take(row: Record) -> Missing:
        team, messages = _team(row), external_rows.read_team_messages(source, row["id"])
        return lambda conn: _missing_of_team(conn, source, team, messages)

    found = _each("team", lambda: external_rows.read_teams(source), "name", take)
    _settle(store, "team", found, report, dry_run)


def _team(row: Record) -> Team:
    members, status = decoded(row.get("members")), to_enum(TeamStatus, row.get("status"))
    created = _made(row)
    return Team(
        id=check_id(row["id"], "team id"),
        name=to_text(row.get("name")) or str(row["id"]),
        created_at=created,
        updated_at=to_timestamp(row.get("updated_at")) or created,
        members=tuple(str(member) for member in members) if isinstance(members, list) else (),
        status=status or TeamStatus.ACTIVE,
        metadata=keep(metadata_of(row), row, _TEAM, status=None if status else row.get("status")),
    )


def _missing_of_team(
    conn: Connection, source: ExternalDb, team: Team, rows: Sequence[Record]
) -> tuple[list[Write], bool]:
    here = find_team(conn, team.id)
    here = here if here is not None and here.id == team.id else None  # another may bear the id as its name
    writes: list[Write] = []
    if here is None or (here.updated_at or 0.0) < (team.updated_at or 0.0):
        writes.append(lambda conn: _put_team(conn, team))
    for row in rows:
        message = _team_message(conn, source, row)
        known = find_team_message(conn, message.id)
        if known is None:
            writes.append(_posting(message))
        elif not set(message.read_by) <= set(known.read_by):
            readers = tuple(dict.fromkeys([*known.read_by, *message.read_by]))
            writes.append(_posting(replace(known, read_by=readers)))
    return writes, here is None


def _put_team(conn: Connection, team: Team) -> None:
    put_team(conn, team)


def _posting(message: TeamMessage) -> Write:
    return lambda conn: post(conn, message)


def _team_message(conn: Connection, source: ExternalDb, row: Record) -> TeamMessage:
    readers, session = decoded(row.get("read_by")), find_session_here(conn, source, row.get("session_id"))
    lost = None if session == row.get("session_id") else row.get("session_id")
    return TeamMessage(
        id=check_id(row["id"], "message id"),
        team_id=str(row["team_id"]),
        created_at=_made(row),
        sender=to_text(row.get("sender")) or "unknown",
        recipient=to_text(row.get("recipient")) or "all",
        content=redact_text(to_text(row.get("content")) or ""),
        summary=to_text(row.get("summary")),
        # older files list the readers with the time at which each read it
        read_by=tuple(str(reader) for reader in readers) if isinstance(readers, (list, dict)) else (),
        session_id=session,
        metadata=keep(metadata_of(row), row, _TEAM_MESSAGE, session_id=lost),
    )


# ── Definitions ──────────────────────────────────────────────────────────

_KINDS = ("agent", "playbook", "skill", "plugin")


def import_definitions(store: ImportTarget, source: ExternalDb, report: Report, dry_run: bool) -> None:
    """Versions that are not here; a definition that has a history of its own here keeps it."""

    def take(row: Record) -> Missing:
        version = _version(row)
        return lambda conn: _missing_of_definition(conn, version)

    found = _each("definition", lambda: external_rows.read_definitions(source), "name", take)
    _settle(store, "definition", found, report, dry_run)


def _version(row: Record) -> Version:
    kind, number, content = row["kind"], to_int(row["version"]), row["content"]
    if kind not in _KINDS or number is None or not isinstance(content, str):
        raise InvalidInput("it is not the version of a definition as we keep them")
    digest = to_text(row.get("sha256")) or hashlib.sha256(content.encode("utf-8", "backslashreplace")).hexdigest()
    return Version(
        check_id(row["id"], "id"),
        kind,
        check_id(row["name"], "name"),
        number,
        content,
        digest,
        to_text(row.get("path")),
        to_text(row.get("author")),
        to_text(row.get("message")),
        _made(row),
    )


def _missing_of_definition(conn: Connection, version: Version) -> tuple[list[Write], bool]:
    known = {found.version: found for found in list_versions(conn, version.kind, version.name)}
    if version.version in known:
        if known[version.version].sha256 == version.sha256:
            return [], False
        raise InvalidInput(f"{version.kind} {version.name} has another version {version.version} here")
    return [lambda conn: copy_version(conn, version)], True
