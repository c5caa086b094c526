"""Finds the message that a live run stored for a record of the transcript.

Claude Code prints the `uuid` of most records. Codex prints other ids than it writes: its records are matched by their
content, in their order.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections import defaultdict
from collections.abc import Hashable, Iterable
from typing import Any

from lionstudio.agents.transcript import is_record_id
from lionstudio.model.coerce import dict_of, list_of
from lionstudio.model.messages import ActionRequest, ActionResponse, AssistantResponse, Instruction, Message

Key = tuple[Hashable, ...]

_SHELLS = ("shell", "exec_command", "shell_command", "local_shell", "exec")
_PATCHED_FILE = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)


class LiveMessages:
    """The messages of a run that no record of the transcript was matched with yet."""

    def __init__(self) -> None:
        self.branch_of: dict[str, str] = {}  # of all messages, matched or not
        self.calls: dict[str, str] = {}  # the vendor's id of a call -> its request
        self._by_id: dict[str, Message] = {}
        self._by_key: defaultdict[Key, list[str]] = defaultdict(list)
        self._results: dict[str, str] = {}  # a request -> its response

    def add(self, branch_id: str, messages: Iterable[Message], matched: set[str]) -> None:
        for message in messages:
            self.branch_of[message.id] = branch_id
            call = message.metadata.get("call_id")
            if isinstance(message, ActionRequest) and isinstance(call, str):
                self.calls.setdefault(call, message.id)
            if message.id in matched or is_record_id(message.id):
                continue
            self._by_id[message.id] = message
            if isinstance(message, ActionResponse):
                request = message.content.get("action_request_id")
                if isinstance(request, str):
                    self._results[request] = message.id
            # a printed uuid or call id is exact: such a message is never compared by its content
            keys = _keys(message)[:1] if "uuid" in message.metadata else _keys(message)
            if isinstance(message, Instruction):  # a message to the running agent was sent with its own id
                keys.append((message.tag, "uuid", message.id))
            for key in keys:
                self._by_key[branch_id, *key].append(message.id)

    def match(self, branch_ids: Iterable[str], message: Message, request: str | None) -> Message | None:
        """Take the first message of these branches that is the same; `request` is the stored request of a response."""
        ids = [self._results[request]] if request in self._results else []
        for key in _keys(message):
            for branch_id in branch_ids:
                ids += self._by_key.get((branch_id, *key), [])
        return next((self._by_id.pop(id_) for id_ in ids if id_ in self._by_id), None)

    def take(self, message_id: str) -> Message | None:
        return self._by_id.pop(message_id, None)

    def unmatched(self, branch_id: str) -> list[Message]:
        return [message for id_, message in self._by_id.items() if self.branch_of[id_] == branch_id]

    def unmatched_prompt(self, branch_id: str) -> Message | None:
        """The prompt of a run, if no record was matched with it."""
        return next((message for message in self.unmatched(branch_id) if is_prompt(message)), None)


def is_prompt(message: Message) -> bool:
    """True for a prompt of the user, which begins a turn."""
    if not isinstance(message, Instruction) or message.role != "user" or message.metadata.get("injected"):
        return False
    return not str(message.content.get("instruction", "")).startswith("[Request interrupted")


def _keys(message: Message) -> list[Key]:
    """The keys under which two messages are the same, the most exact one first."""
    content, metadata = dict_of(message.content), message.metadata
    keys: list[Key] = []
    if isinstance(message, (ActionRequest, ActionResponse)) and isinstance(call := metadata.get("call_id"), str):
        keys.append((message.tag, "call", call))
    elif isinstance(uuid := metadata.get("source_uuid") or metadata.get("uuid"), str):
        keys.append((message.tag, "uuid", uuid))
    if isinstance(message, ActionRequest):
        keys.append((message.tag, *_call_key(content)))
    elif isinstance(message, (Instruction, AssistantResponse)):
        text = content.get("instruction" if isinstance(message, Instruction) else "assistant_response")
        thinking = content.get("thinking") or ""
        if isinstance(text, str) and isinstance(thinking, str) and (text.strip() or thinking.strip()):
            kind = "notice" if metadata.get("record") else "text"
            keys.append((message.tag, kind, text.strip(), thinking.strip()))
    return keys


def _call_key(content: dict[str, Any]) -> Key:
    function, arguments = str(content.get("function")).rpartition(".")[2], content.get("arguments")
    values = dict_of(arguments)
    if function in _SHELLS:
        return ("shell", _command(values.get("command", values.get("cmd"))))
    if function == "apply_patch":
        return ("patch", *_patched(values))
    if function in ("update_plan", "web_search"):
        return (function,)
    if "receiver_thread_ids" in values or function in (
        "spawn_agent",
        "wait",
        "wait_agent",
        "send_input",
        "close_agent",
    ):
        return ("collab", function.replace("wait_agent", "wait"))
    return ("call of", function, json.dumps(arguments, sort_keys=True, default=str))


def _command(command: Any) -> str:
    """The command without the shell around it: Codex prints `/bin/bash -lc 'ls'` and writes `ls`."""
    if isinstance(command, str):
        try:
            words = shlex.split(command)
        except ValueError:
            return command
    else:
        words = [str(word) for word in list_of(command)]
    if len(words) == 3 and os.path.basename(words[0]) in ("bash", "sh", "zsh") and words[1] in ("-lc", "-c"):
        return words[2]
    return command if isinstance(command, str) else shlex.join(words)


def _patched(values: dict[str, Any]) -> list[str]:
    changes = values.get("changes")
    if changes is not None:
        paths = list(changes) if isinstance(changes, dict) else [dict_of(change).get("path") for change in changes]
    else:
        paths = _PATCHED_FILE.findall(str(values.get("input", values.get("patch", ""))))
    return sorted(os.path.basename(str(path)) for path in paths)
