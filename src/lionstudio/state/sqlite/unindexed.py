"""The number of messages that the search index lacks, without the search: that is slow to load."""

from __future__ import annotations

from lionstudio.state.connection import Connection

_BEHIND = "SELECT coalesce(max(pk), 0) - (SELECT indexed_pk FROM search_state) FROM messages"


def count_unindexed(conn: Connection) -> int:
    """The approximate number of messages that are not indexed yet."""
    return int(conn.value(_BEHIND))
