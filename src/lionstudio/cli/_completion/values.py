"""`li __complete`: values for the completion scripts, one per line with a tab and a description.

It is called for every Tab: it never writes, never fails and never asks; without an answer it prints nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.output import emit
from lionstudio.errors import LionError
from lionstudio.settings import Settings, load_settings

COMMAND = "__complete"
_LOCATIONS = ("--home", "--db")
_LONGEST = 80  # characters of a description
Values = Iterable[tuple[str, str]]


def complete(arguments: Sequence[str]) -> int:
    """`li __complete KINDS VALUED COMMAND WORDS…`: the kinds of the positional arguments, the options with a value, the
    command, and the words after `li`, the last of which is being typed."""
    try:
        kinds, valued, command, *words = arguments
        location, positional = _parse(words[:-1], valued.split())
        position = len(positional) - len(command.split())
        kind = _kind_at(kinds.split(), position)
        current = words[-1] if words else ""
        settings = load_settings(location)
        # a show may be a folder and a row: one line, with the status of the row
        values = {
            value: inline(text)[:_LONGEST]
            for value, text in _values(kind, settings, current, positional)
            if value.startswith(current) and _can_be_typed(value)
        }
    except (LionError, OSError, ValueError):
        return 0
    emit("".join(f"{value}\t{text}\n" for value, text in values.items()))
    return 0


def _parse(words: Sequence[str], valued: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The --home and --db of a line, and its words that are neither options nor their values."""
    location: dict[str, str] = {}
    positional: list[str] = []
    rest = iter(words)
    for word in rest:
        option, equals, value = word.partition("=")
        if option in _LOCATIONS:
            location[option.removeprefix("--")] = os.path.expanduser(value if equals else next(rest, ""))
        elif word in valued:
            next(rest, None)
        elif not word.startswith("-"):
            positional.append(word)
    return location, positional


def _kind_at(kinds: Sequence[str], position: int) -> str:
    """The kind of a positional argument; the last one repeats if it ends with a plus."""
    if 0 <= position < len(kinds):
        return kinds[position].removesuffix("+")
    return kinds[-1].removesuffix("+") if kinds and kinds[-1].endswith("+") else ""


def _can_be_typed(value: str) -> bool:
    return value.isprintable() and value == inline(value) and not value.startswith("-") and bool(value.strip())


def _values(kind: str, settings: Settings, current: str, positional: Sequence[str]) -> Values:
    if kind in ("agents", "playbooks", "skills", "plugins"):
        return _definitions(kind, settings)
    if kind == "agent":
        return [*_definitions("agents", settings), *_providers()]
    if kind == "topic":
        return [*_topics(settings), *_rows(settings, kind)]
    if kind == "play":
        return _plays(settings, positional[-1])
    if kind == "question":
        return _questions(settings)
    if kind == "session":
        return _sessions(settings, current)
    return _rows(settings, kind) if kind in ("project", "tag", "team", "machine") else ()


def _sessions(settings: Settings, current: str) -> Values:
    from lionstudio.model.run_name import run_name
    from lionstudio.state.backends import open_reader
    from lionstudio.state.runs.reference import NEWEST
    from lionstudio.state.runs.shell_values import completed_sessions

    conn = open_reader(settings.db)
    try:
        by_id, by_name = completed_sessions(conn, current)
    finally:
        conn.close()
    yield NEWEST, "the newest session"
    yield from ((str(row["id"]), f"{row['status']}  {run_name(row)}") for row in by_id)
    yield from ((str(row["name"]), f"{row['status']}  {row['id']}") for row in by_name)


def _questions(settings: Settings) -> Values:
    from lionstudio.state.backends import open_reader
    from lionstudio.state.exchange.questions import completed_questions

    conn = open_reader(settings.db)
    try:
        return [(str(id_), str(text)) for id_, text in completed_questions(conn)]
    finally:
        conn.close()


def _rows(settings: Settings, kind: str) -> Values:
    from lionstudio.state.backends import exists, open_reader
    from lionstudio.state.runs.shell_values import completed_values

    if not exists(settings.db):
        return []
    conn = open_reader(settings.db)
    try:
        return [(str(value), str(text or "")) for value, text in completed_values(conn, kind)]
    finally:
        conn.close()


def _plays(settings: Settings, topic: str) -> Values:
    from lionstudio.state.backends import open_reader
    from lionstudio.state.runs.shell_values import completed_plays

    conn = open_reader(settings.db)
    try:
        return [(str(name), str(status)) for name, status in completed_plays(conn, topic)]
    finally:
        conn.close()


def _topics(settings: Settings) -> Iterator[tuple[str, str]]:
    if not os.path.isdir(settings.shows):
        return
    with os.scandir(settings.shows) as entries:
        names = [entry.name for entry in entries if os.path.exists(os.path.join(entry.path, "_show.md"))]
    yield from ((name, "show") for name in sorted(names))


def _definitions(kind: str, settings: Settings) -> Values:
    from lionstudio.cli.definitions._kinds import KINDS, folders_of, list_of_kind, plugins

    singular = KINDS[kind].singular
    if kind == "plugins":
        return [(plugin.name, singular) for plugin in plugins(settings)]
    if kind == "skills":
        return [(definition.name, singular) for definition in list_of_kind(KINDS[kind], settings)]
    folders = folders_of(KINDS[kind], settings)
    names = {name for folder in folders if os.path.isdir(folder) for name in map(_stem, os.listdir(folder))}
    return [(name, singular) for name in sorted(names - {""})]


def _stem(name: str) -> str:
    stem, suffix = os.path.splitext(name)
    is_definition = suffix in ("", ".md", ".yaml", ".yml") and not name.startswith(".") and stem.lower() != "readme"
    return stem if is_definition else ""


def _providers() -> Values:
    from lionstudio.model.providers import PROVIDERS

    return ((name, "provider") for name in PROVIDERS)
