"""The items of `codex exec --json` that are tool calls, as requests and responses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from lionstudio.agents.records import joined_text, text_or_empty, without_empty
from lionstudio.model.coerce import Record, dict_of
from lionstudio.model.json_codec import jsonable
from lionstudio.model.messages import ActionRequest, ActionResponse


class ItemFields(NamedTuple):
    """The function, the argument fields and the output of an item."""

    function: Callable[[Record], str]
    arguments: tuple[str, ...]
    output: Callable[[Record], Any]


def _mcp_output(item: Record) -> Any:
    result = dict_of(item.get("result"))
    content = result.get("content")
    text = joined_text(content) if isinstance(content, list) and content else None
    return text if isinstance(text, str) and not result.get("structured_content") else result or None


CALLS: Mapping[str, ItemFields] = {
    "command_execution": ItemFields(lambda item: "shell", ("command",), lambda item: item.get("aggregated_output")),
    "file_change": ItemFields(lambda item: "apply_patch", ("changes",), lambda item: item.get("status")),
    "mcp_tool_call": ItemFields(
        lambda item: f"mcp__{text_or_empty(item.get('server'))}__{text_or_empty(item.get('tool'))}",
        ("arguments",),
        _mcp_output,
    ),
    "web_search": ItemFields(lambda item: "web_search", ("query", "action"), lambda item: item.get("results")),
    "collab_tool_call": ItemFields(
        lambda item: text_or_empty(item.get("tool")),
        ("prompt", "receiver_thread_ids"),
        lambda item: item.get("agents_states"),
    ),
    "todo_list": ItemFields(lambda item: "update_plan", ("items",), lambda item: item.get("items")),
}
_FAILED = ("failed", "declined")


def request_of(item: Record) -> ActionRequest:
    fields = CALLS[item["type"]]
    values = without_empty(**{name: jsonable(item.get(name)) for name in fields.arguments})
    arguments = values.get("arguments", values) if item["type"] == "mcp_tool_call" else values
    metadata = {"call_id": item.get("id"), "item": item["type"]}
    return ActionRequest(content={"function": fields.function(item), "arguments": arguments}, metadata=metadata)


def response_of(item: Record, request: ActionRequest) -> ActionResponse:
    output = jsonable(CALLS[item["type"]].output(item))
    metadata = without_empty(
        call_id=item.get("id"), item=item["type"], status=item.get("status"), exit_code=item.get("exit_code")
    )
    if item.get("status") in _FAILED or item.get("error"):
        error = text_or_empty(dict_of(item.get("error")).get("message")) or text_or_empty(item.get("error")) or output
        result = {"error": error or f"{item.get('status')}, exit code {item.get('exit_code')}"}
    else:
        result = {"output": "" if output is None else output}
    content = {"function": request.content["function"], **result, "action_request_id": request.id}
    return ActionResponse(content=content, metadata=metadata)
