"""`li agents history`: every version of a definition, and which of them lies on the disk."""

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
from lionstudio.cli.definitions._kinds import Kind
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
    Column("WHAT", narrowest=16),
    Column(""),
)


def description(noun: Kind) -> str:
    """What the command does."""
    return f"List the versions of one {noun.one}, newest first. Edits made with other programs are versions too."


def examples(noun: Kind) -> tuple[tuple[str, str], ...]:
    """Examples of its use."""
    return (
        (f"li {noun.many} history {noun.example}", "who changed it when"),
        (f"li {noun.many} diff {noun.example} 2 5", "what changed between two versions"),
        (f"li {noun.many} rollback {noun.example} 2", "make version 2 the newest again"),
    )


def register(parser: argparse.ArgumentParser, noun: Kind) -> None:
    """Add the options of the command."""
    parser.add_argument("name", metavar="NAME", help=f"the {noun.one}")


def run(args: argparse.Namespace, noun: Kind) -> int:
    """Print the versions."""
    settings = db_access.settings_of(args)
    with history_of(noun, args.name, settings, quiet=args.quiet) as (db, target):
        versions = db.read(lambda conn: list_versions(conn, target.kind, target.key))
    if not versions:
        raise NotFound(f"there is no {noun.one} {args.name}", hint=f"`li {noun.many} ls` lists them")
    on_disk = _on_disk(target, versions)
    wire = [_wire(version, on_disk) for version in versions]
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"name": args.name, "path": target.path, "versions": wire})
    elif is_terminal():
        _print_table(wire, args)
    else:
        keys = ("version", "created_at_iso", "bytes", "etag", "author", "message")
        emit("".join("\t".join(inline(str(each[key] or "")) for key in keys) + "\n" for each in wire))
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
            Cell(str(each["version"])),
            Cell(humanize.ago(each["created_at"], now)),
            Cell(humanize.size(each["bytes"])),
            Cell(each["etag"][:12], "dim"),
            Cell(inline(each["author"] or "")),
            Cell(inline(each["message"] or "")),
            Cell("on disk" if each["on_disk"] else "", "green"),
        ]
        for each in versions
    ]
    paint = styles_for(sys.stdout, refused=args.no_color)
    emit("\n".join(render(_COLUMNS, rows, width_of(sys.stdout), paint)) + "\n")
