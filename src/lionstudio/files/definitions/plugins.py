"""List plugins: folders with a manifest, in marketplaces and caches of several programs. They are never run."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from lionstudio.errors import LionError, NotFound
from lionstudio.files.definitions import skills
from lionstudio.files.definitions.catalog import Definition, broken_definition, mark_shadowed, not_read, read_definition
from lionstudio.files.definitions.plugin_components import Component, list_components, read_plugin_json, skill_files
from lionstudio.files.definitions.search_paths import SearchPath, plugin_paths, skill_paths
from lionstudio.files.formats.field_rules import Problem, error, to_problem, warning
from lionstudio.system.filenames import shown
from lionstudio.system.safe_read import FolderEntry, is_within, list_folder

MANIFESTS = (os.path.join(".claude-plugin", "plugin.json"), "plugin.json")
MARKETPLACE = os.path.join(".claude-plugin", "marketplace.json")
MOST_DEPTH = 7
MOST_FOLDERS = 20_000  # per search path; a huge checkout must not block the list

_VERSION = re.compile(r"v?\d+(\.\d+)+(?:[-+.][0-9A-Za-z.+-]*)?")
_NOT_IN_ID = re.compile(r"[^A-Za-z0-9._-]+")
_COMPONENT_FOLDERS = frozenset({"skills", "agents", "commands", "hooks"})
_NOT_ENTERED = _COMPONENT_FOLDERS | {"node_modules", "__pycache__", "site-packages", "venv"}


class Plugin(NamedTuple):
    """One plugin with its components; `error` is the reason when it cannot be used."""

    name: str
    path: str
    place: SearchPath
    version: str | None = None
    description: str | None = None
    components: tuple[Component, ...] = ()
    problems: tuple[Problem, ...] = ()
    manifest: str | None = None

    @property
    def id(self) -> str:
        """Its name and a digest of its path: several folders may have plugins of one name."""
        digest = hashlib.sha256(os.fsencode(self.path)).hexdigest()[:8]
        return f"{_NOT_IN_ID.sub('-', self.name)[:60]}-{digest}"

    @property
    def error(self) -> str | None:
        return next((problem.message for problem in self.problems if problem.severity == "error"), None)


class PluginScan(NamedTuple):
    """The plugins, and the folders that were searched."""

    plugins: list[Plugin]
    places: list[SearchPath]


def list_plugins(home: str, claude: str) -> PluginScan:
    places = plugin_paths(home, claude)
    plugins = [plugin for place in places for plugin in _list_in(place)]
    newest_first = sorted(plugins, key=_rank, reverse=True)
    return PluginScan(sorted(newest_first, key=lambda plugin: plugin.name), places)


def find_plugin(plugin_id: str, home: str, claude: str) -> Plugin | None:
    return next((plugin for plugin in list_plugins(home, claude).plugins if plugin.id == plugin_id), None)


def newest_of(plugins: list[Plugin]) -> dict[str, Plugin]:
    """The newest version of each name that can be used."""
    newest: dict[str, Plugin] = {}
    for plugin in plugins:
        other = newest.get(plugin.name)
        if other is None or _rank(plugin) > _rank(other):
            newest[plugin.name] = plugin
    return newest


def get_plugin(name: str, home: str, claude: str) -> Plugin:
    """Return a plugin by name, in its newest version when a cache has several."""
    plugins = [plugin for plugin in list_plugins(home, claude).plugins if plugin.name == name]
    if not plugins:
        raise NotFound(f"plugin {shown(name)!r:.100} does not exist", hint="li plugins ls")
    return newest_of(plugins)[name]


def list_skills(home: str, cwd: str, claude: str) -> list[Definition]:
    """List the skills of the project, the home, Claude and every plugin (named plugin:skill)."""
    definitions = [skill for place in skill_paths(home, cwd, claude) for skill in _skills_in(place)]
    for plugin in list_plugins(home, claude).plugins:
        for part in plugin.components:
            if part.kind == "skill":
                name = f"{plugin.name}:{part.name}"
                definitions.append(read_definition("skill", name, part.path, plugin.place, plugin.path))
    return mark_shadowed(definitions)


def _skills_in(place: SearchPath) -> Iterator[Definition]:
    folder = os.path.join(place.path, "skills")
    if place.refused is not None:
        if place.hint is not None and os.path.isdir(folder):
            yield broken_definition("skill", "skills", folder, place, not_read(place))
        return
    root = place.path if place.origin == "project" else folder
    try:
        files = list(skill_files(folder)) if is_within(folder, root) else []
    except LionError as refusal:
        yield broken_definition("skill", "skills", folder, place, to_problem(refusal, folder))
        return
    for path, name in files:
        if path.endswith(os.sep + skills.FILE):
            yield read_definition("skill", name, path, place, root)
        else:
            yield broken_definition("skill", name, path, place, error(None, "broken symbolic link", "remove it"))


def _list_in(place: SearchPath) -> Iterator[Plugin]:
    """Yield every plugin below a folder; the walk is bounded and follows no link out of it."""
    listed: dict[str, Mapping[str, Any]] = {}
    for folder, names in _walk(place):
        if isinstance(names, Problem):
            yield Plugin(shown(os.path.basename(folder)), folder, place, problems=(names,))
            continue
        if ".claude-plugin" in names and os.path.lexists(os.path.join(folder, MARKETPLACE)):
            problems = _read_marketplace(folder, place, listed)
            if problems is not None:
                yield Plugin(
                    shown(os.path.basename(folder)), os.path.join(folder, MARKETPLACE), place, problems=problems
                )
        manifest = _manifest_in(folder, names)
        if manifest is not None or folder in listed or _looks_like_plugin(folder, names, place):
            yield _plugin(folder, manifest, place, listed.get(folder, {}))


def _manifest_in(folder: str, names: set[str]) -> str | None:
    paths = [os.path.join(folder, name) for name in MANIFESTS if name.partition(os.sep)[0] in names]
    return next((path for path in paths if os.path.lexists(path)), None)


def _looks_like_plugin(folder: str, names: set[str], place: SearchPath) -> bool:
    """Accept a plugin without a manifest in our own folders."""
    return place.origin != "claude" and os.path.dirname(folder) == place.path and bool(names & _COMPONENT_FOLDERS)


def _plugin(folder: str, manifest: str | None, place: SearchPath, listed: Mapping[str, Any]) -> Plugin:
    fields: Mapping[str, Any] = {}
    problems: tuple[Problem, ...] = ()
    if manifest is not None:
        try:
            value = read_plugin_json(manifest, place.path)
        except LionError as refusal:
            problems = (to_problem(refusal),)
        else:
            good = isinstance(value, dict)
            fields = value if good else {}
            problems = () if good else (error(None, "the manifest is not a JSON object", "start it with a brace"),)
    else:
        problems = (warning(None, "the manifest is missing", "add .claude-plugin/plugin.json"),)
    # a cache has a folder for each version, below one with the name of the plugin
    parent, last = os.path.split(folder)
    own = {"name": os.path.basename(parent), "version": last} if _VERSION.fullmatch(last) else {"name": last}
    merged = {**own, **listed, **fields}
    return Plugin(
        name=shown(_text(merged.get("name")) or last),
        path=folder,
        place=place,
        version=_text(merged.get("version")),
        description=_text(merged.get("description")),
        components=tuple(list_components(folder, fields)),
        problems=problems,
        manifest=manifest,
    )


def _read_marketplace(
    folder: str, place: SearchPath, listed: dict[str, Mapping[str, Any]]
) -> tuple[Problem, ...] | None:
    """Add the marketplace's entries for plugins in its folder to `listed`."""
    try:
        value = read_plugin_json(os.path.join(folder, MARKETPLACE), place.path)
    except LionError as refusal:
        return (to_problem(refusal),)
    entries = value.get("plugins") if isinstance(value, dict) else None
    for entry in entries if isinstance(entries, list) else []:
        source = entry.get("source") if isinstance(entry, dict) else None
        if isinstance(source, str) and source.startswith("."):
            path = os.path.normpath(os.path.join(folder, source))
            if is_within(path, place.path):
                listed[path] = entry
    return None


