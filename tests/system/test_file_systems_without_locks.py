"""File systems without locks: a sentence and a hint, no traceback; simulated at the system call."""

from __future__ import annotations

import errno
import fcntl
from pathlib import Path

import apsw
import pytest

from lionstudio.errors import Busy, StorageFailed
from lionstudio.state.connection import translate
from lionstudio.system.filelock import RunLock, lock_state, locked, wait_for_flock


def fail(number: int) -> object:
    def refuse(*_: object) -> None:
        raise OSError(number, "refused")

    return refuse


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP])
def test_flock_that_is_not_supported_names_the_file_system(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fcntl, "flock", fail(number))
    path = str(tmp_path / "x.lock")

    with pytest.raises(StorageFailed, match="has no file locks") as error:
        RunLock.take(path)
    assert error.value.hint is not None
    assert "LIONAGI_HOME" in error.value.hint
    with pytest.raises(StorageFailed, match="has no file locks"), locked(path):
        pass
    with open(path) as file, pytest.raises(StorageFailed, match="has no file locks"):
        wait_for_flock(file.fileno())
    assert lock_state(path) == "untold"


def test_busy_database_without_record_locks_names_the_file_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "state.db")
    assert isinstance(translate(apsw.BusyError("locked"), path), Busy)
    monkeypatch.setattr(fcntl, "lockf", fail(errno.ENOLCK))

    assert "has no file locks" in translate(apsw.BusyError("locked"), path).message
