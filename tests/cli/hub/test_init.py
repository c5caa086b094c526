"""`li hub init` on real servers: what it creates, what it reports, and every address that cannot be a hub."""

from __future__ import annotations

import os
import shlex
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import psycopg
import pytest
from tests.support.commands import CommandResult, li, run_li
from tests.support.postgres_server import PASSWORD, PostgresServer
from tests.support.transaction_pooler import TransactionPooler

from lionstudio.shows.process.engine_database import SCHEMA, check_engine
from lionstudio.state.backends import open_database
from lionstudio.state.connection import Unavailable
from lionstudio.state.hub.machines import see_machine
from lionstudio.state.postgres import open as postgres_open
from lionstudio.state.postgres.checks import server
from lionstudio.state.postgres.checks.server import is_pooled
from lionstudio.state.postgres.connection import PostgresConnection
from lionstudio.state.sqlite.open import SCHEMA_VERSION

pytestmark = pytest.mark.postgres


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIONAGI_HOME", str(tmp_path / "home"))
    for name in ("LIONAGI_DB", "PGPASSWORD", "PGPASSFILE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def name(postgres_server: PostgresServer) -> Iterator[str]:
    """An empty database, without our tables."""
    name = postgres_server.create()
    yield name
    postgres_server.drop(name)


@pytest.fixture
def url(postgres_server: PostgresServer, name: str) -> str:
    return postgres_server.local_url(name)


def refused(result: CommandResult, code: int, *words: str) -> None:
    """One sentence and what to do, never a traceback or a password."""
    assert result.code == code, result.err
    assert result.out == ""
    message, hint = result.err.splitlines()[-2:]
    assert message.startswith("li: ")
    assert hint.startswith("  try: ")
    assert "Traceback" not in result.err
    assert "horse" not in result.err
    for word in words:
        assert word in result.err


def test_init_creates_state_and_engine_once(url: str) -> None:
    before = run_li("hub", "init", url, "--check", "--json")
    first = run_li("hub", "init", url, "--json")
    second = run_li("hub", "init", url, "--json")
    after = run_li("hub", "init", url, "--check", "--json")

    assert (before.code, before.json["ready"]) == (1, False)
    assert (before.json["state"]["result"], before.json["engine"]["result"]) == ("would be created",) * 2
    assert (first.json["state"]["result"], first.json["engine"]["result"]) == ("created", "created")
    assert (second.json["state"]["result"], second.json["engine"]["result"]) == ("current", "current")
    assert (after.code, after.json["ready"]) == (0, True)
    version = check_engine(url)
    assert version.current == version.latest > 0
    with open_database(url, create=False) as database:
        assert database.read(lambda conn: conn.value("SELECT version FROM schema_meta")) == SCHEMA_VERSION


def test_check_changes_nothing(url: str) -> None:
    assert run_li("hub", "init", url, "--check").code == 1

    with psycopg.connect(url) as pg:
        relations = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        assert pg.execute(relations).fetchone() == (0,)
        assert pg.execute("SELECT to_regnamespace(%s)", (SCHEMA,)).fetchone() == (None,)
        assert pg.execute("SELECT count(*) FROM pg_extension WHERE extname <> 'plpgsql'").fetchone() == (0,)


def test_init_runs_one_at_a_time(url: str) -> None:
    results: list[CommandResult] = []
    threads = [threading.Thread(target=lambda: results.append(li("hub", "init", url, "--json"))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [result.code for result in results] == [0, 0, 0], [result.err for result in results]
    assert check_engine(url).current == check_engine(url).latest


_SNAPSHOTS = """
SELECT count(*) FROM pg_stat_activity
 WHERE datname = current_database() AND state = 'idle in transaction' AND backend_xmin IS NOT NULL
"""


def test_init_that_waits_keeps_no_snapshot(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index that the other one builds would wait for it, and both for ever."""
    pauses = iter(range(1_000_000))
    reached, resume = threading.Event(), threading.Event()

    def sleep(_: float) -> None:
        if next(pauses) == 20:  # psycopg prepares what it has seen five times
            reached.set()
            resume.wait()

    def wait() -> None:
        with server.init_lock(url):
            pass

    monkeypatch.setattr(server, "time", SimpleNamespace(sleep=sleep))
    waiting = threading.Thread(target=wait)
    with server.init_lock(url):
        waiting.start()
        assert reached.wait(60)
        with server.connected(url) as conn:
            kept = conn.pg.execute(_SNAPSHOTS, prepare=False).fetchall()
        resume.set()
    waiting.join()

    assert kept == [(0,)]


def test_init_takes_the_address_from_the_environment(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIONAGI_DB", url)

    assert run_li("hub", "init", "--json").json["url"] == url


def test_init_without_an_address_is_refused() -> None:
    refused(run_li("hub", "init"), 2, "no hub is named")
    for text in ("/tmp/state.db", "mysql://me:horse@hub/lion", "me:horse@hub", "host=hub password=horse"):
        refused(run_li("hub", "init", text), 2, "not an address of a PostgreSQL server")


def test_password_is_never_printed(postgres_server: PostgresServer, name: str) -> None:
    url = postgres_server.url(name)
    for result in (run_li("hub", "init", url), run_li("hub", "init", url, "--check", "--json")):
        assert result.code == 0
        assert "horse" not in result.out + result.err
    assert "~/.pgpass" in result.err


def test_password_from_pgpass_is_used(
    postgres_server: PostgresServer, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "pgpass"
    file.write_text(f"127.0.0.1:{postgres_server.port}:{name}:lion:{PASSWORD}\n")
    file.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(file))

    result = run_li("hub", "init", postgres_server.url(name, password=None))

    assert result.code == 0, result.err
    assert "password" not in result.err


def test_wrong_password_is_refused(postgres_server: PostgresServer, name: str) -> None:
    refused(run_li("hub", "init", postgres_server.url(name, password="wrong")), 1, "refused the password", "~/.pgpass")
    refused(run_li("hub", "init", postgres_server.url(name, password=None)), 1, "refused the password")


def test_unknown_host_database_and_role_are_refused(postgres_server: PostgresServer) -> None:
    refused(run_li("hub", "init", "postgresql://lion@no-such-host.invalid/lion"), 1, "host", "was not found")
    refused(run_li("hub", "init", "postgresql://lion@127.0.0.1:1/lion"), 7, "no connection")
    refused(run_li("hub", "init", postgres_server.local_url("nothing")), 1, "no such database", "createdb")
    refused(run_li("hub", "init", postgres_server.url("postgres", user="nobody")), 1)
    refused(run_li("hub", "init", "postgresql://lion@127.0.0.1:port/lion"), 2, "invalid integer value", "correct the")
    refused(run_li("hub", "init", f"{postgres_server.url('postgres')}?sslmode=sometimes"), 2, "sslmode", "correct the")
    refused(run_li("hub", "init", f"{postgres_server.url('postgres')}?color=red"), 2, "not a valid address")


def test_old_server_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_open, "OLDEST_SERVER", 990000)

    refused(run_li("hub", "init", url), 6, "version 14 or newer is needed")


def test_standby_server_is_refused() -> None:
    server = PostgresServer()
    try:
        name = server.create()
        server.stop()
        (Path(server.folder) / "data" / "standby.signal").touch()
        server.start()
        refused(run_li("hub", "init", server.local_url(name)), 1, "standby", "primary")
    finally:
        server.close()


def test_read_only_database_is_refused(postgres_server: PostgresServer, name: str, url: str) -> None:
    with postgres_server.admin() as pg:
        pg.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')

    refused(run_li("hub", "init", url), 1, "read-only")


def test_database_of_another_program_is_refused_and_not_changed(url: str) -> None:
    with psycopg.connect(url) as pg:
        pg.execute("CREATE TABLE customers (id int)")

    refused(run_li("hub", "init", url), 6, "another program", "create a database for Lion Studio")
    with psycopg.connect(url) as pg:
        assert pg.execute("SELECT to_regnamespace(%s)", (SCHEMA,)).fetchone() == (None,)


def test_newer_hub_is_refused(url: str) -> None:
    assert run_li("hub", "init", url).code == 0
    with psycopg.connect(url) as pg:
        pg.execute("UPDATE schema_meta SET version = 999")
    refused(run_li("hub", "init", url), 6, "newer Lion Studio")
    with psycopg.connect(url) as pg:
        pg.execute("UPDATE schema_meta SET version = %s", (SCHEMA_VERSION,))
        pg.execute("UPDATE lion_engine.dbos_migrations SET version = 99999")
    refused(run_li("hub", "init", url), 6, "newer than the library dbos", "upgrade this installation")


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_other_encoding_is_refused(postgres_server: PostgresServer, encoding: str) -> None:
    name = f"encoded_{os.getpid()}_{encoding.lower()}"
    with postgres_server.admin() as pg:
        pg.execute(f"CREATE DATABASE {name} OWNER lion TEMPLATE template0 ENCODING '{encoding}' LOCALE 'C'")
    try:
        refused(run_li("hub", "init", postgres_server.local_url(name)), 2, encoding, "--encoding UTF8")
    finally:
        postgres_server.drop(name)


def test_role_without_rights_is_refused(postgres_server: PostgresServer, name: str) -> None:
    with postgres_server.admin(name) as pg:
        pg.execute("DROP ROLE IF EXISTS guest")
        pg.execute("CREATE ROLE guest LOGIN")
        pg.execute("REVOKE CREATE ON SCHEMA public FROM public")
    url = postgres_server.local_url(name).replace("lion@", "guest@")

    refused(run_li("hub", "init", url), 1, "may not create tables", "GRANT CREATE ON DATABASE")
    with postgres_server.admin(name) as pg:
        pg.execute(f'GRANT CREATE ON DATABASE "{name}" TO guest')
    refused(run_li("hub", "init", url), 1, "may not create tables", "GRANT CREATE ON SCHEMA public")
    with postgres_server.admin(name) as pg:
        pg.execute(f'REVOKE CREATE ON DATABASE "{name}" FROM guest')


def _missing(url: str) -> set[str]:
    return {one["code"] for one in run_li("hub", "init", url, "--check", "--json").json["missing"]}


def test_hub_that_is_ready_is_so_for_a_role_that_owns_nothing(
    postgres_server: PostgresServer, name: str, url: str
) -> None:
    assert run_li("hub", "init", url).code == 0
    with postgres_server.admin(name) as admin:
        admin.execute("CREATE ROLE laptops LOGIN")
        admin.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO laptops")
        admin.execute("GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO laptops")
    laptops = url.replace("lion@", "laptops@")
    try:
        check = run_li("hub", "init", "--check", "--json", laptops)
        again = run_li("hub", "init", laptops)
        with psycopg.connect(url) as pg:
            pg.execute("UPDATE schema_meta SET version = version - 1")
        older = run_li("hub", "init", "--check", laptops)
    finally:
        with postgres_server.admin(name) as admin:
            admin.execute("DROP OWNED BY laptops")
            admin.execute("DROP ROLE laptops")

    assert (check.code, check.json["ready"]) == (0, True), check.err
    assert (check.json["state"]["result"], check.json["engine"]["result"]) == ("current", "not visible to this role")
    assert again.code == 0, again.err
    assert "Ready. Push to it: li config set hub" in again.err
    refused(
        older,
        1,
        "needs an upgrade, and the role laptops does not own its tables",
        "connect as lion, who owns them, and run: li hub init",
    )


def test_schema_that_is_open_to_every_role_is_reported(postgres_server: PostgresServer, name: str, url: str) -> None:
    """As on a server before version 15: a role that may push has the owner run a function of its own."""
    attack = """
        CREATE FUNCTION stolen(double precision, numeric) RETURNS double precision LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM set_config('lion.ran_as', current_user::text, false);
          RETURN $1 - $2::double precision;
        END $$;
        CREATE OPERATOR - (LEFTARG = double precision, RIGHTARG = numeric, FUNCTION = stolen)
    """
    assert run_li("hub", "init", url).code == 0
    with postgres_server.admin(name) as admin:
        admin.execute("DROP ROLE IF EXISTS pusher")
        admin.execute("CREATE ROLE pusher LOGIN")
        admin.execute("GRANT CREATE ON SCHEMA public TO PUBLIC")
    try:
        with psycopg.connect(url.replace("lion@", "pusher@")) as pg:
            pg.execute(attack)
        with open_database(url) as database:  # what each worker does at every beat
            database.write(lambda conn: see_machine(conn, "id", "mars", "1"))
            ran_as = database.write(lambda conn: conn.value("SELECT current_setting('lion.ran_as', true)"))
        [found] = [one for one in run_li("hub", "init", url, "--json").json["missing"] if one["code"] == "schema.open"]
        with postgres_server.admin(name) as admin:
            admin.execute("DROP OPERATOR - (double precision, numeric)")
            for statement in shlex.split(found["advice"].partition("psql")[2])[-1].split(";"):
                admin.execute(statement)
        with (
            psycopg.connect(url.replace("lion@", "pusher@")) as pg,
            pytest.raises(psycopg.errors.InsufficientPrivilege),
        ):
            pg.execute(attack)
        assert (ran_as, "schema.open" in _missing(url)) == ("lion", False)
        assert run_li("hub", "init", url).code == 0
    finally:
        with postgres_server.admin(name) as admin:
            admin.execute("DROP OWNED BY pusher CASCADE")
            admin.execute("DROP ROLE pusher")


def test_locale_is_reported_by_what_it_does(postgres_server: PostgresServer) -> None:
    locales = {
        "locale 'C'": {"locale.ctype"},
        "locale 'C.UTF-8'": set(),
        "locale_provider icu icu_locale 'en-US' locale 'C.UTF-8'": {"locale.collate"},
    }
    for number, (locale, codes) in enumerate(locales.items()):
        name = f"locale_{os.getpid()}_{number}"
        with postgres_server.admin() as pg:
            try:
                pg.execute(f"CREATE DATABASE {name} OWNER lion TEMPLATE template0 ENCODING 'UTF8' {locale}")
            except psycopg.Error:
                continue  # this server knows no such locale
        try:
            assert {code for code in _missing(postgres_server.local_url(name)) if code.startswith("locale")} == codes
        finally:
            postgres_server.drop(name)


def test_missing_extension_is_reported_with_its_effect(postgres_server: PostgresServer, name: str, url: str) -> None:
    with postgres_server.admin() as pg:
        query = "SELECT name FROM pg_available_extensions WHERE name = 'pg_trgm'"
        is_available = pg.execute(query).fetchone() is not None
    before = run_li("hub", "init", url, "--check")
    result = run_li("hub", "init", url)

    assert "The extension pg_trgm is not" in before.out
    assert not is_available or f"psql -d {name} -c 'CREATE EXTENSION pg_trgm'" in before.out
    assert ("extension pg_trgm" in result.out) == (not is_available)
    with psycopg.connect(url) as pg:
        installed = {one for (one,) in pg.execute("SELECT extname FROM pg_extension").fetchall()}
    assert ("pg_trgm" in installed) == is_available


def test_init_adds_the_index_of_an_extension_that_came_later(
    postgres_server: PostgresServer, name: str, url: str
) -> None:
    run_li("hub", "init", url)
    with postgres_server.admin(name) as admin:
        admin.execute("DROP EXTENSION IF EXISTS pg_trgm CASCADE")

    assert run_li("hub", "init", url).code == 0
    with psycopg.connect(url) as pg:
        has_index = (
            "SELECT (SELECT count(*) FROM pg_extension WHERE extname = 'pg_trgm'), to_regclass('idx_session_texts')"
        )
        extensions, index = pg.execute(has_index).fetchone() or (0, None)
    assert (index is not None) == bool(extensions)


def test_pooler_in_transaction_mode_is_reported(postgres_server: PostgresServer, name: str, url: str) -> None:
    path = os.path.join(postgres_server.folder, f".s.PGSQL.{postgres_server.port}")
    pooler = TransactionPooler(path, "lion", name)
    try:
        assert is_pooled(pooler.url())
        assert not is_pooled(url)
        result = run_li("hub", "init", pooler.url())
        assert result.code == 0, result.err
        assert "pool_mode = session" in result.out
        assert check_engine(url).current == check_engine(url).latest
    finally:
        pooler.close()


def test_init_after_a_crash_continues(url: str) -> None:
    """An engine that was created in part is completed."""
    assert run_li("hub", "init", url).code == 0
    with psycopg.connect(url) as pg:
        pg.execute("UPDATE lion_engine.dbos_migrations SET version = 122")

    assert run_li("hub", "init", url, "--check").code == 1
    assert run_li("hub", "init", url, "--json").json["engine"]["result"] == "upgraded"


@pytest.mark.parametrize("question", [server.check_required, server.check_rights, server.describe_server])
def test_connection_that_is_cut_between_questions_is_a_clear_error(
    url: str, question: Callable[[PostgresConnection], object]
) -> None:
    def ask() -> None:
        with server.connected(url) as conn, psycopg.connect(url, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s)", (conn.pg.info.backend_pid,))
            question(conn)

    with pytest.raises(Unavailable, match="was lost"):
        ask()


def test_server_that_stops_meanwhile_is_a_clear_error(tmp_path: Path) -> None:
    server = PostgresServer()
    try:
        url = server.local_url(server.create())
        server.stop(signal.SIGQUIT)
        refused(run_li("hub", "init", url), 7, "no connection", "check that the server runs")
    finally:
        server.close()
