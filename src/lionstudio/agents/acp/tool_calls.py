"""One tool call of an agent, merged from its announcement, its updates and the permission request for it.

Agents announce a call before they know its arguments, and send the rest piece by piece: title, arguments, diffs,
status, output.
"""

from __future__ import annotations

import re
from typing import Any

from lionstudio.agents.records import joined_text, text_or_empty, without_empty
from lionstudio.model.coerce import Record, dict_of, list_of
from lionstudio.model.json_codec import jsonable
from lionstudio.model.messages import ActionRequest, ActionResponse

_OPEN = ("", "pending", "in_progress")  # every other status is final
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_NAMED_ID = re.compile(r"(\w+?)__\1_\d+")  # Gemini CLI's ids of calls: TOOL__TOOL_TIME_NUMBER
_OUTPUT_FIELDS = ("output", "formatted_output", "aggregated_output", "error")  # of opencode and Codex


class ToolCall:
    def __init__(self, call_id: str) -> None:
        self.call_id = call_id
        self.title = ""
        self.status = ""
        self.kind = ""
        self.request: ActionRequest | None = None  # once it was emitted
        self.is_answered = False
        self.denied_by = ""  # the rule
        self._name = ""
        self._input: Any = None
        self._is_input_whole = False
        self._updates = 0
        self._diffs: list[dict[str, Any]] = []
        self._locations: list[Any] = []
        self._output: Any = None
        self._final_content: list[Any] = []
        self._terminal = ""
        self._exit_code: int | None = None

    def merge(self, update: Record, *, asks: bool = False) -> None:
        """Add the fields of an announcement, of an update, or of a permission request that `asks` about the call."""
        status = text_or_empty(update.get("status"))
        self._note_name(update, status)
        self.title = text_or_empty(update.get("title")) or self.title
        self.kind = text_or_empty(update.get("kind")) or self.kind
        self.status = status or self.status
        self._updates += 1
        if update.get("rawInput") not in (None, {}, "") and not (asks and self._is_input_whole):
            # a permission request may have only a part of the arguments, or others that describe them
            is_part = asks and isinstance(self._input, dict) and isinstance(update["rawInput"], dict)
            self._input = {**self._input, **update["rawInput"]} if is_part else update["rawInput"]
            self._is_input_whole = not asks and (self._updates > 1 or status == "in_progress")
        if update.get("rawOutput") is not None:
            self._output = update["rawOutput"]
        content = list_of(update.get("content"))
        self._diffs = [_diff(block) for block in map(dict_of, content) if block.get("type") == "diff"] or self._diffs
        if status not in _OPEN:
            self._final_content = content
        self._locations = list_of(update.get("locations")) or self._locations
        self._note_terminal(dict_of(update.get("_meta")))

    def _note_name(self, update: Record, status: str) -> None:
        meta = dict_of(dict_of(update.get("_meta")).get("claudeCode"))
        title = text_or_empty(update.get("title"))
        # opencode announces a call with its tool as the title, and replaces it with the command
        announced = title if not self._updates and status == "pending" and _IDENTIFIER.fullmatch(title) else ""
        match = _NAMED_ID.match(self.call_id)
        names = (update.get("name"), meta.get("toolName"), match and match[1], announced)
        self._name = self._name or next((name for name in map(text_or_empty, names) if name), "")

    def _note_terminal(self, meta: Record) -> None:
        """Codex sends the output of a command beside the update."""
        self._terminal += text_or_empty(dict_of(meta.get("terminal_output_delta")).get("data"))
        code = dict_of(meta.get("terminal_exit")).get("exit_code")
        self._exit_code = code if isinstance(code, int) else self._exit_code

    @property
    def is_done(self) -> bool:
        return self.status not in _OPEN

    @property
    def has_arguments(self) -> bool:
        """True when the arguments are there or will not come any more."""
        is_started = self.status == "in_progress" or self.is_done
        return is_started or (self._updates > 1 and self._input is not None)

    @property
    def function(self) -> str:
        return self._name or self.kind or "tool"

    @property
    def evidence(self) -> dict[str, Any]:
        """All that is known about the call, for the person who is asked about it."""
        known = without_empty(
            text=self.title,
            kind=self.kind,
            diffs=self._diffs,
            locations=jsonable(self._locations),
            call_id=self.call_id,
        )
        return {"tool": self.function, "arguments": self._arguments(), **known}

    def to_request(self) -> ActionRequest:
        """The call as a message; what is learned later is part of the response."""
        places = without_empty(locations=jsonable(self._locations))
        metadata = without_empty(call_id=self.call_id, kind=self.kind, title=self.title, **places)
        self.request = ActionRequest(
            content={"function": self.function, "arguments": self._arguments()}, metadata=metadata
        )
        return self.request

    def _arguments(self) -> Any:
        """The arguments; for an agent that does not send them, its description of the call."""
        if self._input is not None:
            return jsonable(self._input)
        return without_empty(title=self.title, diffs=self._diffs, paths=[_path(place) for place in self._locations])

    def to_response(self, error: str = "") -> ActionResponse:
        """The result; `error` replaces the output of a call that the agent never finished."""
        assert self.request is not None
        self.is_answered = True
        content: dict[str, Any] = {"function": self.request.content["function"]}
        arguments = self._arguments()
        if arguments != self.request.content["arguments"]:
            content["arguments"] = arguments
        output = error or jsonable(self._result())
        content["error" if error or self.status != "completed" else "output"] = output
        if self._diffs and self._diffs != dict_of(arguments).get("diffs"):
            content["diffs"] = self._diffs
        metadata = without_empty(call_id=self.call_id, status=self.status)
        code = self._exit_code if self._exit_code is not None else _exit_code(self._output)
        if code is not None:
            metadata["exit_code"] = code
        return ActionResponse(content={**content, "action_request_id": self.request.id}, metadata=metadata)

    def _result(self) -> Any:
        fields = dict_of(self._output)
        text = next((fields[name] for name in _OUTPUT_FIELDS if isinstance(fields.get(name), str)), None)
        if text is not None:
            return text
        if self._terminal:
            return self._terminal
        if self._output is not None and not isinstance(self._output, dict):
            return self._output
        blocks = [_block(block) for block in map(dict_of, self._final_content) if block.get("type") != "diff"]
        return joined_text(blocks) if blocks else fields or ""


def _diff(block: Record) -> dict[str, Any]:
    return {
        "path": text_or_empty(block.get("path")),
        "old": block.get("oldText"),
        "new": text_or_empty(block.get("newText")),
    }


def _block(block: Record) -> Any:
    return jsonable(block.get("content")) if block.get("type") == "content" else jsonable(block)


def _path(location: Any) -> str:
    return text_or_empty(dict_of(location).get("path"))


def _exit_code(output: Any) -> int | None:
    record = dict_of(output)
    code = record.get("exit_code", dict_of(record.get("metadata")).get("exit"))
    return code if isinstance(code, int) and not isinstance(code, bool) else None
