"""One database for all examples of a module; each example is undone."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from lionstudio.state.connection import Connection
from lionstudio.state.sqlite.open import open_writer


@pytest.fixture(scope="module")
def conn(blank: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """A writer's connection; use it inside `trial`."""
    made = open_writer(str(shutil.copy(blank, tmp_path_factory.mktemp("property") / "state.db")))
    yield made
    made.close()
