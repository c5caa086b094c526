"""A server that cannot be used is refused with a sentence, a hint and no password."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import psycopg
import pytest
from tests.support.builders import begin, read, said
from tests.support.postgres_server import PASSWORD, PostgresServer

from lionstudio.errors import LionError, NotFound, StorageFailed, WrongVersion
from lionstudio.model.sessions import Session
from lionstudio.settings import load_settings, passwords_of, with_password, without_password
from lionstudio.state.backends import open_database, open_reader
from lionstudio.state.connection import Connection, ServerRefused
from lionstudio.state.messages.append import append
from lionstudio.state.postgres import open as postgres_open
from lionstudio.state.postgres.errors import refused_connection
from lionstudio.state.sessions import create_session

pytestmark = pytest.mark.postgres


@pytest.fixture
def name(postgres_server: PostgresServer) -> Iterator[str]:
    """The name of a database without tables."""
    name = postgres_server.create()
    yield name
    postgres_server.drop(name)


def refused(url: str) -> LionError:
    with pytest.raises(LionError) as refusal:
        open_database(url)
    error = refusal.value
    assert error.hint
    for text in (str(error), error.hint, repr(error.__cause__), repr(error.__context__)):
        assert "horse" not in text
        assert "wrong" not in text
    return error


def test_open_refuses_a_wrong_password(postgres_server: PostgresServer, name: str) -> None:
    error = refused(postgres_server.url(name, password="wrong"))

    assert isinstance(error, StorageFailed)
    assert "refused the password" in error.message


def test_open_refuses_an_unknown_host() -> None:
    assert "was not found" in refused("postgresql://lion:wrong@host.invalid/db").message


def test_open_refuses_a_port_without_a_server(postgres_server: PostgresServer) -> None:
    assert "no connection" in refused(f"postgresql://lion:{PASSWORD.replace(' ', '%20')}@127.0.0.1:1/db").message


def test_open_refuses_a_machine_without_a_line_in_pg_hba() -> None:
    line = 'FATAL:  no pg_hba.conf entry for host "10.0.0.9", user "lion", database "lion", SSL encryption'
    error = refused_connection(psycopg.OperationalError(f"connection failed: {line}"), "postgresql://lion@db/lion")

    assert isinstance(error, ServerRefused)
    assert "does not let this machine in" in error.message
    assert "pg_hba.conf" in (error.hint or "")


def test_open_refuses_a_missing_database(postgres_server: PostgresServer) -> None:
    assert "no such database" in refused(postgres_server.url("missing")).message


def test_open_refuses_an_unknown_role(postgres_server: PostgresServer, name: str) -> None:
    url = postgres_server.local_url(name).replace("//lion@", "//stranger@")

    assert "no such role" in refused(url).message


def test_open_refuses_an_invalid_address() -> None:
    assert "is not a valid address" in refused("postgresql://lion:wrong@host/db?bogus=1").message


def test_open_refuses_an_old_server(
    postgres_server: PostgresServer, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_open, "OLDEST_SERVER", 10**9)

    error = refused(postgres_server.url(name))

    assert isinstance(error, WrongVersion)
    assert "version 14 or newer" in error.message


@pytest.mark.parametrize(
    "table", ["CREATE TABLE customers (id int)", "CREATE TABLE schema_meta (key text)"], ids=["tables", "same name"]
)
def test_open_refuses_the_database_of_another_program(postgres_server: PostgresServer, name: str, table: str) -> None:
    with psycopg.connect(postgres_server.local_url(name), autocommit=True) as other:
        other.execute(table)

    error = refused(postgres_server.url(name))

    assert isinstance(error, WrongVersion)
    assert "another program" in error.message
    with psycopg.connect(postgres_server.local_url(name)) as other:
        assert other.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone() == (1,)


def test_open_refuses_a_newer_version_for_writing(postgres_url: str) -> None:
    with open_database(postgres_url) as db:
        db.write(lambda conn: conn.execute("UPDATE schema_meta SET version = 99"))

    assert "newer Lion Studio" in refused(postgres_url).message
    open_reader(postgres_url).close()


def test_open_reader_of_an_empty_database_is_not_found(postgres_server: PostgresServer, name: str) -> None:
    with pytest.raises(NotFound):
        open_reader(postgres_server.url(name))
    with pytest.raises(NotFound):
        open_database(postgres_server.url(name), create=False)


def test_open_without_rights_is_refused(postgres_server: PostgresServer, name: str) -> None:
    with postgres_server.admin(name) as admin:
        admin.execute("REVOKE CREATE ON SCHEMA public FROM public, lion")
        admin.execute(f'ALTER DATABASE "{name}" OWNER TO admin')

    assert isinstance(refused(postgres_server.url(name)), StorageFailed)


def test_write_to_a_read_only_server_is_refused(postgres_server: PostgresServer, postgres_url: str) -> None:
    name = postgres_url.partition("@/")[2].partition("?")[0]
    with postgres_server.admin() as admin:
        admin.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
    with open_database(postgres_url) as db, pytest.raises(StorageFailed, match="read-only"):
        begin(db)


def test_open_by_many_at_once_creates_one_schema(postgres_server: PostgresServer, name: str) -> None:
    errors: list[BaseException] = []

    def work() -> None:
        try:
            open_database(postgres_server.local_url(name)).close()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert errors == []
    with open_database(postgres_server.local_url(name)) as db:
        assert db.conn.value("SELECT count(*) FROM schema_meta") == 1


def test_password_is_known_and_never_shown(postgres_server: PostgresServer, name: str) -> None:
    url = postgres_server.url(name)
    settings = load_settings({"db": url})

    assert settings.db == f"postgresql://lion@127.0.0.1:{postgres_server.port}/{name}"
    assert passwords_of(settings.db) == {"password": PASSWORD}
    assert without_password(with_password(settings.db)) == settings.db
    with open_database(settings.db) as db:
        assert (db.path, db.conn.path) == (settings.db, settings.db)
    assert without_password("postgres://u@h/d?password=p%20w&sslmode=require") == "postgres://u@h/d?sslmode=require"
    assert passwords_of("postgres://u@h/d?sslmode=require") == {"password": "p w"}


def test_texts_that_a_server_cannot_hold_are_stored_or_refused(postgres_url: str) -> None:
    with open_database(postgres_url) as db:
        _, branch = begin(db)
        message = said("NUL \0, half a pair \ud800", id="m", metadata={"a\0": "\udfff", "usage": {"input_tokens": 5}})
        db.write(lambda conn: append(conn, branch, message))
        db.write(lambda conn: create_session(conn, Session(id="s2", name="a\0b\ud800")))

        stored = db.read(lambda conn: conn.one("SELECT content, node_metadata FROM messages"))
        assert stored == (
            '{"instruction":"NUL \\u0000, half a pair \\ud800"}',
            '{"a\\u0000":"\\udfff","usage":{"input_tokens":5}}',
        )
        assert db.read(lambda conn: conn.value("SELECT node_metadata ->> '$.usage.input_tokens' FROM messages")) == "5"
        for odd in ("a\0b", "\ud800"):
            with pytest.raises(LionError):
                read(db, Connection.one, "SELECT 1 FROM sessions WHERE name = :name", {"name": odd})
