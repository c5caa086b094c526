"""Files with a filter attribute (Git LFS, git-crypt, others) and ignored files: nothing of them is lost."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.support.repositories import begun, checkout_of, commit, files_of, git, make_repo, merge, write

from lionstudio.model.shows.left_out import LeftOut, Why
from lionstudio.model.shows.plan import Command
from lionstudio.show_sync.checkouts import list_left_out
from lionstudio.shows.git.checkout import CheckoutTarget, prepare, remove
from lionstudio.shows.git.collect_work import ProblemCode, collect
from lionstudio.shows.git.left_out import left_out_folder
from lionstudio.shows.git.repo_layout import Checkout
from lionstudio.system import git as wrapper

CONTENT = "the large content\n"
OID = hashlib.sha256(CONTENT.encode()).hexdigest()
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{OID}\nsize {len(CONTENT)}"
LFS = {"filter.lfs.clean": "git-lfs clean -- %f", "filter.lfs.smudge": "git-lfs smudge -- %f"}
needs_lfs = pytest.mark.skipif(shutil.which("git-lfs") is None, reason="git-lfs is not installed")
needs_crypt = pytest.mark.skipif(shutil.which("git-crypt") is None, reason="git-crypt is not installed")


def with_attributes(tmp_path: Path, attributes: str, files: dict[str, str] | None = None) -> Path:
    return make_repo(tmp_path / "users", {".gitattributes": attributes, "README.md": "hello\n", **(files or {})})


def with_lfs(tmp_path: Path) -> Path:
    users = with_attributes(tmp_path, "*.bin filter=lfs -text\n")
    for name, value in LFS.items():
        git(users, "config", name, value)
    return users


def lfs_object(users: Path, oid: str = OID) -> Path:
    return users / ".git" / "lfs" / "objects" / oid[:2] / oid[2:4] / oid


def merge_play(checkout: Checkout) -> str:
    collected = collect(checkout, "work", attempt=1)
    merge(checkout.repo, "topic", checkout.play, 1, collected.head, "Merge")
    return collected.head


def test_collect_stores_uncommitted_lfs_files_as_pointers(tmp_path: Path) -> None:
    users = with_lfs(tmp_path)
    checkout = checkout_of(begun(users))
    write(checkout.path, {"data.bin": CONTENT, "other.txt": "o\n"})
    Path(checkout.path, "data.bin").chmod(0o755)
    collected = collect(checkout, "work", attempt=1)
    assert (collected.problems, collected.left_out, sorted(collected.changed)) == ((), (), ["data.bin", "other.txt"])
    assert files_of(users, collected.head)["data.bin"] == POINTER
    assert git(users, "ls-tree", collected.head, "data.bin").startswith("100755 blob ")
    assert lfs_object(users).read_text() == CONTENT
    again = collect(checkout, "work", attempt=1)
    assert again.head == collected.head  # the file differs from its pointer, and that is not a change
    merge(checkout.repo, "topic", "play", 1, collected.head, "Merge")
    assert remove(checkout).kept is None
    assert not os.path.exists(checkout.path)


def test_collect_keeps_pointers_and_empty_files_of_lfs_as_they_are(tmp_path: Path) -> None:
    users = with_lfs(tmp_path)
    checkout = checkout_of(begun(users))
    write(checkout.path, {"pointer.bin": POINTER + "\n", "empty.bin": ""})
    files = files_of(users, collect(checkout, "work", attempt=1).head)
    assert (files["pointer.bin"], files["empty.bin"]) == (POINTER, "")


def test_collect_takes_lfs_files_larger_than_a_repository_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lionstudio.shows.git.worktree_scan.MOST_FILE", 10)
    users = with_lfs(tmp_path)
    checkout = checkout_of(begun(users))
    write(checkout.path, {"data.bin": CONTENT, "large.txt": "twelve bytes"})
    collected = collect(checkout, "work", attempt=1)
    assert collected.changed == ("data.bin",)
    assert [problem.split(" is too")[0] for problem in collected.problems] == ["large.txt"]


def test_collect_deletes_and_links_filtered_files(tmp_path: Path) -> None:
    users = with_attributes(tmp_path, "*.bin filter=other\n", {"a.bin": "a\n", "b.bin": "b\n"})
    checkout = checkout_of(begun(users))
    os.unlink(os.path.join(checkout.path, "a.bin"))
    os.unlink(os.path.join(checkout.path, "b.bin"))
    os.symlink("README.md", os.path.join(checkout.path, "b.bin"))
    collected = collect(checkout, "work", attempt=1)
    assert (sorted(collected.changed), collected.left_out) == (["a.bin", "b.bin"], ())


def test_lfs_files_are_left_out_when_the_user_does_not_use_lfs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lionstudio.shows.git.lfs.read_users_config", lambda *_: {})
    checkout = checkout_of(begun(with_attributes(tmp_path, "*.bin filter=lfs\n")))
    write(checkout.path, {"data.bin": CONTENT})
    assert collect(checkout, "work", attempt=1).left_out == (LeftOut("data.bin", Why.FILTER, "lfs"),)


def test_lfs_configuration_of_the_checkout_counts_for_nothing(tmp_path: Path) -> None:
    """A filter that the agent configures is neither run nor taken for the user's."""
    users = with_attributes(tmp_path, "*.bin filter=mine\n")
    checkout = checkout_of(begun(users))
    git(checkout.path, "config", "filter.mine.clean", f"touch {tmp_path}/trap; cat")
    git(checkout.path, "config", "lfs.storage", str(tmp_path / "elsewhere"))
    write(checkout.path, {"data.bin": CONTENT})
    assert [item.detail for item in collect(checkout, "work", attempt=1).left_out] == ["mine"]
    assert not (tmp_path / "trap").exists()


