"""Team files: one JSON file per team, changed under a lock file beside it and replaced as a whole.

Other programs may rewrite such a file in place and leave it incomplete; that file is an entry with an error.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from lionstudio.errors import Conflict, InvalidInput, LionError
from lionstudio.files.formats.field_rules import without_path
from lionstudio.files.teams.team_json import EVERYONE, Json, iso, messages_of, team_of
from lionstudio.model.json_codec import load
from lionstudio.model.teams import Team, TeamMessage
from lionstudio.system.atomic_write import write_bytes
from lionstudio.system.filelock import locked
from lionstudio.system.filenames import check_name, fault_of_name, shown
from lionstudio.system.safe_read import BOM, FolderEntry, list_folder, read_bytes

MOST_BYTES = 64_000_000  # every message reads and writes the whole file
OUTSIDER = "_cli"
OUTSIDERS = (
    OUTSIDER,
    "system",
    "user",
)  # senders that are not members: a terminal, the system, the user of the web page
SUFFIX = ".json"

T = TypeVar("T")


class TeamFile(NamedTuple):
    """One team file; `error` is the reason when it cannot be used."""

    path: str
    name: str
    data: Json | None = None
    team: Team | None = None
    messages: tuple[TeamMessage, ...] = ()
    error: str | None = None


def folder_of(home: str) -> str:
    return os.path.join(home, "teams")


def list_team_files(home: str) -> list[TeamFile]:
    """List every team file; of two with the same id, the one named after the id is used."""
    try:
        items = [item for item in list_folder(folder_of(home)) if _is_team_file(item)]
    except LionError as refusal:
        return [TeamFile(folder_of(home), "teams", error=without_path(refusal.message, folder_of(home)))]
    files = [read_team_file(item.path) for item in items]
    owners = {file.team.id: file.path for file in files if file.team is not None}
    owners |= {file.team.id: file.path for file in files if file.team and file.path == path_of(home, file.team.id)}
    return [_mark_duplicate(file, owners) for file in files]


def read_team_file(path: str) -> TeamFile:
    """Read one file; an error becomes part of the entry."""
    name = os.path.basename(path).removesuffix(SUFFIX)
    try:
        return _parse(path, _load(path))
    except LionError as refusal:
        return TeamFile(path, shown(name), error=without_path(refusal.message, path))


def find_team_file(home: str, key: str) -> TeamFile | None:
    """Find a team by its id or name; of several with the name, prefer active over archived, then the newest."""
    if fault_of_name(key) is None and os.path.lexists(path_of(home, key)):
        return read_team_file(path_of(home, key))
    named = [
        file
        for item in list_folder(folder_of(home))
        if _is_team_file(item) and _may_name(item.path, key)
        if (file := read_team_file(item.path)).team is not None and file.name == key
    ]
    return max(named, key=_preference, default=None)


def create_team_file(home: str, team: Team, data: Json) -> TeamFile:
    """Write the file of a new team; Conflict when an active team has its name."""
    with locked(os.path.join(folder_of(home), ".create.lock")):
        existing = find_team_file(home, team.name)
        if existing is not None and (existing.team is None or existing.team.status == "active"):
            raise Conflict(f"the team {team.name} already exists ({existing.path})", hint="li team ls")
        path = path_of(home, team.id)
        if os.path.lexists(path):
            raise Conflict(f"{shown(path)} already exists", hint="try again to get another id")
        _store(path, data)
        return read_team_file(path)


def change_team_file(path: str, change: Callable[[Json, Team], T]) -> tuple[TeamFile, T]:
    """Read, change and replace a file under its lock; return the new file and the result of `change`."""
    with locked(_lock_of(path)):
        data = _load(path)
        team = team_of(data, fallback=_modified_at(path))
        data.setdefault("created_at", iso(team.created_at))
        result = change(data, team)
        _store(path, data)
    return _parse(path, data), result


def restore_team_file(path: str, data: Json) -> TeamFile:
    """Replace a team file, whatever its content is."""
    with locked(_lock_of(path)):
        _store(path, data)
    return _parse(path, data)


def path_of(home: str, team_id: str) -> str:
    return os.path.join(folder_of(home), check_name(team_id, "team id") + SUFFIX)


def check_members(names: list[str]) -> tuple[str, ...]:
    """Check member names and remove duplicates; reserved names are refused."""
    members = tuple(dict.fromkeys(check_name(name, "member") for name in names))
    for name in members:
        if name in (EVERYONE, "*", *OUTSIDERS) or "," in name:
            raise InvalidInput(f"{name!r:.60} cannot be a member name", hint="choose another name")
    if not members:
        raise InvalidInput("a team needs members", hint="add --members analyst,critic")
    return members


def _parse(path: str, data: Json) -> TeamFile:
    team = team_of(data, fallback=_modified_at(path))
    return TeamFile(path, team.name, data, team, tuple(messages_of(data, team)))


def _lock_of(path: str) -> str:
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name.removesuffix(SUFFIX)}.lock")


def _is_team_file(item: FolderEntry) -> bool:
    return item.name.endswith(SUFFIX) and not item.name.startswith(".")


def _load(path: str) -> Json:
    content = read_bytes(path, most=MOST_BYTES, root=os.path.dirname(path))
    if not content.strip():
        raise InvalidInput(
            f"{shown(path)} is empty: another program was interrupted while writing it",
            hint="move it away; `li team export` restores it from the database",
        )
    try:
        data = load(content.decode("utf-8").removeprefix(BOM))
    except ValueError as error:
        raise InvalidInput(
            f"{shown(path)} is not valid JSON: {error}",
            hint="move it away; `li team export` restores it from the database",
        ) from None
    if not isinstance(data, dict) or not isinstance(data.get("messages", []), list):
        raise InvalidInput(f"{shown(path)} is not a team file", hint="move it away")
    team_id = data.get("id")
    if team_id is None:
        data["id"] = os.path.basename(path).removesuffix(SUFFIX)
    elif fault_of_name(team_id) is not None:
        raise InvalidInput(f"{shown(path)} has an invalid id: {team_id!r:.60}", hint="correct it")
    return data


def _store(path: str, data: Json) -> None:
    try:
        content = json.dumps(data, ensure_ascii=False, indent=1).encode()
    except UnicodeEncodeError:  # a lone surrogate, which only an escape can carry
        content = json.dumps(data, indent=1).encode()
    except RecursionError:
        raise InvalidInput(f"{shown(path)} is nested too deeply", hint="make it flatter") from None
    if len(content) > MOST_BYTES:
        raise InvalidInput(
            f"the team would be larger than {MOST_BYTES / 1e6:.0f} MB",
            hint="archive it and create a new one, or set teams_in_db_only",
        )
    write_bytes(path, content + b"\n")


def _may_name(path: str, name: str) -> bool:
    """Search the bytes of a file for the name: parsing every file to find one would be slow."""
    try:
        content = read_bytes(path, most=MOST_BYTES, root=os.path.dirname(path))
    except LionError:
        return False
    return any(json.dumps(name, ensure_ascii=ascii_).encode("utf-8", "replace") in content for ascii_ in (True, False))


def _preference(file: TeamFile) -> tuple[bool, float]:
    team = file.team
    return (team is not None and team.status == "active", team.created_at if team is not None else 0.0)


def _mark_duplicate(file: TeamFile, owners: dict[str, str]) -> TeamFile:
    if file.team is None or owners[file.team.id] == file.path:
        return file
    return TeamFile(file.path, file.name, error=f"duplicate id: {shown(owners[file.team.id])} has the same")


def _modified_at(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
