"""The nearest vectors are the same whether pgvector computes the distances or the client does."""

from __future__ import annotations

import math
import os
import random
import struct
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from tests.support.builders import T0, begin, read, said, sql, write
from tests.support.commands import run_li
from tests.support.hubs import finish, push
from tests.support.postgres_server import PostgresServer

from lionstudio.errors import InvalidInput
from lionstudio.state.backends import open_database
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.embeddings import EmbeddingModel, clear_embeddings, list_missing, store_embeddings
from lionstudio.state.messages.append import append
from lionstudio.state.postgres import vectors as module
from lionstudio.state.postgres.open import open_writer
from lionstudio.state.postgres.vectors import create_vectors, has_vectors
from lionstudio.state.sqlite.search_ranges import ANYWHERE, Scope
from lionstudio.state.sqlite.vectors import Neighbour, nearest
from lionstudio.state.upkeep.remove import remove_sessions

pytestmark = pytest.mark.postgres
Vector = Sequence[float]


def add_extension(url: str) -> None:
    with psycopg.connect(url.replace("//lion@", "//admin@"), autocommit=True) as admin:
        admin.execute("CREATE EXTENSION vector")


def use_extension(url: str) -> None:
    with closing(open_writer(url)) as conn:
        create_vectors(conn)


@pytest.fixture
def extended(vector_url: str) -> str:
    """A hub with pgvector."""
    add_extension(vector_url)
    use_extension(vector_url)
    return vector_url


@pytest.fixture(params=["pgvector", "scan"])
def hub(request: pytest.FixtureRequest) -> Iterator[Database]:
    """A hub with pgvector, and one without."""
    url = request.getfixturevalue("extended" if request.param == "pgvector" else "postgres_url")
    with open_database(url) as database:
        assert read(database, has_vectors) == (request.param == "pgvector")
        yield database


def add(db: Database, branch_id: str, vectors: Mapping[str, Vector], **fields: float) -> None:
    def append_all(conn: Connection) -> None:
        for message_id, vector in vectors.items():
            append(conn, branch_id, said(message_id, id=message_id, embedding=tuple(vector), **fields))

    db.write(append_all)


def find(db: Database, vector: Vector, scope: Scope = ANYWHERE, limit: int = 10) -> list[Neighbour]:
    return db.read(lambda conn: nearest(conn, vector, scope, limit=limit))


def names(db: Database, vector: Vector, scope: Scope = ANYWHERE, limit: int = 10) -> list[str]:
    return [near.message_id for near in find(db, vector, scope, limit)]


def distances(vectors: dict[str, Vector], wanted: Vector) -> list[tuple[str, float]]:
    """As a textbook has it, nearest first."""

    def distance(vector: Vector) -> float:
        return 1 - sum(map(float.__mul__, vector, wanted)) / math.hypot(*vector) / math.hypot(*wanted)

    return sorted(((name, distance(vector)) for name, vector in vectors.items()), key=lambda pair: pair[1])


def some_vectors(start: str, count: int, dimensions: int, scale: float = 1.0) -> dict[str, Vector]:
    rng = random.Random(start)
    return {f"{start}{n}": [rng.gauss(0, scale) for _ in range(dimensions)] for n in range(count)}


def vectors_differ(url: str) -> list[tuple[object, ...]]:
    """Messages whose vector is not that of their embedding."""
    with psycopg.connect(url) as pg:
        return pg.execute("""
            SELECT m.id FROM messages m FULL JOIN message_vectors v USING (pk)
             WHERE v.vector IS DISTINCT FROM vector_of(m.embedding)""").fetchall()


def test_nearest_compares_every_vector_of_the_same_length(hub: Database) -> None:
    run = begin(hub)
    ordinary = some_vectors("a", 200, 24)
    large, small = some_vectors("large", 5, 24, 1e30), some_vectors("small", 5, 24, 1e-30)
    long = some_vectors("long", 3, 3072)  # longer than a page
    huge = some_vectors("huge", 2, 16_001)  # more than pgvector has
    for vectors in (ordinary, large, small, long, huge, some_vectors("short", 20, 3)):
        add(hub, run.branch_id, vectors)
    add(hub, run.branch_id, {"zero": [0.0] * 24})

    for group in (ordinary | large | small, long, huge):
        for wanted in list(group.values())[::25]:
            expected = distances(group, wanted)[:10]
            found = find(hub, wanted)
            assert [near.message_id for near in found] == [name for name, _ in expected]
            assert [near.distance for near in found] == pytest.approx([far for _, far in expected], abs=1e-6)
    assert find(hub, [0.0] * 24) == find(hub, []) == find(hub, [1.0, 2.0]) == []
    with pytest.raises(InvalidInput):
        find(hub, [math.nan] * 24)