@pytest.mark.parametrize("trick", ["none", "deleted", "in a folder", "behind much text", "macro"])
def test_collect_leaves_filtered_files_out_wherever_the_attribute_is(tmp_path: Path, trick: str) -> None:
    """Git is asked for attributes only where a file may mention a filter; git itself also takes them from the index."""
    where, text = ".gitattributes", "*.key filter=other\n"
    if trick == "in a folder":
        where = "deep/.gitattributes"
    elif trick == "behind much text":
        text = "# comment\n" * 110_000 + text
    elif trick == "macro":
        text = "[attr]hidden filter=other\n*.key hidden\n"
    checkout = checkout_of(begun(make_repo(tmp_path / "users", {where: text, "deep/old.txt": "o\n"})))
    if trick == "deleted":
        os.unlink(os.path.join(checkout.path, where))
    write(checkout.path, {"deep/new.key": "secret\n"})

    assert collect(checkout, "work", attempt=1).left_out == (LeftOut("deep/new.key", Why.FILTER, "other"),)


def test_collect_asks_for_no_attributes_without_filters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout = checkout_of(begun(with_attributes(tmp_path, "*.txt text\n")))
    write(checkout.path, {"deep/new.key": "not secret\n"})
    asked: list[str] = []
    argv = wrapper.Git._argv

    def note(self: wrapper.Git, args: Sequence[str]) -> list[str]:
        asked.append(args[0])
        return argv(self, args)

    monkeypatch.setattr(wrapper.Git, "_argv", note)

    assert collect(checkout, "work", attempt=1).changed == ("deep/new.key",)
    assert "check-attr" not in asked


