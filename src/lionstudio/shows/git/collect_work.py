"""Commit an agent's work from its checkout to the user's repository, with the director's own git.

Commits that the agent made are imported first, as a pack that git verifies object by object; from then on only
verified objects are read. Its files are then compared with our own index. Git never sees the index, configuration,
attributes, hooks or refs of the agent's git folder.
"""

from __future__ import annotations

import itertools
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, NamedTuple

from lionstudio.crash import point
from lionstudio.errors import Busy, LionError, StorageFailed
from lionstudio.model.shows.left_out import LeftOut, Why
from lionstudio.shows.git import lfs
from lionstudio.shows.git.conflict_markers import find_conflict_markers
from lionstudio.shows.git.left_out import list_moved
from lionstudio.shows.git.materialize import commit_tree, read_or_empty
from lionstudio.shows.git.repo_layout import Checkout, Repo
from lionstudio.shows.git.setup import director_git, users_git
from lionstudio.shows.git.untrusted_git_dir import MOST_OTHER_REFS, GitState, read_git_state
from lionstudio.shows.git.worktree_scan import (
    ScanResult,
    attributes_mention,
    index_position,
    list_changes,
    save_index_position,
    scan,
)
from lionstudio.system.atomic_write import write_text
from lionstudio.system.filenames import shown
from lionstudio.system.git import Git, failure
from lionstudio.system.safe_rmtree import safe_rmtree

_LOOSE = 1000  # up to this number, objects are unpacked, as git itself does
_GITLINK = "160000"
_ENCRYPTED = b"\0GITCRYPT\0"  # how git-crypt begins every file that it encrypts
_MOST_FILTERED = 1000  # files of one attempt whose encryption is checked; each costs a git process


