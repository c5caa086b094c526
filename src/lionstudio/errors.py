"""The error tree. Every error has a message (what happened) and may have a hint (what to do next).

LionError
├── InvalidInput       the input is not valid; nothing was changed       exit 2
├── Ambiguous          a name fits several objects                       exit 2
├── NotFound           no such session, branch, show, file …             exit 3
├── Conflict           it already exists, with different content         exit 1
├── IllegalTransition  the status cannot change in this way              exit 1
├── CorruptStore       the file is damaged or not a database             exit 5
├── WrongVersion       a newer version or another product wrote the file exit 6
├── Busy               another process holds it; a retry may work        exit 7
└── StorageFailed      disk full, read-only or input/output error        exit 1

Any other exception is a bug and shows its traceback.
"""

from __future__ import annotations

TYPE_CHECKING = False  # the one in typing is slow to load
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "Ambiguous",
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
    """The base class: a message for the user, and a hint with the next step."""

    code = "error"
    exit_code = 1
    retryable = False

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.field: str | None = None  # of the request, where one caused it

    def to_dict(self) -> dict[str, object]:
        """The JSON that the command line prints and Studio responds with."""
        return {"code": self.code, "message": self.message, "hint": self.hint, "retryable": self.retryable}


class InvalidInput(LionError):
    """The input is not valid; nothing was changed."""

    code = "invalid_input"
    exit_code = 2


class Ambiguous(LionError):
    """A name fits several objects; `candidates` has the id, status, start and name of each."""

    code = "ambiguous"
    exit_code = 2

    def __init__(self, message: str, *, hint: str, candidates: Sequence[Mapping[str, object]]) -> None:
        super().__init__(message, hint=hint)
        self.candidates = candidates

    def to_dict(self) -> dict[str, object]:
        return {**super().to_dict(), "candidates": [dict(candidate) for candidate in self.candidates]}


class NotFound(LionError):
    """The named object does not exist."""

    code = "not_found"
    exit_code = 3


class Conflict(LionError):
    """It already exists, with different content."""

    code = "conflict"


class IllegalTransition(LionError):
    """The status cannot change from the current one to the requested one."""

    code = "illegal_move"


class CorruptStore(LionError):
    """The database file is damaged or is not a database."""

    code = "corrupt"
    exit_code = 5


class WrongVersion(LionError):
    """A newer version or another product wrote the database."""

    code = "wrong_version"
    exit_code = 6


class Busy(LionError):
    """Another process holds the database; a retry may work."""

    code = "busy"
    exit_code = 7
    retryable = True


class StorageFailed(LionError):
    """The disk is full, read-only or broken; this write was not stored."""

    code = "storage_failed"
    retryable = True
