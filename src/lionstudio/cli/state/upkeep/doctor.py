"""`li state doctor`: what is wrong with the file or with a run, with the evidence and what to do about it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.confirm import confirm
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import count
from lionstudio.cli._toolkit.output import emit, emit_lines
from lionstudio.cli._toolkit.terminal import Paint, say, styles_for
from lionstudio.errors import CorruptStore
from lionstudio.state.connection import Connection
from lionstudio.state.upkeep.doctor import Finding, MarkedFailed, examine, stale_and_dead, transition_stale

DESCRIPTION = """\
Find what is wrong with the file or with a run, with the evidence; nothing is changed. Exit code 1 when an
error was found, 5 when the file is damaged. With --transition-stale, runs that are stale and proven dead are
marked failed."""
EXAMPLES = (
    ("li state doctor", "a quick look, good for a timer: exit code 1 means trouble"),
    ("li state doctor --deep", "read the whole file, after a crash of the machine"),
    ("li state doctor --transition-stale --dry-run", "which runs are stale and proven dead"),
    ("li state doctor --transition-stale --yes", "mark them as failed"),
)
_SEVERITIES = (("error", "error", "red"), ("warning", "warning", "yellow"), ("info", "other finding", "cyan"))


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--deep", action="store_true", help="check every page and index of the file")
    add("--transition-stale", action="store_true", help="mark runs that are stale and proven dead as failed")
    add("--dry-run", action="store_true", help="with --transition-stale: only say which")
    add("--yes", action="store_true", help="with --transition-stale: do not ask")


def run(args: argparse.Namespace) -> int:
    """Examine the database, or write off what is proven dead."""
    path = db_access.settings_of(args).db
    return _transition(path, args) if args.transition_stale else _examine(path, args)


def _examine(path: str, args: argparse.Namespace) -> int:
    try:
        with db_access.reading(path) as conn, db_access.watched(conn, "Examining the database", quiet=args.quiet):
            findings = [*examine(conn, deep=args.deep), *_drift(conn, args)]
    except CorruptStore as error:
        # too damaged to be opened; the usual advice would be to ask the doctor
        raise CorruptStore(error.message, hint="restore a backup; keep this file for analysis") from None
    findings += _about_mirrors()
    _print_findings(path, findings, args)
    codes = {found.code for found in findings if found.severity == "error"}
    return CorruptStore.exit_code if "file.damaged" in codes else 1 if codes else 0


def _drift(conn: Connection, args: argparse.Namespace) -> Iterator[Finding]:
    """Where the files of teams and shows and their rows differ."""
    from lionstudio.show_sync.drift import show_findings
    from lionstudio.teams.drift import team_findings

    settings = db_access.settings_of(args)
    yield from team_findings(conn, settings)
    yield from show_findings(conn, settings)
    if os.path.isdir(os.path.join(settings.home, "checkouts")):
        from lionstudio.shows.git.cleanup import stale_checkout_findings

        yield from stale_checkout_findings(conn, settings)


def _about_mirrors() -> list[Finding]:
    """How long Claude Code keeps its transcripts, for those who use it."""
    from lionstudio.imports.transcripts.retention import retention

    kept = retention()
    if not kept.transcripts:
        return []
    soon = f"{count(kept.expiring, 'transcript')} within a week" if kept.expiring else "none within a week"
    said = f"Claude Code deletes transcripts after {count(kept.days, 'day')} ({kept.origin}): {soon}"
    return [Finding("info", "claude.retention", "Claude Code", said, kept.advice)]


def _print_findings(path: str, findings: list[Finding], args: argparse.Namespace) -> None:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"path": path, "deep": args.deep, "findings": [found._asdict() for found in findings]})
        return
    paint = styles_for(sys.stdout, refused=args.no_color)
    for severity, noun, colour in _SEVERITIES:
        of_it = [found for found in findings if found.severity == severity]
        if of_it:
            emit(paint(count(len(of_it), noun), colour) + "\n")
            emit_lines(_lines(of_it, paint))
    if not findings:
        emit("Nothing is wrong.\n")


def _lines(findings: Iterable[Finding], paint: Paint) -> Iterable[str]:
    for found in findings:
        yield f"  {inline(found.subject)}  {paint(found.code, 'dim')}"
        yield f"    {inline(found.evidence)}"
        yield from [f"    → {inline(found.advice)}"] if found.advice else []


def _transition(path: str, args: argparse.Namespace) -> int:
    if args.dry_run:
        with db_access.reading(path) as conn:
            found = stale_and_dead(conn)
        _print_transitions(found, "would be marked failed", args)
        return 0
    consent = confirm(args, "runs would be marked failed for good")
    with db_access.database(path, quiet=args.quiet) as database:
        found = database.read(stale_and_dead)
        if found and not args.yes:
            say("\n".join(_described(found)))
            if not consent(f"Mark {count(len(found), 'run')} as failed?"):
                say("Nothing was changed.")
                return 1
        moved = database.write(transition_stale) if found else []
    _print_transitions(moved, "marked failed", args)
    return 0


def _print_transitions(found: list[MarkedFailed], what: str, args: argparse.Namespace) -> None:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"dry_run": args.dry_run, "transitions": [moved._asdict() for moved in found]})
    elif found:
        emit_lines([f"{count(len(found), 'run')} {what}:", *_described(found)])
    else:
        emit("No run is stale and proven dead.\n")


def _described(found: list[MarkedFailed]) -> list[str]:
    return [f"  {inline(moved.session_id)}  {inline('; '.join(moved.evidence))}" for moved in found]
