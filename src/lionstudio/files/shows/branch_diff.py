"""What a branch changed, asked of a repository in which agents work: its configuration can run nothing.

Only commits are compared; no working tree is looked at, no index is refreshed and nothing is fetched.
"""

from __future__ import annotations

import os
import subprocess
from typing import NamedTuple

from lionstudio.errors import InvalidInput, NotFound
from lionstudio.system.filenames import shown

MOST_PATCH = 2_000_000  # bytes; a person reads less, and the files are listed all the same
MOST_FILES = 2_000
_SECONDS = 20.0
_OFF = "/dev/null"
_CONFIG = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "core.pager=cat",
    "core.sshCommand=false",
    "core.quotePath=false",
    "core.commitGraph=false",
    "protocol.allow=never",
    "credential.helper=",
    "gpg.program=false",
    "log.showSignature=false",
    "diff.orderFile=/dev/null",
    "diff.ignoreSubmodules=all",
    "diff.mnemonicPrefix=false",
    "diff.noprefix=false",
    "gc.auto=0",
    "maintenance.auto=false",
)
_DIFF = ("diff", "--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", "--submodule=short")


class ChangedFile(NamedTuple):
    """A file that differs; None for the lines of a binary one."""

    path: str
    old_path: str | None
    additions: int | None
    deletions: int | None


class Diff(NamedTuple):
    """The difference between two commits; `whole` is False when the patch was too long or git gave up."""

    base: str
    head: str
    files: list[ChangedFile]
    patch: str
    whole: bool


def find_commit(repo: str, ref: str) -> str | None:
    """The commit of a full ref or of an id, None when there is none."""
    if not ref.isprintable():  # a zero or half a character, from a file that anybody may have written, is no argument
        return None
    code, out, _ = _git(repo, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    return out.decode().strip() if code == 0 else None


def merge_base(repo: str, one: str, other: str) -> str | None:
    """The commit from which two went apart."""
    code, out, _ = _git(repo, "merge-base", "--end-of-options", one, other)
    return out.decode().strip() if code == 0 else None


def diff(repo: str, base: str, head: str) -> Diff:
    """What lies between two commits, given by their ids."""
    code, listed, _ = _git(repo, *_DIFF, "--numstat", "-z", "--end-of-options", base, head)
    if code:
        raise NotFound("the two commits cannot be compared", hint="they may have been removed from the repository")
    code, patch, whole = _git(repo, *_DIFF, "--patch", "--end-of-options", base, head)
    return Diff(base, head, _files(listed), patch.decode("utf-8", "replace"), whole and code == 0)


def _files(listed: bytes) -> list[ChangedFile]:
    """`added TAB deleted TAB path NUL`; a renamed one has an empty path and then both names."""
    fields = [os.fsdecode(field) for field in listed.split(b"\0")]
    found: list[ChangedFile] = []
    while fields and len(found) < MOST_FILES:
        parts = fields.pop(0).split("\t", 2)
        if len(parts) != 3:
            continue
        old = fields.pop(0) if not parts[2] and len(fields) > 1 else None
        path = parts[2] or fields.pop(0)
        found.append(ChangedFile(shown(path), old and shown(old), _number(parts[0]), _number(parts[1])))
    return found


def _number(text: str) -> int | None:
    return int(text) if text.isdigit() else None


def _git(repo: str, *words: str) -> tuple[int, bytes, bool]:
    """(exit code, output up to a size, whether that was all): never through a shell, with nothing of ours inherited."""
    if not (os.path.isabs(repo) and os.path.isdir(repo)):
        raise NotFound(f"there is no folder {shown(repo)}", hint="the repository of the show was moved or removed")
    flags = [part for each in _CONFIG for part in ("-c", each)]
    try:
        with subprocess.Popen(
            ["git", "--no-pager", *flags, *words],
            cwd=repo,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            return _read(process)
    except FileNotFoundError:
        raise NotFound("git is not installed", hint="install it to see what a play changed") from None
    except OSError as error:
        raise InvalidInput(f"git cannot look at {shown(repo)}: {error.strerror}") from None


def _read(process: subprocess.Popen[bytes]) -> tuple[int, bytes, bool]:
    import threading

    assert process.stdout is not None
    timer = threading.Timer(_SECONDS, process.kill)
    timer.start()
    try:
        found = process.stdout.read(MOST_PATCH + 1)
        if len(found) > MOST_PATCH:
            process.kill()
            return 0, found[:MOST_PATCH], False
        return process.wait(), found, True
    finally:
        timer.cancel()


def _environment() -> dict[str, str]:
    # a relative entry of PATH would lead into the folder of an agent
    path = os.pathsep.join(entry for entry in os.get_exec_path() if os.path.isabs(entry))
    # protocol.allow loses to a repository's own protocol.ext.allow; a list in which no protocol is loses to nothing
    return {
        "PATH": path,
        "LC_ALL": "C",
        "HOME": os.sep,
        "GIT_CONFIG_GLOBAL": _OFF,
        "GIT_CONFIG_SYSTEM": _OFF,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_EDITOR": ":",
        "GIT_ASKPASS": "false",
        "GIT_ALLOW_PROTOCOL": "none",
    }
