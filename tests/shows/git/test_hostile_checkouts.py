"""Hostile checkouts: no program that an agent plants for git runs, and no forged state is trusted.

Each planted program leaves a mark when it runs. The agent's own git runs with a HOME that does not know them.
"""

from __future__ import annotations

import os
import stat
import subprocess
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from tests.support.repositories import begun, checkout_of, commit, files_of, fingerprint, git, make_repo, write

from lionstudio.errors import LionError
from lionstudio.shows.gates.review import changes_as_text
from lionstudio.shows.git import untrusted_git_dir, worktree_scan
from lionstudio.shows.git.checkout import remove
from lionstudio.shows.git.collect_work import collect
from lionstudio.shows.git.conflict import hand_back_conflict
from lionstudio.shows.git.materialize import check_out_tree
from lionstudio.shows.git.merge import CleanMerge, MergeCommitted, MergeConflict, integration_tip, merge, try_merge
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
    assert remove(one) is None
    assert remove(two) is None


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
    assert remove(checkout) == "its work is not merged"
    assert marks(trap) == ""


def test_collect_takes_filtered_files_only_from_commits(users: Path, trap: Path) -> None:
    write(users, {".gitattributes": "*.bin filter=lfs\n", "data.bin": "pointer\n"})
    commit(users)
    repo = begun(users)
    checkout = checkout_of(repo)
    write(checkout.path, {"data.bin": "the large content\n", "other.txt": "o\n"})
    collected = collect(checkout, "work", attempt=1)
    assert (collected.changed, collected.left_out, collected.problems) == (("other.txt",), ("data.bin",), ())
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


def break_object(path: str, oid: str, how: Callable[[Path], None]) -> None:
    target = Path(path, ".git", "objects", oid[:2], oid[2:])
    target.chmod(0o644)
    how(target)


def as_pipe(target: Path) -> None:
    target.unlink()
    os.mkfifo(target)


def as_link(target: Path) -> None:
    target.unlink()
    target.symlink_to("/dev/zero")


def as_nonsense(target: Path) -> None:
    target.write_bytes(b"nonsense")


def as_another(target: Path) -> None:
    """An object whose name is a lie."""
    import zlib

    target.write_bytes(zlib.compress(b"blob 5\0evil\n"))


