"""`li agents new`, `li playbooks new`: create a definition in the home, from a file or a template."""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli._toolkit.terminal import say
from lionstudio.cli.definitions._history_db import record
from lionstudio.cli.definitions._kinds import DefinitionKind, current_folder
from lionstudio.cli.definitions.show import problem_line
from lionstudio.definitions.versions import Target, check_definition, new_target, save
from lionstudio.errors import Conflict, InvalidInput
from lionstudio.files.definitions.catalog import Definition, find_definition, read_definition
from lionstudio.files.definitions.search_paths import SearchPath
from lionstudio.settings import Settings
from lionstudio.system.safe_read import MOST_BYTES, read_text

_TEMPLATES = {
    "agent": """\
---
description: One line about {name}
model: claude/sonnet
effort: medium
---
You are {name}. Describe the task, the way of working and the definition of done here.
""",
    "playbook": """\
description: One line about {name}
model: claude/sonnet
args:
  depth: {{type: int, default: 2, help: how deep to look}}
prompt: |
  Look into this, {{depth}} levels deep: {{input}}
""",
}


def description(kind: DefinitionKind) -> str:
    return (
        f"Create a new {kind.singular} in the home from a file or a template, and print its path. An existing "
        f"{kind.singular} is never overwritten."
    )


def examples(kind: DefinitionKind) -> tuple[tuple[str, str], ...]:
    return (
        (f"li {kind.plural} new {kind.example} --edit", "start from the template in your editor"),
        (f"li {kind.plural} new {kind.example} --from draft.md", "start from a file; - reads stdin"),
    )


def register(parser: argparse.ArgumentParser, kind: DefinitionKind) -> None:
    parser.add_argument("name", metavar="NAME", help=f"name of the {kind.singular}")
    parser.add_argument(
        "--from", dest="source", metavar="FILE", help="read the text from FILE; - reads stdin (default: a template)"
    )
    parser.add_argument("--edit", action="store_true", help="open the file in $VISUAL or $EDITOR")


def run(args: argparse.Namespace, kind: DefinitionKind) -> int:
    settings = db_access.settings_of(args)
    target = new_target(kind.singular, args.name, settings.home)
    existing = find_definition(kind.singular, args.name, settings.home, current_folder())
    if existing is not None and existing.place.origin == "home":
        raise Conflict(f"the {kind.singular} {args.name} already exists: {existing.path}", hint="choose another name")
    place = SearchPath(settings.home, "home")
    editor = _editor() if args.edit else []
    text = _TEMPLATES[kind.singular].format(name=args.name) if args.source is None else _read(args.source)
    definition = check_definition(kind.singular, args.name, text)._replace(path=target.path, place=place)
    with db_access.database(settings.db, create=True, quiet=args.quiet) as db:
        saved = save(db, settings.home, target, text, create=True, author="li", message="created")
    if editor:
        definition = _edit(editor, kind, args, settings, target, place)
    _print(args, kind, definition, target, saved.version)
    if existing is not None:
        say(f"{inline(existing.path)} is no longer used here (same name).", quiet=args.quiet)
    return 1 if definition.error is not None else 0


def _read(source: str) -> str:
    if source != "-":
        return read_text(os.path.abspath(source))
    content = sys.stdin.buffer.read(MOST_BYTES + 1)
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise InvalidInput("stdin is not UTF-8", hint="convert the text to UTF-8 first") from None


def _editor() -> list[str]:
    if not sys.stdin.isatty():
        raise InvalidInput("--edit needs a terminal", hint="omit --edit, or pass the text with --from FILE")
    command = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")
    if not command:
        raise InvalidInput("$EDITOR is empty", hint="export EDITOR=vi")
    return command


def _edit(
    editor: list[str],
    kind: DefinitionKind,
    args: argparse.Namespace,
    settings: Settings,
    target: Target,
    place: SearchPath,
) -> Definition:
    try:
        subprocess.run([*editor, target.path], check=False)
    except OSError as error:
        say(f"Could not start {inline(editor[0])}: {error.strerror}. The file is {inline(target.path)}.")
    definition = read_definition(kind.singular, args.name, target.path, place)
    record(settings, [definition], quiet=args.quiet)
    return definition


def _print(
    args: argparse.Namespace, kind: DefinitionKind, definition: Definition, target: Target, version: int
) -> None:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json
        from lionstudio.files.definitions.catalog import to_dict

        print_json({kind.singular: to_dict(definition), "version": version})
        return
    emit((inline(target.path) if sys.stdout.isatty() else target.path) + "\n")
    for problem in definition.problems:
        say(inline(problem_line(problem._asdict())), quiet=args.quiet)
