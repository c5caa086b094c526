"""The goals of the product: each is measured by a row of a bench, documented, and judged by the measured figures."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benches.goals import GOALS, ProductGoal, markdown, outcomes

ROOT = Path(__file__).resolve().parents[2]
BENCHES = ROOT / "benches"
ANY = ".*"


def modules_of(bench: str) -> Iterator[ast.Module]:
    """A bench, and the modules of benches/ that it imports names from."""
    tree = ast.parse((BENCHES / f"bench_{bench}.py").read_text(encoding="utf-8"))
    yield tree
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("benches."):
            name = str(node.module).removeprefix("benches.")
            if not name.startswith("bench_"):
                yield ast.parse((BENCHES / f"{name}.py").read_text(encoding="utf-8"))


def templates(bench: str) -> set[str]:
    """The strings of a bench as regular expressions; a field of an f-string is anything."""
    texts = set()
    for tree in modules_of(bench):
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                parts = (re.escape(str(part.value)) if isinstance(part, ast.Constant) else ANY for part in node.values)
                texts.add("".join(parts))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.add(re.escape(node.value))
    return {text for text in texts if len(re.findall(r"[a-z]", text.replace(ANY, ""))) >= 4}


def example(pattern: str) -> str:
    """A name that the pattern of a row matches."""
    name = re.sub(r"\((.*?)\|.*?\)", r"\1", pattern)
    name = re.sub(r"\.\*|\[[^]]*\]\+", "some", name)
    return re.sub(r"\\(.)", r"\1", name)


@pytest.mark.parametrize("goal", GOALS, ids=lambda goal: goal.what)
def test_goal_is_measured_by_a_row_of_its_bench(goal: ProductGoal) -> None:
    names = [example(pattern) for pattern in goal.rows]
    assert all(re.fullmatch(pattern, name) for pattern, name in zip(goal.rows, names, strict=True)), names

    rows = templates(goal.bench)

    assert [name for name in names if not any(re.fullmatch(row, name) for row in rows)] == []


def test_goals_are_documented() -> None:
    page = (ROOT / "docs" / "reference" / "performance.md").read_text(encoding="utf-8")

    assert [goal.what for goal in GOALS if f"| {goal.what} | {goal.limit} |" not in page] == []


def result(bench: str, verdicts: dict[str, str], *, quick: bool = False) -> dict[str, Any]:
    rows = [{"what": what, "value": 2.0, "unit": "ms", "verdict": verdict} for what, verdict in verdicts.items()]
    return {"command": f"python -m benches.bench_{bench}", "quick": quick, "rows": rows}


def verdict(what: str, *results: dict[str, Any]) -> str:
    [outcome] = [outcome for outcome in outcomes(results) if outcome.goal.what == what]
    return outcome.verdict


def test_outcomes_need_every_row_of_a_goal() -> None:
    goal = "the same, 64 producers in one process"
    one, other = "submit × 64, throughput / bare", "submit × 64, p99"

    assert verdict(goal) == "not measured"
    assert verdict(goal, result("append", {one: "ok"})) == "not measured"
    assert verdict(goal, result("append", {one: "ok", other: "MISS"})) == "missed"
    assert verdict(goal, result("append", {one: "ok", other: "ok"})) == "reached"
    assert verdict(goal, result("cli", {one: "ok", other: "ok"})) == "not measured"


def test_outcomes_ignore_quick_results() -> None:
    assert (
        verdict("`li studio`, memory at rest", result("http", {"memory at rest": "ok"}, quick=True)) == "not measured"
    )


def test_outcomes_take_no_row_of_peers() -> None:
    peers = result("http", {"memory at rest": "ok"}) | {"command": "python -m benches.peers"}

    assert verdict("`li studio`, memory at rest", peers) == "not measured"


def test_markdown_marks_goals_that_were_missed() -> None:
    page = markdown([result("http", {"memory at rest": "MISS"})])

    assert "| `li studio`, memory at rest | ≤ 90 MB | 2.00 ms | **missed** | `bench_http` |" in page
