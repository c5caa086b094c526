"""`li version`: print the version of lion-studio and its parts."""

from __future__ import annotations

import argparse
import sys

from lionstudio import __version__
from lionstudio.cli._toolkit.output import emit

EXAMPLES = (
    ("li version", "one line"),
    ("li version --json", "also the versions of Python, SQLite and the database schema"),
)


def register(parser: argparse.ArgumentParser) -> None:
    """This command has no options of its own."""


def run(args: argparse.Namespace) -> int:
    if not args.json:
        emit(f"lion-studio {__version__}\n")
        return 0
    import apsw

    from lionstudio.cli._toolkit.json_output import print_json
    from lionstudio.state.sqlite.open import SCHEMA_VERSION

    print_json(
        {
            "version": __version__,
            "python": ".".join(map(str, sys.version_info[:3])),
            "sqlite": apsw.sqlite_lib_version(),
            "database_schema": SCHEMA_VERSION,
        }
    )
    return 0
