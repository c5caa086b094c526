"""List agents, playbooks and skills on disk; a broken file is an entry with its problems.

This module only reads. The first definition of a name is used, later ones are shadowed by it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput, LionError, NotFound
from lionstudio.files.definitions import agents, playbooks, skills
from lionstudio.files.definitions.agents import Agent
from lionstudio.files.definitions.playbooks import Playbook
from lionstudio.files.definitions.search_paths import SearchPath, definition_paths
from lionstudio.files.definitions.skills import Skill
from lionstudio.files.formats.field_rules import Problem, error, to_problem
from lionstudio.system.filenames import check_name, fault_of_name, shown
from lionstudio.system.safe_read import FolderEntry, list_folder, may_exist, read_text

MOST_PROBLEMS = 50  # of one file

Value = Agent | Playbook | Skill
Parser = Callable[[str, str], tuple[Value, list[Problem]]]

PARSERS: dict[str, Parser] = {"agent": agents.parse, "playbook": playbooks.parse, "skill": skills.parse}
FOLDERS = {"agent": "agents", "playbook": "playbooks"}
SUFFIXES = {"agent": (".md",), "playbook": (".playbook.yaml", ".playbook.yml", ".yaml", ".yml")}
_NO_DEFINITION = {"readme"}  # files that people put beside definitions


class Definition(NamedTuple):
    """One definition; `error` is the reason when it cannot be used."""

    kind: str
    name: str
    path: str
    place: SearchPath
    text: str | None = None
    sha256: str | None = None
    value: Value | None = None
    problems: tuple[Problem, ...] = ()
    shadowed_by: str | None = None

    @property
    def error(self) -> str | None:
        """The first error, None when the definition can be used."""
        problem = next((problem for problem in self.problems if problem.severity == "error"), None)
        if problem is None:
            return None
        return problem.message if problem.line is None else f"line {problem.line}: {problem.message}"

    @property
    def key(self) -> str:
        """The name of its version history; definitions of projects and of the home have different ones."""
        return key_of(self.name, self.place)


def key_of(name: str, place: SearchPath) -> str:
    if place.origin == "home":
        return name
    project = os.path.dirname(os.path.realpath(place.path))
    digest = hashlib.sha256(os.fsencode(project)).hexdigest()[:8]
    return f"{name}@{shown(os.path.basename(project))[:60]}-{digest}"


def list_definitions(kind: str, home: str, cwd: str) -> list[Definition]:
    """List every agent or playbook that is visible from a folder, by name."""
    return mark_shadowed([item for place in definition_paths(home, cwd) for item in _list_in(kind, place)])


def find_definition(kind: str, name: str, home: str, cwd: str) -> Definition | None:
    """Find a definition by name; dashes and underscores are equal."""
    wanted = _normalize(check_name(name))
    for place in definition_paths(home, cwd):
        if place.refused is not None:
            continue
        for path, candidate, root in _candidates(kind, place):
            if _normalize(candidate) == wanted and fault_of_name(candidate) is None:
                return read_definition(kind, candidate, path, place, root)
    return None


def get_definition(kind: str, name: str, home: str, cwd: str) -> Definition:
    definition = find_definition(kind, name, home, cwd)
    if definition is None:
        folders = ", ".join(os.path.join(place.path, FOLDERS[kind]) for place in definition_paths(home, cwd))
        raise NotFound(f"{kind} {name} does not exist in {shown(folders)}", hint=f"`li {FOLDERS[kind]} ls` lists them")
    return definition


def load_value(definition: Definition) -> Value:
    """Return the parsed agent or playbook; InvalidInput when it has errors."""
    if definition.value is None or definition.error is not None:
        raise InvalidInput(
            f"the {definition.kind} {definition.name} cannot be used: {definition.error}",
            hint=f"`li {definition.kind}s validate {definition.name}` lists the problems",
        )
    return definition.value


def path_for(kind: str, name: str, home: str) -> str:
    """Return the path of a new definition in the home."""
    return os.path.join(home, FOLDERS[kind], check_name(name) + SUFFIXES[kind][0])


def read_definition(kind: str, name: str, path: str, place: SearchPath, root: str | None = None) -> Definition:
    """Read and check one file; its errors become problems of the entry."""
    entry = Definition(kind, shown(name), path, place)
    fault = fault_of_name(name)
    if fault is not None and kind != "skill":
        return entry._replace(problems=(error(None, f"its name {fault}", "rename it"),))
    try:
        text = read_text(path, root=root)
    except LionError as refusal:
        return entry._replace(problems=(to_problem(refusal, path),))
    return parse_definition(entry._replace(text=text, sha256=hashlib.sha256(text.encode()).hexdigest()), text)


def parse_definition(entry: Definition, text: str) -> Definition:
    if not text.strip():
        return entry._replace(problems=(error(None, "the file is empty", "write it, or remove it"),))
    try:
        value, problems = PARSERS[entry.kind](entry.name, text)
    except LionError as refusal:
        return entry._replace(problems=(to_problem(refusal),))
    return entry._replace(value=value, problems=tuple(problems[:MOST_PROBLEMS]))


def broken_definition(kind: str, name: str, path: str, place: SearchPath, reason: Problem) -> Definition:
    """Make an entry for a path that is not a definition."""
    return Definition(kind, shown(name), path, place, problems=(reason,))


def mark_shadowed(definitions: list[Definition]) -> list[Definition]:
    """Sort by name; of several with one name, all but the first are shadowed."""
    first: dict[str, str] = {}
    marked = []
    for item in definitions:
        path = first.setdefault(_normalize(item.name), item.path)
        marked.append(item if path == item.path else item._replace(shadowed_by=path))
    return sorted(marked, key=lambda item: item.name)


def _normalize(name: str) -> str:
    return name.replace("_", "-")


def _list_in(kind: str, place: SearchPath) -> Iterator[Definition]:
    folder = os.path.join(place.path, FOLDERS[kind])
    if place.refused is not None:
        if os.path.isdir(folder):
            yield broken_definition(
                kind,
                FOLDERS[kind],
                folder,
                place,
                error(None, f"not read: {place.refused}", "copy the folder to your own"),
            )
        return
    try:
        candidates = list(_candidates(kind, place))
    except LionError as refusal:
        yield broken_definition(kind, FOLDERS[kind], folder, place, to_problem(refusal, folder))
        return
    for path, name, root in candidates:
        yield read_definition(kind, name, path, place, root)


Candidate = tuple[str, str, str | None]  # path, name, and the folder that links must not leave


def _candidates(kind: str, place: SearchPath) -> Iterator[Candidate]:
    """Yield every possible definition in lookup order: folders before files."""
    items = list_folder(os.path.join(place.path, FOLDERS[kind]))
    if kind == "agent":
        yield from _folder_agents(items)
    for item in items:
        suffix = next((suffix for suffix in SUFFIXES[kind] if item.name.endswith(suffix)), None)
        name = item.name.removesuffix(suffix) if suffix else ""
        if name and not name.startswith(".") and name.lower() not in _NO_DEFINITION:
            yield item.path, name, None


def _folder_agents(items: list[FolderEntry]) -> Iterator[Candidate]:
    """Yield agents/<name>/<name>.md; a folder without that file is not an agent."""
    for item in items:
        path = os.path.join(item.path, f"{item.name}.md")
        if item.folder and not item.name.startswith(".") and not item.name.endswith(".md") and may_exist(path):
            # a file may be a link to anywhere, a folder may not
            yield path, item.name, os.path.dirname(item.path) if item.link else None


def to_dict(definition: Definition, *, whole: bool = False) -> dict[str, Any]:
    """Return the JSON of the CLI and the API; `whole` adds the text and its fields."""
    value = definition.value
    data: dict[str, Any] = {
        "kind": definition.kind,
        "name": definition.name,
        "origin": definition.place.origin,
        "path": shown(definition.path),
        "description": value.description if value is not None else None,
        "etag": definition.sha256,
        "error": definition.error,
        "problems": [problem._asdict() for problem in definition.problems],
        "shadowed_by": definition.shadowed_by and shown(definition.shadowed_by),
    }
    if isinstance(value, Agent):
        data |= {"model": value.model, "effort": value.effort}
    if isinstance(value, Playbook):
        data |= {"mode": value.mode, "agents": list(value.agents), "args": [arg._asdict() for arg in value.args]}
    if whole:
        fields = None if value is None else {key: field for key, field in value._asdict().items() if key not in data}
        data |= {"text": definition.text, "fields": fields}
    return data
