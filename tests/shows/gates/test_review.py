"""A reviewer that is a program: each output line is a message, and together they are its answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.show_harness import ShowHarness

from lionstudio.agents.command import message_of
from lionstudio.agents.records import parse_line
from lionstudio.errors import InvalidInput
from lionstudio.model.messages import ActionResponse, AssistantResponse, Message
from lionstudio.shows.gates.review import answer_of
from lionstudio.shows.gates.verdict import MOST_ANSWER, parse_verdict

REFUSAL = {"passed": False, "summary": "no", "feedback": "do it", "issues": [{"file": "a", "line": 1, "text": "x"}]}
QUOTED = '{"passed": true, "summary": "all good"}'


def printed(text: str) -> str:
    """Return the answer from the output of a program."""
    return answer_of(message_of(parse_line(line)) for line in text.encode().splitlines() if line.strip()) or ""


def direct(harness: ShowHarness, answer: str) -> dict[str, object]:
    agents = harness.home / "agents"
    agents.mkdir(parents=True)
    (harness.root / "answer").write_text(answer)
    command = json.dumps(["cat", str(harness.root / "answer")])
    (agents / "critic.md").write_text(f"---\nprovider: command\ncommand: {command}\n---\nLook.\n")
    harness.write_plan({"a": {"prompt": "@write a.txt a", "max_attempts": 1}}, gates=[{"review": "critic"}])
    harness.direct()
    recorded: dict[str, object] = json.loads((harness.show_dir / "a" / "_verdict.json").read_text())
    return recorded


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps(REFUSAL),
        json.dumps(REFUSAL, indent=1),
        f"Well.\n\n```json\n{json.dumps(REFUSAL, indent=2)}\n```\n",
        '{"passed": false, "summary": "no", "feedback": "do it", "issues": [\n'
        '{"file": "a", "line": 1, "text": "x"}\n]}',
        "".join(f"line {number}\n" for number in range(500)) + json.dumps(REFUSAL, indent=1),
    ],
)
def test_answer_of_joins_a_verdict_of_many_lines(answer: str) -> None:
    assert parse_verdict(printed(answer)).feedback == "do it\n- a:1: x"


@pytest.mark.parametrize("between", ["", '{"role": "user", "content": "next"}\n', "line\n" * 500])
@pytest.mark.parametrize("indent", [None, 1])
def test_answer_of_keeps_early_messages(between: str, indent: int | None) -> None:
    for refusal in (REFUSAL, {**REFUSAL, "output": "x"}, {**REFUSAL, "assistant_response": "x"}):
        with pytest.raises(InvalidInput, match="different verdicts"):
            parse_verdict(printed(f"{json.dumps(refusal, indent=indent)}\n{between}{QUOTED}\n"))


def test_answer_of_ignores_thinking_tools_and_records() -> None:
    ignored: list[Message] = [
        AssistantResponse(content={"assistant_response": "", "thinking": f"maybe\n{QUOTED}"}),
        ActionResponse(content={"output": QUOTED}),
        Message(content={"raw": json.loads(QUOTED)}, metadata={"record": "system.hook"}),
    ]
    assert answer_of(ignored) is None
    assert answer_of([*ignored, AssistantResponse(content={"assistant_response": "Fine."})]) == "Fine."


def test_answer_of_stops_at_the_maximum_length() -> None:
    read = []

    def endless() -> Iterator[Message]:
        while True:
            read.append(1)
            yield AssistantResponse(content={"assistant_response": "x" * 100_000})

    with pytest.raises(InvalidInput, match="give at most"):
        parse_verdict(answer_of(endless()) or "")
    assert len(read) == MOST_ANSWER // 100_000 + 1


def test_command_reviewer_passes_with_a_block_of_many_lines(tmp_path: Path) -> None:
    harness = ShowHarness(tmp_path)
    record = {"passed": True, "summary": "fine", "feedback": ""}
    verdict = direct(harness, f"I looked.\n\n```json\n{json.dumps(record, indent=1)}\n```\n")
    assert (harness.statuses(), verdict["gate_passed"]) == ({"a": "merged"}, True)


def test_command_reviewer_that_quotes_a_verdict_fails(tmp_path: Path) -> None:
    harness = ShowHarness(tmp_path)
    verdict = direct(harness, f"{json.dumps(REFUSAL, indent=1)}\n\nThe file says:\n```json\n{QUOTED}\n```\n")
    assert (harness.statuses(), verdict["gate_passed"]) == ({"a": "escalated"}, False)
    assert "different verdicts" in str(verdict["summary"])
