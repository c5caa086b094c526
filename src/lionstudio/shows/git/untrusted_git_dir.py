"""Create, read and repair git folders file by file, without running git.

A checkout's own git folder belongs to its agent: any file in it may be a link, a pipe or forged. Git is never run
on it; we read it here, through descriptors that follow no link.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from lionstudio.system.filenames import shown
from lionstudio.system.git import OID, quoted

MOST_STORE = 2_000_000_000  # bytes of objects in the commits of one play
_MOST_REF, _MOST_PACKED = 4096, 50_000_000
MOST_OTHER_REFS = 200  # each costs four git processes
_DEEPEST_STORE, _DEEPEST_REFS = 3, 30  # levels of folders
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_SAFE_REF = re.compile(r"refs/[^\0\n]+")
# Files of an unfinished operation whose commits are not on the branch yet.
_UNFINISHED = {"rebase-merge": "a rebase", "rebase-apply": "a rebase", "BISECT_LOG": "a bisect"}
_LOCKS = ("index.lock", "HEAD.lock", "config.lock", "packed-refs.lock", "shallow.lock", "MERGE_HEAD.lock")


class GitDirOwner(NamedTuple):
    """The committer."""

    name: str
    email: str


def write_git_dir(
    path: str,
    *,
    bare: bool,
    head: str,
    objects: str | None,
    owner: GitDirOwner,
    sha256: bool = False,
    shallow: bytes = b"",
) -> None:
    """Create a git folder without templates, hooks or remotes; it borrows objects from another store."""
    os.makedirs(path, 0o700, exist_ok=True)
    for name in ("objects", "objects/info", "objects/pack", "refs", "refs/heads", "refs/tags", "info"):
        with suppress(FileExistsError):
            os.mkdir(os.path.join(path, *name.split("/")), 0o700)
    _put(path, "config", _config(bare=bare, owner=owner, sha256=sha256))
    if objects is not None:
        _put(path, "objects/info/alternates", alternates_text(objects))
    if shallow:
        with open(os.path.join(path, "shallow"), "wb") as file:
            file.write(shallow)
    _put(path, "HEAD", f"{head}\n")


def alternates_text(objects: str) -> str:
    """Build the file by which a git folder borrows the objects of another."""
    return (quoted(objects) if "\n" in objects else objects) + "\n"


def _config(*, bare: bool, owner: GitDirOwner, sha256: bool) -> str:
    extension = "[extensions]\n\tobjectFormat = sha256\n" if sha256 else ""
    return (
        f"[core]\n\trepositoryformatversion = {int(sha256)}\n\tfilemode = true\n\tbare = {str(bare).lower()}\n"
        f"\tlogallrefupdates = true\n{extension}"
        f"[user]\n\tname = {quoted(owner.name)}\n\temail = {quoted(owner.email)}\n"
        # packing objects that a show still needs would cost more than it saves
        "[gc]\n\tauto = 0\n"
    )


def _put(folder: str, name: str, text: str) -> None:
    with open(os.path.join(folder, *name.split("/")), "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)


@dataclass(slots=True)
class GitState:
    """The state of an agent's git folder, and the problems with it."""

    head: str | None = None  # the commit that is checked out
    branch: str | None = None  # the commit of the play's own branch
    # other branches, tags and stashes: commit to name
    other_refs: dict[str, str] = field(default_factory=dict)
    merging: tuple[str, ...] = ()  # MERGE_HEAD of a merge in progress
    problems: list[str] = field(default_factory=list)
    unreadable: bool = False  # it may have commits that cannot be read


def read_git_state(checkout: str, branch: str) -> GitState:
    """Read the git state of a checkout after its agent has ended."""
    state = GitState()
    try:
        with _open_folder(checkout) as top, _open_folder(".git", top) as git:
            _read(git, branch, state)
    except FileNotFoundError:
        gone = "its .git folder" if os.path.isdir(checkout) else "the checkout"
        state.problems.append(f"{gone} was deleted, so commits made there cannot be read")
    except (NotADirectoryError, OSError):
        state.problems.append(".git was replaced and is not a folder; commits made there are ignored")
        state.unreadable = os.path.isdir(os.path.join(checkout, ".git"))  # no rights to read it
    return state


def _read(git: int, branch: str, state: GitState) -> None:
    if _exists(git, "commondir"):
        state.problems.append(".git points at another repository; remove .git/commondir")
        state.unreadable = True
        return
    state.problems += [f"{operation} was not finished; finish or abort it" for operation in _unfinished(git)]
    if fault := _fault_of_store(git):
        state.problems.append(fault)
        state.unreadable = True
        return
    state.head, state.branch = (_resolve(git, name) for name in ("HEAD", branch))
    state.merging = tuple(line for line in (_text(git, "MERGE_HEAD") or "").split() if OID.fullmatch(line))
    if state.head is None:
        state.problems.append("HEAD does not point to a commit; check out the branch of the play again")
    for oid, name in _refs(git):
        if name != branch and oid not in (state.head, state.branch):
            state.other_refs.setdefault(oid, name)
    if len(state.other_refs) > MOST_OTHER_REFS:
        state.problems.append(
            f"it has {len(state.other_refs)} branches, tags and stashes; remove those that are not part of the work"
        )


