"""Coercion of single values, status and times by ADR-0017, and the text of a plan."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from tests.support.archives import BEGAN

from lionstudio.files.legacy_runs import RunFolder, Times
from lionstudio.files.shows.show_folder import FolderPlay, parse_folder_plan
from lionstudio.imports.external_db.normalize import class_for, normalize_role, normalize_usage
from lionstudio.imports.run_folders.manifest import derive_span, derive_status, session_of, time_in_name
from lionstudio.model.coerce import to_bool, to_int, to_microusd, to_timestamp
from lionstudio.model.messages import ActionRequest, ActionResponse, Message
from lionstudio.system.json_read import parse_json


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (1.5, 1.5),
        (0, 0.0),
        ("1790000000.5", 1790000000.5),
        (1_790_000_000_000, 1_790_000_000.0),
        ("2026-05-21T10:15:00Z", 1779358500.0),
        ("2026-05-21T10:15:00", 1779358500.0),
        ("2026-05-21T12:15:00+02:00", 1779358500.0),
        (True, None),
        (-1, None),
        (math.nan, None),
        (math.inf, None),
        (2**70, None),
        ("soon", None),
        ("", None),
        (None, None),
        ([], None),
        ("9" * 5000, None),
    ],
)
def test_to_timestamp(given: object, expected: float | None) -> None:
    assert to_timestamp(given) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (3, 3),
        (3.0, 3),
        ("3", 3),
        ("-3", -3),
        (3.5, None),
        (True, None),
        (2**64, None),
        ("2" * 30, None),
        ("--3", None),
        ("", None),
        (None, None),
        (math.nan, None),
        ("٣", None),
    ],
)
def test_to_int(given: object, expected: int | None) -> None:
    assert to_int(given) == expected


def test_to_microusd() -> None:
    assert to_microusd(0.0123) == 12300
    assert [to_microusd(bad) for bad in (None, "1", True, -1, math.nan, 1e300)] == [None] * 6


def test_to_bool() -> None:
    given: list[object] = [True, 0, "yes", "False", None, 2, [], "maybe"]

    assert [to_bool(value) for value in given] == [True, False, True, False, None, None, None, None]


@pytest.mark.parametrize(
    ("manifest", "status"),
    [
        ({"status": "completed"}, "completed"),
        ({"status": " Running "}, "running"),
        ({"status": "failed"}, "failed"),
        ({"status": "completed_empty"}, "completed"),
        ({"status": "canceled"}, "cancelled"),
        ({"status": "success"}, "completed"),
        ({"status": "error"}, "failed"),
        ({"status": "timeout"}, "timed_out"),
        ({"status": "aborted"}, "aborted"),
        ({"status": "who knows"}, "completed"),
        ({"status": "failed", "exit_code": 0}, "failed"),
        ({"exit_code": 0}, "completed"),
        ({"exit_code": 1}, "failed"),
        ({"exit_code": 77}, "failed"),
        ({"exit_code": -9}, "failed"),
        ({"exit_code": 124}, "timed_out"),
        ({"exit_code": 130}, "aborted"),
        ({"exit_code": 143}, "cancelled"),
        ({"status": None, "exit_code": 3}, "failed"),
        ({"status": "", "exit_code": None}, "completed"),
        ({}, "completed"),
        ({"exit_code": 2**64}, "completed"),
    ],
)
def test_derive_status(manifest: dict[str, Any], status: str) -> None:
    assert derive_status(manifest) == status


@pytest.mark.parametrize(
    ("manifest", "expected"),
    [
        ({"started_at": 5, "ended_at": 7}, (5.0, 7.0)),
        ({"started_at": "1970-01-01T00:00:05+00:00", "ended_at": 7.5}, (5.0, 7.5)),
        ({}, (100.0, 200.0)),
        ({"started_at": 150}, (150.0, 200.0)),
        ({"started_at": 300}, (300.0, 300.0)),  # the folder was copied with older times
        ({"ended_at": 50}, (50.0, 50.0)),
        ({"started_at": "never", "ended_at": math.nan}, (100.0, 200.0)),
        ({"status": "running", "started_at": 5}, (5.0, None)),
    ],
)
def test_derive_span(manifest: dict[str, Any], expected: object) -> None:
    assert derive_span(manifest, derive_status(manifest), Times(100.0, 200.0)) == expected


def folder(manifest: dict[str, Any] | None, name: str = "20260521T101500-a1b2c3") -> RunFolder:
    return RunFolder(name, f"/runs/{name}", manifest, (), None, Times(BEGAN, BEGAN + 5))


def test_session_of_keeps_every_manifest_key() -> None:
    manifest = {
        "run_id": "r",
        "kind": "fanout",
        "model_spec": "claude/sonnet",
        "artifact_root": "/a",
        "playbook": "audit",
        "agent": "coder",
        "status": "success",
        "prompt": "do",
        "new_key": {"a": [1]},
        "exit_code": 2**70,
        "cwd": 5,
    }

    session = session_of(folder(manifest))

    assert (session.invocation_kind, session.model, session.provider) == ("fanout", "claude/sonnet", "claude")
    assert (session.artifacts_path, session.playbook_name, session.agent_name) == ("/a", "audit", "coder")
    assert session.metadata == {
        "run_id": "r",
        "imported": {
            "model_spec": "claude/sonnet",
            "playbook": "audit",
            "status": "success",
            "prompt": "do",
            "new_key": {"a": [1]},
            "exit_code": 2**70,
            "cwd": 5,
        },
    }


def test_session_of_defaults() -> None:
    assert session_of(folder(None)).status == "aborted"
    assert session_of(folder({})).invocation_kind == "agent"
    assert session_of(folder({"kind": "engine"})).invocation_kind is None
    assert session_of(folder({"kind": "engine"})).metadata["imported"] == {"kind": "engine"}


def test_session_of_created_at_from_run_name() -> None:
    assert time_in_name("20260521T101500-a1b2c3") == 1779358500.0
    assert session_of(folder({})).created_at == 1779358500.0
    assert session_of(folder({}, "no-time")).created_at == BEGAN


def test_normalize_role_of_actions() -> None:
    for made, role in ((ActionRequest, "assistant"), (ActionResponse, "tool"), (Message, "tool")):
        metadata: dict[str, Any] = {}
        assert normalize_role(metadata, made, "action") == role
        assert metadata == {"role_original": "action"}
    metadata = {}
    assert normalize_role(metadata, Message, "user") == "user"
    assert normalize_role(metadata, ActionRequest, None) == "assistant"
    assert metadata == {}


def test_class_for_by_path_or_keys() -> None:
    assert class_for("some.old.path.ActionRequest", None) is ActionRequest
    assert class_for(None, {"function": "f", "output": 1}) is ActionResponse
    assert class_for("other.tool.Note", {"instruction": "x"}) is Message
    assert class_for(None, "text") is Message


@pytest.mark.parametrize(
    ("metadata", "usage"),
    [
        (
            {"model_response": {"usage": {"input_tokens": 3}, "total_cost_usd": 0.5}},
            {"input_tokens": 3, "cost_microusd": 500_000},
        ),
        (
            {"model_response": {"usage": {"prompt_tokens": 3, "completion_tokens": 4}}},
            {"input_tokens": 3, "output_tokens": 4},
        ),
        (
            {"model_response": [{"usage": {"input_tokens": 1}}, {"usage": {"input_tokens": 9}}, "x"]},
            {"input_tokens": 9},
        ),
        ({"model_response": {"usage": {"input_tokens": "many", "output_tokens": 2**70}}}, None),
        ({"model_response": "text"}, None),
        ({"usage": {"input_tokens": 3}}, {"input_tokens": 3}),
        ({"usage": {"prompt_tokens": 3}}, {"input_tokens": 3}),
        ({"usage": ["?"]}, None),
    ],
)
def test_normalize_usage_locations(metadata: dict[str, Any], usage: object) -> None:
    normalize_usage(metadata)

    assert metadata.get("usage") == usage


def test_parse_json_of_other_programs() -> None:
    assert parse_json('\ufeff{"a": NaN, "b": -Infinity, "c": 1e999, "d": 18446744073709551616}') == {
        "a": "NaN",
        "b": "-Infinity",
        "c": "1e999",
        "d": 2**64,
    }
    assert parse_json("9" * 5000) == "9" * 5000
    for bad in ('{"a": 1, "a": 2}', "[" * 100_000, "", "nul", '{"a": 1} x', "\0"):
        with pytest.raises(ValueError, match=r"."):
            parse_json(bad)


OLD_PLAN = """# Show: my-feature

