"""`li agents ls` and its like: every definition, a bad one as one line that says why."""

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
from lionstudio.cli.definitions._kinds import Kind
from lionstudio.settings import Settings

_WORDS = {"agent": ("model", "effort"), "playbook": ("mode", "agents"), "skill": (), "plugin": ("version", "parts")}


def description(noun: Kind) -> str:
    """What the command does."""
    more = " Nothing of them is run." if noun.one in ("skill", "plugin") else ""
    return f"List {noun.many} and where each was found. One that cannot be used is listed with the reason.{more}"


def examples(noun: Kind) -> tuple[tuple[str, str], ...]:
    """Examples of its use."""
    return (
        (f"li {noun.many} ls", f"every {noun.one} that can be seen from here"),
        (f"li {noun.many} ls --json | jq '.{noun.many}[] | select(.error)'", "those that cannot be used"),
    )


def register(parser: argparse.ArgumentParser, noun: Kind) -> None:
    """Add the options of the command."""
    parser.add_argument("--paths", action="store_true", help=f"show the file of each {noun.one}")


def run(args: argparse.Namespace, noun: Kind) -> int:
    """Print the list."""
    settings = db_access.settings_of(args)
    found = _read(noun, settings, args)
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({noun.many: found, "places": _kinds.places_of(noun, settings)})
    elif is_terminal():
        _print_table(noun, found, args)
    else:
        emit("".join("\t".join(_plain(noun, each)) + "\n" for each in found))
    if not found and not args.json:
        looked = "\n".join(f"  {inline(place)}" for place in _kinds.places_of(noun, settings))
        say(f"There are no {noun.many} here. Looked in:\n{looked}", quiet=args.quiet)
    return 0


def _read(noun: Kind, settings: Settings, args: argparse.Namespace) -> list[dict[str, Any]]:
    if noun.one == "plugin":
        from lionstudio.files.definitions.plugins import to_dict as plugin_dict

        return [plugin_dict(each) for each in _kinds.plugins(settings)]
    from lionstudio.files.definitions.catalog import to_dict

    found = _kinds.listed(noun, settings)
    if noun.edited:
        from lionstudio.cli.definitions._history_db import record

        record(settings, found, quiet=args.quiet)
    return [to_dict(each) for each in found]


def _word(each: dict[str, Any], key: str) -> str:
    if key == "parts":
        return ", ".join(count(number, kind) for kind, number in each["counts"].items() if number)
    value = each.get(key)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")


def _plain(noun: Kind, each: dict[str, Any]) -> list[str]:
    words = [_word(each, key) for key in _WORDS[noun.one]]
    return [inline(text) for text in (each["name"], each["origin"], *words, each["path"], each["error"] or "")]


def _print_table(noun: Kind, found: list[dict[str, Any]], args: argparse.Namespace) -> None:
    if not found:
        return
    titles = [Column(key.upper(), narrowest=8, rank=2) for key in _WORDS[noun.one]]
    columns = [Column("NAME", narrowest=16), Column("FROM", rank=3), *titles]
    columns.append(Column("PATH" if args.paths else "DESCRIPTION", narrowest=20, rank=0))
    paint = styles_for(sys.stdout, refused=args.no_color)
    lines = render(columns, [_cells(noun, each, args.paths) for each in found], width_of(sys.stdout), paint)
    emit("\n".join(lines) + "\n")
    bad = sum(each["error"] is not None for each in found)
    if bad:
        say(f"\n{count(bad, noun.one)} cannot be used; `li {noun.many} validate` says what to do.", quiet=args.quiet)


def _cells(noun: Kind, each: dict[str, Any], paths: bool) -> list[Cell]:
    style = "dim" if each.get("shadowed_by") else ""
    words = [Cell(inline(_word(each, key)), style) for key in _WORDS[noun.one]]
    told = each["path"] if paths else each["error"] or _note(each)
    last = Cell(inline(told), "red" if each["error"] and not paths else style)
    return [Cell(inline(each["name"]), "red" if each["error"] else style), Cell(each["origin"], "dim"), *words, last]


def _note(each: dict[str, Any]) -> str:
    if each.get("shadowed_by"):
        return f"not used: {each['shadowed_by']} has the same name"
    return " ".join((each["description"] or "").split())
