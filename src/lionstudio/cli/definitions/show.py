"""`li agents show` and the like: print one definition and its problems."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import integer
from lionstudio.cli._toolkit.escape import body, inline
from lionstudio.cli._toolkit.output import emit, emit_exact
from lionstudio.cli._toolkit.terminal import Paint, is_terminal, styles_for
from lionstudio.cli.definitions import _kinds
from lionstudio.cli.definitions._kinds import DefinitionKind
from lionstudio.errors import InvalidInput

_LEFT_OUT = {"kind", "name", "text", "fields", "problems", "error", "etag", "components", "counts", "bad_components"}
_LONG = {"prompt", "body"}  # printed below the fields


def description(kind: DefinitionKind) -> str:
    return f"Show one {kind.singular}: its source, its contents and its problems. Nothing is executed."


def examples(kind: DefinitionKind) -> tuple[tuple[str, str], ...]:
    rows = [(f"li {kind.plural} show {kind.example}", f"one {kind.singular}")]
    if kind.has_history:
        rows.append((f"li {kind.plural} show {kind.example} --text", "only the text of the file"))
        rows.append((f"li {kind.plural} show {kind.example} --text --version 3", "an earlier version"))
    return tuple(rows)


def register(parser: argparse.ArgumentParser, kind: DefinitionKind) -> None:
    parser.add_argument("name", metavar="NAME", help=f"name of the {kind.singular}")
    if kind.singular != "plugin":
        parser.add_argument("--text", action="store_true", help="print only the text")
    if kind.has_history:
        parser.add_argument(
            "--version", type=integer(1), metavar="N", help="print the text of version N (default: the file on disk)"
        )


def run(args: argparse.Namespace, kind: DefinitionKind) -> int:
    if kind.singular == "plugin":
        return _show_plugin(args)
    if getattr(args, "version", None) is not None:
        return _show_version(args, kind)
    settings = db_access.settings_of(args)
    definition = _kinds.get_of_kind(kind, args.name, settings)
    if kind.has_history:
        from lionstudio.cli.definitions._history_db import record

        record(settings, [definition], quiet=args.quiet)
    if args.text:
        if definition.text is None:
            raise InvalidInput(definition.error or f"{definition.path} cannot be read", hint="correct or move the file")
        return _print_text(definition.text, {"text": definition.text, "etag": definition.sha256}, args)
    from lionstudio.files.definitions.catalog import to_dict

    data = to_dict(definition, whole=True)
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({kind.singular: data})
    else:
        emit("\n".join(_lines(data, styles_for(sys.stdout, refused=args.no_color))) + "\n")
    return 0


def _show_version(args: argparse.Namespace, kind: DefinitionKind) -> int:
    from lionstudio.cli.definitions._history_db import history_of
    from lionstudio.state.definitions import get_version

    settings = db_access.settings_of(args)
    with history_of(kind, args.name, settings, quiet=args.quiet) as (db, target):
        version = db.read(lambda conn: get_version(conn, target.kind, target.key, args.version))
    data = {"text": version.content, "etag": version.sha256, "version": version.version}
    return _print_text(version.content, data, args)


def _print_text(text: str, data: dict[str, Any], args: argparse.Namespace) -> int:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json(data)
    else:
        # a terminal gets escaped text; a program needs the exact text
        emit(body(text)) if is_terminal() else emit_exact(text)
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
            yield f"  {paint(key.replace('_', ' ') + ':', 'dim')} {inline(_as_text(value))}"
    for problem in data["problems"]:
        yield "  " + paint(inline(problem_line(problem)), "red" if problem["severity"] == "error" else "yellow")
    text = next((str((data.get("fields") or {}).get(key)) for key in _LONG if (data.get("fields") or {}).get(key)), "")
    if text or data.get("text"):
        yield ""
        yield body(text or data["text"]).rstrip("\n")


def _as_text(value: Any) -> str:
    from lionstudio.cli._toolkit.json_output import to_json

    return value if isinstance(value, str) else to_json(value)


def _components(parts: list[dict[str, Any]], paint: Paint) -> Iterator[str]:
    kind = None
    for part in parts:
        if part["kind"] != kind:
            kind = part["kind"]
            yield f"\n{paint(kind + 's', 'bold')}{'  (never run)' if kind in ('hook', 'server') else ''}"
        summary = " ".join((part["description"] or "").split())
        yield f"  {inline(part['name'])}{paint('  ' + inline(summary)[:200], 'dim') if summary else ''}"
        for problem in part["problems"]:
            yield "    " + paint(inline(problem_line(problem)), "red")


def problem_line(problem: dict[str, Any]) -> str:
    place = f"line {problem['line']}: " if problem["line"] else ""
    return f"{problem['severity']}: {place}{problem['message']}" + (f" ({problem['hint']})" if problem["hint"] else "")
