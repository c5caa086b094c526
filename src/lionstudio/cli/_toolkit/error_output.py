"""Print errors on stderr, as text or as JSON."""

from __future__ import annotations

import sys

from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.terminal import styles_for
from lionstudio.errors import LionError


def report(error: LionError, *, as_json: bool, plain: bool) -> None:
    if as_json:
        from lionstudio.cli._toolkit.json_output import to_json

        sys.stderr.write(to_json({"schema_version": 1, "error": error.to_dict()}) + "\n")
        return
    paint = styles_for(sys.stderr, refused=plain)
    sys.stderr.write(f"{paint('li:', 'red')} {inline(error.message)}\n")
    if error.hint:
        sys.stderr.write(f"  try: {inline(error.hint)}\n")
