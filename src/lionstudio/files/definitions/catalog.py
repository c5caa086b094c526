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
from lionstudio.files.definitions.search_paths import SearchPath, definition_paths, project_paths
from lionstudio.files.definitions.skills import Skill
from lionstudio.files.definitions.trust import read_trusted
from lionstudio.files.formats.field_rules import Problem, error, to_problem
from lionstudio.model.providers import PROVIDER_NAMES
from lionstudio.system.filenames import check_name, fault_of_name, shown
from lionstudio.system.safe_read import FolderEntry, is_within, list_folder, may_exist, read_text

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
        if place.refused is not None or _is_reserved(kind, name, place):
            continue
        for path, candidate, root in _candidates(kind, place):
            if _normalize(candidate) == wanted and fault_of_name(candidate) is None:
                return read_definition(kind, candidate, path, place, root)
    return None


def find_untrusted(kind: str, name: str, home: str, cwd: str) -> SearchPath | None:
    """Find a project that has a definition by file name and is not trusted; no file of it is read."""
    wanted = _normalize(check_name(name))
    for place in project_paths(home, cwd):
        if place.hint is None or _is_reserved(kind, name, place):
            continue
        try:
            names = [candidate for _, candidate, _ in _candidates(kind, place)]
        except LionError:
            continue
        if wanted in map(_normalize, names):
            return place
    return None


def untrusted_error(kind: str, name: str, place: SearchPath) -> InvalidInput:
    return InvalidInput(
        f"{kind} {name} is only in {shown(place.path)}, which is not used: {place.refused}",
        hint=f"read its files, then run: {place.hint}",
    )


def _is_reserved(kind: str, name: str, place: SearchPath) -> bool:
    """Whether the name is a provider's: a project must not take the place of `claude`."""
    return kind == "agent" and place.origin == "project" and name.lower().replace("-", "_") in PROVIDER_NAMES


def get_definition(kind: str, name: str, home: str, cwd: str) -> Definition:
    definition = find_definition(kind, name, home, cwd)
    if definition is None:
        if (place := find_untrusted(kind, name, home, cwd)) is not None:
            raise untrusted_error(kind, name, place)
        folders = ", ".join(os.path.join(place.path, FOLDERS[kind]) for place in definition_paths(home, cwd))
        raise NotFound(f"{kind} {name} does not exist in {shown(folders)}", hint=f"li {FOLDERS[kind]} ls")
    return definition


def load_value(definition: Definition) -> Value:
    """Return the parsed agent or playbook; InvalidInput when it has errors."""
    if definition.value is None or definition.error is not None:
        raise InvalidInput(
            f"the {definition.kind} {definition.name} cannot be used: {definition.error}",
            hint=f"li {definition.kind}s validate {definition.name}",
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
    if _is_reserved(kind, name, place):
        return entry._replace(problems=(error(None, "its name is the name of a provider", "rename it"),))
    try:
        digests = place.digests
        text = read_text(path, root=root) if digests is None else read_trusted(path, place.path, digests)
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
            yield broken_definition(kind, FOLDERS[kind], folder, place, not_read(place))
        return
    try:
        candidates = list(_candidates(kind, place))
    except LionError as refusal:
        yield broken_definition(kind, FOLDERS[kind], folder, place, to_problem(refusal, folder))
        return
    for path, name, root in candidates:
        yield read_definition(kind, name, path, place, root)


def not_read(place: SearchPath) -> Problem:
    """The problem of a folder that is refused; the message has the command, because lists show no hints."""
    if place.hint is None:
        return error(None, f"not read: {place.refused}", "copy the folder to your own")
    return error(None, f"not read: {place.refused}; to use it, run: {place.hint}", place.hint)


Candidate = tuple[str, str, str | None]  # path, name, and the folder that links must not leave


def _candidates(kind: str, place: SearchPath) -> Iterator[Candidate]:
    """Yield every possible definition in lookup order: folders before files. Links stay in a project's folder."""
    folder = os.path.join(place.path, FOLDERS[kind])
    # users link files of their home to anywhere; a repository must not make us read the user's other files
    root = place.path if place.origin == "project" else None
    if root is not None and not is_within(folder, root):
        raise InvalidInput(f"{shown(folder)} is a symbolic link that leads out of {shown(root)}", hint="remove it")
    items = list_folder(folder)
    if kind == "agent":
        yield from _folder_agents(items, root)
    for item in items:
        suffix = next((suffix for suffix in SUFFIXES[kind] if item.name.endswith(suffix)), None)
        name = item.name.removesuffix(suffix) if suffix else ""
        if name and not name.startswith(".") and name.lower() not in _NO_DEFINITION:
            yield item.path, name, root


def _folder_agents(items: list[FolderEntry], root: str | None) -> Iterator[Candidate]:
    """Yield agents/<name>/<name>.md; a folder without that file is not an agent."""
    for item in items:
        path = os.path.join(item.path, f"{item.name}.md")
        if item.folder and not item.name.startswith(".") and not item.name.endswith(".md") and may_exist(path):
            # not even the home links a folder to anywhere
            yield path, item.name, os.path.dirname(item.path) if item.link else root


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
        if isinstance(value, Playbook) and fields is not None:
            fields["artifacts"] = [artifact._asdict() for artifact in value.artifacts]
        data |= {"text": definition.text, "fields": fields}
    return data
