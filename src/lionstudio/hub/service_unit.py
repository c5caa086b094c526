"""The systemd user unit that pushes in the background; it is printed, never installed."""

from __future__ import annotations

import os
from collections.abc import Sequence

from lionstudio.settings import Settings
from lionstudio.system.li_process import li_argv

# what a push reads, without secrets: the unit has none of the variables of the shell that prints it
_VARIABLES = ("LIONAGI_MACHINE_ID", "PGPASSFILE", "PGSSLMODE", "PGSSLROOTCERT", "PGSSLCERT", "PGSSLKEY")
_UNIT = """\
# Save this as ~/.config/systemd/user/lion-studio-push.service, then:
#   systemctl --user daemon-reload
#   systemctl --user enable --now lion-studio-push
# The address of the hub comes from {config}; keep its password in ~/.pgpass, not here.
[Unit]
Description=Push Lion Studio sessions to the hub

[Service]
{variables}ExecStart={command}
WorkingDirectory=/
Restart=on-failure
RestartSec=30

[Install]
WantedBy=default.target
"""


def service_unit(settings: Settings, options: Sequence[str]) -> str:
    """The unit for this home; `options` are those of the push."""
    argv = li_argv("--home", settings.home, "--db", settings.db, "hub", "push", "--follow", *options)
    words = [f"{name}={os.environ[name]}" for name in _VARIABLES if name in os.environ]
    variables = "".join(f"Environment={_quoted(word)}\n" for word in words)
    command = " ".join(_quoted(word).replace("$", "$$") for word in argv)
    return _UNIT.format(config=f"{settings.home}/config.toml", variables=variables, command=command)


def _quoted(word: str) -> str:
    """A word of a unit: systemd expands %, in commands also $, and reads quotes and backslashes."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("%", "%%")
    return escaped if escaped and all(sign.isalnum() or sign in "-_./:=@%$" for sign in escaped) else f'"{escaped}"'
