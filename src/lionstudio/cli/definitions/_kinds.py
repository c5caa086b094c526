"""The four kinds of definitions, and how to list and find them."""

from __future__ import annotations

import argparse
import os
from typing import Any, NamedTuple

from lionstudio.settings import Settings

TYPE_CHECKING = False  # the one in typing is slow to load
if TYPE_CHECKING:
    from lionstudio.files.definitions.catalog import Definition
    from lionstudio.files.definitions.plugins import Plugin


class DefinitionKind(NamedTuple):
    singular: str
    plural: str  # also the group of commands
    example: str
    has_history: bool


KINDS = {
    "agents": DefinitionKind("agent", "agents", "reviewer", True),
    "playbooks": DefinitionKind("playbook", "playbooks", "audit", True),
    "skills": DefinitionKind("skill", "skills", "pdf", False),
    "plugins": DefinitionKind("plugin", "plugins", "orchestrate", False),
}


class BoundCommand:
    """A verb of one kind, with the attributes of a command module."""

    def __init__(self, group: str, module: Any) -> None:
        self._kind, self._module = KINDS[group], module
        self.EXAMPLES: tuple[tuple[str, str], ...] = module.examples(self._kind)
        self.DESCRIPTION: str = module.description(self._kind)

    def register(self, parser: argparse.ArgumentParser) -> None:
        self._module.register(parser, self._kind)

    def run(self, args: argparse.Namespace) -> int:
        code: int = self._module.run(args, self._kind)
        return code


def current_folder() -> str:
    """The working directory, or the root if it was removed."""
    try:
        return os.getcwd()
    except OSError:
        return os.sep


def list_of_kind(kind: DefinitionKind, settings: Settings) -> list[Definition]:
    """Agents, playbooks or skills; plugins have their own type."""
    if kind.singular == "skill":
        from lionstudio.files.definitions.plugins import list_skills
        from lionstudio.files.definitions.search_paths import claude_folder

        return list_skills(settings.home, current_folder(), claude_folder())
    from lionstudio.files.definitions.catalog import list_definitions

    return list_definitions(kind.singular, settings.home, current_folder())


def get_of_kind(kind: DefinitionKind, name: str, settings: Settings) -> Definition:
    if kind.singular != "skill":
        from lionstudio.files.definitions.catalog import get_definition

        return get_definition(kind.singular, name, settings.home, current_folder())
    from lionstudio.errors import NotFound

    for definition in list_of_kind(kind, settings):
        if definition.name == name:
            return definition
    raise NotFound(f"skill {name!r:.100} not found", hint="li skills ls")


def folders_of(kind: DefinitionKind, settings: Settings) -> list[str]:
    """The folders that are searched for a kind, in order."""
    from lionstudio.files.definitions import search_paths

    claude = search_paths.claude_folder()
    plugin_folders = [place.path for place in search_paths.plugin_paths(settings.home, claude)]
    if kind.singular == "plugin":
        return plugin_folders
    if kind.singular == "skill":
        places = search_paths.skill_paths(settings.home, current_folder(), claude)
        return [os.path.join(place.path, "skills") for place in places] + plugin_folders
    places = search_paths.definition_paths(settings.home, current_folder())
    return [os.path.join(place.path, kind.plural) for place in places]


def plugins(settings: Settings) -> list[Plugin]:
    from lionstudio.files.definitions.plugins import list_plugins
    from lionstudio.files.definitions.search_paths import claude_folder

    return list_plugins(settings.home, claude_folder()).plugins


def plugin(name: str, settings: Settings) -> Plugin:
    from lionstudio.files.definitions.plugins import get_plugin
    from lionstudio.files.definitions.search_paths import claude_folder

    return get_plugin(name, settings.home, claude_folder())
