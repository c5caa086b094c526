"""Another state.db into ours, session by session: of any lineage and version, streamed, resumed by running it again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lionstudio.crash import point
from lionstudio.errors import InvalidInput
from lionstudio.imports.external_db.columns import Record
from lionstudio.imports.external_db.message_order import order_in, whole_order
from lionstudio.imports.external_db.other_tables import import_definitions, import_shows, import_teams
from lionstudio.imports.external_db.row_mapping import (
    branch_of,
    message_row,
    own_message_row,
    session_of,
    updated_at,
    usage_of,
)
from lionstudio.imports.redact import redact_mapping, redact_row
from lionstudio.imports.report import ImportItem, ImportTarget, ItemOutcome, Report, Watch
from lionstudio.imports.upsert import ITEM_ERRORS, said, upsert
from lionstudio.model import import_ids
from lionstudio.model.coerce import to_id, to_mapping, to_text
from lionstudio.model.ids import check_id
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import SESSION_TRANSITIONS, SessionStatus, can_reach
from lionstudio.model.usage import NOTHING
from lionstudio.state.connection import Connection, Row
from lionstudio.state.imports import external_rows
from lionstudio.state.imports.existing import Existing, find_branch_end, find_existing
from lionstudio.state.imports.external_db import ExternalDb, open_external
from lionstudio.state.imports.session_merge import Incoming, IncomingBranch
from lionstudio.state.sqlite.open import LINEAGE


def import_database(
    store: ImportTarget,
    target: str,
    path: str,
    report: Report,
    *,
    dry_run: bool = False,
    watch: Watch = lambda done, total: None,
) -> None:
    """Everything that a database holds; one session that cannot be taken is one entry of the report."""
    if os.path.exists(target) and os.path.exists(path) and os.path.samefile(target, path):
        raise InvalidInput(f"{path} is the database to import into", hint="give the file of another home")
    with open_external(path) as source:
        report.left_out = source.unread_tables()
        total, done = external_rows.list_work(source), 0
        importer = _Sessions(store, source, dry_run)
        for session_id in external_rows.session_ids(source):
            watch(done, total)
            done += importer.take(session_id, report)
        watch(total, total)
        import_shows(store, source, report, dry_run)
        import_teams(store, source, report, dry_run)
        import_definitions(store, source, report, dry_run)


class _Sessions:
    """Takes one session after the other from a source."""

    def __init__(self, store: ImportTarget, source: ExternalDb, dry_run: bool) -> None:
        self.store, self.source, self.dry_run = store, source, dry_run
        self.ours = source.lineage == LINEAGE

    def take(self, session_id: Any, report: Report) -> int:
        """One session; how many messages of the source are behind us with it."""
        seen = 0
        try:
            check_id(session_id, "session id")
            record = external_rows.read_session(self.source, session_id)
            branches = external_rows.read_branches(self.source, session_id)
            shapes = self._shapes(record, branches)
            seen = max((shape.length for _, shape in shapes.values()), default=0)
            if self.store.read(lambda conn: self._is_complete(conn, record, shapes)):
                report.add(ImportItem("session", session_id, ItemOutcome.UNCHANGED, session_id=session_id))
            else:
                report.add(self._settle(record, branches))
        except ITEM_ERRORS as error:
            report.skip("session", str(session_id), said(error))
        point("import.item")
        return seen

    def _shapes(self, record: Record, branches: Sequence[Record]) -> dict[str, tuple[bool, external_rows.Shape]]:
        """How far each progression of a session reaches, by the id of its owner."""
        shapes = {
            str(row["id"]): (False, external_rows.shape_of(self.source, row.get("progression_id"))) for row in branches
        }
        return {str(record["id"]): (True, external_rows.shape_of(self.source, record.get("progression_id"))), **shapes}

    def _is_complete(
        self, conn: Connection, record: Record, shapes: dict[str, tuple[bool, external_rows.Shape]]
    ) -> bool:
        """The cheap check: the row is not older than the other, and every progression ends alike."""
        here = find_existing(conn, str(record["id"]))
        if here is None or here.updated_at < (updated_at(record) or 0.0):
            return False
        return all(self._ends_alike(conn, here, owner, *shape) for owner, shape in shapes.items())

    def _ends_alike(
        self, conn: Connection, here: Existing, owner: str, is_session: bool, shape: external_rows.Shape
    ) -> bool:
        if is_session:
            # some tools leave a session's own list empty; its branches are compared all the same
            return shape.length == 0 or (here.length, here.last) == shape
        place = find_branch_end(conn, owner)
        return place is not None and place.session_id == here.session_id and (place.length, place.last) == shape

    def _settle(self, record: Record, rows: Sequence[Record]) -> ImportItem:
        session = session_of(record, ours=self.ours)
        session = session if self.ours else replace(session, metadata=redact_mapping(session.metadata))
        branches = [self._branch(row, session) for row in rows]
        session = _with_configuration(session, branches)
        own = order_in(*external_rows.read_collection(self.source, record.get("progression_id")))
        order = whole_order(self.source, own.ids, [branch.order for branch in branches])

        def fetch(conn: Connection, ids: Sequence[str]) -> Iterable[Row]:
            rows = external_rows.read_messages(self.source, ids)
            if self.ours:
                return (own_message_row(conn, row) for row in rows)
            return (redact_row(message_row(conn, row, session.created_at)) for row in rows)

        incoming = Incoming(
            session=session,
            progression_id=_progression(record, session.id),
            order=order,
            branches=branches,
            fetch=fetch,
            refresh=lambda here: _newer(here, session),
            unreadable=own.unreadable,
        )

        def names(conn: Connection) -> list[str]:
            run_id = to_text(record.get("run_id"))
            known = [session.id, *([import_ids.session_of_run(run_id)] if run_id else [])]
            places = (find_branch_end(conn, branch.branch.id) for branch in branches)
            return known + [place.session_id for place in places if place is not None]

        return upsert(self.store, "session", session.id, incoming, names, dry_run=self.dry_run)

    def _branch(self, row: Record, session: Session) -> IncomingBranch:
        branch = branch_of(row, session)
        order = order_in(*external_rows.read_collection(self.source, row.get("progression_id")))
        usage = usage_of(row)
        return IncomingBranch(
            branch=branch,
            progression_id=_progression(row, branch.id),
            order=order.ids,
            usage=None if usage == NOTHING else usage,
            unreadable=order.unreadable,
        )


def _progression(row: Record, owner_id: str) -> str:
    return to_id(row.get("progression_id")) or import_ids.progression_of(owner_id)


def _with_configuration(session: Session, branches: Sequence[IncomingBranch]) -> Session:
    def known(name: str) -> str | None:
        found = (to_text(branch.branch.metadata.get(name)) for branch in branches)
        return next((value for value in found if value), None)

    return replace(session, model=session.model or known("model"), provider=session.provider or known("provider"))


def _newer(here: Session, there: Session) -> Session | None:
    """The other row, when it changed later than ours; how a session ended here stays as it is (ADR-0020)."""
    if (there.updated_at or 0.0) <= (here.updated_at or 0.0):
        return None
    taken = replace(there, id=here.id, source_kind=here.source_kind, metadata={**here.metadata, **there.metadata})
    if here.status is None or there.status is None or can_reach(SESSION_TRANSITIONS, here.status, there.status):
        return taken
    return replace(
        taken,
        status=here.status,
        ended_at=here.ended_at,
        exit_code=here.exit_code,
        reason_codes=here.reason_codes,
        metadata=_noting(taken.metadata, there.status),
    )


def _noting(metadata: Mapping[str, Any], status: SessionStatus) -> dict[str, Any]:
    """What the other database says of the end, beside what is known here."""
    return {**metadata, "imported": {**to_mapping(metadata.get("imported")), "status": str(status)}}
