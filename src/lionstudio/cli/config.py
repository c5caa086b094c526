"""`li config`: print every setting, its value, its source and its environment variable."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from lionstudio.cli._toolkit import db_access, table
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.output import emit_lines
from lionstudio.cli._toolkit.terminal import is_terminal, styles_for, width_of
from lionstudio.settings import describe

EXAMPLES = (
    ("li config", "every setting"),
    ("LIONAGI_HOME=/srv/agents li config", "the effect of an environment variable"),
    ("li config --json | jq -r '.settings[] | select(.name == \"db\").value'", "one value, for a script"),
)
_COLUMNS = (
    table.Column("SETTING"),
    table.Column("VALUE", narrowest=20),
    table.Column("SOURCE", narrowest=12),
    table.Column("VARIABLE", rank=1),
)


def register(parser: argparse.ArgumentParser) -> None:
    """This command has no options of its own."""


def run(args: argparse.Namespace) -> int:
    settings = describe(db_access.settings_of(args))
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"settings": settings})
        return 0
    rows = [[_text(row[key]) for key in ("name", "value", "origin", "variable")] for row in settings]
    if is_terminal():
        paint = styles_for(sys.stdout, refused=args.no_color)
        cells = [[table.Cell(text) for text in row] for row in rows]
        emit_lines(table.render(_COLUMNS, cells, width_of(sys.stdout), paint))
    else:
        emit_lines("\t".join(row) for row in rows)
    return 0


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else inline(str(value))
