"""`li config`: print every setting with its source, or change one in config.toml of the home."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from lionstudio.cli._toolkit import db_access, table
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.output import emit_lines
from lionstudio.cli._toolkit.terminal import is_terminal, say, styles_for, width_of
from lionstudio.errors import InvalidInput
from lionstudio.settings import (
    CONFIG,
    SETTINGS,
    Settings,
    check_in_file,
    describe,
    ignored_in_project,
    names_in_file,
    parse_setting,
)

DESCRIPTION = """\
Print every setting, its value and its source; `set` and `unset` change config.toml in the home and keep the rest of
the file, comments included. They are refused for agents."""

EXAMPLES = (
    ("li config", "every setting"),
    ("li config set keep_days 90", "keep sessions for 90 days"),
    ("li config unset keep_days", "back to the default"),
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
    add = parser.add_argument
    add("action", nargs="?", choices=("set", "unset"), metavar="ACTION", help="set or unset (default: print settings)")
    add("key", nargs="?", metavar="KEY", help=f"setting to change: {', '.join(names_in_file())}")
    add("value", nargs="?", metavar="VALUE", help="new value")


def run(args: argparse.Namespace) -> int:
    if args.action is not None:
        return _change(args)
    loaded = db_access.settings_of(args)
    settings, ignored = describe(loaded), ignored_in_project(loaded.home)
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"settings": settings, "ignored": ignored})
        return 0
    rows = [[_text(row[key]) for key in ("name", "value", "origin", "variable")] for row in settings]
    if is_terminal():
        paint = styles_for(sys.stdout, refused=args.no_color)
        cells = [[table.Cell(text) for text in row] for row in rows]
        emit_lines(table.render(_COLUMNS, cells, width_of(sys.stdout), paint))
        _say_sandbox(args.quiet)
    else:
        emit_lines("\t".join(row) for row in rows)
    if ignored is not None:
        say(inline(ignored), quiet=args.quiet)
    return 0


def _say_sandbox(quiet: bool) -> None:
    """Say what the setting `sandbox` can do on this machine."""
    from lionstudio.system.sandbox.bwrap import find_bwrap

    bwrap = find_bwrap()
    say(f"Sandbox: {bwrap.sentence}{f'. Try: {bwrap.hint}' if bwrap.hint else ''}", quiet=quiet)


def _change(args: argparse.Namespace) -> int:
    from lionstudio.cli._person import require_person
    from lionstudio.files.config_file import write_setting

    if args.key is None or (args.value is None) != (args.action == "unset"):
        usage = "li config set KEY VALUE" if args.action == "set" else "li config unset KEY"
        raise InvalidInput(f"usage: {usage}", hint="li config --help")
    value = parse_setting(args.key, args.value) if args.action == "set" else None
    if value is None:
        check_in_file(args.key)
    require_person(args, f"to {args.action} the setting {args.key}")
    path = os.path.join(db_access.settings_of(args).home, CONFIG)
    changed = write_setting(path, args.key, value)
    settings = db_access.settings_of(args)
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        [setting] = [row for row in describe(settings) if row["name"] == args.key]
        print_json({"path": path, "changed": changed, "setting": setting})
    else:
        say(_summary(args.key, path, changed, settings), quiet=args.quiet)
    return 0


def _summary(name: str, path: str, changed: bool, settings: Settings) -> str:
    origin = settings.origins[name]
    [row] = [row for row in describe(settings) if row["name"] == name]
    effect = f"{name} is {_text(row['value']) or 'not set'}"
    if origin not in (path, "default"):
        variable = next(item.variable for item in SETTINGS if item.name == name)
        effect += f", because {f'the variable {variable}' if origin == 'environment' else origin} has precedence"
    return f"{'Changed' if changed else 'No change in'} {inline(path)}: {effect}"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else inline(str(value))
