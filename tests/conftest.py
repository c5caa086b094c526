"""What all tests share: a new database, and a blank file of one to copy."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from lionstudio.state.database import Database


@pytest.fixture(scope="session")
def blank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database that holds nothing yet; copying it is cheaper than making one."""
    path = tmp_path_factory.mktemp("blank") / "state.db"
    Database(str(path)).close()
    return path


@pytest.fixture
def db(blank: Path, tmp_path: Path) -> Iterator[Database]:
    """An empty database of the test's own."""
    path = shutil.copy(blank, tmp_path / "state.db")
    with Database(str(path)) as database:
        yield database
