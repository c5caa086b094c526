"""Show folders as they lie on disk: the plan in `_show.md`, the verdicts, and a folder for each play.

Only reads; a folder without any `_*.md` or `_*.json` is no play, and what cannot be read is told with its reason.
"""

from __future__ import annotations

import os
import re
from typing import Any, NamedTuple

from lionstudio.errors import LionError
from lionstudio.files.formats.frontmatter import split
from lionstudio.files.legacy_runs import Times, times_of
from lionstudio.model.shows.play_codec import parse_names
from lionstudio.model.shows.show_files import ABORT, FINAL_VERDICT, META, PLAN, VERDICT
from lionstudio.system.json_read import read_object
from lionstudio.system.safe_read import FolderEntry, list_folder, read_text

MOST_BYTES = 5_000_000
MOST_GOAL = 500  # characters; the rest is for whoever opens the file

_MARK = re.compile(r"_.*\.(md|json)\Z", re.DOTALL)


class FolderPlay(NamedTuple):
    """What the plan says about a play; None where it says nothing."""

    name: str
    depends_on: tuple[str, ...] | None = None
    playbook: str | None = None
    effort: str | None = None


class FolderPlan(NamedTuple):
    """What `_show.md` says."""

    goal: str | None = None
    repo: str | None = None
    base_branch: str | None = None
    integration_branch: str | None = None
    final_gates: bool = False  # whether something looks at the whole before it is over
    plays: tuple[FolderPlay, ...] = ()


class PlayFolder(NamedTuple):
    """One play; `fault` says why its files cannot be used."""

    name: str
    path: str
    meta: dict[str, Any]
    verdict: dict[str, Any] | None
    times: Times
    fault: LionError | None = None


class ShowFolder(NamedTuple):
    """One show with everything that its folder tells."""

    topic: str
    path: str
    plan: FolderPlan
    aborted: bool
    final_verdict: dict[str, Any] | None
    plays: tuple[PlayFolder, ...]
    times: Times


def find_shows(root: str) -> list[str]:
    """The folders under a root that are shows."""
    return [item.path for item in list_folder(root) if item.folder and item.name[0] != "." and _is_show(item.path)]


def _is_show(path: str) -> bool:
    try:
        inside = list_folder(path)
    except LionError:
        return True  # it is listed, and reading it says what is wrong
    return _is_marked(inside) or any(item.folder and _is_play(item) for item in inside)


def _is_play(item: FolderEntry) -> bool:
    try:
        return item.name[0] != "." and _is_marked(list_folder(item.path))
    except LionError:
        return False


def _is_marked(items: list[FolderEntry]) -> bool:
    return any(_MARK.match(item.name) or item.name == ABORT for item in items)


def read_show(path: str, root: str) -> ShowFolder:
    """A show folder; refused when the plan or the final verdict cannot be read, a bad play is told by itself."""
    plan_file = os.path.join(path, PLAN)
    text = read_text(plan_file, most=MOST_BYTES, root=root) if os.path.lexists(plan_file) else ""
    plays = tuple(_read_play(item, root) for item in list_folder(path) if item.folder and _is_play(item))
    return ShowFolder(
        topic=os.path.basename(path),
        path=path,
        plan=parse_plan(text),
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
    """When the folder was made, and when it or one of its files was last changed."""
    files = [path for name in names if os.path.exists(path := os.path.join(folder, name))]
    found = [times_of(path) for path in (folder, *files)]
    return Times(min(times.began for times in found), max(times.changed for times in found))


def parse_plan(text: str) -> FolderPlan:
    """The plan: its head where it has one, and the lines that older plans are written in."""
    head, _, body = split(text)
    lines = body.splitlines()
    goal = _text(head.get("goal")) or _section(lines, "## Goal")
    return FolderPlan(
        goal=goal[:MOST_GOAL] if goal else None,
        repo=_path(_text(head.get("repo"))) or _value(lines, "Repo"),
        base_branch=_text(head.get("base_branch")) or _branch(lines, "Base", "Base for final merge"),
        integration_branch=_text(head.get("integration_branch")) or _branch(lines, "Integration", "Integration branch"),
        final_gates=bool(head.get("final_gates")),
        plays=_plays_in_head(head.get("plays")) or _plays_in_lines(lines),
    )


def _path(given: str | None) -> str | None:
    """As the strict reader has it, so that both write the same row."""
    return os.path.normpath(os.path.expanduser(given)) if given and given[0] in "/~" else given


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
    found = _value(lines, *names)
    return found.partition("(")[0].strip().strip("`") or None if found else None


def _plays_in_head(given: Any) -> tuple[FolderPlay, ...]:
    listed = [{"name": name, **(play or {})} for name, play in given.items()] if _is_table(given) else given
    if not isinstance(listed, list):
        return ()
    found = (_planned(play) if isinstance(play, dict) else None for play in listed)
    return tuple(play for play in found if play is not None)


def _is_table(given: Any) -> bool:
    return isinstance(given, dict) and all(play is None or isinstance(play, dict) for play in given.values())


def _planned(play: dict[str, Any]) -> FolderPlay | None:
    name = _text(play.get("name"))
    if name is None:
        return None
    needs = parse_names(play.get("depends_on", play.get("deps")))
    return FolderPlay(name, needs, _text(play.get("playbook")), _text(play.get("effort")))


_HEADER = re.compile(r"\s*(?:[-*+]\s+)?\*\*([^*]+)\*\*")
_DEPS = re.compile(r"\b(?:deps|depends_on)\s*:\s*\[([^\]]*)\]", re.IGNORECASE)


def _plays_in_lines(lines: list[str]) -> tuple[FolderPlay, ...]:
    """`**play**` and, somewhere below it, `deps: [a, b]`."""
    found: dict[str, FolderPlay] = {}
    current = ""
    for line in lines:
        header, deps = _HEADER.match(line), _DEPS.search(line)
        if header:
            current = header[1].strip().strip("`:").strip()
        if deps and current:
            names = (name.strip().strip("`'\"") for name in deps[1].split(","))
            found.setdefault(current, FolderPlay(current, tuple(name for name in names if name)))
    return tuple(found.values())


def _text(value: Any) -> str | None:
    return str(value).strip() or None if isinstance(value, (str, int, float)) and not isinstance(value, bool) else None
