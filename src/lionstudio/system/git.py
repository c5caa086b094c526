"""Run git: an argv list, a clean environment, and every program that a configuration could name switched off.

The git folder is always one that no agent writes to.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Collection, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import cache
from typing import IO

from lionstudio.errors import Busy, InvalidInput, LionError, NotFound, StorageFailed, WrongVersion
from lionstudio.system.filelock import alone, shared_lock
from lionstudio.system.filenames import absolute_path_entries, shown, which

OLDEST = (2, 38)  # the first with merge-tree --write-tree
TIMEOUT = 900.0  # seconds; a pipe or a device among an agent's objects would hold git for ever
NAME, EMAIL = "Lion Studio", "lion-studio@localhost"  # the committer when the user has not configured one
OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")

processes_started = 0  # git processes started so far; benches and tests read it

_OFF = "/dev/null"
# Our own git folders configure nothing of this; the user's may, and it must not run because a show reads refs.
_CONFIG: tuple[tuple[str, str], ...] = (
    ("core.hooksPath", _OFF),
    ("core.fsmonitor", "false"),
    ("core.attributesFile", _OFF),
    ("core.untrackedCache", "false"),
    ("core.splitIndex", "false"),
    ("core.sparseCheckout", "false"),
    ("core.autocrlf", "false"),
    ("core.quotePath", "false"),
    ("core.protectHFS", "true"),
    ("core.protectNTFS", "true"),
    # an agent could forge both among its objects, and git trusts them
    ("core.commitGraph", "false"),
    ("core.multiPackIndex", "false"),
    ("pack.useBitmaps", "false"),
    ("pack.threads", "1"),
    ("protocol.allow", "never"),
    ("credential.helper", ""),
    ("core.sshCommand", "false"),
    ("core.pager", "cat"),
    ("gpg.program", "false"),
    ("commit.gpgSign", "false"),
    ("log.showSignature", "false"),
    ("diff.ignoreSubmodules", "all"),
    ("submodule.recurse", "false"),
    # the files of a show name objects and refs, so these must be on disk before the files are
    ("core.fsync", "objects,reference"),
    ("core.fsyncMethod", "batch"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    # another process may hold the same ref for a moment
    ("core.filesRefLockTimeout", "10000"),
    ("core.packedRefsTimeout", "10000"),
)
# What a command that talks to a remote takes from the user's own configuration instead.
_OF_THE_USER = ("protocol.allow", "credential.helper", "core.sshCommand")


def _flags(config: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(part for name, value in config for part in ("-c", f"{name}={value}"))


CONFIG_FLAGS = _flags(_CONFIG)
REMOTE_FLAGS = _flags([(name, value) for name, value in _CONFIG if name not in _OF_THE_USER])
_LOCK_FILES = ("HEAD.lock", "config.lock", "packed-refs.lock", "shallow.lock")
LOCKED = re.compile(r"Unable to create '([^']*\.lock)': File exists")


@dataclass(frozen=True, slots=True)
class GitResult:
    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """The output as text; names that are not UTF-8 survive the way back to the system."""
        return os.fsdecode(self.out)

    @property
    def line(self) -> str:
        """The output without its last newline."""
        return self.text.rstrip("\n")

    @property
    def lines(self) -> list[str]:
        """The lines of the output; names may have other characters that Python takes for the end of a line."""
        return self.line.split("\n") if self.out else []

    def fields(self) -> list[str]:
        """Split the output into its NUL-terminated fields."""
        return [os.fsdecode(field) for field in self.out.split(b"\0")][:-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Git:
    """A git folder and the files that a command works on."""

    git_dir: str
    objects: str | None = None  # object store to read and write, instead of the folder's own
    read_only_objects: tuple[str, ...] = ()  # object stores to read only
    work_tree: str | None = None
    index: str | None = None
    excludes: str | None = None
    name: str = NAME
    email: str = EMAIL
    lock: str | None = None  # a file whose shared lock each process holds while it works in the folder

    def check(self, *args: str, stdin: bytes | IO[bytes] = b"", codes: Sequence[int] = (0,)) -> GitResult:
        """Run a command; raise an error on an exit code that is not in `codes`."""
        result = self.run(*args, stdin=stdin)
        if result.code not in codes:
            raise failure(args[0], result)
        return result

    def succeeds(self, *args: str) -> bool:
        """Run a command that answers yes or no by exit code 0 or 1."""
        return self.check(*args, codes=(0, 1)).code == 0

    def run(self, *args: str, stdin: bytes | IO[bytes] = b"", stdout: IO[bytes] | None = None) -> GitResult:
        """Run a command and return its result, also a failure; input and output may be files."""
        result = self._run(args, stdin, stdout)
        stale = self.lock and LOCKED.search(result.err) and isinstance(stdin, bytes)
        if stale and self.lock and remove_stale_locks(self.git_dir, self.lock):
            return self._run(args, stdin, stdout)
        return result

    def _run(self, args: Sequence[str], stdin: bytes | IO[bytes], stdout: IO[bytes] | None) -> GitResult:
        from_file = None if isinstance(stdin, bytes) else stdin
        try:
            with (
                shared_lock(self.lock) if self.lock else nullcontext() as held,
                subprocess.Popen(
                    self._argv(args),
                    stdin=from_file or subprocess.PIPE,
                    stdout=stdout or subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    cwd=self.work_tree or self.git_dir,
                    env=self.environment(),
                    pass_fds=() if held is None else (held,),
                ) as process,
            ):
                return _wait(process, stdin if isinstance(stdin, bytes) else None, args[0])
        except OSError as error:
            raise InvalidInput(f"cannot run git in {shown(self.git_dir)}: {error.strerror}") from None

    def read_start(self, most: int, *args: str) -> tuple[bytes, bool]:
        """Return the first bytes of a long output, and whether the output is complete."""
        with subprocess.Popen(
            self._argv(args),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self.git_dir,
            env=self.environment(),
        ) as process:
            assert process.stdout is not None
            output = process.stdout.read(most + 1)
            process.kill()
        return output[:most], len(output) <= most

    def environment(self) -> dict[str, str]:
        """Build the environment; only PATH and the folder for temporary files are inherited."""
        env = clean_environment(self.git_dir) | {
            "TMPDIR": tempfile.gettempdir(),
            "GIT_LITERAL_PATHSPECS": "1",
            "GIT_AUTHOR_NAME": self.name,
            "GIT_AUTHOR_EMAIL": self.email,
            "GIT_COMMITTER_NAME": self.name,
            "GIT_COMMITTER_EMAIL": self.email,
        }
        paths = {
            "GIT_OBJECT_DIRECTORY": self.objects,
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": ":".join(quoted(path) for path in self.read_only_objects) or None,
            "GIT_WORK_TREE": self.work_tree,
            "GIT_INDEX_FILE": self.index,
        }
        return env | {name: value for name, value in paths.items() if value is not None}

    def _argv(self, args: Sequence[str]) -> list[str]:
        global processes_started
        processes_started += 1
        own = ["-c", f"core.excludesFile={self.excludes or _OFF}"]
        own += [] if self.work_tree else ["-c", "core.bare=true"]
        return [program(), f"--git-dir={self.git_dir}", *CONFIG_FLAGS, *own, *args]


def users_environment(kept: Collection[str] = ()) -> dict[str, str]:
    """Return the user's environment for git: without variables that lead it elsewhere, and without those of the hub.

    A process of the same user can read the environment of git, which knows no secret of ours.
    """
    ours = ("GIT_", "LIONAGI_", "PG")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours) or name in kept}


def clean_environment(home: str) -> dict[str, str]:
    """Return an environment in which git reads no configuration of the user and reaches no network."""
    return {
        "PATH": absolute_path_entries(os.pathsep.join(os.get_exec_path())),
        "LC_ALL": "C",
        "HOME": home,
        "GIT_CONFIG_GLOBAL": _OFF,
        "GIT_CONFIG_SYSTEM": _OFF,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_ATTR_NOSYSTEM": "1",
        # protocol.allow loses to a protocol that a repository allows by name; this list loses to nothing
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": ":",
        "GIT_ASKPASS": "false",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
    }


def _wait(process: subprocess.Popen[bytes], stdin: bytes | None, command: str) -> GitResult:
    try:
        out, err = process.communicate(stdin, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        raise LionError(f"git {command} timed out after {TIMEOUT:.0f} seconds") from None
    return GitResult(process.returncode, out or b"", err.decode("utf-8", "backslashreplace").strip())


def remove_stale_locks(git_dir: str, lock: str) -> bool:
    """Remove git's lock files while no process holds the folder's own lock; return whether any was removed.

    Each git process of ours in the folder holds that lock with the others, so these files belong to killed ones.
    """
    removed = False
    with alone(lock) as is_alone:
        if is_alone:
            paths = [os.path.join(git_dir, name) for name in _LOCK_FILES]
            for folder, _, names in os.walk(os.path.join(git_dir, "refs")):
                paths += [os.path.join(folder, name) for name in names if name.endswith(".lock")]
            for path in paths:
                with suppress(FileNotFoundError):
                    os.unlink(path)
                    removed = True
    return removed


def quoted(text: str) -> str:
    """Quote a value for a git configuration file or a list of folders."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t") + '"'


