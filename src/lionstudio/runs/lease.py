"""A lease on a session that this process runs: the row names the owner, and a file lock proves it until release."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lionstudio.model.ids import file_name
from lionstudio.model.redaction import Redactor
from lionstudio.model.sessions import REDACTED_FIELDS, Session
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.runs.environment import secrets_in
from lionstudio.state.connection import Connection
from lionstudio.state.sessions import create_session, finish_session
from lionstudio.system.filelock import RunLock
from lionstudio.system.process_identity import identify


def _clean(row: Mapping[str, Any]) -> dict[str, Any]:
    """Redact the text fields of a session, which every list shows."""
    redactor = Redactor(secrets_in(os.environ))
    return {**row, **{name: redactor.value(row[name]) for name in REDACTED_FIELDS if row.get(name)}}


class Lease:
    """Taken before the row exists, released after the session has ended."""

    def __init__(self, db_path: str, session: Session) -> None:
        folder = os.path.join(os.path.dirname(os.path.abspath(db_path)), "run")
        self.session_id = session.id
        self._lock = RunLock.take(os.path.join(folder, f"{file_name(session.id)}.lock"))
        owner = identify(lock_path=self._lock.path)._asdict()
        self._session = Session.from_dict(_clean(session.to_dict()) | {"owner": owner})

    def begin(self, conn: Connection) -> None:
        """Insert the row with its owner, in the transaction that sets it to running."""
        create_session(conn, self._session)

    def end(
        self,
        status: SessionStatus,
        *,
        exit_code: int | None = None,
        reasons: Iterable[str] = (),
        detail: str | None = None,
        resets_at: float | None = None,
    ) -> Callable[[Connection], None]:
        """The transaction that sets the final status."""
        codes = list(reasons)
        return lambda conn: finish_session(
            conn, self.session_id, status, exit_code=exit_code, reasons=codes, detail=detail, resets_at=resets_at
        )

    def release(self) -> None:
        """Release the lock; from then on the process counts as gone."""
        self._lock.release()
