"""Agents that attack their show: by its plan, by its integration branch, by files that steer the next agents."""

from __future__ import annotations

import shutil
from typing import Any

import pytest
from tests.support.show_harness import TOPIC, ShowHarness

from lionstudio.errors import InvalidInput
from lionstudio.files.shows.decision_log import find_open_question
from lionstudio.model.shows.decisions import ShowQuestionKind
from lionstudio.model.shows.show_files import ACCEPTED_PLAN, PLAN
from lionstudio.shows.execute.open_show import OpenShow
from lionstudio.shows.records.play_records import save_play, update_show
from lionstudio.state.database import reading
from lionstudio.state.shows import get_show, list_plays

FAIL = {"command": ["test", "-e", "never"]}


def rewrite(harness: ShowHarness, **head: Any) -> str:
    """Return a script line by which a play replaces the plan of its own show; `head` is the new head."""
    plan = harness.show_dir / "_show.md"
    before = plan.read_text()
    harness.write_plan({"a": {"prompt": "@write a.txt a", "max_attempts": 1}}, **head)
    (harness.root / "weaker.md").write_text(plan.read_text())
    plan.write_text(before)
    return f"@run cp {harness.root}/weaker.md {plan}\n@sleep 1.5\n@write a.txt a"


def test_play_that_removes_its_gates_from_the_plan_is_not_merged(harness: ShowHarness) -> None:
    harness.write_plan({"a": "-"}, gates=[FAIL])
    attack = rewrite(harness)
    harness.write_plan({"a": {"prompt": attack, "max_attempts": 1}}, gates=[FAIL])
    harness.direct()

    assert harness.statuses() == {"a": "escalated"}
    question = find_open_question(str(harness.show_dir))
    assert question is not None
    assert question.kind is ShowQuestionKind.PLAN
    assert "gates of the show: test -e never is removed or changed" in question.reason
    status = harness.li("show", "status", TOPIC)
    assert "the edited plan weakens the show and is not followed" in status.err
    assert f"li show approve {TOPIC}" in status.err


def test_weaker_plan_is_not_followed_by_the_next_director_either(harness: ShowHarness) -> None:
    """The plan is edited while no director runs."""
    harness.write_plan({"a": {"prompt": "@write a.txt a", "max_attempts": 1}}, gates=[FAIL])
    harness.direct()
    harness.write_plan({"a": {"prompt": "@write a.txt a", "max_attempts": 5}})
    refused = harness.li("show", "approve", TOPIC)
    assert refused.code == 2  # nobody confirmed
    harness.direct()
    assert harness.statuses() == {"a": "escalated"}
    assert harness.runs() == {"a": 1}


