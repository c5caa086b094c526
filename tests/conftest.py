"""What all tests share: a new database, a blank file of one to copy, and how long properties are tried."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from lionstudio.state.database import Database

# The same examples in every run, so that a red suite is red for everybody; `--hypothesis-profile long` looks further.
hypothesis.settings.register_profile("suite", deadline=None, derandomize=True, database=None, max_examples=60)
hypothesis.settings.register_profile("long", deadline=None, max_examples=3000)
hypothesis.settings.load_profile("suite")


@pytest.fixture(scope="session", autouse=True)
def own_transcripts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test looks at what the agents of whoever runs it have said."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
            patch.setenv(name, str(tmp_path_factory.mktemp("none")))
        yield


# Started in the background of a script, we would ignore Ctrl-C, and so would every command under test.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def blank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database that holds nothing yet; copying it is cheaper than making one."""
    path = tmp_path_factory.mktemp("blank") / "state.db"
    Database(str(path)).close()
    return path


@pytest.fixture
def path(blank: Path, tmp_path: Path) -> str:
    """The path of a database that nobody has open."""
    return str(shutil.copy(blank, tmp_path / "state.db"))


@pytest.fixture
def db(path: str) -> Iterator[Database]:
    """An empty database of the test's own."""
    with Database(path) as database:
        yield database
