"""Codex as an agent: `codex exec`, one prompt per run, its records read while it works."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing

from lionstudio.agents.codex.rollout import Rollouts
from lionstudio.agents.codex.stream import CodexStreamReader
from lionstudio.agents.events import Event
from lionstudio.agents.jsonl_process import stream
from lionstudio.agents.preflight import check_request, check_system_fits, extra_arguments, prompt_of
from lionstudio.agents.provider import Provider, Task
from lionstudio.errors import InvalidInput
from lionstudio.model.providers import PROVIDERS
from lionstudio.system.program import Program, find_program

_PERMISSIONS: Mapping[str, str] = {
    "ask": "--sandbox=read-only",  # without a terminal, an action that needs permission is denied
    "edit": "--sandbox=workspace-write",
    "all": "--dangerously-bypass-approvals-and-sandbox",
}


def provider() -> Provider:
    return Codex()


class Codex:
    name = "codex"

    def check(self, task: Task) -> None:
        check_request(task)
        if task.tools is not None:
            raise InvalidInput(
                "codex does not support `tools`", hint="remove `tools` and set `permissions` to ask, edit or all"
            )
        check_system_fits(task)
        find_program("codex", task.env, PROVIDERS[self.name].install)

    async def run(self, task: Task) -> AsyncIterator[Event]:
        argv = [find_program("codex", task.env, PROVIDERS[self.name].install), *arguments(task)]
        program = Program(argv, cwd=task.cwd, env=task.env, stdin=prompt_of(task))
        async with aclosing(
            stream(program, CodexStreamReader(Rollouts(home_of(task.env)), resumed=task.resume, model=task.model))
        ) as events:
            async for event in events:
                yield event


def arguments(task: Task) -> list[str]:
    """The arguments for a task; the program reads the prompt from stdin."""
    argv = ["exec", "--json", "--skip-git-repo-check", f"--cd={task.cwd}"]
    if task.model:
        argv.append(f"--model={task.model}")
    if task.permissions is not None:
        argv.append(_PERMISSIONS[task.permissions])
    if task.effort:
        argv.append(f"--config=model_reasoning_effort={_toml(task.effort)}")
    if task.system:
        argv.append(f"--config=developer_instructions={_toml(task.system)}")
    argv += extra_arguments(task)
    if task.resume:
        argv += ["fork" if task.options.get("fork") else "resume", task.resume]
    return [*argv, "-"]


def home_of(env: Mapping[str, str]) -> str:
    """The home of Codex, with its conversations."""
    return env.get("CODEX_HOME") or os.path.join(env.get("HOME") or os.path.expanduser("~"), ".codex")


def _toml(text: str) -> str:
    """A TOML string: JSON but for one character."""
    clean = text.encode("utf-8", "backslashreplace").decode()
    return json.dumps(clean, ensure_ascii=False).replace("\x7f", "\\u007f")
