"""Tools that bring SQLite 3.40 (Debian 12) read and write the file; here it is the one that Python links."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.support.builders import begin, read, say
from tests.support.old_files import make_v3

from lionstudio.model.message_text import text_of
from lionstudio.state.database import Database
from lionstudio.state.sqlite.fulltext import index_all, search

SCHEMA_DOC = Path(__file__).parents[2] / "docs" / "reference" / "schema.md"

# a process of its own: two SQLite libraries in one process drop each other's locks
RUNNER = """
import json, sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.text_factory = lambda data: data.decode("utf-8", "replace")
results = []
for statement in json.load(sys.stdin):
    rows = connection.execute(statement).fetchall()
    results.append([[value.hex() if isinstance(value, bytes) else value for value in row] for row in rows])
connection.commit()
json.dump(results, sys.stdout)
"""


def run_old(path: Path | str, *statements: str) -> list[list[list[Any]]]:
    """The rows of each statement, by Python's own SQLite."""
    done = subprocess.run(
        [sys.executable, "-c", RUNNER, str(path)], input=json.dumps(statements), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    results: list[list[list[Any]]] = json.loads(done.stdout)
    return results


def indexed_words(path: Path | str) -> set[str]:
    """Every word that the index of messages contains."""
    connection = apsw.Connection(str(path))
    connection.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab ('main', 'messages_fts', 'row')")
    words = {str(row[0]) for row in connection.execute("SELECT term FROM temp.words")}
    connection.close()
    return words


@pytest.fixture
def upgraded(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    make_v3(path)
    Database(str(path)).close()
    return path


def test_old_sqlite_reads_every_table_and_view(upgraded: Path) -> None:
    [names] = run_old(upgraded, "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")

    # an index without sizes can be matched, not listed, by any version
    listed = [name for (name,) in names if name != "sessions_words_fts"]
    run_old(upgraded, *(f'SELECT * FROM "{name}"' for name in listed))  # noqa: S608  (names of our own schema)
    [[integrity], hits] = run_old(
        upgraded,
        "PRAGMA integrity_check",
        "SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'needle' ORDER BY rowid",
    )
    assert integrity == ["ok"]
    assert hits == [[1], [100], [1001], [2001]]


def test_old_sqlite_runs_the_statements_of_the_schema_page(upgraded: Path) -> None:
    statements = re.findall(r"```sql\n(.*?)```", SCHEMA_DOC.read_text(encoding="utf-8"), re.DOTALL)

    results = run_old(upgraded, *(statement.replace("'…'", "'s1'") for statement in statements))

    assert statements
    assert all(results)


def test_old_sqlite_may_insert_change_and_delete_messages(db: Database) -> None:
    session = begin(db)
    say(db, session.branch_id, "alpha", "beta", "gamma")
    index_all(db.conn)

    run_old(
        db.path,
        "INSERT INTO messages (id, created_at, content) VALUES ('delta', 5.0, '{\"x\": \"delta\"}')",
        "UPDATE messages SET content = '{\"x\": \"changed\"}' WHERE id = 'alpha'",
        "UPDATE messages SET content = '{\"x\": \"again\"}' WHERE id = 'alpha'",
        "DELETE FROM messages WHERE id = 'beta'",
        "UPDATE sessions SET name = 'renamed'",
    )

    for _ in range(2):
        hits = {
            word: [hit.message_id for hit in read(db, search, word)] for word in ("alpha", "again", "beta", "delta")
        }
        assert hits == {"alpha": [], "again": ["alpha"], "beta": [], "delta": ["delta"]}
        index_all(db.conn)
    assert indexed_words(db.path) == {"again", "gamma", "delta"}
    assert db.conn.all("SELECT * FROM search_dirty") == []
    db.conn.execute("INSERT INTO messages_fts (messages_fts) VALUES ('integrity-check')")


# The index forgets a message with the text that it was indexed with. A changed rule needs a migration that empties
# the index, and a new checksum here.
def test_text_of_a_message_keeps_its_rules() -> None:
    contents = [
        {"instruction": "one\ntwo", "n": 1, "x": 2.5, "yes": True, "no": None},
        {"function": "grep", "arguments": {"a": ["b", {"c": "d"}]}, "output": [["e"], "f"]},
        ["g", ["h", 3]],
        "plain",
        7,
        None,
    ]

    digest = sha256(json.dumps([text_of(content) for content in contents]).encode()).hexdigest()[:16]
    assert digest == "e3fec5b10168aee7"
