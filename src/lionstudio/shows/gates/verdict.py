"""The verdict that every kind of gate gives, and how it is read from the answer of a reviewing agent."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import Any

from lionstudio.errors import InvalidInput
from lionstudio.system.filenames import shown

MOST_ANSWER = 1_000_000  # characters of an answer that are looked through
_MOST_SUMMARY, _MOST_FEEDBACK = 300, 12_000  # an agent that is told more reads less
_MOST_ISSUES = 100
_MOST_TRIES = 1000  # objects that do not end are each looked through to the end of the answer
_OPENING = re.compile(r'^[ \t]*(\{)(?=\s*["}])', re.MULTILINE)
_LINE_ENDS = re.compile(r"[ \t\r]*(?:\n|\Z)")
# what a person would take for a verdict, valid or not: a key of any quotes, a word with its value, a block of JSON
_LIKE_ONE = re.compile(
    r"""["'\u2018-\u201f]passed["'\u2018-\u201f]|\bpassed\W{0,3}[:=]\W{0,3}(?:true|false)\b|```[ \t]*json\s*\{""",
    re.IGNORECASE,
)
_KEYS = {"passed", "summary", "feedback", "issues"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What one gate said."""

    kind: str  # command | review | person | collect
    title: str
    passed: bool
    summary: str  # one line
    output: str = ""  # the end of what it printed
    exit_code: int | None = None
    seconds: float | None = None
    log: str | None = None  # the file that holds more of the output


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the gates said together: `summary` is one line for a table, `feedback` is for the next attempt."""

    passed: bool
    summary: str
    feedback: str = ""
    checks: tuple[Check, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As `_verdict.json` holds it (`gate_passed` and `feedback` are the names of ADR-0011)."""
        return {
            "gate_passed": self.passed,
            "summary": self.summary,
            "feedback": self.feedback,
            "checks": [asdict(check) for check in self.checks],
        }


def parse_verdict(text: str) -> Verdict:
    """The JSON verdict in a reviewer's answer; InvalidInput says what is wrong with it.

    A reviewer quotes the work that it judges, and the work may hold a verdict. So nothing that looks like one is passed
    over: two that differ, or one that is good beside one that is not valid JSON, are no answer.
    """
    if len(text) > MOST_ANSWER:
        raise InvalidInput(f"the answer has {len(text)} characters; give at most {MOST_ANSWER}")
    found, rest = _taken_out(text)
    if not found:
        raise InvalidInput("the answer holds no JSON object with `passed`")
    if len({json.dumps(value, sort_keys=True) for value in found}) > 1:
        raise InvalidInput(f"the answer holds {len(found)} different verdicts; give one")
    if like := _LIKE_ONE.search(rest):
        raise InvalidInput(
            f"beside a verdict the answer holds {shown(like[0])!r:.60}, which is no valid JSON on lines of its own;"
            " give one verdict and quote none"
        )
    return _checked(found[0])


def _taken_out(text: str) -> tuple[list[dict[str, Any]], str]:
    """The objects with `passed` that stand on lines of their own, and the text without them."""
    found, rest, end = [], [], 0
    for tries, opening in enumerate(_OPENING.finditer(text)):
        if tries == _MOST_TRIES:
            raise InvalidInput("the answer holds too many things that look like JSON; give one object")
        if opening.start(1) < end:
            continue  # a part of the one before
        value, after = _loaded(text, opening.start(1))
        if value is not None and "passed" in value:
            found.append(value)
            rest.append(text[end : opening.start(1)])
            end = after
    return found, "\n".join([*rest, text[end:]])


def _loaded(text: str, start: int) -> tuple[dict[str, Any] | None, int]:
    """The object that begins there and its end, when nothing else follows on the line."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, start
    return (value if _LINE_ENDS.match(text, end) else None), end


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A key that is given twice says two things, and one of them would be believed."""
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError
    return dict(pairs)


_DECODER = json.JSONDecoder(object_pairs_hook=_once)


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


def _issues(given: Any) -> list[str]:
    if not isinstance(given, list) or len(given) > _MOST_ISSUES:
        raise InvalidInput(f"`issues` must be a list of at most {_MOST_ISSUES}")
    return [_issue(issue) for issue in given]


def _issue(given: Any) -> str:
    if not isinstance(given, dict) or not isinstance(given.get("text"), str):
        raise InvalidInput("an issue must be an object with `text`, and may have `file` and `line`")
    file, line = given.get("file"), given.get("line")
    where = f"{file}:{line}: " if isinstance(file, str) and isinstance(line, int) else f"{file}: " if file else ""
    return f"- {where}{given['text']}"
