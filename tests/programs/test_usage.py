"""`li usage` and ccusage count the same tokens and dollars in the same transcripts, day by day and block by block."""

from __future__ import annotations

import json
import random
import subprocess
import uuid
from pathlib import Path
from typing import Any

import pytest
from tests.support.agent_programs import find_agent
from tests.support.agents import li
from tests.support.transcripts import ClaudeTranscript, CodexTranscript, iso

MODELS = ("claude-sonnet-4-5-20250929", "claude-opus-4-1-20250805", "claude-haiku-4-5-20251001")
ZONES = ("UTC", "America/New_York", "Asia/Kathmandu")
DAYS = 4
CENT = 0.01


def ccusage(program: str, root: Path, *words: str, **env: str) -> Any:
    path = find_agent(program)
    if path is None:
        pytest.skip("ccusage is not installed; `make test-agents` does that")
    home = {"HOME": str(root), "PATH": "/usr/bin:/bin", "XDG_CONFIG_HOME": str(root / ".config")}
    command = [path, *words, "--json", "--offline"]
    done = subprocess.run(command, env=home | env, capture_output=True, text=True, check=True, timeout=60)
    return json.loads(done.stdout)


def usage(home: Path, *words: str) -> list[dict[str, Any]]:
    done = li(home, "usage", *words, "--json")
    assert done.returncode == 0, done.stderr
    rows: list[dict[str, Any]] = json.loads(done.stdout)["rows"]
    return rows


@pytest.fixture
def claude_home(tmp_path: Path) -> Path:
    """Conversations over four days with sub-agents, several models and answers in several records; read in."""
    root, dice = tmp_path / ".claude", random.Random(7)
    for number in range(12):
        conversation = ClaudeTranscript(root)
        helper = ClaudeTranscript(root, conversation.session, agent=f"a{number}")
        second = dice.randrange(DAYS * 86400)
        conversation.user(f"task {number}", timestamp=iso(second))
        for answer in range(dice.randint(3, 12)):
            second += dice.choice((20, 400, 2400, 20000))
            speaker = dice.choice((conversation, conversation, helper))
            _answer(speaker, dice, second, f"{number}-{answer}")
    done = li(tmp_path, "mirror", "claude", CLAUDE_CONFIG_DIR=str(root), timeout=60)
    assert done.returncode == 0, done.stderr
    return tmp_path


def _answer(transcript: ClaudeTranscript, dice: random.Random, second: float, name: str) -> None:
    """An answer of the model: two records of one message, whose first repeats most of the usage."""
    spent = {
        "input_tokens": dice.randint(1, 5000),
        "output_tokens": dice.randint(1, 4000),
        "cache_read_input_tokens": dice.randint(0, 90_000),
        "cache_creation_input_tokens": dice.randint(0, 9000),
    }
    message = {"model": dice.choice(MODELS), "usage": spent}
    ids: dict[str, Any] = {"id_": f"msg_{name}", "requestId": f"req_{name}"}
    transcript.assistant(f"answer {name}", message=message, timestamp=iso(second), **ids)
    call = {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex}", "name": "Bash", "input": {"command": "ls"}}
    transcript.assistant(call, message=message, timestamp=iso(second + 1), **ids)


@pytest.mark.parametrize("zone", ZONES)
def test_usage_by_day_equals_ccusage(claude_home: Path, zone: str) -> None:
    root = claude_home / ".claude"
    theirs = ccusage("ccusage", claude_home, "daily", "--timezone", zone, CLAUDE_CONFIG_DIR=str(root))["daily"]

    days = {row["day"]: row for row in usage(claude_home, "--by", "day", "--timezone", zone)}
    models = {(row["day"], row["model"]): row for row in usage(claude_home, "--by", "day,model", "--timezone", zone)}

    assert len(days) >= 3
    assert {row["date"]: _their_tokens(row) for row in theirs} == {day: _our_tokens(row) for day, row in days.items()}
    for row in theirs:
        assert days[row["date"]]["cost_microusd"] / 1e6 == pytest.approx(row["totalCost"], abs=CENT)
        assert days[row["date"]]["total"] == row["totalTokens"]
        for part in row["modelBreakdowns"]:
            ours = models.pop((row["date"], part["modelName"]))
            assert _our_tokens(ours) == _their_tokens(part)
            assert ours["cost_microusd"] / 1e6 == pytest.approx(part["cost"], abs=CENT)
    assert not models