class ProblemCode(StrEnum):
    """Problem that decides whether a person may approve the work anyway."""

    UNREADABLE = "unreadable"  # commits exist that were not collected: never merged, or they would be lost
    CONFLICT_MARKERS = "conflict_markers"
    UNENCRYPTED = "unencrypted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """The work of an attempt as one commit; with problems it must not be merged."""

    head: str
    changed: tuple[str, ...] = ()  # against the play's base; () for a play that changed nothing
    problems: tuple[str, ...] = ()  # each a sentence for the agent's next attempt
    codes: tuple[ProblemCode, ...] = ()
    left_out: tuple[LeftOut, ...] = ()  # files that only the agent's own git could have committed
    # what collecting has just seen: it made this commit, so no other branch contains it
    is_new: bool = field(default=False, compare=False)
    # the integration branch, unless it is gone, checked out in a folder, or on a remote
    tip: str | None = field(default=None, compare=False)


class _Ref(NamedTuple):
    name: str
    oid: str
    tree: str
    parents: str
    worktree: str  # the folder that has it checked out


@dataclass(slots=True)
class _Work:
    checkout: Checkout
    refs: dict[str, _Ref]
    problems: list[str] = field(default_factory=list)
    codes: set[ProblemCode] = field(default_factory=set)
    left_out: list[LeftOut] = field(default_factory=list)
    rewritten: bool = False  # HEAD no longer descends from the play's base

    @property
    def branch_commit(self) -> str:
        return self._oid(self.checkout.branch)

    @property
    def tip(self) -> str:
        return self._oid(self.checkout.repo.integration)

    def _oid(self, name: str) -> str:
        return self.refs[name].oid if name in self.refs else self.checkout.base


def collect(checkout: Checkout, message: str, *, attempt: int) -> Collected:
    """Store all work of the agent, committed or not, as a commit under the play's branch and archive refs.

    The agent's processes must have ended. The checkout's own git configuration is not used.
    """
    archive, integration = checkout.repo.archive(checkout.play, attempt), checkout.repo.integration
    work = _Work(checkout, _refs(checkout.repo, checkout.branch, archive, integration))
    state = read_git_state(checkout.path, checkout.branch)
    work.problems += state.problems
    if state.unreadable:
        work.codes.add(ProblemCode.UNREADABLE)
    start = _import_commits(work, state)
    _import_lfs_objects(work)
    other_refs = _import_other_refs(work, state, start[0])
    files = _scan_files(work, start)
    head = _commit(work, start, files, message, work.refs.get(archive))
    changed = _check_changes(work, head)
    point("show.collect.taken_in")
    _move_refs(work, archive, head)
    unreadable = ProblemCode.UNREADABLE in work.codes
    save_collected_state(checkout, None if unreadable else state.head, other_refs)
    left_out = tuple(dict.fromkeys([*files.left_out, *work.left_out]))
    known = {*start, *(ref.oid for ref in work.refs.values())}
    tip = work.refs.get(integration)
    return Collected(
        head=head,
        changed=changed,
        problems=tuple(work.problems),
        codes=tuple(sorted(work.codes)),
        left_out=left_out,
        is_new=head not in known,
        tip=tip.oid if tip is not None and not tip.worktree and checkout.repo.remote is None else None,
    )


def find_uncollected(checkout: Checkout) -> tuple[str | None, tuple[LeftOut, ...]]:
    """Return what a checkout contains that was not collected, None when nothing, and the files left out."""
    if reason := _uncollected_commits(checkout):
        return reason, ()
    changed, left_out = list_changes(checkout, director_git(checkout.repo))
    moved = {item.path for item in list_moved(checkout)}  # git takes them for removed
    changed = [name for name in changed if name not in moved or os.path.lexists(os.path.join(checkout.path, name))]
    return f"it has changes that were not collected: {shown(changed[0])}" if changed else None, left_out


def _uncollected_commits(checkout: Checkout) -> str | None:
    collected = _load_collected_state(checkout)
    state = read_git_state(checkout.path, checkout.branch)
    if state.unreadable:
        return f"its commits cannot be read: {state.problems[0]}"
    if state.head is not None and state.head != collected.get("own", checkout.base):
        return "it has commits that were not collected"
    known = (checkout.base, *collected.get("beside", ()))
    if refs := [name for oid, name in state.other_refs.items() if oid not in known]:
        return f"{shown(refs[0])} was not collected"
    if oid := lfs.find_missing_object(checkout):
        return f"its LFS object {oid[:12]} was not collected"
    if os.path.isdir(os.path.join(checkout.path, ".git", "annex", "objects")):
        return "its git-annex objects are not collected"
    return None


def _refs(repo: Repo, *names: str) -> dict[str, _Ref]:
    form = "--format=%(refname)%00%(objectname)%00%(tree)%00%(parent)%00%(worktreepath)%00"
    fields = users_git(repo).check("for-each-ref", form, *names).text.split("\0")
    refs = (_Ref(fields[at].strip("\n"), *fields[at + 1 : at + 5]) for at in range(0, len(fields) - 5, 5))
    return {ref.name: ref for ref in refs if ref.name in names}


def _import_commits(work: _Work, state: GitState) -> tuple[str, ...]:
    """Copy the agent's commits into our objects; return the parents of its files, HEAD first."""
    wanted = [oid for oid in dict.fromkeys((state.head, state.branch, *state.merging)) if oid]
    new = [oid for oid in wanted if oid not in (work.branch_commit, work.tip, work.checkout.base)]
    try:
        if new:
            _transfer(work.checkout, new, (work.branch_commit, work.tip, work.checkout.base))
        _check_ancestry(work, state.head)
    except (StorageFailed, Busy):
        raise
    except LionError as error:
        work.problems.append(f"the commits in the checkout cannot be read: {error.message}")
        work.codes.add(ProblemCode.UNREADABLE)
        return (work.branch_commit,)
    if state.head is None:
        if state.branch in new:
            _archive(work, str(state.branch))
        return (work.branch_commit,)
    _check_branch(work, state, state.head)
    return state.head, *(oid for oid in state.merging if oid != state.head)


