"""What an agent left in its checkout becomes one commit in the user's repository, with the director's own git.

Commits that the agent made are taken in first, as a pack that git checks object by object; from then on only
checked objects are read. Its files are then compared with our own index. Its index, configuration, attributes of
its git folder, hooks and refs are never given to git.
"""

from __future__ import annotations

import itertools
import json
import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from lionstudio.crash import point
from lionstudio.errors import Busy, LionError, StorageFailed
from lionstudio.shows.git.conflict_markers import find_conflict_markers
from lionstudio.shows.git.materialize import commit_tree, read_bytes
from lionstudio.shows.git.repo_layout import Checkout, Repo
from lionstudio.shows.git.setup import director_git, users_git
from lionstudio.shows.git.untrusted_git_dir import MOST_BESIDE, GitState, read_git_state
from lionstudio.shows.git.worktree_scan import ScanResult, differing, index_position, save_index_position, scan
from lionstudio.system.atomic_write import write_text
from lionstudio.system.filenames import shown
from lionstudio.system.git import Git, failure

_LOOSE = 1000  # objects up to which they are unpacked, as git itself does
_GITLINK = "160000"


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What an attempt left: one commit that holds it all. With problems it must not be merged."""

    head: str
    changed: tuple[str, ...] = ()  # against the play's base; () for a play that did nothing
    problems: tuple[str, ...] = ()  # each a sentence for the agent's next attempt
    left_out: tuple[str, ...] = ()  # files that only the agent's own git could have committed (filters, submodules)


class _Ref(NamedTuple):
    """A ref of the user's repository."""

    name: str
    oid: str
    tree: str
    parents: str
    where: str  # the work tree that has it checked out


@dataclass(slots=True)
class _Work:
    """A collection under way."""

    checkout: Checkout
    refs: dict[str, _Ref]
    problems: list[str] = field(default_factory=list)
    rewritten: bool = False  # HEAD does not descend from the play's base any more

    @property
    def known(self) -> str:
        return self._oid(self.checkout.branch)

    @property
    def tip(self) -> str:
        return self._oid(self.checkout.repo.integration)

    def _oid(self, name: str) -> str:
        return self.refs[name].oid if name in self.refs else self.checkout.base


def collect(checkout: Checkout, message: str, *, attempt: int) -> Collected:
    """Everything the agent left, committed or not, as a commit in the user's repository under branch and archive ref.

    The agent's processes must have ended. Nothing of the checkout's own git configuration is used.
    """
    archive = checkout.repo.archive(checkout.play, attempt)
    work = _Work(checkout, _refs(checkout.repo, checkout.branch, archive, checkout.repo.integration))
    seen = read_git_state(checkout.path, checkout.branch)
    work.problems += seen.problems
    start = _take_in(work, seen)
    beside = _take_beside(work, seen, start[0])
    swept = _sweep(work, start)
    head = _commit(work, start, swept, message, work.refs.get(archive))
    changed = _examine(work, head)
    point("show.collect.taken_in")
    _keep(work, archive, head)
    remember(checkout, seen.head, beside)
    return Collected(head=head, changed=changed, problems=tuple(work.problems), left_out=swept.left_out)


def left_since(checkout: Checkout) -> str | None:
    """What is in a checkout that was not there when it was collected."""
    noted = _noted(checkout)
    seen = read_git_state(checkout.path, checkout.branch)
    if seen.head is not None and seen.head != noted.get("own", checkout.base):
        return "it has commits that were not collected"
    known = (checkout.base, *noted.get("beside", ()))
    if lost := [name for oid, name in seen.other_refs.items() if oid not in known]:
        return f"{shown(lost[0])} was not collected"
    changed = differing(checkout, director_git(checkout.repo))
    return f"it has changes that were not collected: {shown(changed[0])}" if changed else None


def _refs(repo: Repo, *names: str) -> dict[str, _Ref]:
    form = "--format=%(refname)%00%(objectname)%00%(tree)%00%(parent)%00%(worktreepath)%00"
    fields = users_git(repo).ask("for-each-ref", form, *names).text.split("\0")
    found = (_Ref(fields[at].strip("\n"), *fields[at + 1 : at + 5]) for at in range(0, len(fields) - 5, 5))
    return {ref.name: ref for ref in found if ref.name in names}


