"""The environment of an agent: variables it needs to work and to reach its vendor, and the id of its session."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

from lionstudio.model.providers import ENV_PREFIXES
from lionstudio.settings import Settings

# Variables that a program of the user needs, and that agent programs and their proxies read.
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
# not for commands, which may run code that an agent wrote
_FOR_AGENTS = frozenset({"SSH_AUTH_SOCK", "DISPLAY", "WAYLAND_DISPLAY"})
_SECRET = re.compile(r"(KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|AUTH|COOKIE|DSN|_PAT$)", re.IGNORECASE)
_SHORTEST_SECRET = 8  # shorter values would match ordinary text


def agent_environment(
    ours: Mapping[str, str], *, session_id: str, settings: Settings, also: Iterable[str] = ()
) -> dict[str, str]:
    """The environment of an agent; `also` names more variables to pass on. `li` inside it uses the same files."""
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
    """The environment of a command that is not an agent, such as a play's tests: no vendor keys, no session."""
    passed = {name: value for name, value in ours.items() if name in _NAMES - _FOR_AGENTS or name.startswith(_LOCAL)}
    return passed | {name: ours[name] for name in also if name in ours}


def secrets_in(env: Mapping[str, str]) -> frozenset[str]:
    """The secret values of an environment, by the names of the variables."""
    return frozenset(
        value
        for name, value in env.items()
        if _SECRET.search(name) and len(value) >= _SHORTEST_SECRET and not os.path.exists(value)
    )
