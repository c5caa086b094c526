"""Import the other tables of a database: shows with their plays, teams, versions of definitions.

Where both databases have a row of a team, the one that changed last wins. A show of another database is history: it
arrives with the status `imported` and without the facts that a director works by, and a show of ours is not changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from lionstudio.crash import point
from lionstudio.errors import InvalidInput
from lionstudio.imports.external_db.columns import Record, columns_of, decoded, keep_only, keep_rest, metadata_of
from lionstudio.imports.report import ImportTarget, Report
from lionstudio.imports.upsert import ITEM_ERRORS, Missing, Write, error_line, upsert_rows
from lionstudio.model import import_ids
from lionstudio.model.coerce import to_enum, to_id, to_int, to_text, to_timestamp
from lionstudio.model.ids import check_id
from lionstudio.model.shows.play_codec import parse_columns, parse_gate
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.statuses import PLAY_TRANSITIONS, PlayStatus, ShowStatus, TeamStatus, can_reach
from lionstudio.model.teams import Team, TeamMessage
from lionstudio.state.connection import Connection
from lionstudio.state.definitions import Version, copy_version, list_versions
from lionstudio.state.imports import external_rows
from lionstudio.state.imports.external_db import ExternalDb
from lionstudio.state.imports.lookup import find_branch_end, find_existing
from lionstudio.state.shows import find_play, find_show, sync_play, sync_show
from lionstudio.state.teams import find_team, find_team_message, put_team, put_team_message


def _import_rows(
    store: ImportTarget,
    kind: str,
    read_rows: Callable[[], Iterable[Record]],
    name_column: str,
    missing_of: Callable[[Record], Missing],
    report: Report,
    dry_run: bool,
) -> None:
    """Import each row that has a missing part, in its own transaction."""
    try:
        rows = list(read_rows())
    except ITEM_ERRORS as error:
        report.skip(kind, kind, error_line(error))
        point("import.item")
        return
    for row in rows:
        name = str(row.get(name_column))
        try:
            report.add(upsert_rows(store, kind, name, missing_of(row), dry_run=dry_run))
        except ITEM_ERRORS as error:
            report.skip(kind, name, error_line(error))
        point("import.item")


# ── Shows ────────────────────────────────────────────────────────────────


# What pages show. Everything else decides what a director runs, reviews or merges, and comes from our own files only.
_SHOW_FACTS = frozenset({"final_verdict"})
_PLAY_FACTS: frozenset[str] = frozenset()


def import_shows(store: ImportTarget, source: ExternalDb, report: Report, dry_run: bool) -> None:
    """Match shows by topic and plays by name."""

    def missing_of(row: Record) -> Missing:
        show, plays = _show(row), external_rows.read_plays(source, row["id"])
        return lambda conn: _missing_of_show(conn, source, show, plays)

    _import_rows(store, "show", lambda: external_rows.read_shows(source), "topic", missing_of, report, dry_run)


def _show(row: Record) -> Show:
    created, topic = _created_at(row), check_id(row["topic"], "topic")
    return Show(
        id=to_id(row.get("id")) or import_ids.show_id(topic),
        topic=topic,
        created_at=created,
        updated_at=to_timestamp(row.get("updated_at")) or created,
        show_dir="",  # nothing is read or written in a folder that another database names
        goal=to_text(row.get("goal")),
        repo=to_text(row.get("repo")),
        base_branch=to_text(row.get("base_branch")),
        integration_branch=to_text(row.get("integration_branch")),
        status=ShowStatus.IMPORTED,
        status_source=to_text(row.get("status_source")),
        metadata=keep_rest(
            keep_only(metadata_of(row), _SHOW_FACTS),
            row,
            columns_of(Show),
            status=row.get("status"),
            show_dir=row.get("show_dir"),
        ),
    )


def _created_at(row: Record) -> float:
    return to_timestamp(row.get("created_at")) or to_timestamp(row.get("updated_at")) or 0.0


def _missing_of_show(
    conn: Connection, source: ExternalDb, show: Show, rows: Sequence[Record]
) -> tuple[list[Write], bool]:
    existing = find_show(conn, show.topic)
    writes: list[Write] = []
    if existing is None:
        writes.append(partial(sync_show, show=show, current=None, via="import"))
    elif existing.status is not ShowStatus.IMPORTED:
        return [], False  # it is ours: a director ran it, or its folder is here
    elif _is_newer(show, existing):
        merged = replace(show, id=existing.id)
        writes.append(partial(sync_show, show=merged, current=existing, via="import"))
    for row in rows:
        play = _play(conn, source, row, show.id if existing is None else existing.id, show.topic)
        existing_play = None if existing is None else find_play(conn, existing.id, play.name)
        if (merged_play := _merge_play(play, existing_play)) is not None:
            writes.append(partial(sync_play, play=merged_play, current=existing_play, via="import"))
    return writes, existing is None


def _merge_play(play: Play, existing: Play | None) -> Play | None:
    """The play to write; None if nothing is missing."""
    if existing is None:
        return play
    if _is_newer(play, existing) and can_reach(PLAY_TRANSITIONS, existing.status, play.status):
        return replace(play, id=existing.id)
    if existing.session_id is None and play.session_id is not None:
        return replace(existing, session_id=play.session_id)  # its session was imported after the play
    return None


def _is_newer(incoming: Show | Play, existing: Show | Play) -> bool:
    return (existing.updated_at or 0.0) < (incoming.updated_at or 0.0)


def _play(conn: Connection, source: ExternalDb, row: Record, show_id: str, topic: str) -> Play:
    name, status = check_id(row["name"], "play name"), to_enum(PlayStatus, row.get("status"))
    session, needs = find_session_here(conn, source, row.get("session_id")), decoded(row.get("depends_on"))
    created = _created_at(row)
    lost = None if session == row.get("session_id") else row.get("session_id")
    return Play(
        id=to_id(row.get("id")) or import_ids.play_id(topic, name),
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
        metadata=keep_rest(
            keep_only(metadata_of(row), _PLAY_FACTS),
            row,
            columns_of(Play),
            status=str(row.get("status")),  # always there: it marks the row as imported
            session_id=lost,
        ),
    )


def find_session_here(conn: Connection, source: ExternalDb, session_id: Any) -> str | None:
    """The id of a source session in this database: the same, or the session that already has its branches."""
    if to_id(session_id) is None:
        return None
    if find_existing(conn, session_id) is not None:
        return str(session_id)
    ends = (find_branch_end(conn, row["id"]) for row in external_rows.read_branches(source, session_id))
    return next((end.session_id for end in ends if end is not None), None)


# ── Teams ────────────────────────────────────────────────────────────────


def import_teams(store: ImportTarget, source: ExternalDb, report: Report, dry_run: bool) -> None:
    """Match teams and their messages by id."""

    def missing_of(row: Record) -> Missing:
        team, messages = _team(row), external_rows.read_team_messages(source, row["id"])
        return lambda conn: _missing_of_team(conn, source, team, messages)

    _import_rows(store, "team", lambda: external_rows.read_teams(source), "name", missing_of, report, dry_run)


def _team(row: Record) -> Team:
    members, status = decoded(row.get("members")), to_enum(TeamStatus, row.get("status"))
    created = _created_at(row)
    return Team(
        id=check_id(row["id"], "team id"),
        name=to_text(row.get("name")) or str(row["id"]),
        created_at=created,
        updated_at=to_timestamp(row.get("updated_at")) or created,
        members=tuple(str(member) for member in members) if isinstance(members, list) else (),
        status=status or TeamStatus.ACTIVE,
        metadata=keep_rest(
            metadata_of(row), row, columns_of(Team) | {"member_count"}, status=None if status else row.get("status")
        ),
    )


def _missing_of_team(
    conn: Connection, source: ExternalDb, team: Team, rows: Sequence[Record]
) -> tuple[list[Write], bool]:
    team_by_id = find_team(conn, team.id)
    existing = team_by_id if team_by_id is not None and team_by_id.id == team.id else None  # the id may be a name
    writes: list[Write] = []
    if existing is None or (existing.updated_at or 0.0) < (team.updated_at or 0.0):
        writes.append(partial(put_team, team=team))
    for row in rows:
        message = _team_message(conn, source, row)
        existing_message = find_team_message(conn, message.id)
        if existing_message is None:
            writes.append(partial(put_team_message, message=message))
        elif not set(message.read_by) <= set(existing_message.read_by):
            readers = tuple(dict.fromkeys([*existing_message.read_by, *message.read_by]))
            writes.append(partial(put_team_message, message=replace(existing_message, read_by=readers)))
    return writes, existing is None


def _team_message(conn: Connection, source: ExternalDb, row: Record) -> TeamMessage:
    readers, session = decoded(row.get("read_by")), find_session_here(conn, source, row.get("session_id"))
    lost = None if session == row.get("session_id") else row.get("session_id")
    return TeamMessage(
        id=check_id(row["id"], "message id"),
        team_id=str(row["team_id"]),
        created_at=_created_at(row),
        sender=to_text(row.get("sender")) or "unknown",
        recipient=to_text(row.get("recipient")) or "all",
        content=to_text(row.get("content")) or "",
        summary=to_text(row.get("summary")),
        # older files list the readers with the time at which each read it
        read_by=tuple(str(reader) for reader in readers) if isinstance(readers, (list, dict)) else (),
        session_id=session,
        metadata=keep_rest(metadata_of(row), row, columns_of(TeamMessage), session_id=lost),
    )


# ── Definitions ──────────────────────────────────────────────────────────

_KINDS = ("agent", "playbook", "skill", "plugin")


def import_definitions(store: ImportTarget, source: ExternalDb, report: Report, dry_run: bool) -> None:
    """Import missing versions; a definition with another history in this database keeps it."""

    def missing_of(row: Record) -> Missing:
        version = _version(row)
        return lambda conn: _missing_of_definition(conn, version)

    _import_rows(
        store, "definition", lambda: external_rows.read_definitions(source), "name", missing_of, report, dry_run
    )


def _version(row: Record) -> Version:
    kind, number, content = row["kind"], to_int(row["version"]), row["content"]
    if kind not in _KINDS or number is None or not isinstance(content, str):
        raise InvalidInput("invalid version of a definition")
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
        _created_at(row),
    )


def _missing_of_definition(conn: Connection, version: Version) -> tuple[list[Write], bool]:
    digests = {existing.version: existing.sha256 for existing in list_versions(conn, version.kind, version.name)}
    if version.version in digests:
        if digests[version.version] == version.sha256:
            return [], False
        raise InvalidInput(f"{version.kind} {version.name} has a different version {version.version} in this database")
    return [lambda conn: copy_version(conn, version)], True
