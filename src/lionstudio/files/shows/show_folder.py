"""Read show folders: the plan in `_show.md`, the verdicts, and one folder per play.

A folder without any `_*.md` or `_*.json` is not a play; an unreadable play is an entry with the reason.
"""

from __future__ import annotations

import os
import re
from typing import Any, NamedTuple

from lionstudio.errors import LionError
from lionstudio.files.formats.frontmatter import split
from lionstudio.files.formats.strict_yaml import as_written
from lionstudio.files.legacy_runs import Times, times_of
from lionstudio.model.shows.play_codec import parse_names
from lionstudio.model.shows.show_files import ABORT, FINAL_VERDICT, META, PLAN, VERDICT
from lionstudio.system.json_read import read_object
from lionstudio.system.safe_read import FolderEntry, list_folder, read_text

MOST_BYTES = 5_000_000
MOST_GOAL = 500  # characters; the rest stays in the file

_MARK = re.compile(r"_.*\.(md|json)\Z", re.DOTALL)


class FolderPlay(NamedTuple):
    """A play in the plan; None for missing values."""

    name: str
    depends_on: tuple[str, ...] | None = None
    playbook: str | None = None
    effort: str | None = None


class FolderPlan(NamedTuple):
    """The plan of `_show.md`, read leniently."""

    goal: str | None = None
    repo: str | None = None
    base_branch: str | None = None
    integration_branch: str | None = None
    final_gates: bool = False  # whether the final result is checked
    plays: tuple[FolderPlay, ...] = ()


class PlayFolder(NamedTuple):
    """The folder of one play; `fault` is the error of reading it."""

    name: str
    path: str
    meta: dict[str, Any]
    verdict: dict[str, Any] | None
    times: Times
    fault: LionError | None = None


class ShowFolder(NamedTuple):
    topic: str
    path: str
    plan: FolderPlan
    aborted: bool
    final_verdict: dict[str, Any] | None
    plays: tuple[PlayFolder, ...]
    times: Times


def find_shows(root: str) -> list[str]:
    return [item.path for item in list_folder(root) if item.folder and item.name[0] != "." and _is_show(item.path)]


def _is_show(path: str) -> bool:
    try:
        items = list_folder(path)
    except LionError:
        return True  # it is listed, and reading it reports the error
    return _is_marked(items) or any(item.folder and _is_play(item) for item in items)


def _is_play(item: FolderEntry) -> bool:
    try:
        return item.name[0] != "." and _is_marked(list_folder(item.path))
    except LionError:
        return False


def _is_marked(items: list[FolderEntry]) -> bool:
    return any(_MARK.match(item.name) or item.name == ABORT for item in items)


def read_show(path: str, root: str) -> ShowFolder:
    """Read a show folder; raise when the plan or the final verdict cannot be read."""
    plan_file = os.path.join(path, PLAN)
    text = read_text(plan_file, most=MOST_BYTES, root=root) if os.path.lexists(plan_file) else ""
    plays = tuple(_read_play(item, root) for item in list_folder(path) if item.folder and _is_play(item))
    return ShowFolder(
        topic=os.path.basename(path),
        path=path,
        plan=parse_folder_plan(text),
        aborted=os.path.lexists(os.path.join(path, ABORT)),
        final_verdict=_optional(os.path.join(path, FINAL_VERDICT), root),
        plays=plays,
        times=_all_times(path, PLAN, FINAL_VERDICT, ABORT),
    )


def _read_play(item: FolderEntry, root: str) -> PlayFolder:
    try:
        return PlayFolder(
            name=item.name,
            path=item.path,
            meta=_optional(os.path.join(item.path, META), root) or {},
            verdict=_optional(os.path.join(item.path, VERDICT), root),
            times=_all_times(item.path, META, VERDICT),
        )
    except LionError as error:
        return PlayFolder(item.name, item.path, {}, None, Times(0.0, 0.0), error)


def _optional(path: str, root: str) -> dict[str, Any] | None:
    return read_object(path, most=MOST_BYTES, root=root) if os.path.lexists(path) else None