def test_remove_moves_filtered_files_aside(tmp_path: Path) -> None:
    users = with_attributes(tmp_path, "*.key filter=other\n", {"old.key": "stored\n"})
    checkout = checkout_of(begun(users))
    write(checkout.path, {"old.key": "changed\n", "deep/new.key": "secret\n", "other.txt": "o\n"})
    merge_play(checkout)
    removal = remove(checkout)
    assert removal.kept is None
    assert {item.path for item in removal.left_out} == {"old.key", "deep/new.key"}
    folder = Path(left_out_folder(checkout))
    assert ((folder / "old.key").read_text(), (folder / "deep/new.key").read_text()) == ("changed\n", "secret\n")
    assert not os.path.exists(checkout.path)
    (only,) = list_left_out(checkout.repo.checkouts_dir)
    assert (only.play, only.files, only.bytes) == ("play", 2, 15)


def test_remove_continues_after_a_crash_between_moving_and_removing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = with_attributes(tmp_path, "*.key filter=other\n", {"old.key": "stored\n"})
    checkout = checkout_of(begun(users))
    write(checkout.path, {"old.key": "changed\n", "new.key": "secret\n"})
    merge_play(checkout)

    def crash(name: str) -> None:
        if name == "show.checkout.moved_aside":
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("lionstudio.shows.git.checkout.point", crash)
        with pytest.raises(KeyboardInterrupt):
            remove(checkout)
    removal = remove(checkout)
    assert (removal.kept, {item.path for item in removal.left_out}) == (None, {"old.key", "new.key"})
    assert sorted(os.listdir(left_out_folder(checkout))) == ["new.key", "old.key"]


def test_remove_moves_ignored_files_aside_but_not_caches_or_setup(tmp_path: Path) -> None:
    users = make_repo(tmp_path / "users", {".gitignore": "out/\n*.log\n__pycache__/\ntarget/\ndeps/\n", "a.py": "a\n"})
    setup: tuple[Command, ...] = (("sh", "-c", "mkdir deps; echo d > deps/d"),)
    checkout = prepare(CheckoutTarget(repo=begun(users), play="play", setup=setup))
    write(checkout.path, {"out/report.pdf": "r\n", "run.log": "l\n", "__pycache__/a.pyc": "p", "b.py": "b\n"})
    write(checkout.path, {"target/CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n", "target/x.o": "o"})
    merge_play(checkout)
    removal = remove(checkout)
    assert {(item.path, item.why) for item in removal.left_out} == {("out", Why.IGNORED), ("run.log", Why.IGNORED)}
    assert sorted(os.listdir(left_out_folder(checkout))) == ["out", "run.log"]
    assert Path(left_out_folder(checkout), "out/report.pdf").read_text() == "r\n"


def test_remove_moves_files_of_setup_and_copy_aside_when_the_agent_changed_them(tmp_path: Path) -> None:
    users = make_repo(tmp_path / "users", {".gitignore": ".env\nbuild/\n", "a.py": "a\n"})
    write(users, {".env": "KEY=1\n"})
    setup: tuple[Command, ...] = (("sh", "-c", "mkdir -p build/deep made; echo b > build/b; echo m > made/m"),)
    checkout = prepare(CheckoutTarget(repo=begun(users), play="play", copy=(".env",), setup=setup))
    time.sleep(0.02)  # a clock tick of the file system
    write(checkout.path, {".env": "KEY=2\n", "build/deep/report": "r\n", "made/m": "edited\n", "b.py": "b\n"})
    merge_play(checkout)
    removal = remove(checkout)
    assert {item.path for item in removal.left_out} == {".env", "build/deep/report", "made/m"}
    folder = Path(left_out_folder(checkout))
    assert ((folder / ".env").read_text(), (folder / "made/m").read_text()) == ("KEY=2\n", "edited\n")
    assert not (folder / "build" / "b").exists()