def _import_other_refs(work: _Work, state: GitState, head: str) -> list[str]:
    """Archive the branches, tags and stashes that HEAD does not contain; return those that are safe now.

    An unreadable one does not block the work: it stays in the checkout, and so the checkout stays.
    """
    git, safe = director_git(work.checkout.repo), []
    for oid in itertools.islice(state.other_refs, MOST_OTHER_REFS):
        try:
            if oid not in (work.branch_commit, work.tip, work.checkout.base):
                _transfer(work.checkout, [oid], (head, work.tip, work.checkout.base))
                if not git.succeeds("merge-base", "--is-ancestor", oid, head):
                    _archive(work, oid)
        except (StorageFailed, Busy):
            raise
        except LionError:
            continue
        safe.append(oid)
    return safe


def _check_ancestry(work: _Work, head: str | None) -> None:
    git = director_git(work.checkout.repo)
    if head not in (None, work.checkout.base):
        work.rewritten = not git.succeeds("merge-base", "--is-ancestor", work.checkout.base, str(head))


def _import_lfs_objects(work: _Work) -> None:
    """Copy the LFS objects of the agent's commits, which git itself does not transfer."""
    try:
        lfs.import_objects(work.checkout)
    except OSError as error:
        raise StorageFailed(f"cannot copy the LFS objects: {error.strerror}", hint="free some disk space") from None
    except LionError as error:
        work.problems.append(f"the LFS objects in the checkout cannot be read: {error.message}")
        work.codes.add(ProblemCode.UNREADABLE)


def _check_branch(work: _Work, state: GitState, head: str) -> None:
    """Report a HEAD that lacks commits of the play's branch, and archive these commits."""
    git = director_git(work.checkout.repo)
    if state.branch in (None, head) or git.succeeds("merge-base", "--is-ancestor", str(state.branch), head):
        return
    branch = work.checkout.branch.removeprefix("refs/heads/")
    work.problems.append(
        f"HEAD was left at {head[:12]}, which lacks commits of {branch} ({str(state.branch)[:12]});"
        f" check out {branch} and bring everything there"
    )
    _archive(work, str(state.branch))


def _archive(work: _Work, oid: str) -> None:
    """Keep work that HEAD does not contain under a ref of its own."""
    ref = f"{work.checkout.repo.archive(work.checkout.play, 0)}-{oid[:12]}"
    users_git(work.checkout.repo).check("update-ref", "-m", "show: left beside HEAD", ref, oid)


def _transfer(checkout: Checkout, wanted: list[str], known: tuple[str, ...]) -> None:
    """Copy commits into the user's store; git refuses broken, forged or incomplete objects, and none of them stays."""
    repo = checkout.repo
    store = os.path.join(checkout.path, ".git", "objects")
    reader = director_git(repo, read_only_objects=(store,))
    revisions = "".join(f"{oid}\n" for oid in wanted) + "--not\n" + "".join(f"{oid}\n" for oid in dict.fromkeys(known))
    with tempfile.TemporaryFile(dir=repo.director_dir) as pack, _quarantine(repo) as quarantine:
        result = reader.run("pack-objects", "--revs", "--stdout", "-q", stdin=revisions.encode(), stdout=pack)
        if result.code != 0:
            raise failure("pack-objects", result)
        pack.seek(8)
        number = int.from_bytes(pack.read(4), "big")
        pack.seek(0)
        # by the descriptor too: git reads it without our buffer
        os.lseek(pack.fileno(), 0, os.SEEK_SET)
        git = director_git(repo, objects=quarantine, read_only_objects=(repo.objects,))
        if number <= _LOOSE:
            git.check("unpack-objects", "-q", "--strict", stdin=pack)
        else:
            git.check("index-pack", "--stdin", "--strict", stdin=pack)
        # --strict does not notice an object under a false name; the usual case costs no git process
        if missing := [oid for oid in wanted if not os.path.exists(os.path.join(quarantine, oid[:2], oid[2:]))]:
            git.check("rev-list", "--no-walk", "--quiet", *missing, "--")
        _release(quarantine, repo.objects)


