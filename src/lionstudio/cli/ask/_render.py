"""A question on a terminal: what is asked in full, the options with what to type, and its lifecycle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lionstudio.cli._session.diffs import diff_text
from lionstudio.cli._toolkit.escape import body, inline
from lionstudio.cli._toolkit.humanize import iso, local
from lionstudio.cli._toolkit.json_output import to_json
from lionstudio.cli._toolkit.terminal import Paint
from lionstudio.cli.ask._answer import takes_words_alone
from lionstudio.model.questions import Effect, Question
from lionstudio.runs.callers.caller import describe_origin

_COLOURS = {Effect.ALLOW: "green", Effect.ALLOW_ALWAYS: "green", Effect.DENY: "red", Effect.REPLY: "cyan"}
_DIFF_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
_SHORT = 2_000  # characters of evidence in a brief question
_INTERNAL = ("subject", "call_id")  # of the evidence: for the asker, not for a person
_TEXTS = ("text", "description", "message")  # the agent's own words


def question_lines(question: Question, name: str, paint: Paint, *, brief: bool = False) -> Iterator[str]:
    """The question, its evidence and its options; brief: without what a terminal shows already."""
    if not brief:
        yield f"{paint(inline(question.title), 'bold')}  {paint(str(question.kind), 'yellow')}"
        yield f"  {paint('id', 'dim')}    {inline(question.id)}"
        yield f"  {paint('run', 'dim')}   {inline(name)}" + (
            f"  {paint(inline(question.session_id), 'dim')}" if question.session_id else ""
        )
    text = "\n".join(_evidence(question.evidence, question.title, paint))
    if brief and len(text) > _SHORT:
        text = f"{text[:_SHORT]}\n… all of it: li ask show {question.id}"
    yield from (f"  {line}" for line in text.split("\n") if text)
    yield from option_lines(question, paint)


def option_lines(question: Question, paint: Paint) -> Iterator[str]:
    """The options, each with the number to type."""
    for number, option in enumerate(question.options, 1):
        yield f"  {paint(str(number), 'bold')}  {paint(inline(option.label), _COLOURS[option.effect])}"
    if takes_words_alone(question):
        yield f"  {paint('or your own words', 'dim')}"
    elif question.takes_text and question.options:
        yield f"  {paint('words after the number are passed on to the agent', 'dim')}"


def _evidence(evidence: Mapping[str, Any], title: str, paint: Paint) -> Iterator[str]:
    """The agent's words, the arguments, the diffs, then all other facts; text of agents is escaped."""
    rest = dict(evidence)
    for key in _TEXTS:
        words = rest.pop(key, None)
        if isinstance(words, str) and words.strip() and words.strip() != title:
            yield from body(words.rstrip()).split("\n")
    arguments, diffs = rest.pop("arguments", None), rest.pop("diffs", None)
    diff = rest.pop("diff", None)
    files, checks = _records(rest, "files"), _records(rest, "checks")
    for key, value in rest.items():
        if key.startswith("_") or key in _INTERNAL:
            continue
        yield f"{paint(inline(key), 'dim')}: {body(_text(value))}"
    if checks:
        yield f"{paint('checks', 'dim')}:"
    for check in checks:
        yield from _check(check, paint)
    if files:
        yield f"{paint('files', 'dim')}:"
    for file in files:
        added, removed = file.get("additions"), file.get("deletions")
        lines = "binary" if added is None else f"+{added} −{removed}"
        yield f"  {inline(str(file.get('path')))} {inline(lines)}"
    if arguments not in (None, {}, []):
        yield from _arguments(arguments, paint)
    for line in (diff if isinstance(diff, str) else diff_text(diffs or diff)).splitlines():
        style = _DIFF_COLOURS.get(line[:1], "")
        yield paint(inline(line), style) if style else inline(line)


def _records(evidence: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """Take a list of records out of the evidence; any other value stays there."""
    value = evidence.get(key)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        return []
    evidence.pop(key)
    return value


def _check(check: Mapping[str, Any], paint: Paint) -> Iterator[str]:
    """The result of a gate, with its output if it failed."""
    passed = check.get("passed") is True
    words = [check.get("title") or check.get("kind"), check.get("summary")]
    mark = paint("passed", "green") if passed else paint("failed", "red")
    yield f"  {mark}  {inline(': '.join(str(word) for word in words if word))}"
    output = "" if passed else str(check.get("output") or "").strip()
    yield from (f"    {line}" for line in body(output).split("\n") if output)


def _arguments(arguments: Any, paint: Paint) -> Iterator[str]:
    if not isinstance(arguments, Mapping):
        yield from body(_text(arguments)).split("\n")
        return
    for key, value in arguments.items():
        first, *more = body(_text(value)).split("\n")
        yield f"{paint(inline(str(key)), 'cyan')}: {'' if more else first}"
        yield from (f"  {line}" for line in (first, *more) if more)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else to_json(value, indent=2)


def lifecycle_lines(question: Question, paint: Paint) -> Iterator[str]:
    """Asked, shown, answered, taken, or how it was closed; with times, who answered and from where."""
    yield f"  {paint('asked', 'dim')}     {local(question.created_at)}"
    if question.shown_at is not None:
        yield f"  {paint('shown', 'dim')}     {local(question.shown_at)}"
    if question.answered_at is not None:
        who = f" by {inline(question.answered_by)}" if question.answered_by else ""
        origin = describe_origin(question.answered_from) if question.answered_from else ""
        yield f"  {paint('answered', 'dim')}  {local(question.answered_at)}{who}" + (
            f", {inline(origin)}" if origin else ""
        )
        yield from (f"            {line}" for line in answer_lines(question))
    if question.taken_at is not None:
        yield f"  {paint('taken', 'dim')}     {local(question.taken_at)}{taken_line(question).removeprefix('taken')}"
    elif question.answered_at is not None:
        yield f"  {paint('taken', 'dim')}     not yet: the agent takes it when it continues"
    if question.closed_reason is not None:
        yield f"  {paint(inline(str(question.status)), 'dim')}  {inline(question.closed_reason)}"


def taken_line(question: Question) -> str:
    """The message after which the agent had the answer; empty while it has not."""
    if question.taken_at is None:
        return ""
    after = f" after #{question.taken_ord}" if question.taken_ord is not None else ""
    other = question.taken_session if question.taken_session != question.session_id else None
    return f"taken{after}" + (f" by session {inline(other)}" if other else "")


def answer_lines(question: Question) -> Iterator[str]:
    """The answer that was given."""
    if question.answer is None:
        return
    option = question.option(question.answer.option)
    if question.answer.option is not None:
        yield inline(question.answer.option if option is None else option.label)
    yield from body(question.answer.text).split("\n") if question.answer.text else ()
    if question.answer.arguments is not None:
        yield from body(to_json(question.answer.arguments, indent=2)).split("\n")


def question_json(question: Question, name: str) -> dict[str, Any]:
    """A question for a program."""
    times = ("created_at", "shown_at", "answered_at", "taken_at")
    data = question.to_dict()
    return {**data, "run": name, **{f"{key}_iso": iso(data[key]) for key in times}}
