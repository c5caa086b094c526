"""The environment of an agent: variables it needs to work and to reach its vendor, and the id of its session."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from lionstudio.model.providers import ENV_PREFIXES
from lionstudio.settings import Settings

# Variables that a program of the user needs, and that agent programs and their proxies read. docs/reference/agents.md
# lists them.
_NAMES = frozenset(
    {
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "TERM",
        "COLORTERM",
        "LANG",
        "LANGUAGE",
        "TZ",
        "TMPDIR",
        "TMP",
        "TEMP",
        "HOSTNAME",
        "DISPLAY",
        "WAYLAND_DISPLAY",
        "SSH_AUTH_SOCK",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "REQUESTS_CA_BUNDLE",
        "NODE_EXTRA_CA_CERTS",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "NO_PROXY",
        "ALL_PROXY",
        "http_proxy",
        "https_proxy",
        "no_proxy",
        "all_proxy",
        "LIONAGI_MACHINE_ID",
        "IS_SANDBOX",
        "DISABLE_AUTOUPDATER",
        "VIRTUAL_ENV",
        "CONDA_PREFIX",
        "NVM_DIR",
        "GOPATH",
        "CARGO_HOME",
        "RUSTUP_HOME",
        "JAVA_HOME",
    }
)
SESSION_VARIABLE = "LIONAGI_SESSION_ID"
_LOCAL = ("LC_", "XDG_")
_PREFIXES = (*_LOCAL, *ENV_PREFIXES)
# not for commands, which may run code that an agent wrote
_FOR_AGENTS = frozenset({"SSH_AUTH_SOCK", "DISPLAY", "WAYLAND_DISPLAY"})


def passes(name: str) -> bool:
    """True if every agent gets this variable."""
    return name in _NAMES or name.startswith(_PREFIXES)


def agent_environment(
    ours: Mapping[str, str], *, session_id: str, settings: Settings, also: Iterable[str] = ()
) -> dict[str, str]:
    """The environment of an agent; `also` names more variables to pass on. `li` inside it uses the same files."""
    passed = {name: value for name, value in ours.items() if passes(name)}
    passed |= {name: ours[name] for name in also if name in ours}
    return {
        **passed,
        "LIONAGI_HOME": settings.home,
        "LIONAGI_DB": settings.db,
        "LIONAGI_TEAMS_IN_DB_ONLY": str(settings.teams_in_db_only).lower(),
        SESSION_VARIABLE: session_id,
    }


def plain_environment(ours: Mapping[str, str], also: Iterable[str] = ()) -> dict[str, str]:
    """The environment of a command that is not an agent, such as a play's tests: no vendor keys, no session."""
    passed = {name: value for name, value in ours.items() if name in _NAMES - _FOR_AGENTS or name.startswith(_LOCAL)}
    return passed | {name: ours[name] for name in also if name in ours}


_KEY = re.compile(r"(API_?KEY|AUTH_?TOKEN|ACCESS_?TOKEN)$", re.IGNORECASE)
_NO_KEY = re.compile(r"\b401\b|unauthori[sz]ed|authenti|api[ _-]?key|credential|logged in|log ?in\b", re.IGNORECASE)
_NAME_IN_TEXT = re.compile(r"\b[A-Z][A-Z0-9_]{2,}\b")
_MOST_NAMES = 5


def withheld_keys(ours: Mapping[str, str], passed: Iterable[str]) -> list[str]:
    """The variables that look like a key for a vendor and are not passed to the agent."""
    return sorted(name for name in ours.keys() - set(passed) if _KEY.search(name))


def withheld_hint(error: str, ours: Mapping[str, str], passed: Iterable[str]) -> str | None:
    """How to pass on the variable that an agent program misses; None when that is not its problem."""
    passed = set(passed)
    named = [name for name in dict.fromkeys(_NAME_IN_TEXT.findall(error)) if name in ours and name not in passed]
    if named:
        options = " ".join(f"--pass-env {name}" for name in named)
        return f"set here, but not passed to agents: {', '.join(named)}; add {options}"
    keys = withheld_keys(ours, passed)[:_MOST_NAMES] if _NO_KEY.search(error) else []
    return f"not passed to agents: {', '.join(keys)}; add --pass-env NAME for the one it needs" if keys else None