@contextmanager
def _quarantine(repo: Repo) -> Iterator[str]:
    """Create an object folder inside the user's, as `git receive-pack` does: a refused object never gets out of it."""
    # by this name, `git gc` removes it if we are killed
    folder = tempfile.mkdtemp(prefix="tmp_objdir-incoming-", dir=repo.objects)
    os.mkdir(os.path.join(folder, "pack"))
    try:
        yield folder
    finally:
        safe_rmtree(folder)


def _release(quarantine: str, objects: str) -> None:
    """Move the objects into the store; a pack becomes visible with its index, so that comes last."""
    for folder in sorted(os.listdir(quarantine)):
        names = os.listdir(os.path.join(quarantine, folder))
        os.makedirs(os.path.join(objects, folder), exist_ok=True)
        for name in sorted(names, key=lambda name: name.endswith(".idx")):
            target = os.path.join(objects, folder, name)
            if not os.path.exists(target):
                os.rename(os.path.join(quarantine, folder, name), target)


def _scan_files(work: _Work, start: tuple[str, ...]) -> ScanResult:
    """Compare the files with their parent commit; unusable files become problems for the agent."""
    if not os.path.isdir(work.checkout.path) or os.path.islink(work.checkout.path):
        return ScanResult()
    git = director_git(work.checkout.repo)
    _reset_index(work.checkout, git, start[0])
    files = scan(work.checkout, git)
    work.problems += files.refused.values()
    return files


def _reset_index(checkout: Checkout, git: Git, commit: str) -> None:
    """Reset our index to a commit; unchanged entries keep their file status."""
    if index_position(checkout) == commit:
        return
    save_index_position(checkout, None)
    ours = replace(git, work_tree=checkout.path, index=checkout.index)
    if ours.run("read-tree", "-i", "-m", commit).code != 0:
        with suppress(FileNotFoundError):
            os.unlink(checkout.index)
        ours.check("read-tree", commit)
    save_index_position(checkout, commit)


def _commit(work: _Work, start: tuple[str, ...], files: ScanResult, message: str, archived: _Ref | None) -> str:
    """Commit the uncommitted files; return the archived commit when nothing has changed since."""
    if files.tree is None and len(start) == 1:
        return start[0]
    repo = work.checkout.repo
    tree = files.tree or director_git(repo).check("rev-parse", f"{start[0]}^{{tree}}").line
    if archived is not None and (archived.tree, archived.parents) == (tree, " ".join(start)):
        return archived.oid
    _check_resolved(work, tree)
    return commit_tree(repo, tree, start, message)


def _check_resolved(work: _Work, tree: str) -> None:
    """Report a conflict that was handed back and left unchanged."""
    conflict = json.loads(read_or_empty(os.path.join(work.checkout.private_dir, "conflict.json")) or b"{}")
    if conflict.get("tree") == tree:
        files = ", ".join(shown(name) for name in conflict.get("files", [])[:20])
        work.problems.append(f"the merge conflict was not resolved: {files}")
        work.codes.add(ProblemCode.CONFLICT_MARKERS)


