"""Print errors on stderr, as text or as JSON."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.printed_commands import located
from lionstudio.cli._toolkit.terminal import Paint, styles_for, width_of
from lionstudio.errors import Ambiguous, LionError


def report(error: LionError, *, as_json: bool, plain: bool) -> None:
    if as_json:
        from lionstudio.cli._toolkit.json_output import to_json

        hint = error.hint and located(error.hint)
        sys.stderr.write(to_json({"schema_version": 1, "error": error.to_dict() | {"hint": hint}}) + "\n")
        return
    paint = styles_for(sys.stderr, refused=plain)
    sys.stderr.write(f"{paint('li:', 'red')} {inline(error.message)}\n")
    if isinstance(error, Ambiguous):
        sys.stderr.writelines(_candidate_lines(error, paint))
    if error.hint:
        sys.stderr.write(f"  try: {inline(located(error.hint))}\n")


def _candidate_lines(error: Ambiguous, paint: Paint) -> Iterator[str]:
    from lionstudio.cli._toolkit.humanize import ago
    from lionstudio.cli._toolkit.table import Cell, Column, render

    now = time.time()
    columns = (Column("ID"), Column("STATUS"), Column("STARTED", right=True), Column("NAME", narrowest=16))
    rows = [
        [
            Cell(inline(str(row["id"]))),
            Cell(inline(str(row["status"]))),
            Cell(ago(row["started_at"], now)),
            Cell(inline(str(row["name"]))),
        ]
        for row in error.candidates
    ]
    return (f"  {line}\n" for line in render(columns, rows, width_of(sys.stderr) - 2, paint))
