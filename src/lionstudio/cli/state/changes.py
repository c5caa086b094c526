"""`li state changes`: print the files that a session changed, as a diff."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from lionstudio.cli._session.branch_tree import get_named
from lionstudio.cli._session.diffs import diff_lines, sums
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import SESSION_HELP, utf8
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import count
from lionstudio.cli._toolkit.output import emit_lines
from lionstudio.cli._toolkit.terminal import Paint, say, styles_for
from lionstudio.model.file_changes.change import FileChange, Outcome
from lionstudio.state.branches import list_branches
from lionstudio.state.connection import Connection
from lionstudio.state.messages.changes import (
    MOST_CALLS,
    ChangingCall,
    RunFileChanges,
    changed_files,
    list_changes,
    with_session_ords,
)
from lionstudio.state.messages.pages import scope_of_branch, scope_of_session
from lionstudio.state.runs.reference import resolve_session
from lionstudio.state.sessions import get_session

DESCRIPTION = """\
Print the files that the tool calls of a session changed, then a unified diff of each, call after call. It reads the
recorded calls, never the working folder: changes by shell commands are not part of it. A call that failed or was
refused changed nothing."""
EXAMPLES = (
    ("li state changes last", "the changes of the newest session"),
    ("li state changes 019e2f3c --stat", "only the files and the number of lines"),
    ("li state changes 019e2f3c --branch reviewer", "the changes of one branch or sub-agent"),
    ("li state changes last --json | jq '.files[].path'", "the changed files, for a script"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", type=utf8, metavar="SESSION", help=SESSION_HELP)
    parser.add_argument("--branch", type=utf8, metavar="B", help="only the changes of this branch (name or id)")
    parser.add_argument("--stat", action="store_true", help="print only the files with their numbers of lines")


def run(args: argparse.Namespace) -> int:
    with db_access.reading(db_access.settings_of(args).db) as conn:
        session = get_session(conn, resolve_session(conn, args.session))
        calls = list(_calls(conn, session.id, args.branch))
    files = changed_files(calls, session.cwd)
    failed = sum(call.changes.outcome is Outcome.FAILED for call in calls)
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        total = {"added": sum(file.added for file in files), "removed": sum(file.removed for file in files)}
        print_json(
            {
                "session_id": session.id,
                **total,
                "failed_calls": failed,
                "files": [_json(file, args.stat) for file in files],
            }
        )
        return 0
    paint = styles_for(sys.stdout, refused=args.no_color)
    emit_lines(_lines(files, paint, stat=args.stat))
    if failed:
        say(f"{count(failed, 'failed or refused call')} changed nothing", quiet=args.quiet)
    if not files:
        say(f"Session {inline(session.id)} changed no file", quiet=args.quiet)
    return 0


def _calls(conn: Connection, session_id: str, branch: str | None) -> Iterator[ChangingCall]:
    whole = scope_of_session(conn, session_id)
    scope = scope_of_branch(conn, get_named(list_branches(conn, session_id), branch).id) if branch else whole
    after = -1
    while calls := list_changes(conn, scope, after=after):
        yield from with_session_ords(conn, whole, calls) if branch else calls
        if len(calls) < MOST_CALLS:
            return
        after = calls[-1].ord


def _lines(files: list[RunFileChanges], paint: Paint, *, stat: bool) -> Iterator[str]:
    for file in files:
        note = "" if file.kind == "edited" else f"  {paint(str(file.kind), 'dim')}"
        more = paint(" or more", "dim") if file.is_partial else ""
        yield f"{inline(_name(file))}  {sums(file.added, file.removed, paint)}{more}{note}"
    if len(files) > 1:
        total = sums(sum(file.added for file in files), sum(file.removed for file in files), paint)
        yield f"{count(len(files), 'file')}  {total}"
    for file in () if stat else files:
        yield ""
        hunks = tuple(entry.hunk for entry in file.hunks)
        known = None if file.is_partial and not hunks else file.added
        yield from diff_lines([FileChange(file.path, file.kind, known, file.removed, hunks, file.old_path)], paint)


def _name(file: RunFileChanges) -> str:
    return f"{file.old_path} → {file.path}" if file.old_path else file.path


def _json(file: RunFileChanges, stat: bool) -> dict[str, object]:
    hunks = [{**entry.hunk.to_dict(), "ord": entry.ord, "call_id": entry.call_id} for entry in file.hunks]
    names = ("path", "old_path", "kind", "added", "removed", "is_partial", "ords")
    return {**{name: getattr(file, name) for name in names}, **({} if stat else {"hunks": hunks})}
