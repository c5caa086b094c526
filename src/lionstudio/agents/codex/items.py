"""The items of `codex exec --json` that are calls: what was asked for, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from lionstudio.agents.fields import known, text_of
from lionstudio.model.coerce import Record, dict_of, list_of
from lionstudio.model.json_codec import jsonable
from lionstudio.model.messages import ActionRequest, ActionResponse


class Call(NamedTuple):
    """How an item reads as a call: its name, its arguments, its result."""

    function: Callable[[Record], str]
    arguments: tuple[str, ...]
    output: Callable[[Record], Any]


def _mcp_output(item: Record) -> Any:
    result = dict_of(item.get("result"))
    texts = [block.get("text") for block in map(dict_of, list_of(result.get("content"))) if block.get("type") == "text"]
    plain = texts and len(texts) == len(list_of(result.get("content"))) and not result.get("structured_content")
    return "\n".join(map(text_of, texts)) if plain else result or None


CALLS: Mapping[str, Call] = {
    "command_execution": Call(lambda item: "shell", ("command",), lambda item: item.get("aggregated_output")),
    "file_change": Call(lambda item: "apply_patch", ("changes",), lambda item: item.get("status")),
    "mcp_tool_call": Call(
        lambda item: f"mcp__{text_of(item.get('server'))}__{text_of(item.get('tool'))}", ("arguments",), _mcp_output
    ),
    "web_search": Call(lambda item: "web_search", ("query", "action"), lambda item: item.get("results")),
    "collab_tool_call": Call(
        lambda item: text_of(item.get("tool")),
        ("prompt", "receiver_thread_ids"),
        lambda item: item.get("agents_states"),
    ),
    "todo_list": Call(lambda item: "update_plan", ("items",), lambda item: item.get("items")),
}
_FAILED = ("failed", "declined")


def request_of(item: Record) -> ActionRequest:
    """The call that an item stands for."""
    call = CALLS[item["type"]]
    given = known(**{name: jsonable(item.get(name)) for name in call.arguments})
    arguments = given.get("arguments", given) if item["type"] == "mcp_tool_call" else given
    about = {"call_id": item.get("id"), "item": item["type"]}
    return ActionRequest(content={"function": call.function(item), "arguments": arguments}, metadata=about)


def response_of(item: Record, request: ActionRequest) -> ActionResponse:
    """What came of a call."""
    output = jsonable(CALLS[item["type"]].output(item))
    about = known(call_id=item.get("id"), item=item["type"], status=item.get("status"), exit_code=item.get("exit_code"))
    if item.get("status") in _FAILED or item.get("error"):
        error = text_of(dict_of(item.get("error")).get("message")) or text_of(item.get("error")) or output
        told = {"error": error or f"{item.get('status')}, exit code {item.get('exit_code')}"}
    else:
        told = {"output": "" if output is None else output}
    content = {"function": request.content["function"], **told, "action_request_id": request.id}
    return ActionResponse(content=content, metadata=about)
