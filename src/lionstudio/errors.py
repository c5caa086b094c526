"""The error tree. The sentence of every error says what to do next.

LionError
├── InvalidInput    the caller gave something we refuse             exit 2
├── NotFound        no such session, branch, show, file …           exit 3
├── Conflict        it exists already and differs                   exit 1
├── IllegalTransition  a status may not follow the present one         exit 1
├── CorruptStore    the file is damaged or is no database           exit 5
├── WrongVersion    another version or product wrote the file       exit 6
├── Busy            somebody else holds it; trying again may work   exit 7
└── StorageFailed   disk full, read-only, input/output error        exit 1

Anything else that is raised is a bug and shows its traceback.
"""

from __future__ import annotations

__all__ = [
    "Busy",
    "Conflict",
    "CorruptStore",
    "IllegalTransition",
    "InvalidInput",
    "LionError",
    "NotFound",
    "StorageFailed",
    "WrongVersion",
]


class LionError(Exception):
    """What went wrong and what to do about it, in one sentence for a person."""

    code = "error"
    exit_code = 1
    retryable = False

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def to_dict(self) -> dict[str, object]:
        """The one JSON shape that the command line prints and Studio answers with."""
        return {"code": self.code, "message": self.message, "hint": self.hint, "retryable": self.retryable}


class InvalidInput(LionError):
    """The caller gave something that is refused; nothing was changed."""

    code = "invalid_input"
    exit_code = 2


class NotFound(LionError):
    """The thing that was named does not exist."""

    code = "not_found"
    exit_code = 3


class Conflict(LionError):
    """It exists already, with other content."""

    code = "conflict"


class IllegalTransition(LionError):
    """The status may not follow the present one."""

    code = "illegal_move"


class CorruptStore(LionError):
    """The database file is damaged or is not a database."""

    code = "corrupt"
    exit_code = 5


class WrongVersion(LionError):
    """The database was written by a newer version or by another product."""

    code = "wrong_version"
    exit_code = 6


class Busy(LionError):
    """Another process holds the database; the same call may work later."""

    code = "busy"
    exit_code = 7
    retryable = True


class StorageFailed(LionError):
    """The disk is full, read-only or broken; nothing of this write was kept."""

    code = "storage_failed"
    retryable = True
