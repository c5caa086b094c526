"""Print messages for a terminal or a pipe: tool calls together with their results, long texts folded."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from lionstudio.cli._session.diffs import diff_lines, diff_text
from lionstudio.cli._toolkit.escape import body, inline
from lionstudio.cli._toolkit.humanize import LocalClock, count, iso
from lionstudio.cli._toolkit.json_output import to_json
from lionstudio.cli._toolkit.terminal import Paint
from lionstudio.model.file_changes.change import CallChanges, Outcome
from lionstudio.model.file_changes.tool_calls import changes_of_call
from lionstudio.model.message_text import LINES
from lionstudio.model.messages import Message
from lionstudio.state.messages.windows import Readable

_AHEAD = 128  # messages after a call in which its result is looked for
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
    message: Message | Readable | None
    branch: str = ""


def transcript(shown: Iterable[Shown], paint: Paint, *, full: bool = False, full_output: bool = False) -> Iterator[str]:
    """The texts of all messages, of one or several lines; a result is printed below its call.

    Long texts are folded unless `full`, and lines that a program printed unless `full_output`.
    Few messages are in memory at once: a result that comes much later than its call stands for itself.
    """
    day = ""
    clock = LocalClock()
    names = {role: _speaker(role, paint) for role in _COLOURS}
    dim, plain = paint("\0", "dim").split("\0")  # the codes around a dim text
    for item, answer in _with_answers(shown):
        message = item.message
        at = clock.show(message.created_at) if message is not None else day
        before, day = day, at[:_DAY]
        at = at if day != before else at[_DAY + 1 :]
        text = _only_text(message) if answer is None else None
        if text is not None and message is not None:
            name = names.get(message.role or "") or _speaker(message.role, paint)
            branch = paint(f"  on {inline(item.branch)}", "dim") if item.branch else ""
            heading = f"{dim}{item.number}{plain}  {name}  {dim}{at}{plain}{branch}"
            if full or (full_output and _is_output(message)):
                yield f"{heading}\n{_indented(text)}\n" if text else f"{heading}\n"
            else:
                yield heading
                yield from _folded(text, paint, full=False)
                yield ""
            continue
        yield _heading(item, answer, paint, at)
        changes = _changes(message, answer)
        if changes is None:
            yield from _body(message, paint, full=full or (full_output and _is_output(message)))
        else:
            yield from _diff(changes, paint, full=full)
        if answer is not None and (changes is None or changes.outcome is not Outcome.APPLIED):
            yield from _result(answer.message, paint, full=full)
        yield ""


def _with_answers(shown: Iterable[Shown]) -> Iterator[tuple[Shown, Shown | None]]:
    """Each message with the result of its call, if that is near; such a result does not come again."""
    stream, ahead = iter(shown), deque[Shown]()
    answers: dict[str, Shown] = {}  # of those ahead, by the call
    printed: set[str] = set()  # of those ahead, with their calls
    while True:
        for item in stream if len(ahead) < _AHEAD else ():
            ahead.append(item)
            if request := _answered(item.message):
                answers[request] = item
            if len(ahead) == _AHEAD:
                break
        if not ahead:
            return
        item = ahead.popleft()
        if item.message_id in printed:
            printed.discard(item.message_id)
            continue
        answer = None
        if answers:
            if request := _answered(item.message):
                answers.pop(request, None)
            answer = answers.pop(item.message_id, None)
            if answer is not None:
                printed.add(answer.message_id)
        yield item, answer


def _only_text(message: Message | Readable | None) -> str | None:
    """The text of a message that has nothing else, as most have."""
    content = message.content if message is not None else None
    if type(content) is dict and len(content) == 1:
        [(key, text)] = content.items()
        if key in _TEXT_KEYS and isinstance(text, str):
            return text
    return None


def _changes(message: Message | Readable | None, answer: Shown | None) -> CallChanges | None:
    """The files that a call changes, if their lines are recorded."""
    if message is None or "function" not in _content(message) or _answered(message):
        return None
    result = None if answer is None else answer.message
    notes = {} if result is None else result.metadata
    changes = changes_of_call(_content(message), None if result is None else _content(result), notes)
    return changes if changes and all(change.hunks for change in changes.files) else None


def _diff(changes: CallChanges, paint: Paint, *, full: bool) -> Iterator[str]:
    lines = diff_lines(changes.files, paint)
    yield from (f"    {line}" for line in (lines if full else islice(lines, _FOLDED_LINES)))
    more = sum(1 for _ in lines)
    if more:
        yield "    " + paint(f"… {count(more, 'more line')} (--full)", "dim")


def plain_lines(shown: Sequence[Shown], *, full: bool = False) -> Iterator[str]:
    """One line per message for a pipe: number, time, role, tool and text; long texts are cut unless `full`.

    Lines that a program printed stay lines.
    """
    for item in shown:
        message = item.message
        if message is None:
            yield f"{item.number}\t\tmissing\t\t"
            continue
        content = _content(message)
        tool, text = content.get("function"), _plain_text(content, message)
        for line in text.split("\n") if _is_output(message) else [text]:
            cut = line if full or len(line) <= _FOLDED_CHARS else line[:_FOLDED_CHARS] + "…"
            cells = (str(item.number), iso(message.created_at), message.role, tool, cut)
            yield "\t".join(inline(cell) if isinstance(cell, str) else "" for cell in cells)


def _is_output(message: Message | Readable | None) -> bool:
    return message is not None and LINES in message.metadata


def _plain_text(content: Mapping[str, Any], message: Message | Readable) -> str:
    if _answered(message):
        return _result_text(content)
    if "function" in content:
        return _arguments(content.get("arguments"))
    return text_of_content(message.content)


def _answered(message: Message | Readable | None) -> str | None:
    content = message.content if message is not None else None
    request = content.get("action_request_id") if isinstance(content, dict) else None
    return request if isinstance(request, str) else None


def _heading(item: Shown, answer: Shown | None, paint: Paint, at: str) -> str:
    number = f"{item.number}" if answer is None else f"{item.number}→{answer.number}"
    if item.message is None:
        return paint(f"{number}  missing", "dim")
    tool = _content(item.message).get("function")
    name = _speaker(f"tool {tool}" if isinstance(tool, str) else item.message.role, paint)
    branch = paint(f"  on {inline(item.branch)}", "dim") if item.branch else ""
    return f"{paint(number, 'dim')}  {name}  {paint(at, 'dim')}{branch}"


def _speaker(name: str | None, paint: Paint) -> str:
    speaker = name or "unknown"
    return paint(inline(speaker), _COLOURS.get(speaker.partition(" ")[0], "bold"))


def _content(message: Message | Readable | None) -> Mapping[str, Any]:
    return message.content if message is not None and isinstance(message.content, dict) else {}


def _body(message: Message | Readable | None, paint: Paint, *, full: bool) -> Iterator[str]:
    if message is None:
        yield "    (deleted message)"
        return
    if _answered(message):
        yield from _result(message, paint, full=full)
    elif "function" in _content(message):
        yield from _folded(_arguments(_content(message).get("arguments")), paint, full=full)
    else:
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


def one_line(arguments: Any) -> str:
    """Arguments of a tool on one line: the only one without its name, several as `name: value`."""
    if not isinstance(arguments, dict):
        return " ".join(text_of_value(arguments).split())
    values = {key: value if isinstance(value, str) else to_json(value) for key, value in arguments.items()}
    texts = values.values() if len(values) == 1 else (f"{key}: {value}" for key, value in values.items())
    return " ".join(", ".join(texts).split())


def _result(message: Message | Readable | None, paint: Paint, *, full: bool) -> Iterator[str]:
    content = _content(message)
    failed = content.get("error") is not None
    texts = list(_folded(_result_text(content), paint, full=full)) or ["    (empty)"]
    mark = paint("✗", "red") if failed else paint("→", "dim")
    yield f"  {mark} {texts[0][4:]}"
    yield from texts[1:]


def _result_text(content: Mapping[str, Any]) -> str:
    failed = content.get("error")
    text = text_of_value(content.get("output") if failed is None else failed)
    return "\n".join(filter(None, (text, diff_text(content.get("diffs")))))


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
        yield _indented(start)
    if note:
        yield "    " + paint(note, "dim")


def _indented(text: str) -> str:
    escaped = body(text)
    if "\n" in escaped:
        return "\n".join([f"    {line}".rstrip() for line in escaped.split("\n")])
    return f"    {escaped}".rstrip()


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
