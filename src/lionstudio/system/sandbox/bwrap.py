"""Whether this machine can confine programs; it is tried once per process, not guessed."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import lru_cache
from typing import NamedTuple

from lionstudio.errors import InvalidInput
from lionstudio.system.filenames import which

_PROGRAM = "bwrap"
_TRY_SECONDS = 10.0
_INSTALL = {"apt": "apt install", "dnf": "dnf install", "pacman": "pacman -S", "zypper": "zypper install"}
# kernel settings that forbid what bwrap needs: the file, the value that forbids, the command that allows
_KERNEL = (
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"),
    ("kernel/unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1"),
    ("user/max_user_namespaces", "0", "sysctl -w user.max_user_namespaces=10000"),
)
# A user namespace of its own first: in it the root user of this machine has no rights over the machine.
_NAMESPACES = ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
_VARIANTS = (("--unshare-user", *_NAMESPACES), _NAMESPACES)
# The variant that worked, for the processes that we start: where it no longer works, programs fail, none is unconfined.
_WORKED = "LIONAGI_BWRAP_VARIANT"


class Bwrap(NamedTuple):
    """The program and the options that work here, or the problem and what to do about it."""

    path: str = ""
    options: tuple[str, ...] = ()
    problem: str | None = None
    hint: str | None = None
    variant: int = 0

    @property
    def sentence(self) -> str:
        return f"programs cannot be confined: {self.problem}" if self.problem else f"{self.path} confines programs"


@lru_cache(maxsize=1)
def find_bwrap() -> Bwrap:
    """Confine `true` for a try."""
    if sys.platform != "linux":
        return Bwrap(problem="bubblewrap exists for Linux only")
    search = os.pathsep.join(os.get_exec_path())
    path = which(_PROGRAM, search)
    if path is None:
        command = next((command for name, command in _INSTALL.items() if which(name, search)), _INSTALL["apt"])
        return Bwrap(problem="bubblewrap is not installed", hint=f"sudo {command} bubblewrap")
    report = ""
    worked = os.environ.get(_WORKED)
    for number, namespaces in enumerate(_VARIANTS):
        options = (*namespaces, "--die-with-parent", "--new-session", "--cap-drop", "ALL")
        report = "" if worked == str(number) else _try(path, options)
        if not report:
            return Bwrap(os.path.abspath(path), options, variant=number)
    return Bwrap(problem=f"bwrap does not work ({report})", hint=_kernel_hint())


def tried_environment() -> dict[str, str]:
    """Return what spares a process of ours the try, where this process has made it and it worked."""
    if not find_bwrap.cache_info().currsize or (bwrap := find_bwrap()).problem is not None:
        return {}
    return {_WORKED: str(bwrap.variant)}


def _try(path: str, options: tuple[str, ...]) -> str:
    """Return the error message, empty on success; the network is part of the try, because gates run without one."""
    mounts = ("--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp")
    try:
        done = subprocess.run(
            [path, *options, "--unshare-net", *mounts, "true"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TRY_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return "" if done.returncode == 0 else done.stderr.strip().removeprefix("bwrap: ") or f"code {done.returncode}"


def _kernel_hint() -> str:
    for name, forbids, command in _KERNEL:
        try:
            with open(f"/proc/sys/{name}", encoding="ascii") as file:
                if file.read().strip() == forbids:
                    return f"sudo {command}"
        except (OSError, ValueError):
            continue
    return "bwrap --unshare-user --ro-bind / / true"  # in a container: its host decides


CONFINED = "confined by bwrap"


def not_confined(reason: str) -> str:
    return f"not confined: {reason}"


def why_not_confined(mode: str) -> str | None:
    """Return why a program is not confined under auto, require or off, None when it is; `require` refuses instead."""
    if mode == "off":
        return "the sandbox is off"
    bwrap = find_bwrap()
    if bwrap.problem is not None and mode == "require":
        raise InvalidInput(f"sandbox: require, but {bwrap.problem}", hint=bwrap.hint or "use --sandbox off")
    return bwrap.problem
