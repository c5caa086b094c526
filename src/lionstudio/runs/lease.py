"""A lease: a session that this process runs. Its row says so and a lock proves it, until it is given back."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lionstudio.model.ids import file_name
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.runs.environment import secrets_in
from lionstudio.runs.redaction import Redactor
from lionstudio.state.connection import Connection
from lionstudio.state.sessions import create_session, finish_session
from lionstudio.system.process_identity import RunLock, identify

# what people and programs call a run; the rest are words of ours, numbers and ids
_SPOKEN = (
    "name",
    "agent_name",
    "playbook_name",
    "show_topic",
    "show_play_name",
    "project",
    "cwd",
    "artifacts_path",
    "user",
    "metadata",
)


def _clean(row: Mapping[str, Any]) -> dict[str, Any]:
    """A session without the secrets in its words: they are shown in every list."""
    redactor = Redactor(secrets_in(os.environ))
    return {**row, **{name: redactor.value(row[name]) for name in _SPOKEN if row.get(name)}}


class Lease:
    """Taken before the row exists, given back after it is finished."""

    def __init__(self, db_path: str, session: Session) -> None:
        folder = os.path.join(os.path.dirname(os.path.abspath(db_path)), "run")
        self.session_id = session.id
        self._lock = RunLock.take(os.path.join(folder, f"{file_name(session.id)}.lock"))
        owner = identify(lock_path=self._lock.path)._asdict()
        self._session = Session.from_dict(_clean(session.to_dict()) | {"owner": owner})

    def begin(self, conn: Connection) -> None:
        """The row, with its owner in the transaction that makes it running."""
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
        """The work that moves the session to its end."""
        codes = list(reasons)
        return lambda conn: finish_session(
            conn, self.session_id, status, exit_code=exit_code, reasons=codes, detail=detail, resets_at=resets_at
        )

    def give_back(self) -> None:
        """Let go of the lock; from now on the process counts as gone."""
        self._lock.release()