def _walk(place: SearchPath) -> Iterator[tuple[str, set[str] | Problem]]:
    """Yield folders from the top down with the names in them, each once."""
    level = [(place.path, 0)]
    seen: set[tuple[int, int]] = set()
    while level:
        next_level: list[tuple[str, int]] = []
        for folder, depth in level:
            try:
                items = list_folder(folder)
            except LionError as refusal:
                yield folder, to_problem(refusal, folder)
                continue
            yield folder, {item.name for item in items}
            next_level += [(item.path, depth + 1) for item in items if _enters(item, place, seen, depth)]
            if len(seen) > MOST_FOLDERS:
                yield folder, error(None, f"more than {MOST_FOLDERS} folders; the rest is skipped", None)
                return
        level = next_level


def _enters(item: FolderEntry, place: SearchPath, seen: set[tuple[int, int]], depth: int) -> bool:
    if not item.folder or depth >= MOST_DEPTH or item.name.startswith(".") or item.name in _NOT_ENTERED:
        return False
    if item.link and not is_within(item.path, place.path):
        return False
    try:
        status = os.stat(item.path)
    except OSError:
        return False
    first = (status.st_dev, status.st_ino) not in seen
    seen.add((status.st_dev, status.st_ino))
    return first


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _rank(plugin: Plugin) -> tuple[bool, tuple[int, ...]]:
    return plugin.error is None, _numbers(plugin.version)


def _numbers(version: str | None) -> tuple[int, ...]:
    return tuple(int(part) if part.isdigit() and len(part) < 10 else 0 for part in (version or "").split("."))


def to_dict(plugin: Plugin, *, whole: bool = False) -> dict[str, Any]:
    """Return the JSON of the CLI and the API; `whole` adds the components."""
    kinds = [part.kind for part in plugin.components]
    data: dict[str, Any] = {
        "kind": "plugin",
        "id": plugin.id,
        "name": plugin.name,
        "version": plugin.version,
        "description": plugin.description,
        "origin": plugin.place.origin,
        "path": shown(plugin.path),
        "error": plugin.error,
        "problems": [problem._asdict() for problem in plugin.problems],
        "counts": {kind: kinds.count(kind) for kind in ("skill", "agent", "command", "hook", "server")},
        "bad_components": sum(bool(part.problems) for part in plugin.components),
    }
    if whole:
        data["components"] = [
            part._asdict() | {"path": shown(part.path), "problems": [problem._asdict() for problem in part.problems]}
            for part in plugin.components
        ]
    return data
