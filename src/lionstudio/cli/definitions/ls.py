"""`li agents ls` and the like: list definitions; an invalid one is listed with the reason."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import count
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli._toolkit.table import Cell, Column, render
from lionstudio.cli._toolkit.terminal import is_terminal, say, styles_for, width_of
from lionstudio.cli.definitions import _kinds
from lionstudio.cli.definitions._kinds import DefinitionKind
from lionstudio.settings import Settings

_DETAILS = {"agent": ("model", "effort"), "playbook": ("mode", "agents"), "skill": (), "plugin": ("version", "parts")}


def description(kind: DefinitionKind) -> str:
    more = " Nothing is executed." if kind.singular in ("skill", "plugin") else ""
    return f"List {kind.plural} and their source. Invalid ones are listed with the reason.{more}"


def examples(kind: DefinitionKind) -> tuple[tuple[str, str], ...]:
    return (
        (f"li {kind.plural} ls", f"every {kind.singular} visible from this folder"),
        (f"li {kind.plural} ls --json | jq '.{kind.plural}[] | select(.error)'", "only invalid ones"),
    )


def register(parser: argparse.ArgumentParser, kind: DefinitionKind) -> None:
    parser.add_argument("--paths", action="store_true", help="show file paths instead of descriptions")


def run(args: argparse.Namespace, kind: DefinitionKind) -> int:
    settings = db_access.settings_of(args)
    rows = _read(kind, settings, args)
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({kind.plural: rows, "places": _kinds.folders_of(kind, settings)})
    elif is_terminal():
        _print_table(kind, rows, args)
    else:
        emit("".join("\t".join(_plain(kind, row)) + "\n" for row in rows))
    if not rows and not args.json:
        folders = "\n".join(f"  {inline(folder)}" for folder in _kinds.folders_of(kind, settings))
        create = f"\nCreate one: li {kind.plural} new {kind.example}" if kind.has_history else ""
        say(f"No {kind.plural} found in:\n{folders}{create}", quiet=args.quiet)
    return 0


def _read(kind: DefinitionKind, settings: Settings, args: argparse.Namespace) -> list[dict[str, Any]]:
    if kind.singular == "plugin":
        from lionstudio.files.definitions.plugins import to_dict as plugin_dict

        return [plugin_dict(plugin) for plugin in _kinds.plugins(settings)]
    from lionstudio.files.definitions.catalog import to_dict

    definitions = _kinds.list_of_kind(kind, settings)
    if kind.has_history:
        from lionstudio.cli.definitions._history_db import record

        record(settings, definitions, quiet=args.quiet)
    return [to_dict(definition) for definition in definitions]


def _detail(row: dict[str, Any], key: str) -> str:
    if key == "parts":
        return ", ".join(count(number, kind) for kind, number in row["counts"].items() if number)
    value = row.get(key)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")


def _plain(kind: DefinitionKind, row: dict[str, Any]) -> list[str]:
    details = [_detail(row, key) for key in _DETAILS[kind.singular]]
    return [inline(text) for text in (row["name"], row["origin"], *details, row["path"], row["error"] or "")]


def _print_table(kind: DefinitionKind, rows: list[dict[str, Any]], args: argparse.Namespace) -> None:
    if not rows:
        return
    titles = [Column(key.upper(), narrowest=8, rank=2) for key in _DETAILS[kind.singular]]
    columns = [Column("NAME", narrowest=16), Column("FROM", rank=3), *titles]
    columns.append(Column("PATH" if args.paths else "DESCRIPTION", narrowest=20, rank=0))
    paint = styles_for(sys.stdout, refused=args.no_color)
    lines = render(columns, [_cells(kind, row, args.paths) for row in rows], width_of(sys.stdout), paint)
    emit("\n".join(lines) + "\n")
    invalid = sum(row["error"] is not None for row in rows)
    if invalid:
        say(f"\n{count(invalid, kind.singular)} invalid. Details: li {kind.plural} validate", quiet=args.quiet)


def _cells(kind: DefinitionKind, row: dict[str, Any], paths: bool) -> list[Cell]:
    style = "dim" if row.get("shadowed_by") else ""
    details = [Cell(inline(_detail(row, key)), style) for key in _DETAILS[kind.singular]]
    text = row["path"] if paths else row["error"] or _note(row)
    last = Cell(inline(text), "red" if row["error"] and not paths else style)
    return [Cell(inline(row["name"]), "red" if row["error"] else style), Cell(row["origin"], "dim"), *details, last]


def _note(row: dict[str, Any]) -> str:
    if row.get("shadowed_by"):
        return f"not used: {row['shadowed_by']} has the same name"
    return " ".join((row["description"] or "").split())
