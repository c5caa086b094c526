"""Talk to a remote: list, fetch and push refs, with the credentials of this machine's user and without any prompt.

Nothing that a remote sends is run. A remote that is a folder is served by a git of ours, with its hooks and the
programs that its configuration names switched off: they would run with our rights.
"""

from __future__ import annotations

import os
import re
import selectors
import shlex
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple
from urllib.parse import quote

from lionstudio.errors import LionError, StorageFailed
from lionstudio.shows.git.remote.address import URL_PROTOCOLS, without_credentials
from lionstudio.shows.git.remote.errors import RemoteAway, RemoteRefused
from lionstudio.shows.git.repo_layout import MIRROR_LOCK
from lionstudio.shows.git.setup import read_users_config
from lionstudio.system import git as local_git
from lionstudio.system.filelock import shared_lock
from lionstudio.system.filenames import absolute_path_entries, shown, which
from lionstudio.system.git import OID, REMOTE_FLAGS, GitResult, program, remove_stale_locks, users_environment

BRIEF_SECONDS = 120.0  # for a list of refs, or the few objects of a merge
LONG_SECONDS = 3600.0  # for a whole history, or the work of an attempt

_MOST_OUTPUT = 200_000_000  # bytes: about two million refs
_MOST_MESSAGES = 200_000
_LFS_BATCH = 500  # objects in one command line
_CONFIG = (
    *("-c", "push.gpgSign=false"),
    *("-c", "push.followTags=false"),
    *("-c", "push.recurseSubmodules=no"),
    *("-c", "push.pushOption="),
    *("-c", "fetch.recurseSubmodules=no"),
    *("-c", "fetch.pruneTags=false"),
    *("-c", "fetch.writeCommitGraph=false"),
    *("-c", "transfer.bundleURI=false"),
    *("-c", "http.lowSpeedLimit=1"),
    *("-c", "http.lowSpeedTime=60"),
)
# Of the user's variables, those that say how a remote is reached; the rest could lead git to another repository.
_KEPT_GIT = frozenset(
    f"GIT_{name}"
    for name in (
        *("SSH", "SSH_COMMAND", "SSH_VARIANT", "SSL_CAINFO", "SSL_CAPATH", "SSL_CERT", "SSL_KEY"),
        *("CONFIG_GLOBAL", "CONFIG_SYSTEM", "CONFIG_NOSYSTEM", "PROXY_COMMAND"),
    )
)
_SSH_OPTIONS = "-oBatchMode=yes -oConnectTimeout=20 -oServerAliveInterval=15 -oServerAliveCountMax=4"
# how a folder is served: neither its hooks nor a program of its configuration; to update its checkout runs filters
_SERVED = (
    "-c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.alternateRefsCommand=true -c gc.auto=0"
    " -c receive.autogc=false -c maintenance.auto=false -c receive.denyCurrentBranch=refuse"
)

_PROMPT = re.compile(
    r"could not read (Username|Password)|terminal prompts disabled|Permission denied \(|Authentication failed"
    r"|invalid credentials",
    re.I,
)
_HOST_KEY = re.compile(r"Host key verification failed")
_NO_RIGHTS = re.compile(
    r"returned error: 40[13]|access denied|not exported|permission to .* denied|dubious ownership", re.I
)
_NO_REPOSITORY = re.compile(
    r"does not appear to be a git repository|repository .*not found|returned error: 404|repository not found", re.I
)
_NEVER = re.compile(r"SSL certificate problem|server certificate verification failed|transport '.*' not allowed", re.I)
_SHALLOW = re.compile(r"shallow roots are not allowed|shallow update not allowed|source repository is shallow")
_PARTIAL = re.compile(r"lazy fetching disabled|from promisor remote")
_BAD_OBJECTS = re.compile(r"fsck error|error: object [0-9a-f]{40,64}: ")
_NO_ATOMIC = "does not support --atomic push"
_MISSING = re.compile(r"couldn't find remote ref|not our ref|no such remote ref", re.I)


class MissingRef(LionError):
    """The remote does not have a ref or commit that was asked for."""


