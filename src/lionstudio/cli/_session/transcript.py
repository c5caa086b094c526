"""Print messages for a terminal or a pipe: tool calls together with their results, long texts folded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from lionstudio.cli._toolkit.escape import body, inline
from lionstudio.cli._toolkit.humanize import count, iso, local
from lionstudio.cli._toolkit.json_output import to_json
from lionstudio.cli._toolkit.terminal import Paint
from lionstudio.model.messages import Message

_FOLDED_LINES = 12
_FOLDED_CHARS = 4000  # a single line can be 100 MB long
_SHORT_ARGUMENTS = 100
_DAY = len("2026-05-20")  # printed only when it changes
_COLOURS = {"system": "magenta", "user": "green", "assistant": "cyan", "tool": "yellow"}
_TEXT_KEYS = ("system_message", "instruction", "assistant_response")


class Shown(NamedTuple):
    """A message with its number and the name of its branch ("" if the session has only one)."""

    number: int
    message_id: str
    message: Message | None
    branch: str = ""


def transcript(shown: Sequence[Shown], paint: Paint, *, full: bool = False) -> Iterator[str]:
    """The lines of all messages; a result is printed below its call."""
    answers = {request: item for item in shown if (request := _answered(item.message))}
    calls = {item.message_id for item in shown}
    day = ""
    for item in shown:
        if _answered(item.message) in calls:
            continue  # printed with its call
        answer = answers.get(item.message_id)
        before, day = day, local(item.message.created_at)[:_DAY] if item.message else day
        yield _heading(item, answer, paint, with_day=day != before)
        yield from _body(item.message, paint, full=full)
        if answer is not None:
            yield from _result(answer.message, paint, full=full)
        yield ""


def plain_lines(shown: Sequence[Shown], *, full: bool = False) -> Iterator[str]:
    """One line per message for a pipe: number, time, role, tool and text; long texts are cut unless `full`."""
    for item in shown:
        message = item.message
        if message is None:
            yield f"{item.number}\t\tmissing\t\t"
            continue
        content = _content(message)
        tool, text = content.get("function"), _plain_text(content, message)
        cut = text if full or len(text) <= _FOLDED_CHARS else text[:_FOLDED_CHARS] + "…"
        cells = (str(item.number), iso(message.created_at), message.role, tool, cut)
        yield "\t".join(inline(cell) if isinstance(cell, str) else "" for cell in cells)


def _plain_text(content: Mapping[str, Any], message: Message) -> str:
    if _answered(message):
        failed = content.get("error")
        return text_of_value(content.get("output") if failed is None else failed)
    if "function" in content:
        return _arguments(content.get("arguments"))
    return text_of_content(message.content)


def _answered(message: Message | None) -> str | None:
    content = message.content if message is not None else None
    request = content.get("action_request_id") if isinstance(content, dict) else None
    return request if isinstance(request, str) else None


def _heading(item: Shown, answer: Shown | None, paint: Paint, *, with_day: bool) -> str:
    number = f"{item.number}" if answer is None else f"{item.number}→{answer.number}"
    if item.message is None:
        return paint(f"{number}  missing", "dim")
    speaker = item.message.role or "unknown"
    tool = _content(item.message).get("function")
    if isinstance(tool, str):
        speaker = f"tool {tool}"
    name = paint(inline(speaker), _COLOURS.get(speaker.partition(" ")[0], "bold"))
    branch = paint(f"  on {inline(item.branch)}", "dim") if item.branch else ""
    time = local(item.message.created_at)
    return f"{paint(number, 'dim')}  {name}  {paint(time if with_day else time[_DAY + 1 :], 'dim')}{branch}"


def _content(message: Message | None) -> Mapping[str, Any]:
    return message.content if message is not None and isinstance(message.content, dict) else {}


def _body(message: Message | None, paint: Paint, *, full: bool) -> Iterator[str]:
    if message is None:
        yield "    (deleted message)"
        return
    content = _content(message)
    if "function" in content:
        if not _answered(message):
            yield from _folded(_arguments(content.get("arguments")), paint, full=full)
        else:
            yield from _result(message, paint, full=full)
        return
    yield from _folded(text_of_content(message.content), paint, full=full)


def _arguments(arguments: Any) -> str:
    if arguments in (None, "", {}, []):
        return ""
    short = arguments if isinstance(arguments, str) else to_json(arguments)
    if len(short) <= _SHORT_ARGUMENTS or not isinstance(arguments, dict):
        return short
    # one argument per line, so that the content of a written file stays readable
    values = ((key, value if isinstance(value, str) else to_json(value)) for key, value in arguments.items())
    return "\n".join(f"{key}:\n{value}" if "\n" in value else f"{key}: {value}" for key, value in values)


def _result(message: Message | None, paint: Paint, *, full: bool) -> Iterator[str]:
    content = _content(message)
    failed = content.get("error") is not None
    value = content.get("error") if failed else content.get("output")
    lines = list(_folded(text_of_value(value), paint, full=full)) or ["    (empty)"]
    mark = paint("✗", "red") if failed else paint("→", "dim")
    yield f"  {mark} {lines[0][4:]}"
    yield from lines[1:]


def text_of_content(content: Any) -> str:
    """The text of a message, then its remaining fields as JSON."""
    if not isinstance(content, dict):
        return text_of_value(content)
    text = next((content[key] for key in _TEXT_KEYS if isinstance(content.get(key), str)), None)
    if text is None:
        return text_of_value(content)
    hidden = ("thinking", *_TEXT_KEYS)
    rest = {key: value for key, value in content.items() if key not in hidden and value not in (None, "", [], {})}
    thinking = content.get("thinking")
    parts = [f"(thinking) {thinking}"] if isinstance(thinking, str) and thinking else []
    parts += [text] if text else []
    parts += [to_json(rest, indent=2)] if rest else []
    return "\n".join(parts)


def text_of_value(value: Any) -> str:
    """Text as it is, anything else as indented JSON."""
    return "" if value is None else value if isinstance(value, str) else to_json(value, indent=2)


def _folded(text: str, paint: Paint, *, full: bool) -> Iterator[str]:
    start, note = (text, "") if full else fold(text)
    if start:
        yield from (f"    {line}".rstrip() for line in body(start).split("\n"))
    if note:
        yield "    " + paint(note, "dim")


def fold(text: str, lines: int = _FOLDED_LINES, chars: int = _FOLDED_CHARS) -> tuple[str, str]:
    """The start of a text, and a note about the rest ("" if nothing is missing)."""
    text = text.rstrip("\n")
    end = 0
    for _ in range(lines):
        end = text.find("\n", end) + 1
        if not end:
            break
    start = text[: end - 1] if end else text
    if len(start) > chars:
        return start[:chars], f"… {count(len(text) - chars, 'more character')} (--full)"
    more = text.count("\n", end) + 1 if end else 0
    return start, f"… {count(more, 'more line')} (--full)" if more else ""
