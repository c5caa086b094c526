"""Merges of random plays on random files: each is merged once, and no work is lost."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.repositories import begun, checkout_of, commit, files_of, fingerprint, git, make_repo, merge

from lionstudio.shows.git.checkout import remove
from lionstudio.shows.git.collect_work import collect
from lionstudio.shows.git.conflict import hand_back_conflict
from lionstudio.shows.git.merge import AlreadyMerged, MergeCommitted, MergeConflict, integration_tip
from lionstudio.shows.git.repo_layout import Checkout, Repo

NAMES = ("a", "b", "dir/c", "dir/d", "dir")
LINES = st.lists(st.sampled_from("pqrstuvw"), max_size=6).map(lambda lines: "".join(f"{line}\n" for line in lines))
EDIT = st.tuples(st.sampled_from(NAMES), st.one_of(st.none(), LINES), st.booleans())  # name, content or removal, commit
PLAYS = st.lists(st.lists(EDIT, max_size=4), min_size=2, max_size=3)


def edit(checkout: Checkout, name: str, text: str | None) -> None:
    """What an agent might do to a file; where a folder is in the way it does something else."""
    path = Path(checkout.path, name)
    try:
        if text is None:
            path.unlink()
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    except OSError:
        Path(checkout.path, f"{name.replace('/', '-')}.txt").write_text(text or "gone\n")


def state(checkout: Checkout) -> dict[str, str]:
    found = {}
    for folder, folders, names in os.walk(checkout.path):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            path = Path(folder, name)
            found[str(path.relative_to(checkout.path))] = path.read_text().rstrip("\n")
    return found


def resolve(repo: Repo, checkout: Checkout, head: str) -> str:
    """The agent takes its own side of everything."""
    files = hand_back_conflict(checkout, head, integration_tip(repo))
    git(checkout.path, "checkout", "-q", "--ours", ".", check=False)
    for name in files:
        ours = git(checkout.path, "ls-files", "-u", "--", name)
        if "\t" in ours and " 2\t" not in ours:
            Path(checkout.path, name).unlink(missing_ok=True)
    git(checkout.path, "add", "-A")
    git(checkout.path, "commit", "-q", "--allow-empty", "-m", "resolved")
    collected = collect(checkout, "resolved", attempt=2)
    assert collected.problems == ()
    return collected.head


@settings(max_examples=max(7, settings().max_examples // 8))  # each starts git two hundred times
@given(base=st.dictionaries(st.sampled_from(NAMES[:4]), LINES), plays=PLAYS)
def test_merge_combines_any_plays(base: dict[str, str], plays: list[list[tuple[str, str | None, bool]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        users = make_repo(Path(folder, "users"), {"README": "r\n", **base})
        before = fingerprint(users)
        repo = begun(users)
        checkouts = [checkout_of(repo, f"play-{number}") for number in range(len(plays))]
        heads: list[str] = []
        for checkout, edits in zip(checkouts, plays, strict=True):
            for name, text, committed in edits:
                edit(checkout, name, text)
                if committed:
                    commit(checkout.path)
            collected = collect(checkout, "work", attempt=1)
            assert collected.problems == ()
            assert files_of(users, collected.head) == state(checkout)
            heads.append(bring_home(repo, checkout, collected.head))
        merges = git(
            users, "log", "--first-parent", "--format=%(trailers:key=Show-Play,valueonly)", "show/topic/integration"
        )
        told = [line for line in merges.splitlines() if line]
        assert len(told) == len(set(told))
        for checkout, head in zip(checkouts, heads, strict=True):
            assert git(users, "merge-base", "--is-ancestor", head, "show/topic/integration", check=False) == ""
            assert remove(checkout).kept is None
        assert fingerprint(users) == before
        git(users, "fsck", "--strict")


def bring_home(repo: Repo, checkout: Checkout, head: str) -> str:
    """Merge it, by way of its agent if need be; asking again merges nothing."""
    done = merge(repo, "topic", checkout.play, 1, head, "Merge")
    if isinstance(done, MergeConflict):
        assert done.files != ()
        head = resolve(repo, checkout, head)
        done = merge(repo, "topic", checkout.play, 2, head, "Merge")
    assert isinstance(done, (MergeCommitted, AlreadyMerged))
    assert merge(repo, "topic", checkout.play, 3, head, "Merge") == AlreadyMerged(done.sha)
    return head
