"""Build all databases that the benches keep in benches/.data, so that the benches themselves only measure."""

from __future__ import annotations

from benches import bench_search, corpus, heavy, populations
from benches.bench_heavy import _index_all
from benches.build import cached
from benches.postgres_store import large_store
from lionstudio.state.connection import Connection
from lionstudio.state.sqlite.open import open_writer


def build_all(*, with_heavy: bool) -> None:
    """Build what is missing; existing databases with this schema stay."""
    for size in (1_000, 100_000, 1_000_000):
        _sessions(size)
    cached("long-sessions", lambda conn: corpus.fill(conn, 30_000, 10_000))
    for count in (50_000, 200_000):
        _one_session(count)
    cached("messages-1000000", lambda conn: bench_search.build(conn, 1_000_000))
    large_store(1_000_000)[0].stop()  # which keeps its folder, where close would remove it
    if with_heavy:
        _heavy()


def _sessions(size: int) -> None:
    cached(f"sessions-{size}", lambda conn: populations.fill(conn, size))


def _one_session(count: int) -> None:
    cached(f"one-session-{count}", lambda conn: corpus.fill(conn, count, count))


def _heavy() -> None:
    def fill(conn: Connection) -> None:
        heavy.fill(conn, 1.0)

    conn = open_writer(cached("heavy-1.0", fill))
    _index_all(conn)
    conn.close()
