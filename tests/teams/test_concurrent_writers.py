"""Teams with concurrent and killed writers: no message is lost, and an import resolves drift."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.support.children import environment
from tests.support.commands import LI, li
from tests.support.records import dump
from tests.teams.test_team_files import OLD, home, put, rows

from lionstudio.files.teams.team_file import list_team_files
from lionstudio.imports.teams import import_teams
from lionstudio.settings import Settings
from lionstudio.state.database import Database
from lionstudio.teams.drift import find_drift

__all__ = ["home"]  # a fixture
MANY = 50


@pytest.mark.slow
def test_fifty_processes_send_without_losing_messages(home: Settings) -> None:
    env = {"LIONAGI_HOME": home.home}
    assert li("team", "create", "crowd", "--members", "a,b", env=env).code == 0
    with ThreadPoolExecutor(MANY) as pool:
        done = list(
            pool.map(lambda n: li("team", "send", "crowd", f"message {n}", "--from", "a", env=env), range(MANY))
        )

    assert [item.code for item in done] == [0] * MANY, [item.err for item in done if item.code]
    wanted = sorted(f"message {n}" for n in range(MANY))
    shown = li("team", "show", "crowd", "--json", "--limit", "1000", env=env).json
    assert sorted(message["content"] for message in shown["messages"]) == wanted
    with Database(home.db) as db:
        assert sorted(rows(db, shown["team"]["id"])) == wanted
        assert db.read(lambda conn: find_drift(conn, home)) == []
        assert import_teams(db, home.home).added == 0


@pytest.mark.crash
@pytest.mark.parametrize(
    ("point", "in_file", "in_table"),
    [
        ("file.temporary_written", 1, 1),
        ("team.file_written", 2, 1),
        ("write.before_commit", 2, 1),
        ("write.committed", 2, 2),
    ],
)
def test_killed_send_leaves_drift_that_import_resolves(point: str, in_file: int, in_table: int, home: Settings) -> None:
    env = {"LIONAGI_HOME": home.home}
    li("team", "create", "review", "--members", "a,b", env=env)
    li("team", "send", "review", "first", "--from", "a", env=env)
    killed = li("team", "send", "review", "second", "--from", "a", env={**env, "LIONAGI_CRASH_AT": point})
    assert killed.code == -9

    (file,) = list_team_files(home.home)
    assert file.team is not None
    with Database(home.db) as db:
        assert (len(file.messages), len(rows(db, file.team.id))) == (in_file, in_table)
        drifts = db.read(lambda conn: find_drift(conn, home))
        assert [item.only_in_file for item in drifts] == ([in_file - in_table] if in_file > in_table else [])
        import_teams(db, home.home)
        assert rows(db, file.team.id) == ["first", "second"][:in_file]
        assert db.read(lambda conn: find_drift(conn, home)) == []
    after = li("team", "send", "review", "third", "--from", "b", env=env)
    assert after.code == 0, "a killed writer must not leave the team locked"


@pytest.mark.crash
def test_killed_import_can_be_repeated(home: Settings, tmp_path: Path) -> None:
    for number in range(6):
        put(home, {**OLD, "id": f"team{number}", "messages": [{"id": f"m{number}", "content": f"{number}"}]})
    other = home._replace(db=str(tmp_path / "other.db"))
    with Database(other.db) as db:
        import_teams(db, home.home)
        whole = dump(other.db)
    for time in range(1, 7):
        killed = subprocess.run(
            [LI, "state", "import-teams"],
            env=environment(LIONAGI_HOME=home.home, LIONAGI_CRASH_AT=f"team.imported:{time}"),
        )
        assert killed.returncode == -9
    assert li("state", "import-teams", env={"LIONAGI_HOME": home.home}).code == 0

    changing = {"changes", "schema_meta"}  # numbers and times of their own
    assert {name: table for name, table in dump(home.db).items() if name not in changing} == {
        name: table for name, table in whole.items() if name not in changing
    }
    assert os.path.exists(home.db)
