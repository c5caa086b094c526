"""Team files: one JSON file a team, changed under a lock that lies beside it and replaced whole.

Other programs that rewrite such a file in place may leave it torn; a torn file is one entry with an error.
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

MOST_BYTES = 64_000_000  # a file is read and written whole for every message
OUTSIDERS = ("_cli", "system", "user")  # who may write without being a member: a terminal, we, the person at the page
SUFFIX = ".json"

T = TypeVar("T")


class TeamFile(NamedTuple):
    """One team file, or one item that cannot be used; then `error` says why."""

    path: str
    name: str
    data: Json | None = None
    team: Team | None = None
    messages: tuple[TeamMessage, ...] = ()
    error: str | None = None


def folder_of(home: str) -> str:
    """Where team files lie."""
    return os.path.join(home, "teams")


def list_team_files(home: str) -> list[TeamFile]:
    """Every team file; of two that claim the same id, the one that is named after it counts."""
    try:
        items = [item for item in list_folder(folder_of(home)) if _is_team_file(item)]
    except LionError as refused:
        return [TeamFile(folder_of(home), "teams", error=without_path(refused.message, folder_of(home)))]
    found = [read_team_file(item.path) for item in items]
    owners = {each.team.id: each.path for each in found if each.team is not None}
    owners |= {each.team.id: each.path for each in found if each.team and each.path == path_of(home, each.team.id)}
    return [_mark_duplicate(each, owners) for each in found]


def read_team_file(path: str) -> TeamFile:
    """Read one file; whatever is wrong with it becomes the error of the entry."""
    name = os.path.basename(path).removesuffix(SUFFIX)
    try:
        return _parse(path, _load(path))
    except LionError as refused:
        return TeamFile(path, shown(name), error=without_path(refused.message, path))


def find_team_file(home: str, key: str) -> TeamFile | None:
    """A team by its id, or the one with that name: active before archived, newest first."""
    if fault_of_name(key) is None and os.path.lexists(path_of(home, key)):
        return read_team_file(path_of(home, key))
    named = [
        found
        for item in list_folder(folder_of(home))
        if _is_team_file(item) and _may_name(item.path, key)
        if (found := read_team_file(item.path)).team is not None and found.name == key
    ]
    return max(named, key=_preference, default=None)


def create_team_file(home: str, team: Team, data: Json) -> TeamFile:
    """Write the file of a new team; Conflict when an active team has its name."""
    with locked(os.path.join(folder_of(home), ".create.lock")):
        there = find_team_file(home, team.name)
        if there is not None and (there.team is None or there.team.status == "active"):
            raise Conflict(f"there is a team {team.name} already ({there.path})", hint="`li team ls` lists them")
        path = path_of(home, team.id)
        if os.path.lexists(path):
            raise Conflict(f"{shown(path)} exists already", hint="try again; another id is made")
        _store(path, data)
        return read_team_file(path)


def change_team_file(path: str, change: Callable[[Json, Team], T]) -> tuple[TeamFile, T]:
    """Read, change and replace a file while nobody else does; the file as it is then, and what `change` returned."""
    with locked(_lock_of(path)):
        data = _load(path)
        team = team_of(data, fallback=_modified_at(path))
        data.setdefault("created_at", iso(team.created_at))
        result = change(data, team)
        _store(path, data)
    return _parse(path, data), result


def restore_team_file(path: str, data: Json) -> TeamFile:
    """Put a whole file in the place of whatever is there."""
    with locked(_lock_of(path)):
        _store(path, data)
    return _parse(path, data)


def path_of(home: str, team_id: str) -> str:
    """The file of a team."""
    return os.path.join(folder_of(home), check_name(team_id, "team id") + SUFFIX)


def check_members(names: list[str]) -> tuple[str, ...]:
    """Names of members, each once and none that means something else."""
    members = tuple(dict.fromkeys(check_name(name, "member") for name in names))
    for name in members:
        if name in (EVERYONE, "*", *OUTSIDERS) or "," in name:
            raise InvalidInput(f"{name!r:.60} cannot be the name of a member", hint="choose another name")
    if not members:
        raise InvalidInput("a team needs members", hint="give them: --members analyst,critic")
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
            f"{shown(path)} is empty; a writer was cut off",
            hint="move it away; `li team export` restores it from the database",
        )
    try:
        data = load(content.decode("utf-8").removeprefix(BOM))
    except ValueError as wrong:
        raise InvalidInput(
            f"{shown(path)} is not valid JSON: {wrong}",
            hint="move it away; `li team export` restores it from the database",
        ) from None
    if not isinstance(data, dict) or not isinstance(data.get("messages", []), list):
        raise InvalidInput(f"{shown(path)} is not the file of a team", hint="move it away")
    given = data.get("id")
    if given is None:
        data["id"] = os.path.basename(path).removesuffix(SUFFIX)
    elif fault_of_name(given) is not None:
        raise InvalidInput(f"{shown(path)} has an id that cannot be used: {given!r:.60}", hint="correct it")
    return data


def _store(path: str, data: Json) -> None:
    try:
        content = json.dumps(data, ensure_ascii=False, indent=1).encode()
    except UnicodeEncodeError:  # half of a character, which only an escape can carry
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
    """Whether a file can be of that name, by its bytes: parsing every file for one of them would be slow."""
    try:
        content = read_bytes(path, most=MOST_BYTES, root=os.path.dirname(path))
    except LionError:
        return False
    return any(json.dumps(name, ensure_ascii=ascii_).encode("utf-8", "replace") in content for ascii_ in (True, False))


def _preference(found: TeamFile) -> tuple[bool, float]:
    team = found.team
    return (team is not None and team.status == "active", team.created_at if team is not None else 0.0)


def _mark_duplicate(found: TeamFile, owners: dict[str, str]) -> TeamFile:
    if found.team is None or owners[found.team.id] == found.path:
        return found
    return TeamFile(found.path, found.name, error=f"it has the id of {shown(owners[found.team.id])}; a copy?")


def _modified_at(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
