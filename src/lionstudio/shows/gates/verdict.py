"""Verdicts of gates: how several become one, and how to parse the answer of a reviewing agent."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from lionstudio.errors import InvalidInput
from lionstudio.model.shows.plan import GateKind
from lionstudio.system.filenames import shown

MOST_ANSWER = 1_000_000  # characters of an answer
_MOST_OUTPUT = 8_000  # characters of a failed command that the agent gets
_MOST_SUMMARY, _MOST_FEEDBACK = 300, 12_000  # characters; an agent that gets more reads less
_MOST_ISSUES = 100
_MOST_TRIES = 1000  # objects that never close are each scanned to the end of the answer
_OPENING = re.compile(r'^[ \t]*(\{)(?=\s*["}])', re.MULTILINE)
_LINE_ENDS = re.compile(r"[ \t\r]*(?:\n|\Z)")
_AFTER = re.compile(r"[`\s]*\Z")
_KEYS = {"word", "passed", "summary", "feedback", "issues"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Result of one gate."""

    kind: str  # command | review | person | collect
    title: str
    passed: bool
    summary: str  # one line
    output: str = ""  # the end of its output
    exit_code: int | None = None
    seconds: float | None = None
    log: str | None = None  # path of the file with more output
    confinement: str | None = None  # of a command or a reviewer: confined by bwrap, or not confined and why


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Result of all gates: `summary` is one line for a table, `feedback` is for the next attempt."""

    passed: bool
    summary: str
    feedback: str = ""
    checks: tuple[Check, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the form of `_verdict.json` (`gate_passed` and `feedback` are the names of ADR-0011)."""
        return {
            "gate_passed": self.passed,
            "summary": self.summary,
            "feedback": self.feedback,
            "checks": [asdict(check) for check in self.checks],
        }


def combine_checks(checks: Sequence[Check]) -> Verdict:
    """Combine checks into a verdict; the first failure gives summary and feedback."""
    failed = next((check for check in checks if not check.passed), None)
    if failed is not None:
        return Verdict(passed=False, summary=failed.summary, feedback=_feedback(failed), checks=tuple(checks))
    number = len(checks)
    summary = f"{number} {'check' if number == 1 else 'checks'} passed" if number else "there was nothing to check"
    return Verdict(passed=True, summary=summary, checks=tuple(checks))


def _feedback(failed: Check) -> str:
    if failed.kind != GateKind.COMMAND:
        return failed.output or failed.summary
    return f"{failed.summary}\n\n{failed.output[-_MOST_OUTPUT:].strip()}".strip()


def combine_verdicts(verdicts: Sequence[Verdict]) -> Verdict:
    """Combine verdicts into one; the first failure gives summary and feedback."""
    failed = next((verdict for verdict in verdicts if not verdict.passed), None)
    checks = tuple(check for verdict in verdicts for check in verdict.checks)
    if failed is not None:
        return Verdict(passed=False, summary=failed.summary, feedback=failed.feedback, checks=checks)
    summary = verdicts[-1].summary if len(verdicts) == 1 else f"{len(checks)} gates passed"
    return Verdict(passed=True, summary=summary, feedback="", checks=checks)


def parse_verdict(text: str, word: str) -> Verdict:
    """Parse the JSON verdict at the end of a reviewer's answer; InvalidInput says what is wrong with it.

    A reviewer quotes the work under review, and the work may contain a verdict. The random word, which the work cannot
    know, tells them apart; the reviewer may use it once.
    """
    if len(text) > MOST_ANSWER:
        raise InvalidInput(f"the answer has {len(text)} characters; give at most {MOST_ANSWER}")
    verdicts, rest, after = _extract(text, word)
    if not verdicts:
        raise InvalidInput("the answer contains no JSON object with `passed` and the word of this review")
    if len({json.dumps(value, sort_keys=True) for value in verdicts}) > 1:
        raise InvalidInput(f"the answer contains {len(verdicts)} different verdicts; give one")
    if word in rest:
        raise InvalidInput("the answer contains the word of this review outside of its verdict; use it once")
    if not _AFTER.match(after):
        raise InvalidInput("the verdict must be the last thing in the answer")
    return _checked(verdicts[0])


def _extract(text: str, word: str) -> tuple[list[dict[str, Any]], str, str]:
    """Return the verdicts with the word on lines of their own, the text without them, and the text after the last."""
    verdicts, rest, end = [], [], 0
    for tries, opening in enumerate(_OPENING.finditer(text)):
        if tries == _MOST_TRIES:
            raise InvalidInput("the answer contains too much that looks like JSON; give one object")
        if opening.start(1) < end:
            continue  # part of the one before
        value, after = _loaded(text, opening.start(1))
        if value is not None and "passed" in value and value.get("word") == word:
            verdicts.append(value)
            rest.append(text[end : opening.start(1)])
            end = after
    return verdicts, "\n".join([*rest, text[end:]]), text[end:]


def _loaded(text: str, start: int) -> tuple[dict[str, Any] | None, int]:
    """Decode the object at `start` and return it with its end, if nothing else follows on the line."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, start
    return (value if _LINE_ENDS.match(text, end) else None), end


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse duplicate keys: only one of the two values would count."""
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError
    return dict(pairs)


_DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys)


def _checked(value: dict[str, Any]) -> Verdict:
    passed, summary, feedback = value["passed"], value.get("summary"), value.get("feedback", "")
    if not isinstance(passed, bool):
        raise InvalidInput(f"`passed` must be true or false, not {shown(repr(passed)):.60}")
    if not isinstance(summary, str) or not summary.strip():
        raise InvalidInput("`summary` must be a sentence")
    if not isinstance(feedback, str):
        raise InvalidInput("`feedback` must be text")
    if unknown := sorted(set(value) - _KEYS):
        raise InvalidInput(f"the verdict has unknown keys: {shown(', '.join(unknown)):.100}")
    issues = _issues(value.get("issues", []))
    if not passed and not feedback.strip() and not issues:
        raise InvalidInput("a verdict that does not pass must say in `feedback` what to change")
    line = " ".join(summary.split())[:_MOST_SUMMARY]
    return Verdict(
        passed=passed, summary=line, feedback="\n".join([feedback.strip(), *issues]).strip()[:_MOST_FEEDBACK]
    )


def _issues(value: Any) -> list[str]:
    if not isinstance(value, list) or len(value) > _MOST_ISSUES:
        raise InvalidInput(f"`issues` must be a list of at most {_MOST_ISSUES}")
    return [_issue(issue) for issue in value]


def _issue(value: Any) -> str:
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        raise InvalidInput("an issue must be an object with `text`, and may have `file` and `line`")
    file, line = value.get("file"), value.get("line")
    where = f"{file}:{line}: " if isinstance(file, str) and isinstance(line, int) else f"{file}: " if file else ""
    return f"- {where}{value['text']}"
