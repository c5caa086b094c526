"""Shared by the `li workers` commands."""

from __future__ import annotations

from lionstudio.errors import InvalidInput
from lionstudio.settings import Settings
from lionstudio.state.backends import is_server


def require_hub(settings: Settings) -> None:
    if not is_server(settings.db):
        raise InvalidInput(
            "only a hub has workers, and the database is a file of this machine",
            hint="li hub init ADDRESS, then set LIONAGI_DB to it",
        )
