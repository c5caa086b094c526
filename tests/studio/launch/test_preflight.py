"""Runs that cannot start are refused with the field that caused it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.studio import settings_in

from lionstudio.errors import LionError
from lionstudio.studio.launch.preflight import check_run

PLAYBOOK = """name: audit
prompt: audit {where} at depth {depth}
args:
  where: {type: str, required: true}
  depth: {type: int, default: 1}
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / "playbooks").mkdir(parents=True)
    (tmp_path / "home" / "playbooks" / "audit.yaml").write_text(PLAYBOOK)
    return tmp_path


def check(home: Path, verb: str, target: str | None, prompt: str = "@say hi", **options: Any) -> None:
    check_run(settings_in(home), verb, target, prompt, {"cwd": str(home), **options})


def test_check_run_accepts_what_can_start(home: Path) -> None:
    check(home, "agent", "script")
    check(home, "play", "audit", arg=["where=src", "depth=2"])
    check(home, "backup", None, cwd="relative")


@pytest.mark.parametrize(
    ("verb", "target", "prompt", "options", "field"),
    [
        ("agent", "script", "@say hi", {"cwd": "relative"}, "cwd"),
        ("agent", "script", "@say hi", {"cwd": "/does/not/exist"}, "cwd"),
        ("agent", "nobody", "hi", {}, "target"),
        ("agent", "script", "  \n", {}, "prompt"),
        ("agent", "script", "@unknown", {}, "prompt"),
        ("agent", "openai", "hi", {}, "model"),
        ("play", "nothing", "", {}, "target"),
        ("play", "audit", "", {"agent": "nobody", "arg": ["where=src"]}, "agent"),
        ("play", "audit", "", {"arg": ["depth=2"]}, "arg.where"),
        ("play", "audit", "", {"arg": ["where=src", "depth=deep"]}, "arg.depth"),
        ("play", "audit", "", {"arg": ["where=src", "other=1"]}, None),
    ],
)
def test_check_run_names_the_field_of_the_error(
    home: Path, verb: str, target: str, prompt: str, options: dict[str, Any], field: str | None
) -> None:
    with pytest.raises(LionError) as refused:
        check(home, verb, target, prompt, **options)
    assert refused.value.field == field