def test_remove_keeps_a_provisioned_folder_that_cannot_be_searched(tmp_path: Path) -> None:
    users = make_repo(tmp_path / "users", {".gitignore": "build/\n", "a.py": "a\n"})
    setup: tuple[Command, ...] = (("sh", "-c", "mkdir build; echo b > build/b"),)
    checkout = prepare(CheckoutTarget(repo=begun(users), play="play", setup=setup))
    deep = "for i in $(seq 30); do d=$(printf %0200d $i); mkdir $d; cd -P $d || exit 1; done; echo r > report"
    subprocess.run(["sh", "-ec", deep], cwd=os.path.join(checkout.path, "build"), check=True)
    write(checkout.path, {"b.py": "b\n"})
    merge_play(checkout)
    assert {item.path for item in remove(checkout).left_out} == {"build"}
    assert os.path.exists(os.path.join(left_out_folder(checkout), "build", "0" * 199 + "1"))


def test_move_aside_refuses_a_link_in_place_of_its_folder(tmp_path: Path) -> None:
    users = with_attributes(tmp_path, "*.key filter=other\n")
    checkout = checkout_of(begun(users))
    write(checkout.path, {"new.key": "secret\n"})
    merge_play(checkout)
    (tmp_path / "elsewhere").mkdir()
    os.symlink(tmp_path / "elsewhere", os.path.join(checkout.repo.checkouts_dir, ".left_out"))
    with pytest.raises(Exception, match="must be a folder of the show"):
        remove(checkout)
    assert Path(checkout.path, "new.key").read_text() == "secret\n"
    assert os.listdir(tmp_path / "elsewhere") == []


def test_collect_copies_lfs_objects_of_commits(tmp_path: Path) -> None:
    """git transfers the pointer; the content is only in the agent's own git folder."""
    users = with_lfs(tmp_path)
    checkout = checkout_of(begun(users))
    inside = Path(checkout.path, ".git", "lfs", "objects", OID[:2], OID[2:4], OID)
    write(inside.parent, {OID: CONTENT})
    write(checkout.path, {"data.bin": POINTER + "\n"})
    git(checkout.path, "add", "-A")
    git(checkout.path, "commit", "-q", "-m", "lfs")
    assert collect(checkout, "work", attempt=1).problems == ()
    assert lfs_object(users).read_text() == CONTENT


def test_collect_refuses_forged_lfs_objects(tmp_path: Path) -> None:
    users = with_lfs(tmp_path)
    checkout = checkout_of(begun(users))
    inside = Path(checkout.path, ".git", "lfs", "objects", OID[:2], OID[2:4])
    write(inside, {OID: "forged\n"})
    collected = collect(checkout, "work", attempt=1)
    assert collected.codes == (ProblemCode.UNREADABLE,)
    assert not lfs_object(users).exists()
    assert str(remove(checkout).kept).endswith("not collected")


