"""The tools of the provider openai: read and write files in the working folder, run a program, as permitted."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.agents.provider import Task
from lionstudio.errors import InvalidInput, LionError
from lionstudio.model.file_changes.line_diff import diff_texts
from lionstudio.model.file_changes.patches import structured
from lionstudio.system.program import Program

_MAX_OUTPUT = 200_000  # characters returned to the model; more would only fill its context
_MAX_READ = 1_000_000


def _tool(name: str, description: str, **properties: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


_TEXT = {"type": "string"}
_READ = (
    _tool("read_file", "Read a text file below the working folder.", path=_TEXT),
    _tool("list_files", "List a folder below the working folder.", path=_TEXT),
)
_EDIT = (_tool("write_file", "Write a text file below the working folder.", path=_TEXT, content=_TEXT),)
_RUN = (
    _tool(
        "run",
        "Run a program in the working folder. Not a shell: give the program and each argument separately.",
        argv={"type": "array", "items": _TEXT, "minItems": 1},
    ),
)


def offered(task: Task) -> list[dict[str, Any]]:
    """The tools a model may use: `edit` reads and writes, `all` also runs programs, `ask` does so when allowed."""
    granted: tuple[dict[str, Any], ...] = _READ
    if task.permissions == "all" or _asks(task):
        granted = _READ + _EDIT + _RUN
    elif task.permissions == "edit":
        granted = _READ + _EDIT
    names = None if task.tools is None else set(task.tools)
    return [tool for tool in granted if names is None or tool["function"]["name"] in names]


def needs_permission(task: Task, name: str) -> bool:
    """True if a person is asked before this tool is used."""
    return _asks(task) and name in {tool["function"]["name"] for tool in _EDIT + _RUN}


def _asks(task: Task) -> bool:
    """Without a person, and for a reviewer, `ask` only reads."""
    return task.permissions == "ask" and task.dialog is not None and not task.untrusted_material


class ToolResult(NamedTuple):
    """The output of a tool for the model, and facts about it for people."""

    output: str
    succeeded: bool
    notes: Mapping[str, Any] = {}


async def use(task: Task, name: str, arguments: Mapping[str, Any]) -> ToolResult:
    """Use a tool; one that was not offered fails."""
    if name not in {tool["function"]["name"] for tool in offered(task)}:
        return ToolResult(f"tool {name} does not exist or is not permitted", False)
    try:
        if name == "run":
            return ToolResult(*await _run(task, arguments))
        return _files(task, name, arguments)
    except (LionError, OSError, TypeError, KeyError, ValueError) as error:
        return ToolResult(f"{name} failed: {error}", False)


def _files(task: Task, name: str, arguments: Mapping[str, Any]) -> ToolResult:
    path = _below(task.cwd, str(arguments["path"]))
    if name == "list_files":
        return ToolResult("\n".join(sorted(os.listdir(path))), True)
    if name == "read_file":
        return ToolResult(_read_text(path), True)
    content = str(arguments["content"])
    notes = write_notes(path, content)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        return ToolResult(f"{file.write(content)} characters written", True, notes)


def _read_text(path: str) -> str:
    with open(path, encoding="utf-8", errors="backslashreplace") as file:
        return file.read(_MAX_READ)


def write_notes(path: str, content: str) -> dict[str, Any]:
    """Whether a file is created, and else its diff, in the form that Claude Code has for its own tools."""
    if not os.path.exists(path):
        return {"result": {"type": "create"}}
    hunks = diff_texts(_read_text(path), content) if os.path.getsize(path) < _MAX_READ else ()
    return {"result": {"type": "update"}, **({"patch": structured(hunks)} if hunks else {})}


def _below(root: str, name: str) -> str:
    """The real path of a file in the working folder; symbolic links that lead out of it are refused."""
    real = os.path.realpath(os.path.join(root, name))
    if os.path.commonpath([real, os.path.realpath(root)]) != os.path.realpath(root):
        raise InvalidInput(f"{name} is outside the working folder")
    return real


async def _run(task: Task, arguments: Mapping[str, Any]) -> tuple[str, bool]:
    argv = [str(part) for part in arguments["argv"]]
    async with Program(argv, cwd=task.cwd, env=task.env, sandbox=task.sandbox) as program:
        output = b"\n".join([line async for line in program.lines()]).decode("utf-8", "backslashreplace")
        code = await program.wait()
        text = "\n".join(part for part in (output, program.stderr_tail) if part)
    return (text or f"exit code {code}")[:_MAX_OUTPUT], code == 0
