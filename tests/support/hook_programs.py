"""A vendor's program that does nothing but start our hook, as the real ones do."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lionstudio.agents.hooks import client
from lionstudio.system.li_process import isolated_command

# it stays, like a program in a terminal; every line names a file with an event, or a command of its agent
_SCRIPT = """#!/bin/sh
while read -r event; do
  case "$event" in
    *.sh) sh "$event" & ;;
    *) ( ( {command} ) < "$event" > "$event.out"; mv "$event.out" "$event.done" ) & ;;
  esac
done
wait
"""


class HookProgram:
    """A running program of this name."""

    def __init__(self, folder: Path, tool: str, socket: Path, env: Mapping[str, str] | None) -> None:
        self._folder, self._count = folder, 0
        folder.mkdir(parents=True)
        script = folder / tool
        script.write_text(_SCRIPT.format(command=isolated_command(str(client.__file__), tool, "1", str(socket))))
        self.process = subprocess.Popen(["sh", str(script)], stdin=subprocess.PIPE, text=True, env=env)

    def start(self, event: Mapping[str, Any] | bytes) -> Path:
        """Report an event; the file appears when the hook has ended."""
        self._count += 1
        path = self._folder / f"event{self._count}"
        path.write_bytes(event if isinstance(event, bytes) else json.dumps(event).encode())
        self._write(path)
        return path.with_name(f"{path.name}.done")

    def run_tool(self, script: Path) -> None:
        """Run a command of its agent."""
        self._write(script)

    def _write(self, path: Path) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{path}\n")
        self.process.stdin.flush()

    def report(self, event: Mapping[str, Any] | bytes) -> str:
        """Report an event, and return the output of the hook."""
        return output_of(self.start(event))


def output_of(done: Path, seconds: float = 20) -> str:
    deadline = time.monotonic() + seconds
    while not done.exists():
        assert time.monotonic() < deadline, "the hook did not end"
        time.sleep(0.02)
    return done.read_text()


@contextmanager
def hook_program(folder: Path, tool: str, socket: Path, env: Mapping[str, str] | None = None) -> Iterator[HookProgram]:
    program = HookProgram(folder, tool, socket, env)
    try:
        yield program
    finally:
        program.process.kill()
        program.process.wait()
        program.process.stdin.close()  # type: ignore[union-attr]
