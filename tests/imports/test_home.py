"""`li state import-home`: everything of an older home, with one report."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.support.archives import AssertUnchanged, write_external_db, write_home
from tests.support.builders import read, sql

from lionstudio.errors import InvalidInput
from lionstudio.imports.home import import_home
from lionstudio.imports.report import ItemOutcome, Report
from lionstudio.settings import Settings, load_settings
from lionstudio.state.database import Database
from lionstudio.state.teams import get_team, team_messages

TEAM = "71608b8026ee"


def team_file(*texts: str, members: tuple[str, ...] = ("analyst", "critic")) -> str:
    messages = [
        {"id": f"m-{text}", "from": "critic", "to": ["*"], "content": text, "timestamp": f"2026-05-01T10:00:0{n}+00:00"}
        for n, text in enumerate(texts)
    ]
    created = "2026-05-01T09:00:00+00:00"
    return json.dumps({"id": TEAM, "name": "review", "members": members, "messages": messages, "created_at": created})


@pytest.fixture
def old(tmp_path: Path) -> Path:
    home = tmp_path / "old"
    write_home(home)
    write_external_db(home / "state.db")
    for folder in ("teams", "agents/coder/refs", "playbooks", "skills/tidy", "shows/ship"):
        (home / folder).mkdir(parents=True)
    (home / "teams" / f"{TEAM}.json").write_text(team_file("one", "two"))
    (home / "agents" / "critic.md").write_text("---\nmodel: claude/opus\n---\nBe strict.\n")
    (home / "agents" / "coder" / "coder.md").write_text("Write code.\n")
    (home / "agents" / "coder" / "refs" / "style.md").write_text("Short lines.\n")
    (home / "playbooks" / "audit.playbook.yaml").write_text("name: audit\nprompt: Look at {input}\n")
    (home / "skills" / "tidy" / "SKILL.md").write_text("---\ndescription: tidy up\n---\n")
    (home / "shows" / "ship" / "_show.md").write_text("## Goal\nship\n")
    (home / "settings.yaml").write_text("theme: dark\n")
    return home


@pytest.fixture
def settings(tmp_path: Path, db: Database) -> Settings:
    (tmp_path / "home").mkdir(exist_ok=True)
    return load_settings({"home": str(tmp_path / "home"), "db": db.path})


def imported(db: Database, settings: Settings, root: Path, *, dry_run: bool = False) -> Report:
    report = Report()
    import_home(db, settings, str(root), report, dry_run=dry_run)
    return report


def tree(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(".lock"))
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def test_import_home_imports_every_part(db: Database, settings: Settings, old: Path) -> None:
    before = tree(old)

    report = imported(db, settings, old)

    assert report.total(ItemOutcome.SKIPPED) == 0
    assert {kind for kind, _ in report.counts} >= {"session", "run", "snapshot", "show", "team", "team file"}
    home = Path(settings.home)
    for name in ("agents/critic.md", "agents/coder/coder.md", "agents/coder/refs/style.md", "skills/tidy/SKILL.md"):
        assert (home / name).read_bytes() == before[name]
    assert [message.content for message in read(db, team_messages, TEAM)] == ["one", "two"]
    assert sql(db, "SELECT topic FROM shows ORDER BY topic") == [("ship",), ("t",)]
    assert report.files_left_out == ["settings.yaml"]
    assert tree(old) == before


def test_import_home_twice_writes_nothing(db: Database, settings: Settings, old: Path) -> None:
    imported(db, settings, old)
    files = tree(Path(settings.home))

    with AssertUnchanged(db):
        report = imported(db, settings, old)

    assert {outcome for _, outcome in report.counts} == {ItemOutcome.UNCHANGED}
    assert tree(Path(settings.home)) == files


def test_import_home_dry_run_reports_and_writes_nothing(db: Database, settings: Settings, old: Path) -> None:
    with AssertUnchanged(db):
        preview = imported(db, settings, old, dry_run=True)

    assert tree(Path(settings.home)) == {}
    # run folders whose sessions are in the database as well are new in a preview and merged in an import
    kinds = {kind for kind, _ in preview.counts} - {"run"}
    done = imported(db, settings, old)
    assert {key: n for key, n in preview.counts.items() if key[0] in kinds} == {
        key: n for key, n in done.counts.items() if key[0] in kinds
    }


def test_import_home_never_overwrites_an_authored_file(db: Database, settings: Settings, old: Path) -> None:
    mine = Path(settings.home) / "agents" / "critic.md"
    mine.parent.mkdir()
    mine.write_text("Mine.\n")

    report = imported(db, settings, old)

    assert mine.read_text() == "Mine.\n"
    [item] = [item for item in report.items if item.outcome is ItemOutcome.SKIPPED]
    assert (item.kind, item.name) == ("agent file", "critic.md")
    assert str(mine) in (item.reason or "")


def test_import_home_merges_a_team_of_the_same_id(db: Database, settings: Settings, old: Path) -> None:
    mine = Path(settings.home) / "teams" / f"{TEAM}.json"
    mine.parent.mkdir()
    mine.write_text(team_file("two", "three", members=("analyst", "owner")))

    imported(db, settings, old)

    assert sorted(message.content for message in read(db, team_messages, TEAM)) == ["one", "three", "two"]
    assert set(read(db, get_team, TEAM).members) == {"analyst", "critic", "owner"}
    contents = [message["content"] for message in json.loads(mine.read_text())["messages"]]
    assert sorted(contents) == ["one", "three", "two"]


def test_import_home_follows_no_link_out_of_the_home(
    db: Database, settings: Settings, old: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret.md").write_text("secret\n")
    (old / "agents" / "leak.md").symlink_to(tmp_path / "secret.md")
    os.mkfifo(old / "playbooks" / "pipe.playbook.yaml")

    report = imported(db, settings, old)

    skipped = {item.name for item in report.items if item.outcome is ItemOutcome.SKIPPED}
    assert skipped == {"leak.md", "pipe.playbook.yaml"}
    assert not (Path(settings.home) / "agents" / "leak.md").exists()


def test_import_home_imports_the_rest_beside_a_damaged_database(db: Database, settings: Settings, old: Path) -> None:
    (old / "state.db").write_bytes(b"not a database" * 100)

    report = imported(db, settings, old)

    assert [item.kind for item in report.items if item.outcome is ItemOutcome.SKIPPED] == ["database"]
    assert report.counts["run", ItemOutcome.IMPORTED] == 3


@pytest.mark.parametrize("entry", ["", "notes.txt"])
def test_import_home_refuses_a_folder_that_is_not_a_home(
    db: Database, settings: Settings, tmp_path: Path, entry: str
) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    if entry:
        (folder / entry).touch()

    with pytest.raises(InvalidInput, match="is not a home"):
        imported(db, settings, folder)


def test_import_home_refuses_its_own_home(db: Database, settings: Settings) -> None:
    (Path(settings.home) / "agents").mkdir()

    with pytest.raises(InvalidInput, match="into itself"):
        imported(db, settings, Path(settings.home))
