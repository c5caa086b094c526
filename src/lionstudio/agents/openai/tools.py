"""The tools of the provider openai: read and write files in the working folder, run a program, as permitted."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from lionstudio.agents.provider import Task
from lionstudio.errors import InvalidInput, LionError
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
    """The tools a model may use: `ask` reads, `edit` also writes, `all` also runs programs."""
    granted = {"edit": _READ + _EDIT, "all": _READ + _EDIT + _RUN}.get(task.permissions or "ask", _READ)
    names = None if task.tools is None else set(task.tools)
    return [tool for tool in granted if names is None or tool["function"]["name"] in names]


async def use(task: Task, name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
    """The output of a tool, and True if it succeeded; a tool that was not offered fails."""
    if name not in {tool["function"]["name"] for tool in offered(task)}:
        return f"tool {name} does not exist or is not permitted", False
    try:
        if name == "run":
            return await _run(task, arguments)
        return _files(task, name, arguments), True
    except (LionError, OSError, TypeError, KeyError, ValueError) as error:
        return f"{name} failed: {error}", False


def _files(task: Task, name: str, arguments: Mapping[str, Any]) -> str:
    path = _below(task.cwd, str(arguments["path"]))
    if name == "list_files":
        return "\n".join(sorted(os.listdir(path)))
    if name == "read_file":
        with open(path, encoding="utf-8", errors="backslashreplace") as file:
            return file.read(_MAX_READ)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        return f"{file.write(str(arguments['content']))} characters written"


def _below(root: str, name: str) -> str:
    """The real path of a file in the working folder; symbolic links that lead out of it are refused."""
    real = os.path.realpath(os.path.join(root, name))
    if os.path.commonpath([real, os.path.realpath(root)]) != os.path.realpath(root):
        raise InvalidInput(f"{name} is outside the working folder")
    return real


async def _run(task: Task, arguments: Mapping[str, Any]) -> tuple[str, bool]:
    argv = [str(part) for part in arguments["argv"]]
    async with Program(argv, cwd=task.cwd, env=task.env) as program:
        output = b"\n".join([line async for line in program.lines()]).decode("utf-8", "backslashreplace")
        code = await program.wait()
        text = "\n".join(part for part in (output, program.stderr_tail) if part)
    return (text or f"exit code {code}")[:_MAX_OUTPUT], code == 0
