"""Upgrading a database of the design records' own SQL makes a backup and loses nothing."""

from __future__ import annotations

import json
from pathlib import Path

import apsw
import pytest
from tests.support.builders import read, read_history
from tests.support.records import VARIANTS, dump, lost

from lionstudio.model.messages import create_message
from lionstudio.model.status.statuses import DISPLAY_MAP
from lionstudio.state.branches import get_branch
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.messages.rows import get_message
from lionstudio.state.runs.run_list import list_sessions
from lionstudio.state.sessions import get_session
from lionstudio.state.shows import get_show, list_plays
from lionstudio.state.teams import get_team, team_messages
from lionstudio.state.upkeep.doctor import examine

pytestmark = pytest.mark.parametrize("name", VARIANTS)


@pytest.fixture
def old(name: str, tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    VARIANTS[name].make(path)
    return path


def test_upgrade_backup_equals_the_old_file(old: Path) -> None:
    before, soundness = dump(old), integrity(old)

    Database(str(old)).close()

    backups = [path for path in old.parent.iterdir() if path.name.endswith(".bak")]
    assert [dump(path) for path in backups] == [before]
    assert [path for path in old.parent.iterdir() if ".partial" in path.name] == []
    assert integrity(backups[0]) == soundness
    assert backups[0].stat().st_mode & 0o077 == 0


def integrity(path: Path) -> list[str]:
    connection = apsw.Connection(str(path))
    found = [row[0] for row in connection.execute("PRAGMA integrity_check")]
    connection.close()
    return found


def test_upgrade_keeps_every_value(old: Path) -> None:
    before = dump(old)

    Database(str(old)).close()

    assert lost(before, dump(old)) == []


def test_upgrade_result_passes_all_checks(old: Path) -> None:
    with Database(str(old)) as db:
        assert db.conn.value("PRAGMA integrity_check") == "ok"
        assert db.conn.all("PRAGMA foreign_key_check") == []
        errors = [found for found in db.read(lambda conn: list(examine(conn, deep=True))) if found.severity == "error"]
    assert errors == []


def test_upgrade_result_is_readable_through_the_api(old: Path) -> None:
    with Database(str(old)) as db:
        page = db.read(list_sessions)
        ids = [row["id"] for row in page.rows]
        assert sorted(ids) == sorted(row["id"] for row in dump(old)["sessions"])
        for id_ in ids:
            assert read(db, get_session, id_).status in DISPLAY_MAP
        for row in dump(old)["messages"]:
            assert read(db, get_message, row["id"]).id == row["id"]


def test_upgrade_runs_once(old: Path) -> None:
    Database(str(old)).close()
    once = dump(old)

    Database(str(old)).close()

    assert dump(old) == once
    assert len([path for path in old.parent.iterdir() if path.name.endswith(".bak")]) == 1


def test_upgrade_result_accepts_every_message_class(old: Path) -> None:
    contents: list[dict[str, object]] = [
        {"system_message": "s"},
        {"instruction": "i"},
        {"assistant_response": "a"},
        {"function": "f", "arguments": {}},
        {"function": "f", "output": 1, "action_request_id": "x"},
    ]
    with Database(str(old)) as db:
        branch, session = db.conn.one("SELECT id, session_id FROM branches ORDER BY id LIMIT 1") or ("", "")
        before = read_history(db, branch)
        made = [create_message(content) for content in contents]
        db.write(lambda conn: [append(conn, branch, message, late=True) for message in made])
        after = read_history(db, branch)
        counted = read(db, get_session, session).message_count
        stored = [read(db, get_message, message.id) for message in made]
    assert after == before + [message.id for message in made]
    assert stored == made
    assert counted == len(json.loads(_session_collection(old, session)))


def _session_collection(path: Path, session: str) -> str:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    found = connection.execute(
        "SELECT p.collection FROM sessions s JOIN progressions p ON p.id = s.progression_id WHERE s.id = ?", (session,)
    ).fetchall()
    return str(found[0][0])


def test_upgrade_keeps_shows_and_teams(old: Path, name: str) -> None:
    with Database(str(old)) as db:
        if "shows" in VARIANTS[name].scripts:
            show = read(db, get_show, "docs")
            plays = read(db, list_plays, show.id)
            assert (show.goal, show.status, show.status_source) == ("Write the docs", "active", "sqlite")
            assert [(p.name, p.depends_on) for p in plays if p.name in ("review", "publish")] == [
                ("review", ()),
                ("publish", ("review",)),
            ]
        if "teams" in VARIANTS[name].scripts:
            team = read(db, get_team, "review")
            sent = read(db, team_messages, team.id)
            assert team.members == ("analyst", "critic")
            assert {"Start analysis", "done"} <= {message.content for message in sent}
        if "v1" in VARIANTS[name].scripts:
            assert read_history(db, "b-fork") == ["m-sys", "m-ask", "m-fork"]
            assert read(db, get_branch, "b-main").metadata["tools"] == ["Bash"]