class NoAtomicPush(LionError):
    """The remote cannot move several refs together."""


class RefUpdate(NamedTuple):
    """A ref of the remote, its new commit (None deletes it), and the one it must have now ("" for none)."""

    ref: str
    new: str | None
    old: str | None = None  # None: whatever it has


class PushOutcome(NamedTuple):
    """The refs that did not move, with the reason; `messages` is what the remote said."""

    rejected: Mapping[str, str]
    messages: str

    @property
    def stale(self) -> bool:
        """Whether a ref had another commit than we expected."""
        return any("stale info" in reason for reason in self.rejected.values())

    @property
    def by_remote(self) -> bool:
        return any(reason.startswith("[remote rejected]") for reason in self.rejected.values())

    @property
    def locked(self) -> bool:
        """Whether the remote could not move a ref for a reason that passes: another process was moving it."""
        text = " ".join([*self.rejected.values(), self.messages])
        return any(part in text for part in ("cannot lock ref", "failed to update ref", "atomic transaction failed"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Transport:
    """A remote, and the git folder on this machine that talks to it."""

    remote: str
    git_dir: str

    @property
    def is_folder(self) -> bool:
        return os.path.isabs(self.remote)

    def list_refs(self, *patterns: str) -> dict[str, str]:
        """Return refs of the remote that match patterns, with their commits, and the branch of HEAD under `@HEAD`."""
        args = ["ls-remote", "--symref", *self._served("upload"), "--", self.remote, *patterns]
        result = self._check(args, BRIEF_SECONDS)
        refs = {}
        for line in result.lines:
            value, _, name = line.partition("\t")
            if OID.fullmatch(value):
                refs[name] = value
            elif value.startswith("ref: "):
                refs[f"@{name}"] = value.removeprefix("ref: ")
        return refs

    def fetch(self, refspecs: Iterable[str], *, strict: bool, seconds: float = BRIEF_SECONDS) -> None:
        """Fetch refs into refs of ours; `strict` checks every object as a push to a careful server does."""
        options = ("--no-write-fetch-head", "--no-tags", "--no-recurse-submodules", "--prune", "--quiet")
        args = ["-c", f"fetch.fsckObjects={str(strict).lower()}", "fetch", *options, *self._served("upload")]
        result = self._check([*args, "--", self.remote, *refspecs], seconds)
        if _SHALLOW.search(result.err):
            raise self.shallow()

    def push(self, updates: Sequence[RefUpdate], *, seconds: float = BRIEF_SECONDS) -> PushOutcome:
        """Move refs of the remote, all or none; each only from the commit that is expected there."""
        leases = [f"--force-with-lease={update.ref}:{update.old}" for update in updates if update.old is not None]
        specs = [f"{'+' if update.old is None else ''}{update.new or ''}:{update.ref}" for update in updates]
        atomic = ["--atomic"] if len(updates) > 1 else []
        options = ["--porcelain", "--no-verify", "--no-follow-tags", *atomic, *leases]
        result = self._run(["push", *options, *self._served("receive"), "--", self.remote, *specs], seconds)
        rejected = _rejected(result.text)
        if result.code != 0 and not rejected:
            if _NO_ATOMIC in result.err:
                raise NoAtomicPush("the remote cannot move several refs together")
            error = self._failure("push", result)
            # the answer may be lost, or git killed by a signal because the remote hung up first
            if not isinstance(error, RemoteAway) or not self._has(updates):
                raise error
        return PushOutcome(rejected, _said_by_remote(result.err))

    def _has(self, updates: Sequence[RefUpdate]) -> bool:
        """Tell whether the remote has moved the refs; False when it does not answer."""
        with suppress(LionError):
            refs = self.list_refs(*(update.ref for update in updates))
            return all(refs.get(update.ref) == update.new for update in updates)
        return False

    def push_lfs_objects(self, oids: Sequence[str]) -> None:
        """Upload LFS objects from the store of the git folder; git-lfs skips those that the remote has."""
        if which("git-lfs", os.pathsep.join(os.get_exec_path())) is None:
            raise RemoteRefused(
                f"the work has {len(oids)} LFS objects, and this machine has no git-lfs to upload them",
                hint="install git-lfs on each machine that takes plays of this show",
            )
        remote = f"file://{quote(self.remote)}" if self.is_folder else self.remote
        for start in range(0, len(oids), _LFS_BATCH):
            args = ["lfs", "push", "--object-id", remote, *oids[start : start + _LFS_BATCH]]
            result = self._run(args, LONG_SECONDS)
            if result.code != 0:
                raise self._failure("lfs push", result)

    def shallow(self) -> RemoteRefused:
        return RemoteRefused(
            f"the remote {self.shown} is a shallow clone and lacks older commits",
            hint="fetch them there: git fetch --unshallow, or use the remote that it was cloned from",
        )

    @property
    def shown(self) -> str:
        return shown(without_credentials(self.remote))

    def _served(self, which: str) -> list[str]:
        return [f"--{which}-pack={shlex.quote(program())} {_SERVED} {which}-pack"] if self.is_folder else []

    def _check(self, args: Sequence[str], seconds: float) -> GitResult:
        result = self._run(args, seconds)
        if result.code != 0:
            raise self._failure(next(arg for arg in args if arg in ("fetch", "ls-remote")), result)
        return result

    def _run(self, args: Sequence[str], seconds: float) -> GitResult:
        local_git.processes_started += 1
        argv = [program(), f"--git-dir={self.git_dir}", *REMOTE_FLAGS, *_CONFIG, "-c", "core.bare=true", *args]
        with (
            shared_lock(os.path.join(self.git_dir, MIRROR_LOCK)) as held,
            subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self.git_dir,
                env=self._environment(),
                start_new_session=True,  # ssh has no terminal to ask on, and a timeout ends it too
                pass_fds=(held,),  # while git works here, it counts as working, also when we were killed
            ) as process,
        ):
            try:
                out, err = _read_answer(process, seconds)
            except subprocess.TimeoutExpired:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                raise RemoteAway(f"the remote {self.shown} did not answer within {seconds:.0f} seconds") from None
            except OverflowError:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                raise RemoteRefused(f"the remote {self.shown} lists more refs than shows can use") from None
            except BaseException:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                raise
        text = without_credentials(err.decode("utf-8", "backslashreplace")).strip()
        return GitResult(process.returncode, out, text)

    def _environment(self) -> dict[str, str]:
        """Return the user's environment without variables that lead git elsewhere, and with all prompts off."""
        env = users_environment(_KEPT_GIT)
        for name in ("SSH_ASKPASS", "DISPLAY", "WAYLAND_DISPLAY"):
            env.pop(name, None)
        return env | {
            "PATH": absolute_path_entries(os.pathsep.join(os.get_exec_path())),
            "LC_ALL": "C",
            "GIT_SSH_COMMAND": self._ssh_command(env),
            "GIT_ALLOW_PROTOCOL": "file" if self.is_folder else ":".join(URL_PROTOCOLS),
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "false",
            "SSH_ASKPASS_REQUIRE": "never",
            "GCM_INTERACTIVE": "never",
            "GIT_EDITOR": ":",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_NO_LAZY_FETCH": "1",
        }

    def _ssh_command(self, env: Mapping[str, str]) -> str:
        """Return the user's ssh, told never to ask; a program that is not OpenSSH is left as it is."""
        if self.is_folder:
            return "false"
        command = env.get("GIT_SSH_COMMAND") or _configured_ssh(self.git_dir)
        if not command and env.get("GIT_SSH"):
            command = shlex.quote(env["GIT_SSH"])
        command = command or "ssh"
        try:
            name = os.path.basename(shlex.split(command)[0])
        except (ValueError, IndexError):
            return command
        return f"{command} {_SSH_OPTIONS}" if name == "ssh" else command

    def _failure(self, command: str, result: GitResult) -> LionError:
        """Turn what git says into an error that is final, or one after which the same may work."""
        err, remote = result.err, f"the remote {self.shown}"
        reason = shown(_reason(err)) or f"exit code {result.code}"
        local = "\n".join(line for line in err.splitlines() if not line.startswith("remote:"))
        if "No space left on device" in local or "Disk quota exceeded" in local:
            return StorageFailed(f"git {command}: {reason:.500}", hint="free some disk space, then try again")
        if "cannot lock ref" in local or local_git.LOCKED.search(local):
            remove_stale_locks(self.git_dir, os.path.join(self.git_dir, MIRROR_LOCK))
            return RemoteAway(f"another process moves the same ref of the mirror: {reason:.300}", hint="try again")
        if _SHALLOW.search(err):
            return self.shallow()
        if _PARTIAL.search(err):
            return RemoteRefused(
                f"{remote} is a partial clone and lacks objects", hint="use the remote that it was cloned from"
            )
        if _BAD_OBJECTS.search(local):
            return RemoteRefused(f"{remote} has objects that git refuses: {reason:.300}")
        if _MISSING.search(err):
            return MissingRef(f"{remote} does not have it: {reason:.300}")
        if _HOST_KEY.search(err):
            return RemoteRefused(
                f"ssh does not know the host key of {remote}",
                hint="connect once by hand as the user of this machine, and check the key",
            )
        if _PROMPT.search(err):
            return RemoteRefused(
                f"{remote} asks for a user or password, or refuses ours: {reason:.300}",
                hint="give this machine its own access: an ssh key in the agent, or a git credential helper",
            )
        if _NO_REPOSITORY.search(err):
            return RemoteRefused(
                f"{remote} is not a repository that we can see: {reason:.300}", hint="check its address"
            )
        if _NO_RIGHTS.search(err):
            return RemoteRefused(f"{remote} refuses us: {reason:.300}", hint="check the rights of this machine's user")
        if _NEVER.search(err):
            return RemoteRefused(f"{remote} cannot be used: {reason:.300}")
        return RemoteAway(f"{remote} does not answer: {reason:.300}", hint="check the network and the server")


def _read_answer(process: subprocess.Popen[bytes], seconds: float) -> tuple[bytes, bytes]:
    """Read both outputs to their end; of messages the last ones are kept, because the remote can send any number."""
    assert process.stdout is not None
    assert process.stderr is not None
    deadline, out, err = time.monotonic() + seconds, bytearray(), bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ, out)
        selector.register(process.stderr, selectors.EVENT_READ, err)
        while selector.get_map():
            if (left := deadline - time.monotonic()) <= 0:
                raise subprocess.TimeoutExpired(process.args, seconds)
            for key, _ in selector.select(left):
                piece = os.read(key.fd, 65536)
                key.data.extend(piece)
                if not piece:
                    selector.unregister(key.fileobj)
            if len(out) > _MOST_OUTPUT:
                raise OverflowError
            if len(err) > 2 * _MOST_MESSAGES:
                del err[:-_MOST_MESSAGES]
    process.wait(max(0.1, deadline - time.monotonic()))
    return bytes(out), bytes(err[-_MOST_MESSAGES:])


@cache
def _configured_ssh(git_dir: str) -> str:
    return read_users_config(git_dir, r"^core\.sshcommand$").get("core.sshcommand", "").strip()


def _rejected(porcelain: str) -> dict[str, str]:
    """Return the refs that a push did not move; each line is a flag, `FROM:TO`, and a summary."""
    fields = (line.split("\t", 2) for line in porcelain.splitlines() if line.startswith("!\t"))
    return {names.rpartition(":")[2]: summary for _flag, names, summary in fields}


def _said_by_remote(err: str) -> str:
    lines = (line.removeprefix("remote:").strip() for line in err.splitlines() if line.startswith("remote:"))
    return shown("; ".join(line for line in lines if line))[:1000]


def _reason(err: str) -> str:
    """Return the lines of git's messages that say why, without its general advice."""
    advice = ("Please make sure", "and the repository exists", "error: failed to push some refs")
    lines = [line.strip() for line in err.splitlines() if line.strip() and not line.strip().startswith(advice)]
    texts = (line.removeprefix("fatal: ").removeprefix("error: ") for line in lines)
    return "; ".join(dict.fromkeys(texts))
