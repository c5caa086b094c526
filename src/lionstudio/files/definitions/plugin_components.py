"""What is inside a plugin: skills, agents, commands, hooks and servers. They are shown; nothing here is ever run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput, LionError
from lionstudio.files.definitions import skills
from lionstudio.files.formats import frontmatter
from lionstudio.files.formats.field_rules import Problem, error, to_problem
from lionstudio.model.json_codec import load
from lionstudio.system.filenames import shown
from lionstudio.system.safe_read import BOM, is_within, list_folder, may_exist, read_text

MOST_COMPONENTS = 20_000  # of one plugin


class Component(NamedTuple):
    """One part of a plugin."""

    kind: str  # skill | agent | command | hook | server
    name: str
    path: str
    description: str | None = None
    problems: tuple[Problem, ...] = ()


def list_components(folder: str, manifest: Mapping[str, Any]) -> list[Component]:
    """Everything in a plugin's folder, where it is usual and where its manifest says."""
    found = (
        each
        for look in (_skills, _markdown("agent", "agents"), _markdown("command", "commands"), _hooks, _servers)
        for each in look(folder, manifest)
    )
    return list(islice(found, MOST_COMPONENTS))


def read_plugin_json(path: str, root: str) -> Any:
    """The value of a JSON file that belongs to somebody else; InvalidInput when there is none."""
    try:
        return load(read_text(path, root=root).removeprefix(BOM))
    except ValueError as wrong:
        raise InvalidInput(f"{shown(path)} is not valid JSON: {wrong}", hint="correct it, or move it away") from None


def skill_files(folder: str) -> Iterator[tuple[str, str]]:
    """(path, name) of every SKILL.md one level below a folder; what cannot be looked into is named too."""
    for item in list_folder(folder):
        path = os.path.join(item.path, skills.FILE)
        if item.name.startswith("."):
            continue
        if item.folder and may_exist(path):
            yield path, item.name
        elif item.link and not os.path.exists(item.path):
            yield item.path, item.name


def _places(folder: str, manifest: Mapping[str, Any], key: str, usual: str) -> Iterator[str | Problem]:
    """The usual place and those a manifest names; a place outside of the plugin is a problem."""
    named = manifest.get(key)
    given = named if isinstance(named, list) else [named]
    for each in dict.fromkeys([usual, *(each for each in given if isinstance(each, str))]):
        path = os.path.normpath(os.path.join(folder, each))
        if is_within(path, folder):
            yield path
        else:
            yield error(None, f"{key} leads out of the plugin: {shown(each)!r:.80}", "it is not followed")


def _skills(folder: str, manifest: Mapping[str, Any]) -> Iterator[Component]:
    if os.path.lexists(os.path.join(folder, skills.FILE)):
        yield _described("skill", os.path.basename(folder), os.path.join(folder, skills.FILE), folder)
    for place in _places(folder, manifest, "skills", "skills"):
        if isinstance(place, Problem):
            yield Component("skill", "skills", folder, problems=(place,))
            continue
        try:
            files = list(skill_files(place))
        except LionError as refused:
            yield Component("skill", "skills", place, problems=(to_problem(refused, place),))
            continue
        for path, name in files:
            yield _described("skill", name, path, folder)


def _markdown(kind: str, usual: str) -> Any:
    def look(folder: str, manifest: Mapping[str, Any]) -> Iterator[Component]:
        for place in _places(folder, manifest, usual, usual):
            if isinstance(place, Problem):
                yield Component(kind, usual, folder, problems=(place,))
            else:
                yield from _markdown_at(kind, place, folder)

    return look


def _markdown_at(kind: str, place: str, folder: str, depth: int = 0) -> Iterator[Component]:
    """The Markdown files of a folder and of those in it, or one file."""
    if place.endswith(".md") and not os.path.isdir(place):
        yield _described(kind, os.path.basename(place).removesuffix(".md"), place, folder)
        return
    try:
        items = list_folder(place)
    except LionError as refused:
        yield Component(kind, shown(os.path.basename(place)), place, problems=(to_problem(refused, place),))
        return
    for item in items:
        if item.name.endswith(".md"):
            yield _described(kind, item.name.removesuffix(".md"), item.path, folder)
        elif item.folder and not item.link and depth < 2:
            yield from _markdown_at(kind, item.path, folder, depth + 1)


def _described(kind: str, name: str, path: str, root: str) -> Component:
    """A file with the description that its head gives."""
    entry = Component(kind, shown(name), path)
    try:
        head = frontmatter.split(read_text(path, root=root))
    except LionError as refused:
        return entry._replace(problems=(to_problem(refused, path),))
    if not head.fields and not head.body:
        return entry._replace(problems=(error(None, "it is empty", "write it, or remove it"),))
    said = head.fields.get("description")
    return entry._replace(description=said if isinstance(said, str) else None)


def _hooks(folder: str, manifest: Mapping[str, Any]) -> Iterator[Component]:
    if isinstance(manifest.get("hooks"), dict):
        yield from _hooks_in(manifest["hooks"], folder)
    yield from _from_json("hook", folder, manifest, "hooks", os.path.join("hooks", "hooks.json"), _hooks_in)


def _servers(folder: str, manifest: Mapping[str, Any]) -> Iterator[Component]:
    if isinstance(manifest.get("mcpServers"), dict):
        yield from _servers_in(manifest, folder)
    yield from _from_json("server", folder, manifest, "mcpServers", ".mcp.json", _servers_in)


def _from_json(
    kind: str, folder: str, manifest: Mapping[str, Any], key: str, usual: str, read: Any
) -> Iterator[Component]:
    for place in _places(folder, manifest, key, usual):
        if isinstance(place, Problem):
            yield Component(kind, key, folder, problems=(place,))
        elif os.path.lexists(place):
            try:
                yield from read(read_plugin_json(place, folder), place)
            except LionError as refused:
                yield Component(kind, os.path.basename(place), place, problems=(to_problem(refused, place),))


def _hooks_in(value: Any, path: str) -> Iterator[Component]:
    """{"hooks": {"PreToolUse": [{"matcher": …, "hooks": [{"type": "command", "command": …}]}]}}"""
    events = value.get("hooks", value) if isinstance(value, dict) else None
    if not isinstance(events, dict):
        yield Component("hook", "hooks", path, problems=(error(None, "no hooks can be found in it", None),))
        return
    for event, groups in events.items():
        for group in groups if isinstance(groups, list) else []:
            inner = group.get("hooks") if isinstance(group, dict) else None
            for hook in inner if isinstance(inner, list) else []:
                if isinstance(hook, dict):
                    what = hook.get("command") or hook.get("prompt") or hook.get("url") or hook.get("type")
                    yield Component("hook", str(event), path, f"{group.get('matcher') or '*'}: {what}")


def _servers_in(value: Any, path: str) -> Iterator[Component]:
    """Their names only: what starts them may hold secrets."""
    servers = value.get("mcpServers", value) if isinstance(value, dict) else None
    if not isinstance(servers, dict):
        yield Component("server", ".mcp.json", path, problems=(error(None, "no servers can be found in it", None),))
        return
    for name in servers:
        yield Component("server", str(name), path)
