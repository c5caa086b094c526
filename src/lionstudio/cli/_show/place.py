"""Options that a printed command needs to reach the same home and database."""

from __future__ import annotations

from shlex import quote

from lionstudio.settings import Settings


def place(settings: Settings) -> str:
    """Return ` --home DIR` and ` --db FILE` as they were given, to append to a command; empty without them."""
    values = {"home": settings.home, "db": settings.db}
    return "".join(f" --{name} {quote(value)}" for name, value in values.items() if settings.origins[name] == "flag")
