"""List the components of a plugin: skills, agents, commands, hooks and servers. They are never run."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput, LionError
from lionstudio.files.definitions import skills
from lionstudio.files.formats import frontmatter
from lionstudio.files.formats.field_rules import Problem, error, to_problem
from lionstudio.model.json_codec import load
from lionstudio.model.redaction.process import redactor
from lionstudio.system.filenames import shown
from lionstudio.system.safe_read import BOM, is_within, list_folder, may_exist, read_text

MOST_COMPONENTS = 20_000  # of one plugin
_PATH_OF_ADDRESS = re.compile(r"(?<=://)[^\s'\"]{1,4000}")
_KEY = re.compile(r"/(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{16,}(?![\w.-])")


class Component(NamedTuple):
    kind: str  # skill | agent | command | hook | server
    name: str
    path: str
    description: str | None = None
    problems: tuple[Problem, ...] = ()


def list_components(folder: str, manifest: Mapping[str, Any]) -> list[Component]:
    """List the components in the default folders and in those that the manifest names."""
    readers = (_skills, _markdown("agent", "agents"), _markdown("command", "commands"), _hooks, _servers)
    components = (component for read in readers for component in read(folder, manifest))
    return list(islice(components, MOST_COMPONENTS))


def read_plugin_json(path: str, root: str) -> Any:
    """Read a JSON file of a plugin; unlike `read_json` it accepts duplicate keys, as Claude Code does."""
    try:
        return load(read_text(path, root=root).removeprefix(BOM))
    except ValueError as reason:
        raise InvalidInput(f"{shown(path)} is not valid JSON: {reason}", hint="correct it, or move it away") from None


def redacted(text: str) -> str:
    """Text without secrets; a long part of the path of an address with letters and digits is a key too."""
    return redactor().text(_PATH_OF_ADDRESS.sub(lambda match: _KEY.sub("/…", match[0]), text))


def skill_files(folder: str) -> Iterator[tuple[str, str]]:
    """Yield path and name of every SKILL.md one level below a folder, and of broken links."""
    for item in list_folder(folder):
        path = os.path.join(item.path, skills.FILE)
        if item.name.startswith("."):
            continue
        if item.folder and may_exist(path):
            yield path, item.name
        elif item.link and not os.path.exists(item.path):
            yield item.path, item.name


def _component_paths(folder: str, manifest: Mapping[str, Any], key: str, default: str) -> Iterator[str | Problem]:
    """Yield the default path and those of the manifest; a path outside the plugin is a problem."""
    value = manifest.get(key)
    names = value if isinstance(value, list) else [value]
    for name in dict.fromkeys([default, *(name for name in names if isinstance(name, str))]):
        path = os.path.normpath(os.path.join(folder, name))
        if is_within(path, folder):
            yield path
        else:
            yield error(None, f"{key} leads out of the plugin: {shown(name)!r:.80}", "use a path inside the plugin")


def _skills(folder: str, manifest: Mapping[str, Any]) -> Iterator[Component]:
    if os.path.lexists(os.path.join(folder, skills.FILE)):
        yield _read_component("skill", os.path.basename(folder), os.path.join(folder, skills.FILE), folder)
    for source in _component_paths(folder, manifest, "skills", "skills"):
        if isinstance(source, Problem):
            yield Component("skill", "skills", folder, problems=(source,))
            continue
        try:
            files = list(skill_files(source))
        except LionError as refusal:
            yield Component("skill", "skills", source, problems=(to_problem(refusal, source),))
            continue
        for path, name in files:
            yield _read_component("skill", name, path, folder)


def _markdown(kind: str, key: str) -> Any:
    def read(folder: str, manifest: Mapping[str, Any]) -> Iterator[Component]:
        for source in _component_paths(folder, manifest, key, key):
            if isinstance(source, Problem):
                yield Component(kind, key, folder, problems=(source,))
            else:
                yield from _markdown_at(kind, source, folder)

    return read


def _markdown_at(kind: str, source: str, folder: str, depth: int = 0) -> Iterator[Component]:
    """Yield one Markdown file, or those of a folder and its subfolders."""
    if source.endswith(".md") and not os.path.isdir(source):
        yield _read_component(kind, os.path.basename(source).removesuffix(".md"), source, folder)
        return
    try:
        items = list_folder(source)
    except LionError as refusal:
        yield Component(kind, shown(os.path.basename(source)), source, problems=(to_problem(refusal, source),))
        return
    for item in items:
        if item.name.endswith(".md"):
            yield _read_component(kind, item.name.removesuffix(".md"), item.path, folder)
        elif item.folder and not item.link and depth < 2:
            yield from _markdown_at(kind, item.path, folder, depth + 1)


def _read_component(kind: str, name: str, path: str, root: str) -> Component:
    """Read a Markdown file and its description from the front matter."""
    entry = Component(kind, shown(name), path)
    try:
        front = frontmatter.split(read_text(path, root=root))
    except LionError as refusal:
        return entry._replace(problems=(to_problem(refusal, path),))
    if not front.fields and not front.body:
        return entry._replace(problems=(error(None, "the file is empty", "write it, or remove it"),))
    description = front.fields.get("description")
    return entry._replace(description=description if isinstance(description, str) else None)


def _hooks(folder: str, manifest: Mapping[str, Any]) -> Iterator[Component]:
    if isinstance(manifest.get("hooks"), dict):
        yield from _hooks_in(manifest["hooks"], folder)
    yield from _from_json("hook", folder, manifest, "hooks", os.path.join("hooks", "hooks.json"), _hooks_in)


def _servers(folder: str, manifest: Mapping[str, Any]) -> Iterator[Component]:
    if isinstance(manifest.get("mcpServers"), dict):
        yield from _servers_in(manifest, folder)
    yield from _from_json("server", folder, manifest, "mcpServers", ".mcp.json", _servers_in)


def _from_json(
    kind: str, folder: str, manifest: Mapping[str, Any], key: str, default: str, read: Any
) -> Iterator[Component]:
    for source in _component_paths(folder, manifest, key, default):
        if isinstance(source, Problem):
            yield Component(kind, key, folder, problems=(source,))
        elif os.path.lexists(source):
            try:
                yield from read(read_plugin_json(source, folder), source)
            except LionError as refusal:
                yield Component(kind, os.path.basename(source), source, problems=(to_problem(refusal, source),))


def _hooks_in(value: Any, path: str) -> Iterator[Component]:
    """{"hooks": {"PreToolUse": [{"matcher": …, "hooks": [{"type": "command", "command": …}]}]}}"""
    events = value.get("hooks", value) if isinstance(value, dict) else None
    if not isinstance(events, dict):
        yield Component("hook", "hooks", path, problems=(error(None, "no hooks found", None),))
        return
    for event, groups in events.items():
        for group in groups if isinstance(groups, list) else []:
            inner = group.get("hooks") if isinstance(group, dict) else None
            for hook in inner if isinstance(inner, list) else []:
                if isinstance(hook, dict):
                    action = hook.get("command") or hook.get("prompt") or hook.get("url") or hook.get("type")
                    text = redacted(f"{group.get('matcher') or '*'}: {action}")
                    yield Component("hook", str(event), path, text)


def _servers_in(value: Any, path: str) -> Iterator[Component]:
    """Yield the names of servers only: their commands may contain secrets."""
    servers = value.get("mcpServers", value) if isinstance(value, dict) else None
    if not isinstance(servers, dict):
        yield Component("server", ".mcp.json", path, problems=(error(None, "no servers found", None),))
        return
    for name in servers:
        yield Component("server", str(name), path)