def test_usage_by_block_equals_ccusage(claude_home: Path) -> None:
    root = claude_home / ".claude"
    answer = ccusage("ccusage", claude_home, "blocks", CLAUDE_CONFIG_DIR=str(root))
    theirs = {block["startTime"][:19]: block for block in answer["blocks"] if not block["isGap"]}

    ours = {row["block"][:19]: row for row in usage(claude_home, "--by", "block")}

    assert len(ours) >= 5
    assert ours.keys() == theirs.keys()
    for start, block in theirs.items():
        counts, row = block["tokenCounts"], ours[start]
        assert (row["input"], row["output"], row["cache_read"], row["cache_write"]) == (
            counts["inputTokens"],
            counts["outputTokens"],
            counts["cacheReadInputTokens"],
            counts["cacheCreationInputTokens"],
        )
        assert row["cost_microusd"] / 1e6 == pytest.approx(block["costUSD"], abs=CENT)


@pytest.mark.parametrize("zone", ZONES)
def test_usage_by_day_equals_ccusage_for_codex(tmp_path: Path, zone: str) -> None:
    root, dice = tmp_path / ".codex", random.Random(3)
    for number in range(4):
        rollout = CodexTranscript(root, number=number)
        total = cached = output = 0
        for turn in range(8):
            rollout._number += dice.choice((60, 4000, 60_000))
            rollout.begin(dice.choice(("gpt-5", "gpt-5-codex")))
            rollout.user(f"task {turn}")
            rollout.assistant("done")
            spent, read, said = dice.randint(2000, 9000), dice.randint(0, 1000), dice.randint(1, 900)
            total, cached, output = total + spent, cached + read, output + said
            sums = {"input_tokens": total, "cached_input_tokens": cached, "output_tokens": output}
            last = {"input_tokens": spent, "cached_input_tokens": read, "output_tokens": said}
            named = [{**one, "reasoning_output_tokens": 0} for one in (sums, last)]
            for one in named:
                one["total_tokens"] = one["input_tokens"] + one["output_tokens"]
            rollout.event("token_count", info={"total_token_usage": named[0], "last_token_usage": named[1]})
    assert li(tmp_path, "mirror", "codex", CODEX_HOME=str(root), timeout=60).returncode == 0

    theirs = ccusage("ccusage-codex", tmp_path, "daily", "--timezone", zone, "--locale", "en-CA", CODEX_HOME=str(root))
    ours = usage(tmp_path, "--by", "day", "--timezone", zone)

    assert len(ours) >= 3
    expected = [
        (day["inputTokens"] - day["cachedInputTokens"], day["cachedInputTokens"], day["outputTokens"])
        for day in theirs["daily"]
    ]
    assert [(row["input"], row["cache_read"], row["output"]) for row in ours] == expected
    for row, day in zip(ours, theirs["daily"], strict=True):
        assert row["cost_microusd"] / 1e6 == pytest.approx(day["costUSD"], abs=CENT)


def _their_tokens(row: dict[str, Any]) -> tuple[int, ...]:
    return tuple(row[name] for name in ("inputTokens", "outputTokens", "cacheReadTokens", "cacheCreationTokens"))


def _our_tokens(row: dict[str, Any]) -> tuple[int, ...]:
    return tuple(row[name] for name in ("input", "output", "cache_read", "cache_write"))
