"""Commands whose database is on a server: the address is never a path, and its password is in no process or file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import psycopg
import pytest
from tests.support.commands import LI, CommandResult, li, run_li, run_on_terminal, start_li
from tests.support.hubs import full_session
from tests.support.postgres_server import PASSWORD, PostgresServer
from tests.support.sandboxes import needs_bwrap
from tests.support.show_harness import TOPIC, ShowHarness
from tests.support.waiting import wait_until

from lionstudio.model.status.terminals import HOOKS_VERSION, Terminal, TerminalState
from lionstudio.runs.prepare.confinement import private_paths
from lionstudio.settings import load_settings
from lionstudio.state.backends import open_database
from lionstudio.state.exchange.terminals import save_terminal
from lionstudio.system.process_identity import identify

pytestmark = pytest.mark.postgres


class Desk(NamedTuple):
    """A home whose settings have the address of the server, with its password."""

    home: Path
    url: str  # without the password
    work: Path

    @property
    def env(self) -> dict[str, str]:
        return {"LIONAGI_HOME": str(self.home)}

    def li(self, *words: str, **env: str) -> CommandResult:
        return li(*words, cwd=self.work, env=self.env | env)


@pytest.fixture
def desk(postgres_server: PostgresServer, blank_postgres: str, tmp_path: Path) -> Iterator[Desk]:
    name = postgres_server.create(blank_postgres)
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir(mode=0o700)
    work.mkdir()
    (home / "config.toml").write_text(f'db = "{postgres_server.url(name)}"\n')
    yield Desk(home, postgres_server.url(name, password=None), work)
    assert os.listdir(work) == []  # no folder that is called postgresql:
    for path in home.rglob("*"):
        assert path.name == "config.toml" or not path.is_file() or PASSWORD.encode() not in path.read_bytes(), path
    postgres_server.drop(name)


def test_end_of_a_killed_run_is_recorded_with_a_password_from_the_settings(desk: Desk) -> None:
    with start_li("--home", str(desk.home), "agent", "script", "@say hello\n@sleep 60", "--cwd", str(desk.work)) as run:
        wait_until(lambda: "hello" in desk.li("state", "search", "hello").out)
        run.kill()
        run.wait()

    wait_until(lambda: "\tfailed\t" in desk.li("state", "ls").out)
    assert not list(desk.home.glob("run/spool/*"))


def test_agent_gets_the_address_without_the_password(desk: Desk) -> None:
    assert desk.li("agent", "script", "@run env").code == 0

    said = desk.li("state", "search", "LIONAGI_DB", "--json").out + desk.li("state", "ls", "--json").out
    messages = desk.li("logs", desk.li("state", "ls").out.split("\t")[0]).out
    assert f"LIONAGI_DB={desk.url}" in messages
    for text in (said, messages):
        assert PASSWORD not in text
        assert PASSWORD.replace(" ", "%20") not in text


def test_show_runs_on_although_no_file_is_at_its_address(desk: Desk, tmp_path: Path) -> None:
    """The director looks every two seconds for a database that was removed."""
    harness = ShowHarness(tmp_path / "show")
    harness.env["LIONAGI_HOME"] = str(desk.home)
    harness.write_plan({"a": "@write a.txt a\n@sleep 5"})

    done = harness.li("show", "run", TOPIC)

    assert done.code == 0, (done, harness.log())
    assert "a\tmerged" in harness.li("show", "status", TOPIC).out


def test_decision_of_a_connected_program_is_refused(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The programs that may not decide are rows of the server."""
    monkeypatch.setenv("LIONAGI_HOME", str(desk.home))
    monkeypatch.chdir(desk.work)
    settings = load_settings()
    owner = identify()._asdict()
    terminal = Terminal("claude", "c", "s", TerminalState.WORKING, 1.0, owner, None, HOOKS_VERSION, "Stop", 1.0, 1, 0)
    with open_database(settings.db) as db:
        full_session(db, "asking")
        db.write(lambda conn: save_terminal(conn, terminal))

    refused = run_li("ask", "answer", "asking.question", "a")

    assert refused.code == 1
    assert "only a person decides" in refused.err


def test_empty_list_names_the_server(desk: Desk) -> None:
    assert f"No sessions in {desk.url} yet" in desk.li("state", "ls").err
    assert "No sessions match" in desk.li("state", "ls", "--status", "failed").err
    assert desk.li("mirror", "status").code == 0


