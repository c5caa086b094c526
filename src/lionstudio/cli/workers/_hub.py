"""The hub that workers, and commands about them, need."""

from __future__ import annotations

from lionstudio.errors import InvalidInput
from lionstudio.settings import Settings
from lionstudio.state.backends import is_server


def require_hub(settings: Settings, subject: str = "`li workers`") -> None:
    if not is_server(settings.db):
        raise InvalidInput(
            f"{subject} needs a hub, and the database is a file of this machine",
            hint="li hub init ADDRESS, then set LIONAGI_DB to it",
        )
