"""Check a run before its process starts, so that the page shows an error at the field that caused it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from lionstudio.agents.provider import Task, get_provider
from lionstudio.errors import InvalidInput, LionError
from lionstudio.files.definitions.playbooks import bind
from lionstudio.runs.environment import agent_environment
from lionstudio.runs.prepare.playbook_steps import get_playbook
from lionstudio.runs.prepare.resolve import ResolvedAgent, resolve_agent
from lionstudio.settings import Settings
from lionstudio.studio.launch.choices import folder_problem
from lionstudio.studio.launch.policy import RUNS, run_argv
from lionstudio.system.sandbox.bwrap import why_not_confined


def check_run(settings: Settings, verb: str, target: str | None, prompt: str, options: Mapping[str, Any]) -> None:
    """Raise the error of an agent or playbook run that cannot start; its `field` is the one that caused it."""
    if verb not in RUNS:
        return
    with _about("cwd"):
        if (cwd := options.get("cwd")) is not None and (problem := folder_problem(str(cwd))) is not None:
            raise InvalidInput(f"{problem}: {str(cwd)[:200]}", hint="choose an existing folder")
    run_argv(verb, target, options, "session")
    with _about("sandbox"):
        why_not_confined(str(options.get("sandbox") or "off"))
    folder = str(options.get("cwd") or os.getcwd())
    if verb == "agent":
        _check_agent(settings, str(target), prompt, options, folder)
    elif verb == "play":
        _check_playbook(settings, str(target), options, folder)


def _check_agent(settings: Settings, target: str, prompt: str, options: Mapping[str, Any], folder: str) -> None:
    with _about("target"):
        agent = resolve_agent(target, settings, folder)
    with _about("prompt"):
        if not prompt.strip():
            raise InvalidInput("the prompt is empty", hint="write what the agent shall do")
    model = options.get("model") or agent.model
    with _about(_checked_field(agent, model)):
        get_provider(agent.provider).check(
            Task(
                prompt=prompt,
                cwd=folder,
                env=agent_environment(os.environ, session_id="", settings=settings, also=agent.pass_env),
                model=None if model is None else str(model),
                system=agent.system,
                tools=agent.tools,
                permissions=agent.permissions,
                options=agent.options,
            )
        )


def _checked_field(agent: ResolvedAgent, model: Any) -> str:
    if agent.provider == "script":
        return "prompt"
    return "model" if agent.provider == "openai" and not model else "target"


def _check_playbook(settings: Settings, target: str, options: Mapping[str, Any], folder: str) -> None:
    with _about("target"):
        playbook = get_playbook(target, settings, folder)
    with _about("agent"):
        if options.get("agent"):
            resolve_agent(str(options["agent"]), settings, folder)
    values = dict(str(text).partition("=")[::2] for text in options.get("arg", ()))
    for arg in playbook.args:
        with _about(f"arg.{arg.name}"):
            bind(playbook._replace(args=(arg,)), {name: text for name, text in values.items() if name == arg.name})
    bind(playbook, values)


@contextmanager
def _about(field: str) -> Iterator[None]:
    try:
        yield
    except LionError as error:
        error.field = error.field or field
        raise
