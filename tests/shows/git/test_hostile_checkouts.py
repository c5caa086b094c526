"""Hostile checkouts: no program that an agent plants for git runs, and no forged state is trusted.

Each planted program leaves a mark when it runs. The agent's own git runs with a HOME that does not know them.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.support.repositories import begun, checkout_of, commit, files_of, fingerprint, git, make_repo, merge, write

from lionstudio.model.shows.left_out import LeftOut, Why
from lionstudio.shows.gates.review import changes_as_text
from lionstudio.shows.git.checkout import remove
from lionstudio.shows.git.collect_work import collect
from lionstudio.shows.git.conflict import hand_back_conflict
from lionstudio.shows.git.left_out import left_out_folder
from lionstudio.shows.git.materialize import check_out_tree
from lionstudio.shows.git.merge import CleanMerge, MergeCommitted, MergeConflict, integration_tip, try_merge
from lionstudio.shows.git.repo_layout import Checkout, Repo


@pytest.fixture
def users(tmp_path: Path) -> Path:
    files = {"README.md": "hello\n", "src/a.py": "a = 1\n", "data.bin": "data\n", "sub/deep/x.txt": "x\n"}
    return make_repo(tmp_path / "users", files)


@pytest.fixture
def repo(users: Path) -> Repo:
    return begun(users)


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that leaves a mark; it takes any arguments and does what a filter would do."""
    program = tmp_path / "trap"
    program.write_text(
        f'#!/bin/sh\necho "$0 $@" >> {tmp_path}/marks\ncase "$0" in *-ext|*-process) exit 0;; esac\ncat\n'
    )
    program.chmod(0o755)
    return program


def marks(trap: Path) -> str:
    path = trap.parent / "marks"
    return path.read_text() if path.exists() else ""


TRAPS = (
    "fsmonitor",
    "ssh",
    "pager",
    "editor",
    "askpass",
    "proxy",
    "refs",
    "clean",
    "smudge",
    "process",
    "included",
    "driver",
    "external",
    "textconv",
    "gpg",
    "credential",
    "packhook",
    "alias",
    "interactive",
    "ext",
    "uploadpack",
)


def configuration(trap: str, elsewhere: str) -> str:
    return f"""
[core]
\tfsmonitor = {trap}-fsmonitor
\tsshCommand = {trap}-ssh
\tpager = {trap}-pager
\teditor = {trap}-editor
\taskPass = {trap}-askpass
\tgitProxy = {trap}-proxy
\talternateRefsCommand = {trap}-refs
\tattributesFile = {elsewhere}/attributes
[include]
\tpath = {elsewhere}/more.config
[filter "evil"]
\tclean = {trap}-clean
\tsmudge = {trap}-smudge
\trequired = true
[filter "proc"]
\tprocess = {trap}-process
\trequired = true
[merge "evil"]
\tdriver = {trap}-driver %O %A %B
[diff]
\texternal = {trap}-external
[diff "evil"]
\ttextconv = {trap}-textconv
[gpg]
\tprogram = {trap}-gpg
[commit]
\tgpgSign = true
[credential]
\thelper = !{trap}-credential
[uploadpack]
\tpackObjectsHook = {trap}-packhook
[alias]
\tevil = !{trap}-alias
[interactive]
\tdiffFilter = {trap}-interactive
[remote "origin"]
\turl = ext::{trap}-ext
\tpromisor = true
\tpartialCloneFilter = blob:none
\tuploadpack = {trap}-uploadpack
[extensions]
\tpartialClone = origin
\tworktreeConfig = true
[protocol "ext"]
\tallow = always
"""


ATTRIBUTES = "* diff=evil merge=evil\n*.bin filter=evil\n*.proc filter=proc\n*.inc filter=included\n"


def plant(path: str, trap: Path) -> None:
    """Everything at once, in the agent's own git folder and in its files."""
    elsewhere = trap.parent / "elsewhere"
    for name in TRAPS:
        Path(f"{trap}-{name}").unlink(missing_ok=True)
        Path(f"{trap}-{name}").symlink_to(trap)
    config = configuration(str(trap), str(elsewhere))
    write(elsewhere, {"more.config": f'[filter "included"]\n\tclean = {trap}-included\n', "attributes": ATTRIBUTES})
    with open(os.path.join(path, ".git", "config"), "a") as file:
        file.write(config)
    write(path, {".git/config.worktree": config, ".git/info/attributes": ATTRIBUTES, ".gitattributes": ATTRIBUTES})
    write(path, {"sub/.gitattributes": ATTRIBUTES, "x.bin": "x\n", "x.proc": "x\n", "x.inc": "x\n"})
    for name in HOOKS:
        hook = Path(path, ".git", "hooks", name)
        hook.parent.mkdir(exist_ok=True)
        hook.symlink_to(trap)