def test_nearest_skips_damaged_vectors(hub: Database) -> None:
    add(
        hub,
        begin(hub).branch_id,
        {"right": [1.0, 0.0], "left": [-1.0, 0.0], "nan": [1, 1], "inf": [1, 1], "cut": [1, 1]},
    )
    for name, damaged in {
        "nan": struct.pack("<2f", math.nan, 1),
        "inf": struct.pack("<2f", math.inf, 1),
        "cut": b"123",
    }.items():
        sql(hub, "UPDATE messages SET embedding = ? WHERE id = ?", (damaged, name))

    assert names(hub, [2.0, 0.0]) == ["right", "left"]


def test_nearest_stays_in_its_scope(hub: Database) -> None:
    web, home = begin(hub, "web", project="web"), begin(hub, "home", project="home")
    ours, newer, theirs = some_vectors("o", 40, 8), some_vectors("n", 40, 8), some_vectors("t", 40, 8)
    add(hub, web.branch_id, ours)
    add(hub, web.branch_id, newer, created_at=T0 + 10)
    add(hub, home.branch_id, theirs, created_at=T0 + 10)
    wanted = next(iter(theirs.values()))

    for scope, vectors in (
        (Scope(project="web"), ours | newer),
        (Scope(session="home"), theirs),
        (Scope(since=T0 + 5), newer | theirs),
        (Scope(project="web", since=T0 + 5), newer),
        (Scope(project="none"), {}),
    ):
        assert names(hub, wanted, scope) == [name for name, _ in distances(vectors, wanted)[:10]]


def test_nearest_follows_changed_and_deleted_messages(hub: Database) -> None:
    model = EmbeddingModel("m", 2)
    for session in ("one", "two"):
        add(hub, begin(hub, session).branch_id, {f"{session}.a": [1.0, 0.1], f"{session}.b": [0.1, 1.0]})
    finish(hub, "one")
    write(hub, remove_sessions, ["one"])
    assert names(hub, [1.0, 0.0]) == ["two.a", "two.b"]

    assert write(hub, clear_embeddings, 0, 10)
    assert names(hub, [1.0, 0.0]) == []

    missing = read(hub, list_missing, 0, 10)
    write(hub, store_embeddings, model, {one.pk: [0.0, 1.0] if one.text == "two.a" else [1.0, 0.0] for one in missing})
    assert names(hub, [1.0, 0.0]) == ["two.b", "two.a"]
    if read(hub, has_vectors):
        assert vectors_differ(hub.path) == []


def test_nearest_finds_pushed_sessions(hub: Database, path: str) -> None:
    with open_database(path) as laptop:
        run = begin(laptop, "run")
        vectors = some_vectors("v", 30, 8)
        model = EmbeddingModel("m", 8)
        for name in vectors:
            write(laptop, append, run.branch_id, said(name, id=name))
        missing = read(laptop, list_missing, 0, 100)
        write(laptop, store_embeddings, model, {one.pk: vectors[one.text] for one in missing[:20]})
        push(laptop, hub.path)
        write(laptop, store_embeddings, model, {one.pk: vectors[one.text] for one in missing[20:]})
        finish(laptop, "run")
        push(laptop, hub.path)

    wanted = vectors["v25"]
    assert names(hub, wanted) == [name for name, _ in distances(vectors, wanted)[:10]]
    write(hub, remove_sessions, ["run"])
    assert names(hub, wanted) == []


# ── The extension comes and goes ──────────────────────────────────────────


def shortfall(url: str) -> dict[str, str]:
    missing = run_li("hub", "init", "--check", "--json", url).json["missing"]
    return next((one for one in missing if one["code"] == "extension.vector"), {})


def test_init_uses_an_extension_that_comes_later(vector_url: str) -> None:
    vectors = some_vectors("a", 30, 8)
    wanted = vectors["a7"]
    expected = [name for name, _ in distances(vectors, wanted)[:10]]
    with open_database(vector_url) as hub:
        branch_id = begin(hub).branch_id
        add(hub, branch_id, vectors)

        refused = run_li("hub", "init", vector_url)  # its role is not a superuser
        assert refused.code == 0, refused.err
        database = urlsplit(vector_url).path[1:]
        assert f"psql -d {database} -c 'CREATE EXTENSION vector', and then `li hub init`" in refused.out
        add_extension(vector_url)
        assert "not ready for it" in shortfall(vector_url)["missing"]
        assert names(hub, wanted) == expected

        assert run_li("hub", "init", vector_url).code == 0
        assert shortfall(vector_url) == {}
        assert read(hub, has_vectors)
        assert names(hub, wanted) == expected

        with psycopg.connect(vector_url.replace("//lion@", "//admin@"), autocommit=True) as admin:
            admin.execute("DROP EXTENSION vector CASCADE")
        later = {"later": [number + 0.001 for number in wanted]}
        add(hub, branch_id, later)
        assert names(hub, wanted, limit=2) == ["a7", "later"]

        add_extension(vector_url)
        assert run_li("hub", "init", vector_url).code == 0
        assert read(hub, has_vectors)
        assert names(hub, wanted, limit=2) == ["a7", "later"]


