"""Shows in the API: dependencies, attempts, diffs and actions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import begin, git, write
from tests.support.studio import AUTH, InProcess, application
from tests.support.workers import order, register, take

from lionstudio.errors import InvalidInput, NotFound
from lionstudio.files.shows import branch_diff
from lionstudio.model.shows.decisions import DecisionKind
from lionstudio.model.shows.plan import Budget
from lionstudio.model.shows.show import TEAM, Play, Show
from lionstudio.model.status.play_badges import play_badges
from lionstudio.model.status.statuses import PLAYS_NEEDING_DECISION, PLAYS_NEEDING_REVIEW, PlayStatus
from lionstudio.show_sync.actions import play_actions, show_actions
from lionstudio.shows.director.events import Spent
from lionstudio.shows.director.rules import DECIDABLE, exhausted_budget
from lionstudio.shows.process.lock import acquire_director_lock
from lionstudio.shows.records.decisions import log_decision
from lionstudio.state.shows import find_show, put_play, put_show
from lionstudio.state.workers.orders import Work
from lionstudio.studio.launch.policy import SHOW_ACTIONS, show_argv
from lionstudio.studio.schemas import overview, shows

START = "import sys; from lionstudio.cli.main import main; sys.exit(main())"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "a.txt").write_text("one\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    git(folder, "branch", "show/build/integration")
    for attempt, text in ((1, "two\n"), (2, "three\n")):
        git(folder, "checkout", "-q", "-B", "show/build/api", "show/build/integration")
        (folder / "a.txt").write_text(text)
        (folder / "new name.txt").write_text("new\n" * attempt)
        git(folder, "add", ".")
        git(folder, "commit", "-qm", f"attempt {attempt}")
        git(folder, "update-ref", f"refs/shows/archive/build/api/{attempt}", "HEAD")
    git(folder, "checkout", "-q", "main")
    return folder


@pytest.fixture
def studio(tmp_path: Path, repo: Path) -> Iterator[InProcess]:
    with application(tmp_path) as running:
        db = running.services.db.database()
        begin(db, "second")
        show = Show(topic="build", show_dir=str(tmp_path / "shows" / "build"), repo=str(repo), base_branch="main")
        show = write(db, put_show, show)
        for number, (name, status, needs) in enumerate(
            [
                ("api", "gated", ()),
                ("ui", "pending", ("api", "missing")),
                ("docs", "running", ()),
                ("old", "merged", ()),
            ]
        ):
            session = "second" if name == "api" else None
            play = Play(show_id=show.id, name=name, status=PlayStatus(status), depends_on=needs, sort_order=number)
            write(db, put_play, play.__class__(**{**play.to_dict(), "session_id": session, "attempt": 2}))
        folder = tmp_path / "shows" / "build" / "api"
        (folder / "attempts" / "1").mkdir(parents=True)
        (folder / "attempts" / "1" / "meta.json").write_text('{"attempt": 1, "session_id": "first"}')
        (folder / "attempts" / "1" / "verdict.json").write_text('{"gate_passed": false, "feedback": "no tests"}')
        (folder / "_meta.json").write_text('{"attempt": 2, "status": "gated"}')
        (folder / "_verdict.json").write_text('{"gate_passed": true, "attempt": 2}')
        (folder / "_prompt.md").write_text("do it again")
        yield running


def test_get_show_has_graph_progress_and_actions(studio: InProcess) -> None:
    result, listed = studio.get("/api/shows/build"), studio.get("/api/shows")["shows"]

    shows.ShowView.model_validate(result, strict=True)
    assert result["edges"] == [{"source": "api", "target": "ui"}]
    assert (result["plays_total"], result["plays_merged"], result["running_plays"]) == (4, 1, ["docs"])
    assert [(part["group"], part["tone"], part["plays"]) for part in result["plays_by_group"]] == [
        ("completed", "success", 1),
        ("running", "info", 1),
        ("awaiting_gate", "warning", 1),
        ("pending", "warning", 1),
    ]
    assert (listed[0]["plays_total"], listed[0]["plays_merged"], listed[0]["running_plays"]) == (4, 1, ["docs"])
    api = result["plays"][0]
    assert [badge["label"] for badge in api["badges"]] == ["awaiting your approval", "local"]
    assert "approve" in api["actions"]
    assert result["actions"] == ["resume", "abort"]
    assert studio.get("/api/dashboard")["shows"][0]["running_plays"] == ["docs"]


def test_get_attempts_lists_every_attempt(studio: InProcess) -> None:
    result = studio.get("/api/shows/build/plays/api/attempts")

    shows.Attempts.model_validate(result, strict=True)
    first, second = result["attempts"]
    assert (first["attempt"], first["current"], first["session_id"]) == (1, False, "first")
    assert (second["attempt"], second["current"], second["session_id"]) == (2, True, "second")
    assert first["verdict"]["feedback"] == "no tests"
    assert second["verdict"]["gate_passed"] is True
    assert studio.get("/api/shows/build/plays/api")["prompt"] == "do it again"


def test_get_diff_of_a_play(studio: InProcess) -> None:
    def changed(query: str = "") -> dict[str, Any]:
        result: dict[str, Any] = studio.get(f"/api/shows/build/plays/api/diff{query}")
        shows.DiffView.model_validate(result, strict=True)
        return result

    now, first, between = changed(), changed("?attempt=1"), changed("?attempt=2&against=1")
    assert [(each["path"], each["additions"], each["deletions"]) for each in now["files"]] == [
        ("a.txt", 1, 1),
        ("new name.txt", 2, 0),
    ]
    assert "+three" in now["patch"]
    assert "+two" in first["patch"]
    assert "-two" in between["patch"]
    assert changed("?attempt=7")["why"] == "attempt 7 has no commits"
    assert "no commits" in studio.get("/api/shows/build/plays/ui/diff")["why"]
    assert studio.client.get("/api/shows/build/plays/none/diff", headers=AUTH).status_code == 404


@pytest.mark.parametrize(
    ("key", "odd"),
    [
        ("merge_sha", "a\\0b"),
        ("merge_sha", "\\ud800"),
        ("branch", "a\\0b"),
        ("branch", "\\ud800"),
        ("integration_branch", "a\\0b"),
    ],
)
def test_get_diff_survives_invalid_ref_names(studio: InProcess, repo: Path, tmp_path: Path, odd: str, key: str) -> None:
    """A show that exists only on disk: its files may contain anything."""
    folder = tmp_path / "shows" / "found"
    (folder / "api").mkdir(parents=True)
    head = f'integration_branch: "{odd}"\n' if key == "integration_branch" else ""
    (folder / "_show.md").write_text(f"---\ngoal: x\nrepo: {repo}\n{head}---\n")
    meta = {"status": "running", "branch": "show/build/api", key: json.loads(f'"{odd}"'.replace("\\0", "\\u0000"))}
    (folder / "api" / "_meta.json").write_text(json.dumps(meta))
    assert "in the repository" in studio.get("/api/shows/found/plays/api/diff")["why"]


def test_get_diff_of_a_merged_play(studio: InProcess, repo: Path) -> None:
    git(repo, "checkout", "-q", "show/build/integration")
    git(repo, "merge", "-q", "--no-ff", "-m", "merge", "show/build/api")
    merge = git(repo, "rev-parse", "HEAD")
    db = studio.services.db.database()
    show = write(db, put_show, Show(topic="build", show_dir="/nowhere", repo=str(repo)))
    play = Play(show_id=show.id, name="api", status=PlayStatus.MERGED, merge_sha=merge)
    write(db, put_play, play)

    assert "+three" in studio.get("/api/shows/build/plays/api/diff")["patch"]


def test_get_diff_executes_nothing_in_the_repository(repo: Path, tmp_path: Path) -> None:
    """An agent owns the configuration of the repository it works in."""
    witness = tmp_path / "witness"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {witness}\n")
    script.chmod(0o755)
    for name in (
        "diff.external",
        "core.pager",
        "core.fsmonitor",
        "diff.x.textconv",
        "diff.x.command",
        "core.sshCommand",
        "core.alternateRefsCommand",
        "gpg.program",
        "pager.diff",
        "interactive.diffFilter",
    ):
        git(repo, "config", name, str(script))
    git(repo, "config", "alias.diff", f"!{script}")
    (repo / ".git" / "info").mkdir(exist_ok=True)
    (repo / ".git" / "info" / "attributes").write_text("* diff=x\n")
    hooks = repo / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-checkout", "reference-transaction", "post-index-change"):
        os.symlink(script, hooks / hook)
    base, head = (
        branch_diff.find_commit(str(repo), "refs/heads/main"),
        branch_diff.find_commit(str(repo), "refs/heads/show/build/api"),
    )
    assert base is not None
    assert head is not None

    assert "+three" in branch_diff.diff(str(repo), base, head).patch
    assert branch_diff.merge_base(str(repo), base, head) == base
    assert not witness.exists()


def test_find_commit_rejects_odd_refs_and_folders(repo: Path, tmp_path: Path) -> None:
    for ref in ("--output=/tmp/x", "-h", "refs/heads/none", "", "main:a.txt", "\n", "a\0b", "\ud800"):
        assert branch_diff.find_commit(str(repo), ref) is None, ref
    assert branch_diff.find_commit(str(tmp_path), "refs/heads/main") is None
    with pytest.raises(NotFound, match="does not exist"):
        branch_diff.find_commit("relative", "main")


def test_get_diff_truncates_a_long_patch(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base, head = (
        branch_diff.find_commit(str(repo), "refs/heads/main"),
        branch_diff.find_commit(str(repo), "refs/heads/show/build/api"),
    )
    monkeypatch.setattr(branch_diff, "MOST_PATCH", 50)
    result = branch_diff.diff(str(repo), base or "", head or "")

    assert (len(result.patch), result.whole) == (50, False)


def test_diff_that_git_could_not_finish_is_not_whole(repo: Path) -> None:
    base = branch_diff.find_commit(str(repo), "refs/heads/main") or ""
    head = branch_diff.find_commit(str(repo), "refs/heads/show/build/api") or ""
    git_of = branch_diff._git

    def failing(folder: str, *words: str) -> tuple[int, bytes, bool]:
        code, out, whole = git_of(folder, *words)
        return (128, out[:20], whole) if "--patch" in words else (code, out, whole)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(branch_diff, "_git", failing)
        assert not branch_diff.diff(str(repo), base, head).whole
    assert branch_diff.diff(str(repo), base, head).whole


def test_diff_ignores_protocol_settings_of_the_repository(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A git before 2.39.4 would fetch missing objects through a program that the repository names."""
    known = {name: value for name, value in branch_diff._environment().items() if name != "GIT_NO_LAZY_FETCH"}
    monkeypatch.setattr(branch_diff, "_environment", lambda: known)
    witness, script = tmp_path / "witness", tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {witness}\n")
    script.chmod(0o755)
    for name, value in (
        ("protocol.ext.allow", "always"),
        ("remote.origin.url", f"ext::{script}"),
        ("remote.origin.promisor", "true"),
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
    ):
        git(repo, "config", name, value)
    assert branch_diff.find_commit(str(repo), "1" * 40) is None
    with pytest.raises(NotFound):
        branch_diff.diff(str(repo), "1" * 40, "2" * 40)

    assert not witness.exists()


