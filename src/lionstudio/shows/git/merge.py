"""Merge a play into its show without a checkout: merge-tree, commit-tree, compare-and-swap of the ref.

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

_MOST_TRIES = 50  # lost races; each means that the branch moved meanwhile
_MOST_TEXT = 20_000
_FORM = "%H %(trailers:key=Show-Play,valueonly,separator=%x2C)"


@dataclass(frozen=True, slots=True)
class CleanMerge:
    """A merge without conflicts; `tree` is its result, `tip` the commit it was tried against."""

    tree: str
    tip: str


@dataclass(frozen=True, slots=True)
class MergeConflict:
    """The conflicting files, and git's messages about them."""

    files: tuple[str, ...]
    text: str
    tip: str


@dataclass(frozen=True, slots=True)
class AlreadyMerged:
    """`sha` is the merge commit, or the tip when the work needed none."""

    sha: str


@dataclass(frozen=True, slots=True)
class MergeCommitted:
    sha: str


def integration_tip(repo: Repo) -> str:
    """Return the commit of the integration branch; refuse when it is checked out in a folder, or gone."""
    line = users_git(repo).check("for-each-ref", "--format=%(objectname) %(worktreepath)", repo.integration).line
    oid, _, worktree = line.partition(" ")
    name = repo.integration.removeprefix("refs/heads/")
    if not oid:
        raise NotFound(
            f"the branch {name} is gone", hint=f"restore it: git branch {name} COMMIT (git reflog lists commits)"
        )
    if worktree:
        raise Refused(
            f"{name} is checked out in {shown(worktree)}; a merge would make that folder look changed",
            hint=f"switch that folder to another branch: git -C {shown(worktree)} switch OTHER",
        )
    return oid


def try_merge(repo: Repo, tip: str, head: str) -> CleanMerge | MergeConflict | AlreadyMerged:
    """Try a merge; writes objects and nothing else."""
    git = director_git(repo)
    if git.succeeds("merge-base", "--is-ancestor", head, tip):
        return AlreadyMerged(tip)
    return _merge_tree(git, tip, head)


def _merge_tree(git: Git, tip: str, head: str) -> CleanMerge | MergeConflict:
    result = git.check("merge-tree", "--write-tree", "-z", "--name-only", "--messages", tip, head, codes=(0, 1))
    tree, *rest = result.fields() or [""]
    if not OID.fullmatch(tree):  # exit code 1 also means a commit that does not exist
        raise failure("merge-tree", result)
    if result.code == 0:
        return CleanMerge(tree, tip)
    end = rest.index("") if "" in rest else len(rest)
    return MergeConflict(tuple(dict.fromkeys(rest[:end])), _conflict_messages(rest[end + 1 :]), tip)


def _conflict_messages(records: list[str]) -> str:
    """Join git's messages: each record is a number of paths, the paths, a kind, and a text."""
    texts, at = [], 0
    while at < len(records) and records[at].isdigit():
        at += int(records[at]) + 2
        texts += records[at : at + 1]
        at += 1
    return "".join(text for text in texts if text.startswith("CONFLICT"))[:_MOST_TEXT].strip()


def merge(
    repo: Repo, topic: str, play: str, attempt: int, head: str, title: str
) -> MergeCommitted | MergeConflict | AlreadyMerged:
    """Merge a play once, however often it is called: find the merge by its trailer, retry after a lost race."""
    for _ in range(_MOST_TRIES):
        tip = integration_tip(repo)
        if (merged := _find_merged(repo, play, tip, head)) is not None:
            return AlreadyMerged(merged)
        tried = _merge_tree(director_git(repo), tip, head)
        if isinstance(tried, MergeConflict):
            return tried
        sha = commit_tree(repo, tried.tree, (tip, head), _message(topic, play, attempt, title))
        point("show.merge.committed")
        result = users_git(repo).run("update-ref", "-m", f"show: merge {play}", repo.integration, sha, tip)
        if result.code == 0:
            point("show.merge.moved")
            return MergeCommitted(sha)
        if not _lost_race(result):
            raise failure("update-ref", result)
    raise Busy(f"could not update {repo.integration}: it kept changing ({_MOST_TRIES} attempts)", hint="try again")


def _lost_race(result: GitResult) -> bool:
    reasons = ("but expected", "reference already exists")
    return "cannot lock ref" in result.err and any(reason in result.err for reason in reasons)


def _find_merged(repo: Repo, play: str, tip: str, head: str) -> str | None:
    """Find the merge of a play, or the tip when it needs none, by the commits that only one side has."""
    log = director_git(repo).check(
        "log", "--first-parent", "--left-right", "-z", f"--format=%m{_FORM}", f"{tip}...{head}"
    )
    lines = [line for line in log.text.split("\0") if line]
    for line in lines:
        sha, _, trailer = line[1:].partition(" ")
        if line[0] == "<" and trailer == f"{repo.topic}/{play}":
            return sha
    return None if any(line[0] == ">" for line in lines) else tip


def _message(topic: str, play: str, attempt: int, title: str) -> str:
    """Build the commit message; the title is one line, because a line break could forge a trailer."""
    line = " ".join(title.split()) or f"Merge play {play}"
    return f"{line[:200]}\n\nShow-Play: {topic}/{play}\nShow-Attempt: {attempt}\n"
