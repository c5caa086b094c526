"""Git folders made, read and mended by ourselves, file by file.

A checkout's own git folder belongs to its agent: anything in it may be a link, a pipe or a lie. No git is run on it;
what we need from it is read here, through descriptors that follow no link.
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

MOST_STORE = 2_000_000_000  # bytes of objects that the commits of one play may bring
_MOST_REF, _MOST_PACKED = 4096, 50_000_000
MOST_BESIDE = 200  # each costs four calls of git
_DEEPEST_STORE, _DEEPEST_REFS = 3, 30  # folders below each other
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_SAFE_REF = re.compile(r"refs/[^\0\n]+")
# What git leaves in its folder while something is unfinished whose commits are not on the branch yet.
_UNFINISHED = {"rebase-merge": "a rebase", "rebase-apply": "a rebase", "BISECT_LOG": "a bisect"}
_LOCKS = ("index.lock", "HEAD.lock", "config.lock", "packed-refs.lock", "shallow.lock", "MERGE_HEAD.lock")


class GitDirOwner(NamedTuple):
    """Who commits."""

    name: str
    email: str


def make_git_folder(
    path: str,
    *,
    bare: bool,
    head: str,
    objects: str | None,
    owner: GitDirOwner,
    sha256: bool = False,
    shallow: bytes = b"",
) -> None:
    """A new git folder: no templates, no hooks, no remotes; objects are borrowed from another store."""
    os.makedirs(path, 0o700, exist_ok=True)
    for name in ("objects", "objects/info", "objects/pack", "refs", "refs/heads", "refs/tags", "info"):
        with suppress(FileExistsError):
            os.mkdir(os.path.join(path, *name.split("/")), 0o700)
    _put(path, "config", _config(bare=bare, owner=owner, sha256=sha256))
    if objects is not None:
        _put(path, "objects/info/alternates", alternates(objects))
    if shallow:
        with open(os.path.join(path, "shallow"), "wb") as file:
            file.write(shallow)
    _put(path, "HEAD", f"{head}\n")


def alternates(objects: str) -> str:
    """The file by which a git folder borrows the objects of another."""
    return (quoted(objects) if "\n" in objects else objects) + "\n"


def _config(*, bare: bool, owner: GitDirOwner, sha256: bool) -> str:
    extension = "[extensions]\n\tobjectFormat = sha256\n" if sha256 else ""
    return (
        f"[core]\n\trepositoryformatversion = {int(sha256)}\n\tfilemode = true\n\tbare = {str(bare).lower()}\n"
        f"\tlogallrefupdates = true\n{extension}"
        f"[user]\n\tname = {quoted(owner.name)}\n\temail = {quoted(owner.email)}\n"
        # packing away what a show still needs would cost more than it saves
        "[gc]\n\tauto = 0\n"
    )


def _put(folder: str, name: str, text: str) -> None:
    with open(os.path.join(folder, *name.split("/")), "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)


@dataclass(slots=True)
class GitState:
    """What an agent's git folder says; what is wrong with it stands in `problems`."""

    head: str | None = None  # the commit that is checked out
    branch: str | None = None  # the commit of the play's own branch
    other_refs: dict[str, str] = field(
        default_factory=dict
    )  # other branches, tags and stashes: commits with their names
    merging: tuple[str, ...] = ()  # commits that a merge in progress brings
    problems: list[str] = field(default_factory=list)


def read_git_state(checkout: str, branch: str) -> GitState:
    """Read the state of a checkout that its agent has left."""
    seen = GitState()
    try:
        with _opened(checkout) as top, _opened(".git", top) as git:
            _read(git, branch, seen)
    except FileNotFoundError:
        gone = "its .git folder" if os.path.isdir(checkout) else "the checkout"
        seen.problems.append(f"{gone} was deleted, so what was committed there since cannot be read")
    except (NotADirectoryError, OSError):
        seen.problems.append(".git was replaced by something that is not a folder; commits made there do not count")
    return seen


def _read(git: int, branch: str, seen: GitState) -> None:
    if _is_there(git, "commondir"):
        seen.problems.append(".git points at another repository; remove .git/commondir")
        return
    seen.problems += [f"{what} was left unfinished; end or abort it" for what in _unfinished(git)]
    if wrong := _fault_of_store(git):
        seen.problems.append(wrong)
        return
    seen.head, seen.branch = (_resolve(git, name) for name in ("HEAD", branch))
    seen.merging = tuple(line for line in (_text(git, "MERGE_HEAD") or "").split() if OID.fullmatch(line))
    if seen.head is None:
        seen.problems.append("HEAD leads to no commit; check out the branch of the play again")
    for oid, name in _refs(git):
        if name != branch and oid not in (seen.head, seen.branch):
            seen.other_refs.setdefault(oid, name)
    if len(seen.other_refs) > MOST_BESIDE:
        seen.problems.append(
            f"it has {len(seen.other_refs)} branches, tags and stashes; remove those that are not work"
        )


