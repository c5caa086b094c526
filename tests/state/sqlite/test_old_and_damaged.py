"""Files that must not be taken for new ones, and old files where they cannot be written."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import apsw
import pytest
from tests.support.builders import begin, say
from tests.support.commands import run_li
from tests.support.old_files import make_v1, make_v3, make_v5

from lionstudio import record
from lionstudio.cli._toolkit import db_access
from lionstudio.errors import CorruptStore, StorageFailed
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.sqlite import open as state_open
from lionstudio.state.sqlite.open import SCHEMA_VERSION, open_reader, open_writer


def truncated(folder: Path) -> Path:
    """A database whose rows are only in the log, and whose file was emptied."""
    whole = folder / "whole.db"
    db = Database(str(whole))
    say(db, begin(db).branch_id, "hello")
    path = folder / "home" / "state.db"
    path.parent.mkdir()
    shutil.copy(f"{whole}-wal", f"{path}-wal")
    db.close()
    path.touch()
    return path


@pytest.mark.parametrize(
    "argv",
    [
        ("state", "ls"),
        ("state", "stats"),
        ("state", "doctor"),
        ("state", "checkpoint"),
        ("state", "vacuum"),
        ("state", "upgrade"),
        ("state", "search", "hello"),
        ("state", "prune", "--yes"),
        ("state", "backup", "copy.db"),
        ("agent", "script", "@say hi"),
    ],
)
def test_empty_file_beside_a_log_is_refused(
    argv: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = truncated(tmp_path)
    monkeypatch.chdir(tmp_path)
    log = Path(f"{path}-wal").read_bytes()

    done = run_li(*argv, "--home", str(path.parent))

    assert done.code == 5, done
    assert f"{path} is empty, but {path}-wal holds data" in done.err
    assert (path.stat().st_size, Path(f"{path}-wal").read_bytes() == log) == (0, True)
    assert sorted(os.listdir(path.parent)) == ["state.db", "state.db-wal"]


@pytest.mark.parametrize("argv", [("state", "ls"), ("state", "doctor"), ("ps",), ("agent", "script", "@say hi")])
def test_missing_file_beside_a_log_is_refused(argv: tuple[str, ...], tmp_path: Path) -> None:
    """The file was deleted alone: a new database would delete the log, which holds the rows."""
    path = truncated(tmp_path)
    path.unlink()
    log = Path(f"{path}-wal").read_bytes()

    done = run_li(*argv, "--home", str(path.parent))

    assert done.code == 5, done
    assert f"{path} is missing, but {path}-wal holds data" in done.err
    assert Path(f"{path}-wal").read_bytes() == log
    assert not path.exists()


@pytest.mark.parametrize(("pages_before", "refused"), [(3, True), (0, False)])
def test_empty_file_beside_a_journal(tmp_path: Path, pages_before: int, refused: bool) -> None:
    path = tmp_path / "state.db"
    path.touch()
    magic = bytes.fromhex("d9d505f920a163d7")
    header = magic + (0).to_bytes(4, "big") + (7).to_bytes(4, "big") + pages_before.to_bytes(4, "big")
    Path(f"{path}-journal").write_bytes(header.ljust(512, b"\0"))

    if refused:
        with pytest.raises(CorruptStore, match="holds data"):
            open_writer(str(path))
        assert Path(f"{path}-journal").stat().st_size == 512
    else:
        open_writer(str(path)).close()  # a creation that was killed


def test_empty_file_alone_is_a_new_database(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    path.touch()
    Path(f"{path}-wal").touch()

    Database(str(path)).close()
    open_reader(str(path)).close()


# ── old files ────────────────────────────────────────────────────────────


def test_upgrade_check_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    make_v5(path)
    before = path.read_bytes()

    done = run_li("state", "upgrade", "--check", "--db", str(path))

    assert (done.code, done.err) == (1, "")
    command = f"`li --db {path} state upgrade`"
    assert f"has schema version 5; {command} upgrades it to {SCHEMA_VERSION}" in done.out
    assert path.read_bytes() == before
    assert list(tmp_path.glob("*.bak")) == []


def test_upgrade_names_versions_and_backup_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    make_v3(path)

    done = run_li("state", "upgrade", "--db", str(path))
    [backup] = tmp_path.glob("*.bak")
    line = f"Upgrading {path} from schema version 3 to {SCHEMA_VERSION}; the old file is kept as {backup}"
    assert done == (0, f"Upgraded {path} from schema version 3 to {SCHEMA_VERSION}\n", f"{line}\n")

    again = run_li("state", "upgrade", "--db", str(path), "--json")
    assert (again.json["from_version"], again.json["version"], again.err) == (SCHEMA_VERSION, SCHEMA_VERSION, "")
    assert run_li("state", "upgrade", "--check", "--db", str(path)).code == 0


def test_upgrade_refuses_newer_and_missing_files(tmp_path: Path, blank: Path) -> None:
    path = Path(shutil.copy(blank, tmp_path / "state.db"))
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE schema_meta SET version = 99")
    connection.close()

    assert run_li("state", "upgrade", "--check", "--db", str(path)).code == 6
    assert run_li("state", "upgrade", "--db", str(tmp_path / "none.db")).code == 3


@pytest.mark.parametrize("version", [1, 3, 5])
def test_old_file_that_cannot_be_written_is_read_from_a_copy(
    version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "state.db"
    make_v1(path) if version == 1 else make_v3(path) if version == 3 else make_v5(path)
    before = path.read_bytes()

    def refuse(opened: str, *, create: bool = True) -> Connection:
        if opened == str(path):
            raise StorageFailed(f"{opened} cannot be written")
        return open_writer(opened, create=create)

    monkeypatch.setattr(db_access, "open_writer", refuse)
    session = "session 0" if version == 1 else "s0"
    listed = run_li("state", "ls", "--db", str(path))
    shown = run_li("state", "show", session, "--last", "1", "--db", str(path))
    exported = run_li("state", "export", session, "--format", "jsonl", "--db", str(path))

    assert (listed.code, shown.code, exported.code) == (0, 0, 0)
    assert session in listed.out
    assert listed.err.count("\n") == 1
    assert f"has schema version {version} and must be upgraded" in listed.err
    assert "reading a temporary copy, the file stays as it is" in listed.err
    assert path.read_bytes() == before
    assert list(tmp_path.glob("*.bak")) == []
    assert state_open.announce is db_access._say_line


# ── durability ───────────────────────────────────────────────────────────


@pytest.mark.parametrize(("value", "synchronous"), [("process", 1), ("power", 2)])
def test_durability_sets_what_a_commit_survives(
    value: str, synchronous: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIONAGI_DURABILITY", value)
    monkeypatch.setattr(state_open, "_durability", "process")
    path = str(tmp_path / "state.db")

    with record("r", path=path) as run:
        run.user("hello")
    stats = run_li("state", "stats", "--db", path, "--json").json
    with Database(path) as db:
        assert db.conn.value("PRAGMA synchronous") == synchronous
    assert stats["pragmas"]["synchronous"] == synchronous


def test_durability_refuses_other_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIONAGI_DURABILITY", "forever")

    assert "durability must be process or power" in run_li("state", "ls", "--home", str(tmp_path)).err
