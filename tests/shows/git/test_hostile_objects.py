"""Hostile objects and files in a checkout: broken objects, odd names, links and sizes."""

from __future__ import annotations

import os
import stat
import subprocess
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from tests.support.repositories import begun, checkout_of, commit, files_of, git, make_repo, merge, write

from lionstudio.errors import LionError
from lionstudio.shows.git import untrusted_git_dir, worktree_scan
from lionstudio.shows.git.checkout import remove
from lionstudio.shows.git.collect_work import ProblemCode, collect
from lionstudio.shows.git.conflict import hand_back_conflict
from lionstudio.shows.git.materialize import check_out_tree
from lionstudio.shows.git.merge import MergeCommitted, integration_tip
from lionstudio.shows.git.repo_layout import Repo


@pytest.fixture
def users(tmp_path: Path) -> Path:
    files = {"README.md": "hello\n", "src/a.py": "a = 1\n", "data.bin": "data\n", "sub/deep/x.txt": "x\n"}
    return make_repo(tmp_path / "users", files)


@pytest.fixture
def repo(users: Path) -> Repo:
    return begun(users)


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
    # the commit is only in the checkout, so that stays
    assert ProblemCode.UNREADABLE in collected.codes
    merge(repo, "topic", "play", 1, collected.head, "Merge play")
    assert remove(checkout).kept is not None
    assert git(checkout.path, "rev-parse", "HEAD") == head


@pytest.mark.parametrize("loose", [1000, 0])
def test_collect_leaves_no_object_of_a_refused_commit(
    users: Path, repo: Repo, loose: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lionstudio.shows.git.collect_work._LOOSE", loose)
    checkout = checkout_of(repo)
    write(checkout.path, {"new.txt": "new content\n"})
    commit(checkout.path)
    blob = git(checkout.path, "rev-parse", "HEAD:new.txt")
    entries = b"".join(b"100644 " + name + b"\0" + bytes.fromhex(blob) for name in (b".git", b"new.txt"))
    made = subprocess.run(
        ["git", "hash-object", "-w", "-t", "tree", "--literally", "--stdin"],
        cwd=checkout.path,
        input=entries,
        capture_output=True,
        check=True,
    )
    head = git(checkout.path, "commit-tree", made.stdout.decode().strip(), "-p", checkout.base, "-m", "evil")
    git(checkout.path, "update-ref", "HEAD", head)
    git(checkout.path, "rm", "-q", "-f", "new.txt", check=False)
    Path(checkout.path, "new.txt").unlink(missing_ok=True)
    before = sorted(users.glob(".git/objects/**/*"))
    assert "cannot be read" in collect(checkout, "work", attempt=1).problems[0]
    assert sorted(users.glob(".git/objects/**/*")) == before
    assert git(users, "fsck", "--strict") == ""


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
    assert remove(checkout).kept is None


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
