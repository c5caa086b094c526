"""Codex as an agent: `codex app-server` where a person can take part, else `codex exec`.

`codex exec` stays for a reviewer, because only it can ignore the rules of the material, for a run without a dialog, and
for arguments that only it has.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, suppress

from lionstudio.agents.codex.app_server import CodexConversation, thread_settings
from lionstudio.agents.codex.rollout import Rollouts
from lionstudio.agents.codex.stream import CodexStreamReader
from lionstudio.agents.codex.thread_items import ThreadReader
from lionstudio.agents.dialog import TAKES_MESSAGES
from lionstudio.agents.events import Event, MetadataEvent
from lionstudio.agents.json_rpc import AgentConnection, AgentError, ConnectionClosed
from lionstudio.agents.jsonl_process import stream
from lionstudio.agents.preflight import check_request, check_system_fits, extra_arguments, prompt_of
from lionstudio.agents.provider import Provider, Task
from lionstudio.errors import InvalidInput
from lionstudio.model.providers import PROVIDERS
from lionstudio.system.program import Program, find_program

_SANDBOXES: Mapping[str, str] = {
    "ask": "read-only",  # without a person, an action that needs permission is denied
    "edit": "workspace-write",
    "all": "danger-full-access",
}
_CONFINED = "danger-full-access"  # inside our sandbox, which keeps the same bounds; see vendor_folders.py
_BYPASS = "--dangerously-bypass-approvals-and-sandbox"
_SHARED_ARGUMENTS = ("-c", "--config", "--enable", "--disable")  # of `codex exec` and `codex app-server`
_EXIT_SECONDS = 5.0  # for the last lines of the transcript
# Without them, files of the material are obeyed: AGENTS.md, and .codex with its configuration, hooks, skills and MCP.
_UNTRUSTED = (
    "--config=project_doc_max_bytes=0",
    "--config=project_root_markers=[]",
    "--config=mcp_servers={}",
    "--disable=hooks",
    "--ignore-rules",
)


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
        path = find_program("codex", task.env, PROVIDERS[self.name].install)
        async with aclosing(_converse(task, path) if is_conversation(task) else _execute(task, path)) as events:
            async for event in events:
                yield event


def is_conversation(task: Task) -> bool:
    """True if a person can take part in the run."""
    if task.dialog is None or task.untrusted_material:
        return False
    words = extra_arguments(task)
    values = {n + 1 for n, word in enumerate(words) if word in _SHARED_ARGUMENTS}
    return all(n in values or word.partition("=")[0] in _SHARED_ARGUMENTS for n, word in enumerate(words))


async def _execute(task: Task, path: str) -> AsyncGenerator[Event, None]:
    yield MetadataEvent({TAKES_MESSAGES: False})
    argv = [path, *arguments(task)]
    program = Program(argv, cwd=task.cwd, env=task.env, stdin=prompt_of(task), sandbox=task.sandbox)
    reader = CodexStreamReader(
        Rollouts(home_of(task.env)), resumed=task.resume, model=task.model, confined=task.permissions != "all"
    )
    async with aclosing(stream(program, reader)) as events:
        async for event in events:
            yield event


async def _converse(task: Task, path: str) -> AsyncGenerator[Event, None]:
    asks = task.permissions == "ask"
    settings = thread_settings(task, _sandbox(task), "on-request" if asks else "never")
    reader = ThreadReader(
        Rollouts(home_of(task.env)), resumed=task.resume, model=task.model, confined=task.permissions != "all"
    )
    argv = [path, "app-server", *extra_arguments(task)]
    if "CODEX_API_KEY" in task.env:
        argv.append('--config=cli_auth_credentials_store="ephemeral"')
    async with Program(argv, cwd=task.cwd, env=task.env, conversation=True, sandbox=task.sandbox) as program:
        conversation = CodexConversation(task, AgentConnection(program), reader, settings)
        code, last_words = 0, ""
        try:
            async with aclosing(conversation.events()) as events:
                async for event in events:
                    yield event
            program.stdin.close()  # it writes the rest of the transcript, and exits
            with suppress(TimeoutError):
                async with asyncio.timeout(_EXIT_SECONDS):
                    await program.wait()
        except AgentError as error:
            code, last_words = 1, f"{error.method}: {error}"
        except ConnectionClosed:
            code, last_words = await program.wait(), program.stderr_tail
        for held in reader.flush():
            yield held
        yield reader.ended(code, last_words)


def _sandbox(task: Task) -> str | None:
    """The sandbox of Codex itself; None for the one that its settings name."""
    permissions = "ask" if task.untrusted_material else task.permissions
    if task.sandbox is not None and (task.untrusted_material or permissions != "ask"):
        return _CONFINED
    return None if permissions is None else _SANDBOXES[permissions]


def arguments(task: Task) -> list[str]:
    """The arguments of `codex exec` for a task; it reads the prompt from stdin."""
    argv = ["exec", "--json", "--skip-git-repo-check", f"--cd={task.cwd}"]
    if task.model:
        argv.append(f"--model={task.model}")
    if (sandbox := _sandbox(task)) is not None:
        argv.append(_BYPASS if sandbox == _CONFINED and task.sandbox is None else f"--sandbox={sandbox}")
    if task.effort:
        argv.append(f"--config=model_reasoning_effort={_toml(task.effort)}")
    if task.system:
        argv.append(f"--config=developer_instructions={_toml(task.system)}")
    argv += extra_arguments(task)
    if task.untrusted_material:
        argv += [*_UNTRUSTED, f'--config=projects={{{_toml(task.cwd)}={{trust_level="untrusted"}}}}']
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
