"""The content of one plugin for reading: README, texts and files of components, hooks, and servers without secrets."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from lionstudio.errors import LionError
from lionstudio.files.definitions import skills
from lionstudio.files.definitions.plugin_components import read_plugin_json, redacted
from lionstudio.files.definitions.plugins import Plugin
from lionstudio.files.formats import frontmatter
from lionstudio.system.filenames import shown
from lionstudio.system.safe_read import is_within, list_folder, read_text

MOST_TEXT = 200_000  # characters of one file
_MOST_TEXTS = 4_000_000  # characters of one plugin; many names may lead to one file
_MOST_FILES = 200  # of one skill
_MOST_LISTED = 1_000  # hooks, or servers
_MOST_DEPTH = 4
_READMES = ("README.md", "readme.md", "Readme.md", "README")


def read_details(plugin: Plugin) -> dict[str, Any]:
    """Read the README, texts, hooks and servers; a file that cannot be read is left out, the list has its problem."""
    readme = next((text for name in _READMES if (text := _read(os.path.join(plugin.path, name), plugin.path))), None)
    hooks = (hook for part in _files_of(plugin, "hook") for hook in _hooks(part, plugin))
    return {
        "readme": readme,
        "texts": list(_texts(plugin)),
        "hooks": list(islice(hooks, _MOST_LISTED)),
        "servers": list(islice(_servers(plugin), _MOST_LISTED)),
    }


def _texts(plugin: Plugin) -> Iterator[dict[str, Any]]:
    left = _MOST_TEXTS
    for part in plugin.components:
        if part.kind not in ("skill", "agent", "command"):
            continue
        text, files, folder = None, [], os.path.dirname(part.path)
        if left > 0:
            text = _body(_read(part.path, plugin.path))
            if part.kind == "skill" and is_within(folder, plugin.path):
                files = list(islice(_skill_files(folder), _MOST_FILES))
        left -= len(text or "") + sum(map(len, files))
        yield {"kind": part.kind, "name": part.name, "path": shown(part.path), "text": text, "files": files}


def _body(text: str | None) -> str | None:
    try:
        return None if text is None else frontmatter.split(text).body[:MOST_TEXT]
    except LionError:
        return text


def _skill_files(folder: str, below: str = "", depth: int = 0) -> Iterator[str]:
    """The files of a skill beside its SKILL.md; links are not followed."""
    try:
        items = list_folder(os.path.join(folder, below))
    except LionError:
        return
    for item in items[:_MOST_FILES]:
        path = os.path.join(below, item.name)
        if item.folder and not item.link and depth < _MOST_DEPTH:
            yield from _skill_files(folder, path, depth + 1)
        elif not item.folder and path != skills.FILE:
            yield shown(path)


def _read(path: str, root: str) -> str | None:
    try:
        return read_text(path, root=root)[:MOST_TEXT]
    except LionError:
        return None


def _files_of(plugin: Plugin, kind: str) -> list[str]:
    """The files that components of a kind come from; the manifest's own components have the folder as their path."""
    return list(dict.fromkeys(part.path for part in plugin.components if part.kind == kind and not part.problems))


def _json(path: str, plugin: Plugin, key: str) -> Mapping[str, Any]:
    """The object under a key of a file, or of the manifest."""
    file = plugin.manifest if path == plugin.path else path
    try:
        value = read_plugin_json(file or path, plugin.path)
    except LionError:
        return {}
    inner = value.get(key, value) if isinstance(value, dict) else {}
    return inner if isinstance(inner, dict) else {}


def _hooks(path: str, plugin: Plugin) -> Iterator[dict[str, Any]]:
    for event, groups in _json(path, plugin, "hooks").items():
        for group in groups if isinstance(groups, list) else []:
            inner = group.get("hooks") if isinstance(group, dict) else None
            for hook in inner if isinstance(inner, list) else []:
                if isinstance(hook, dict):
                    action = hook.get("command") or hook.get("prompt") or hook.get("url") or ""
                    yield {
                        "event": str(event),
                        "matcher": str(group.get("matcher") or "*"),
                        "type": str(hook.get("type") or "command"),
                        "action": redacted(str(action)),
                        "path": shown(path),
                    }


def _servers(plugin: Plugin) -> Iterator[dict[str, Any]]:
    servers = ((path, _json(path, plugin, "mcpServers")) for path in _files_of(plugin, "server"))
    return (_server(str(name), value, path) for path, listed in servers for name, value in listed.items())


def _server(name: str, value: Any, path: str) -> dict[str, Any]:
    """One server: its variables and headers by name only, and its command and address without secrets."""
    fields = value if isinstance(value, dict) else {}
    arguments = fields.get("args")
    words = [fields.get("command"), *(arguments if isinstance(arguments, list) else [])]
    command = shlex.join(str(word) for word in words if word is not None)
    return {
        "name": name,
        "command": redacted(command) or None,
        "url": _address(fields.get("url")),
        "variables": _names(fields.get("env")),
        "headers": _names(fields.get("headers")),
        "path": shown(path),
    }


def _names(value: Any) -> list[str]:
    return [str(name) for name in value] if isinstance(value, dict) else []


def _address(value: Any) -> str | None:
    """An address without user, password, query and fragment, which may hold keys."""
    if not isinstance(value, str) or not value:
        return None
    scheme, separator, rest = value.partition("#")[0].partition("?")[0].partition("://")
    if not separator:
        return "not an address"
    host, slash, path = rest.partition("/")
    return redacted(f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}")