@needs_lfs
def test_collect_with_real_git_lfs(tmp_path: Path) -> None:
    """The pointer equals the one of git-lfs, and a clone of the user's repository gets the content."""
    users = tmp_path / "users"
    users.mkdir()
    git(users, "init", "-q", "-b", "main")
    git(users, "lfs", "install", "--local", HOME=str(tmp_path))
    write(users, {".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "first.bin": "first\n"})
    commit(users)
    checkout = checkout_of(begun(users))
    assert "git-lfs" in Path(checkout.path, "first.bin").read_text()  # checked out as stored
    write(checkout.path, {"data.bin": CONTENT, "first.bin": "second\n"})
    head = merge_play(checkout)
    assert remove(checkout) == (None, ())
    git(users, "merge", "-q", "show/topic/integration", HOME=str(tmp_path))
    assert ((users / "data.bin").read_text(), (users / "first.bin").read_text()) == (CONTENT, "second\n")
    assert git(users, "lfs", "fsck", HOME=str(tmp_path)).endswith("Git LFS fsck OK")
    assert git(users, "status", "--porcelain", HOME=str(tmp_path)) == ""
    assert git(users, "show", f"{head}:data.bin") == POINTER


@needs_lfs
def test_collect_commits_of_an_agent_with_git_lfs(tmp_path: Path) -> None:
    users = with_lfs(tmp_path)
    checkout = checkout_of(begun(users))
    write(checkout.path, {"data.bin": CONTENT})
    git(checkout.path, "config", "filter.lfs.clean", "git-lfs clean -- %f")
    commit(checkout.path, "lfs")
    collected = collect(checkout, "work", attempt=1)
    assert (collected.problems, collected.left_out) == ((), ())
    merge(checkout.repo, "topic", "play", 1, collected.head, "Merge")
    assert remove(checkout).kept is None
    assert lfs_object(users).read_text() == CONTENT


@needs_crypt
def test_collect_with_real_git_crypt(tmp_path: Path) -> None:
    users = make_repo(tmp_path / "users", {"README.md": "hello\n"})
    git(users, "crypt", "init", HOME=str(tmp_path))
    write(users, {".gitattributes": "*.key filter=git-crypt diff=git-crypt\n", "old.key": "old secret\n"})
    commit(users)
    repo = begun(users)
    checkout = checkout_of(repo)
    assert Path(checkout.path, "old.key").read_bytes().startswith(b"\0GITCRYPT\0")
    write(checkout.path, {"new.key": "new secret\n"})
    uncommitted = collect(checkout, "work", attempt=1)
    assert (uncommitted.problems, uncommitted.left_out) == ((), (LeftOut("new.key", Why.FILTER, "git-crypt"),))
    commit(checkout.path, "plain")  # the filter is not configured there, so git stores the secret as it is
    committed = collect(checkout, "work", attempt=2)
    assert committed.codes == (ProblemCode.UNENCRYPTED,)
    assert "new.key would be committed without encryption" in committed.problems[0]


def test_collect_reports_unencrypted_files_without_git_crypt(tmp_path: Path) -> None:
    users = with_attributes(tmp_path, "secrets/** filter=git-crypt-team\n")
    checkout = checkout_of(begun(users))
    write(checkout.path, {"secrets/a.key": "plain\n"})
    commit(checkout.path)
    assert collect(checkout, "work", attempt=1).codes == (ProblemCode.UNENCRYPTED,)
    Path(checkout.path, "secrets/a.key").write_bytes(b"\0GITCRYPT\0encrypted")
    git(checkout.path, "commit", "-q", "-a", "--amend", "-m", "encrypted")
    assert collect(checkout, "work", attempt=2).codes == ()


def test_collect_leaves_out_submodule_commits_that_only_the_checkout_has(tmp_path: Path) -> None:
    users = make_repo(tmp_path / "users")
    commit(users)
    inner = git(users, "rev-parse", "HEAD")
    git(users, "update-index", "--add", "--cacheinfo", f"160000,{inner},sub")
    git(users, "commit", "-q", "-m", "submodule")
    checkout = checkout_of(begun(users))
    git(checkout.path, "update-index", "--cacheinfo", f"160000,{'1' * 40},sub")
    git(checkout.path, "commit", "-q", "-m", "moved")
    assert collect(checkout, "work", attempt=1).left_out == (LeftOut("sub", Why.SUBMODULE),)


@needs_lfs
def test_setup_may_fill_lfs_files(tmp_path: Path) -> None:
    """As docs/how-to/use-git-lfs.md says: the content comes from the user's LFS folder, and is not a change."""
    users = tmp_path / "users"
    users.mkdir()
    git(users, "init", "-q", "-b", "main")
    git(users, "lfs", "install", "--local", HOME=str(tmp_path))
    write(users, {".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "data.bin": CONTENT})
    commit(users)
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    target = CheckoutTarget(repo=begun(users), play="play", setup=(("git", "lfs", "checkout"),), env=env)
    checkout = prepare(target)
    assert Path(checkout.path, "data.bin").read_text() == CONTENT
    write(checkout.path, {"other.txt": "o\n"})
    collected = collect(checkout, "work", attempt=1)
    assert (collected.changed, collected.problems, collected.left_out) == (("other.txt",), (), ())
    merge(checkout.repo, "topic", "play", 1, collected.head, "Merge")
    assert remove(checkout) == (None, ())
