"""`li state import-home`: import a whole home of an older tool or of another machine; safe to repeat.

Sessions go into the database; team files and authored files are copied into this home, and never over a different file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from lionstudio.crash import point
from lionstudio.errors import InvalidInput, LionError
from lionstudio.files.teams.team_file import (
    TeamFile,
    change_team_file,
    list_team_files,
    path_of,
    read_team_file,
    restore_team_file,
)
from lionstudio.files.teams.team_json import Json, message_data, messages_of, team_data
from lionstudio.imports.external_db.importer import import_database
from lionstudio.imports.report import ImportItem, ImportTarget, ItemOutcome, Report, Watch
from lionstudio.imports.run_folders.importer import import_runs
from lionstudio.imports.shows import import_shows
from lionstudio.imports.upsert import error_line
from lionstudio.model.teams import Team
from lionstudio.settings import Settings
from lionstudio.system.atomic_write import write_bytes
from lionstudio.system.filenames import shown
from lionstudio.system.safe_read import list_folder, read_bytes
from lionstudio.teams.rows import diff_team, upsert_team

DATABASE = "state.db"
_AUTHORED = {"agents": "agent file", "playbooks": "playbook file", "skills": "skill file"}
_PARTS = (DATABASE, "runs", "logs", "teams", "shows", *_AUTHORED)
_DERIVED = (f"{DATABASE}-wal", f"{DATABASE}-shm")
_MAX_FILE_BYTES = 16_000_000


def import_home(
    store: ImportTarget,
    settings: Settings,
    root: str,
    report: Report,
    *,
    dry_run: bool = False,
    watch: Watch = lambda done, total: None,
) -> None:
    """Import the database, run folders, teams, shows, agents, playbooks and skills of another home."""
    entries = _check_home(root, settings.home)
    if DATABASE in entries:
        _in_report(report, "database", root, lambda: _import_database(store, settings, root, report, dry_run, watch))
    if entries & {"runs", "logs"}:
        import_runs(store, root, report, dry_run=dry_run, watch=watch)
    if "shows" in entries:
        import_shows(store, [os.path.join(root, "shows")], report, dry_run=dry_run, watch=watch)
    if "teams" in entries:
        _import_teams(store, settings, root, report, dry_run)
    for folder, kind in _AUTHORED.items():
        if folder in entries:
            _copy_files(os.path.join(root, folder), os.path.join(settings.home, folder), kind, report, dry_run)
    report.files_left_out = sorted(shown(name) for name in entries - {*_PARTS, *_DERIVED} if name[0] != ".")


def _check_home(root: str, home: str) -> set[str]:
    if os.path.exists(home) and os.path.samefile(root, home):
        raise InvalidInput(f"cannot import the home {root} into itself", hint="pass the folder of another home")
    entries = {item.name for item in list_folder(root)}
    if not entries & set(_PARTS):
        raise InvalidInput(
            f"{root} is not a home: it has no {', '.join(_PARTS[:-1])} or {_PARTS[-1]}",
            hint="pass the folder that contains state.db, for example ~/.lionagi",
        )
    return entries


def _in_report(report: Report, kind: str, name: str, work: Callable[[], None]) -> None:
    """One part that cannot be read is an entry of the report; the other parts are imported."""
    try:
        work()
    except LionError as error:
        report.skip(kind, shown(name), error_line(error))


def _import_database(
    store: ImportTarget, settings: Settings, root: str, report: Report, dry_run: bool, watch: Watch
) -> None:
    import_database(store, settings.db, os.path.join(root, DATABASE), report, dry_run=dry_run, watch=watch)


# ── Teams ────────────────────────────────────────────────────────────────


def _import_teams(store: ImportTarget, settings: Settings, root: str, report: Report, dry_run: bool) -> None:
    for file in list_team_files(root):
        if file.team is None:
            report.skip("team file", shown(file.path), file.error or "the file cannot be read")
            continue
        try:
            report.add(_import_team(store, settings, file, file.team, dry_run))
        except LionError as error:
            report.skip("team file", file.name, error_line(error))
        point("import.item")


def _import_team(store: ImportTarget, settings: Settings, file: TeamFile, team: Team, dry_run: bool) -> ImportItem:
    """Copy a team file, or add its messages and members to the team of the same id; then sync the rows."""
    path = path_of(settings.home, team.id)
    existing = read_team_file(path) if os.path.lexists(path) else None
    if existing is not None and existing.team is None:
        raise InvalidInput(f"{shown(path)} cannot be read: {existing.error}", hint="move it away, then import again")
    if settings.teams_in_db_only:
        changed = store.read(lambda conn: bool(diff_team(conn, team, file.messages)))
        merged: TeamFile | None = file
    else:
        changed = existing is None or bool(_additions(existing, file))
        merged = None if dry_run else _merge_file(path, file, team) if changed else existing
    if merged is not None and merged.team is not None and not dry_run:
        row, messages = merged.team, merged.messages
        changed |= bool(store.write(lambda conn: upsert_team(conn, row, messages)))
    if not changed:
        return ImportItem("team file", file.name, ItemOutcome.UNCHANGED)
    return ImportItem("team file", file.name, ItemOutcome.IMPORTED if existing is None else ItemOutcome.UPDATED)


def _additions(existing: TeamFile, incoming: TeamFile) -> list[object]:
    """The messages and members that only the other file has."""
    ids = {message.id for message in existing.messages}
    members = existing.team.members if existing.team is not None else ()
    more = incoming.team.members if incoming.team is not None else ()
    return [*(m for m in incoming.messages if m.id not in ids), *(name for name in more if name not in members)]


def _merge_file(path: str, incoming: TeamFile, team: Team) -> TeamFile:
    if not os.path.lexists(path):
        return restore_team_file(path, incoming.data or team_data(team, list(incoming.messages)))

    def add(data: Json, current: Team) -> None:
        ids = {message.id for message in messages_of(data, current)}
        new = [message_data(message) for message in incoming.messages if message.id not in ids]
        entries = [*data.get("messages", []), *new]
        data["messages"] = sorted(entries, key=_timestamp) if new else entries
        data["members"] = list(dict.fromkeys([*current.members, *team.members]))

    return change_team_file(path, add)[0]


def _timestamp(entry: object) -> str:
    return str(entry.get("timestamp") or "") if isinstance(entry, dict) else ""


# ── Authored files ───────────────────────────────────────────────────────


def _copy_files(source: str, target: str, kind: str, report: Report, dry_run: bool) -> None:
    for path in _files_below(source):
        name = os.path.relpath(path, source)
        try:
            report.add(_copy_file(path, source, os.path.join(target, name), kind, shown(name), dry_run))
        except LionError as error:
            report.skip(kind, shown(name), error_line(error))
        point("import.item")


def _files_below(folder: str) -> Iterator[str]:
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name[0] != ".")
        yield from (os.path.join(parent, name) for name in sorted(names) if name[0] != ".")


def _copy_file(path: str, root: str, target: str, kind: str, name: str, dry_run: bool) -> ImportItem:
    content = read_bytes(path, most=_MAX_FILE_BYTES, root=root)
    if os.path.lexists(target):
        if read_bytes(target, most=_MAX_FILE_BYTES) == content:
            return ImportItem(kind, name, ItemOutcome.UNCHANGED)
        reason = f"{shown(target)} has a different text and stays; compare it with {shown(path)}"
        return ImportItem(kind, name, ItemOutcome.SKIPPED, reason)
    if not dry_run:
        write_bytes(target, content)
    return ImportItem(kind, name, ItemOutcome.IMPORTED)
