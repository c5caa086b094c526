"""Merging a play into its show without a checkout: merge-tree, commit-tree, a ref that moves only from its old value.

git runs in the director's folder, where there are no attributes and so no merge drivers: the same everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

from lionstudio.crash import point
from lionstudio.errors import Busy, NotFound
from lionstudio.errors import Conflict as Refused
from lionstudio.shows.git.materialize import commit_tree
from lionstudio.shows.git.repo_layout import Repo
from lionstudio.shows.git.setup import director_git, users_git
from lionstudio.system.filenames import shown
from lionstudio.system.git import OID, Git, GitResult, failure

_MOST_TRIES = 50  # lost races; each means that another play was merged meanwhile
_MOST_TEXT = 20_000
_FORM = "%H %(trailers:key=Show-Play,valueonly,separator=%x2C)"


@dataclass(frozen=True, slots=True)
class CleanMerge:
    """It merges; `tree` is what would come out, `tip` what it was tried against."""

    tree: str
    tip: str


@dataclass(frozen=True, slots=True)
class MergeConflict:
    """It does not merge: which files, and git's words about them."""

    files: tuple[str, ...]
    text: str
    tip: str


@dataclass(frozen=True, slots=True)
class AlreadyMerged:
    """It is in there already; `sha` is its merge commit, or the tip for work that needed none."""

    sha: str


@dataclass(frozen=True, slots=True)
class MergeCommitted:
    """It was merged now."""

    sha: str


def integration_tip(repo: Repo) -> str:
    """The commit of the integration branch; refuses when it is checked out somewhere or gone."""
    told = users_git(repo).ask("for-each-ref", "--format=%(objectname) %(worktreepath)", repo.integration).line
    oid, _, where = told.partition(" ")
    name = repo.integration.removeprefix("refs/heads/")
    if not oid:
        raise NotFound(
            f"the branch {name} is gone", hint=f"git branch {name} COMMIT brings it back; git reflog knows which"
        )
    if where:
        raise Refused(
            f"{name} is checked out in {shown(where)}, and moving it would make that folder look changed",
            hint="switch to another branch there, then go on",
        )
    return oid


def try_merge(repo: Repo, tip: str, head: str) -> CleanMerge | MergeConflict | AlreadyMerged:
    """What merging would give; writes objects and nothing else."""
    git = director_git(repo)
    if git.says("merge-base", "--is-ancestor", head, tip):
        return AlreadyMerged(tip)
    return _merge_tree(git, tip, head)


def _merge_tree(git: Git, tip: str, head: str) -> CleanMerge | MergeConflict:
    ran = git.ask("merge-tree", "--write-tree", "-z", "--name-only", "--messages", tip, head, codes=(0, 1))
    tree, *rest = ran.fields() or [""]
    if not OID.fullmatch(tree):  # exit code 1 also stands for a commit that does not exist
        raise failure("merge-tree", ran)
    if ran.code == 0:
        return CleanMerge(tree, tip)
    end = rest.index("") if "" in rest else len(rest)
    return MergeConflict(tuple(dict.fromkeys(rest[:end])), _words(rest[end + 1 :]), tip)


def _words(records: list[str]) -> str:
    """Git's messages: each record is a number of paths, the paths, a kind, and a text."""
    texts, at = [], 0
    while at < len(records) and records[at].isdigit():
        at += int(records[at]) + 2
        texts += records[at : at + 1]
        at += 1
    return "".join(text for text in texts if text.startswith("CONFLICT"))[:_MOST_TEXT].strip()


def merge(
    repo: Repo, topic: str, play: str, attempt: int, head: str, title: str
) -> MergeCommitted | MergeConflict | AlreadyMerged:
    """Merge a play once, however often it is asked for: found by its trailer, tried again after a lost race."""
    for _ in range(_MOST_TRIES):
        tip = integration_tip(repo)
        if (before := _is_in(repo, play, tip, head)) is not None:
            return AlreadyMerged(before)
        tried = _merge_tree(director_git(repo), tip, head)
        if isinstance(tried, MergeConflict):
            return tried
        sha = commit_tree(repo, tried.tree, (tip, head), _message(topic, play, attempt, title))
        point("show.merge.committed")
        ran = users_git(repo).run("update-ref", "-m", f"show: merge {play}", repo.integration, sha, tip)
        if ran.code == 0:
            point("show.merge.moved")
            return MergeCommitted(sha)
        if not _was_lost(ran):
            raise failure("update-ref", ran)
    raise Busy(f"{repo.integration} moves all the time", hint="try again")


def _was_lost(ran: GitResult) -> bool:
    return "cannot lock ref" in ran.err and ("but expected" in ran.err or "reference already exists" in ran.err)


def _is_in(repo: Repo, play: str, tip: str, head: str) -> str | None:
    """The merge of a play, or the tip when it needs none; both are told by what either side has alone."""
    ran = director_git(repo).ask(
        "log", "--first-parent", "--left-right", "-z", f"--format=%m{_FORM}", f"{tip}...{head}"
    )
    lines = [line for line in ran.text.split("\0") if line]
    merged = _by_trailer(repo, play, [line[1:] for line in lines if line[0] == "<"])
    return merged or (None if any(line[0] == ">" for line in lines) else tip)


def _by_trailer(repo: Repo, play: str, lines: list[str]) -> str | None:
    for line in lines:
        sha, _, trailer = line.partition(" ")
        if trailer == f"{repo.topic}/{play}":
            return sha
    return None


def _message(topic: str, play: str, attempt: int, title: str) -> str:
    """One line of title: a line break in it could forge a trailer."""
    line = " ".join(title.split()) or f"Merge play {play}"
    return f"{line[:200]}\n\nShow-Play: {topic}/{play}\nShow-Attempt: {attempt}\n"
