"""Files of a checkout that no commit contains: moved aside before the checkout is removed, never deleted.

Filtered files (git-crypt and others) can only be committed by a program that we do not run, changed submodules have
commits of their own, and ignored files are not part of the work. They lie in `.left_out/PLAY` beside the checkouts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator

from lionstudio.model.shows.left_out import LeftOut, Why
from lionstudio.show_sync.checkouts import LEFT_OUT
from lionstudio.shows.git.materialize import read_or_empty
from lionstudio.shows.git.repo_layout import Checkout
from lionstudio.shows.git.setup import director_git
from lionstudio.system.atomic_write import make_folder, write_text
from lionstudio.system.safe_rmtree import refuse_link

_MANIFEST = "left_out.json"  # in our own folder of the play: path to reason
_PROVISIONED = "provisioned.json"  # ignored files that `copy` and `setup` made
_CACHES = frozenset({"__pycache__", "node_modules", ".DS_Store", ".venv", "venv"})
_CACHE_MARKS = ("CACHEDIR.TAG", "pyvenv.cfg")  # written into a folder by the tool that can make it again


def left_out_folder(checkout: Checkout) -> str:
    return os.path.join(checkout.repo.checkouts_dir, LEFT_OUT, checkout.play)


def save_provisioned(checkout: Checkout) -> None:
    """Remember the ignored files of a new checkout: they come from the plan, not from the agent."""
    names = sorted(_list_ignored(checkout))
    write_text(os.path.join(checkout.private_dir, _PROVISIONED), json.dumps(names, ensure_ascii=True) + "\n")


def list_ignored(checkout: Checkout) -> list[LeftOut]:
    """List the ignored files that the agent made or changed, without caches that a tool can make again."""
    record = os.path.join(checkout.private_dir, _PROVISIONED)
    provisioned = set(json.loads(read_or_empty(record) or b"[]"))
    names: list[str] = []
    for name in _list_ignored(checkout):
        if _is_cache(os.path.join(checkout.path, name)):
            continue
        names += _changed_since(checkout.path, name, os.stat(record)) if name in provisioned else [name]
    return [LeftOut(name, Why.IGNORED) for name in names]


def _changed_since(top: str, provisioned: str, record: os.stat_result) -> Iterator[str]:
    """Yield the files of a provisioned file or folder that were written after the record of what was provisioned."""
    names = [provisioned]
    try:
        while names:
            path = os.path.join(top, name := names.pop())
            if os.path.isdir(path) and not os.path.islink(path):
                names += [os.path.join(name, entry) for entry in os.listdir(path) if not _is_cache(f"{path}/{entry}")]
            elif os.lstat(path).st_ctime_ns > record.st_ctime_ns:  # unlike mtime, not set by a program
                yield name
    except OSError:  # too deep, or not readable
        yield provisioned


def _list_ignored(checkout: Checkout) -> Iterator[str]:
    excludes = os.path.join(checkout.private_dir, "exclude")
    git = director_git(checkout.repo, work_tree=checkout.path, index=checkout.index, excludes=excludes)
    for name in git.check("ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory").fields():
        yield name.rstrip("/")


def _is_cache(path: str) -> bool:
    name = os.path.basename(path)
    return (
        name in _CACHES
        or name.endswith(".pyc")
        or any(os.path.isfile(os.path.join(path, mark)) for mark in _CACHE_MARKS)
    )


def move_aside(checkout: Checkout, left_out: Iterable[LeftOut]) -> list[LeftOut]:
    """Move the files out of a checkout; return all that were ever moved, also before a crash."""
    everything = list(dict.fromkeys([*list_moved(checkout), *left_out]))
    if not everything:
        return []
    write_text(os.path.join(checkout.private_dir, _MANIFEST), json.dumps(everything, ensure_ascii=True) + "\n")
    folder = _make_folder(checkout)
    for item in everything:
        _move(os.path.join(checkout.path, item.path), os.path.join(folder, item.path))
    return everything


def move_git_dir_aside(checkout: Checkout) -> None:
    """Move a git folder that is replaced out of a checkout: it may have commits that were not collected."""
    _move(os.path.join(checkout.path, ".git"), os.path.join(_make_folder(checkout), "replaced.git"))


def move_checkout_aside(checkout: Checkout) -> None:
    """Move a whole checkout away whose work cannot be collected, so that the play can go on."""
    _move(checkout.path, os.path.join(_make_folder(checkout), "replaced"))


def _make_folder(checkout: Checkout) -> str:
    folder = left_out_folder(checkout)
    for part in (os.path.dirname(folder), folder):
        refuse_link(part)  # an agent works beside it
        make_folder(part)
    return folder


def list_moved(checkout: Checkout) -> list[LeftOut]:
    """List the files that were moved aside, or were about to be when the process was killed."""
    manifest = json.loads(read_or_empty(os.path.join(checkout.private_dir, _MANIFEST)) or b"[]")
    return [LeftOut(path, Why(why), detail) for path, why, detail in manifest]


def _move(source: str, target: str) -> None:
    if not os.path.lexists(source):
        return  # moved before a crash, or removed by the agent
    make_folder(os.path.dirname(target))
    number = 1
    while os.path.lexists(target if number == 1 else f"{target}.{number}"):
        number += 1
    os.rename(source, target if number == 1 else f"{target}.{number}")
