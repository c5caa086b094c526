"""`li state import`, `import-shows` and `import-db` as a person and a script see them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.support.archives import plant_bad_runs, write_external_db, write_home
from tests.support.commands import Said, here, on_terminal

SHOW = "## Goal\nship\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with old runs, shows in both usual places, and another database beside it."""
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


def run(home: Path, name: str, *more: str) -> Said:
    return here(*commands(home)[name], *more)


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
def test_counts_for_a_pipe(home: Path, name: str, lines: list[str]) -> None:
    done = run(home, name)

    assert (done.code, done.out.splitlines()) == (0, lines)
    again = run(home, name)
    assert (again.code, {line.partition(" ")[2] for line in again.out.splitlines()}) == (
        0,
        {line.partition(" ")[2].replace("imported", "unchanged") for line in lines if "messages" not in line},
    )


@pytest.mark.parametrize("name", ["runs", "shows", "database"])
def test_a_dry_run_does_not_even_make_the_database(home: Path, name: str) -> None:
    done = run(home, name, "--dry-run", "--json")

    assert (done.code, done.json["dry_run"], done.json["imported"] > 0) == (0, True, True)
    assert not (home / "state.db").exists()


def test_json_has_an_entry_for_each_item(home: Path) -> None:
    bad = plant_bad_runs(home)

    done = run(home, "runs", "--json")

    said = done.json
    assert (done.code, said["schema_version"], said["interrupted"]) == (0, 1, False)
    assert said["kinds"]["run"] == {"imported": 3, "updated": 0, "unchanged": 0, "skipped": len(bad)}
    assert {item["name"] for item in said["items"] if item["outcome"] == "skipped"} == bad.keys()
    assert all(item["session_id"] for item in said["items"] if item["outcome"] == "imported")


def test_reasons_are_printed_one_a_line_and_harmless(home: Path) -> None:
    (home / "runs" / "evil\x1b[31m\nname").mkdir()

    done = run(home, "runs")

    assert "\x1b" not in done.out
    assert [line for line in done.out.splitlines() if line.startswith("  skipped run evil\\x1b[31m\\nname: ")]


def test_nothing_readable_is_a_failure_and_nothing_there_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIONAGI_HOME", str(tmp_path))
    empty = here("state", "import")
    plant_bad_runs(tmp_path)
    bad = here("state", "import")

    assert (empty.code, empty.out) == (0, "There is nothing to import.\n")
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
def test_what_cannot_be_done_is_said(
    home: Path, arguments: list[str], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home.parent)
    here("state", "import-shows", "--no-index")
    (home.parent / "text").write_text("this is no database, whatever it is called" * 50)

    done = here("state", *arguments)

    assert (done.code, done.out) == (code, "")
    assert done.err.startswith("li: ")


def test_the_search_index_is_filled_unless_it_is_left_for_later(home: Path) -> None:
    run(home, "runs", "--no-index")
    left = here("state", "stats", "--json").json
    run(home, "database")
    filled = here("state", "stats", "--json").json

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


def test_a_bar_on_a_terminal_and_what_is_left_out(home: Path) -> None:
    env = {name: os.environ[name] for name in ("LIONAGI_HOME", "LIONAGI_SHOWS")}

    done = on_terminal(*commands(home)["database"], env=env)

    assert done.code == 0
    assert "Importing" in done.out
    assert "sessions: 4 imported" in done.out
    assert "Tables that were not read: invocations." in done.out


def test_other_homes_and_folders_of_runs_may_be_named(home: Path, tmp_path: Path) -> None:
    write_home(tmp_path / "elsewhere", runs=1)

    done = here("state", "import", "--root", str(tmp_path / "elsewhere" / "runs"), "--json")

    assert json.loads(done.out)["kinds"] == {"run": {"imported": 1, "updated": 0, "unchanged": 0, "skipped": 0}}