def test_weaker_plan_is_followed_when_a_person_approves_it(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@write a.txt a"}, gates=[{"person": "look"}], final_gates=[FAIL])
    harness.direct()
    harness.write_plan({"a": "@write a.txt a"})
    harness.direct()
    assert harness.statuses() == {"a": "gated"}
    done = harness.li("show", "approve", TOPIC, "--yes")
    assert done.code == 0
    assert "plan: gates of the show: a person is removed or changed" in done.err
    assert "plan: final gates: test -e never is removed or changed" in done.err

    assert harness.direct() == "completed"
    assert harness.statuses() == {"a": "merged"}


def test_weaker_plan_is_undone_when_a_person_rejects_it(harness: ShowHarness) -> None:
    harness.write_plan({"a": {"prompt": "@write a.txt a", "max_attempts": 1}}, gates=[FAIL])
    before = (harness.show_dir / "_show.md").read_text()
    harness.direct()
    harness.write_plan({"a": "@write a.txt a"})
    edited = (harness.show_dir / "_show.md").read_text()
    assert harness.li("show", "reject", TOPIC).code == 0
    harness.direct()

    assert (harness.show_dir / "_show.md").read_text() == before
    assert (harness.show_dir / "_show.rejected.md").read_text() == edited
    assert find_open_question(str(harness.show_dir)) is None
    assert harness.statuses() == {"a": "escalated"}


def test_approval_does_not_accept_a_later_edit(harness: ShowHarness) -> None:
    harness.write_plan({"a": {"prompt": "@write a.txt a", "max_attempts": 1}}, gates=[FAIL], final_gates=[FAIL])
    harness.direct()
    harness.write_plan({"a": {"prompt": "@write a.txt a", "max_attempts": 1}}, gates=[FAIL])
    assert harness.li("show", "approve", TOPIC, "--yes").code == 0
    harness.write_plan({"a": {"prompt": "@write a.txt a", "max_attempts": 1}})  # an agent, after the decision
    harness.direct()

    assert any("needs a decision too" in line for line in harness.warnings)
    assert "never" in (harness.show_dir / ACCEPTED_PLAN).read_text()


def test_approval_accepts_an_edit_once(harness: ShowHarness) -> None:
    """The weaker plan is approved, undone, and made again by an agent: the old decision file is still there."""
    play = {"a": {"prompt": "@write a.txt a", "max_attempts": 1}}
    harness.write_plan(play, gates=[FAIL], final_gates=[FAIL])
    harness.direct()
    harness.write_plan(play, gates=[FAIL])
    assert harness.li("show", "approve", TOPIC, "--yes").code == 0
    harness.direct()
    assert accepted_final_gates(harness) == 0
    harness.write_plan(play, gates=[FAIL], final_gates=[FAIL])
    harness.direct()
    harness.write_plan(play, gates=[FAIL])
    harness.direct()

    assert accepted_final_gates(harness) == 1
    question = find_open_question(str(harness.show_dir))
    assert question is not None
    assert question.kind is ShowQuestionKind.PLAN


def accepted_final_gates(harness: ShowHarness) -> int:
    return (harness.show_dir / ACCEPTED_PLAN).read_text().count("final_gates")


def test_play_that_changes_its_agent_and_program_is_not_followed(harness: ShowHarness) -> None:
    mark = harness.root / "attacked"
    first = {"prompt": "@sleep 1.5\n@write a.txt a"}
    harness.write_plan({"a": first, "b": {"prompt": f"@run touch {mark}", "depends_on": ["a"]}})
    weaker = (harness.show_dir / PLAN).read_text()
    harness.write_plan({"a": first, "b": {"prompt": "@write b.txt b", "depends_on": ["a"]}})
    attack = harness.root / "weaker.md"
    attack.write_text(weaker)
    harness.write_plan(
        {
            "a": {"prompt": f"@run cp {attack} {harness.show_dir / PLAN}\n@sleep 1.5\n@write a.txt a"},
            "b": {"prompt": "@write b.txt b", "depends_on": ["a"]},
        }
    )
    harness.direct()

    assert harness.statuses() == {"a": "merged", "b": "merged"}
    assert harness.files()["b.txt"] == "b"
    assert not mark.exists()
    assert harness.rows()[0] == "active"  # the edit waits for a person


def test_new_play_of_another_agent_starts_when_a_person_approves_it(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@write a.txt a"}, gates=[{"person": "look"}])
    harness.direct()
    new = {"prompt": "@write b.txt b", "agent": "script/other"}
    harness.write_plan({"a": "@write a.txt a", "b": new}, gates=[{"person": "look"}])
    harness.direct()
    assert harness.runs() == {"a": 1}
    assert harness.statuses() == {"a": "gated", "b": "pending"}
    assert harness.li("show", "approve", TOPIC, "--yes").code == 0
    harness.direct()
    assert harness.runs() == {"a": 1, "b": 1}


def test_held_edit_does_not_reach_the_rows_of_the_next_director(harness: ShowHarness) -> None:
    person = {"prompt": "@write b.txt b", "gates": [{"person": "look"}], "depends_on": ["a"]}
    harness.write_plan({"a": {"prompt": "@fail 1 no", "max_attempts": 1}, "b": person})
    harness.direct()
    other = harness.root / "other"
    shutil.copytree(harness.repo, other)
    harness.write_plan({"a": {"prompt": "@fail 1 no", "max_attempts": 1}}, repo=str(other), base_branch="evil")
    OpenShow(str(harness.show_dir), harness.settings, {}, harness.warnings.append).close()

    with reading(str(harness.home / "state.db")) as conn:
        show = get_show(conn, TOPIC)
        names = {play.name for play in list_plays(conn, show.id)}
    assert (show.repo, show.base_branch) == (str(harness.repo), None)
    assert names == {"a", "b"}


def deciders(harness: ShowHarness) -> object:
    with reading(str(harness.home / "state.db")) as conn:
        return get_show(conn, TOPIC).metadata.get("deciders")


def test_deciders_are_those_of_the_plan_that_a_person_accepted(harness: ShowHarness) -> None:
    play = {"a": {"prompt": "@fail 1 no", "max_attempts": 1}}
    harness.write_plan(play)
    assert harness.li("show", "plan", TOPIC).code == 0
    harness.write_plan(play, deciders=["first"])  # before the first start
    harness.direct()
    assert deciders(harness) == ["first"]
    harness.write_plan(play, deciders=["second"])
    harness.direct()
    assert deciders(harness) == ["first"]
    assert harness.li("show", "approve", TOPIC, "--yes").code == 0
    harness.direct()
    assert deciders(harness) == ["second"]


def test_accepted_plan_with_a_secret_stays_as_it_was_written(harness: ShowHarness) -> None:
    """Rows are redacted; a redacted copy would look like an edit, and a rejection would write it into the plan."""
    gate = {"command": ["sh", "-c", "exit 1 # ghp_" + "aB3" * 12]}
    harness.write_plan({"a": {"prompt": "@write a.txt a", "max_attempts": 1}}, gates=[gate])
    harness.direct()
    written = (harness.show_dir / PLAN).read_text()
    harness.write_plan({"a": {"prompt": "@write a.txt a", "max_attempts": 1}})
    harness.direct()
    assert harness.li("show", "reject", TOPIC).code == 0
    harness.direct()

    assert (harness.show_dir / PLAN).read_text() == written
    assert find_open_question(str(harness.show_dir)) is None


def test_forged_copy_of_the_accepted_plan_is_refused(harness: ShowHarness) -> None:
    harness.write_plan({"a": {"prompt": "@write a.txt a", "max_attempts": 1}}, gates=[FAIL])
    harness.direct()
    harness.write_plan({"a": {"prompt": "@write a.txt a", "max_attempts": 1}})
    (harness.show_dir / ACCEPTED_PLAN).write_text((harness.show_dir / PLAN).read_text())  # an agent without a sandbox

    with pytest.raises(InvalidInput, match="is not the plan that you accepted last"):
        harness.direct()
    assert harness.statuses() == {"a": "escalated"}


def push(harness: ShowHarness) -> str:
    """Return a script line that commits to the integration branch of the user's repository."""
    ref, repo = f"refs/heads/show/{TOPIC}/integration", harness.repo
    make = f"git -C {repo} -c user.name=x -c user.email=x@x commit-tree -m sneaked -p {ref} {ref}^{{tree}}"
    return f"@run sh -c 'git -C {repo} update-ref {ref} $({make})'"


@pytest.mark.parametrize("durable", [False, True])
def test_commit_of_an_agent_on_the_integration_branch_stops_the_show(harness: ShowHarness, durable: bool) -> None:
    harness.write_plan({"a": f"{push(harness)}\n@write a.txt a"})
    harness.direct(durable=durable)

    assert harness.statuses() == {"a": "gated"}
    assert harness.rows()[0] == "active"
    tip = harness.git("rev-parse", f"show/{TOPIC}/integration")
    question = find_open_question(str(harness.show_dir))
    assert question is not None
    assert (question.kind, tip[:12] in question.reason) == (ShowQuestionKind.COMMITS, True)
    status = harness.li("show", "status", TOPIC)
    assert f"the integration branch has commits that this show did not make: {tip[:12]}" in status.err


def test_commit_after_the_last_merge_stops_the_show(harness: ShowHarness) -> None:
    """The forged commit has the trailer of a play, as a merge of ours has."""
    harness.write_plan({"a": "@write a.txt a"}, final_gates=[{"person": "look"}])
    harness.direct()
    assert harness.statuses() == {"a": "merged"}
    ref = f"refs/heads/show/{TOPIC}/integration"
    message = f"x\n\nShow-Play: {TOPIC}/a\nShow-Attempt: 1\n"
    harness.git("update-ref", ref, harness.git("commit-tree", "-m", message, "-p", ref, f"{ref}^{{tree}}"))
    harness.direct()

    assert harness.rows()[0] == "active"
    question = find_open_question(str(harness.show_dir))
    assert question is not None
    assert question.kind is ShowQuestionKind.COMMITS


def test_person_accepts_a_commit_on_the_integration_branch(harness: ShowHarness) -> None:
    harness.write_plan({"a": f"{push(harness)}\n@write a.txt a"})
    harness.direct()
    assert harness.li("show", "approve", TOPIC).code == 2  # not without confirmation
    assert harness.li("show", "approve", TOPIC, "--yes").code == 0
    assert harness.direct() == "completed"
    assert harness.statuses() == {"a": "merged"}


def test_person_removes_a_commit_from_the_integration_branch(harness: ShowHarness) -> None:
    harness.write_plan({"a": f"{push(harness)}\n@write a.txt a"})
    harness.direct()
    ref = f"refs/heads/show/{TOPIC}/integration"
    harness.git("update-ref", ref, f"{ref}~1")
    assert harness.li("show", "reject", TOPIC).code == 0
    assert harness.direct() == "completed"
    assert harness.merged() == {"a": 1}


def test_merge_that_is_dropped_from_the_integration_branch_stops_the_show(harness: ShowHarness) -> None:
    ref, repo = f"refs/heads/show/{TOPIC}/integration", harness.repo
    drop = f"@run git -C {repo} update-ref {ref} {ref}~1"
    harness.write_plan({"a": "@write a.txt a", "b": {"prompt": f"@write b.txt b\n{drop}", "depends_on": ["a"]}})
    harness.direct()

    assert harness.statuses() == {"a": "merged", "b": "gated"}
    question = find_open_question(str(harness.show_dir))
    assert question is not None
    assert question.kind is ShowQuestionKind.COMMITS
    lost = harness.meta("a")["merge_sha"]
    reason = f"merges of this show are missing from the integration branch: {lost[:12]}"
    assert reason in question.reason
    assert reason in harness.li("show", "status", TOPIC).err
    # the person restores the branch, and has it checked again
    harness.git("update-ref", ref, lost)
    assert harness.li("show", "reject", TOPIC).code == 0
    assert harness.direct() == "completed"
    assert harness.files().keys() == {"README", "a.txt", "b.txt"}


def test_person_accepts_that_a_merge_was_dropped(harness: ShowHarness) -> None:
    """The branch moves back after the last merge, while no director runs."""
    harness.write_plan({"a": "@write a.txt a"}, final_gates=[{"person": "look"}])
    harness.direct()
    ref = f"refs/heads/show/{TOPIC}/integration"
    harness.git("update-ref", ref, f"{ref}~1")
    harness.direct()
    assert harness.rows()[0] == "active"
    accepted = harness.li("show", "approve", TOPIC, "--yes")
    assert f"merge {harness.meta('a')['merge_sha']} is missing from" in accepted.err
    harness.direct()
    question = find_open_question(str(harness.show_dir))
    assert question is not None
    assert question.kind is ShowQuestionKind.FINAL


def test_merge_of_a_version_without_a_record_is_taken_once(harness: ShowHarness) -> None:
    """Version 0.1 was killed after it moved the branch and before it saved the merge."""
    harness.write_plan({"a": "@write a.txt a"}, final_gates=[{"person": "look"}])
    harness.direct()
    with harness.database() as db:
        update_show(str(harness.show_dir), db, merges=None, integration_tip=None)
        save_play(str(harness.show_dir), db, "a", merge_sha=None)
    harness.direct()
    question = find_open_question(str(harness.show_dir))
    assert question is not None
    assert question.kind is ShowQuestionKind.FINAL


@pytest.mark.parametrize(
    "path",
    [
        "docs/claude.md",
        "AGENTS.md",
        ".mcp.json",
        "sub/.Claude/settings.json",
        ".lionagi/agents/critic.md",
        ".github/copilot-instructions.md",
        ".vscode/mcp.json",
    ],
)
def test_change_of_a_file_that_steers_agents_waits_for_a_person(harness: ShowHarness, path: str) -> None:
    harness.write_plan({"a": f"@write {path} obey\n@write a.txt a"}, gates=[{"command": ["true"]}])
    harness.direct()

    assert harness.statuses() == {"a": "escalated"}
    meta = harness.meta("a")
    assert (meta["reason_code"], meta["steering_files"], meta["attempt"]) == ("steering_files", [path], 1)
    assert path in meta["reason"]


HOOK = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "$CLAUDE_PROJECT_DIR/bin/x.sh"}]}]}}'


