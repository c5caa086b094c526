"""The display name of a run."""

from __future__ import annotations

import pytest

from lionstudio.model.message_text import first_line
from lionstudio.model.run_name import play_run_name, run_name

PLAY = {"id": "0123456789", "show_topic": "calc", "show_play_name": "mul", "agent_name": "claude"}


@pytest.mark.parametrize(
    ("row", "name"),
    [
        ({**PLAY, "name": "my name"}, "my name"),
        ({**PLAY, "name": play_run_name("calc", "mul")}, "calc / mul"),
        ({**PLAY, "name": None}, "calc / mul"),
        ({**PLAY, "name": None, "show_play_name": None}, "calc"),
        ({"id": "0123456789", "name": "", "playbook_name": "audit", "agent_name": "claude"}, "audit"),
        ({"id": "0123456789", "name": None, "playbook_name": None, "agent_name": "claude"}, "claude"),
        ({"id": "0123456789"}, "01234567"),
    ],
)
def test_run_name_prefers_given_names(row: dict[str, str | None], name: str) -> None:
    assert run_name(row) == name


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("\n \n  Fix the tests \nand more", "Fix the tests"),
        ("", ""),
        ("x" * 60, "x" * 60),
        ("x" * 61, "x" * 59 + "…"),
        ("one\u2028two", "one"),
    ],
)
def test_first_line_is_short_and_single(text: str, line: str) -> None:
    assert first_line(text, 60) == line
