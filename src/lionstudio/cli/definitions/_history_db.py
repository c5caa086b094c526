"""The history of definitions for commands; edits by other programs are recorded whenever a command reads a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.terminal import say
from lionstudio.cli.definitions._kinds import DefinitionKind, current_folder
from lionstudio.definitions.versions import Target, new_target, record_edits, target_of
from lionstudio.errors import LionError, NotFound
from lionstudio.files.definitions.catalog import Definition, find_definition
from lionstudio.settings import Settings
from lionstudio.state.backends import exists
from lionstudio.state.database import Database


def record(settings: Settings, definitions: Iterable[Definition], *, quiet: bool) -> None:
    """Record edits; a failure is only a warning, because the caller can still show the files."""
    readable = [definition for definition in definitions if definition.text is not None]
    if not readable:
        return
    try:
        with db_access.database(settings.db, create=True, quiet=quiet) as db:
            record_edits(db, settings.home, readable)
    except LionError as error:
        say(f"Could not record edits: {inline(error.message)}", quiet=quiet)


@contextmanager
def history_of(
    kind: DefinitionKind, name: str, settings: Settings, *, quiet: bool
) -> Iterator[tuple[Database, Target]]:
    """The database and the target of a name, with the current text recorded; deleted files have a history too."""
    definition = find_definition(kind.singular, name, settings.home, current_folder())
    target = new_target(kind.singular, name, settings.home) if definition is None else target_of(definition)
    if definition is None and not exists(settings.db):
        raise NotFound(f"{kind.singular} {name} not found", hint=f"li {kind.plural} ls")
    with db_access.database(settings.db, create=True, quiet=quiet) as db:
        if definition is not None:
            record_edits(db, settings.home, [definition])
        yield db, target
