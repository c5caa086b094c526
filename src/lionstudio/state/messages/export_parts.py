"""Messages of an export for people, as blocks of text, code and diffs: a call together with its result.

Few messages are in memory at once, however long a run is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from lionstudio.model.coerce import dict_of, text_or_none
from lionstudio.model.file_changes.change import CallChanges, FileChange, Outcome
from lionstudio.model.file_changes.tool_calls import changes_of_call, relative_path
from lionstudio.model.json_codec import spell
from lionstudio.model.message_text import LINES
from lionstudio.model.messages import Message
from lionstudio.state.branches import BranchEntry

_AHEAD = 16  # messages after a call in which its result is looked for; another one stands alone
_SUMMARY = 200  # characters
_TEXT_KEYS = ("system_message", "instruction", "assistant_response")
_SUMMARY_KEYS = ("command", "cmd", "file_path", "path", "notebook_path", "pattern", "query", "url", "description")


class Text(NamedTuple):
    """Words of a person or an agent, usually Markdown."""

    text: str


class Thinking(NamedTuple):
    """The thoughts of an agent."""

    text: str


class Code(NamedTuple):
    """Text that is shown verbatim: arguments, output, an error."""

    text: str
    label: str = ""
    is_error: bool = False


class Note(NamedTuple):
    """A sentence of ours."""

    text: str


Block = Text | Thinking | Code | Note | FileChange


class Part(NamedTuple):
    """A message, or a call with its result."""

    ord: int
    message_id: str
    at: float | None
    speaker: str
    title: str  # of a call: the tool and its main argument
    blocks: tuple[Block, ...]
    added: int | None = None  # lines in files
    removed: int | None = None
    is_failed: bool = False  # a call, or its result


def parts(entries: Iterable[BranchEntry], folder: str | None) -> Iterator[Part]:
    """The messages in order; a result is part of its call, and paths are below the folder of the run."""
    stream = iter(entries)
    ahead: deque[BranchEntry] = deque()
    used: set[str] = set()
    while True:
        ahead.extend(islice(stream, _AHEAD - len(ahead)))
        if not ahead:
            return
        entry = ahead.popleft()
        if entry.message_id in used:
            used.discard(entry.message_id)
            continue
        result = next((other for other in ahead if _request(other.message) == entry.message_id), None)
        if result is not None:
            used.add(result.message_id)
        yield _part(entry, None if result is None else result.message, folder)


def _part(entry: BranchEntry, result: Message | None, folder: str | None) -> Part:
    message = entry.message
    if message is None:
        return Part(entry.ord, entry.message_id, None, "missing", "", (Note("This message was deleted."),))
    speaker = message.role or "unknown"
    at, content = message.created_at, message.content
    if not isinstance(content, dict):
        return Part(entry.ord, entry.message_id, at, speaker, "", (Text(_text(content)),))
    if _request(message) is not None or "output" in content or "error" in content:
        title, blocks = f"result of {content.get('function') or 'a call'}", tuple(_result(content, message.metadata))
        return Part(entry.ord, entry.message_id, at, "tool", title, blocks, is_failed=_is_failed(content))
    if "function" in content:
        return _call(entry, content, result, folder)
    return Part(entry.ord, entry.message_id, at, speaker, "", tuple(_said(content, message.metadata)))


def _said(content: Mapping[str, Any], metadata: Mapping[str, Any]) -> Iterator[Block]:
    if thinking := text_or_none(content.get("thinking")):
        yield Thinking(thinking)
    shown = {"thinking", *_TEXT_KEYS}
    for key in _TEXT_KEYS:
        if key in content and content[key] not in (None, ""):
            yield (Code if LINES in metadata else Text)(_text(content[key]))
    rest = {key: value for key, value in content.items() if key not in shown and value not in (None, "", [], {})}
    if rest:
        yield Code(_fields(rest))


def _call(entry: BranchEntry, content: Mapping[str, Any], result: Message | None, folder: str | None) -> Part:
    outcome = None if result is None else dict_of(result.content)
    changes = changes_of_call(content, outcome, {} if result is None else result.metadata)
    function, arguments = str(content.get("function") or "tool"), content.get("arguments")
    summary, rest = _summary(arguments)
    blocks: list[Block] = []
    if changes is not None:
        changes = changes._replace(files=tuple(_below(change, folder) for change in changes.files))
        summary = ", ".join(change.path for change in changes.files)[:_SUMMARY]
        blocks += _diffs(changes)
    elif rest:
        blocks.append(Code(rest))
    if outcome is None:
        blocks.append(Note("No result."))
    elif changes is None or changes.outcome is not Outcome.APPLIED:
        blocks += _result(outcome, {} if result is None else result.metadata)
    is_applied = changes is not None and changes.outcome is Outcome.APPLIED
    at = None if entry.message is None else entry.message.created_at
    return Part(
        *(entry.ord, entry.message_id, at, "tool", f"{function} {summary}".strip(), tuple(blocks)),
        added=_sum(change.added for change in changes.files) if changes and is_applied else None,
        removed=_sum(change.removed for change in changes.files) if changes and is_applied else None,
        is_failed=outcome is not None and _is_failed(outcome),
    )


def _below(change: FileChange, folder: str | None) -> FileChange:
    old_path = None if change.old_path is None else relative_path(change.old_path, folder)
    return change._replace(path=relative_path(change.path, folder), old_path=old_path)


def _diffs(changes: CallChanges) -> Iterator[Block]:
    if changes.outcome is Outcome.FAILED:
        yield Note("Not applied: the call failed or was refused.")
    yield from changes.files


def _sum(numbers: Iterable[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def _is_failed(content: Mapping[str, Any]) -> bool:
    return content.get("error") is not None


def _result(content: Mapping[str, Any], metadata: Mapping[str, Any]) -> Iterator[Block]:
    error, code = content.get("error"), metadata.get("exit_code")
    text = _text(content.get("output") if error is None else error)
    if text:
        yield Code(text, "" if error is None else "error", error is not None)
    elif error is None:
        yield Note("No output.")
    else:
        yield Note(f"Failed without output, exit code {code}." if isinstance(code, int) else "Failed without output.")


def _summary(arguments: Any) -> tuple[str, str]:
    """The main argument on one line, and the others as lines."""
    if not isinstance(arguments, dict):
        whole = _text(arguments)
        return (whole, "") if len(whole) <= _SUMMARY and "\n" not in whole else ("", whole)
    for key in _SUMMARY_KEYS:
        value = arguments.get(key)
        text = " ".join(map(str, value)) if isinstance(value, list) else value
        if isinstance(text, str) and text:
            is_whole = len(text) <= _SUMMARY and "\n" not in text
            rest = {name: other for name, other in arguments.items() if name != key or not is_whole}
            return " ".join(text.split())[:_SUMMARY], _fields(rest)
    return "", _fields(arguments)


def _fields(values: Mapping[str, Any]) -> str:
    """One value per line, or below its name if it has several lines."""
    texts = ((key, _text(value).rstrip("\n")) for key, value in values.items() if value not in (None, "", [], {}))
    return "\n".join(f"{key}:\n{text}" if "\n" in text else f"{key}: {text}" for key, text in texts)


def _text(value: Any) -> str:
    """Text as it is, the texts of MCP blocks joined, anything else as JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list) and value and all(isinstance(dict_of(block).get("text"), str) for block in value):
        return "\n".join(block["text"] for block in value)
    return spell(value)


def _request(message: Message | None) -> str | None:
    content = message.content if message is not None else None
    return text_or_none(content.get("action_request_id")) if isinstance(content, dict) else None
