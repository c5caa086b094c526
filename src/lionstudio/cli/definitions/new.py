"""`li agents new` and `li playbooks new`: a definition in the home, from a file or from a beginning to be filled in."""

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
from lionstudio.cli.definitions._history_db import opened, record
from lionstudio.cli.definitions._kinds import Kind, here
from lionstudio.cli.definitions.show import problem_line
from lionstudio.definitions.versions import Target, new_target, save
from lionstudio.errors import Conflict, InvalidInput
from lionstudio.files.definitions.catalog import Definition, find_definition, parse_definition, read_definition
from lionstudio.files.definitions.search_paths import SearchPath
from lionstudio.settings import Settings
from lionstudio.system.safe_read import MOST_BYTES, read_text

_BEGINNINGS = {
    "agent": """\
---
description: What {name} is for, in one line
model: claude/sonnet
effort: medium
---
You are {name}. Say here what you do, how you work, and when you are done.
""",
    "playbook": """\
description: What {name} does, in one line
model: claude/sonnet
args:
  depth: {{type: int, default: 2, help: how deep to look}}
prompt: |
  Look into this, {{depth}} levels deep: {{input}}
""",
}


def description(noun: Kind) -> str:
    """What the command does."""
    return (
        f"Write a new {noun.one} into the home, from a file or from a beginning to be filled in; its path is printed. "
        f"One that exists is never overwritten."
    )


def examples(noun: Kind) -> tuple[tuple[str, str], ...]:
    """Examples of its use."""
    return (
        (f"li {noun.many} new {noun.example} --edit", "open it in your editor at once"),
        (f"li {noun.many} new {noun.example} --from draft.md", "take the text from a file; - reads standard input"),
    )


def register(parser: argparse.ArgumentParser, noun: Kind) -> None:
    """Add the options of the command."""
    parser.add_argument("name", metavar="NAME", help=f"what the {noun.one} is called")
    parser.add_argument("--from", dest="source", metavar="FILE", help="take the text from a file, - for standard input")
    parser.add_argument("--edit", action="store_true", help="open it in $VISUAL or $EDITOR")


def run(args: argparse.Namespace, noun: Kind) -> int:
    """Write it; then edit it, if asked to."""
    settings = db_access.settings_of(args)
    target = new_target(noun.one, args.name, settings.home)
    there = find_definition(noun.one, args.name, settings.home, here())
    if there is not None and there.place.origin == "home":
        raise Conflict(f"the {noun.one} {args.name} is there already: {there.path}", hint="choose another name")
    editor = _editor() if args.edit else []
    text = _BEGINNINGS[noun.one].format(name=args.name) if args.source is None else _read(args.source)
    place = SearchPath(settings.home, "home")
    found = parse_definition(Definition(noun.one, args.name, target.path, place), text)
    if found.error is not None:
        raise InvalidInput(f"that text is no {noun.one}: {found.error}", hint="correct it, then try again")
    with opened(settings, quiet=args.quiet) as db:
        made = save(db, settings.home, target, text, create=True, author="li", message="created")
    if editor:
        found = _edit(editor, noun, args, settings, target, place)
    _tell(args, noun, found, target, made.version)
    if there is not None:
        say(f"In this folder {inline(there.path)} counts, which has the same name.", quiet=args.quiet)
    return 1 if found.error is not None else 0


def _read(source: str) -> str:
    if source != "-":
        return read_text(os.path.abspath(source))
    content = sys.stdin.buffer.read(MOST_BYTES + 1)
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise InvalidInput("standard input is not UTF-8", hint="convert it first") from None


def _editor() -> list[str]:
    if not sys.stdin.isatty():
        raise InvalidInput("--edit needs a terminal", hint="leave it out, or give the text: --from FILE")
    words = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")
    if not words:
        raise InvalidInput("$EDITOR is empty", hint="set it to your editor")
    return words


def _edit(
    editor: list[str], noun: Kind, args: argparse.Namespace, settings: Settings, target: Target, place: SearchPath
) -> Definition:
    try:
        subprocess.run([*editor, target.path], check=False)
    except OSError as error:
        say(f"{inline(editor[0])} could not be started: {error.strerror}. The file is {inline(target.path)}.")
    found = read_definition(noun.one, args.name, target.path, place)
    record(settings, [found], quiet=args.quiet)
    return found


def _tell(args: argparse.Namespace, noun: Kind, found: Definition, target: Target, version: int) -> None:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json
        from lionstudio.files.definitions.catalog import to_dict

        print_json({noun.one: to_dict(found), "version": version})
        return
    emit((inline(target.path) if sys.stdout.isatty() else target.path) + "\n")
    for problem in found.problems:
        say(inline(problem_line(problem._asdict())), quiet=args.quiet)
