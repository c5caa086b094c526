"""A lease on a session that this process runs: the row names the owner, and a file lock proves it until release."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.runs.spool import run_lock_path
from lionstudio.state.connection import Connection
from lionstudio.state.sessions import create_session, finish_session, link_run
from lionstudio.system.filelock import RunLock
from lionstudio.system.process_identity import identify


class RunLease:
    """Taken before the row exists, released after the session has ended."""

    def __init__(self, db_path: str, session: Session) -> None:
        self.session_id = session.id
        self._lock = RunLock.take(run_lock_path(db_path, session.id))
        owner = identify(lock_path=self._lock.path)._asdict()
        self._session = Session.from_dict(session.to_dict() | {"owner": owner})

    def begin(self, conn: Connection) -> None:
        """Insert the row with its owner, in the transaction that sets it to running."""
        session = self._session
        create_session(conn, session)
        if session.show_topic is not None and session.show_play_name is not None:
            link_run(conn, session.show_topic, session.show_play_name, session.id)

    def end(
        self,
        status: SessionStatus | str,
        *,
        exit_code: int | None = None,
        reasons: Iterable[str] = (),
        detail: str | None = None,
        resets_at: float | None = None,
        delivery: str | None = None,
    ) -> Callable[[Connection], None]:
        """The transaction that sets the final status."""
        codes = list(reasons)
        return lambda conn: finish_session(
            conn,
            self.session_id,
            status,
            exit_code=exit_code,
            reasons=codes,
            detail=detail,
            resets_at=resets_at,
            delivery=delivery,
        )

    def release(self) -> None:
        """Release the lock; from then on the process counts as gone."""
        self._lock.release()
