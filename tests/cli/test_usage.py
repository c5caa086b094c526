"""`li usage`: what a terminal and a pipe show."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.builders import begin, said, write
from tests.support.commands import run_li, run_on_terminal

from lionstudio.state.database import Database
from lionstudio.state.messages.append import append

FIVE_PM = 1_763_312_400.0  # 2025-11-16 17:00 UTC


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with Database(str(tmp_path / "state.db")) as db:
        usage = {"input_tokens": 3, "cost_microusd": 5}
        run = begin(db, "s", model="sonnet")
        write(db, append, run.branch_id, said("x", metadata={"usage": usage}, created_at=FIVE_PM))
    return tmp_path


@pytest.mark.parametrize(
    ("zone", "block"), [("UTC", "2025-11-16 17:00 – 22:00"), ("Asia/Kathmandu", "2025-11-16 22:45 – 03:45")]
)
def test_usage_by_block_shows_its_start_and_end_in_the_zone(home: Path, zone: str, block: str) -> None:
    shown = run_on_terminal("usage", "--by", "block", "--timezone", zone, env={"LIONAGI_HOME": str(home)})

    assert block in shown.out


def test_usage_in_a_pipe_has_the_documented_fields(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIONAGI_HOME", str(home))

    piped = run_li("usage", "--by", "day,model", "--timezone", "UTC").out

    assert piped == "2025-11-16\tsonnet\t3\t0\t0\t0\t3\t5\t0\t1\n"
