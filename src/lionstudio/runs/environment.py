"""The environment of an agent: only what it needs to work and to reach its vendor, nothing of ours but its session."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

from lionstudio.model.providers import ENV_PREFIXES
from lionstudio.settings import Settings

# What a program needs to run as the user's own, and what the agent programs and their proxies read.
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
_LOCAL = ("LC_", "XDG_")
_PREFIXES = (*_LOCAL, *ENV_PREFIXES)
_FOR_AGENTS = frozenset({"SSH_AUTH_SOCK", "DISPLAY", "WAYLAND_DISPLAY"})  # a command may run what an agent has written
_SECRET = re.compile(r"(KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|AUTH|COOKIE|DSN|_PAT$)", re.IGNORECASE)
_SHORTEST_SECRET = 8  # shorter values would be found all over ordinary text


def agent_environment(
    ours: Mapping[str, str], *, session_id: str, settings: Settings, also: Iterable[str] = ()
) -> dict[str, str]:
    """What an agent gets; `also` names more of our variables to pass on. Its own `li` must mean the same files."""
    passed = {name: value for name, value in ours.items() if name in _NAMES or name.startswith(_PREFIXES)}
    passed |= {name: ours[name] for name in also if name in ours}
    return {
        **passed,
        "LIONAGI_HOME": settings.home,
        "LIONAGI_DB": settings.db,
        "LIONAGI_TEAMS_IN_DB_ONLY": str(settings.teams_in_db_only).lower(),
        "LIONAGI_SESSION_ID": session_id,
    }


def plain_environment(ours: Mapping[str, str], also: Iterable[str] = ()) -> dict[str, str]:
    """What a command gets that is no agent, such as the tests of a play: no vendor's keys, nothing of ours."""
    passed = {name: value for name, value in ours.items() if name in _NAMES - _FOR_AGENTS or name.startswith(_LOCAL)}
    return passed | {name: ours[name] for name in also if name in ours}


def secrets_in(env: Mapping[str, str]) -> frozenset[str]:
    """The values of an environment that must never be stored."""
    return frozenset(
        value
        for name, value in env.items()
        if _SECRET.search(name) and len(value) >= _SHORTEST_SECRET and not os.path.exists(value)
    )
