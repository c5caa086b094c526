"""One item into the database: looked at first, written only when something is missing, in one transaction."""

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

# What is wrong with one item; anything else is wrong with the database itself and ends the import.
ITEM_ERRORS = (InvalidInput, NotFound, Conflict)

# The ids under which a session may be here already, best first.
Candidates = Callable[[Connection], list[str]]


def upsert(
    store: ImportTarget, kind: str, name: str, incoming: Incoming, names: Candidates, *, dry_run: bool
) -> ImportItem:
    """Bring a session in, or what is missing of one that is here; says what was done."""

    def look(conn: Connection) -> MergePlan:
        return compare(conn, incoming, find_existing_session(conn, names))

    plan = store.read(look)
    session_id = plan.existing.id if plan.existing else incoming.session.id
    if plan.existing is not None and _runs_here(plan.existing):
        return ImportItem(
            kind, name, ItemOutcome.SKIPPED, f"session {session_id} is running here; import it when it has ended"
        )
    if not plan.changes:
        return ImportItem(kind, name, ItemOutcome.UNCHANGED, session_id=session_id)
    added = len(plan.session_ids)
    if not dry_run:
        added = store.write(lambda conn: merge(conn, incoming, find_existing_session(conn, names))).messages
    outcome = ItemOutcome.IMPORTED if plan.existing is None else ItemOutcome.UPDATED
    return ImportItem(kind, name, outcome, messages=added, session_id=session_id)


Write = Callable[[Connection], None]
Missing = Callable[[Connection], tuple[list[Write], bool]]  # what to write, and whether the item itself is new


def upsert_rows(store: ImportTarget, kind: str, name: str, missing: Missing, *, dry_run: bool) -> ImportItem:
    """Write the rows that an item lacks here, all in one transaction."""

    def carry_out(conn: Connection) -> None:
        for write in missing(conn)[0]:
            write(conn)

    lacking, new = store.read(missing)
    if lacking and not dry_run:
        store.write(carry_out)
    return ImportItem(
        kind, name, (ItemOutcome.IMPORTED if new else ItemOutcome.UPDATED) if lacking else ItemOutcome.UNCHANGED
    )


def find_existing_session(conn: Connection, names: Candidates) -> Session | None:
    """The first of several sessions that exists."""
    return next((found for id_ in names(conn) if (found := find_session(conn, id_)) is not None), None)


def _runs_here(session: Session) -> bool:
    return session.status is SessionStatus.RUNNING and session.source_kind in (None, SourceKind.LIVE)


def said(error: LionError) -> str:
    """An error as one line of a report."""
    return f"{error.message}; {error.hint}" if error.hint else error.message


def row_of(conn: Connection, message: Message) -> Row:
    """The columns of a message; what is nested deeper than we keep becomes its JSON text."""
    try:
        return to_row(conn, message)
    except InvalidInput:
        flat = {key: flattened(value) for key, value in message.metadata.items()}
        return to_row(conn, replace(message, content=flattened(message.content), metadata=flat))


def flattened(value: Any) -> Any:
    """The value itself where it can be kept, else its JSON text."""
    try:
        dump(value)
        return value
    except InvalidInput as error:
        try:
            return json.dumps(value)
        except (RecursionError, ValueError, TypeError):
            raise error from None
