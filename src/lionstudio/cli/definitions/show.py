"""`li agents show` and its like: one definition, what it says and what is wrong with it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import integer
from lionstudio.cli._toolkit.escape import body, inline
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli._toolkit.terminal import Paint, is_terminal, styles_for
from lionstudio.cli.definitions import _kinds
from lionstudio.cli.definitions._kinds import Kind
from lionstudio.errors import InvalidInput

_LEFT_OUT = {"kind", "name", "text", "fields", "problems", "error", "etag", "components", "counts", "bad_components"}
_LONG = {"prompt", "body"}  # the text itself, which follows below


def description(noun: Kind) -> str:
    """What the command does."""
    return f"Show one {noun.one}: where it was found, what it says, and what is wrong with it. Nothing is run."


def examples(noun: Kind) -> tuple[tuple[str, str], ...]:
    """Examples of its use."""
    shown = [(f"li {noun.many} show {noun.example}", f"one {noun.one}")]
    if noun.edited:
        shown.append((f"li {noun.many} show {noun.example} --text", "only its text, as it lies on the disk"))
        shown.append((f"li {noun.many} show {noun.example} --text --version 3", "an earlier version of it"))
    return tuple(shown)


def register(parser: argparse.ArgumentParser, noun: Kind) -> None:
    """Add the options of the command."""
    parser.add_argument("name", metavar="NAME", help=f"the {noun.one}")
    if noun.one != "plugin":
        parser.add_argument("--text", action="store_true", help="print its text and nothing else")
    if noun.edited:
        parser.add_argument("--version", type=integer(1), metavar="N", help="with --text: an earlier version")


def run(args: argparse.Namespace, noun: Kind) -> int:
    """Print it."""
    if noun.one == "plugin":
        return _show_plugin(args)
    if getattr(args, "version", None) is not None:
        return _show_version(args, noun)
    settings = db_access.settings_of(args)
    found = _kinds.got(noun, args.name, settings)
    if noun.edited:
        from lionstudio.cli.definitions._history_db import record

        record(settings, [found], quiet=args.quiet)
    if args.text:
        if found.text is None:
            raise InvalidInput(found.error or "it cannot be read", hint="correct it, or move it away")
        return _print_text(found.text, {"text": found.text, "etag": found.sha256}, args)
    from lionstudio.files.definitions.catalog import to_dict

    data = to_dict(found, whole=True)
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({noun.one: data})
    else:
        emit("\n".join(_lines(data, styles_for(sys.stdout, refused=args.no_color))) + "\n")
    return 0


def _show_version(args: argparse.Namespace, noun: Kind) -> int:
    from lionstudio.cli.definitions._history_db import history_of
    from lionstudio.state.definitions import get_version

    settings = db_access.settings_of(args)
    with history_of(noun, args.name, settings, quiet=args.quiet) as (db, target):
        found = db.read(lambda conn: get_version(conn, target.kind, target.key, args.version))
    return _print_text(found.content, {"text": found.content, "etag": found.sha256, "version": found.version}, args)


def _print_text(text: str, data: dict[str, Any], args: argparse.Namespace) -> int:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json(data)
    else:
        # a person sees what is in it; a program must get the text itself
        emit(body(text) if is_terminal() else text)
    return 0


def _show_plugin(args: argparse.Namespace) -> int:
    from lionstudio.files.definitions.plugins import to_dict

    data = to_dict(_kinds.plugin(args.name, db_access.settings_of(args)), whole=True)
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"plugin": data})
        return 0
    paint = styles_for(sys.stdout, refused=args.no_color)
    emit("\n".join([*_lines(data, paint), *_components(data["components"], paint)]) + "\n")
    return 0


def _lines(data: dict[str, Any], paint: Paint) -> Iterator[str]:
    yield f"{paint(inline(data['name']), 'bold')}  {paint(data['kind'], 'dim')}"
    fields = {key: value for key, value in (data.get("fields") or {}).items() if key not in _LONG}
    for key, value in {**{key: data[key] for key in data if key not in _LEFT_OUT}, **fields}.items():
        if value not in (None, "", (), [], {}):
            yield f"  {paint(key.replace('_', ' ') + ':', 'dim')} {inline(_worded(value))}"
    for problem in data["problems"]:
        yield "  " + paint(inline(problem_line(problem)), "red" if problem["severity"] == "error" else "yellow")
    text = next((str((data.get("fields") or {}).get(key)) for key in _LONG if (data.get("fields") or {}).get(key)), "")
    if text or data.get("text"):
        yield ""
        yield body(text or data["text"]).rstrip("\n")


def _worded(value: Any) -> str:
    from lionstudio.cli._toolkit.json_output import to_json

    return value if isinstance(value, str) else to_json(value)


def _components(parts: list[dict[str, Any]], paint: Paint) -> Iterator[str]:
    kind = None
    for part in parts:
        if part["kind"] != kind:
            kind = part["kind"]
            yield f"\n{paint(kind + 's', 'bold')}{'  (shown, never run)' if kind in ('hook', 'server') else ''}"
        told = " ".join((part["description"] or "").split())
        yield f"  {inline(part['name'])}{paint('  ' + inline(told)[:200], 'dim') if told else ''}"
        for problem in part["problems"]:
            yield "    " + paint(inline(problem_line(problem)), "red")


def problem_line(problem: dict[str, Any]) -> str:
    """A problem in one line."""
    place = f"line {problem['line']}: " if problem["line"] else ""
    return f"{problem['severity']}: {place}{problem['message']}" + (f" ({problem['hint']})" if problem["hint"] else "")
