"""Approving a play against its gates: what is refused, what is said, and what runs on the whole at the end."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.support.show_harness import TOPIC, ShowHarness

MARKERS = "@run sh -c \"printf '<<<<<<< a\\n1\\n=======\\n2\\n>>>>>>> b\\n' > m.txt\""


def final(harness: ShowHarness) -> dict[str, Any]:
    verdict: dict[str, Any] = json.loads((harness.show_dir / "_final_verdict.json").read_text())
    return verdict


def decide(harness: ShowHarness, play: str, **more: Any) -> None:
    """Write a decision by hand, as another tool would."""
    record = {"id": f"by-hand-{len(more)}", "decision": "approve", "attempt": harness.meta(play)["attempt"], **more}
    (harness.show_dir / play / "_decision.json").write_text(json.dumps(record))


def fsck(harness: ShowHarness) -> str:
    done = subprocess.run(["git", "-C", harness.repo, "fsck", "--strict"], capture_output=True, text=True)
    return "".join(line for line in done.stdout.splitlines() if "dangling commit" not in line) + done.stderr


def test_approve_refuses_conflict_markers_without_force(harness: ShowHarness) -> None:
    harness.write_plan({"a": {"prompt": MARKERS, "max_attempts": 1}})
    harness.direct()
    assert harness.statuses() == {"a": "escalated"}
    refused = harness.li("show", "approve", TOPIC, "a", "--yes")
    assert (refused.code, "conflict markers remain in m.txt" in refused.err) == (1, True)
    assert f"li show approve {TOPIC} a --force" in refused.err
    decide(harness, "a")  # and the director does not trust a file either
    harness.direct()
    assert harness.statuses() == {"a": "escalated"}
    assert "approve it with --force" in harness.meta("a")["reason"]
    assert "m.txt" not in harness.files()
    assert harness.li("show", "approve", TOPIC, "a", "--force", "--yes").code == 0
    harness.direct()
    assert (harness.rows()[0], "m.txt" in harness.files()) == ("completed", True)


def test_approve_names_the_gates_that_it_overrides(harness: ShowHarness) -> None:
    gates = [{"command": ["test", "-f", "wanted"]}, {"command": ["true"]}]
    harness.write_plan({"a": {"prompt": "@write a.txt a", "max_attempts": 1}}, gates=gates)
    harness.direct()
    unconfirmed = harness.li("show", "approve", TOPIC, "a")
    assert unconfirmed.code == 2
    assert f"li show approve {TOPIC} a --yes" in unconfirmed.err
    assert not (harness.show_dir / "a" / "_decision.json").exists()
    done = harness.li("show", "approve", TOPIC, "a", "--yes")
    assert done.code == 0
    assert "gate test -f wanted: `test -f wanted`: exit code 1" in done.err
    assert "gate true: did not run on attempt 1" in done.err


def test_show_gates_run_on_the_whole_after_an_override(harness: ShowHarness) -> None:
    """Merged against its gate, the work fails the same gate at the end: the show is not completed."""
    harness.write_plan(
        {"a": {"prompt": "@write a.txt a", "max_attempts": 1}}, gates=[{"command": ["test", "-f", "wanted"]}]
    )
    harness.direct()
    assert harness.li("show", "approve", TOPIC, "a", "--yes").code == 0
    assert harness.direct() == "aborted"
    verdict = final(harness)
    assert (verdict["show_passed"], verdict["gate_passed"]) == (False, False)
    assert verdict["summary"] == "`test -f wanted`: exit code 1"
    assert harness.statuses() == {"a": "merged"}


def test_show_gates_pass_on_the_whole_when_a_later_play_repairs_it(harness: ShowHarness) -> None:
    plays: dict[str, Any] = {
        "a": {"prompt": "@write a.txt a", "max_attempts": 1},
        "b": {"prompt": "@write wanted w", "depends_on": ["a"], "gates": []},
    }
    harness.write_plan(plays, gates=[{"command": ["test", "-f", "wanted"]}])
    harness.direct()
    assert harness.li("show", "approve", TOPIC, "a", "--yes").code == 0
    assert harness.direct() == "completed"
    assert (final(harness)["show_passed"], [check["title"] for check in final(harness)["checks"]]) == (
        True,
        ["test -f wanted"],
    )


def test_show_gates_do_not_run_again_on_files_that_they_passed(harness: ShowHarness, tmp_path: Path) -> None:
    runs = tmp_path / "gate-runs"
    gate = {"command": ["sh", "-c", f"echo run >> {runs}"]}
    harness.write_plan({"a": "@write a.txt a", "b": {"prompt": "@write b.txt b", "depends_on": ["a"]}}, gates=[gate])
    assert harness.direct() == "completed"
    assert runs.read_text().count("run") == 2
    assert "the merge of b" in final(harness)["summary"]
    assert final(harness)["checks"][0]["passed"] is True


def test_final_verdict_says_that_there_are_no_gates(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@write a.txt a"})
    assert harness.direct() == "completed"
    assert (final(harness)["summary"], final(harness)["checks"]) == ("no gates configured", [])


@pytest.mark.parametrize("gates", [[], [{"command": ["true"]}]])
def test_filtered_files_hand_the_play_to_a_person(harness: ShowHarness, gates: list[Any]) -> None:
    (harness.repo / ".gitattributes").write_text("*.key filter=other\n")
    harness.git("add", ".gitattributes")
    harness.git("commit", "-qm", "attributes")
    harness.before = harness.hash_user_files()
    harness.write_plan({"a": "@write new.key secret\n@write other.txt o"}, gates=gates)
    harness.direct()
    assert (harness.statuses(), harness.runs()["a"]) == ({"a": "escalated"}, 1)
    reason = "1 changed file is left out: new.key; git needs the filter other to store them"
    assert harness.meta("a")["reason"] == reason
    assert harness.meta("a")["left_out"] == [{"path": "new.key", "why": "filter", "detail": "other"}]
    assert (Path(harness.meta("a")["worktree"]) / "new.key").read_text() == "secret\n"
    status = json.loads(harness.li("show", "status", TOPIC, "--json").out)["show"]["plays"][0]
    assert status["left_out"] == harness.meta("a")["left_out"]
    assert "show.left_out" in harness.li("state", "doctor").out
    approved = harness.li("show", "approve", TOPIC, "a", "--yes")
    assert (approved.code, reason in approved.err) == (0, True)
    assert harness.direct() == "completed"
    assert ("other.txt" in harness.files(), "new.key" in harness.files()) == (True, False)
    folder = Path(harness.meta("a")["left_out_dir"])
    assert (folder / "new.key").read_text() == "secret\n"
    report = harness.li("state", "doctor").out
    assert "show.left_out" in report
    assert str(folder) in report
    harness.assert_consistent()


def test_ignored_files_are_moved_aside_and_reported(harness: ShowHarness) -> None:
    (harness.repo / ".gitignore").write_text("out/\n")
    harness.git("add", ".gitignore")
    harness.git("commit", "-qm", "ignore")
    harness.before = harness.hash_user_files()
    harness.write_plan({"a": "@write out/report.txt r\n@write a.txt a"})
    assert harness.direct() == "completed"
    assert harness.meta("a")["left_out"] == [{"path": "out", "why": "ignored"}]
    assert (Path(harness.meta("a")["left_out_dir"]) / "out/report.txt").read_text() == "r\n"
    assert "not in a commit: out; kept in " in harness.li("show", "status", TOPIC).out
    harness.assert_consistent()


def test_approve_refuses_commits_that_cannot_be_collected(harness: ShowHarness) -> None:
    """The commit is refused by git, so that a merge would take nothing and its removal the only copy."""
    script = harness.root / "agent.sh"
    script.write_text(
        "echo work > work.txt; git add -A; git commit -q -m work\n"
        "blob=.git/objects/$(git rev-parse HEAD:work.txt | sed 's|^..|&/|')\n"
        "chmod u+w $blob; echo nonsense > $blob; rm work.txt\n"
    )
    harness.write_plan({"a": {"prompt": f"@run sh {script}", "max_attempts": 1}})
    harness.direct()
    assert harness.statuses() == {"a": "escalated"}
    worktree = Path(harness.meta("a")["worktree"])
    head = (worktree / ".git/refs/heads/show" / TOPIC / "a").read_text()
    for force in ([], ["--force"]):
        refused = harness.li("show", "approve", TOPIC, "a", "--yes", *force)
        assert (refused.code, "a cannot be merged: the commits in the checkout cannot be read" in refused.err) == (
            1,
            True,
        )
        assert str(worktree) in refused.err
    decide(harness, "a", force=True)
    harness.direct()
    assert harness.statuses() == {"a": "escalated"}
    assert harness.meta("a")["reason"].startswith("not merged, and nothing was removed")
    assert (worktree / ".git/refs/heads/show" / TOPIC / "a").read_text() == head
    assert fsck(harness) == ""


def test_lfs_files_are_merged_without_a_person(harness: ShowHarness) -> None:
    (harness.repo / ".gitattributes").write_text("*.bin filter=lfs -text\n")
    harness.git("add", ".gitattributes")
    harness.git("commit", "-qm", "attributes")
    harness.git("config", "filter.lfs.clean", "git-lfs clean -- %f")
    harness.write_plan({"a": "@write data.bin content"})
    assert harness.direct() == "completed"
    assert harness.files()["data.bin"].splitlines()[0] == "version https://git-lfs.github.com/spec/v1"
    oid = harness.files()["data.bin"].splitlines()[1].removeprefix("oid sha256:")
    stored = harness.repo / ".git" / "lfs" / "objects" / oid[:2] / oid[2:4] / oid
    assert stored.read_text() == "content\n"
    assert "left_out" not in harness.meta("a")


def test_checkout_of_a_merged_play_that_is_kept_is_reported(harness: ShowHarness) -> None:
    """A nested repository is in no commit, so the checkout stays; status and doctor say so."""
    nested = "@run sh -c 'mkdir sub; git init -q sub; echo n > sub/n'\n@write o.txt o"
    harness.write_plan({"a": {"prompt": nested, "max_attempts": 1}, "b": {"prompt": "@fail no", "max_attempts": 1}})
    harness.direct()
    assert harness.li("show", "approve", TOPIC, "a", "--yes").code == 0
    harness.direct()
    assert harness.statuses() == {"a": "merged", "b": "escalated"}
    assert (Path(harness.meta("a")["worktree"]) / "sub" / "n").read_text() == "n\n"
    assert "checkout kept: it has changes that were not collected: sub/" in harness.li("show", "status", TOPIC).out
    findings = harness.li("state", "doctor", "--json").json["findings"]
    assert [(finding["code"], finding["subject"]) for finding in findings if "checkout" in finding["code"]] == [
        ("show.checkout_kept", f"checkout of {TOPIC}/a")
    ]