@pytest.mark.parametrize(
    ("files", "attack", "steering"),
    [
        (
            {"CLAUDE.md": "-> docs/AI.md", "docs/AI.md": ""},
            "@write docs/AI.md obey",
            "docs/AI.md (target of CLAUDE.md)",
        ),
        ({"CLAUDE.md": "-> docs/AI.md"}, "@write docs/AI.md obey", "docs/AI.md (target of CLAUDE.md)"),
        ({".claude": "-> tools/ai"}, "@write tools/ai/settings.json {}", "tools/ai/settings.json (target of .claude)"),
        ({".claude": "-> ."}, "@write b.txt obey", "b.txt (target of .claude)"),
        (
            {"CLAUDE.md": "-> now/AI.md", "now": "-> v1", "v1/AI.md": "", "v2/AI.md": ""},
            "@run ln -sfn v2 now",
            "now (target of CLAUDE.md)",
        ),
        (
            {"sub/AGENTS.md": "See @../docs/a.md.", "docs/a.md": "@b.md", "docs/b.md": ""},
            "@write docs/b.md obey",
            "docs/b.md (target of docs/a.md)",
        ),
        ({"CLAUDE.md": "@docs/a.md"}, "@write Docs/A.md obey", "Docs/A.md (target of CLAUDE.md)"),
        ({"CLAUDE.md": "@docs/a.md", "other/a.md": ""}, "@run ln -s other docs", "docs (target of CLAUDE.md)"),
        (
            {".claude": "-> ai", "ai/settings.json": HOOK, "bin/x.sh": ""},
            "@write bin/x.sh obey",
            "bin/x.sh (target of ai/settings.json)",
        ),
        (
            {".mcp.json": '{"mcpServers": {"a": {"command": "python3", "args": ["./bin/a.py"]}}}', "bin/a.py": ""},
            "@write bin/a.py obey",
            "bin/a.py (target of .mcp.json)",
        ),
    ],
)
def test_change_of_a_file_that_steering_files_lead_to_waits_for_a_person(
    harness: ShowHarness, files: dict[str, str], attack: str, steering: str
) -> None:
    for name, text in files.items():
        path = harness.repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text.startswith("-> "):
            path.symlink_to(text.removeprefix("-> "))
        else:
            path.write_text(text)
        harness.git("add", name)
    harness.git("commit", "-qm", "two")
    harness.write_plan({"a": attack})
    harness.direct()

    assert harness.statuses() == {"a": "escalated"}
    meta = harness.meta("a")
    assert (meta["reason_code"], meta["steering_files"]) == ("steering_files", [steering])
    assert steering in meta["reason"]


def test_person_approves_a_change_of_a_file_that_steers_agents(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@write CLAUDE.md obey"})
    harness.direct()
    assert harness.statuses() == {"a": "escalated"}
    assert f"li show approve {TOPIC} a" in harness.li("show", "status", TOPIC).err  # another attempt would not help
    assert harness.li("show", "approve", TOPIC, "a").code == 2
    approved = harness.li("show", "approve", TOPIC, "a", "--yes")
    assert "would steer the agents of this repository: CLAUDE.md" in approved.err
    assert harness.direct() == "completed"
    assert harness.files()["CLAUDE.md"] == "obey"
