"""The hint after denied actions: a command with the permissions they need."""

from __future__ import annotations

import argparse

import pytest

from lionstudio.cli.run._allow_hint import allow_hint


@pytest.mark.parametrize(
    ("permissions", "denied", "wanted"),
    [
        (None, ("Edit", "Write"), "edit"),
        ("ask", ("Edit",), "edit"),
        ("ask", ("Edit", "Bash"), "all"),
        ("edit", ("Write",), "all"),
        ("ask", ("exec_command", "x: unsupported"), "all"),
    ],
)
def test_allow_hint_names_the_permissions(permissions: str | None, denied: tuple[str, ...], wanted: str) -> None:
    args = argparse.Namespace(target="claude", permissions=permissions, cwd="/a b")
    command = allow_hint(args, "s1", denied).splitlines()[-1].strip()

    assert command == f"li agent claude --resume s1 --permissions {wanted} --cwd '/a b' \"Try again\""


def test_allow_hint_repeats_variables_and_the_program() -> None:
    options = {"permissions": "ask", "cwd": None, "pass_env": ["KEY"], "rest": ["opencode", "acp"]}
    hint = allow_hint(argparse.Namespace(target="acp", **options), "s1", ("bash",))

    assert hint.endswith('li agent acp --resume s1 --permissions all --pass-env KEY "Try again" -- opencode acp')


def test_allow_hint_promises_nothing_that_permissions_cannot_change() -> None:
    everything = argparse.Namespace(target="claude", permissions="all", cwd=None)
    asking = argparse.Namespace(target="codex", permissions="ask", cwd=None)
    flow = argparse.Namespace(permissions="ask", cwd=None)

    assert "change its settings" in allow_hint(everything, "s1", ("Bash",))
    assert "does not have" in allow_hint(asking, "s1", ("view_image: unsupported",))
    assert allow_hint(flow, "s1", ("Bash",)) == "Run it again with --permissions all, which allows every action."
