"""The view `progressions` reads and writes like the plain table of ADR-0009."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.contract.test_records_sql import by_old_tool, make_upgraded
from tests.support.builders import begin, read_history, say

from lionstudio.state.database import Database

Rows = list[tuple[Any, ...]]
START = ["m-sys", "m-ask"]


@pytest.fixture(scope="module")
def upgraded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("upgraded") / "state.db"
    make_upgraded(path)
    return path


@pytest.fixture(params=["new", "upgraded"])
def run(request: pytest.FixtureRequest, blank: Path, upgraded: Path, tmp_path: Path) -> Iterator[Callable[..., Rows]]:
    path = shutil.copy(blank if request.param == "new" else upgraded, tmp_path / "state.db")
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA foreign_keys = ON")

    def run(sql: str, **bound: Any) -> Rows:
        return connection.execute(sql, bound).fetchall()

    run("INSERT INTO progressions (id, created_at, collection) VALUES ('p', 5.0, :c)", c=json.dumps(START))
    yield run
    connection.close()


def collection(run: Callable[..., Rows], id_: str = "p") -> Any:
    [(text,)] = run("SELECT collection FROM progressions WHERE id = :id", id=id_)
    return json.loads(text)


CHANGES = {
    "appended by json_insert": ("json_insert(collection, '$[#]', 'm-say')", [*START, "m-say"]),
    "prepended": ('\'["m-say","m-sys","m-ask"]\'', ["m-say", *START]),
    "replaced": ('\'["a","b","c"]\'', ["a", "b", "c"]),
    "reversed": ('\'["m-ask","m-sys"]\'', START[::-1]),
    "shortened": ("'[\"m-sys\"]'", ["m-sys"]),
    "emptied": ("'[]'", []),
    "set to NULL": ("NULL", []),
    "the same": ("collection", START),
    "with spaces": ('\' [ "m-sys" ,\n\t"m-ask" , "m-say" ] \'', [*START, "m-say"]),
    "with the same id twice": ('\'["x","x"]\'', ["x", "x"]),
    "with escapes": (r"""'["\u00e9 \"q\" \\", "🦁", ""]'""", ['é "q" \\', "🦁", ""]),
    "by json_remove": ("json_remove(collection, '$[0]')", ["m-ask"]),
    "by json_set": ("json_set(collection, '$[1]', 'other')", ["m-sys", "other"]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_progressions_update_replaces_the_collection(run: Callable[..., Rows], change: str) -> None:
    expression, expected = CHANGES[change]

    run(f"UPDATE progressions SET collection = {expression} WHERE id = 'p'")  # noqa: S608

    assert collection(run) == expected
    assert run("SELECT value FROM progressions p, json_each(collection) WHERE p.id = 'p' ORDER BY key") == [
        (id_,) for id_ in expected
    ]


REFUSED = [
    "",
    "m-sys,m-ask",
    '["cut',
    "{}",
    '{"a":1}',
    '"text"',
    "12",
    "null",
    "[null]",
    "[1]",
    "[1.5]",
    "[true]",
    '[["m-sys"]]',
    '[{"id":"m-sys"}]',
    '["m-sys",null]',
]


@pytest.mark.parametrize("text", REFUSED)
def test_progressions_reject_a_collection_that_is_not_an_array_of_ids(run: Callable[..., Rows], text: str) -> None:
    for statement in (
        "UPDATE progressions SET collection = :c WHERE id = 'p'",
        "INSERT INTO progressions (id, created_at, collection) VALUES ('other', 1.0, :c)",
        "INSERT OR REPLACE INTO progressions (id, created_at, collection) VALUES ('p', 1.0, :c)",
    ):
        with pytest.raises(apsw.ConstraintError, match="must be a JSON array of message ids"):
            run(statement, c=text)

    assert collection(run) == START
    assert run("SELECT count(*) FROM progressions WHERE id = 'other'") == [(0,)]


def test_progressions_insert_needs_only_an_id(run: Callable[..., Rows]) -> None:
    run("INSERT INTO progressions (id) VALUES ('q')")

    [(id_, created_at, text)] = run("SELECT * FROM progressions WHERE id = 'q'")
    assert (id_, text) == ("q", "[]")
    assert abs(created_at - run("SELECT unixepoch()")[0][0]) < 60


def test_progressions_insert_rejects_a_duplicate_id(run: Callable[..., Rows]) -> None:
    with pytest.raises(apsw.ConstraintError, match="UNIQUE"):
        run("INSERT INTO progressions VALUES ('p', 1.0, '[\"x\"]')")

    assert collection(run) == START


@pytest.mark.parametrize("text", ["[]", '["x"]', '["x","y"]', '["x","y","z","v"]'])
@pytest.mark.parametrize("before", [[], START])
def test_progressions_insert_or_ignore_keeps_the_old_row(
    run: Callable[..., Rows], text: str, before: list[str]
) -> None:
    run("UPDATE progressions SET collection = :c WHERE id = 'p'", c=json.dumps(before))

    run("INSERT OR IGNORE INTO progressions VALUES ('p', 1.0, :c)", c=text)
    run("INSERT OR IGNORE INTO progressions VALUES ('q', 1.0, :c)", c=text)

    assert (collection(run), collection(run, "q")) == (before, json.loads(text))
    assert run("SELECT created_at FROM progressions WHERE id IN ('p', 'q')") == [(5.0,), (1.0,)]


@pytest.mark.parametrize("text", ["[]", '["x"]', '["x","y","z"]'])
def test_progressions_insert_or_replace_replaces_the_row(run: Callable[..., Rows], text: str) -> None:
    run("INSERT OR REPLACE INTO progressions VALUES ('p', 9.0, :c)", c=text)
    run("REPLACE INTO progressions VALUES ('q', 9.0, :c)", c=text)

    assert (collection(run), collection(run, "q")) == (json.loads(text), json.loads(text))
    assert run("SELECT count(*) FROM progression_items WHERE prog NOT IN (SELECT pk FROM progression_heads)") == [(0,)]


def test_progressions_insert_or_replace_keeps_the_owning_session(run: Callable[..., Rows]) -> None:
    run("INSERT INTO sessions (id, created_at, progression_id) VALUES ('owner', 1.0, 'p')")

    run("INSERT OR REPLACE INTO progressions VALUES ('p', 9.0, '[\"x\"]')")

    assert run(
        "SELECT s.id, p.collection FROM sessions s JOIN progressions p ON p.id = s.progression_id WHERE s.id = 'owner'"
    ) == [("owner", '["x"]')]


def test_progressions_update_changes_id_and_time(run: Callable[..., Rows]) -> None:
    run("UPDATE progressions SET id = 'renamed', created_at = 7.5 WHERE id = 'p'")

    assert run("SELECT * FROM progressions WHERE id IN ('p', 'renamed')") == [("renamed", 7.5, '["m-sys","m-ask"]')]


def test_progressions_update_changes_many_rows(run: Callable[..., Rows]) -> None:
    run("INSERT INTO progressions VALUES ('q', 1.0, '[]'), ('r', 1.0, '[\"a\"]')")

    run("UPDATE progressions SET collection = json_insert(collection, '$[#]', 'z') WHERE id IN ('p', 'q', 'r')")

    assert [collection(run, id_) for id_ in "pqr"] == [[*START, "z"], ["z"], ["a", "z"]]


def test_progressions_delete_removes_the_items(run: Callable[..., Rows]) -> None:
    items = run("SELECT count(*) FROM progression_items")[0][0]

    run("DELETE FROM progressions WHERE id = 'p'")

    assert run("SELECT count(*) FROM progressions WHERE id = 'p'") == [(0,)]
    assert run("SELECT count(*) FROM progression_items") == [(items - len(START),)]


def test_progressions_delete_rejects_one_that_a_session_owns(run: Callable[..., Rows]) -> None:
    run("INSERT INTO sessions (id, created_at, progression_id) VALUES ('owner', 1.0, 'p')")

    with pytest.raises(apsw.ConstraintError, match="FOREIGN KEY"):
        run("DELETE FROM progressions WHERE id = 'p'")

    assert collection(run) == START


def test_progressions_returning_gives_the_written_values(run: Callable[..., Rows]) -> None:
    assert run("INSERT INTO progressions VALUES ('q', 1.0, '[\"a\"]') RETURNING id, collection") == [("q", '["a"]')]
    assert run("UPDATE progressions SET collection = '[]' WHERE id = 'q' RETURNING id, collection") == [("q", "[]")]
    assert run("DELETE FROM progressions WHERE id = 'q' RETURNING id") == [("q",)]


def test_progressions_of_a_message_can_be_found(run: Callable[..., Rows]) -> None:
    run("UPDATE progressions SET collection = '[\"only-here\",\"x\"]' WHERE id = 'p'")

    assert run("SELECT p.id FROM progressions p, json_each(collection) WHERE value = 'only-here'") == [("p",)]
    assert run("""SELECT h.id FROM progression_items i JOIN progression_heads h ON h.pk = i.prog
                   WHERE i.message_id = 'only-here'""") == [("p",)]


@pytest.mark.parametrize("text", ['["x"]', '["x","y","z"]'])
def test_append_continues_after_another_tool_wrote(db: Database, text: str) -> None:
    session, branch = begin(db)
    say(db, branch, "a", "b")
    other = apsw.Connection(db.path)
    for owner in ("sessions", "branches"):
        other.execute(
            f"UPDATE progressions SET collection = ? WHERE id = (SELECT progression_id FROM {owner} LIMIT 1)",  # noqa: S608
            (text,),
        )
    other.close()

    say(db, branch, "c")

    assert read_history(db, branch) == [*json.loads(text), "c"]
    assert db.conn.value(
        "SELECT collection FROM progressions WHERE id = (SELECT progression_id FROM sessions WHERE id = :id)",
        {"id": session},
    ) == json.dumps([*json.loads(text), "c"], separators=(",", ":"))


def test_leftover_items_never_appear_in_another_progression(db: Database) -> None:
    other = apsw.Connection(db.path)  # foreign keys are off by default
    other.execute("PRAGMA foreign_keys = OFF")
    other.execute("INSERT INTO progressions VALUES ('p', 1.0, '[\"a\",\"b\"]')")
    other.execute("INSERT OR REPLACE INTO progressions VALUES ('p', 1.0, '[\"x\"]')")
    other.execute("DELETE FROM progressions WHERE id = 'p'")
    assert other.execute("SELECT prog, message_id FROM progression_items").fetchall() == [(1, "a"), (1, "b")]
    other.close()

    _, branch = begin(db)
    say(db, branch, "c")

    assert read_history(db, branch) == ["c"]


@pytest.mark.slow
def test_old_sqlite_reads_and_writes_progressions(tmp_path: Path, blank: Path) -> None:
    run = by_old_tool(Path(shutil.copy(blank, tmp_path / "state.db")))

    run("INSERT INTO progressions VALUES ('p', 1.0, '[\"a\"]')")
    run("UPDATE progressions SET collection = json_insert(collection, '$[#]', 'b') WHERE id = 'p'")
    run('INSERT OR IGNORE INTO progressions VALUES (\'p\', 1.0, \'["x","y","z"]\')')
    assert run("SELECT collection FROM progressions") == [('["a","b"]',)]

    run("INSERT OR REPLACE INTO progressions VALUES ('p', 1.0, '[\"x\"]')")
    assert run("SELECT value FROM progressions, json_each(collection)") == [("x",)]
    with pytest.raises(AssertionError, match="must be a JSON array of message ids"):
        run("UPDATE progressions SET collection = '[1]'")

    run("DELETE FROM progressions WHERE id = 'p'")
    assert run("SELECT count(*) FROM progressions") == [("0",)]
