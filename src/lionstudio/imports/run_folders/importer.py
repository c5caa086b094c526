"""Old run folders and branch snapshots into sessions; run again, it adds only what is new."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from lionstudio.crash import point
from lionstudio.errors import NotFound
from lionstudio.files.legacy_runs import BranchFile, RunFolder, find_runs, find_snapshots, read_branch, read_run
from lionstudio.imports.redact import redact_mapping, redact_row
from lionstudio.imports.report import ImportItem, ImportTarget, ItemOutcome, Report, Watch
from lionstudio.imports.run_folders.manifest import run_id_of, session_of, time_in_name
from lionstudio.imports.run_folders.snapshot import Snapshot, read_snapshot
from lionstudio.imports.upsert import ITEM_ERRORS, row_of, said, upsert
from lionstudio.model import import_ids
from lionstudio.model.branches import Branch
from lionstudio.model.coerce import to_id, to_text
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import InvocationKind, SessionStatus, SourceKind
from lionstudio.runs.prepare.project import project_name
from lionstudio.state.branches import find_branch
from lionstudio.state.connection import Connection, Row
from lionstudio.state.imports.existing import find_branch_end, find_session_of_run, own_ids
from lionstudio.state.imports.session_merge import Incoming, IncomingBranch
from lionstudio.state.sessions import find_session


def import_runs(
    store: ImportTarget, root: str, report: Report, *, dry_run: bool = False, watch: Watch = lambda done, total: None
) -> None:
    """Every run folder and snapshot under a home; one that cannot be taken is one entry of the report."""
    runs, snapshots = find_runs(root), find_snapshots(root)
    total = len(runs) + len(snapshots)
    for number, path in enumerate(runs):
        watch(number, total)
        _import_run(store, path, root, report, dry_run)
    for number, found in enumerate(snapshots, len(runs)):
        watch(number, total)
        _import_snapshot(store, found.path, found.provider, root, report, dry_run)
    watch(total, total)


def _import_run(store: ImportTarget, path: str, root: str, report: Report, dry_run: bool) -> None:
    name = os.path.basename(path)
    try:
        folder = read_run(path, root)
        report.add(_settle_run(store, folder, report, dry_run))
    except ITEM_ERRORS as error:
        if isinstance(error, NotFound) and store.read(lambda conn: find_session(conn, name)) is not None:
            report.add(ImportItem("run", name, ItemOutcome.UNCHANGED))  # what one of our own runs left there
        else:
            report.skip("run", name, said(error))
    point("import.item")


def _settle_run(store: ImportTarget, folder: RunFolder, report: Report, dry_run: bool) -> ImportItem:
    session, run_id = session_of(folder), run_id_of(folder)
    snapshots = _snapshots(folder, session, report)
    session = _completed(session, [found.branch.metadata for found in snapshots])
    branches = store.read(lambda conn: _own_parts(conn, snapshots))

    def names(conn: Connection) -> list[str]:
        return [
            session.id,
            *_found(find_session_of_run(conn, run_id, _about(run_id, session))),
            *_sessions_of(conn, snapshots, folder),
        ]

    item = upsert(store, "run", folder.name, _incoming(session, snapshots, branches), names, dry_run=dry_run)
    return item._replace(reason=item.reason or _remark(folder, snapshots))


def _snapshots(folder: RunFolder, session: Session, report: Report) -> list[Snapshot]:
    found = []
    for file in folder.branches:
        if file.fault is not None:
            report.skip("branch", f"{folder.name}/{os.path.basename(file.path)}", said(file.fault))
        else:
            found.append(_snapshot(file, session))
    return found


def _snapshot(file: BranchFile, session: Session) -> Snapshot:
    name = os.path.basename(file.path).removesuffix(".json")
    return read_snapshot(file.value, name, session.id, session.started_at or file.times.began)


def _completed(session: Session, configurations: Sequence[Any]) -> Session:
    """What the manifest leaves out and a branch knows; the project by the checkout that the run worked in."""

    def known(name: str) -> str | None:
        return next((found for metadata in configurations if (found := to_text(metadata.get(name)))), None)

    session = replace(
        session,
        model=session.model or known("model"),
        provider=session.provider or known("provider"),
        metadata=redact_mapping(session.metadata),
    )
    if session.project is None and session.cwd is not None and os.path.isabs(session.cwd) and "\0" not in session.cwd:
        session = replace(session, project=project_name(session.cwd))
    return session


def _about(run_id: str, session: Session) -> float | None:
    return time_in_name(run_id) or session.started_at


def _found(session_id: str | None) -> list[str]:
    return [] if session_id is None else [session_id]


def _sessions_of(conn: Connection, snapshots: Iterable[Snapshot], folder: RunFolder) -> list[str]:
    """The sessions that already have a branch of this run: it was recorded live, or came from a database."""
    ids = [found.branch.id for found in snapshots] + _named_branches(folder)
    return list(dict.fromkeys(place.session_id for id_ in ids if (place := find_branch_end(conn, id_)) is not None))


def _named_branches(folder: RunFolder) -> list[str]:
    manifest = folder.manifest or {}
    listed = manifest.get("branches")
    named = [item.get("id") for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    named += [manifest.get("branch_id"), manifest.get("orchestrator_branch_id")]
    return list(dict.fromkeys(found for item in named if (found := to_id(item)) is not None))


def _remark(folder: RunFolder, snapshots: Sequence[Snapshot]) -> str | None:
    """What is odd about a run that was taken all the same."""
    missing = set(_named_branches(folder)) - {found.branch.id for found in snapshots}
    if folder.manifest is None:
        return "it has no run.json, so it counts as aborted"
    return f"{len(missing)} of the branches it names have no snapshot" if missing else None


def _own_parts(conn: Connection, snapshots: Sequence[Snapshot]) -> list[IncomingBranch]:
    """Each branch with the messages that are its own; a clone points at its parent for the others."""
    by_id = {found.branch.id: found for found in snapshots}
    return [_own_part(conn, found, by_id) for found in snapshots]


def _own_part(conn: Connection, snapshot: Snapshot, others: dict[str, Snapshot]) -> IncomingBranch:
    branch, order = snapshot.branch, snapshot.order
    progression = import_ids.progression_of(branch.id)
    here = find_branch(conn, branch.id) if snapshot.clone_of else None
    if here is not None:
        # how it was taken the first time stays
        inherited = _inherited(conn, here)
        return IncomingBranch(branch, progression, [id_ for id_ in order if id_ not in inherited])
    parent = others.get(snapshot.clone_of or "")
    parent_order = parent.order if parent else tuple(own_ids(conn, snapshot.clone_of or ""))
    resolvable = (parent is not None and not parent.clone_of) or (parent is None and _stands_alone(conn, snapshot))
    if not resolvable or snapshot.clone_of == branch.id:
        return IncomingBranch(branch, progression, order)
    shared = _common(order, parent_order)
    fork = {"parent_branch_id": snapshot.clone_of, "forked_at_ord": shared - 1}
    return IncomingBranch(replace(branch, metadata={**branch.metadata, **fork}), progression, order[shared:])


def _inherited(conn: Connection, branch: Branch) -> set[str]:
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


def _stands_alone(conn: Connection, snapshot: Snapshot) -> bool:
    parent = find_branch(conn, snapshot.clone_of) if snapshot.clone_of else None
    return parent is not None and parent.fork is None


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _incoming(session: Session, snapshots: Sequence[Snapshot], branches: Sequence[IncomingBranch]) -> Incoming:
    messages = {id_: message for found in snapshots for id_, message in found.messages.items()}

    def fetch(conn: Connection, ids: Sequence[str]) -> Iterable[Row]:
        return (redact_row(row_of(conn, messages[id_])) for id_ in ids if id_ in messages)

    def refresh(here: Session) -> Session | None:
        ended = here.status is SessionStatus.RUNNING and session.status is not SessionStatus.RUNNING
        if not ended or here.source_kind is not SourceKind.IMPORTED_FS:
            return None
        return replace(
            here,
            status=session.status,
            ended_at=session.ended_at,
            exit_code=session.exit_code,
            updated_at=max(here.updated_at or 0.0, session.ended_at or 0.0),
            metadata={**here.metadata, **session.metadata},
        )

    return Incoming(session, import_ids.progression_of(session.id), _by_time(snapshots), branches, fetch, refresh)


def _by_time(snapshots: Sequence[Snapshot]) -> list[str]:
    """The messages of all branches as they came; within a branch its own order holds whatever the clocks say."""
    placed: list[tuple[float, str]] = []
    for found in snapshots:
        at = found.branch.created_at
        for id_ in found.order:
            message = found.messages.get(id_)
            at = at if message is None else max(at, message.created_at)
            placed.append((at, id_))
    return list(dict.fromkeys(id_ for _, id_ in sorted(placed, key=lambda place: place[0])))


def _import_snapshot(store: ImportTarget, path: str, provider: str, root: str, report: Report, dry_run: bool) -> None:
    name = os.path.join(provider, os.path.basename(path))
    file = read_branch(path, root)
    try:
        if file.fault is not None:
            raise file.fault
        report.add(_settle_snapshot(store, file, name, provider, dry_run))
    except ITEM_ERRORS as error:
        report.skip("snapshot", name, said(error))
    point("import.item")


def _settle_snapshot(store: ImportTarget, file: BranchFile, name: str, provider: str, dry_run: bool) -> ImportItem:
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
    session = _completed(session, [snapshot.branch.metadata])
    branches = store.read(lambda conn: _own_parts(conn, [snapshot]))

    def names(conn: Connection) -> list[str]:
        place = find_branch_end(conn, snapshot.branch.id)
        return [session.id, *_found(place.session_id if place else None)]

    return upsert(store, "snapshot", name, _incoming(session, [snapshot], branches), names, dry_run=dry_run)