def test_server_without_the_extension_is_reported(postgres_server: PostgresServer, postgres_url: str) -> None:
    with postgres_server.admin() as admin:
        if admin.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'").fetchone():
            pytest.skip("this server has pgvector")

    assert run_li("hub", "init", postgres_url).code == 0
    assert shortfall(postgres_url)["missing"] == "the extension vector is not on the server"


def test_table_is_filled_while_embeddings_change(vector_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    add_extension(vector_url)
    monkeypatch.setattr(module, "_BATCH", 1)
    is_over = threading.Event()

    def change(db: Database) -> None:
        pks = [pk for (pk,) in db.read(lambda conn: conn.all("SELECT pk FROM messages"))]
        rng = random.Random(1)
        while not is_over.is_set():
            vector = rng.choice([None, struct.pack("<2f", rng.random(), 1)])
            params = {"vector": vector, "pk": rng.choice(pks)}
            db.write(lambda conn: conn.execute("UPDATE messages SET embedding = :vector WHERE pk = :pk", params))  # noqa: B023

    with open_database(vector_url) as hub:
        add(hub, begin(hub).branch_id, some_vectors("a", 100, 2))
        thread = threading.Thread(target=change, args=(hub,))
        thread.start()
        use_extension(vector_url)
        is_over.set()
        thread.join()
        assert read(hub, has_vectors)
    assert vectors_differ(vector_url) == []


def test_interrupted_fill_is_not_used_and_done_again(vector_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    add_extension(vector_url)
    with open_database(vector_url) as hub:
        add(hub, begin(hub).branch_id, {"right": [1.0, 0.0], "left": [-1.0, 0.0]})
        with monkeypatch.context() as patch:
            patch.setattr(module, "_FILL", "SELECT 1 / 0")
            with pytest.raises(Exception, match="division by zero"):
                use_extension(vector_url)
        assert not read(hub, has_vectors)
        assert names(hub, [1.0, 0.0]) == ["right", "left"]

        use_extension(vector_url)
        assert read(hub, has_vectors)
        assert names(hub, [1.0, 0.0]) == ["right", "left"]


def test_role_that_owns_nothing_writes_and_reads_vectors(vector_server: PostgresServer, vector_url: str) -> None:
    name = urlsplit(vector_url).path[1:]
    laptops = vector_url.replace("//lion@", "//laptops@")
    with vector_server.admin(name) as admin:
        admin.execute("CREATE ROLE laptops LOGIN")
        admin.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO laptops")
        admin.execute("GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO laptops")
    try:
        add_extension(vector_url)
        use_extension(laptops)  # may not
        use_extension(vector_url)
        with open_database(laptops) as hub:
            add(hub, begin(hub).branch_id, {"right": [1.0, 0.0], "left": [-1.0, 0.0]})
            assert read(hub, has_vectors)
            assert names(hub, [1.0, 0.0]) == ["right", "left"]
            with vector_server.admin(name) as admin:
                admin.execute("REVOKE ALL ON message_vectors FROM laptops")
            assert not read(hub, has_vectors)
            assert names(hub, [1.0, 0.0]) == ["right", "left"]
        assert vectors_differ(vector_url) == []
    finally:
        with vector_server.admin(name) as admin:
            admin.execute("DROP OWNED BY laptops")
            admin.execute("DROP ROLE laptops")


@pytest.mark.parametrize("has_extension", [True, False])
def test_dump_is_restored_with_and_without_the_extension(
    vector_server: PostgresServer, extended: str, tmp_path: Path, has_extension: bool
) -> None:
    with open_database(extended) as hub:
        branch_id = begin(hub).branch_id
        add(hub, branch_id, {"right": [1.0, 0.0], "left": [-1.0, 0.0]})
    name = vector_server.create()
    copy, dump = vector_server.local_url(name), str(tmp_path / "hub.dump")
    pg_dump, pg_restore = (os.path.join(vector_server.programs, program) for program in ("pg_dump", "pg_restore"))
    try:
        if has_extension:
            add_extension(copy)
        subprocess.run([pg_dump, "-Fc", "-f", dump, extended], check=True, capture_output=True)
        # a role that may not add the extension goes on without what needs it
        subprocess.run([pg_restore, "-d", copy, dump], check=False, capture_output=True)
        with open_database(copy, create=False) as hub:
            assert read(hub, has_vectors) == has_extension
            add(hub, branch_id, {"near": [1.0, 0.1]})
            assert names(hub, [1.0, 0.0]) == ["right", "near", "left"]
    finally:
        vector_server.drop(name)
