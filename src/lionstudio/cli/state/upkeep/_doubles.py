"""`li state doctor --fix-doubles`: list the runs that are stored twice, and merge them."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.confirm import confirm
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import cost, count
from lionstudio.cli._toolkit.output import emit, emit_lines
from lionstudio.cli._toolkit.terminal import say
from lionstudio.state.imports.doubles import DoubleRun, list_doubles


def fix_doubles(path: str, args: argparse.Namespace) -> int:
    if args.dry_run:
        with db_access.reading(path) as conn:
            _print_doubles(list_doubles(conn), "would be merged", args)
        return 0
    consent = confirm(args, "merging deletes the imported copies")
    with db_access.database(path, quiet=args.quiet) as database:
        doubles = database.read(list_doubles)
        if doubles and not args.yes:
            say("\n".join(_lines(doubles)))
            if not consent(f"Merge {count(len(doubles), 'imported copy', 'imported copies')} into the recorded runs?"):
                say("Nothing changed.")
                return 1
        from lionstudio.imports.transcripts.doubles import merge_double

        for double in doubles:
            database.write(lambda conn, double=double: merge_double(conn, double))  # type: ignore[misc]
    _print_doubles(doubles, "merged", args)
    return 0


def _print_doubles(doubles: list[DoubleRun], change: str, args: argparse.Namespace) -> None:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"dry_run": args.dry_run, "doubles": [double._asdict() for double in doubles]})
    elif doubles:
        emit_lines([f"{count(len(doubles), 'imported copy', 'imported copies')} {change}:", *_lines(doubles)])
    else:
        emit("No runs are stored twice.\n")


def _lines(doubles: list[DoubleRun]) -> list[str]:
    rows = [("RUN", "COPY", "MESSAGES", "COST", "TITLE")]
    rows += [
        (one.session_id, one.copy_id, str(one.messages), cost(one.cost_microusd), inline(one.title or ""))
        for one in doubles
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    return [
        "  ".join([f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False)] + [row[-1]]).rstrip()
        for row in rows
    ]
