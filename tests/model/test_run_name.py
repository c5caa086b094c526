"""The display name of a run."""

from __future__ import annotations

import pytest

from lionstudio.model.run_name import fork_name, play_run_name, run_name, title_of

PLAY = {"id": "0123456789", "show_topic": "calc", "show_play_name": "mul", "agent_name": "claude"}


@pytest.mark.parametrize(
    ("row", "name"),
    [
        ({**PLAY, "name": "my name"}, "my name"),
        ({**PLAY, "name": play_run_name("calc", "mul")}, "calc / mul"),
        ({**PLAY, "name": None}, "calc / mul"),
        ({**PLAY, "name": None, "show_play_name": None}, "calc"),
        ({**PLAY, "name": None, "title": "Write mul"}, "calc / mul"),
        (
            {"id": "0123456789", "title": "Fix the tests", "playbook_name": "audit", "agent_name": "claude"},
            "Fix the tests",
        ),
        ({"id": "0123456789", "name": "", "playbook_name": "audit", "agent_name": "claude"}, "audit"),
        ({"id": "0123456789", "name": None, "playbook_name": None, "agent_name": "claude"}, "claude"),
        ({"id": "0123456789"}, "01234567"),
    ],
)
def test_run_name_prefers_given_names(row: dict[str, str | None], name: str) -> None:
    assert run_name(row) == name


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("\n \n  Fix\tthe   tests \nand more", "Fix the tests"),
        ("", None),
        (" \n\t\n", None),
        ("x" * 60, "x" * 60),
        ("x" * 61, "x" * 59 + "…"),
        ("one\u2028two", "one"),
    ],
)
def test_title_of_is_the_first_line_in_short(prompt: str, title: str | None) -> None:
    assert title_of(prompt) == title


def test_fork_name_marks_a_fork_once() -> None:
    assert fork_name("Fix the tests") == "Fix the tests (fork)"
    assert fork_name(fork_name("Fix the tests")) == "Fix the tests (fork)"
