"""What all tests share: a new database, a blank file of one to copy, and how long properties are tried."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
from tests.support.postgres_server import PostgresServer, find_programs

from lionstudio import settings
from lionstudio.state.backends import open_database
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
        patch.setenv("LIONAGI_FOLLOW_TRANSCRIPTS", "false")  # a test that wants it says so
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


# Tests of these folders use `db` twice, once for each database; a test of the file itself is marked `sqlite`, or asks
# for `path`.
BOTH_DATABASES = ("state", "definitions", "imports", "runs", "studio", "teams")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the figures that tests found out; parallel runs load only this conftest where the summary is made."""
    reports = [report for outcome in ("passed", "failed") for report in terminalreporter.stats.get(outcome, [])]
    lines = [
        f"{report.nodeid}: {text}" for report in reports for name, text in report.user_properties if name == "figures"
    ]
    if lines:
        terminalreporter.section("figures")
        for line in sorted(lines):
            terminalreporter.write_line(line)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    names = metafunc.fixturenames
    if "db" not in names:
        return
    folders = Path(metafunc.module.__file__ or "").relative_to(Path(__file__).parent).parts
    only_sqlite = metafunc.definition.get_closest_marker("sqlite") is not None or "path" in names
    both = folders[0] in BOTH_DATABASES and "sqlite" not in folders and not only_sqlite
    values = ["sqlite", *([pytest.param("postgres", marks=pytest.mark.postgres)] if both else [])]
    metafunc.parametrize("db", values, indirect=True)


@pytest.fixture
def db(request: pytest.FixtureRequest) -> Iterator[Database]:
    """An empty database of the test's own."""
    with open_database(request.getfixturevalue("postgres_url" if request.param == "postgres" else "path")) as database:
        yield database


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    server = PostgresServer()
    try:
        yield server
    finally:
        server.close()


@pytest.fixture(scope="session")
def vector_server(postgres_server: PostgresServer) -> Iterator[PostgresServer]:
    """A server that has pgvector: that of the wheel."""
    try:
        is_same = find_programs("wheel") == postgres_server.programs
    except LookupError as error:
        pytest.skip(str(error))
    server = postgres_server if is_same else PostgresServer("wheel")
    try:
        yield server
    finally:
        if not is_same:
            server.close()


@pytest.fixture
def vector_url(vector_server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The URL of an empty database whose server has pgvector; the extension is not in it yet."""
    monkeypatch.setattr(settings, "_server_home", str(tmp_path))
    name = vector_server.create()
    url = vector_server.local_url(name)
    open_database(url).close()
    yield url
    vector_server.drop(name)


@pytest.fixture(scope="session")
def blank_postgres(postgres_server: PostgresServer) -> str:
    """The name of a database with our tables; copying it is cheaper than making one."""
    name = postgres_server.create()
    open_database(postgres_server.local_url(name)).close()
    return name


@pytest.fixture
def postgres_url(
    postgres_server: PostgresServer, blank_postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """The URL of an empty database on the server; the files that belong to it are in the test's folder."""
    monkeypatch.setattr(settings, "_server_home", str(tmp_path))
    name = postgres_server.create(blank_postgres)
    yield postgres_server.local_url(name)
    postgres_server.drop(name)