def test_status_describes_the_server_that_this_machine_works_on(desk: Desk) -> None:
    status = desk.li("hub", "status", "--json").json

    assert (status["hub"], status["reachable"], status["pushes"]) == (desk.url, True, False)
    assert "this machine works on the hub itself" in run_on_terminal("hub", "status", env=desk.env).out
    assert desk.li("hub", "push").code == 2


@pytest.mark.parametrize("words", [("import-db",), ("import-home",), ("backup",)])
def test_address_in_place_of_a_file_is_refused_and_not_repeated(desk: Desk, words: tuple[str, ...]) -> None:
    refused = desk.li("state", *words, "postgresql://me:horse@hub/lion")

    assert refused.code == 2
    assert "a path on this machine is needed" in refused.err
    assert "horse" not in refused.err


def test_role_of_laptops_as_documented_pushes_and_cannot_sign_in(
    desk: Desk, postgres_server: PostgresServer, tmp_path: Path
) -> None:
    page = (Path(__file__).parents[3] / "docs" / "hub.md").read_text()
    [grants] = re.findall(r"<<'END'\n(.*?)END\n", page, re.DOTALL)
    [close] = re.findall(r"psql -d lion -c '(REVOKE .*?)'", page)
    name = desk.url.rpartition("/")[2]
    with postgres_server.admin(name) as pg:
        pg.execute("DROP ROLE IF EXISTS laptops")
        pg.execute("CREATE ROLE laptops LOGIN")
        pg.execute("GRANT CREATE ON SCHEMA public TO PUBLIC")  # the default of version 14
        pg.execute(close)
    with psycopg.connect(postgres_server.local_url(name)) as pg:  # as the owner of the database
        pg.execute(grants)
    url = postgres_server.local_url(name).replace("lion@", "laptops@")
    env = {"LIONAGI_HOME": str(tmp_path / "laptop"), "LIONAGI_HUB": url}
    try:
        assert desk.li("agent", "script", "@say hello", **env).code == 0
        assert "Pushed 1 session" in desk.li("hub", "push", **env).out
        assert desk.li("hub", "status", **env).code == 0
        refused = desk.li("studio", "--sign-in", "--db", url, LIONAGI_STUDIO_URL="https://studio.test", **env)
        assert refused.code == 1
        assert "permission denied" in refused.err
        assert desk.li("hub", "init", postgres_server.local_url(name)).code == 0  # with the engine of shows
        refused = desk.li("worker", "--once", "--db", url, **env)
        assert refused.code == 1
        assert "may not use the engine of shows\n  try: use the role that owns the hub" in refused.err
        for table in ("orders", "workers", "shows", "plays", "definitions", "schema_meta"):
            with psycopg.connect(url) as pg, pytest.raises(psycopg.errors.InsufficientPrivilege):
                pg.execute(f"DELETE FROM {table}")  # noqa: S608
        with psycopg.connect(url) as pg, pytest.raises(psycopg.errors.InsufficientPrivilege):
            pg.execute("CREATE TABLE mine ()")
    finally:
        with postgres_server.admin(name) as pg:
            pg.execute("DROP OWNED BY laptops")
            pg.execute("DROP ROLE laptops")


def test_vacuum_needs_the_owner_of_the_tables(desk: Desk, postgres_server: PostgresServer) -> None:
    name = desk.url.rpartition("/")[2]
    with postgres_server.admin(name) as pg:
        pg.execute("DROP ROLE IF EXISTS reader")
        pg.execute("CREATE ROLE reader LOGIN")
        pg.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
    try:
        refused = desk.li("state", "vacuum", LIONAGI_DB=postgres_server.local_url(name).replace("lion@", "reader@"))
        assert (refused.code, refused.out) == (1, "")
        assert "does not own the tables" in refused.err
    finally:
        with postgres_server.admin(name) as pg:
            pg.execute("DROP OWNED BY reader")
            pg.execute("DROP ROLE reader")


def test_push_to_a_database_without_tables_names_init(desk: Desk, postgres_server: PostgresServer) -> None:
    name = postgres_server.create()
    env = {"LIONAGI_HOME": str(desk.home / "laptop"), "LIONAGI_HUB": postgres_server.url(name)}
    try:
        assert desk.li("agent", "script", "@say hello", **env).code == 0
        refused = desk.li("hub", "push", **env)
        assert refused.code == 1
        assert f"has no tables yet\n  try: li hub init {postgres_server.url(name, password=None)}" in refused.err
    finally:
        postgres_server.drop(name)