def test_show_argv_builds_li_show_arguments() -> None:
    assert show_argv("reject", "build", "api", "--yes; rm") == [
        "show",
        "reject",
        "build",
        "api",
        "--resume",
        "--feedback=--yes; rm",
    ]
    assert show_argv("resume", "build", None, None) == ["show", "resume", "build", "--detach"]
    approve = ["show", "approve", "build", "--resume", "--yes"]
    assert show_argv("approve", "build", None, None) == [*approve, "--plan=", "--commits="]  # nothing was shown
    shown = {"plan": "a1", "commits": ["b2", "c3"]}
    assert show_argv("approve", "build", None, None, None, shown) == [*approve, "--plan=a1", "--commits=b2,c3"]
    assert show_argv("approve", "build", None, None, {"tokens": 5}) == [*approve, "--tokens=5"]
    seen = {"attempt": 2, "head": "d4"}
    assert show_argv("redo", "build", "api", None, None, seen)[-2:] == ["--attempt=2", "--head=d4"]
    for action, play in (("approve", None), ("abort", None)):
        with pytest.raises(InvalidInput, match="does not take attempt here"):
            show_argv(action, "build", play, None, None, seen)
    assert show_argv("abort", "build", None, None) == ["show", "abort", "build"]
    for action, topic, play in (
        ("plan", "build", None),
        ("redo", "build", None),
        ("abort", "build", "api"),
        ("redo", "../x", "a"),
    ):
        with pytest.raises(InvalidInput):
            show_argv(action, topic, play, None)


