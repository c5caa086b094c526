"""The runs that a person can start from a folder: agents, providers, playbooks, and what each cannot do."""

from __future__ import annotations

import os
from collections.abc import Iterable
from shutil import which
from typing import Any

from lionstudio.files.definitions.agents import Agent
from lionstudio.files.definitions.catalog import Definition, list_definitions
from lionstudio.files.definitions.playbooks import INPUT, Playbook
from lionstudio.model.providers import PROVIDERS, ProviderEntry, find_provider
from lionstudio.runs.environment import agent_environment
from lionstudio.settings import Settings
from lionstudio.state.runs.recent_requests import RecentRequest
from lionstudio.system.sandbox.bwrap import find_bwrap

_WITH_COMMAND = ("acp", "command")  # the program is in a definition or on a command line
_MOST_FOLDERS = 12
_MOST_MODELS = 12


def list_choices(settings: Settings, folder: str | None, recent: list[RecentRequest]) -> dict[str, Any]:
    """What can be started from a folder; without one, from the folder of the newest run that still exists."""
    folders = list(dict.fromkeys(run.cwd for run in recent if run.cwd and os.path.isdir(run.cwd)))[:_MOST_FOLDERS]
    home = os.path.expanduser("~")
    path = os.path.expanduser(folder) if folder else (folders[0] if folders else home)
    problem = folder_problem(path)
    base = home if problem else path
    definitions = {kind: list_definitions(kind, settings.home, base) for kind in ("agent", "playbook")}
    search = agent_environment(os.environ, session_id="", settings=settings).get("PATH")
    return {
        "folder": {"path": path, "problem": problem, "is_repository": os.path.lexists(os.path.join(path, ".git"))},
        "folders": folders,
        "agents": [
            *(_agent(item) for item in definitions["agent"] if item.shadowed_by is None),
            *(_provider(entry, search) for entry in PROVIDERS.values() if entry.name not in _WITH_COMMAND),
        ],
        "playbooks": [_playbook(item) for item in definitions["playbook"] if item.shadowed_by is None],
        "models": {name: _models(name, recent) for name in PROVIDERS},
        "sandbox_problem": find_bwrap().problem,
    }


def folder_problem(path: str) -> str | None:
    """Why an agent cannot work in a folder, None when it can."""
    if not os.path.isabs(path):
        return "Write the whole path, from / or ~"
    if not os.path.isdir(path):
        return "This folder does not exist" if not os.path.lexists(path) else "This is not a folder"
    return None if os.access(path, os.R_OK | os.X_OK) else "This folder cannot be read"


def _agent(item: Definition) -> dict[str, Any]:
    agent = item.value if isinstance(item.value, Agent) else None
    provider = None
    if agent is not None:
        provider = find_provider(agent.provider or (agent.model or "").partition("/")[0])
    return {
        "name": item.name,
        "kind": "agent",
        "description": item.value.description if item.value is not None else None,
        "provider": provider and provider.name,
        "model": agent and agent.model,
        "permissions": agent and agent.permissions,
        "problem": item.error,
        "abilities": _abilities(provider),
    }


def _provider(entry: ProviderEntry, search: str | None) -> dict[str, Any]:
    program = which(entry.name, path=search) if entry.install else None
    problem = (
        f"{entry.name} was not found on the PATH of Studio: {entry.install}" if entry.install and not program else None
    )
    return {
        "name": entry.name,
        "kind": "provider",
        "description": _DESCRIPTIONS.get(entry.name),
        "provider": entry.name,
        "model": None,
        "permissions": None,
        "program": program,
        "problem": problem,
        "needs_model": bool(entry.usage),
        "abilities": _abilities(entry),
    }


_DESCRIPTIONS = {
    "claude": "Claude Code",
    "codex": "Codex",
    "openai": "A server with an OpenAI-compatible API",
    "script": "Executes the lines of the prompt; needs no account",
}


def _abilities(entry: ProviderEntry | None) -> list[str]:
    return sorted(entry.abilities) if entry is not None else []


def _playbook(item: Definition) -> dict[str, Any]:
    playbook = item.value if isinstance(item.value, Playbook) else None
    return {
        "name": item.name,
        "description": playbook and playbook.description,
        "agents": list(playbook.agents) if playbook else [],
        "args": [arg._asdict() for arg in playbook.args] if playbook else [],
        "takes_input": playbook is not None and f"{{{INPUT}}}" in playbook.prompt,
        "problem": item.error,
    }


def _models(provider: str, recent: Iterable[RecentRequest]) -> list[str]:
    names = dict.fromkeys(run.model for run in recent if run.provider == provider and run.model)
    return list(names)[:_MOST_MODELS]