def _unfinished(git: int) -> list[str]:
    return sorted({what for name, what in _UNFINISHED.items() if _is_there(git, name)})


def _resolve(git: int, name: str, depth: int = 5) -> str | None:
    """The commit of a ref, loose or packed."""
    text = (_text(git, name) or "").strip()
    if text.startswith("ref:"):
        target = text[4:].strip()
        return _resolve(git, target, depth - 1) if depth and _is_safe(target) else None
    if OID.fullmatch(text):
        return text
    return None if text or name == "HEAD" else _packed(git, name)


def _refs(git: int) -> Iterator[tuple[str, str]]:
    """Every commit that a ref names, loose or packed, and every one that was stashed."""
    with suppress(OSError), _opened("refs", git) as refs:
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
    """Objects are plain files: a pipe would hold git for ever, a link would have it read something else."""
    try:
        with _opened("objects", git) as store:
            size = 0
            for name, found in _walk(store, "", _DEEPEST_STORE):
                if not stat.S_ISREG(found.st_mode):
                    return f".git/objects/{shown(name)} is not a plain file; remove it"
                size += found.st_size
    except OSError:
        return ".git/objects is not a folder of plain files"
    if size > MOST_STORE:
        return f"its commits hold {size / 1e9:.1f} GB; what is that large does not belong into the repository"
    return None


def _walk(folder: int, prefix: str, deepest: int) -> Iterator[tuple[str, os.stat_result]]:
    with os.scandir(folder) as entries:
        found = [(entry.name, entry.stat(follow_symlinks=False)) for entry in entries]
    for name, status in found:
        if not stat.S_ISDIR(status.st_mode):
            yield prefix + name, status
        elif prefix.count("/") < deepest:
            with _opened(name, folder) as inner:
                yield from _walk(inner, f"{prefix}{name}/", deepest)


def repair_git_dir(checkout: str, *, objects: str, exclude: str) -> bool:
    """Make an agent's git folder usable for its next attempt; False when it has to be made anew."""
    try:
        with _opened(checkout) as top, _opened(".git", top) as git:
            for name in _LOCKS:
                with suppress(OSError):
                    os.unlink(name, dir_fd=git)
            _write(git, "objects/info/alternates", alternates(objects))
            _write(git, "info/exclude", exclude)
            return _resolve(git, "HEAD") is not None and not _is_there(git, "commondir")
    except OSError:
        return False


def put_files(checkout: str, files: dict[str, bytes]) -> None:
    """Write files into an agent's git folder; a link in the way is replaced, never followed."""
    with _opened(checkout) as top, _opened(".git", top) as git:
        for name, content in files.items():
            _write(git, name, content)


def _write(git: int, name: str, content: str | bytes) -> None:
    with _descended(git, name, make=True) as (folder, last):
        temporary = f"{last}.li-{os.urandom(6).hex()}"
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644, dir_fd=folder)
        with os.fdopen(descriptor, "wb") as file:
            file.write(os.fsencode(content))
        os.replace(temporary, last, src_dir_fd=folder, dst_dir_fd=folder)


def _text(git: int, name: str, most: int = _MOST_REF) -> str | None:
    """A small regular file, None for anything else."""
    try:
        with _descended(git, name) as (folder, last):
            if not stat.S_ISREG(os.stat(last, dir_fd=folder, follow_symlinks=False).st_mode):
                return None
            with os.fdopen(os.open(last, _FILE, dir_fd=folder), "rb") as file:
                return os.fsdecode(file.read(most))
    except OSError:
        return None


@contextmanager
def _descended(git: int, name: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
    """The folder that a name lies in, reached without following a link, and the last part of the name."""
    *folders, last = name.split("/")
    with ExitStack() as held:
        inner = git
        for folder in folders:
            with suppress(FileExistsError):
                if make:
                    os.mkdir(folder, 0o755, dir_fd=inner)
            inner = held.enter_context(_opened(folder, inner))
        yield inner, last


def _is_there(git: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=git, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


@contextmanager
def _opened(path: str, above: int | None = None) -> Iterator[int]:
    descriptor = os.open(path, _FOLDER, dir_fd=above)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
