"""The reason of an attempt that ended, from the output of its command."""

from __future__ import annotations

from pathlib import Path

import pytest

from lionstudio.shows.attempt.attempt_files import LOG, Exit
from lionstudio.shows.director.events import AttemptOutcome
from lionstudio.shows.execute.outcomes import attempt_ended

MISSING = "li: the program claude is not installed\n  try: npm install -g claude, then log in\n"


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (MISSING, "the program claude is not installed (npm install -g claude, then log in)"),
        ("working\nno tests\n  li state show 1\n", "no tests"),
        ("try: harder\n", "try: harder"),
        ("", "the command exited with code 3 and no output"),
    ],
)
def test_attempt_ended_gives_the_error_with_its_hint(tmp_path: Path, output: str, reason: str) -> None:
    (tmp_path / LOG).write_text(output)

    event = attempt_ended("play", str(tmp_path), Exit(3, "exited", 1.0, 2.0), None)

    assert (event.outcome, event.reason) == (AttemptOutcome.STOPPED, reason)
