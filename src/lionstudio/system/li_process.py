"""Start our own command `li` as a new process that uses the same files as this one."""

from __future__ import annotations

import sys

from lionstudio.settings import Settings

# not the installed script: the package may be run from a source tree that is not on PATH
MAIN = "import sys; from lionstudio.cli.main import main; sys.exit(main())"


def li_argv(*args: str) -> list[str]:
    return [sys.executable, "-c", MAIN, *args]


def li_environment(settings: Settings) -> dict[str, str]:
    """Return the variables that point a new `li` to our home, database and shows."""
    return {"LIONAGI_HOME": settings.home, "LIONAGI_DB": settings.db, "LIONAGI_SHOWS": settings.shows}
