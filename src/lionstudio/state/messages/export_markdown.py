"""A session as Markdown for people: what was said, tool calls with their output, diffs.

Text of agents stays Markdown, but it cannot leave its place: an open fence is closed, and tags are escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from lionstudio.model.file_changes.change import FileChange, unified
from lionstudio.model.run_name import run_name
from lionstudio.model.status.transitions import StatusTransition
from lionstudio.state.branches import branch_entries, list_branches
from lionstudio.state.connection import Connection
from lionstudio.state.messages.export_facts import facts, fork_origin, moment
from lionstudio.state.messages.export_parts import Block, Code, Note, Part, Text, Thinking, parts
from lionstudio.state.sessions import get_session
from lionstudio.state.transitions import list_transitions

_FENCE = re.compile(r"(`{3,})[^`]*|(~{3,}).*")
_INDENTED_FENCE = re.compile(r"( {1,3})(?:```|~~~)")
_ITEM = re.compile(r"( {0,3})(?:[-+*]|\d{1,9}[.)]) {1,4}(?=\S)")
_RULE = re.compile(r" {0,3}([-*_])(?: *\1){2,} *")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_TICKS = re.compile(r"`+")


def markdown(conn: Connection, session_id: str) -> Iterator[str]:
    """The text in pieces."""
    session = get_session(conn, session_id)
    yield f"# {_line(run_name(session.to_dict()))}\n\n"
    for name, value in facts(conn, session):
        yield f"- {name}: {_line(value)}\n"
    yield from _status_history(list_transitions(conn, "session", session_id))
    branches = list_branches(conn, session_id)
    for branch in branches:
        yield f"\n## Branch {_line(branch.name or branch.id)}\n"
        if (origin := fork_origin(conn, branch, branches)) is not None:
            yield f"\n{_line(origin)}\n"
        for part in parts(branch_entries(conn, branch.id), session.cwd):
            yield _section(part)


def _status_history(transitions: list[StatusTransition]) -> Iterator[str]:
    if transitions:
        yield "\n## Status history\n\n"
    for change in transitions:
        at = datetime.fromtimestamp(change.at, UTC).isoformat(timespec="milliseconds")
        details = " · ".join(part for part in (change.reason_code, change.source, change.actor) if part)
        yield f"- {at}: {_line(change.status)}{f' ({_line(details)})' if details else ''}\n"


def _section(part: Part) -> str:
    sums = "" if part.added is None else f" (+{part.added} −{'?' if part.removed is None else part.removed})"
    about = (_line(part.speaker), _line(part.title) + sums, "failed" if part.is_failed else "", moment(part.at))
    title = " · ".join(filter(None, (str(part.ord), *about)))
    return "\n".join([f"\n### {title}\n", *(f"{_block(block)}\n" for block in part.blocks)])


def _block(block: Block) -> str:
    match block:
        case Text(text):
            return confined(text)
        case Thinking(text):
            return f"<details><summary>Thoughts</summary>\n\n{confined(text)}\n\n</details>"
        case Code(text, label):
            return (f"{label.capitalize()}:\n\n" if label else "") + fenced(text)
        case Note(text):
            return f"*{text}*"
        case FileChange():
            return fenced("\n".join(unified(block)), "diff")


def fenced(text: str, language: str = "") -> str:
    """A code block whose fence is longer than every run of backticks in the text."""
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{_utf8(text).rstrip(chr(10))}\n{fence}"


def confined(text: str) -> str:
    """Markdown of an agent that ends where it ends: tags are text, and a fence that it leaves open is closed."""
    lines = []
    fence = ""
    has_open_ticks = False  # in this paragraph, so that the next line may be inside a code span or not
    item, is_after_blank = 0, True  # the column of the text of a list, 0 outside of one
    for line in _utf8(text).replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if fence:
            if re.fullmatch(rf" {{0,3}}{re.escape(fence[0])}{{{len(fence)},}}[ \t]*", line):
                fence = ""
            lines.append(line)
        elif match := _FENCE.fullmatch(line):
            fence, item = match[1] or match[2], 0
            lines.append(line)
        else:
            has_open_ticks = has_open_ticks and bool(line.strip())
            item, is_after_blank = _item_column(line, item, is_after_blank), not line.strip()
            match = _INDENTED_FENCE.match(line)
            if match and not item:  # inside a list it ends with it; elsewhere it would hide what follows
                line = f"{match[1]}\\{line[len(match[1]) :]}"
            escaped, is_closed = _escaped(line, has_spans=not has_open_ticks)
            has_open_ticks = has_open_ticks or not is_closed
            lines.append(escaped)
    return "\n".join([*lines, fence] if fence else lines)


def _item_column(line: str, item: int, is_after_blank: bool) -> int:
    """The column of the text of the outermost list that a line is in; 0 unless every parser agrees."""
    if not line.strip() or (item and line.startswith(" " * item)):
        return item
    match = _ITEM.match(line) if (item or is_after_blank) and not _RULE.fullmatch(line) else None
    if match is None:
        return 0
    return len(match[0]) if is_after_blank else max(item, len(match[0]))  # it may continue the paragraph before it


def _escaped(line: str, *, has_spans: bool) -> tuple[str, bool]:
    """The line with its tags as text, except in code spans, and whether all of its spans are closed.

    Spans are recognised only where every parser agrees: cells of tables and escaped backticks divide them otherwise.
    """
    if "`" not in line:
        return _TAG.sub("&lt;", line), True
    if not has_spans or "|" in line or "\\`" in line:
        return _TAG.sub("&lt;", line), False
    pieces = re.split(r"(`+)", line)
    following: dict[str, int] = {}
    ends: dict[int, int] = {}  # of each run of backticks: the next one of the same length
    for number in range(len(pieces) - 2, 0, -2):
        if pieces[number] in following:
            ends[number] = following[pieces[number]]
        following[pieces[number]] = number
    result: list[str] = []
    number, is_closed = 0, True
    while number < len(pieces):
        if number in ends:
            result += pieces[number : ends[number] + 1]
            number = ends[number] + 1
            continue
        is_closed = is_closed and not number % 2
        result.append(_TAG.sub("&lt;", pieces[number]))
        number += 1
    return "".join(result), is_closed


def _line(value: object) -> str:
    return _TAG.sub("&lt;", _utf8(" ".join(str(value).split())))


def _utf8(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
