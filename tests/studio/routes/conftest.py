"""The routes are tested with a file, and with a database on a server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.support import studio
from tests.support.postgres_server import PostgresServer


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    only_sqlite = metafunc.definition.get_closest_marker("sqlite") is not None
    values = ["sqlite", *([] if only_sqlite else [pytest.param("postgres", marks=pytest.mark.postgres)])]
    metafunc.parametrize("database_kind", values, indirect=True, scope="module")


@pytest.fixture(scope="module", autouse=True)
def database_kind(request: pytest.FixtureRequest) -> Iterator[str]:
    """Which database the applications of a module use."""
    if request.param == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres_server")
        blank: str = request.getfixturevalue("blank_postgres")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(studio, "new_server_database", lambda: server.local_url(server.create(blank)))
            yield "postgres"
    else:
        yield "sqlite"
