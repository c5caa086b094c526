"""Calls that Codex or its sandbox refused. Most are not in the output of `codex exec`, only in its session file."""

from __future__ import annotations

import re

from lionstudio.agents.denials import UNSUPPORTED
from lionstudio.agents.records import joined_text, parse_line, text_or_empty
from lionstudio.model.coerce import Record, dict_of

_UNSUPPORTED = re.compile(r"\Aunsupported (custom tool )?call", re.IGNORECASE)
_REFUSED = re.compile(
    r"rejected by user|; reject command|blocked by policy|approval required by policy"
    r"|Read-only file system|Operation not permitted|execvp codex-linux-sandbox|sandbox error:",
    re.IGNORECASE,
)
# a line that may hold a call or its result
MARKS = (b'"function_call', b'"custom_tool_call')


class RefusedCalls:
    """The refused calls of one session file, by call id."""

    def __init__(self) -> None:
        self._calls: dict[str, tuple[str, str]] = {}  # tool and command
        self._commands: dict[str, str] = {}  # of the refused calls
        self.refused: dict[str, str] = {}

    def read(self, payload: Record) -> None:
        """Note a call, or a result that reports a refusal; a command that ran after it was asked for is not refused."""
        kind, call = text_or_empty(payload.get("type")), text_or_empty(payload.get("call_id"))
        if kind in ("function_call", "custom_tool_call"):
            self._calls[call] = text_or_empty(payload.get("name")), _command(payload.get("arguments"))
        elif kind in ("function_call_output", "custom_tool_call_output"):
            tool, command = self._calls.pop(call, ("unknown", ""))
            output = _output(payload.get("output"))
            if _UNSUPPORTED.match(output):
                self.refused[call] = tool + UNSUPPORTED
            elif _REFUSED.search(output):
                self.refused[call], self._commands[call] = tool, command
            elif command:
                for earlier in [key for key, value in self._commands.items() if value == command]:
                    del self.refused[earlier], self._commands[earlier]


def _command(arguments: object) -> str:
    value = dict_of(parse_line(text_or_empty(arguments).encode("utf-8", "backslashreplace")))
    return text_or_empty(value.get("cmd")) or text_or_empty(value.get("command"))


def _output(value: object) -> str:
    content = dict_of(value).get("content") if isinstance(value, dict) else value
    return text_or_empty(joined_text(content))
