"""The four kinds of definitions: what they are called, and how to list and find them."""

from __future__ import annotations

import os
from typing import NamedTuple

from lionstudio.settings import Settings

TYPE_CHECKING = False  # the one in typing is slow to load
if TYPE_CHECKING:
    from lionstudio.files.definitions.catalog import Definition
    from lionstudio.files.definitions.plugins import Plugin


class Kind(NamedTuple):
    """A kind of definition; `one` is its word, `many` the group of commands."""

    one: str
    many: str
    example: str
    edited: bool  # whether we keep its history


NOUNS = {
    "agents": Kind("agent", "agents", "reviewer", True),
    "playbooks": Kind("playbook", "playbooks", "audit", True),
    "skills": Kind("skill", "skills", "pdf", False),
    "plugins": Kind("plugin", "plugins", "orchestrate", False),
}


def here() -> str:
    """The folder of this command; nothing is above one that was removed."""
    try:
        return os.getcwd()
    except OSError:
        return os.sep


def listed(noun: Kind, settings: Settings) -> list[Definition]:
    """Every definition of a kind; plugins have a shape of their own."""
    if noun.one == "skill":
        from lionstudio.files.definitions.plugins import list_skills
        from lionstudio.files.definitions.search_paths import claude_folder

        return list_skills(settings.home, here(), claude_folder())
    from lionstudio.files.definitions.catalog import list_definitions

    return list_definitions(noun.one, settings.home, here())


def got(noun: Kind, name: str, settings: Settings) -> Definition:
    """The definition of a name; NotFound otherwise."""
    if noun.one != "skill":
        from lionstudio.files.definitions.catalog import get_definition

        return get_definition(noun.one, name, settings.home, here())
    from lionstudio.errors import NotFound

    for each in listed(noun, settings):
        if each.name == name:
            return each
    raise NotFound(f"there is no skill {name!r:.100}", hint="`li skills ls` lists them")


def places_of(noun: Kind, settings: Settings) -> list[str]:
    """Where a kind is looked for."""
    from lionstudio.files.definitions import search_paths

    claude = search_paths.claude_folder()
    if noun.one == "plugin":
        return [place.path for place in search_paths.plugin_paths(settings.home, claude)]
    if noun.one == "skill":
        found = [
            os.path.join(place.path, "skills") for place in search_paths.skill_paths(settings.home, here(), claude)
        ]
        return found + [place.path for place in search_paths.plugin_paths(settings.home, claude)]
    return [os.path.join(place.path, noun.many) for place in search_paths.definition_paths(settings.home, here())]


def plugins(settings: Settings) -> list[Plugin]:
    """Every plugin."""
    from lionstudio.files.definitions.plugins import list_plugins
    from lionstudio.files.definitions.search_paths import claude_folder

    return list_plugins(settings.home, claude_folder()).plugins


def plugin(name: str, settings: Settings) -> Plugin:
    """The plugin of a name; NotFound otherwise."""
    from lionstudio.files.definitions.plugins import get_plugin
    from lionstudio.files.definitions.search_paths import claude_folder

    return get_plugin(name, settings.home, claude_folder())
