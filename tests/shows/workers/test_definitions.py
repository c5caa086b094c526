"""Definitions of a show on the machine of a worker."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.support.builders import read, write

from lionstudio.errors import InvalidInput
from lionstudio.files.definitions import trust
from lionstudio.files.definitions.catalog import Definition, find_definition
from lionstudio.model.shows.plan import Plan, PlannedPlay
from lionstudio.runs.prepare.resolve import resolve_agent
from lionstudio.settings import load_settings
from lionstudio.shows.workers.definitions import find_definitions, make_definitions, store_definitions
from lionstudio.state.database import Database
from lionstudio.state.definitions import list_versions

AGENT = "---\nprovider: script\n---\n{}\n"


def agent_file(folder: Path, name: str, text: str) -> Path:
    path = folder / "agents" / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(AGENT.format(text))
    return path


def plan_of(repo: Path, agent: str) -> Plan:
    return Plan(topic="calc", repo=str(repo), plays=(PlannedPlay(name="add", agent=agent),))


def found(repo: Path, home: Path, agent: str) -> list[Definition]:
    settings = load_settings(environ={"LIONAGI_HOME": str(home)}, cwd=str(repo))
    return find_definitions(plan_of(repo, agent), settings)


def test_make_definitions_is_trusted_in_every_thread_that_makes_them(path: str, tmp_path: Path) -> None:
    agents = tmp_path / "author" / "agents"
    agents.mkdir(parents=True)
    names = [f"agent{number}" for number in range(20)]
    for name in names:
        (agents / f"{name}.md").write_text("---\nprovider: script\n---\nYou help.\n")
    definitions = [find_definition("agent", name, str(tmp_path / "author"), str(tmp_path)) for name in names]
    home = str(tmp_path / "worker")
    with Database(path) as database:
        references = write(database, store_definitions, [one for one in definitions if one is not None])

        def make(_: int) -> str | None:
            project = make_definitions(references, database, home)
            return trust.find_refusal(home, os.path.join(project, trust.FOLDER))

        with ThreadPoolExecutor(8) as threads:
            refusals = set(threads.map(make, range(8)))

    assert (len(references), refusals) == (20, {None})


def test_find_definitions_refuses_a_link_out_of_a_trusted_project(tmp_path: Path) -> None:
    private = tmp_path / "private.md"
    private.write_text(AGENT.format("my diary"))
    project, home = tmp_path / "repo" / ".lionagi", tmp_path / "home"
    (project / "agents").mkdir(parents=True)
    (project / "agents" / "helper.md").symlink_to(private)
    home.mkdir()
    trust.trust(str(home), str(project), trust.read_content(str(project)).digest)

    with pytest.raises(InvalidInput, match="helper cannot be used"):
        found(tmp_path / "repo", home, "helper")


def test_store_definitions_stores_the_text_that_was_checked(path: str, tmp_path: Path) -> None:
    file = agent_file(tmp_path / "home", "helper", "You help.")
    definitions = found(tmp_path, tmp_path / "home", "helper")
    file.write_text(AGENT.format("You do something else."))

    with Database(path) as database:
        (reference,) = write(database, store_definitions, definitions)
        (version,) = read(database, list_versions, "agent", "helper")

    assert (version.content, version.sha256) == (AGENT.format("You help."), reference["sha256"])


def test_store_definitions_refuses_a_secret_at_once(path: str, tmp_path: Path) -> None:
    agent_file(tmp_path / "home", "helper", "Use ghp_0123456789abcdefghijABCDEFGHIJ012345.")
    definitions = found(tmp_path, tmp_path / "home", "helper")

    with Database(path) as database:
        for _ in range(2):
            with pytest.raises(InvalidInput, match="holds a secret"):
                write(database, store_definitions, definitions)
        assert read(database, list_versions, "agent", "helper") == []


def test_made_definitions_are_the_only_ones(path: str, tmp_path: Path) -> None:
    """Those of the worker's home would be used instead of what came with the show, also in place of a provider."""
    agent_file(tmp_path / "author", "helper", "of the author")
    home = tmp_path / "worker"
    agent_file(home, "helper", "of the worker")
    agent_file(home, "claude", "of the worker")
    agent_file(home, "other", "of the worker")
    with Database(path) as database:
        references = write(database, store_definitions, found(tmp_path, tmp_path / "author", "helper"))
        project = make_definitions(references, database, str(home))
        empty = make_definitions([], database, str(home))
    settings = load_settings(environ={"LIONAGI_HOME": str(home)}, cwd=project)

    assert resolve_agent("helper", settings, project).system == "of the author"
    assert resolve_agent("claude", settings, project).agent_name is None
    assert find_definition("agent", "other", str(home), project) is None
    assert find_definition("agent", "helper", str(home), empty) is None
    assert resolve_agent("helper", settings, str(tmp_path)).system == "of the worker"