def _all_times(folder: str, *names: str) -> Times:
    """Return the oldest and newest times of the folder and some of its files."""
    files = [path for name in names if os.path.exists(path := os.path.join(folder, name))]
    all_times = [times_of(path) for path in (folder, *files)]
    return Times(min(times.began for times in all_times), max(times.changed for times in all_times))


def parse_folder_plan(text: str) -> FolderPlan:
    """Parse a plan from its front matter, or from the Markdown lines of older plans."""
    front = split(text)
    fields, body = as_written(front.fields, front.texts), front.body
    lines = body.splitlines()
    goal = _text(fields.get("goal")) or _section(lines, "## Goal")
    return FolderPlan(
        goal=goal[:MOST_GOAL] if goal else None,
        repo=_path(_text(fields.get("repo"))) or _value(lines, "Repo"),
        base_branch=_text(fields.get("base_branch")) or _branch(lines, "Base", "Base for final merge"),
        integration_branch=_text(fields.get("integration_branch"))
        or _branch(lines, "Integration", "Integration branch"),
        final_gates=bool(fields.get("final_gates") or fields.get("gates")),  # without final gates, these run last
        plays=_plays_in_fields(fields.get("plays")) or _plays_in_lines(lines),
    )


def _path(text: str | None) -> str | None:
    """Normalize a path as the strict reader does, so that both write the same row."""
    return os.path.normpath(os.path.expanduser(text)) if text and text[0] in "/~" else text


def _section(lines: list[str], title: str) -> str | None:
    start = next((number for number, line in enumerate(lines) if line.strip() == title), None)
    if start is None:
        return None
    rest = lines[start + 1 :]
    end = next((number for number, line in enumerate(rest) if line.startswith("## ")), len(rest))
    return "\n".join(rest[:end]).strip() or None


def _value(lines: list[str], *names: str) -> str | None:
    for line in lines:
        for name in names:
            if line.strip().startswith(f"- {name}:"):
                return line.partition(":")[2].strip().strip("`") or None
    return None


def _branch(lines: list[str], *names: str) -> str | None:
    value = _value(lines, *names)
    return value.partition("(")[0].strip().strip("`") or None if value else None


def _plays_in_fields(value: Any) -> tuple[FolderPlay, ...]:
    if isinstance(value, dict) and all(play is None or isinstance(play, dict) for play in value.values()):
        value = [{"name": name, **(play or {})} for name, play in value.items()]
    if not isinstance(value, list):
        return ()
    plays = (_read_planned(play) if isinstance(play, dict) else None for play in value)
    return tuple(play for play in plays if play is not None)


def _read_planned(play: dict[str, Any]) -> FolderPlay | None:
    name = _text(play.get("name"))
    if name is None:
        return None
    needs = parse_names(play.get("depends_on", play.get("deps")))
    return FolderPlay(name, needs, _text(play.get("playbook")), _text(play.get("effort")))


_HEADER = re.compile(r"\s*(?:[-*+]\s+)?\*\*([^*]+)\*\*")
_DEPS = re.compile(r"\b(?:deps|depends_on)\s*:\s*\[([^\]]*)\]", re.IGNORECASE)


def _plays_in_lines(lines: list[str]) -> tuple[FolderPlay, ...]:
    """Read lines of the form `**play**` and, somewhere below it, `deps: [a, b]`."""
    plays: dict[str, FolderPlay] = {}
    current = ""
    for line in lines:
        header, deps = _HEADER.match(line), _DEPS.search(line)
        if header:
            current = header[1].strip().strip("`:").strip()
        if deps and current:
            names = (name.strip().strip("`'\"") for name in deps[1].split(","))
            plays.setdefault(current, FolderPlay(current, tuple(name for name in names if name)))
    return tuple(plays.values())


def _text(value: Any) -> str | None:
    return str(value).strip() or None if isinstance(value, (str, int, float)) and not isinstance(value, bool) else None