## Goal
Ship X end to end.

Really.

## Context
- Repo: /home/u/repo (not a comment)
- Base for final merge: main
- Integration: show/my-feature/integration (created before any plays fire)

## Plays

**backend-api**
- Intent: build the API
- deps: []

**frontend**
- deps: [backend-api, `docs`]

## Decisions
**not a play** at all
"""


def test_plan_text_of_lines() -> None:
    plan = parse_folder_plan(OLD_PLAN)

    assert plan._asdict() == {
        "goal": "Ship X end to end.\n\nReally.",
        "repo": "/home/u/repo (not a comment)",
        "base_branch": "main",
        "integration_branch": "show/my-feature/integration",
        "final_gates": False,
        "plays": (FolderPlay("backend-api", ()), FolderPlay("frontend", ("backend-api", "docs"))),
    }


def test_plan_text_with_frontmatter() -> None:
    plan = parse_folder_plan(
        "---\ngoal: ship\nrepo: /r\nbase_branch: main\nplays:\n  - name: api\n    effort: high\n"
        "  - name: ui\n    playbook: web\n    depends_on: [api]\n---\n## Goal\nother\n"
    )

    assert (plan.goal, plan.repo, plan.base_branch) == ("ship", "/r", "main")
    assert plan.plays == (FolderPlay("api", None, None, "high"), FolderPlay("ui", ("api",), "web"))


def test_plan_text_cuts_goal_and_accepts_empty_plan() -> None:
    assert parse_folder_plan("## Goal\n" + "x" * 600).goal == "x" * 500
    assert parse_folder_plan("") == parse_folder_plan("## Goal\n## Next\n") == parse_folder_plan(str(Path("nothing")))
