"""Merge a play into its show without a checkout: merge-tree, commit-tree, compare-and-swap of the ref.

git runs in the director's folder, where there are no attributes and so no merge drivers: the same everywhere.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from lionstudio.crash import point
from lionstudio.errors import Busy, NotFound
from lionstudio.errors import Conflict as Refused
from lionstudio.shows.git.materialize import commit_tree
from lionstudio.shows.git.remote.branch import RemoteBranch, fetch_tip
from lionstudio.shows.git.repo_layout import Repo
from lionstudio.shows.git.setup import director_git, find_ref, users_git
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


@dataclass(frozen=True, slots=True)
class PreparedMerge:
    """The merge commit that the gates saw; it is merged as it is while the branch stays at `tip`."""

    tip: str
    head: str
    sha: str
    tree: str


@dataclass(frozen=True, slots=True)
class ForeignCommits:
    """Another program moved the integration branch; nothing is merged on top of that.

    `shas` are commits on it that the show did not make, `dropped` merges of the show that it has lost.
    """

    shas: tuple[str, ...]
    dropped: tuple[str, ...] = ()


class MergeRecord(Protocol):
    """The merges of a show, kept where no checkout can change them."""

    @property
    def merges(self) -> Collection[str]: ...

    @property
    def tip(self) -> str | None:
        """The commit that the branch was seen at last, with recorded merges only."""

    def record_merge(self, sha: str) -> None:
        """Record a merge commit before the branch moves to it."""

    def record_tip(self, sha: str) -> None: ...

    @property
    def checked_tip(self) -> str | None:
        """The commit that this process recorded last; its line cannot have changed since."""


_MOST_FOREIGN = 1000


def find_foreign_commits(repo: Repo, tip: str, record: MergeRecord) -> ForeignCommits | None:
    """Compare the first-parent line from the base to the tip with the record; a line that agrees is recorded."""
    if tip == record.checked_tip:
        return None
    git, merges = director_git(repo), record.merges  # after the tip was seen: each is recorded before it gets there
    if _only_adds_merges(git, tip, record):
        record.record_tip(tip)
        return None
    if tip != repo.base and not git.succeeds("merge-base", "--is-ancestor", repo.base, tip):
        return None if tip in merges else ForeignCommits((tip,))
    line = _line(git, repo, tip)
    foreign = tuple(sha for sha in line if sha not in merges)
    # a recorded merge may never have reached the branch, so only the line that was seen counts
    seen = _line(git, repo, record.tip) if record.tip not in (None, repo.base, tip, *line) else []
    dropped = tuple(sha for sha in seen if sha not in line)
    if foreign or dropped:
        return ForeignCommits(foreign[:_MOST_FOREIGN], dropped[:_MOST_FOREIGN])
    record.record_tip(tip)
    return None


def _only_adds_merges(git: Git, tip: str, record: MergeRecord) -> bool:
    """Return whether a line only adds recorded merges to one that was checked, whose older part is not read again."""
    checked, merges = record.checked_tip, record.merges
    added = git.run("rev-list", "--first-parent", "--parents", f"{checked}..{tip}") if checked is not None else None
    lines = [line.split() for line in added.text.splitlines()] if added is not None and added.code == 0 else []
    if not lines or lines[-1][1:2] != [checked]:
        return False
    shas = [sha for sha, *_ in lines]
    return all(sha in merges for sha in shas) and record.tip in (checked, *shas)


def tip_without(repo: Repo, tip: str, dropped: Collection[str]) -> str:
    """Return the newest commit of a first-parent line that is not one of the dropped ones."""
    return next((sha for sha in _line(director_git(repo), repo, tip) if sha not in dropped), repo.base)


def _line(git: Git, repo: Repo, tip: str | None) -> list[str]:
    return git.check("rev-list", "--first-parent", f"{repo.base}..{tip}").text.split()


def list_merges_by_trailer(repo: Repo) -> list[str]:
    """List commits on the integration branch that name a play of the show; any program can write one."""
    tip = find_ref(repo, repo.integration)
    log = director_git(repo).check("log", "--first-parent", "-z", f"--format={_FORM}", f"{repo.base}..{tip}")
    lines = (line.partition(" ") for line in log.text.split("\0") if line)
    return [sha for sha, _, trailer in lines if trailer.startswith(f"{repo.topic}/")]


def integration_tip(repo: Repo) -> str:
    """Return the commit of the integration branch, fetched where there is a remote; refuse when it is gone.

    One that is checked out in a folder is refused too.
    """
    if repo.remote is not None:
        return fetch_tip(repo)
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


def try_merge(repo: Repo, tip: str, head: str, *, is_new: bool = False) -> CleanMerge | MergeConflict | AlreadyMerged:
    """Try a merge; writes objects and nothing else. No branch contains a head that is new."""
    git = director_git(repo)
    if not is_new and git.succeeds("merge-base", "--is-ancestor", head, tip):
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


def prepare_merge(
    repo: Repo, topic: str, play: str, attempt: int, head: str, title: str, clean: CleanMerge
) -> PreparedMerge:
    """Commit a merge without moving the branch: the gates see the commit that `merge` then uses."""
    message = _message(topic, play, attempt, title)
    return PreparedMerge(clean.tip, head, commit_tree(repo, clean.tree, (clean.tip, head), message), clean.tree)


def merge(
    repo: Repo,
    topic: str,
    play: str,
    attempt: int,
    head: str,
    title: str,
    *,
    record: MergeRecord,
    tip: str | None = None,
    prepared: PreparedMerge | None = None,
    fence: int | None = None,
) -> MergeCommitted | MergeConflict | AlreadyMerged | ForeignCommits:
    """Merge a play once, however often it is called: find the merge by its trailer, retry after a lost race.

    `tip` is where the caller has just seen the branch. A prepared merge is one that this process did not merge yet.
    With a remote, `fence` is the caller's: a play that another worker has taken over raises StaleFence.
    """
    branch = _open_branch(repo, play, fence, record)
    tip = tip if repo.remote is None else None  # the fence is seen together with the branch
    for _ in range(_MOST_TRIES):
        tip = tip or branch.tip()
        if (foreign := find_foreign_commits(repo, tip, record)) is not None:
            branch.keep_out_older()
            return foreign
        if prepared is None or (prepared.tip, prepared.head) != (tip, head):
            if (merged := _find_merged(repo, play, tip, head)) is not None:
                if branch.is_asked:
                    return AlreadyMerged(merged)
                tip = None
                continue
            tried = _merge_tree(director_git(repo), tip, head)
            if isinstance(tried, MergeConflict):
                branch.keep_out_older()
                return tried
            prepared = prepare_merge(repo, topic, play, attempt, head, title, tried)
        sha = prepared.sha
        record.record_merge(sha)
        point("show.merge.committed")
        if branch.move(sha, tip):
            point("show.merge.moved")
            record.record_tip(sha)
            return MergeCommitted(sha)
        tip = prepared = None
    raise Busy(f"could not update {repo.integration}: it kept changing ({_MOST_TRIES} attempts)", hint="try again")


class _LocalBranch:
    """The integration branch in the user's repository."""

    is_asked = True

    def __init__(self, repo: Repo, play: str) -> None:
        self._repo = repo
        self._play = play

    def tip(self) -> str:
        return integration_tip(self._repo)

    def move(self, sha: str, tip: str) -> bool:
        """Move the branch from a tip; False when it is no longer there."""
        repo = self._repo
        result = users_git(repo).run("update-ref", "-m", f"show: merge {self._play}", repo.integration, sha, tip)
        if result.code != 0 and not _lost_race(result) and not _is_missing(result):
            raise failure("update-ref", result)
        return result.code == 0

    def keep_out_older(self) -> None:
        """Do nothing: one director at a time moves this branch."""


def _open_branch(repo: Repo, play: str, fence: int | None, record: MergeRecord) -> _LocalBranch | RemoteBranch:
    if repo.remote is None:
        return _LocalBranch(repo, play)
    if fence is None:
        raise ValueError("a merge on a remote needs a fence")
    return RemoteBranch(repo, play, fence, lambda: record.tip)


def _lost_race(result: GitResult) -> bool:
    reasons = ("but expected", "reference already exists")
    return "cannot lock ref" in result.err and any(reason in result.err for reason in reasons)


def _is_missing(result: GitResult) -> bool:
    """Whether the user's `git gc` removed the commit since the gates saw it."""
    return "nonexistent object" in result.err


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
