"""Import one item: compare it first, write only the missing part, in one transaction."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lionstudio.errors import Conflict, InvalidInput, LionError, NotFound
from lionstudio.imports.report import ImportItem, ImportTarget, ItemOutcome
from lionstudio.model.json_codec import dump
from lionstudio.model.messages import Message
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import SessionStatus, SourceKind
from lionstudio.state.connection import Connection, Row
from lionstudio.state.imports.session_merge import Incoming, MergePlan, compare, merge
from lionstudio.state.messages.rows import to_row
from lionstudio.state.sessions import find_session

# Errors of one item; any other error concerns the database itself and ends the import.
ITEM_ERRORS = (InvalidInput, NotFound, Conflict)

# The ids that the session may already have in the database, best first.
CandidateIds = Callable[[Connection], list[str]]


def upsert(
    store: ImportTarget, kind: str, name: str, incoming: Incoming, candidates: CandidateIds, *, dry_run: bool
) -> ImportItem:
    """Import a session, or the part of it that is missing."""

    def plan_merge(conn: Connection) -> MergePlan:
        return compare(conn, incoming, find_existing_session(conn, candidates))

    plan = store.read(plan_merge)
    session_id = plan.existing.id if plan.existing else incoming.session.id
    if plan.existing is not None and _is_live(plan.existing):
        return ImportItem(
            kind, name, ItemOutcome.SKIPPED, f"session {session_id} is running; import it when it has ended"
        )
    if not plan.changes:
        return ImportItem(kind, name, ItemOutcome.UNCHANGED, session_id=session_id)
    added = len(plan.session_ids)
    if not dry_run:
        added = store.write(lambda conn: merge(conn, incoming, find_existing_session(conn, candidates))).messages
    outcome = ItemOutcome.IMPORTED if plan.existing is None else ItemOutcome.UPDATED
    return ImportItem(kind, name, outcome, messages=added, session_id=session_id)


Write = Callable[[Connection], object]
Missing = Callable[[Connection], tuple[list[Write], bool]]  # the writes, and True if the item itself is new


def upsert_rows(store: ImportTarget, kind: str, name: str, missing: Missing, *, dry_run: bool) -> ImportItem:
    """Write the missing rows of an item in one transaction."""

    def write_all(conn: Connection) -> None:
        for write in missing(conn)[0]:
            write(conn)

    writes, is_new = store.read(missing)
    if not writes:
        return ImportItem(kind, name, ItemOutcome.UNCHANGED)
    if not dry_run:
        store.write(write_all)
    return ImportItem(kind, name, ItemOutcome.IMPORTED if is_new else ItemOutcome.UPDATED)


def find_existing_session(conn: Connection, candidates: CandidateIds) -> Session | None:
    """The first candidate that exists."""
    return next((session for id_ in candidates(conn) if (session := find_session(conn, id_)) is not None), None)


def _is_live(session: Session) -> bool:
    return session.status is SessionStatus.RUNNING and session.source_kind in (None, SourceKind.LIVE)


def error_line(error: LionError) -> str:
    """An error with its hint as one line of a report."""
    return f"{error.message}; {error.hint}" if error.hint else error.message


def message_row_of(conn: Connection, message: Message) -> Row:
    """The columns of a message; a value that is nested too deeply becomes its JSON text."""
    try:
        return to_row(conn, message)
    except InvalidInput:
        flat = {key: flattened(value) for key, value in message.metadata.items()}
        return to_row(conn, replace(message, content=flattened(message.content), metadata=flat))


def flattened(value: Any) -> Any:
    """The value itself if it can be stored, else its JSON text."""
    try:
        dump(value)
        return value
    except InvalidInput as error:
        try:
            return json.dumps(value)
        except (RecursionError, ValueError, TypeError):
            raise error from None