@cache
def program() -> str:
    """Return the full path of git; raise when it is missing or too old."""
    path = which("git", os.pathsep.join(os.get_exec_path()))
    if path is None:
        raise NotFound("git is not installed", hint="install git 2.38 or newer")
    output = subprocess.run([path, "--version"], capture_output=True, text=True, env={"LC_ALL": "C"}).stdout
    version = re.search(r"(\d+)\.(\d+)", output)
    if version is None or (int(version[1]), int(version[2])) < OLDEST:
        raise WrongVersion(f"{output.strip() or path} is too old for shows", hint="install git 2.38 or newer")
    return os.path.abspath(path)


def failure(command: str, result: GitResult) -> LionError:
    """Turn a failed command into one of our errors with a hint."""
    reason = shown(result.err.removeprefix("fatal: ").removeprefix("error: ").replace("\n", "; "))
    reason = reason or f"exit code {result.code}"
    if "No space left on device" in result.err or "Disk quota exceeded" in result.err:
        return StorageFailed(f"git {command}: {reason:.500}", hint="free some disk space, then try again")
    if locked := LOCKED.search(result.err):
        return Busy(
            f"another git process holds {shown(locked[1])}",
            hint="if no git is running there, remove that file and try again",
        )
    return LionError(f"git {command} failed: {reason:.1000}")
