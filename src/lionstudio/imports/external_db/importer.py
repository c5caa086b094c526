"""`li state import-db`: import another state.db of any lineage and version, session by session; safe to repeat."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from lionstudio.crash import point
from lionstudio.errors import InvalidInput
from lionstudio.imports.external_db.columns import Record
from lionstudio.imports.external_db.message_order import merge_orders, parse_order, with_system_prompts
from lionstudio.imports.external_db.other_tables import import_definitions, import_shows, import_teams
from lionstudio.imports.external_db.row_mapping import (
    branch_of,
    message_row,
    own_message_row,
    session_of,
    updated_at,
    usage_of,
)
from lionstudio.imports.report import ImportItem, ImportTarget, ItemOutcome, Report, Watch
from lionstudio.imports.upsert import ITEM_ERRORS, error_line, upsert
from lionstudio.model import import_ids
from lionstudio.model.coerce import to_id, to_mapping, to_text
from lionstudio.model.ids import check_id
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import SESSION_TRANSITIONS, SourceKind, can_reach
from lionstudio.model.usage import NOTHING
from lionstudio.state.connection import Connection, Row
from lionstudio.state.imports import external_rows
from lionstudio.state.imports.external_db import ExternalDb, open_external
from lionstudio.state.imports.lookup import Existing, find_branch_end, find_existing
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
    """Import all tables; a session that cannot be imported becomes an entry of the report."""
    if os.path.exists(target) and os.path.exists(path) and os.path.samefile(target, path):
        raise InvalidInput(f"cannot import {path} into itself", hint="pass the state.db of another home")
    with open_external(path) as source:
        report.left_out = source.unread_tables()
        total, done = external_rows.list_work(source), 0
        importer = _SessionImporter(store, source, dry_run)
        for session_id in external_rows.session_ids(source):
            watch(done, total)
            done += importer.import_session(session_id, report)
        watch(total, total)
        import_shows(store, source, report, dry_run)
        import_teams(store, source, report, dry_run)
        import_definitions(store, source, report, dry_run)


class _SessionImporter:
    def __init__(self, store: ImportTarget, source: ExternalDb, dry_run: bool) -> None:
        self.store, self.source, self.dry_run = store, source, dry_run
        self.ours = source.lineage == LINEAGE

    def import_session(self, session_id: Any, report: Report) -> int:
        """Import one session and return the number of its messages, for the progress bar."""
        length = 0
        try:
            check_id(session_id, "session id")
            record = external_rows.read_session(self.source, session_id)
            branches = external_rows.read_branches(self.source, session_id)
            twin = None if branches else external_rows.session_of_run(self.source, session_id)
            if twin is not None and self._repeats(record, twin):
                report.add(self._second_row(str(session_id), twin))
                return length
            shapes = self._shapes(record, branches)
            length = max((shape.length for _, shape in shapes.values()), default=0)
            if self.store.read(lambda conn: self._is_complete(conn, record, shapes)):
                report.add(ImportItem("session", session_id, ItemOutcome.UNCHANGED, session_id=session_id))
            else:
                report.add(self._upsert(record, branches))
        except ITEM_ERRORS as error:
            report.skip("session", str(session_id), error_line(error))
        point("import.item")
        return length

    def _repeats(self, record: Record, twin: str) -> bool:
        """Whether a row without branches has only messages that the recorded session of the same run has too."""
        own = parse_order(*external_rows.read_collection(self.source, record.get("progression_id")))
        recorded = external_rows.read_session(self.source, twin)
        rows = [recorded, *external_rows.read_branches(self.source, twin)]
        orders = [
            parse_order(*external_rows.read_collection(self.source, row.get("progression_id"))).ids for row in rows
        ]
        prompts = {row.get("system_msg_id") for row in rows}
        return own.unreadable is None and set(own.ids) <= {id_ for order in orders for id_ in order} | prompts

    def _second_row(self, session_id: str, twin: str) -> ImportItem:
        if self.store.read(lambda conn: find_existing(conn, session_id)) is None:
            return ImportItem("session", session_id, ItemOutcome.UNCHANGED, session_id=twin)
        reason = (
            f"an earlier import stored this run twice; session {twin} is complete, so run: li state rm {session_id}"
        )
        return ImportItem("session", session_id, ItemOutcome.SKIPPED, reason, session_id=twin)

    def _shapes(self, record: Record, branches: Sequence[Record]) -> dict[str, tuple[bool, external_rows.Shape]]:
        """The shape of each progression of a session by its owner's id, and True for the session's own."""
        shapes, prompts = {}, 0
        for row in branches:
            shape = external_rows.shape_of(self.source, row.get("progression_id"))
            if (prompt := external_rows.unlisted_system_prompt(self.source, row)) is not None:
                shape, prompts = external_rows.Shape(shape.length + 1, shape.last or prompt), prompts + 1
            shapes[str(row["id"])] = (False, shape)
        own = external_rows.shape_of(self.source, record.get("progression_id"))
        own = own._replace(length=own.length + prompts) if own.length > 0 else own
        return {str(record["id"]): (True, own), **shapes}

    def _is_complete(
        self, conn: Connection, record: Record, shapes: dict[str, tuple[bool, external_rows.Shape]]
    ) -> bool:
        """Check without reading messages: our row is not older, and every progression has the same end."""
        existing = find_existing(conn, str(record["id"]))
        if existing is None or existing.updated_at < (updated_at(record) or 0.0):
            return False
        return all(self._has_same_end(conn, existing, owner, *shape) for owner, shape in shapes.items())

    def _has_same_end(
        self, conn: Connection, existing: Existing, owner: str, is_session: bool, shape: external_rows.Shape
    ) -> bool:
        if is_session:
            # some tools leave a session's own list empty; its branches are compared in any case
            return shape.length == 0 or (existing.length, existing.last) == shape
        end = find_branch_end(conn, owner)
        return end is not None and end.session_id == existing.session_id and (end.length, end.last) == shape

    def _upsert(self, record: Record, rows: Sequence[Record]) -> ImportItem:
        session = session_of(record, ours=self.ours)
        branches = [self._branch(row, session) for row in rows]
        session = _with_configuration(session, branches)
        own = parse_order(*external_rows.read_collection(self.source, record.get("progression_id")))
        order = merge_orders(self.source, own.ids, [branch.order for branch in branches])
        prompts = [external_rows.unlisted_system_prompt(self.source, row) for row in rows]
        order = with_system_prompts(order, [(prompt, b.order) for prompt, b in zip(prompts, branches, strict=True)])
        for prompt, branch in zip(prompts, branches, strict=True):
            branch.order = branch.order if prompt is None else [prompt, *branch.order]

        def fetch(conn: Connection, ids: Sequence[str]) -> Iterable[Row]:
            rows = external_rows.read_messages(self.source, ids)
            if self.ours:
                return (own_message_row(conn, row) for row in rows)
            return (message_row(conn, row, session.created_at) for row in rows)

        incoming = Incoming(
            session=session,
            progression_id=_progression(record, session.id),
            order=order,
            branches=branches,
            fetch=fetch,
            refresh=lambda existing: _newer(existing, session),
            unreadable=own.unreadable,
        )

        def candidates(conn: Connection) -> list[str]:
            run_id = to_text(record.get("run_id"))
            ids = [session.id, *([import_ids.session_of_run(run_id)] if run_id else [])]
            ends = (find_branch_end(conn, branch.branch.id) for branch in branches)
            return ids + [end.session_id for end in ends if end is not None]

        return upsert(self.store, "session", session.id, incoming, candidates, dry_run=self.dry_run)

    def _branch(self, row: Record, session: Session) -> IncomingBranch:
        branch = branch_of(row, session)
        order = parse_order(*external_rows.read_collection(self.source, row.get("progression_id")))
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
    def first(name: str) -> str | None:
        values = (to_text(branch.branch.metadata.get(name)) for branch in branches)
        return next((value for value in values if value), None)

    return replace(session, model=session.model or first("model"), provider=session.provider or first("provider"))


# What a run that we recorded is continued and stopped by; another database has no say in it.
_OF_THE_RUN = ("owner", "agent_name", "provider", "model", "cwd", "invocation_kind", "artifacts_path")


def _newer(existing: Session, incoming: Session) -> Session | None:
    """The other row if it changed later than ours; the outcome of a session that ended here stays (ADR-0020)."""
    if (incoming.updated_at or 0.0) <= (existing.updated_at or 0.0):
        return None
    ours = existing.source_kind in (None, SourceKind.LIVE)
    metadata = existing.metadata if ours else {**existing.metadata, **incoming.metadata}
    newer = replace(incoming, id=existing.id, source_kind=existing.source_kind, metadata=metadata)
    if ours:
        newer = replace(newer, **{name: getattr(existing, name) for name in _OF_THE_RUN})
    before, after = existing.status, incoming.status
    if before is None or after is None or can_reach(SESSION_TRANSITIONS, before, after):
        return newer
    return replace(
        newer,
        status=before,
        ended_at=existing.ended_at,
        exit_code=existing.exit_code,
        reason_codes=existing.reason_codes,
        metadata={**metadata, "imported": {**to_mapping(metadata.get("imported")), "status": str(after)}},
    )
