"""A hub for the tests of leases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.leases import HAS_CGROUPS, LeaseHarness
from tests.support.postgres_server import PostgresServer


@pytest.fixture(scope="session")
def lease_database(postgres_server: PostgresServer, blank_postgres: str) -> Iterator[str]:
    """The name of a database for all tests of leases: each removes its rows."""
    name = postgres_server.create(blank_postgres)
    yield name
    postgres_server.drop(name)


@pytest.fixture
def hub(
    request: pytest.FixtureRequest, tmp_path: Path, postgres_server: PostgresServer, lease_database: str
) -> Iterator[LeaseHarness]:
    """Its agents are frozen by signals, or by a cgroup where `freezer` says so."""
    freezer = request.getfixturevalue("freezer") if "freezer" in request.fixturenames else "signals"
    if freezer == "cgroup" and not HAS_CGROUPS:
        pytest.skip("no cgroups here")
    harness = LeaseHarness(tmp_path, postgres_server, lease_database, freezer)
    try:
        yield harness
    finally:
        harness.close()
