"""Definitions of a show on the machine of a worker."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.support.builders import write

from lionstudio.files.definitions import trust
from lionstudio.files.definitions.catalog import find_definition
from lionstudio.shows.workers.definitions import make_definitions, store_definitions
from lionstudio.state.database import Database


def test_make_definitions_is_trusted_in_every_thread_that_makes_them(path: str, tmp_path: Path) -> None:
    agents = tmp_path / "author" / "agents"
    agents.mkdir(parents=True)
    names = [f"agent{number}" for number in range(20)]
    for name in names:
        (agents / f"{name}.md").write_text("---\nprovider: script\n---\nYou help.\n")
    definitions = [find_definition("agent", name, str(tmp_path / "author"), str(tmp_path)) for name in names]
    home = str(tmp_path / "worker")
    with Database(path) as database:
        references = write(database, store_definitions, [one for one in definitions if one is not None])

        def make(_: int) -> str | None:
            project = make_definitions(references, database, home)
            return trust.find_refusal(home, os.path.join(project, trust.FOLDER))

        with ThreadPoolExecutor(8) as threads:
            refusals = set(threads.map(make, range(8)))

    assert (len(references), refusals) == (20, {None})