HOOKS = (
    "applypatch-msg",
    "pre-applypatch",
    "pre-commit",
    "pre-merge-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "pre-rebase",
    "post-checkout",
    "post-merge",
    "pre-push",
    "pre-receive",
    "update",
    "post-receive",
    "post-update",
    "reference-transaction",
    "push-to-checkout",
    "pre-auto-gc",
    "post-rewrite",
    "post-index-change",
    "fsmonitor-watchman",
    "proc-receive",
)


def test_traps_are_sprung_by_plain_git(repo: Repo, trap: Path) -> None:
    """Otherwise the tests below would prove nothing."""
    checkout = checkout_of(repo)
    plant(checkout.path, trap)
    for command in (
        ["status"],
        ["add", "x.bin"],
        ["add", "x.proc"],
        ["add", "x.inc"],
        ["diff", "HEAD"],
        ["commit", "-m", "x"],
        ["diff", "--no-ext-diff", "HEAD"],
        ["ls-remote", "origin"],
        ["evil"],
        ["update-ref", "refs/heads/x", "HEAD"],
        ["commit", "--no-gpg-sign", "-m", "x"],
        ["checkout", "-b", "y"],
        ["--paginate", "log"],
    ):
        git(checkout.path, *command, check=False)
    ran = {line.split()[0].rpartition("/")[2].removeprefix("trap-") for line in marks(trap).splitlines()}
    assert {"fsmonitor", "clean", "process", "included", "external", "textconv", "gpg", "ext", "alias"} <= ran
    assert {"pre-commit", "reference-transaction", "post-checkout"} <= ran


def through_everything(repo: Repo, one: Checkout, two: Checkout, tmp_path: Path) -> None:
    """Every step that the director takes with a checkout, conflict and review included."""
    first = collect(one, "one", attempt=1)
    assert isinstance(merge(repo, "topic", "one", 1, first.head, "Merge one"), MergeCommitted)
    second = collect(two, "two", attempt=1)
    tip = integration_tip(repo)
    conflict = try_merge(repo, tip, second.head)
    assert isinstance(conflict, MergeConflict)
    changes_as_text(repo, repo.base, second.head)
    hand_back_conflict(two, second.head, tip)
    checkout_of(repo, "two")
    write(two.path, dict.fromkeys(conflict.files, "solved\n"))
    third = collect(two, "two", attempt=2)
    assert third.problems == ()
    clean = try_merge(repo, tip, third.head)
    assert isinstance(clean, CleanMerge)
    check_out_tree(repo, clean.tree, str(tmp_path / "gate"), parents=(tip, third.head))
    assert isinstance(merge(repo, "topic", "two", 2, third.head, "Merge two"), MergeCommitted)
    assert remove(one).kept is None
    assert remove(two).kept is None


def test_no_planted_program_runs(users: Path, repo: Repo, trap: Path, tmp_path: Path) -> None:
    before = fingerprint(users)
    one, two = checkout_of(repo, "one"), checkout_of(repo, "two")
    for checkout in (one, two):
        write(checkout.path, {"src/a.py": f"a = '{checkout.play}'\n", f"{checkout.play}.txt": "1\n"})
        commit(checkout.path)
        write(checkout.path, {f"{checkout.play}.py": "2\n"})
        git(checkout.path, "add", "-A")
        plant(checkout.path, trap)
    through_everything(repo, one, two, tmp_path)
    assert marks(trap) == ""
    assert fingerprint(users) == before
    assert {"one.py", "two.py", "one.txt", "two.txt", ".gitattributes"} <= set(
        files_of(users, "show/topic/integration")
    )
    git(users, "fsck", "--strict")