def _check_changes(work: _Work, head: str) -> tuple[str, ...]:
    """Return the files that the play changed; report a rewritten history, repositories and conflict markers."""
    checkout, git = work.checkout, director_git(work.checkout.repo)
    if head == checkout.base:
        return ()
    if work.rewritten:
        work.problems.append(
            f"the history was rewritten: it no longer contains {checkout.base[:12]}, where the play started;"
            " rebase your work onto that commit"
        )
    tip = json.loads(read_or_empty(os.path.join(checkout.private_dir, "conflict.json")) or b"{}").get("tip")
    merged = tip is not None and git.succeeds("merge-base", "--is-ancestor", tip, head)
    base = tip if merged else checkout.base
    fields = git.check("diff-tree", "-r", "-z", "--no-renames", "--ignore-submodules=none", base, head).fields()
    changes = list(zip(fields[::2], fields[1::2], strict=True))
    for modes, name in changes:
        if modes.startswith(":000000 " + _GITLINK):
            work.problems.append(
                f"{shown(name)} was committed as a repository of its own; remove its .git and add its files"
            )
        elif modes.startswith(f":{_GITLINK} {_GITLINK}") and not _has_submodule_commit(
            checkout, name, modes.split()[3]
        ):
            work.left_out.append(LeftOut(name, Why.SUBMODULE))
    names = tuple(name for _, name in changes)
    if marked := find_conflict_markers(git, checkout.path, base, head, names):
        work.problems.append(f"conflict markers remain in {', '.join(map(shown, marked[:20]))}")
        work.codes.add(ProblemCode.CONFLICT_MARKERS)
    if plain := _unencrypted(checkout, git, head, names):
        work.problems.append(
            f"{', '.join(map(shown, plain[:20]))} would be committed without encryption: git-crypt does not run in the"
            " checkout; undo that commit and leave the files uncommitted"
        )
        work.codes.add(ProblemCode.UNENCRYPTED)
    return names


def _has_submodule_commit(checkout: Checkout, name: str, oid: str) -> bool:
    """Return whether the user's clone of a submodule has a commit; one that only the checkout has would be lost."""
    git_dir = os.path.join(checkout.repo.git_dir, "modules", name)
    return os.path.isdir(git_dir) and Git(git_dir=git_dir).run("cat-file", "-e", f"{oid}^{{commit}}").code == 0


def _unencrypted(checkout: Checkout, git: Git, head: str, names: Sequence[str]) -> list[str]:
    """List committed files that git-crypt should have encrypted; without its key, git stores them as they are."""
    if not attributes_mention(b"git-crypt", checkout.path, names):
        return []  # the usual case costs no git process
    ours = replace(git, work_tree=checkout.path, index=checkout.index)
    stdin = b"".join(os.fsencode(name) + b"\0" for name in names)
    fields = ours.check("check-attr", "-z", "--stdin", "filter", stdin=stdin).fields()
    pairs = zip(fields[::3], fields[2::3], strict=True)
    secret = [name for name, value in pairs if value.startswith("git-crypt")][:_MOST_FILTERED]
    starts = {name: git.read_start(len(_ENCRYPTED), "cat-file", "blob", f"{head}:{name}")[0] for name in secret}
    return [name for name, start in starts.items() if start and start != _ENCRYPTED]


def _move_refs(work: _Work, archive: str, head: str) -> None:
    """Move branch and archive together; a replaced archived commit gets a ref of its own."""
    branch, archived = work.refs.get(work.checkout.branch), work.refs.get(archive)
    lines = []
    if branch is None or not branch.worktree:  # the folder that has it checked out would look changed
        lines.append(f"update {work.checkout.branch}\0{head}\0{branch.oid if branch else ''}\0")
    if archived is None or archived.oid != head:
        lines.append(f"update {archive}\0{head}\0{archived.oid if archived else ''}\0")
    if archived is not None and archived.oid != head:
        lines.append(f"update {archive}-{archived.oid[:12]}\0{archived.oid}\0\0")
    users_git(work.checkout.repo).check(
        "update-ref", "-z", "--stdin", "-m", f"show: collect {work.checkout.play}", stdin="".join(lines).encode()
    )


def save_collected_state(checkout: Checkout, head: str | None, other_refs: Sequence[str] = ()) -> None:
    """Save the commits that the checkout contains: any other commit later is uncollected work."""
    state = {"own": head, "beside": list(other_refs)}
    write_text(os.path.join(checkout.private_dir, "collected.json"), json.dumps(state) + "\n")


def _load_collected_state(checkout: Checkout) -> dict[str, Any]:
    state = json.loads(read_or_empty(os.path.join(checkout.private_dir, "collected.json")) or b"{}")
    return state if isinstance(state, dict) else {}
