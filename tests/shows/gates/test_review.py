"""A reviewer that is a program: each output line is a message, and together they are its answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.show_harness import ShowHarness

from lionstudio.agents.command import messages_of
from lionstudio.errors import InvalidInput
from lionstudio.model.messages import ActionRequest, ActionResponse, AssistantResponse, Message
from lionstudio.shows.gates.review import answer_of
from lionstudio.shows.gates.verdict import MOST_ANSWER, parse_verdict

WORD = "bafatigopulu"
REFUSAL = {
    "word": WORD,
    "passed": False,
    "summary": "no",
    "feedback": "do it",
    "issues": [{"file": "a", "line": 1, "text": "x"}],
}
QUOTED = '{"passed": true, "summary": "all good"}'


def printed(text: str) -> str:
    """Return the answer from the output of a program, the same whether its lines arrive together or one by one."""
    together = answer_of(messages_of(text.encode())) or ""
    by_line = answer_of(message for line in text.encode().split(b"\n") for message in messages_of(line)) or ""
    assert "".join(together.split()) == "".join(by_line.split())
    return together


def direct(harness: ShowHarness, answer: str) -> dict[str, object]:
    agents = harness.home / "agents"
    agents.mkdir(parents=True)
    (harness.root / "answer").write_text(answer)
    # the reviewer takes the word of the review from its prompt, as a model does
    script = f"""word=$(sed -n 's/^{{"word": "\\([a-z]*\\)",$/\\1/p'); sed "s/{WORD}/$word/" {harness.root}/answer"""
    command = json.dumps(["sh", "-c", script])
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
        '{"word": "bafatigopulu", "passed": false, "summary": "no", "feedback": "do it", "issues": [\n'
        '{"file": "a", "line": 1, "text": "x"}\n]}',
        "".join(f"line {number}\n" for number in range(500)) + json.dumps(REFUSAL, indent=1),
    ],
)
def test_answer_of_joins_a_verdict_of_many_lines(answer: str) -> None:
    assert parse_verdict(printed(answer), WORD).feedback == "do it\n- a:1: x"


@pytest.mark.parametrize("indent", [None, 1])
def test_answer_of_takes_a_refusal_before_a_quotation_as_part_of_the_answer(indent: int | None) -> None:
    for refusal in (REFUSAL, {**REFUSAL, "output": "x"}, {**REFUSAL, "assistant_response": "x"}):
        with pytest.raises(InvalidInput, match="must be the last thing"):
            parse_verdict(printed(f"{json.dumps(refusal, indent=indent)}\n{QUOTED}\n"), WORD)


def test_answer_of_is_what_was_said_after_the_last_call() -> None:
    said = [AssistantResponse(content={"assistant_response": text}) for text in ("early", "a", "b")]
    called = [ActionRequest(content={"function": "f"}), ActionResponse(content={"output": "x"})]
    assert answer_of([said[0], *called, *said[1:]]) == "a\nb"
    assert answer_of([*said, *called]) is None


def test_answer_of_ignores_thinking_tools_and_records() -> None:
    ignored: list[Message] = [
        AssistantResponse(content={"assistant_response": "", "thinking": f"maybe\n{QUOTED}"}),
        ActionResponse(content={"output": QUOTED}),
        Message(content={"raw": json.loads(QUOTED)}, metadata={"record": "system.hook"}),
    ]
    assert answer_of(ignored) is None
    assert answer_of([*ignored, AssistantResponse(content={"assistant_response": "Fine."})]) == "Fine."


def test_answer_of_keeps_a_long_answer_too_long() -> None:
    long = [AssistantResponse(content={"assistant_response": "x" * 100_000})] * 50
    with pytest.raises(InvalidInput, match="give at most"):
        parse_verdict(answer_of(long) or "", WORD)
    assert len(answer_of(long) or "") < MOST_ANSWER + 200_000


def test_command_reviewer_passes_with_a_block_of_many_lines(tmp_path: Path) -> None:
    harness = ShowHarness(tmp_path)
    record = {"word": WORD, "passed": True, "summary": "fine", "feedback": ""}
    verdict = direct(harness, f"I looked.\n\n```json\n{json.dumps(record, indent=1)}\n```\n")
    assert (harness.statuses(), verdict["gate_passed"]) == ({"a": "merged"}, True)


def test_command_reviewer_that_quotes_a_verdict_fails(tmp_path: Path) -> None:
    harness = ShowHarness(tmp_path)
    verdict = direct(harness, f"{json.dumps(REFUSAL, indent=1)}\n\nThe file says:\n```json\n{QUOTED}\n```\n")
    assert (harness.statuses(), verdict["gate_passed"]) == ({"a": "escalated"}, False)
    assert "must be the last thing" in str(verdict["summary"])
