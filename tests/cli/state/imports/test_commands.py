"""`li state import`, `import-shows` and `import-db`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.support.archives import plant_bad_runs, write_external_db, write_home
from tests.support.commands import CommandResult, run_li, run_on_terminal

SHOW = "## Goal\nship\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with old runs, shows in both default folders, and another database."""
    monkeypatch.setenv("LIONAGI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LIONAGI_SHOWS", str(tmp_path / "khive"))
    write_home(tmp_path / "home")
    for root in ("khive", "home/shows"):
        (tmp_path / root / f"topic-{root[:1]}").mkdir(parents=True)
        (tmp_path / root / f"topic-{root[:1]}" / "_show.md").write_text(SHOW)
    write_external_db(tmp_path / "other.db")
    return tmp_path / "home"


def commands(home: Path) -> dict[str, list[str]]:
    return {
        "runs": ["state", "import"],
        "shows": ["state", "import-shows"],
        "database": ["state", "import-db", str(home.parent / "other.db")],
    }


def run(home: Path, name: str, *more: str) -> CommandResult:
    return run_li(*commands(home)[name], *more)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("runs", ["runs: 3 imported", "snapshots: 2 imported", "54 messages added"]),
        ("shows", ["shows: 2 imported"]),
        (
            "database",
            [
                "sessions: 4 imported",
                "shows: 1 imported",
                "teams: 1 imported",
                "definitions: 1 imported",
                "36 messages added",
            ],
        ),
    ],
)
def test_import_prints_counts(home: Path, name: str, lines: list[str]) -> None:
    done = run(home, name)

    assert (done.code, done.out.splitlines()) == (0, lines)
    again = run(home, name)
    assert (again.code, {line.partition(" ")[2] for line in again.out.splitlines()}) == (
        0,
        {line.partition(" ")[2].replace("imported", "unchanged") for line in lines if "messages" not in line},
    )


@pytest.mark.parametrize("name", ["runs", "shows", "database"])
def test_import_dry_run_creates_no_database(home: Path, name: str) -> None:
    done = run(home, name, "--dry-run", "--json")

    assert (done.code, done.json["dry_run"], done.json["imported"] > 0) == (0, True, True)
    assert not (home / "state.db").exists()


def test_import_json_lists_every_item(home: Path) -> None:
    bad = plant_bad_runs(home)

    done = run(home, "runs", "--json")

    result = done.json
    assert (done.code, result["schema_version"], result["interrupted"]) == (0, 1, False)
    assert result["kinds"]["run"] == {"imported": 3, "updated": 0, "unchanged": 0, "skipped": len(bad)}
    assert {item["name"] for item in result["items"] if item["outcome"] == "skipped"} == bad.keys()
    assert all(item["session_id"] for item in result["items"] if item["outcome"] == "imported")


def test_import_prints_escaped_reasons(home: Path) -> None:
    (home / "runs" / "evil\x1b[31m\nname").mkdir()

    done = run(home, "runs")

    assert "\x1b" not in done.out
    assert [line for line in done.out.splitlines() if line.startswith("  skipped run evil\\x1b[31m\\nname: ")]


def test_import_fails_only_if_everything_is_unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIONAGI_HOME", str(tmp_path))
    empty = run_li("state", "import")
    plant_bad_runs(tmp_path)
    bad = run_li("state", "import")

    assert (empty.code, empty.out) == (0, "Nothing to import.\n")
    assert bad.code == 1


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["import", "--root", "nowhere"], 3),
        (["import-shows", "--root", "nowhere"], 3),
        (["import-db", "nowhere"], 3),
        (["import-db"], 2),
        (["import-db", "."], 2),
        (["import-db", "home/state.db"], 2),
        (["import-db", "text"], 5),
        (["import", "--rooot", "x"], 2),
    ],
)
def test_import_rejects_invalid_sources(
    home: Path, arguments: list[str], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home.parent)
    run_li("state", "import-shows", "--no-index")
    (home.parent / "text").write_text("this is no database, whatever it is called" * 50)

    done = run_li("state", *arguments)

    assert (done.code, done.out) == (code, "")
    assert done.err.startswith("li: ")


def test_import_updates_the_index_unless_no_index(home: Path) -> None:
    run(home, "runs", "--no-index")
    left = run_li("state", "stats", "--json").json
    run(home, "database")
    filled = run_li("state", "stats", "--json").json

    assert _unindexed(left) == 54
    assert _unindexed(filled) == 0


def _unindexed(stats: dict[str, object]) -> int:
    found = [value for key, value in _leaves(stats) if "indexed" in key]
    assert len(found) == 1, stats
    return int(str(found[0]))


def _leaves(value: object, key: str = "") -> list[tuple[str, object]]:
    if isinstance(value, dict):
        return [leaf for name, item in value.items() for leaf in _leaves(item, name)]
    return [(key, value)]


def test_import_on_a_terminal_shows_progress_and_skipped_tables(home: Path) -> None:
    env = {name: os.environ[name] for name in ("LIONAGI_HOME", "LIONAGI_SHOWS")}

    done = run_on_terminal(*commands(home)["database"], env=env)

    assert done.code == 0
    assert "Importing" in done.out
    assert "sessions: 4 imported" in done.out
    assert "they belong to the other installation or tool: invocations." in done.out


def test_import_root_accepts_homes_and_run_folders(home: Path, tmp_path: Path) -> None:
    write_home(tmp_path / "elsewhere", runs=1)

    done = run_li("state", "import", "--root", str(tmp_path / "elsewhere" / "runs"), "--json")

    assert json.loads(done.out)["kinds"] == {"run": {"imported": 1, "updated": 0, "unchanged": 0, "skipped": 0}}
