"""Connect to the hub of the setting `hub`: its password is in no message of ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from lionstudio.errors import Busy, CorruptStore, InvalidInput, NotFound, StorageFailed
from lionstudio.settings import Settings, is_url, real_database, without_password
from lionstudio.state.backends import open_database
from lionstudio.state.connection import Connection, Unavailable
from lionstudio.state.database import Database

T = TypeVar("T")
# the server or the disk failed, not what we sent
_AWAY = (Busy, NotFound, StorageFailed, CorruptStore)


class HubAway(Unavailable):
    """The hub cannot be reached now; everything that was not pushed stays to be pushed."""

    exit_code = StorageFailed.exit_code


def hub_address(settings: Settings) -> str:
    """The address or path of the hub; raises where none is set."""
    if settings.hub is None:
        raise InvalidInput("no hub is set", hint="li config set hub postgresql://USER@HOST/DATABASE")
    if is_url(settings.db):
        raise InvalidInput(
            "this machine has no database of its own to push: LIONAGI_DB names a server",
            hint="everyone who uses that server sees its sessions already; unset LIONAGI_DB to push a local file",
        )
    if real_database(settings.hub) == real_database(settings.db):
        raise InvalidInput("the hub is this database itself", hint="li config set hub ADDRESS_OF_ANOTHER_DATABASE")
    return settings.hub


def status_address(settings: Settings) -> str:
    """The hub to describe: that of the setting, or the server that this machine works on."""
    return settings.hub or settings.db if is_url(settings.db) else hub_address(settings)


class HubConnection:
    """A connection that is made when it is first used, and again after the hub was away."""

    def __init__(self, address: str) -> None:
        self.name = without_password(address)
        self._address = address
        self._database: Database | None = None

    def write(self, work: Callable[[Connection], T]) -> T:
        """Run a function in one transaction of the hub; it may run twice."""
        return self._try(lambda database: database.write(work))

    def read(self, work: Callable[[Connection], T]) -> T:
        return self._try(lambda database: database.read(work))

    def _try(self, work: Callable[[Database], T]) -> T:
        try:
            if self._database is None:
                self._database = open_database(self._address, create=False)
            return work(self._database)
        except _AWAY as error:
            self.close()
            message = error.message.replace(self._address, self.name)
            hub = "the hub" if self.name in message else f"hub {self.name}"
            raise HubAway(f"{hub} cannot be reached: {message}", hint=error.hint or "li hub status") from None

    def close(self) -> None:
        database, self._database = self._database, None
        if database is not None:
            database.close()

    def __enter__(self) -> HubConnection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
