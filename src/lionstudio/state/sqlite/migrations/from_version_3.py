"""From version 3: only what is made out of other tables is made anew, so nothing can be lost."""

from __future__ import annotations

from importlib import resources

from lionstudio.state.connection import Connection


def migrate(conn: Connection) -> None:
    """Index sessions by their place; the caller holds the transaction."""
    conn.execute(resources.files(__package__).joinpath("from_version_3.sql").read_text(encoding="utf-8"))
