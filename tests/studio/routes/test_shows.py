"""Shows as the page sees them: what waits for what, attempts side by side, what a play changed, and what is ordered."""

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

from lionstudio.errors import InvalidInput, NotFound
from lionstudio.files.shows import branch_diff
from lionstudio.model.shows.decisions import DecisionKind
from lionstudio.model.shows.plan import Budget
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.play_badges import play_badges
from lionstudio.model.status.statuses import PLAYS_NEEDING_REVIEW, PlayStatus
from lionstudio.shows.director.events import Spent
from lionstudio.shows.director.rules import DECIDABLE, exhausted_budget
from lionstudio.shows.process.lock import acquire_director_lock
from lionstudio.shows.records.decisions import log_decision
from lionstudio.state.shows import find_show, put_play, put_show
from lionstudio.studio.launch.policy import SHOW_ACTIONS, show_argv
from lionstudio.studio.schemas import overview, shows
from lionstudio.studio.views.show_actions import play_actions, show_actions

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
        db = running.services.store.database()
        begin(db, "second")
        show = Show(topic="build", show_dir=str(tmp_path / "shows" / "build"), repo=str(repo), base_branch="main")
        show = write(db, put_show, show)
        for number, (name, status, needs) in enumerate(
            [("api", "gated", ()), ("ui", "pending", ("api", "nobody")), ("docs", "running", ()), ("old", "merged", ())]
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


def test_a_show_tells_its_graph_its_progress_and_what_may_be_done(studio: InProcess) -> None:
    found, listed = studio.get("/api/shows/build"), studio.get("/api/shows")["shows"]

    shows.ShowView.model_validate(found, strict=True)
    assert found["edges"] == [{"source": "api", "target": "ui"}]
    assert (found["plays_total"], found["plays_merged"], found["running_plays"]) == (4, 1, ["docs"])
    assert (listed[0]["plays_total"], listed[0]["plays_merged"], listed[0]["running_plays"]) == (4, 1, ["docs"])
    api = found["plays"][0]
    assert [badge["label"] for badge in api["badges"]] == ["awaiting gate", "local"]
    assert "approve" in api["actions"]
    assert found["actions"] == ["resume", "abort"]
    assert studio.get("/api/dashboard")["shows"][0]["running_plays"] == ["docs"]


def test_attempts_stand_side_by_side(studio: InProcess) -> None:
    found = studio.get("/api/shows/build/plays/api/attempts")

    shows.Attempts.model_validate(found, strict=True)
    first, second = found["attempts"]
    assert (first["attempt"], first["current"], first["session_id"]) == (1, False, "first")
    assert (second["attempt"], second["current"], second["session_id"]) == (2, True, "second")
    assert first["verdict"]["feedback"] == "no tests"
    assert second["verdict"]["gate_passed"] is True
    assert studio.get("/api/shows/build/plays/api")["prompt"] == "do it again"


def test_what_a_play_changed(studio: InProcess) -> None:
    def changed(query: str = "") -> dict[str, Any]:
        found: dict[str, Any] = studio.get(f"/api/shows/build/plays/api/diff{query}")
        shows.DiffView.model_validate(found, strict=True)
        return found

    now, first, between = changed(), changed("?attempt=1"), changed("?attempt=2&against=1")
    assert [(each["path"], each["additions"], each["deletions"]) for each in now["files"]] == [
        ("a.txt", 1, 1),
        ("new name.txt", 2, 0),
    ]
    assert "+three" in now["patch"]
    assert "+two" in first["patch"]
    assert "-two" in between["patch"]
    assert changed("?attempt=7")["why"] == "attempt 7 left no commits"
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
def test_a_name_that_no_ref_can_have_is_no_fault_of_the_server(
    studio: InProcess, repo: Path, tmp_path: Path, odd: str, key: str
) -> None:
    """A show that only its folder tells of: whoever wrote it may have written anything."""
    folder = tmp_path / "shows" / "found"
    (folder / "api").mkdir(parents=True)
    head = f'integration_branch: "{odd}"\n' if key == "integration_branch" else ""
    (folder / "_show.md").write_text(f"---\ngoal: x\nrepo: {repo}\n{head}---\n")
    meta = {"status": "running", "branch": "show/build/api", key: json.loads(f'"{odd}"'.replace("\\0", "\\u0000"))}
    (folder / "api" / "_meta.json").write_text(json.dumps(meta))
    assert "in the repository" in studio.get("/api/shows/found/plays/api/diff")["why"]


def test_a_merged_play_shows_what_was_merged(studio: InProcess, repo: Path) -> None:
    git(repo, "checkout", "-q", "show/build/integration")
    git(repo, "merge", "-q", "--no-ff", "-m", "merge", "show/build/api")
    merge = git(repo, "rev-parse", "HEAD")
    db = studio.services.store.database()
    show = write(db, put_show, Show(topic="build", show_dir="/nowhere", repo=str(repo)))
    play = Play(show_id=show.id, name="api", status=PlayStatus.MERGED, merge_sha=merge)
    write(db, put_play, play)

    assert "+three" in studio.get("/api/shows/build/plays/api/diff")["patch"]


def test_a_repository_runs_nothing_because_it_is_looked_at(repo: Path, tmp_path: Path) -> None:
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


def test_odd_refs_and_folders_are_no_commits(repo: Path, tmp_path: Path) -> None:
    for ref in ("--output=/tmp/x", "-h", "refs/heads/none", "", "main:a.txt", "\n", "a\0b", "\ud800"):
        assert branch_diff.find_commit(str(repo), ref) is None, ref
    assert branch_diff.find_commit(str(tmp_path), "refs/heads/main") is None
    with pytest.raises(NotFound, match="there is no folder"):
        branch_diff.find_commit("relative", "main")


def test_a_long_patch_is_cut_and_says_so(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base, head = (
        branch_diff.find_commit(str(repo), "refs/heads/main"),
        branch_diff.find_commit(str(repo), "refs/heads/show/build/api"),
    )
    monkeypatch.setattr(branch_diff, "MOST_PATCH", 50)
    found = branch_diff.diff(str(repo), base or "", head or "")

    assert (len(found.patch), found.whole) == (50, False)


def test_a_patch_that_git_could_not_make_is_not_whole(repo: Path) -> None:
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


def test_no_repository_allows_itself_a_protocol(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is missing would be fetched through a program that the repository names, by a git before 2.39.4."""
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


def test_orders_are_words_of_li_show() -> None:
    assert show_argv("reject", "build", "api", "--yes; rm") == [
        "show",
        "reject",
        "build",
        "api",
        "--resume",
        "--feedback=--yes; rm",
    ]
    assert show_argv("resume", "build", None, None) == ["show", "resume", "build", "--detach"]
    assert show_argv("approve", "build", None, None) == ["show", "approve", "build", "--resume"]
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
def test_what_may_be_said_is_what_li_show_takes(status: PlayStatus) -> None:
    assert play_actions(status) == [str(word) for word in DecisionKind if status in DECIDABLE[word]]


@pytest.mark.parametrize("action", SHOW_ACTIONS)
def test_every_order_is_understood(action: str, tmp_path: Path) -> None:
    play = "api" if action in ("redo", "escalate") else None
    words = show_argv(action, "build", play, "because" if action not in ("run", "resume") else None)
    done = subprocess.run(
        [sys.executable, "-c", START, *words, "--home", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=30,
        env={**os.environ, "LIONAGI_SHOWS": str(tmp_path)},
    )

    assert done.returncode == 3, done.stderr  # there is no such show; a word that is not understood would be 2


def test_an_order_is_a_process_with_its_answer(studio: InProcess) -> None:
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
    """ADR-0017: gated, escalated, blocked; a refused gate waits for the director, and is told apart."""
    db = studio.services.store.database()
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
    assert reviewed == {str(status) for status in PLAYS_NEEDING_REVIEW} | {"gate_failed"}


def test_what_waits_says_what_to_do(studio: InProcess) -> None:
    item = next(item for item in studio.get("/api/attention")["items"] if item["kind"] == "play")

    assert item["actions"][0] == {
        "label": "Approve",
        "method": "POST",
        "path": "/api/shows/build/actions",
        "body": {"action": "approve", "play": "api"},
        "command": "li show approve build api",
        "what": "api passes your gate and is merged.",
        "danger": False,
        "fields": [],
    }
    reject = item["actions"][1]
    assert [(field["name"], field["required"]) for field in reject["fields"]] == [("feedback", True)]
    assert reject["command"] == "li show reject build api --feedback FEEDBACK"


def test_what_a_word_does_is_told_by_the_status(studio: InProcess) -> None:
    """A rejected play is redone, unless it is escalated: then it is given up, and nobody is told anything."""
    db = studio.services.store.database()
    show = studio.services.store.read(lambda conn: find_show(conn, "build"))[0]
    assert show is not None
    write(db, put_play, Play(show_id=show.id, name="stuck", status=PlayStatus.ESCALATED))
    found = {play["name"]: play for play in studio.get("/api/shows/build")["plays"]}

    def reject(name: str) -> dict[str, Any]:
        deeds: list[dict[str, Any]] = found[name]["deeds"]
        return next(deed for deed in deeds if deed["action"] == "reject")

    assert reject("api")["what"].startswith("api goes back to its agent")
    assert reject("stuck")["what"] == "stuck is given up; what depends on it stays blocked."
    assert not reject("stuck")["fields"][0]["required"]
    assert [deed["action"] for deed in found["api"]["deeds"]] == found["api"]["actions"]


def test_a_question_about_the_show_waits_until_it_is_answered(studio: InProcess, tmp_path: Path) -> None:
    folder = str(tmp_path / "shows" / "build")

    def waiting() -> list[dict[str, Any]]:
        return [item for item in studio.get("/api/attention")["items"] if item["kind"] == "show"]

    log_decision(folder, "asked", play="api", reason="about a play")
    assert waiting() == []
    log_decision(folder, "asked", play=None, reason="token budget exhausted", kind="budget", part="tokens")
    [item] = waiting()
    assert (item["title"], item["evidence"]) == ("build", "token budget exhausted")
    assert [action["label"] for action in item["actions"]] == ["Grant more", "Abort"]
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
def test_a_budget_that_is_used_up_is_granted_more_of_what_is_missing(
    studio: InProcess, tmp_path: Path, spent: Spent, part: str, field: str
) -> None:
    """Approving without an amount would accept the show as it is."""
    assert exhausted_budget(Budget(tokens=5, cost_microusd=5, seconds=5), spent) == part
    asked = {"play": None, "reason": "why", "kind": "budget", "part": part}
    log_decision(str(tmp_path / "shows" / "build"), "asked", **asked)
    [item] = [item for item in studio.get("/api/attention")["items"] if item["kind"] == "show"]
    found = studio.get("/api/shows/build")

    grant = item["actions"][0]
    assert grant["command"] == f"li show approve build --{field} {field.upper()}"
    assert [(each["name"], each["required"]) for each in grant["fields"]] == [(field, True)]
    assert found["actions"] == ["approve", "resume", "abort"]
    assert found["deeds"][0]["fields"] == grant["fields"]


def test_the_last_word_is_the_question_of_the_director(studio: InProcess, tmp_path: Path) -> None:
    log_decision(str(tmp_path / "shows" / "build"), "asked", play=None, reason="why", kind="final")
    found = studio.get("/api/shows/build")

    assert found["actions"] == ["approve", "reject", "resume", "abort"]
    assert found["deeds"][0]["what"] == "build is completed."


def test_granting_reaches_the_show(studio: InProcess, tmp_path: Path) -> None:
    path = "/api/shows/build/actions"
    folder = tmp_path / "shows" / "build"
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


def test_a_show_that_never_ran_is_run_and_one_that_did_is_resumed(studio: InProcess, tmp_path: Path) -> None:
    db = studio.services.store.database()
    show = write(db, put_show, Show(topic="new", show_dir=str(tmp_path / "shows" / "new")))
    write(db, put_play, Play(show_id=show.id, name="one"))
    planned = tmp_path / "shows" / "planned"
    planned.mkdir()
    (planned / "_show.md").write_text("---\nplays:\n  - name: one\n    intent: do it\n---\n")

    assert studio.get("/api/shows/new")["actions"] == ["run", "abort"]
    assert studio.get("/api/shows/planned")["actions"] == ["run"]
    assert studio.get("/api/shows/planned")["deeds"][0]["what"].startswith("planned starts")
    assert show_actions("completed") == []


def test_a_row_cannot_point_at_the_files_of_others(studio: InProcess, tmp_path: Path) -> None:
    """A show that was imported names any folder it likes."""
    secret = tmp_path / "secret" / "api"
    secret.mkdir(parents=True)
    for name in ("_intent.md", "_prompt.md", "../_show.md"):
        (secret / name).write_text("hidden")
    for name in ("_meta.json", "_verdict.json", "../_final_verdict.json"):
        (secret / name).write_text('{"feedback": "hidden"}')
    log_decision(str(secret.parent), "asked", play=None, reason="hidden")
    write(studio.services.store.database(), put_show, Show(topic="build", show_dir=str(secret.parent)))

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
    ],
)
def test_the_badges_are_those_of_the_record(play: dict[str, Any], labels: list[str]) -> None:
    assert [badge.label for badge in play_badges(play)] == labels
    assert {badge.tone for badge in play_badges(play)} <= {"info", "success", "warning", "danger", "neutral"}


def test_a_show_that_is_only_on_disk_has_the_same_shape(studio: InProcess, tmp_path: Path) -> None:
    folder = tmp_path / "shows" / "loose" / "one"
    folder.mkdir(parents=True)
    (folder / "_meta.json").write_text(json.dumps({"status": 7, "attempt": "two", "branch": "b", "more": [1]}))
    (folder / "_verdict.json").write_text('{"gate_passed": "yes", "feedback": 3}')
    found = studio.get("/api/shows/loose")

    shows.ShowView.model_validate(found, strict=True)
    assert found["plays"][0]["meta"] == {"status": None, "attempt": None, "branch": "b", "more": [1]}
    assert studio.get("/api/shows/loose/plays/one/diff")["why"] == "the show names no repository"
