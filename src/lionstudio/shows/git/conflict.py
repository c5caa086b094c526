"""A conflict goes back to its agent: its checkout is left in the middle of a merge, as git itself would leave it.

Files, index and refs are written by us; the agent's git runs only when the agent runs it.
"""

from __future__ import annotations

import json
import os
import shutil
import threading

from lionstudio.errors import Conflict
from lionstudio.shows.git.materialize import read_bytes
from lionstudio.shows.git.repo_layout import Checkout
from lionstudio.shows.git.setup import director_git
from lionstudio.shows.git.untrusted_git_dir import put_files
from lionstudio.shows.git.worktree_scan import save_index_position
from lionstudio.system.atomic_write import write_text
from lionstudio.system.filenames import shown
from lionstudio.system.git import OID, failure

_NAMING = threading.Lock()  # plays of one show are handed back at the same time, each with a tip of its own


def hand_back_conflict(checkout: Checkout, head: str, tip: str) -> tuple[str, ...]:
    """Leave the checkout in the middle of merging `tip` into the collected `head`; gives the conflicted files."""
    tree, stages = _merged(checkout, head, tip)
    files = tuple(dict.fromkeys(name for name, _ in stages))
    _lay(checkout, tree)
    index = _index_with_stages(checkout, stages)
    noted = {"tree": tree, "tip": tip, "files": list(files)}
    write_text(os.path.join(checkout.notes, "conflict.json"), json.dumps(noted, ensure_ascii=True) + "\n")
    put_files(
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


def _merged(checkout: Checkout, head: str, tip: str) -> tuple[str, list[tuple[str, str]]]:
    """The tree with markers in it, and what the index says about each conflicted file."""
    repo = checkout.repo
    # named by branches, because the names stand in the markers that the agent reads
    names = [ref.removeprefix("refs/heads/") for ref in (checkout.branch, repo.integration)]
    with _NAMING:
        for ref, oid in ((checkout.branch, head), (repo.integration, tip)):
            write_text(os.path.join(repo.director, *ref.split("/")), f"{oid}\n")
        ran = director_git(repo).ask("merge-tree", "--write-tree", "-z", "--no-messages", *names, codes=(0, 1))
    tree, *rest = ran.fields() or [""]
    if not OID.fullmatch(tree):
        raise failure("merge-tree", ran)
    entries = (entry.partition("\t") for entry in rest if "\t" in entry)
    return tree, [(name, told) for told, _, name in entries]


def _lay(checkout: Checkout, tree: str) -> None:
    """Bring the files to the tree with the markers, from what our index says of them: it may be laid out already."""
    save_index_position(checkout, None)
    git = director_git(checkout.repo, work_tree=checkout.path, index=checkout.index)
    git.run("update-index", "-q", "--refresh", "--ignore-submodules")
    ran = git.run("read-tree", "-m", "-u", git.ask("write-tree").line, tree)
    if ran.code != 0:
        raise Conflict(
            f"the conflict cannot be laid into {shown(checkout.path)}: {shown(ran.err.splitlines()[0])[:300]}",
            hint="move that file out of the way",
        )


def _index_with_stages(checkout: Checkout, stages: list[tuple[str, str]]) -> bytes:
    """The index that the agent gets: conflicted files are unmerged in it. Ours stays plain."""
    copy = os.path.join(checkout.notes, "index.conflict")
    shutil.copyfile(checkout.index, copy)
    zero = "0" * len(checkout.base)
    lines = [f"0 {zero}\t{name}\0" for name in dict.fromkeys(name for name, _ in stages)]
    lines += [f"{told}\t{name}\0" for name, told in stages]
    git = director_git(checkout.repo, work_tree=checkout.path, index=copy)
    git.ask("update-index", "-z", "--index-info", stdin=os.fsencode("".join(lines)))
    return read_bytes(copy)


def _message(checkout: Checkout, files: tuple[str, ...]) -> bytes:
    name = checkout.repo.integration.removeprefix("refs/heads/")
    listed = "".join(f"#\t{shown(file)}\n" for file in files)
    return (
        f"Merge branch '{name}' into {checkout.branch.removeprefix('refs/heads/')}\n\n# Conflicts:\n{listed}".encode()
    )
