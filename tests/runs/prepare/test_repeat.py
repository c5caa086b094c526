"""The request of a run, as a person edits it before it runs again."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.builders import begin, read, said, write

from lionstudio.model.messages import create_message
from lionstudio.runs.prepare.repeat import RepeatableRun, get_repeatable, playbook_request
from lionstudio.runs.talk.continue_answered import request_of
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append


def repeatable(db: Database, **fields: Any) -> RepeatableRun:
    begin(db, **fields)
    return read(db, get_repeatable, "s")


def test_get_repeatable_of_an_agent_has_target_prompt_folder_and_options(db: Database) -> None:
    request = request_of("critic", {"model": "opus", "permissions": "edit", "timeout": None}, (), ())
    begun = begin(db, invocation_kind="agent", provider="claude", cwd="/work", metadata={"request": request})
    for message in (create_message({"system_message": "be brief"}), said("fix it"), said("and now?")):
        write(db, append, begun.branch_id, message)

    assert read(db, get_repeatable, "s") == RepeatableRun(
        "agent", "critic", "fix it", "/work", {"model": "opus", "permissions": "edit"}
    )


def test_get_repeatable_of_a_playbook_has_its_arguments_and_input(db: Database) -> None:
    request = playbook_request("audit", {"agent": "script"}, "the parser", ["depth=2", "where=a=b"])
    run = repeatable(db, invocation_kind="play", playbook_name="audit", cwd="/work", metadata={"request": request})

    assert run == RepeatableRun(
        "playbook", "audit", "the parser", "/work", {"agent": "script"}, {"depth": "2", "where": "a=b"}
    )


def test_playbook_request_leaves_out_an_input_that_is_too_long() -> None:
    assert "input" in playbook_request("audit", {}, "x" * 20_000, ())
    assert "input" not in playbook_request("audit", {}, "x" * 20_001, ())


def test_get_repeatable_of_an_imported_session_has_its_provider(db: Database) -> None:
    run = repeatable(db, invocation_kind="agent", provider="codex", source_kind="imported_codex")

    assert (run.target, run.prompt, run.problem) == ("codex", "", None)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"invocation_kind": "show-play", "provider": "claude"}, "redo it on the page of the show"),
        ({"invocation_kind": "flow"}, "li flow --help"),
        ({"invocation_kind": "fanout"}, "li fanout --help"),
        ({"metadata": {"request": {"target": "command", "command": ["cat"]}}}, "repeat it in a terminal"),
        ({"agent_name": "mine", "provider": None}, "Its agent is not known"),
        ({"metadata": {"request": "not an object"}, "provider": None}, "Its agent is not known"),
    ],
)
def test_get_repeatable_names_the_problem(db: Database, fields: dict[str, Any], problem: str) -> None:
    assert problem in (repeatable(db, **{"invocation_kind": "agent", **fields}).problem or "")
