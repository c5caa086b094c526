"""The history of definitions for commands: what was edited outside is recorded whenever a command looks."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.terminal import say
from lionstudio.cli.definitions._kinds import Kind, here
from lionstudio.definitions.versions import Target, new_target, record_edits, target_of
from lionstudio.errors import LionError, NotFound
from lionstudio.files.definitions.catalog import Definition, find_definition
from lionstudio.settings import Settings
from lionstudio.state.database import Database


@contextmanager
def opened(settings: Settings, *, quiet: bool) -> Iterator[Database]:
    """The database, made when there is none yet."""
    with db_access.database(settings.db, create=True, quiet=quiet) as db:
        yield db


def record(settings: Settings, found: Iterable[Definition], *, quiet: bool) -> None:
    """Record edits; a list is shown all the same when that cannot be done."""
    found = [each for each in found if each.text is not None]
    if not found:
        return
    try:
        with opened(settings, quiet=quiet) as db:
            record_edits(db, settings.home, found)
    except LionError as refused:
        say(f"Edits could not be recorded: {inline(refused.message)}", quiet=quiet)


@contextmanager
def history_of(noun: Kind, name: str, settings: Settings, *, quiet: bool) -> Iterator[tuple[Database, Target]]:
    """The database and the target of a name, after a look at the file; one that was deleted has a history too."""
    found = find_definition(noun.one, name, settings.home, here())
    target = new_target(noun.one, name, settings.home) if found is None else target_of(found)
    if found is None and not os.path.exists(settings.db):
        raise NotFound(f"there is no {noun.one} {name}", hint=f"`li {noun.many} ls` lists them")
    with opened(settings, quiet=quiet) as db:
        if found is not None:
            record_edits(db, settings.home, [found])
        yield db, target
