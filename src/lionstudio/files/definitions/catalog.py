"""Agents, playbooks, skills and plugins as they lie on the disk: every list is whole, a bad item is one entry.

Nothing here writes or runs anything. The first definition of a name counts, later ones are shadowed by it.
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
_NO_DEFINITION = {"readme"}  # what people put beside definitions


class Definition(NamedTuple):
    """One definition, or one item that cannot be used; then `error` says why."""

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
        """Why it cannot be used, None when it can."""
        wrong = next((problem for problem in self.problems if problem.severity == "error"), None)
        if wrong is None:
            return None
        return wrong.message if wrong.line is None else f"line {wrong.line}: {wrong.message}"

    @property
    def key(self) -> str:
        """The name under which its history is kept: those of a project are told apart from those of the home."""
        return key_of(self.name, self.place)


def key_of(name: str, place: SearchPath) -> str:
    """The name of a definition in the history."""
    if place.origin == "home":
        return name
    project = os.path.dirname(os.path.realpath(place.path))
    mark = hashlib.sha256(os.fsencode(project)).hexdigest()[:8]
    return f"{name}@{shown(os.path.basename(project))[:60]}-{mark}"


def list_definitions(kind: str, home: str, cwd: str) -> list[Definition]:
    """Every agent or playbook that can be seen from a folder, by name."""
    found = [each for place in definition_paths(home, cwd) for each in _in_place(kind, place)]
    return mark_shadowed(found)


def find_definition(kind: str, name: str, home: str, cwd: str) -> Definition | None:
    """The definition that a name stands for; dashes and underscores are the same."""
    wanted = _spelled(check_name(name))
    for place in definition_paths(home, cwd):
        if place.refused is not None:
            continue
        for path, found, root in _candidates(kind, place):
            if _spelled(found) == wanted and fault_of_name(found) is None:
                return read_definition(kind, found, path, place, root)
    return None


def get_definition(kind: str, name: str, home: str, cwd: str) -> Definition:
    """The definition that a name stands for; NotFound otherwise."""
    found = find_definition(kind, name, home, cwd)
    if found is None:
        folders = ", ".join(os.path.join(place.path, FOLDERS[kind]) for place in definition_paths(home, cwd))
        raise NotFound(f"there is no {kind} {name} in {shown(folders)}", hint=f"`li {FOLDERS[kind]} ls` lists them")
    return found


def load_value(definition: Definition) -> Value:
    """The agent or playbook itself, for whoever wants to use it; InvalidInput when it has errors."""
    if definition.value is None or definition.error is not None:
        raise InvalidInput(
            f"the {definition.kind} {definition.name} cannot be used: {definition.error}",
            hint=f"`li {definition.kind}s validate {definition.name}` says what to do",
        )
    return definition.value


def path_for(kind: str, name: str, home: str) -> str:
    """Where a new definition of the home is written."""
    return os.path.join(home, FOLDERS[kind], check_name(name) + SUFFIXES[kind][0])


def read_definition(kind: str, name: str, path: str, place: SearchPath, root: str | None = None) -> Definition:
    """Read and check one file; whatever is wrong with it becomes problems of the entry."""
    entry = Definition(kind, shown(name), path, place)
    wrong = fault_of_name(name)
    if wrong is not None and kind != "skill":
        return entry._replace(problems=(error(None, f"its name {wrong}", "rename it"),))
    try:
        text = read_text(path, root=root)
    except LionError as refused:
        return entry._replace(problems=(to_problem(refused, path),))
    return parse_definition(entry._replace(text=text, sha256=hashlib.sha256(text.encode()).hexdigest()), text)


def parse_definition(entry: Definition, text: str) -> Definition:
    """The entry with what its text says."""
    if not text.strip():
        return entry._replace(problems=(error(None, "it is empty", "write it, or remove it"),))
    try:
        value, found = PARSERS[entry.kind](entry.name, text)
    except LionError as refused:
        return entry._replace(problems=(to_problem(refused),))
    return entry._replace(value=value, problems=tuple(found[:MOST_PROBLEMS]))


def broken_definition(kind: str, name: str, path: str, place: SearchPath, reason: Problem) -> Definition:
    """An entry for something that is no definition."""
    return Definition(kind, shown(name), path, place, problems=(reason,))


def mark_shadowed(found: list[Definition]) -> list[Definition]:
    """Sorted by name; of several with one name, the first counts."""
    first: dict[str, str] = {}
    marked = []
    for each in found:
        seen = first.setdefault(_spelled(each.name), each.path)
        marked.append(each if seen == each.path else each._replace(shadowed_by=seen))
    return sorted(marked, key=lambda each: each.name)


def _spelled(name: str) -> str:
    return name.replace("_", "-")


def _in_place(kind: str, place: SearchPath) -> Iterator[Definition]:
    folder = os.path.join(place.path, FOLDERS[kind])
    if place.refused is not None:
        if os.path.isdir(folder):
            yield broken_definition(
                kind, FOLDERS[kind], folder, place, error(None, f"not read: {place.refused}", "copy it")
            )
        return
    try:
        candidates = list(_candidates(kind, place))
    except LionError as refused:
        yield broken_definition(kind, FOLDERS[kind], folder, place, to_problem(refused, folder))
        return
    for path, name, root in candidates:
        yield read_definition(kind, name, path, place, root)


Candidate = tuple[str, str, str | None]  # path, name, and the folder that its links must not leave


def _candidates(kind: str, place: SearchPath) -> Iterator[Candidate]:
    """Everything that is or claims to be a definition; folders before files, as they are looked up."""
    items = list_folder(os.path.join(place.path, FOLDERS[kind]))
    if kind == "agent":
        yield from _folder_agents(items)
    for item in items:
        suffix = next((each for each in SUFFIXES[kind] if item.name.endswith(each)), None)
        name = item.name.removesuffix(suffix) if suffix else ""
        if name and not name.startswith(".") and name.lower() not in _NO_DEFINITION:
            yield item.path, name, None


def _folder_agents(items: list[FolderEntry]) -> Iterator[Candidate]:
    """agents/<name>/<name>.md; a folder without such a file is something else."""
    for item in items:
        path = os.path.join(item.path, f"{item.name}.md")
        if item.folder and not item.name.startswith(".") and not item.name.endswith(".md") and may_exist(path):
            # a file may be a link to anywhere, a folder may not
            yield path, item.name, os.path.dirname(item.path) if item.link else None


def to_dict(definition: Definition, *, whole: bool = False) -> dict[str, Any]:
    """The shape that the command line and Studio show; `whole` adds the text and what it says."""
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
        fields = None if value is None else {key: each for key, each in value._asdict().items() if key not in data}
        data |= {"text": definition.text, "fields": fields}
    return data
