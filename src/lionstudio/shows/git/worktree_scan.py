"""Compare the files of a checkout with our own index of it, and add the changes to the index.

Only plumbing commands that start no other program: `git add` and `git status` would run git inside nested
repositories, with their configuration.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from lionstudio.model.shows.left_out import LeftOut, Why
from lionstudio.shows.git import lfs
from lionstudio.shows.git.materialize import read_or_empty
from lionstudio.shows.git.repo_layout import Checkout
from lionstudio.system.filenames import shown
from lionstudio.system.git import Git

MOST_FILE = 100_000_000  # bytes; git hosts refuse larger files
MOST_BYTES = 1_000_000_000  # total of all changed files
MOST_LFS = 10_000_000_000  # bytes of one file that git stores as an LFS pointer
_ATTRIBUTES = ".gitattributes"
_MOST_ATTRIBUTES = 1_000_000  # bytes
MOST_FILES = 50_000  # more means that a folder of dependencies is not ignored


@dataclass(slots=True)
class ScanResult:
    """The changed names, the refused names with a reason, and the resulting tree."""

    paths: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    lfs: dict[str, lfs.LfsFile] = field(default_factory=dict)  # changed files that git stores as LFS pointers
    left_out: tuple[LeftOut, ...] = ()
    tree: str | None = None


def scan(checkout: Checkout, git: Git) -> ScanResult:
    """Add every changed, new and removed file to our index, which is at the parent commit."""
    ours = _ours(checkout, git)
    result = _classify(checkout, ours, [*_changed(ours), *_staged(checkout, ours)])
    if result.paths or result.lfs:
        save_index_position(checkout, None)
        _update_index(checkout, ours, result)
    return result


def list_changes(checkout: Checkout, git: Git) -> tuple[list[str], tuple[LeftOut, ...]]:
    """List the names that a scan would add or refuse, and those it would leave out, without changing the index."""
    ours = _ours(checkout, git)
    result = _classify(checkout, ours, list(_changed(ours)))
    return [*result.paths, *result.lfs, *result.refused], result.left_out


def _ours(checkout: Checkout, git: Git) -> Git:
    excludes = os.path.join(checkout.private_dir, "exclude")
    return replace(git, work_tree=checkout.path, index=checkout.index, excludes=excludes)


def _classify(checkout: Checkout, git: Git, names: list[str]) -> ScanResult:
    result, sizes = ScanResult(), dict[str, int]()
    for name in dict.fromkeys(names):
        sizes[name], reason = _inspect(checkout.path, name)
        if reason is not None:
            result.refused[name] = reason
        else:
            result.paths.append(name)
    if result.paths:
        _separate_filtered(checkout, git, result, sizes)
    result.refused |= {name: _too_large(name, sizes[name]) for name in result.paths if sizes[name] > MOST_FILE}
    result.paths = [name for name in result.paths if name not in result.refused]
    total = sum(sizes[name] for name in result.paths)
    if len(result.paths) > MOST_FILES or total > MOST_BYTES:
        result.refused[""] = (
            f"{len(result.paths)} changed files with {total / 1e6:.0f} MB are too many;"
            f" add generated files to .gitignore, such as {shown(result.paths[0]).split('/')[0]}"
        )
        result.paths.clear()
    return result


def _too_large(name: str, size: int) -> str:
    return f"{shown(name)} is too large for a repository ({size / 1e6:.0f} MB); remove it or add it to .gitignore"


def _changed(git: Git) -> Iterator[str]:
    for line in git.check("ls-files", "-z", "-t", "-m", "-d", "-o", "--exclude-standard").fields():
        yield line[2:]


def _staged(checkout: Checkout, git: Git) -> list[str]:
    """List ignored files that the agent added with force; an unreadable index lists none."""
    index = os.path.join(checkout.path, ".git", "index")
    try:
        if not stat.S_ISREG(os.lstat(index).st_mode) or _same_checksum(index, str(git.index)):
            return []
    except OSError:
        return []
    theirs = replace(git, index=index)
    forced = theirs.run("ls-files", "-z", "-c", "-i", "--exclude-standard")
    if forced.code != 0 or not forced.out:
        return []
    # files that we put there are ignored by our own exclusions, and stay out
    ours = theirs.run("ls-files", "-z", "-c", "-i", "-X", git.excludes or "") if git.excludes else None
    return [name for name in forced.fields() if ours is None or name not in ours.fields()]


def _same_checksum(one: str, other: str) -> bool:
    """Compare two index files by the checksum at their end."""
    ends = []
    for path in (one, other):
        with open(path, "rb") as file:
            file.seek(max(0, os.path.getsize(path) - 20))
            ends.append(file.read())
    return ends[0] == ends[1]


def _inspect(top: str, name: str) -> tuple[int, str | None]:
    """Return the size of a file and the reason to refuse it, if any."""
    if name.endswith("/"):
        return 0, f"{shown(name)} is a nested git repository; remove its .git folder, or add it to .gitignore"
    path = os.path.join(top, name)
    try:
        status = os.lstat(path)
    except OSError:
        return 0, None  # a removed file is a change too
    if stat.S_ISREG(status.st_mode) and not os.access(path, os.R_OK):
        return 0, f"{shown(name)} is not readable; fix it: chmod u+r {shown(name)}"
    return status.st_size, None


def _separate_filtered(checkout: Checkout, git: Git, result: ScanResult, sizes: Mapping[str, int]) -> None:
    """Take files out whose git content is made by a filter program, which we do not run; LFS needs none."""
    modes = {name: _mode(os.path.join(checkout.path, name)) for name in result.paths}
    fields: list[str] = []
    if attributes_mention(b"filter", checkout.path, result.paths):  # the usual case costs no git process
        names = b"".join(os.fsencode(name) + b"\0" for name in result.paths)
        fields = git.check("check-attr", "-z", "--stdin", "filter", stdin=names).fields()
    filters = {
        name: value
        for name, value in zip(fields[::3], fields[2::3], strict=True)
        # git filters neither links nor removed files
        if value not in ("unspecified", "unset") and stat.S_ISREG(modes[name])
    }
    submodules = [name for name, mode in modes.items() if stat.S_ISDIR(mode)]
    in_lfs = [name for name, value in filters.items() if value == lfs.FILTER and sizes[name] <= MOST_LFS]
    if in_lfs and lfs.find_lfs_store(checkout.repo) is not None:
        result.lfs = _changed_lfs(checkout, git, in_lfs)
        filters = {name: value for name, value in filters.items() if name not in in_lfs}
    else:
        in_lfs = []
    left_out = [LeftOut(name, Why.FILTER, value) for name, value in filters.items()]
    left_out += [LeftOut(name, Why.SUBMODULE) for name in submodules]
    result.left_out = tuple(sorted(left_out))
    separate = {*in_lfs, *(item.path for item in left_out)}
    result.paths = [name for name in result.paths if name not in separate]


def attributes_mention(word: bytes, top: str, names: Sequence[str]) -> bool:
    """Return whether the attributes of changed files may contain a word; also when they changed, or are unreadable."""
    # git takes attributes from the index where an agent removed the file
    if any(os.path.basename(name).lower() == _ATTRIBUTES for name in names):
        return True
    parts = (name.split("/")[:-1] for name in names)
    folders = {os.path.join(top, *part[:number]) for part in parts for number in range(len(part) + 1)}
    return any(_mentions(word, os.path.join(folder, _ATTRIBUTES)) for folder in folders)


def _mentions(word: bytes, path: str) -> bool:
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            text = file.read(_MOST_ATTRIBUTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return word in text or len(text) > _MOST_ATTRIBUTES


def _mode(path: str) -> int:
    try:
        return os.lstat(path).st_mode
    except OSError:
        return 0


def _changed_lfs(checkout: Checkout, git: Git, names: Sequence[str]) -> dict[str, lfs.LfsFile]:
    """Return the files whose pointer differs from the one in our index."""
    entries = git.check("ls-files", "-z", "-s").fields()
    stored = {name: fields.split()[1] for fields, _, name in (entry.partition("\t") for entry in entries)}
    digest = hashlib.sha256 if len(checkout.base) == 64 else hashlib.sha1
    files = {name: lfs.read_file(os.path.join(checkout.path, name)) for name in names}
    return {
        name: file
        for name, file in files.items()
        if stored.get(name) != digest(b"blob %d\0" % len(file.pointer) + file.pointer).hexdigest()
    }


def index_position(checkout: Checkout) -> str | None:
    """Return the commit that our index is at, None when unknown."""
    return read_or_empty(f"{checkout.index}.at").decode("ascii", "ignore") or None


def save_index_position(checkout: Checkout, commit: str | None) -> None:
    """Save the position after the index was reset; None before the index changes."""
    with suppress(FileNotFoundError):
        os.unlink(f"{checkout.index}.at")
    if commit is not None:
        with open(f"{checkout.index}.at", "w", encoding="ascii") as file:
            file.write(commit)


def _update_index(checkout: Checkout, git: Git, result: ScanResult) -> None:
    # removed files first: a folder may have replaced a file of its name
    exists = {name: os.path.lexists(os.path.join(str(git.work_tree), name)) for name in result.paths}
    ordered = sorted(result.paths, key=lambda name: (exists[name], name))
    names = b"".join(os.fsencode(name) + b"\0" for name in ordered)
    if ordered:
        git.check("update-index", "-z", "--add", "--remove", "--replace", "--stdin", stdin=names)
    if result.lfs:
        _add_pointers(checkout, git, result.lfs)
    result.tree = git.check("write-tree").line


def _add_pointers(checkout: Checkout, git: Git, files: Mapping[str, lfs.LfsFile]) -> None:
    """Store the content in the user's LFS folder, then the pointers in our index."""
    store = lfs.find_lfs_store(checkout.repo)
    for name, file in files.items():
        if file.oid is not None and store is not None:
            lfs.store_object(os.path.join(checkout.path, name), file.oid, store)
    with tempfile.TemporaryDirectory(dir=checkout.private_dir) as folder:
        paths = [os.path.join(folder, str(number)) for number in range(len(files))]
        for path, file in zip(paths, files.values(), strict=True):
            with open(path, "wb") as pointer:
                pointer.write(file.pointer)
        stdin = "".join(f"{path}\n" for path in paths).encode()
        oids = git.check("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=stdin).text.split()
    modes = (_mode(os.path.join(checkout.path, name)) for name in files)
    lines = [
        f"{'100755' if mode & stat.S_IXUSR else '100644'} {oid}\t{name}\0"
        for mode, oid, name in zip(modes, oids, files, strict=True)
    ]
    git.check("update-index", "-z", "--add", "--replace", "--index-info", stdin=os.fsencode("".join(lines)))
