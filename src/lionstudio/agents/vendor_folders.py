"""The files in the user's home that each agent program needs when it is confined: login, transcripts, settings.

The login of a vendor is visible to that vendor's program, and so to the agent. Files that steer later runs (settings,
hooks, instructions, servers) are read-only or copies: a confined agent cannot leave itself a way out there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_PROJECT = "{project}"  # in a path: the working folder, as Claude Code names it


class VendorFolder(NamedTuple):
    """A folder in the home; names are relative to it, and what is not named is invisible."""

    path: str  # relative to the home
    variable: str | None = None  # may name another folder
    writable: tuple[str, ...] = ()  # folders; they are created
    sealed: tuple[str, ...] = ()  # read-only folders in them that steer later runs; they are created
    login: tuple[str, ...] = ()  # writable files: a login is renewed there
    readable: tuple[str, ...] = ()
    copied: tuple[str, ...] = ()  # changes to them are lost
    copied_beside: tuple[str, ...] = ()  # the same, for files in the parent folder, unless the variable is set


_CLAUDE = VendorFolder(
    ".claude",
    "CLAUDE_CONFIG_DIR",
    writable=(f"projects/{_PROJECT}",),
    sealed=(f"projects/{_PROJECT}/memory",),
    login=(".credentials.json",),
    readable=(
        "CLAUDE.md",
        "agents",
        "commands",
        "hooks",
        "output-styles",
        "plugins",
        "settings.json",
        "settings.local.json",
        "skills",
    ),
    copied=(".claude.json",),
    copied_beside=(".claude.json",),
)
_CODEX = VendorFolder(
    ".codex",
    "CODEX_HOME",
    writable=("sessions",),
    login=("auth.json",),
    readable=("AGENTS.md", "config.toml", "prompts", "rules", "skills"),
)
_GEMINI = VendorFolder(
    ".gemini",
    login=("oauth_creds.json", "google_accounts.json"),
    readable=("GEMINI.md", "settings.json", "extensions", "commands"),
    copied=("installation_id", "trustedFolders.json"),
)
_OPENCODE = (
    VendorFolder(".config/opencode", readable=("opencode.json", "AGENTS.md", "agent", "command", "plugin")),
    VendorFolder(".local/share/opencode", writable=("storage",), login=("auth.json",)),
)
_BY_PROVIDER: Mapping[str, tuple[VendorFolder, ...]] = {"claude": (_CLAUDE,), "codex": (_CODEX,)}
# an ACP agent is any program: its name says which vendor's it is
_BY_COMMAND: Mapping[str, tuple[VendorFolder, ...]] = {
    "claude-agent-acp": (_CLAUDE,),
    "claude-code-acp": (_CLAUDE,),
    "codex-acp": (_CODEX,),
    "gemini": (_GEMINI,),
    "opencode": _OPENCODE,
}


# Programs that start a sandbox of their own for each permission. It cannot be nested in ours everywhere (not for root,
# not in containers), so inside ours it is off, and an agent that only reads has a read-only working folder instead.
# With `ask` it stays on: where it cannot be nested, the agent asks before every command.
WITH_OWN_SANDBOX = frozenset({"codex"})


class ProgramFolders(NamedTuple):
    """The same as absolute paths of this machine."""

    writable: tuple[str, ...] = ()
    sealed: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    copied: tuple[str, ...] = ()


def folders_of(provider: str, command: Sequence[str], env: Mapping[str, str], cwd: str) -> ProgramFolders:
    """Return the paths that exist and the writable and sealed folders, which the caller creates."""
    name = os.path.basename(command[0]) if command else ""
    vendors = _BY_PROVIDER.get(provider) or (_BY_COMMAND.get(name, ()) if provider == "acp" else ())
    home = env.get("HOME") or os.path.expanduser("~")
    project = re.sub(r"[^a-zA-Z0-9]", "-", os.path.realpath(cwd))
    writable, sealed, readable, copied = [], [], [], []
    for vendor in vendors:
        named = env.get(vendor.variable) if vendor.variable else None
        folder = named or os.path.join(home, vendor.path)
        writable += [os.path.join(folder, item.replace(_PROJECT, project)) for item in vendor.writable]
        writable += _existing(folder, vendor.login)
        sealed += [os.path.join(folder, item.replace(_PROJECT, project)) for item in vendor.sealed]
        readable += _existing(folder, vendor.readable)
        copied += _existing(folder, vendor.copied)
        copied += [] if named else _existing(os.path.dirname(folder), vendor.copied_beside)
    return ProgramFolders(tuple(writable), tuple(sealed), tuple(readable), tuple(copied))


def _existing(folder: str, names: Sequence[str]) -> list[str]:
    return [path for name in names if os.path.exists(path := os.path.join(folder, name))]
