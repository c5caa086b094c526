"""`li state import`: import run folders and branch snapshots of older tools as sessions; safe to repeat."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from lionstudio.crash import point
from lionstudio.errors import NotFound
from lionstudio.files.legacy_runs import BranchFile, RunFolder, find_runs, find_snapshots, read_branch, read_run
from lionstudio.imports.report import ImportItem, ImportTarget, ItemOutcome, Report, Watch
from lionstudio.imports.run_folders.manifest import run_id_of, session_of, time_in_name
from lionstudio.imports.run_folders.snapshot import Snapshot, read_snapshot
from lionstudio.imports.upsert import ITEM_ERRORS, error_line, message_row_of, upsert
from lionstudio.model import import_ids
from lionstudio.model.branches import Branch
from lionstudio.model.coerce import list_of, to_id, to_text
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import InvocationKind, SessionStatus, SourceKind
from lionstudio.runs.prepare.project import project_name
from lionstudio.state.branches import find_branch
from lionstudio.state.connection import Connection, Row
from lionstudio.state.imports.lookup import find_branch_end, find_session_of_run, own_ids
from lionstudio.state.imports.session_merge import Incoming, IncomingBranch
from lionstudio.state.sessions import find_session


def import_runs(
    store: ImportTarget, root: str, report: Report, *, dry_run: bool = False, watch: Watch = lambda done, total: None
) -> None:
    """Import every run folder and snapshot of a home; one that cannot be imported becomes an entry of the report."""
    runs, snapshots = find_runs(root), find_snapshots(root)
    total = len(runs) + len(snapshots)
    for number, path in enumerate(runs):
        watch(number, total)
        _import_run(store, path, root, report, dry_run)
    for number, file in enumerate(snapshots, len(runs)):
        watch(number, total)
        _import_snapshot(store, file.path, file.provider, root, report, dry_run)
    watch(total, total)


def _import_run(store: ImportTarget, path: str, root: str, report: Report, dry_run: bool) -> None:
    name = os.path.basename(path)
    try:
        report.add(_upsert_run(store, read_run(path, root), report, dry_run))
    except ITEM_ERRORS as error:
        if isinstance(error, NotFound) and store.read(lambda conn: find_session(conn, name)) is not None:
            report.add(ImportItem("run", name, ItemOutcome.UNCHANGED))  # a folder of one of our own runs
        else:
            report.skip("run", name, error_line(error))
    point("import.item")


def _upsert_run(store: ImportTarget, folder: RunFolder, report: Report, dry_run: bool) -> ImportItem:
    session, run_id = session_of(folder), run_id_of(folder)
    snapshots = _snapshots(folder, session, report)
    session = _with_configuration(session, [snapshot.branch.metadata for snapshot in snapshots])
    branches = store.read(lambda conn: _incoming_branches(conn, snapshots))

    def candidates(conn: Connection) -> list[str]:
        recorded = find_session_of_run(conn, run_id, time_in_name(run_id) or session.started_at)
        return [session.id, *([recorded] if recorded else []), *_sessions_of(conn, snapshots, folder)]

    item = upsert(store, "run", folder.name, _incoming(session, snapshots, branches), candidates, dry_run=dry_run)
    return item._replace(reason=item.reason or _remark(folder, snapshots))


def _snapshots(folder: RunFolder, session: Session, report: Report) -> list[Snapshot]:
    snapshots = []
    for file in folder.branches:
        name = os.path.basename(file.path)
        if file.fault is not None:
            report.skip("branch", f"{folder.name}/{name}", error_line(file.fault))
            continue
        fallback_at = session.started_at or file.times.began
        snapshots.append(read_snapshot(file.value, name.removesuffix(".json"), session.id, fallback_at))
    return snapshots


def _with_configuration(session: Session, configurations: Sequence[Any]) -> Session:
    """Add model and provider from the branches, and the project from the working folder."""

    def first(name: str) -> str | None:
        return next((text for metadata in configurations if (text := to_text(metadata.get(name)))), None)

    session = replace(session, model=session.model or first("model"), provider=session.provider or first("provider"))
    if session.project is None and session.cwd is not None and os.path.isabs(session.cwd) and "\0" not in session.cwd:
        session = replace(session, project=project_name(session.cwd))
    return session


def _sessions_of(conn: Connection, snapshots: Iterable[Snapshot], folder: RunFolder) -> list[str]:
    """The sessions that already have a branch of this run: recorded live, or imported from a database."""
    ids = [snapshot.branch.id for snapshot in snapshots] + _named_branches(folder)
    return list(dict.fromkeys(end.session_id for id_ in ids if (end := find_branch_end(conn, id_)) is not None))


def _named_branches(folder: RunFolder) -> list[str]:
    manifest = folder.manifest or {}
    ids = [item.get("id") for item in list_of(manifest.get("branches")) if isinstance(item, dict)]
    ids += [manifest.get("branch_id"), manifest.get("orchestrator_branch_id")]
    return list(dict.fromkeys(id_ for item in ids if (id_ := to_id(item)) is not None))


def _remark(folder: RunFolder, snapshots: Sequence[Snapshot]) -> str | None:
    """The remark on an imported run that is incomplete."""
    missing = set(_named_branches(folder)) - {snapshot.branch.id for snapshot in snapshots}
    if folder.manifest is None:
        return "run.json is missing, so the run counts as aborted"
    return f"{len(missing)} of its branches have no snapshot" if missing else None


def _incoming_branches(conn: Connection, snapshots: Sequence[Snapshot]) -> list[IncomingBranch]:
    """Each branch with its own messages; a clone becomes a fork of its parent."""
    by_id = {snapshot.branch.id: snapshot for snapshot in snapshots}
    return [_incoming_branch(conn, snapshot, by_id) for snapshot in snapshots]


def _incoming_branch(conn: Connection, snapshot: Snapshot, others: dict[str, Snapshot]) -> IncomingBranch:
    branch, order = snapshot.branch, snapshot.order
    progression = import_ids.progression_of(branch.id)
    existing = find_branch(conn, branch.id) if snapshot.clone_of else None
    if existing is not None:
        # a branch keeps the fork of its first import
        inherited = _inherited_ids(conn, existing)
        return IncomingBranch(branch, progression, [id_ for id_ in order if id_ not in inherited])
    parent = others.get(snapshot.clone_of or "")
    parent_order = parent.order if parent else tuple(own_ids(conn, snapshot.clone_of or ""))
    is_resolvable = (parent is not None and not parent.clone_of) or (
        parent is None and _has_root_parent(conn, snapshot)
    )
    if not is_resolvable or snapshot.clone_of == branch.id:
        return IncomingBranch(branch, progression, order)
    shared = _common_length(order, parent_order)
    fork = {"parent_branch_id": snapshot.clone_of, "forked_at_ord": shared - 1}
    return IncomingBranch(replace(branch, metadata={**branch.metadata, **fork}), progression, order[shared:])


def _inherited_ids(conn: Connection, branch: Branch) -> set[str]:
    ids: set[str] = set()
    seen = {branch.id}
    while branch.fork is not None and branch.fork.parent_branch_id not in seen:
        parent = find_branch(conn, branch.fork.parent_branch_id)
        if parent is None:
            break
        seen.add(parent.id)
        ids.update(own_ids(conn, parent.id))
        branch = parent
    return ids


def _has_root_parent(conn: Connection, snapshot: Snapshot) -> bool:
    parent = find_branch(conn, snapshot.clone_of) if snapshot.clone_of else None
    return parent is not None and parent.fork is None


def _common_length(order: Sequence[str], other: Sequence[str]) -> int:
    pairs = enumerate(zip(order, other, strict=False))
    return next((number for number, (a, b) in pairs if a != b), min(len(order), len(other)))


def _incoming(session: Session, snapshots: Sequence[Snapshot], branches: Sequence[IncomingBranch]) -> Incoming:
    messages = {id_: message for snapshot in snapshots for id_, message in snapshot.messages.items()}

    def fetch(conn: Connection, ids: Sequence[str]) -> Iterable[Row]:
        return (message_row_of(conn, messages[id_]) for id_ in ids if id_ in messages)

    def refresh(existing: Session) -> Session | None:
        has_ended = existing.status is SessionStatus.RUNNING and session.status is not SessionStatus.RUNNING
        if not has_ended or existing.source_kind is not SourceKind.IMPORTED_FS:
            return None
        return replace(
            existing,
            status=session.status,
            ended_at=session.ended_at,
            exit_code=session.exit_code,
            updated_at=max(existing.updated_at or 0.0, session.ended_at or 0.0),
            metadata={**existing.metadata, **session.metadata},
        )

    return Incoming(session, import_ids.progression_of(session.id), _by_time(snapshots), branches, fetch, refresh)


def _by_time(snapshots: Sequence[Snapshot]) -> list[str]:
    """The messages of all branches by time; within a branch its order holds, even against the timestamps."""
    timed: list[tuple[float, str]] = []
    for snapshot in snapshots:
        at = snapshot.branch.created_at
        for id_ in snapshot.order:
            message = snapshot.messages.get(id_)
            at = at if message is None else max(at, message.created_at)
            timed.append((at, id_))
    return list(dict.fromkeys(id_ for _, id_ in sorted(timed, key=lambda entry: entry[0])))


def _import_snapshot(store: ImportTarget, path: str, provider: str, root: str, report: Report, dry_run: bool) -> None:
    name = os.path.join(provider, os.path.basename(path))
    file = read_branch(path, root)
    try:
        if file.fault is not None:
            raise file.fault
        report.add(_upsert_snapshot(store, file, name, provider, dry_run))
    except ITEM_ERRORS as error:
        report.skip("snapshot", name, error_line(error))
    point("import.item")


def _upsert_snapshot(store: ImportTarget, file: BranchFile, name: str, provider: str, dry_run: bool) -> ImportItem:
    base = os.path.basename(file.path)
    snapshot = read_snapshot(file.value, base, import_ids.session_of_snapshot(base), file.times.began)
    last = max((message.created_at for message in snapshot.messages.values()), default=file.times.changed)
    session = Session(
        id=import_ids.session_of_snapshot(snapshot.branch.id),
        created_at=snapshot.branch.created_at,
        name=snapshot.branch.name,
        invocation_kind=InvocationKind.AGENT,
        source_kind=SourceKind.IMPORTED_FS,
        status=SessionStatus.COMPLETED,
        started_at=snapshot.branch.created_at,
        ended_at=max(last, snapshot.branch.created_at),
        provider=provider,
        metadata={"imported": {"snapshot": file.path}},
    )
    session = _with_configuration(session, [snapshot.branch.metadata])
    branches = store.read(lambda conn: _incoming_branches(conn, [snapshot]))

    def candidates(conn: Connection) -> list[str]:
        end = find_branch_end(conn, snapshot.branch.id)
        return [session.id, *([end.session_id] if end else [])]

    return upsert(store, "snapshot", name, _incoming(session, [snapshot], branches), candidates, dry_run=dry_run)