def _unfinished(git: int) -> list[str]:
    return sorted({operation for name, operation in _UNFINISHED.items() if _exists(git, name)})


def _resolve(git: int, name: str, depth: int = 5) -> str | None:
    """Resolve a ref, loose or packed."""
    text = (_text(git, name) or "").strip()
    if text.startswith("ref:"):
        target = text[4:].strip()
        return _resolve(git, target, depth - 1) if depth and _is_safe(target) else None
    if OID.fullmatch(text):
        return text
    return None if text or name == "HEAD" else _packed(git, name)


def _refs(git: int) -> Iterator[tuple[str, str]]:
    """Yield every commit of a ref, loose or packed, and every stashed one, with its name."""
    with suppress(OSError), _open_folder("refs", git) as refs:
        for name, _ in _walk(refs, "refs/", _DEEPEST_REFS):
            if OID.fullmatch(text := (_text(git, name) or "").strip()):
                yield text, name
    for line in (_text(git, "packed-refs", _MOST_PACKED) or "").split("\n"):
        oid, _, name = line.partition(" ")
        if OID.fullmatch(oid):
            yield oid, name
    for line in (_text(git, "logs/refs/stash", _MOST_PACKED) or "").split("\n"):
        if len(parts := line.split(" ", 2)) == 3 and OID.fullmatch(parts[1]):
            yield parts[1], "refs/stash"


def _packed(git: int, name: str) -> str | None:
    for line in (_text(git, "packed-refs", _MOST_PACKED) or "").split("\n"):
        oid, _, ref = line.partition(" ")
        if ref == name and OID.fullmatch(oid):
            return oid
    return None


def _is_safe(ref: str) -> bool:
    return _SAFE_REF.fullmatch(ref) is not None and not {"", ".", ".."} & set(ref.split("/"))


def _fault_of_store(git: int) -> str | None:
    """Check that all objects are regular files: a pipe would block git, a link would lead it elsewhere."""
    try:
        with _open_folder("objects", git) as store:
            size = 0
            for name, status in _walk(store, "", _DEEPEST_STORE):
                if not stat.S_ISREG(status.st_mode):
                    return f".git/objects/{shown(name)} is not a regular file; remove it"
                size += status.st_size
    except OSError:
        return ".git/objects is not a folder of regular files"
    if size > MOST_STORE:
        return f"its commits contain {size / 1e9:.1f} GB, too much for a repository; remove the large files"
    return None


def _walk(folder: int, prefix: str, deepest: int) -> Iterator[tuple[str, os.stat_result]]:
    with os.scandir(folder) as entries:
        items = [(entry.name, entry.stat(follow_symlinks=False)) for entry in entries]
    for name, status in items:
        if not stat.S_ISDIR(status.st_mode):
            yield prefix + name, status
        elif prefix.count("/") < deepest:
            with _open_folder(name, folder) as inner:
                yield from _walk(inner, f"{prefix}{name}/", deepest)


def repair_git_dir(checkout: str, *, objects: str, exclude: str) -> bool:
    """Make an agent's git folder usable for its next attempt; return False when it must be replaced."""
    try:
        with _open_folder(checkout) as top, _open_folder(".git", top) as git:
            for name in _LOCKS:
                with suppress(OSError):
                    os.unlink(name, dir_fd=git)
            _write(git, "objects/info/alternates", alternates_text(objects))
            _write(git, "info/exclude", exclude)
            return _resolve(git, "HEAD") is not None and not _exists(git, "commondir")
    except OSError:
        return False


def write_git_files(checkout: str, files: dict[str, bytes]) -> None:
    """Write files into an agent's git folder; a link at a path is replaced, never followed."""
    with _open_folder(checkout) as top, _open_folder(".git", top) as git:
        for name, content in files.items():
            _write(git, name, content)


def _write(git: int, name: str, content: str | bytes) -> None:
    with _descend(git, name, make=True) as (folder, last):
        temporary = f"{last}.li-{os.urandom(6).hex()}"
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644, dir_fd=folder)
        with os.fdopen(descriptor, "wb") as file:
            file.write(os.fsencode(content))
        os.replace(temporary, last, src_dir_fd=folder, dst_dir_fd=folder)


def _text(git: int, name: str, most: int = _MOST_REF) -> str | None:
    """Read a small regular file; None for anything else."""
    try:
        with _descend(git, name) as (folder, last):
            if not stat.S_ISREG(os.stat(last, dir_fd=folder, follow_symlinks=False).st_mode):
                return None
            with os.fdopen(os.open(last, _FILE, dir_fd=folder), "rb") as file:
                return os.fsdecode(file.read(most))
    except OSError:
        return None


@contextmanager
def _descend(git: int, name: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
    """Open the folder of a name without following a link; yield it and the last part of the name."""
    *folders, last = name.split("/")
    with ExitStack() as stack:
        inner = git
        for folder in folders:
            with suppress(FileExistsError):
                if make:
                    os.mkdir(folder, 0o755, dir_fd=inner)
            inner = stack.enter_context(_open_folder(folder, inner))
        yield inner, last


def _exists(git: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=git, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


@contextmanager
def _open_folder(path: str, above: int | None = None) -> Iterator[int]:
    descriptor = os.open(path, _FOLDER, dir_fd=above)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