def test_older_hub_is_upgraded_by_init_alone(desk: Desk, postgres_server: PostgresServer) -> None:
    """Another installation that still has the older version would refuse it afterwards."""
    name = desk.url.rpartition("/")[2]
    with postgres_server.admin(name) as pg:
        pg.execute("UPDATE schema_meta SET version = version - 1")

    for words in (("state", "ls"), ("agent", "script", "@say hello"), ("state", "vacuum")):
        refused = desk.li(*words)
        assert refused.code == 6, refused
        assert "serves others too" in refused.err
        assert "li hub init" in refused.err


def test_private_paths_are_the_files_with_secrets_of_the_server(desk: Desk, tmp_path: Path) -> None:
    url = f"{desk.url}?passfile=/srv/pass&sslkey=/srv/key&sslrootcert=/srv/ca"
    settings = load_settings({}, {"LIONAGI_HOME": str(desk.home), "LIONAGI_DB": url, "LIONAGI_HUB": "/srv/hub.db"}, "/")

    paths = private_paths(settings)

    assert {"/srv/pass", "/srv/key", "/srv/hub.db", "/srv/hub.db-wal"} <= set(paths)
    assert not any("postgresql" in path or path == "/srv/ca" for path in paths)


@needs_bwrap
def test_confined_agent_does_not_see_the_password_file(desk: Desk, tmp_path: Path) -> None:
    work, passfile = tmp_path / "project", tmp_path / "project" / "pgpass"
    work.mkdir()
    passfile.write_text(f"*:*:*:*:{PASSWORD}\n")
    passfile.chmod(0o600)

    script = "@run sh -c 'cat pgpass; cat ~/.pgpass; env' "
    env = {"LIONAGI_DB": desk.url, "PGPASSFILE": str(passfile)}
    done = desk.li("agent", "script", script, "--cwd", str(work), "--sandbox", "require", **env)

    assert done.code == 0, done
    session = desk.li("state", "ls").out.split("\t")[0]
    messages = desk.li("logs", session).out
    assert "PATH=" in messages
    assert "horse" not in messages


def test_machine_id_of_the_user_is_that_of_own_processes_and_agents(desk: Desk) -> None:
    """A clone of a system has its own id by a variable; a run in the background must have it too."""
    env = {"LIONAGI_MACHINE_ID": "of-a-clone"}
    assert desk.li("agent", "script", "@run env\n@say hello", "--background", **env).code == 0

    wait_until(lambda: "\tcompleted\t" in desk.li("state", "ls").out)
    [session] = desk.li("state", "ls", "--json").json["sessions"]
    assert session["machine_id"] == "of-a-clone"
    assert "LIONAGI_MACHINE_ID=of-a-clone" in desk.li("logs", session["id"]).out


def test_sign_in_prints_its_link_without_a_terminal(desk: Desk) -> None:
    """As by ssh to the machine of Studio."""
    done = desk.li("studio", "--sign-in", LIONAGI_STUDIO_URL="https://studio.test")

    assert done.code == 0, done
    assert "sign_in\thttps://studio.test/login#code=" in done.out


def test_agent_gets_no_link_to_sign_in(desk: Desk) -> None:
    """Through a proxy, Studio sees the proxy and not the agent that asks."""
    lines = ["li studio --sign-in --json", "li studio --sign-out-all", "timeout 5 li studio --port 0 --json"]
    script = "\n".join(f"@run sh -c '{line} 2>&1'" for line in lines)
    env = {"LIONAGI_STUDIO_URL": "https://studio.test", "PATH": f"{Path(LI).parent}:{os.environ['PATH']}"}
    password = {"PGPASSWORD": PASSWORD}  # what an agent that runs as the user may find
    assert desk.li("agent", "script", script, "--pass-env", "PGPASSWORD", **env, **password).code == 0

    outputs = desk.li("logs", desk.li("state", "ls").out.split("\t")[0]).out
    assert outputs.count("only a person decides") == 2
    assert '"login":null' in outputs.replace("\\", "")
    assert "code=" not in outputs