def test_no_planted_program_runs_with_git_variables_set(
    users: Path, repo: Repo, trap: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git variables in the director's own environment do not reach our git either."""
    write(tmp_path / "elsewhere", {"global": configuration(str(trap), str(tmp_path / "elsewhere"))})
    for name, value in {
        "GIT_DIR": "/nonexistent",
        "GIT_INDEX_FILE": "/nonexistent/index",
        "GIT_WORK_TREE": "/",
        "GIT_SSH": str(trap),
        "GIT_EXTERNAL_DIFF": str(trap),
        "GIT_PAGER": str(trap),
        "GIT_EDITOR": str(trap),
        "GIT_ASKPASS": str(trap),
        "GIT_CONFIG_GLOBAL": str(tmp_path / "elsewhere" / "global"),
        "GIT_EXEC_PATH": "/nonexistent",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": str(trap),
        "GIT_TEMPLATE_DIR": "/nonexistent",
        "GIT_TRACE": str(tmp_path / "trace"),
        "GIT_OBJECT_DIRECTORY": "/nonexistent",
    }.items():
        monkeypatch.setenv(name, value)
    one = checkout_of(repo, "one")
    write(one.path, {"new.txt": "1\n"})
    head = collect(one, "one", attempt=1).head
    assert isinstance(merge(repo, "topic", "one", 1, head, "Merge one"), MergeCommitted)
    assert (marks(trap), (tmp_path / "trace").exists()) == ("", False)


def test_collect_never_enters_a_nested_repository(users: Path, repo: Repo, trap: Path) -> None:
    checkout = checkout_of(repo)
    make_repo(Path(checkout.path, "nested"), {"n.txt": "n\n"})
    plant(os.path.join(checkout.path, "nested"), trap)
    first = collect(checkout, "work", attempt=1)
    assert first.problems == ("nested/ is a nested git repository; remove its .git folder, or add it to .gitignore",)
    # committed as a link to it by the agent's own git
    git(checkout.path, "-c", "core.hooksPath=/dev/null", "add", "nested")
    git(checkout.path, "commit", "-q", "-m", "nested")
    second = collect(checkout, "work", attempt=2)
    assert "nested was committed as a repository of its own" in second.problems[0]
    write(checkout.path, {"nested/later.txt": "x\n"})
    collect(checkout, "work", attempt=3)
    assert remove(checkout).kept == "its work is not merged"
    assert marks(trap) == ""


def test_collect_takes_filtered_files_only_from_commits(users: Path, trap: Path) -> None:
    write(users, {".gitattributes": "*.bin filter=other\n", "data.bin": "stored\n"})
    commit(users)
    repo = begun(users)
    checkout = checkout_of(repo)
    write(checkout.path, {"data.bin": "the large content\n", "other.txt": "o\n"})
    collected = collect(checkout, "work", attempt=1)
    assert (collected.changed, collected.problems) == (("other.txt",), ())
    assert collected.left_out == (LeftOut("data.bin", Why.FILTER, "other"),)
    git(checkout.path, "commit", "-q", "-m", "pointer", "--", "data.bin")
    assert set(collect(checkout, "work", attempt=2).changed) == {"other.txt", "data.bin"}


def test_collect_reports_a_replaced_git_folder(users: Path, repo: Repo, trap: Path, tmp_path: Path) -> None:
    other = make_repo(tmp_path / "other", {"stolen.txt": "stolen\n"})
    plant(str(other), trap)
    for attempt, how in enumerate(("file", "link", "commondir"), 1):
        checkout = checkout_of(repo)
        inside = Path(checkout.path, ".git")
        if how == "commondir":
            (inside / "commondir").write_text(f"{other}/.git\n")
        else:
            inside.rename(tmp_path / f"aside-{how}")
            inside.symlink_to(other / ".git") if how == "link" else inside.write_text(f"gitdir: {other}/.git\n")
        write(checkout.path, {f"{how}.txt": "work\n"})
        collected = collect(checkout, "work", attempt=attempt)
        assert collected.problems[0].startswith(".git ")
        assert f"{how}.txt" in collected.changed
        assert "stolen.txt" not in files_of(users, collected.head)
    assert git(checkout_of(repo).path, "status", "--porcelain=v1") == ""
    assert marks(trap) == ""


def test_prepare_keeps_a_git_folder_that_it_replaces(users: Path, repo: Repo) -> None:
    """Its commits could not be collected, so that it may be the only copy."""
    checkout = checkout_of(repo)
    write(checkout.path, {"work.txt": "work\n"})
    head = commit(checkout.path)
    Path(checkout.path, ".git", "commondir").write_text("elsewhere\n")
    assert "commondir" in collect(checkout, "work", attempt=1).problems[0]
    again = checkout_of(repo)
    kept = Path(left_out_folder(again), "replaced.git")
    (kept / "commondir").unlink()
    assert git(users, f"--git-dir={kept}", "rev-parse", "refs/heads/show/topic/play") == head
    assert git(again.path, "status", "--porcelain=v1") == ""
