"""Agents and playbooks of a show on many machines: rows with their digest, and the folder that a worker makes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lionstudio.errors import InvalidInput, LionError, NotFound
from lionstudio.files.definitions import trust
from lionstudio.files.definitions.catalog import Definition, find_definition, load_value, path_for
from lionstudio.files.definitions.search_paths import SHOW_DEFINITIONS
from lionstudio.model.providers import find_provider
from lionstudio.model.redaction.process import redactor
from lionstudio.model.shows.plan import Plan
from lionstudio.runs.prepare.playbook_steps import get_playbook
from lionstudio.settings import Settings
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.definitions import list_versions, save_version
from lionstudio.system.atomic_write import make_folder, write_text
from lionstudio.system.filelock import locked
from lionstudio.system.safe_read import read_text

Reference = dict[str, str]


def find_definitions(plan: Plan, settings: Settings) -> list[Definition]:
    """Find the agents and playbooks that a plan names, and the agents that its playbooks name."""
    folder = plan.repo or os.getcwd()
    gates = [*plan.gates, *plan.final_gates, *(gate for play in plan.plays for gate in play.gates or ())]
    agents = [plan.agent, *(play.agent for play in plan.plays), *(gate.agent for gate in gates)]
    definitions: dict[str, Definition] = {}
    for name in dict.fromkeys(play.playbook for play in plan.plays if play.playbook):
        definition = find_definition("playbook", name, settings.home, folder)
        if definition is None:
            raise NotFound(f"playbook {name} not found", hint="li playbooks ls")
        definitions[f"playbook/{name}"] = definition
        agents += _agents_of_playbook(name, settings, folder)
    for name in dict.fromkeys(agent for agent in agents if agent):
        if "/" not in name and find_provider(name) is None:
            definition = find_definition("agent", name, settings.home, folder)
            if definition is not None:
                load_value(definition)  # refused, where its file may not be read: it is a link out of its project
                definitions[f"agent/{name}"] = definition
    return list(definitions.values())


def _agents_of_playbook(name: str, settings: Settings, folder: str) -> Iterator[str]:
    playbook = get_playbook(name, settings, folder)
    steps = playbook.options.get("steps")
    fields = [step for step in steps.values() if isinstance(step, dict)] if isinstance(steps, dict) else []
    targets: list[Any] = [*playbook.agents, playbook.options.get("model"), playbook.options.get("with_synthesis")]
    targets += [step.get(key) for step in fields for key in ("agent", "model")]
    yield from (target for target in targets if isinstance(target, str))


def store_definitions(conn: Connection, definitions: Sequence[Definition]) -> list[Reference]:
    """Store the texts as versions, and return what orders name: kind, name and digest."""
    references = []
    for definition in definitions:
        text = definition.text or ""  # as it was checked; its file may be another one by now
        if redactor().text(text) != text:
            raise InvalidInput(
                f"{definition.kind} {definition.name} holds a secret, which no row stores",
                hint="name a variable with pass_env instead of its value",
            )
        version = save_version(conn, definition.kind, definition.key, text, path=definition.path)
        references.append(
            {"kind": definition.kind, "name": definition.name, "key": definition.key, "sha256": version.sha256}
        )
    return references


def make_definitions(references: Sequence[Mapping[str, Any]], database: Database, home: str) -> str:
    """Make a folder with exactly these definitions, and return it; a project with the same digests is one folder."""
    digest = hashlib.sha256(
        "".join(sorted(f"{ref['kind']}/{ref['name']}:{ref['sha256']}\n" for ref in references)).encode()
    )
    project = os.path.join(home, SHOW_DEFINITIONS, digest.hexdigest()[:32])
    folder = os.path.join(project, trust.FOLDER)
    with locked(f"{project}.lock"):  # the orders of a show begin at once, and half of a folder must not be trusted
        make_folder(folder)
        for reference in references:
            path = path_for(str(reference["kind"]), str(reference["name"]), folder)
            if not _has_digest(path, str(reference["sha256"])):
                make_folder(os.path.dirname(path))
                write_text(path, _text_of(reference, database))
        if references and trust.find_refusal(home, folder) is not None:
            trust.trust(home, folder, trust.read_content(folder).digest)
    return project


def _text_of(reference: Mapping[str, Any], database: Database) -> str:
    kind, key, digest = (str(reference[name]) for name in ("kind", "key", "sha256"))
    versions = database.read(lambda conn: list_versions(conn, kind, key))
    text = next((version.content for version in versions if version.sha256 == digest), None)
    if text is None or hashlib.sha256(text.encode()).hexdigest() != digest:
        raise NotFound(f"{kind} {key} with the digest {digest[:12]} is not on the hub", hint="start the show again")
    return text


def _has_digest(path: str, digest: str) -> bool:
    try:
        return hashlib.sha256(read_text(path).encode()).hexdigest() == digest
    except (LionError, OSError):
        return False
