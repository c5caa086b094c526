"""The model server of the shared tools, with one more command: `@run @call TOOL JSON` calls any tool."""

from __future__ import annotations

import importlib.util
import json
import sys
from typing import Any


def load(path: str) -> Any:
    """A module by its path."""
    spec = importlib.util.spec_from_file_location("fake_llm", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(path: str, log: str) -> None:
    """Serve on a free port, which is printed."""
    fake = load(path)

    class Turn(fake.Turn):  # type: ignore[misc, name-defined]
        def __init__(self, messages: Any, tools: Any) -> None:
            super().__init__(messages, tools)
            self.given: Any = None
            if self.command and self.command.startswith("@call "):
                _, self.tool, given = self.command.split(" ", 2)
                self.given = json.loads(given)

        def arguments(self) -> Any:
            return super().arguments() if self.given is None else self.given

    fake.Turn = Turn
    sys.argv = ["fake_llm", "--port", "0", "--log", log]
    fake.main()


if __name__ == "__main__":
    main(*sys.argv[1:])
