"""Upgrade the schema of a PostgreSQL database, step by step, in the transaction and under the lock of the caller."""

from __future__ import annotations

import os

from lionstudio.errors import WrongVersion
from lionstudio.state.postgres.connection import PostgresConnection
from lionstudio.state.sqlite.open import SCHEMA_VERSION

FIRST_VERSION = 8  # the first version that exists on PostgreSQL


def upgrade(conn: PostgresConnection, version: int) -> None:
    """Run migrations/from_version_N.sql for each N up to the current version."""
    if version < FIRST_VERSION:
        raise WrongVersion(f"{conn.path} has no valid schema version", hint="restore a backup of it")
    folder = os.path.join(os.path.dirname(__file__), "migrations")
    for number in range(version, SCHEMA_VERSION):
        with open(os.path.join(folder, f"from_version_{number}.sql"), encoding="utf-8") as file:
            conn.pg.execute(file.read())