def _take_in(work: _Work, seen: GitState) -> tuple[str, ...]:
    """The commits that the files are on top of, with what the agent committed among our objects; the first is HEAD."""
    wanted = [oid for oid in dict.fromkeys((seen.head, seen.branch, *seen.merging)) if oid]
    new = [oid for oid in wanted if oid not in (work.known, work.tip, work.checkout.base)]
    try:
        if new:
            _transfer(work.checkout, new, (work.known, work.tip, work.checkout.base))
        _assert_there(work, seen.head, [oid for oid in new if oid != seen.head])
    except (StorageFailed, Busy):
        raise
    except LionError as error:
        work.problems.append(f"the commits in the checkout cannot be read: {error.message}")
        return (work.known,)
    if seen.head is None:
        return (work.known,)
    return _chosen(work, seen, seen.head), *(oid for oid in seen.merging if oid != seen.head)


def _take_beside(work: _Work, seen: GitState, head: str) -> list[str]:
    """Archive the branches, tags and stashes that HEAD does not lead to; gives those that are safe now.

    One that cannot be read is no reason to refuse the work: it stays in the checkout, and the checkout with it.
    """
    git, safe = director_git(work.checkout.repo), []
    for oid in itertools.islice(seen.other_refs, MOST_BESIDE):
        try:
            if oid not in (work.known, work.tip, work.checkout.base):
                _transfer(work.checkout, [oid], (head, work.tip, work.checkout.base))
                if not git.says("merge-base", "--is-ancestor", oid, head):
                    _archive(work, oid)
        except (StorageFailed, Busy):
            raise
        except LionError:
            continue
        safe.append(oid)
    return safe


def _assert_there(work: _Work, head: str | None, others: list[str]) -> None:
    """Strict means that everything a pack refers to is there; what lied about its own name is not."""
    git = director_git(work.checkout.repo)
    if head not in (None, work.checkout.base):
        work.rewritten = not git.says("merge-base", "--is-ancestor", work.checkout.base, str(head))
    if others:
        git.ask("rev-list", "--no-walk", "--quiet", *others, "--")


def _chosen(work: _Work, seen: GitState, head: str) -> str:
    """HEAD, with a problem when it was left behind the branch of the play or beside it."""
    git = director_git(work.checkout.repo)
    if seen.branch in (None, head) or git.says("merge-base", "--is-ancestor", str(seen.branch), head):
        return head
    branch = work.checkout.branch.removeprefix("refs/heads/")
    work.problems.append(
        f"HEAD was left at {head[:12]}, which lacks commits of {branch} ({str(seen.branch)[:12]});"
        f" check out {branch} and bring everything there"
    )
    _archive(work, str(seen.branch))
    return head


def _archive(work: _Work, oid: str) -> None:
    """Work that HEAD does not lead to must not be lost because of that."""
    ref = f"{work.checkout.repo.archive(work.checkout.play, 0)}-{oid[:12]}"
    users_git(work.checkout.repo).ask("update-ref", "-m", "show: left beside HEAD", ref, oid)


def _transfer(checkout: Checkout, wanted: list[str], known: tuple[str, ...]) -> None:
    """Copy commits and what they need into the user's store; git refuses what is broken, forged or incomplete."""
    repo = checkout.repo
    store = os.path.join(checkout.path, ".git", "objects")
    reader = director_git(repo, also=(store,))
    asked = "".join(f"{oid}\n" for oid in wanted) + "--not\n" + "".join(f"{oid}\n" for oid in dict.fromkeys(known))
    with tempfile.TemporaryFile(dir=repo.director) as pack:
        packed = reader.run("pack-objects", "--revs", "--stdout", "-q", stdin=asked.encode(), into=pack)
        if packed.code != 0:
            raise failure("pack-objects", packed)
        pack.seek(8)
        number = int.from_bytes(pack.read(4), "big")
        pack.seek(0)
        # through the descriptor: what was read ahead into the buffer would be missing for git
        os.lseek(pack.fileno(), 0, os.SEEK_SET)
        if number <= _LOOSE:
            director_git(repo).ask("unpack-objects", "-q", "--strict", stdin=pack)
        else:
            director_git(repo).ask("index-pack", "--stdin", "--strict", stdin=pack)


def _sweep(work: _Work, start: tuple[str, ...]) -> ScanResult:
    """Compare the files with the commit they are on top of; what is wrong with them is a problem for the agent."""
    if not os.path.isdir(work.checkout.path) or os.path.islink(work.checkout.path):
        return ScanResult()
    git = director_git(work.checkout.repo)
    _at(work.checkout, git, start[0])
    swept = scan(work.checkout, git)
    work.problems += swept.refused.values()
    return swept


