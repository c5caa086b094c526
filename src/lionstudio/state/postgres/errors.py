"""Errors of PostgreSQL in our own words, with a hint; never with a password."""

from __future__ import annotations

import psycopg
from psycopg import errors

from lionstudio.errors import Busy, Conflict, CorruptStore, InvalidInput, LionError, StorageFailed, WrongVersion
from lionstudio.state.connection import ReadOnlyServer, ServerRefused, Unavailable

_CREATE = "on the server: createdb --owner USER --template template0 --encoding UTF8 --locale C.UTF-8 DATABASE"
_CHECK_SERVER = "check that the server runs and can be reached, then try again"


class NotAppended(LionError):
    """An append that was sent with the commit was not possible: the transaction must be repeated, append by append."""


class Deadlock(Busy):
    """Two transactions waited for each other, and the server ended this one: repeated, it finds the other done."""


class ConnectionLost(Unavailable):
    """The connection ended: nothing of its open transaction was committed."""


class CommitUnknown(Unavailable):
    """The connection ended during a commit, and the server does not tell whether it was done."""

    retryable = False  # it may have been


def translate_error(error: BaseException, path: str) -> LionError:
    if not isinstance(error, psycopg.Error):
        return InvalidInput(f"the database cannot store that value ({error})", hint="pass valid text")
    if error.sqlstate == "LS001":
        return NotAppended("a message was not appended")
    if isinstance(error, (errors.DeadlockDetected, errors.SerializationFailure, errors.LockNotAvailable)):
        kind = Deadlock if isinstance(error, errors.DeadlockDetected) else Busy
        return kind(f"{path} is locked by another process", hint="li ps, then try again")
    if isinstance(error, errors.QueryCanceled):
        return Busy(f"{path} canceled the statement ({_line(error)})", hint="try again")
    if "could not load library" in str(error):
        return Unavailable(
            f"the server of {path} cannot load its own programs ({_line(error)}), as after an upgrade of its packages",
            hint="restart the PostgreSQL server",
        )
    if isinstance(error, errors.DiskFull):
        return StorageFailed(f"the disk of {path} is full", hint="free some space on the server and try again")
    if isinstance(error, errors.TooManyConnections):
        return Busy(f"{path} accepts no more connections", hint="raise max_connections, or close other programs")
    if isinstance(error, errors.ReadOnlySqlTransaction):
        return ReadOnlyServer(f"{path} is read-only (a standby server?)", hint="use the address of the primary server")
    if isinstance(error, errors.InsufficientPrivilege):
        return StorageFailed(f"{path}: {_line(error)}", hint="grant the role its rights, or use the database's owner")
    if isinstance(error, errors.ForeignKeyViolation):
        return InvalidInput(
            "foreign key violation: the referenced row is missing, or the row is still referenced",
            hint="create the referenced row first",
        )
    if isinstance(error, errors.UniqueViolation):
        return Conflict(f"the row exists already ({_line(error)})")
    if isinstance(error, (errors.IntegrityError, errors.RaiseException)):
        return InvalidInput(f"the database rejects that value ({_line(error)})")
    if isinstance(error, errors.DataCorrupted):
        return CorruptStore(f"{path} is damaged", hint="restore a backup of the server")
    if isinstance(error, errors.ProgramLimitExceeded):
        return InvalidInput(
            "the value exceeds the limit of a row (1 GB)", hint="store it as a file and record its path"
        )
    if isinstance(error, (errors.UndefinedTable, errors.UndefinedColumn, errors.UndefinedFunction)):
        return WrongVersion(
            f"{path} lacks a table or column that this version needs ({_line(error)})", hint="li state doctor"
        )
    if isinstance(error, psycopg.DataError):
        return InvalidInput(f"the database cannot store that value ({_line(error)})", hint="pass valid text")
    if isinstance(error, psycopg.OperationalError):
        return ConnectionLost(f"the connection to {path} was lost ({_line(error)})", hint=_CHECK_SERVER)
    return StorageFailed(f"{path}: {_line(error)}", hint="li state doctor")


def refused_connection(error: psycopg.OperationalError, path: str) -> LionError:
    """Why a connection was not opened: the library reports one error for all reasons."""
    text = str(error)
    lowered = text.lower()
    if (
        isinstance(error, errors.TooManyConnections)
        or "too many clients" in lowered
        or "remaining connection slots" in lowered
    ):
        return Busy(f"{path} accepts no more connections", hint="raise max_connections, or close other programs")
    if "password authentication failed" in lowered or "no password supplied" in lowered:
        return ServerRefused(
            f"{path} refused the password",
            hint="put the password of this role into ~/.pgpass (mode 0600) or PGPASSWORD",
        )
    if (
        "could not translate host name" in lowered
        or "failed to resolve host" in lowered
        or "name or service not known" in lowered
    ):
        kind = Unavailable if "temporary" in lowered else ServerRefused
        return kind(f"the host of {path} was not found", hint="check the host name of the address")
    if 'database "' in lowered and "does not exist" in lowered:
        return ServerRefused(f"{path}: the server has no such database", hint=_CREATE)
    if 'role "' in lowered and "does not exist" in lowered:
        return ServerRefused(
            f"{path}: the server has no such role",
            hint="check the user name of the address: postgresql://USER@HOST/DATABASE",
        )
    if "starting up" in lowered or "shutting down" in lowered or "recovery mode" in lowered:
        return Busy(f"the server of {path} is starting or stopping", hint="try again in a moment")
    if "no pg_hba.conf entry" in lowered:
        hint = "add a line for this machine, role and database to pg_hba.conf on the server, and reload the server"
        return ServerRefused(f"the server of {path} does not let this machine in ({_line(error)})", hint=hint)
    if "certificate" in lowered:
        hint = "sslrootcert must name the file of the authority, and the host be a name in the certificate"
        return ServerRefused(f"no connection to {path} ({_line(error)})", hint=hint)
    if "invalid " in lowered and "value" in lowered:
        return InvalidInput(f"{path} is not a valid address ({_line(error)})", hint="correct the option of the address")
    return Unavailable(f"no connection to {path} ({_line(error)})", hint=_CHECK_SERVER)


def _line(error: BaseException) -> str:
    """The first line of the server's message, which quotes no value of ours."""
    diagnostic = getattr(error, "diag", None)
    text = getattr(diagnostic, "message_primary", None) or str(error).strip().partition("\n")[0]
    return text.strip()[:300]
