"""Hand a merge conflict back to its agent: its checkout is put in the middle of a merge, as git itself would do.

We write the files, the index and the refs; the agent's git runs only when the agent runs it.
"""

from __future__ import annotations

import json
import os
import shutil
import threading

from lionstudio.errors import Conflict
from lionstudio.shows.git.materialize import read_or_empty
from lionstudio.shows.git.repo_layout import Checkout
from lionstudio.shows.git.setup import director_git
from lionstudio.shows.git.untrusted_git_dir import write_git_files
from lionstudio.shows.git.worktree_scan import save_index_position
from lionstudio.system.atomic_write import write_text
from lionstudio.system.filenames import shown
from lionstudio.system.git import OID, failure

_NAMING = threading.Lock()  # several plays may be handed back at the same time, each with its own tip


def hand_back_conflict(checkout: Checkout, head: str, tip: str) -> tuple[str, ...]:
    """Put the checkout in the middle of merging `tip` into the collected `head`; return the conflicting files."""
    tree, stages = _merge_with_markers(checkout, head, tip)
    files = tuple(dict.fromkeys(name for name, _ in stages))
    _check_out(checkout, tree)
    index = _index_with_stages(checkout, stages)
    conflict = {"tree": tree, "tip": tip, "files": list(files)}
    write_text(os.path.join(checkout.private_dir, "conflict.json"), json.dumps(conflict, ensure_ascii=True) + "\n")
    write_git_files(
        checkout.path,
        {
            "HEAD": f"ref: {checkout.branch}\n".encode(),
            checkout.branch: f"{head}\n".encode(),
            "MERGE_HEAD": f"{tip}\n".encode(),
            "MERGE_MODE": b"",
            "MERGE_MSG": _message(checkout, files),
            "index": index,
        },
    )
    return files


def _merge_with_markers(checkout: Checkout, head: str, tip: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the tree with conflict markers, and the index stages of each conflicting file."""
    repo = checkout.repo
    # by branch names, because they appear in the markers that the agent reads
    names = [ref.removeprefix("refs/heads/") for ref in (checkout.branch, repo.integration)]
    with _NAMING:
        for ref, oid in ((checkout.branch, head), (repo.integration, tip)):
            write_text(os.path.join(repo.director_dir, *ref.split("/")), f"{oid}\n")
        result = director_git(repo).check("merge-tree", "--write-tree", "-z", "--no-messages", *names, codes=(0, 1))
    tree, *rest = result.fields() or [""]
    if not OID.fullmatch(tree):
        raise failure("merge-tree", result)
    entries = (entry.partition("\t") for entry in rest if "\t" in entry)
    return tree, [(name, stage) for stage, _, name in entries]


def _check_out(checkout: Checkout, tree: str) -> None:
    """Check the tree with markers out over the files of our index; it may be checked out already."""
    save_index_position(checkout, None)
    git = director_git(checkout.repo, work_tree=checkout.path, index=checkout.index)
    git.run("update-index", "-q", "--refresh", "--ignore-submodules")
    result = git.run("read-tree", "-m", "-u", git.check("write-tree").line, tree)
    if result.code != 0:
        raise Conflict(
            f"cannot check the conflict out into {shown(checkout.path)}: {shown(result.err.splitlines()[0])[:300]}",
            hint="move that file away",
        )


def _index_with_stages(checkout: Checkout, stages: list[tuple[str, str]]) -> bytes:
    """Build the agent's index, in which conflicting files are unmerged; our own has no stages."""
    copy = os.path.join(checkout.private_dir, "index.conflict")
    shutil.copyfile(checkout.index, copy)
    zero = "0" * len(checkout.base)
    lines = [f"0 {zero}\t{name}\0" for name in dict.fromkeys(name for name, _ in stages)]
    lines += [f"{stage}\t{name}\0" for name, stage in stages]
    git = director_git(checkout.repo, work_tree=checkout.path, index=copy)
    git.check("update-index", "-z", "--index-info", stdin=os.fsencode("".join(lines)))
    return read_or_empty(copy)


def _message(checkout: Checkout, files: tuple[str, ...]) -> bytes:
    name = checkout.repo.integration.removeprefix("refs/heads/")
    listed = "".join(f"#\t{shown(file)}\n" for file in files)
    return (
        f"Merge branch '{name}' into {checkout.branch.removeprefix('refs/heads/')}\n\n# Conflicts:\n{listed}".encode()
    )
