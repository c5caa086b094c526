"""`li agents history` and the like: list the versions of a definition and mark the one on disk."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from lionstudio.cli._toolkit import db_access, humanize
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli._toolkit.table import Cell, Column, render
from lionstudio.cli._toolkit.terminal import is_terminal, styles_for, width_of
from lionstudio.cli.definitions._history_db import history_of
from lionstudio.cli.definitions._kinds import DefinitionKind
from lionstudio.definitions.versions import Target, etag_of
from lionstudio.errors import LionError, NotFound
from lionstudio.state.definitions import Version, list_versions
from lionstudio.system.safe_read import read_text

_COLUMNS = (
    Column("VERSION", right=True),
    Column("WHEN", right=True),
    Column("SIZE", right=True, rank=2),
    Column("ETAG", rank=3),
    Column("BY", rank=1),
    Column("CHANGE", narrowest=16),
    Column(""),
)


def description(kind: DefinitionKind) -> str:
    return f"List the versions of one {kind.singular}, newest first. Edits made with other programs count as versions."


def examples(kind: DefinitionKind) -> tuple[tuple[str, str], ...]:
    return (
        (f"li {kind.plural} history {kind.example}", "all versions, with author and time"),
        (f"li {kind.plural} diff {kind.example} 2 5", "compare two versions"),
        (f"li {kind.plural} rollback {kind.example} 2", "restore version 2"),
    )


def register(parser: argparse.ArgumentParser, kind: DefinitionKind) -> None:
    parser.add_argument("name", metavar="NAME", help=f"name of the {kind.singular}")


def run(args: argparse.Namespace, kind: DefinitionKind) -> int:
    settings = db_access.settings_of(args)
    with history_of(kind, args.name, settings, quiet=args.quiet) as (db, target):
        versions = db.read(lambda conn: list_versions(conn, target.kind, target.key))
    if not versions:
        raise NotFound(f"{kind.singular} {args.name} not found", hint=f"li {kind.plural} ls")
    on_disk = _on_disk(target, versions)
    wire = [_wire(version, on_disk) for version in versions]
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"name": args.name, "path": target.path, "versions": wire})
    elif is_terminal():
        _print_table(wire, args)
    else:
        keys = ("version", "created_at_iso", "bytes", "etag", "author", "message")
        emit("".join("\t".join(inline(str(record[key] or "")) for key in keys) + "\n" for record in wire))
    return 0


def _on_disk(target: Target, versions: list[Version]) -> int | None:
    try:
        etag = etag_of(read_text(target.path))
    except LionError:
        return None
    return next((version.version for version in versions if version.sha256 == etag), None)


def _wire(version: Version, on_disk: int | None) -> dict[str, Any]:
    return {
        "version": version.version,
        "created_at": version.created_at,
        "created_at_iso": humanize.iso(version.created_at),
        "bytes": len(version.content.encode()),
        "etag": version.sha256,
        "author": version.author,
        "message": version.message,
        "on_disk": version.version == on_disk,
    }


def _print_table(versions: list[dict[str, Any]], args: argparse.Namespace) -> None:
    now = time.time()
    rows = [
        [
            Cell(str(version["version"])),
            Cell(humanize.ago(version["created_at"], now)),
            Cell(humanize.size(version["bytes"])),
            Cell(version["etag"][:12], "dim"),
            Cell(inline(version["author"] or "")),
            Cell(inline(version["message"] or "")),
            Cell("on disk" if version["on_disk"] else "", "green"),
        ]
        for version in versions
    ]
    paint = styles_for(sys.stdout, refused=args.no_color)
    emit("\n".join(render(_COLUMNS, rows, width_of(sys.stdout), paint)) + "\n")