@pytest.mark.parametrize("loose", [1000, 0])
@pytest.mark.parametrize("how", [as_pipe, as_link, as_nonsense, as_another, Path.unlink])
def test_collect_reports_invalid_objects(
    users: Path, repo: Repo, how: Callable[[Path], None], loose: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lionstudio.shows.git.collect_work._LOOSE", loose)
    checkout = checkout_of(repo)
    write(checkout.path, {"new.txt": "new content\n"})
    head = commit(checkout.path)
    blob = git(checkout.path, "rev-parse", "HEAD:new.txt")
    break_object(checkout.path, blob, how)
    collected = collect(checkout, "work", attempt=1)
    assert collected.problems != ()
    assert head not in git(users, "rev-list", "--all")
    # the file itself is still there, and is kept
    assert files_of(users, collected.head)["new.txt"] == "new content"
    git(users, "fsck", "--strict")


def test_collect_refuses_a_linked_object_store(repo: Repo, tmp_path: Path) -> None:
    checkout = checkout_of(repo)
    store = Path(checkout.path, ".git", "objects")
    store.rename(tmp_path / "store")
    store.symlink_to(tmp_path / "store")
    assert "is not a folder of regular files" in collect(checkout, "work", attempt=1).problems[0]


def test_collect_ignores_grafts_and_replace_refs(users: Path, repo: Repo) -> None:
    checkout = checkout_of(repo)
    git(checkout.path, "commit", "-q", "--amend", "-m", "unrelated")
    head = git(checkout.path, "rev-parse", "HEAD")
    write(checkout.path, {".git/info/grafts": f"{head} {checkout.base}\n"})
    git(checkout.path, "replace", "--graft", head, checkout.base)
    git(checkout.path, "commit-graph", "write", "--reachable", check=False)
    assert "the history was rewritten" in collect(checkout, "work", attempt=1).problems[0]


@pytest.mark.parametrize("name", [".git/config", ".GIT/hooks/post-checkout", "..", "sub/../../x"])
def test_collect_refuses_trees_with_git_folders(users: Path, repo: Repo, name: str) -> None:
    """Made by hand, as git itself refuses to."""
    checkout = checkout_of(repo)
    blob = git(checkout.path, "hash-object", "-w", "README.md")
    made = blob
    parts = name.split("/")
    for depth, part in enumerate(reversed(parts)):
        mode = "100755" if depth == 0 else "40000"
        entry = f"{mode} {part}\0".encode() + bytes.fromhex(made)
        done = subprocess.run(
            ["git", "hash-object", "-w", "-t", "tree", "--literally", "--stdin"],
            cwd=checkout.path,
            input=entry,
            capture_output=True,
            check=True,
        )
        made = done.stdout.decode().strip()
    head = git(checkout.path, "commit-tree", made, "-p", checkout.base, "-m", "evil")
    git(checkout.path, "update-ref", "HEAD", head)
    collected = collect(checkout, "work", attempt=1)
    assert "cannot be read" in collected.problems[0]
    assert head not in git(users, "rev-list", "--all")


def test_collect_keeps_odd_names_and_links(users: Path, repo: Repo, tmp_path: Path) -> None:
    names = [
        "new\nline",
        'quo"te',
        "-dash",
        "'",
        "--all",
        "sp ace ",
        "tab\t",
        "back\\slash",
        ":colon",
        "*",
        "[a]",
        "#hash",
        "!bang",
        unicodedata.normalize("NFC", "é"),
        unicodedata.normalize("NFD", "é"),
        "~",
        "@",
        "HEAD",
        "a~b^c",
        "\x7f",
        "x" * 200,
        "deep/" * 60 + "file",
    ]
    checkout = checkout_of(repo)
    write(checkout.path, {name: f"{number}\n" for number, name in enumerate(names)})
    raw = os.fsencode(checkout.path) + b"/not \xff\xfe utf8"
    with open(raw, "wb") as file:
        file.write(b"raw\n")
    os.symlink("/etc/passwd", os.path.join(checkout.path, "link out"))
    os.symlink("sub", os.path.join(checkout.path, "link in"))
    os.mkfifo(os.path.join(checkout.path, "pipe"))
    Path(checkout.path, "src/a.py").chmod(0o755)
    collected = collect(checkout, "work", attempt=1)
    assert collected.problems == ()
    assert set(names) | {"link out", "link in", "not \udcff\udcfe utf8"} <= set(collected.changed)
    assert "pipe" not in collected.changed
    done = merge(repo, "topic", "play", 1, collected.head, "Merge play")
    assert isinstance(done, MergeCommitted)
    check_out_tree(repo, f"{done.sha}^{{tree}}", str(tmp_path / "gate"))
    for number, name in enumerate(names):
        assert (tmp_path / "gate" / name).read_text() == f"{number}\n"
    assert os.readlink(tmp_path / "gate" / "link out") == "/etc/passwd"
    assert os.stat(tmp_path / "gate" / "src/a.py").st_mode & stat.S_IXUSR
    assert remove(checkout) is None


def test_collect_handles_type_changes(users: Path, repo: Repo, tmp_path: Path) -> None:
    checkout = checkout_of(repo)
    os.unlink(os.path.join(checkout.path, "README.md"))
    write(checkout.path, {"README.md/inner.txt": "i\n"})
    os.rename(os.path.join(checkout.path, "src"), tmp_path / "outside")
    os.symlink(tmp_path / "outside", os.path.join(checkout.path, "src"))
    collected = collect(checkout, "work", attempt=1)
    assert collected.problems == ()
    assert files_of(users, collected.head).keys() == {"README.md/inner.txt", "src", "data.bin", "sub/deep/x.txt"}


def test_collect_refuses_large_files(users: Path, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout = checkout_of(repo)
    with open(os.path.join(checkout.path, "huge.bin"), "wb") as file:
        file.truncate(2**40)  # a terabyte of nothing: reading it would take hours
    write(checkout.path, {"small.txt": "s\n"})
    collected = collect(checkout, "work", attempt=1)
    assert "huge.bin is too large for a repository (1099512 MB)" in collected.problems[0]
    assert collected.changed == ("small.txt",)
    os.unlink(os.path.join(checkout.path, "huge.bin"))
    monkeypatch.setattr(worktree_scan, "MOST_FILES", 10)
    write(checkout.path, {f"deps/{number}.js": "x\n" for number in range(11)})
    assert (
        "are too many; add generated files to .gitignore, such as deps" in collect(checkout, "w", attempt=2).problems[0]
    )
    git(checkout.path, "add", "-A")
    git(checkout.path, "commit", "-q", "-m", "all of it")
    monkeypatch.setattr(untrusted_git_dir, "MOST_STORE", 100)
    assert "too much for a repository" in collect(checkout, "work", attempt=3).problems[0]


def test_collect_imports_many_commits_as_one_pack(users: Path, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lionstudio.shows.git.collect_work._LOOSE", 3)
    checkout = checkout_of(repo)
    for number in range(5):
        write(checkout.path, {f"{number}.txt": f"{number}\n"})
        commit(checkout.path)
    collected = collect(checkout, "work", attempt=1)
    assert (len(collected.changed), collected.problems) == (5, ())
    assert list((users / ".git" / "objects" / "pack").glob("*.pack")) != []
    git(users, "fsck", "--strict")


def test_collect_ignores_an_invalid_index(repo: Repo) -> None:
    checkout = checkout_of(repo)
    write(checkout.path, {"new.txt": "n\n"})
    Path(checkout.path, ".git", "index").write_bytes(b"DIRC" + os.urandom(500))
    collected = collect(checkout, "work", attempt=1)
    assert (collected.changed, collected.problems) == (("new.txt",), ())


def test_write_git_files_does_not_follow_links(repo: Repo, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious\n")
    one, two = checkout_of(repo, "one"), checkout_of(repo, "two")
    for checkout in (one, two):
        write(checkout.path, {"src/a.py": f"a = '{checkout.play}'\n"})
    merge(repo, "topic", "one", 1, collect(one, "one", attempt=1).head, "Merge one")
    head = collect(two, "two", attempt=1).head
    inside = Path(two.path, ".git")
    for name in (
        "MERGE_MSG",
        "MERGE_HEAD",
        "ORIG_HEAD",
        "objects/info/alternates",
        "info/exclude",
        "index",
        "index.lock",
    ):
        (inside / name).unlink(missing_ok=True)
        (inside / name).symlink_to(victim)
    checkout_of(repo, "two")
    hand_back_conflict(two, head, integration_tip(repo))
    assert victim.read_text() == "precious\n"
    assert git(two.path, "status", "--porcelain=v1") == "UU src/a.py"


def test_collect_does_not_follow_an_ignored_link(users: Path, repo: Repo, tmp_path: Path) -> None:
    """A conflict is laid into the checkout where a folder of the merge result is an ignored link to elsewhere."""
    (tmp_path / "victim").mkdir()
    one, two = checkout_of(repo, "one"), checkout_of(repo, "two")
    write(one.path, {"src/a.py": "a = 'one'\n", "out/x.txt": "x\n"})
    merge(repo, "topic", "one", 1, collect(one, "one", attempt=1).head, "Merge one")
    write(two.path, {"src/a.py": "a = 'two'\n", ".git/info/exclude": "out\n", ".gitignore": "out\n"})
    os.symlink(tmp_path / "victim", os.path.join(two.path, "out"))
    head = collect(two, "two", attempt=1).head
    with suppress(LionError):  # refused or replaced, but not followed
        hand_back_conflict(two, head, integration_tip(repo))
    assert list((tmp_path / "victim").iterdir()) == []