def _at(checkout: Checkout, git: Git, commit: str) -> None:
    """Bring our index to a commit; entries that stay the same keep what they know about their files."""
    if index_position(checkout) == commit:
        return
    save_index_position(checkout, None)
    ours = replace(git, work_tree=checkout.path, index=checkout.index)
    if ours.run("read-tree", "-i", "-m", commit).code != 0:
        with suppress(FileNotFoundError):
            os.unlink(checkout.index)
        ours.ask("read-tree", commit)
    save_index_position(checkout, commit)


def _commit(work: _Work, start: tuple[str, ...], swept: ScanResult, message: str, before: _Ref | None) -> str:
    """One commit for what the agent had not committed; the same again when nothing has changed since."""
    if not swept.paths and len(start) == 1:
        return start[0]
    repo = work.checkout.repo
    tree = swept.tree or director_git(repo).ask("rev-parse", f"{start[0]}^{{tree}}").line
    if before is not None and (before.tree, before.parents) == (tree, " ".join(start)):
        return before.oid
    _check_resolved(work, tree)
    return commit_tree(repo, tree, start, message)


def _check_resolved(work: _Work, tree: str) -> None:
    """A conflict that was handed back and not even looked at is not resolved."""
    handed = json.loads(read_bytes(os.path.join(work.checkout.notes, "conflict.json")) or b"{}")
    if handed.get("tree") == tree:
        files = ", ".join(shown(name) for name in handed.get("files", [])[:20])
        work.problems.append(f"the merge conflict was not resolved: {files}")


def _examine(work: _Work, head: str) -> tuple[str, ...]:
    """The files that the play changed, and whether its history and its text are in order."""
    checkout, git = work.checkout, director_git(work.checkout.repo)
    if head == checkout.base:
        return ()
    if work.rewritten:
        work.problems.append(
            f"the history was rewritten: it no longer contains {checkout.base[:12]}, where the play started;"
            " put your work on top of that commit"
        )
    handed = json.loads(read_bytes(os.path.join(checkout.notes, "conflict.json")) or b"{}").get("tip")
    merged = handed is not None and git.says("merge-base", "--is-ancestor", handed, head)
    against = handed if merged else checkout.base
    fields = git.ask("diff-tree", "-r", "-z", "--no-renames", "--ignore-submodules=none", against, head).fields()
    changes = list(zip(fields[::2], fields[1::2], strict=True))
    for modes, name in changes:
        if modes.startswith(":000000 " + _GITLINK):
            work.problems.append(
                f"{shown(name)} was committed as a repository of its own; remove its .git and add its files"
            )
    names = tuple(name for _, name in changes)
    if left := find_conflict_markers(git, checkout.path, against, head, names):
        work.problems.append(f"conflict markers are left in {', '.join(map(shown, left[:20]))}")
    return names


def _keep(work: _Work, archive: str, head: str) -> None:
    """Branch and archive move together; an archived commit that is not below the new one gets a ref of its own."""
    branch, kept = work.refs.get(work.checkout.branch), work.refs.get(archive)
    lines = []
    if branch is None or not branch.where:  # moved under somebody's feet, their folder would look changed
        lines.append(f"update {work.checkout.branch}\0{head}\0{branch.oid if branch else ''}\0")
    if kept is None or kept.oid != head:
        lines.append(f"update {archive}\0{head}\0{kept.oid if kept else ''}\0")
    if kept is not None and kept.oid != head:
        lines.append(f"update {archive}-{kept.oid[:12]}\0{kept.oid}\0\0")
    users_git(work.checkout.repo).ask(
        "update-ref", "-z", "--stdin", "-m", f"show: collect {work.checkout.play}", stdin="".join(lines).encode()
    )


def remember(checkout: Checkout, own: str | None, beside: Sequence[str] = ()) -> None:
    """Note which commits the checkout itself was at: others later on mean work that nobody has collected."""
    noted = {"own": own, "beside": list(beside)}
    write_text(os.path.join(checkout.notes, "collected.json"), json.dumps(noted) + "\n")


def _noted(checkout: Checkout) -> dict[str, Any]:
    found = json.loads(read_bytes(os.path.join(checkout.notes, "collected.json")) or b"{}")
    return found if isinstance(found, dict) else {}
