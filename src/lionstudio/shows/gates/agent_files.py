"""Find the changed files that steer agents: by name, and as targets of links, imports and commands of such files."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import accumulate, islice, product
from typing import NamedTuple

from lionstudio.model.shows.agent_settings import is_steering, named_paths, plain_name
from lionstudio.shows.git.repo_layout import Repo
from lionstudio.shows.git.setup import director_git
from lionstudio.system.git import Git

# A play that exceeds these limits changes a file that steers agents, so it waits for a person anyway.
_MOST_DEPTH = 5  # imports of imports, as in Claude Code
_MOST_LINKS = 40  # on the way to one file, as in Linux
_MOST_FILE = 1_000_000  # bytes
_MOST_READ = 16_000_000
_MOST_NAMES = 10_000  # in one file
_MOST_STEPS = 1_000_000  # parts of paths in one tree
_MOST_PARTS = 256  # of one path
_LINK = "120000"


def changed_steering_files(repo: Repo, base: str, result: str) -> list[str]:
    """Return the changed paths that steer agents in one of two trees, with the reason where the name is not one."""
    git = director_git(repo)
    before, after = _list_files(git, base), _list_files(git, result)
    changed = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    if not changed:
        return []
    blobs = _Blobs(git)
    targets = _Tree(after, repo.path, blobs).targets() | _Tree(before, repo.path, blobs).targets()
    steering = []
    for path in changed:
        sources = [targets[folder] for folder in ("", *_with_folders(plain_name(path))) if folder in targets]
        if is_steering(path):
            steering.append(path)
        elif sources:
            steering.append(f"{path} (target of {sources[-1]})")
    return steering


class _File(NamedTuple):
    mode: str
    oid: str


@lru_cache(maxsize=2)  # the result of one play is often the base of the next
def _list_files(git: Git, tree: str) -> Mapping[str, _File]:
    """Map the paths of a tree, named by its hash or that of its commit, to their files."""
    lines = (line.partition("\t") for line in git.check("ls-tree", "-r", "-z", "--full-tree", tree).fields())
    heads = ((head.split(" "), path) for head, _, path in lines)
    return {path: _File(mode, oid) for (mode, _kind, oid), path in heads}


class _Blobs:
    """Contents of small files, each read once."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._left = _MOST_READ
        self._texts: dict[str, str] = {}

    def load(self, oids: Iterable[str]) -> None:
        wanted = [oid for oid in dict.fromkeys(oids) if oid not in self._texts]
        self._texts |= dict.fromkeys(wanted, "")
        small = []
        for line in self._cat("--batch-check=%(objectname) %(objectsize)", wanted).splitlines():
            oid, size = line.decode().split()
            if size.isdigit() and int(size) <= min(_MOST_FILE, self._left):
                self._left -= int(size)
                small.append(oid)
        output, start = self._cat("--batch=%(objectsize)", small), 0
        for oid in small:
            end = output.index(b"\n", start)
            start, end = end + 1, end + 1 + int(output[start:end])
            self._texts[oid] = os.fsdecode(output[start:end])
            start = end + 1

    def read(self, oid: str) -> str:
        if oid not in self._texts:
            self.load([oid])
        return self._texts[oid]

    def _cat(self, form: str, oids: list[str]) -> bytes:
        return self._git.check("cat-file", form, stdin="\n".join(oids).encode()).out if oids else b""


class _Entry(NamedTuple):
    path: str
    oid: str
    is_link: bool


class _Tree:
    """The files of a tree by their plain names."""

    def __init__(self, files: Mapping[str, _File], root: str, blobs: _Blobs) -> None:
        self._root = f"{root}/"
        self._blobs = blobs
        self._entries: dict[str, _Entry] = {}
        for path, file in files.items():
            self._entries.setdefault(plain_name(path), _Entry(path, file.oid, file.mode == _LINK))
        self._sorted = sorted(self._entries)
        self._steps = 0

    def targets(self) -> dict[str, str]:
        """Map the files and folders that steering files lead to, by plain names, to the file that names each."""
        targets: dict[str, str] = {}
        level = [name for name in self._sorted if is_steering(name)]
        seen = set(level)
        for _ in range(_MOST_DEPTH):
            self._blobs.load(self._entries[name].oid for name in level)
            following = list[str]()
            for name in level:
                for target in self._leads_to(name):
                    if target not in targets and not is_steering(target):
                        targets[target] = self._entries[name].path
                        files = [file for file in self._files_of(target) if file not in seen]
                        seen.update(files)
                        following += files
            level = following
        return targets

    def _leads_to(self, name: str) -> Iterator[str]:
        entry = self._entries[name]
        if entry.is_link:
            yield from self._resolve(name)
            return
        folders = ["", *_with_folders(name)[:-1]]
        names = islice(named_paths(name, self._blobs.read(entry.oid)), _MOST_NAMES)
        for named, folder in product({plain_name(named) for named in names}, folders):
            if self._steps > _MOST_STEPS:
                return
            passed = self._resolve(f"{folder}/{named}")
            if passed and passed[-1] in self._entries:
                yield from passed

    def _resolve(self, path: str) -> list[str]:
        """Follow a path; return the links on the way and its end, or nothing when it leaves the repository."""
        left, parts, links = path.split("/")[::-1], list[str](), list[str]()
        while left:
            part = left.pop()
            self._steps += 1
            if (part == ".." and not parts) or len(parts) > _MOST_PARTS or self._steps > _MOST_STEPS:
                return []
            if part == "..":
                parts.pop()
            elif part not in ("", "."):
                parts.append(part)
            name = "/".join(parts)
            entry = self._entries.get(name)
            if entry is not None and entry.is_link:
                links.append(name)
                target = self._blobs.read(entry.oid)
                parts = [] if target.startswith("/") else parts[:-1]
                if len(links) > _MOST_LINKS or (target.startswith("/") and not target.startswith(self._root)):
                    return links
                left += plain_name(target.removeprefix(self._root)).split("/")[::-1]
        return [*links, "/".join(parts)]

    def _files_of(self, name: str) -> list[str]:
        if name in self._entries:
            return [name]
        first, last = bisect_left(self._sorted, f"{name}/"), bisect_left(self._sorted, f"{name}0")  # 0 follows /
        return self._sorted[first:last] if name else []


def _with_folders(path: str) -> list[str]:
    """Return the folders that a path lies in, outermost first, and the path."""
    return list(accumulate(path.split("/"), "{}/{}".format))
