"""Opening bad files in place of the database, and the SQLite library that the product loads."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.support.children import PYTHON, ROOT, environment
from tests.support.invariants import assert_whole
from tests.support.old_files import add_old_sessions

from lionstudio.errors import CorruptStore, LionError, NotFound, StorageFailed
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database, reading
from lionstudio.state.runs.run_list import list_sessions
from lionstudio.state.sqlite.maintenance import backup
from lionstudio.state.sqlite.open import LINEAGE, SCHEMA_VERSION, version_of
from lionstudio.state.upkeep.doctor import examine

PAGE = 4096
SESSIONS = 30


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A filled database; tests damage copies of it."""
    path = tmp_path_factory.mktemp("filled") / "state.db"
    add_old_sessions(path, sessions=SESSIONS, messages=10)
    return path


def overwrite(path: Path, at: int, content: bytes) -> None:
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(content)


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def replace_by_link(path: Path) -> None:
    path.unlink()
    path.symlink_to(path)


def replace_home(path: Path) -> None:
    shutil.rmtree(path.parent)
    path.parent.touch()


# The fault, how to cause it, and the error of a writer or reader.
Ruin = Callable[[Path], object]
RUINS: dict[str, tuple[Ruin, type[LionError], type[LionError]]] = {
    "a text": (lambda path: path.write_text("once upon a time " * 500), CorruptStore, CorruptStore),
    "a short text": (lambda path: path.write_text("hello"), CorruptStore, CorruptStore),
    "no header": (lambda path: overwrite(path, 0, bytes(100)), CorruptStore, CorruptStore),
    "no first page": (lambda path: overwrite(path, 0, bytes(PAGE)), CorruptStore, CorruptStore),
    "noise after the first page": (
        lambda path: overwrite(path, PAGE, os.urandom(path.stat().st_size - PAGE)),
        CorruptStore,
        CorruptStore,
    ),
    "half of it": (lambda path: os.truncate(path, path.stat().st_size // 2), CorruptStore, CorruptStore),
    "cut in a page": (lambda path: os.truncate(path, path.stat().st_size // 2 + 99), CorruptStore, CorruptStore),
    "a folder": (replace_by_folder, StorageFailed, StorageFailed),
    "a link to itself": (replace_by_link, StorageFailed, NotFound),
    "a file in place of the home": (replace_home, StorageFailed, NotFound),
}


@pytest.mark.parametrize("ruin", RUINS)
def test_open_refuses_a_bad_file_in_one_sentence(ruin: str, filled: Path, tmp_path: Path) -> None:
    ruined, for_writers, for_readers = RUINS[ruin]
    path = tmp_path / "home" / "state.db"
    path.parent.mkdir()
    shutil.copy(filled, path)
    ruined(path)
    before = path.read_bytes() if path.is_file() else None

    with pytest.raises(for_writers, match=str(path.parent)):
        Database(str(path))
    with pytest.raises(for_readers, match=str(path.parent)), reading(str(path)) as conn:
        list_sessions(conn)
    with pytest.raises(for_readers, match=str(path.parent)):
        backup(str(path), str(tmp_path / "copy"))

    assert before is None or path.read_bytes() == before, "a refusal changes nothing"
    assert [name for name in os.listdir(tmp_path) if name.startswith("copy")] == []


def test_open_writer_turns_an_empty_file_into_a_database(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    path.touch()
    with pytest.raises(NotFound, match="is empty"), reading(str(path)):
        pass
    assert_whole(path, [])
    assert pragmas(path) == ("wal", 2)


def test_version_of_reads_in_one_transaction(tmp_path: Path) -> None:
    path = str(tmp_path / "state.db")
    maker = threading.Thread(target=lambda: Database(path).close())

    class Slow(Connection):
        """Another process creates the file right after the first statement, if that is possible."""

        def all(self, sql: str, params: Any = ()) -> list[tuple[Any, ...]]:
            found = Connection.all(self, sql, params)
            maker.start()
            maker.join(0.3)
            return found

    raw = apsw.Connection(path)
    assert version_of(Slow(raw, path)) in (None, (SCHEMA_VERSION, LINEAGE))
    raw.close()
    maker.join()


def test_open_ignores_a_log_of_noise(filled: Path, tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    shutil.copy(filled, path)
    for beside in ("-wal", "-shm"):
        Path(f"{path}{beside}").write_bytes(os.urandom(32768))
    assert assert_whole(path, []).sessions == SESSIONS


def pragmas(path: Path) -> tuple[str, int]:
    """journal_mode and auto_vacuum as the file has them."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    found = connection.execute("SELECT * FROM pragma_journal_mode, pragma_auto_vacuum").fetchall()
    connection.close()
    [(journal, vacuum)] = found
    return str(journal), int(str(vacuum))


@pytest.mark.parametrize("table", ["messages", "progression_items", "messages_fts_data", "branches", "changes"])
def test_damage_in_one_table_keeps_the_others_readable(table: str, filled: Path, tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    shutil.copy(filled, path)
    for page in pages_of(table, filled):
        overwrite(path, (page - 1) * PAGE, os.urandom(PAGE))

    with reading(str(path)) as conn:
        assert len(list_sessions(conn).rows) == SESSIONS
        assert {finding.code for finding in examine(conn)} == {"file.damaged"}


def pages_of(table: str, path: Path) -> list[int]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    found = connection.execute("SELECT pageno FROM dbstat WHERE name = ?", (table,)).fetchall()
    connection.close()
    return [int(str(page)) for (page,) in found]


def test_open_without_wal_support_fails_at_once() -> None:
    with pytest.raises(StorageFailed, match="without WAL support"):
        Database(":memory:")


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o027, 0o077])
def test_open_creates_files_for_the_owner_only(umask: int, tmp_path: Path) -> None:
    home = tmp_path / "home"
    path = home / "state.db"
    before = os.umask(umask)
    try:
        with Database(str(path), long_lived=True):
            modes = {name.name: stat.S_IMODE(name.stat().st_mode) for name in home.iterdir()}
            backup(str(path), str(tmp_path / "copy"))
            assert os.umask(umask) == umask, "the mask of the program stays as it was"
    finally:
        os.umask(before)
    assert modes == {"state.db": 0o600, "state.db-wal": 0o600, "state.db-shm": 0o600}
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "copy").stat().st_mode) == 0o600


EVERYTHING = """
import importlib, json, pkgutil, sys
import lionstudio
for module in pkgutil.walk_packages(lionstudio.__path__, "lionstudio."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
from lionstudio.state.database import Database
Database(sys.argv[1]).close()
with open("/proc/self/maps") as maps:
    mapped = sorted({line.split()[-1] for line in maps if "sqlite" in line or "apsw" in line})
print(json.dumps([mapped, sorted(name for name in sys.modules if "sqlite3" in name)]))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_product_loads_only_the_sqlite_of_apsw(tmp_path: Path) -> None:
    mapped, modules = child(EVERYTHING, tmp_path / "state.db")
    assert modules == []
    assert len(mapped) == 1
    assert "apsw" in mapped[0]


# Opening and closing the file by hand drops the locks that SQLite holds on it.
WATCHED = """
import json, os, sys
from pathlib import Path
path = sys.argv[1]
touched = []
def watch(event, arguments):
    if event in ("open", "sqlite3.connect", "shutil.copyfile", "os.truncate") and arguments:
        name = arguments[0]
        if isinstance(name, (str, bytes)) and os.path.basename(os.fsdecode(name)).startswith("state.db"):
            touched.append([event, os.fsdecode(name)])
from tests.support.workload import WORKS
from tests.support.old_files import add_old_sessions, make_v1
from lionstudio.state.sqlite.tail import Tail
from lionstudio.state.database import reading
from lionstudio.state.upkeep.doctor import examine
from lionstudio.state.messages.export import export
from lionstudio.state.sqlite.fulltext import search
from lionstudio.state.sqlite.maintenance import stats
make_v1(Path(path))
sys.addaudithook(watch)
saved, nothing = os.dup(1), os.open(os.devnull, os.O_WRONLY)
os.dup2(nothing, 1)
for work in WORKS.values():
    work(path, 2)
with Tail(path) as tail, reading(path) as conn:
    tail.look(); list(examine(conn, deep=True)); stats(conn, sizes=True); search(conn, "message")
    for form in ("json", "md"):
        list(export(conn, conn.value("SELECT id FROM sessions"), form))
os.dup2(saved, 1)
print(json.dumps(touched))
"""


def test_product_never_opens_the_database_file_itself(tmp_path: Path) -> None:
    assert child(WATCHED, tmp_path / "state.db") == []


INHERITED = """
import json, os, subprocess, sys
from lionstudio.runs.api import record
from lionstudio.state.database import Database
LIST = "import os; print(*[os.path.realpath(f'/proc/self/fd/{n}') for n in os.listdir('/proc/self/fd')])"
with record("parent", path=sys.argv[1]) as run, Database(sys.argv[1], long_lived=True) as database:
    run.user("hello")
    database.read(lambda conn: conn.value("SELECT count(*) FROM messages"))
    ours = " ".join(os.path.realpath(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd"))
    theirs = subprocess.check_output([sys.executable, "-c", LIST], close_fds=False, text=True)
print(json.dumps([[text.count("state.db"), text.count(".lock")] for text in (ours, theirs)]))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_child_process_inherits_no_descriptor(tmp_path: Path) -> None:
    ours, theirs = child(INHERITED, tmp_path / "state.db")
    assert min(ours) > 0, "the parent has them open"
    assert theirs == [0, 0]


def child(script: str, path: Path) -> list[Any]:
    """The JSON output of a Python process."""
    done = subprocess.run(
        [*PYTHON, "-c", script, str(path)],
        cwd=ROOT,
        env=environment(LIONAGI_HOME=str(path.parent)),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout)
    return found
