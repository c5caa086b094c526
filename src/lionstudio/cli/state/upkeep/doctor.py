"""`li state doctor`: check the database and its runs, and print problems with evidence and advice."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.confirm import confirm
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import count
from lionstudio.cli._toolkit.output import emit, emit_lines
from lionstudio.cli._toolkit.printed_commands import located
from lionstudio.cli._toolkit.terminal import Paint, say, styles_for
from lionstudio.errors import CorruptStore
from lionstudio.state.connection import Connection
from lionstudio.state.upkeep.doctor import DeadRun, examine, list_stale_and_dead
from lionstudio.state.upkeep.findings import Finding

DESCRIPTION = """\
Check the database and its runs and print problems with their evidence. Changes nothing. The exit code is 1 for errors
and 5 for a damaged file. With --transition-stale, runs that are stale and proven dead are marked failed. With
--fix-doubles, runs that are stored twice, as recorded and imported from their transcript, are merged."""
EXAMPLES = (
    ("li state doctor", "quick check, for example from a timer: exit code 1 means errors"),
    ("li state doctor --deep", "check the whole file, for example after a system crash"),
    ("li state doctor --transition-stale --dry-run", "list runs that are stale and proven dead"),
    ("li state doctor --transition-stale --yes", "mark them failed"),
    ("li state doctor --fix-doubles --dry-run", "list runs that are stored twice"),
    ("li state doctor --fix-doubles --yes", "merge the imported copy into the recorded run"),
)
_SEVERITIES = (("error", "error", "red"), ("warning", "warning", "yellow"), ("info", "other finding", "cyan"))


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--deep", action="store_true", help="check every page and index of the file (slow)")
    add("--transition-stale", action="store_true", help="mark runs that are stale and proven dead as failed")
    add("--fix-doubles", action="store_true", help="merge runs that are stored twice")
    add("--dry-run", action="store_true", help="with --transition-stale or --fix-doubles: only list the runs")
    add("--yes", action="store_true", help="with --transition-stale or --fix-doubles: do not ask for confirmation")


def run(args: argparse.Namespace) -> int:
    path = db_access.settings_of(args).db
    if args.fix_doubles:
        from lionstudio.cli.state.upkeep._doubles import fix_doubles

        return fix_doubles(path, args)
    return _transition(path, args) if args.transition_stale else _examine(path, args)


def _examine(path: str, args: argparse.Namespace) -> int:
    _take_in_spools(path, args)
    try:
        with db_access.reading(path) as conn, db_access.watched(conn, "Checking the database", quiet=args.quiet):
            findings = [*examine(conn, deep=args.deep), *_drift(conn, args), *_hooks(conn)]
    except CorruptStore as error:
        # too damaged to open; the usual hint is to run this command
        raise CorruptStore(error.message, hint="restore a backup, and keep this file for analysis") from None
    findings += [*_sandbox_findings(), *_retention_findings()]
    _print_findings(path, findings, args)
    codes = {finding.code for finding in findings if finding.severity == "error"}
    return CorruptStore.exit_code if "file.damaged" in codes else 1 if codes else 0


def _take_in_spools(path: str, args: argparse.Namespace) -> None:
    """A run may look dead while its end waits in a spool."""
    from lionstudio.runs.spool import list_spools, take_in_spools

    for message in take_in_spools(path) if list_spools(path) else ():
        say(message, quiet=args.quiet)


def _drift(conn: Connection, args: argparse.Namespace) -> Iterator[Finding]:
    """Differences between the files and the rows of teams and shows, and files of plays that are in no commit."""
    from lionstudio.show_sync.checkouts import checkout_findings
    from lionstudio.show_sync.drift import show_findings
    from lionstudio.teams.drift import team_findings

    settings = db_access.settings_of(args)
    yield from team_findings(conn, settings)
    yield from show_findings(conn, settings)
    yield from checkout_findings(conn, settings)


def _hooks(conn: Connection) -> Iterator[Finding]:
    """Connected terminals: whether their hooks are current, and whether events arrive."""
    from lionstudio.runs.talk.connections import hook_findings

    return hook_findings(conn)


def _sandbox_findings() -> list[Finding]:
    """Why agents and gates cannot be confined on this machine."""
    from lionstudio.system.sandbox.bwrap import find_bwrap

    bwrap = find_bwrap()
    if bwrap.problem is None:
        return []
    return [Finding("info", "sandbox.impossible", "Sandbox", bwrap.sentence, f"`{bwrap.hint}`" if bwrap.hint else "")]


def _retention_findings() -> list[Finding]:
    """The retention period of each tool that has transcripts."""
    from lionstudio.imports.transcripts.retention import retention
    from lionstudio.imports.transcripts.tools import TOOLS

    findings = []
    for tool in TOOLS.values():
        rule = retention(tool)
        if rule is None or not rule.transcripts:
            continue
        soon = f"{count(rule.expiring, 'transcript')} within a week" if rule.expiring else "none within a week"
        evidence = f"{tool.title} deletes transcripts after {count(rule.days, 'day')} ({rule.origin}): {soon}"
        findings.append(Finding("info", f"{tool.name}.retention", tool.title, evidence, rule.advice))
    return findings


def _print_findings(path: str, findings: list[Finding], args: argparse.Namespace) -> None:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        wire = [finding._asdict() | {"advice": finding.advice and located(finding.advice)} for finding in findings]
        print_json({"path": path, "deep": args.deep, "findings": wire})
        return
    paint = styles_for(sys.stdout, refused=args.no_color)
    for severity, noun, colour in _SEVERITIES:
        matching = [finding for finding in findings if finding.severity == severity]
        if matching:
            emit(paint(count(len(matching), noun), colour) + "\n")
            emit_lines(_lines(matching, paint))
    if not findings:
        emit("No problems found.\n")


def _lines(findings: Iterable[Finding], paint: Paint) -> Iterable[str]:
    for finding in findings:
        yield f"  {inline(finding.subject)}  {paint(finding.code, 'dim')}"
        yield f"    {inline(finding.evidence)}"
        yield from [f"    → {inline(located(finding.advice))}"] if finding.advice else []


def _transition(path: str, args: argparse.Namespace) -> int:
    _take_in_spools(path, args)
    if args.dry_run:
        with db_access.reading(path) as conn:
            runs = list_stale_and_dead(conn)
        _print_transitions(runs, "would be marked failed", args)
        return 0
    from lionstudio.cli._person import require_person
    from lionstudio.runs.settle import mark_stale_runs

    require_person(args, "li state doctor --transition-stale")
    consent = confirm(args, "marking runs failed is irreversible")
    with db_access.database(path, quiet=args.quiet) as database:
        runs = database.read(list_stale_and_dead)
        if runs and not args.yes:
            say("\n".join(_run_lines(runs)))
            if not consent(f"Mark {count(len(runs), 'run')} as failed?"):
                say("Nothing changed.")
                return 1
        marked = mark_stale_runs(database) if runs else []
    _print_transitions(marked, "marked failed", args)
    return 0


def _print_transitions(runs: list[DeadRun], change: str, args: argparse.Namespace) -> None:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"dry_run": args.dry_run, "transitions": [run._asdict() for run in runs]})
    elif runs:
        emit_lines([f"{count(len(runs), 'run')} {change}:", *_run_lines(runs)])
    else:
        emit("No runs are stale and proven dead.\n")


def _run_lines(runs: list[DeadRun]) -> list[str]:
    return [f"  {inline(run.session_id)}  {inline('; '.join(run.evidence))}" for run in runs]
