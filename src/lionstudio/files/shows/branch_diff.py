"""Compare commits of a repository in which agents work, without running a program that it configures.

Only commits are compared; no work tree is read, no index is refreshed and nothing is fetched.
"""

from __future__ import annotations

import os
import subprocess
from typing import NamedTuple

from lionstudio.errors import InvalidInput, NotFound
from lionstudio.system.filenames import shown
from lionstudio.system.git import CONFIG_FLAGS, clean_environment

MOST_PATCH = 2_000_000  # bytes; a person does not read more, and the files are listed anyway
MOST_FILES = 2_000
_SECONDS = 20.0
_CONFIG = ("diff.orderFile=/dev/null", "diff.mnemonicPrefix=false", "diff.noprefix=false")
_FLAGS = (*CONFIG_FLAGS, *(part for setting in _CONFIG for part in ("-c", setting)))
_DIFF = ("diff", "--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", "--submodule=short")


class ChangedFile(NamedTuple):
    """A changed file; the line counts of a binary file are None."""

    path: str
    old_path: str | None
    additions: int | None
    deletions: int | None


class Diff(NamedTuple):
    """The difference between two commits; `whole` is False when the patch was too long or git failed."""

    base: str
    head: str
    files: list[ChangedFile]
    patch: str
    whole: bool


def find_commit(repo: str, ref: str) -> str | None:
    """Resolve a full ref or a commit id; None when it does not exist."""
    # any program may have written the file that this comes from: a NUL or a lone surrogate is not an argument
    if not ref.isprintable():
        return None
    code, out, _ = _git(repo, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    return out.decode().strip() if code == 0 else None


def merge_base(repo: str, one: str, other: str) -> str | None:
    code, out, _ = _git(repo, "merge-base", "--end-of-options", one, other)
    return out.decode().strip() if code == 0 else None


def changed_files(repo: str, base: str, head: str) -> list[ChangedFile]:
    """List the files that differ between two commits."""
    code, numstat, _ = _git(repo, *_DIFF, "--numstat", "-z", "--end-of-options", base, head)
    if code:
        raise NotFound("cannot compare the two commits", hint="they may have been removed from the repository")
    return _files(numstat)


def diff(repo: str, base: str, head: str) -> Diff:
    """Compare two commits by their ids."""
    files = changed_files(repo, base, head)
    code, patch, whole = _git(repo, *_DIFF, "--patch", "--end-of-options", base, head)
    return Diff(base, head, files, patch.decode("utf-8", "replace"), whole and code == 0)


def _files(numstat: bytes) -> list[ChangedFile]:
    """`added TAB deleted TAB path NUL`; a renamed file has an empty path, then both names."""
    fields = [os.fsdecode(field) for field in numstat.split(b"\0")]
    files: list[ChangedFile] = []
    while fields and len(files) < MOST_FILES:
        parts = fields.pop(0).split("\t", 2)
        if len(parts) != 3:
            continue
        old = fields.pop(0) if not parts[2] and len(fields) > 1 else None
        path = parts[2] or fields.pop(0)
        files.append(ChangedFile(shown(path), old and shown(old), _number(parts[0]), _number(parts[1])))
    return files


def _number(text: str) -> int | None:
    return int(text) if text.isdigit() else None


def _git(repo: str, *args: str) -> tuple[int, bytes, bool]:
    """Run git; return the exit code, the output up to a size, and whether the output is complete."""
    if not (os.path.isabs(repo) and os.path.isdir(repo)):
        raise NotFound(
            f"the folder {shown(repo)} does not exist", hint="the repository of the show was moved or removed"
        )
    try:
        with subprocess.Popen(
            ["git", "--no-pager", *_FLAGS, *args],
            cwd=repo,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            return _read(process)
    except FileNotFoundError:
        raise NotFound("git is not installed", hint="install git to see the changes of a play") from None
    except OSError as error:
        raise InvalidInput(f"cannot run git in {shown(repo)}: {error.strerror}") from None


def _read(process: subprocess.Popen[bytes]) -> tuple[int, bytes, bool]:
    import threading

    assert process.stdout is not None
    timer = threading.Timer(_SECONDS, process.kill)
    timer.start()
    try:
        output = process.stdout.read(MOST_PATCH + 1)
        if len(output) > MOST_PATCH:
            process.kill()
            return 0, output[:MOST_PATCH], False
        return process.wait(), output, True
    finally:
        timer.cancel()


def _environment() -> dict[str, str]:
    return clean_environment(home=os.sep)
