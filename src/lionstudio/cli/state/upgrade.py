"""`li state upgrade`: upgrade the database file to the current schema, or check whether it needs that."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli._toolkit.printed_commands import located
from lionstudio.settings import is_url
from lionstudio.state.connection import plain_errors
from lionstudio.state.sqlite.open import SCHEMA_VERSION, check_known, open_for_reading, version_of

DESCRIPTION = """\
Upgrade the database file to the schema of this version, after a backup beside it. Every command that uses an older file
does the same by itself; this one does nothing else. --check only looks: exit code 0 when the file is current, 1 when it
would be upgraded, 6 for a file of a newer version or of another program."""
EXAMPLES = (
    ("li state upgrade", "upgrade now, for example before a large file is used"),
    ("li state upgrade --check", "print the version of the file, and write nothing"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--check", action="store_true", help="print the version of the file and change nothing")


def run(args: argparse.Namespace) -> int:
    path = db_access.settings_of(args).db
    if is_url(path):
        from lionstudio.cli.hub.init import upgrade  # the engine of shows has tables there too

        return upgrade(path, args)
    version = _version(path)
    outdated = version < SCHEMA_VERSION
    if outdated and not args.check:
        with db_access.writing(path, quiet=args.quiet):
            pass
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        after = version if args.check else SCHEMA_VERSION
        print_json({"path": path, "from_version": version, "version": after, "current_version": SCHEMA_VERSION})
    elif not outdated:
        emit(f"{inline(path)} is current (schema version {version})\n")
    elif args.check:
        command = located("`li state upgrade`")
        emit(f"{inline(path)} has schema version {version}; {command} upgrades it to {SCHEMA_VERSION}\n")
    else:
        emit(f"Upgraded {inline(path)} from schema version {version} to {SCHEMA_VERSION}\n")
    return 1 if outdated and args.check else 0


def _version(path: str) -> int:
    import os

    from lionstudio.errors import NotFound

    with plain_errors(path):
        if not os.path.exists(path):
            raise NotFound(f"database {path} not found", hint="record a run first, for example with `li agent`")
        conn = open_for_reading(path)
        try:
            current = version_of(conn)
        finally:
            conn.close()
    if current is None:
        return SCHEMA_VERSION  # an empty file becomes a new database
    check_known(path, *current)
    return current[0]