@pytest.mark.parametrize("status", PlayStatus)
def test_play_actions_equal_the_decisions_of_li_show(status: PlayStatus) -> None:
    assert play_actions(status) == [str(word) for word in DecisionKind if status in DECIDABLE[word]]


@pytest.mark.parametrize("action", SHOW_ACTIONS)
def test_show_argv_is_accepted_by_li(action: str, tmp_path: Path) -> None:
    play = "api" if action in ("redo", "escalate") else None
    words = show_argv(action, "build", play, "because" if action not in ("run", "resume") else None)
    done = subprocess.run(
        [sys.executable, "-c", START, *words, "--home", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=30,
        env={**os.environ, "LIONAGI_SHOWS": str(tmp_path)},
    )

    assert done.returncode == 3, done.stderr  # the show does not exist; an unknown argument would be 2


def test_show_action_starts_a_process(studio: InProcess) -> None:
    path = "/api/shows/build/actions"
    answer = studio.client.post(path, headers=AUTH, json={"action": "approve", "play": "api"})

    assert answer.status_code == 201, answer.text
    shows.DecisionAccepted.model_validate(answer.json(), strict=True)
    launch = answer.json()["launch"]
    assert (launch["verb"], launch["target"], launch["session_id"]) == ("show", "approve", None)
    assert studio.get(f"/api/launches/{launch['id']}")["launch"]["id"] == launch["id"]
    for body, status in (
        ({"action": "plan"}, 422),
        ({"action": "redo"}, 400),
        ({"action": "abort", "play": "api"}, 400),
        ({"action": "approve", "play": "a/b"}, 400),
    ):
        assert studio.client.post(path, headers=AUTH, json=body).status_code == status
    assert studio.client.post("/api/shows/none/actions", headers=AUTH, json={"action": "abort"}).status_code == 404


def test_needs_review_has_one_definition(studio: InProcess) -> None:
    """ADR-0017: gated, escalated, blocked; a failed gate waits for the director and is listed separately."""
    db = studio.services.db.database()
    show = write(db, put_show, Show(topic="all", show_dir="/tmp/all"))
    for status in PlayStatus:
        begin(db, f"of-{status}")
        write(db, put_play, Play(show_id=show.id, name=str(status), status=status, session_id=f"of-{status}"))
    listed = {run["id"] for run in studio.get("/api/runs?card=needs_review")["runs"]}
    waiting = studio.get("/api/attention")
    overview.Attention.model_validate(waiting, strict=True)
    reviewed = {item["play"] for item in waiting["items"] if item.get("topic") == "all"}

    assert listed == {f"of-{status}" for status in PLAYS_NEEDING_REVIEW} | {"second"}
    assert studio.get("/api/dashboard")["cards"]["needs_review"] == len(listed)
    # a person decides about the blocker of a blocked play, not about the play
    assert reviewed == {str(status) for status in PLAYS_NEEDING_DECISION} | {"gate_failed"}


def test_attention_item_has_actions(studio: InProcess) -> None:
    item = next(item for item in studio.get("/api/attention")["items"] if item["kind"] == "play")
    home = studio.services.settings.home

    assert item["actions"][0] == {
        "label": "Approve",
        "method": "POST",
        "path": "/api/shows/build/actions",
        "body": {"action": "approve", "play": "api", "attempt": 2},
        "command": f"li show approve build api --home {home}",
        "what": "api passes your gate and is merged.",
        "danger": False,
        "fields": [],
        "held": [],
    }
    reject = item["actions"][1]
    assert [(field["name"], field["required"]) for field in reject["fields"]] == [("feedback", True)]
    assert reject["command"] == f"li show reject build api --feedback FEEDBACK --home {home}"


def test_play_action_effect_depends_on_the_status(studio: InProcess) -> None:
    """A rejected play is redone, but a rejected escalated play ends, so its feedback is optional."""
    db = studio.services.db.database()
    show = studio.services.db.read(lambda conn: find_show(conn, "build"))[0]
    assert show is not None
    write(db, put_play, Play(show_id=show.id, name="stuck", status=PlayStatus.ESCALATED))
    plays = {play["name"]: play for play in studio.get("/api/shows/build")["plays"]}

    def reject(name: str) -> dict[str, Any]:
        deeds: list[dict[str, Any]] = plays[name]["deeds"]
        return next(deed for deed in deeds if deed["action"] == "reject")

    assert reject("api")["what"].startswith("api goes back to its agent")
    assert reject("stuck")["what"] == "stuck ends without a merge; plays that depend on it stay blocked."
    assert not reject("stuck")["fields"][0]["required"]
    assert [deed["action"] for deed in plays["api"]["deeds"]] == plays["api"]["actions"]


def test_attention_has_the_open_question_of_a_show(studio: InProcess, tmp_path: Path) -> None:
    folder = str(tmp_path / "shows" / "build")

    def waiting() -> list[dict[str, Any]]:
        return [item for item in studio.get("/api/attention")["items"] if item["kind"] == "show"]

    log_decision(folder, "asked", play="api", reason="about a play")
    assert waiting() == []
    log_decision(folder, "asked", play=None, reason="token budget exhausted", kind="budget", part="tokens")
    [item] = waiting()
    assert (item["title"], item["evidence"]) == ("build", "token budget exhausted")
    assert [action["label"] for action in item["actions"]] == ["Raise budget", "Abort"]
    log_decision(folder, "decision", word="approve", id="1")
    assert waiting() == []


@pytest.mark.parametrize(
    ("spent", "part", "field"),
    [
        (Spent(tokens=9), "tokens", "tokens"),
        (Spent(cost_microusd=9), "money", "cost"),
        (Spent(seconds=9), "time", "time"),
    ],
)
def test_exhausted_budget_offers_the_missing_amount(
    studio: InProcess, tmp_path: Path, spent: Spent, part: str, field: str
) -> None:
    """Approving without an amount would accept the show as it is."""
    assert exhausted_budget(Budget(tokens=5, cost_microusd=5, seconds=5), spent) == part
    asked = {"play": None, "reason": "why", "kind": "budget", "part": part}
    log_decision(str(tmp_path / "shows" / "build"), "asked", **asked)
    [item] = [item for item in studio.get("/api/attention")["items"] if item["kind"] == "show"]
    result = studio.get("/api/shows/build")

    grant = item["actions"][0]
    home = studio.services.settings.home
    assert grant["command"] == f"li show approve build --{field} {field.upper()} --home {home}"
    assert [(each["name"], each["required"]) for each in grant["fields"]] == [(field, True)]
    assert result["actions"] == ["approve", "resume", "abort"]
    assert result["deeds"][0]["fields"] == grant["fields"]


def test_final_approval_is_the_question_of_the_director(studio: InProcess, tmp_path: Path) -> None:
    log_decision(str(tmp_path / "shows" / "build"), "asked", play=None, reason="why", kind="final")
    result = studio.get("/api/shows/build")

    assert result["actions"] == ["approve", "reject", "resume", "abort"]
    assert result["deeds"][0]["what"] == "build is completed."


def test_show_action_raises_the_budget(studio: InProcess, tmp_path: Path) -> None:
    path = "/api/shows/build/actions"
    folder = tmp_path / "shows" / "build"
    (folder / "_show.md").write_text("---\nplays: []\n---\n")
    lock = acquire_director_lock(str(folder))  # so that none is started
    sent = {"action": "approve", "tokens": 500, "cost": 2.5, "time": "30m"}
    answer = studio.client.post(path, headers=AUTH, json=sent)
    lock.release()

    assert (answer.status_code, answer.json()["launch"]["exit_code"]) == (201, 0), answer.text
    decision = json.loads((folder / "_decision.json").read_text())
    assert decision["budget"] == {"tokens": 500, "cost_microusd": 2_500_000, "seconds": 1800}
    for body, status in (
        ({"action": "approve", "play": "api", "tokens": 5}, 400),
        ({"action": "abort", "tokens": 5}, 400),
        ({"action": "approve", "tokens": 0}, 422),
        ({"action": "approve", "time": "soon"}, 422),
    ):
        assert studio.client.post(path, headers=AUTH, json=body).status_code == status


def test_show_actions_run_a_new_show_and_resume_a_started_one(studio: InProcess, tmp_path: Path) -> None:
    db = studio.services.db.database()
    show = write(db, put_show, Show(topic="new", show_dir=str(tmp_path / "shows" / "new")))
    write(db, put_play, Play(show_id=show.id, name="one"))
    planned = tmp_path / "shows" / "planned"
    planned.mkdir()
    (planned / "_show.md").write_text("---\nplays:\n  - name: one\n    intent: do it\n---\n")

    assert studio.get("/api/shows/new")["actions"] == ["run", "abort"]
    assert studio.get("/api/shows/planned")["actions"] == ["run"]
    assert studio.get("/api/shows/planned")["deeds"][0]["what"].startswith("planned starts")
    assert show_actions("completed") == []


def test_get_show_ignores_a_folder_outside_our_roots(studio: InProcess, tmp_path: Path) -> None:
    """An imported show may name any folder."""
    secret = tmp_path / "secret" / "api"
    secret.mkdir(parents=True)
    for name in ("_intent.md", "_prompt.md", "../_show.md"):
        (secret / name).write_text("hidden")
    for name in ("_meta.json", "_verdict.json", "../_final_verdict.json"):
        (secret / name).write_text('{"feedback": "hidden"}')
    log_decision(str(secret.parent), "asked", play=None, reason="hidden")
    write(studio.services.db.database(), put_show, Show(topic="build", show_dir=str(secret.parent)))

    for path in ("", "/plays/api", "/plays/api/attempts"):
        answer = studio.client.get(f"/api/shows/build{path}", headers=AUTH)
        assert answer.status_code == 200
        assert "hidden" not in answer.text
    assert "is not below" in studio.get("/api/shows/build")["error"]
    assert "is not below" in studio.get("/api/shows/build/plays/api")["errors"][0]
    assert [item for item in studio.get("/api/attention")["items"] if item["kind"] == "show"] == []


@pytest.mark.parametrize(
    ("play", "labels"),
    [
        ({"status": "merged", "gate_passed": True}, ["completed", "passed", "merged"]),
        ({"status": "merged", "gate_passed": None}, ["completed", "skipped", "merged"]),
        ({"status": "running_complete"}, ["awaiting gate", "local"]),
        ({"status": "pending"}, ["pending"]),
        ({"status": "gate_failed", "gate_passed": False}, ["failed", "gate failed", "local"]),
        ({"status": "blocked"}, ["pending"]),
        (
            {"status": "escalated", "gate_passed": False, "metadata": {"meta": {"reason_code": "steering_files"}}},
            ["failed", "needs you", "local"],
        ),
    ],
)
def test_play_badges_follow_adr_0011(play: dict[str, Any], labels: list[str]) -> None:
    assert [badge.label for badge in play_badges(play)] == labels
    assert {badge.tone for badge in play_badges(play)} <= {"info", "success", "warning", "danger", "neutral"}


def test_play_badges_of_an_attempt_that_no_worker_has() -> None:
    (badge,) = play_badges({"status": "running"}, waits=True)

    assert (badge.kind, badge.label, badge.tone) == ("lifecycle", "waits for a worker", "warning")


def test_get_show_from_disk_has_the_same_shape(studio: InProcess, tmp_path: Path) -> None:
    folder = tmp_path / "shows" / "loose" / "one"
    folder.mkdir(parents=True)
    (folder / "_meta.json").write_text(json.dumps({"status": 7, "attempt": "two", "branch": "b", "more": [1]}))
    (folder / "_verdict.json").write_text('{"gate_passed": "yes", "feedback": 3}')
    result = studio.get("/api/shows/loose")

    shows.ShowView.model_validate(result, strict=True)
    assert result["plays"][0]["meta"] == {"status": None, "attempt": None, "branch": "b", "more": [1]}
    assert studio.get("/api/shows/loose/plays/one/diff")["why"] == "the show does not name a repository"


def test_show_of_other_machines_is_read_from_its_rows(studio: InProcess, tmp_path: Path) -> None:
    """Its folder is on the machine that ordered it, at a path that is not read here."""
    db = studio.services.db.database()
    secret = tmp_path / "elsewhere" / "tour"
    (secret / "api").mkdir(parents=True)
    (secret / "_show.md").write_text("not ours")
    (secret / "api" / "_prompt.md").write_text("not ours")
    plan = "---\ngoal: Go\nbudget: {tokens: 100}\nplays:\n  - {name: api, agent: script, prompt: '@say a'}\n---\n"
    row = Show(
        topic="tour",
        show_dir=str(secret),
        metadata={
            TEAM: {"remote": "git@example.org:team/project.git"},
            "plan": plan,
            "granted": {"tokens": 50},
            "final_verdict": {"gate_passed": True},
        },
    )
    show = write(db, put_show, row)
    write(db, put_play, Play(show_id=show.id, name="api", status=PlayStatus.RUNNING, attempt=2, gate_passed=False))
    register(db, "w-1", "north")
    register(db, "w-2", "south")
    take(db, order(db, "tour", None, Work.SHOW), "w-2")
    take(db, order(db, "tour", "api", Work.ATTEMPT), "w-1")

    result = studio.get("/api/shows/tour")

    shows.ShowView.model_validate(result, strict=True)
    assert (result["error"], result["by_workers"], result["machines"]) == (None, True, ["north", "south"])
    assert (result["show_md"], result["directed"]) == (plan, True)
    assert result["budget"] == [{"part": "tokens", "spent": 0, "limit": 150}]
    assert result["final_verdict"] == {"gate_passed": True}
    play = studio.get("/api/shows/tour/plays/api")
    assert (play["errors"], play["prompt"], play["raw_meta"]["attempt"]) == ([], None, 2)
    attempts = studio.get("/api/shows/tour/plays/api/attempts")
    assert attempts["errors"] == []
    assert [(one["attempt"], one["verdict"]["gate_passed"]) for one in attempts["attempts"]] == [(2, False)]
    assert studio.get("/api/shows/tour/decisions")["decisions"] == []
    assert not [item for item in studio.get("/api/attention")["items"] if item.get("topic") == "tour"]
    assert studio.get("/api/shows/build")["by_workers"] is False


def test_folder_that_is_not_ours_is_not_read_without_workers(studio: InProcess, tmp_path: Path) -> None:
    write(studio.services.db.database(), put_show, Show(topic="tour", show_dir=str(tmp_path / "elsewhere" / "tour")))

    assert "so it is not read" in studio.get("/api/shows/tour")["error"]
