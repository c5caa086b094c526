"""An existing home is made private; folders that are not homes are left alone."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from tests.support.commands import run_li

from lionstudio.errors import StorageFailed
from lionstudio.state.upkeep.private_home import make_private


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_command_makes_an_open_home_private_with_one_line(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert run_li("agent", "script", "@say hi", "--home", str(home)).code == 0
    home.chmod(0o755)
    (home / "state.db").chmod(0o644)

    first, second = (run_li("state", "ls", "--home", str(home)) for _ in range(2))

    assert first.err == f"Made {home} private: its mode was 0755 and is 0700 now\n"
    assert second.err == ""
    assert (mode(home), mode(home / "state.db")) == (0o700, 0o600)


def test_files_of_a_new_home_are_private_whatever_the_umask(tmp_path: Path) -> None:
    home, before = tmp_path / "home", os.umask(0)
    try:
        assert run_li("agent", "script", "@say hi", "--home", str(home)).code == 0
    finally:
        os.umask(before)

    assert mode(home) == 0o700
    assert {path.name for path in home.rglob("*") if mode(path) & 0o077 and not path.is_symlink()} == set()


def test_other_folders_keep_their_mode(tmp_path: Path) -> None:
    plain, shared = tmp_path / "plain", tmp_path / "shared"
    plain.mkdir(mode=0o755)
    shared.mkdir()
    (shared / "state.db").touch()
    shared.chmod(0o1777)

    assert [make_private(str(folder)) for folder in (plain, shared, tmp_path / "absent")] == [None, None, None]
    assert (mode(plain), mode(shared)) == (0o755, 0o1777)


@pytest.mark.skipif(os.getuid() != 0, reason="changing the owner needs root")
@pytest.mark.parametrize(("owner", "permissions", "allowed"), [(65534, 0o777, False), (65534, 0o700, True)])
def test_home_that_other_users_can_write_is_refused(
    tmp_path: Path, owner: int, permissions: int, allowed: bool
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "state.db").touch()
    os.chown(home, owner, owner)
    home.chmod(permissions)

    done = run_li("config", "--home", str(home))

    assert (done.code == 0) is allowed
    assert allowed or f"belongs to another user (uid {owner})" in done.err


def test_home_of_another_user_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = tmp_path.stat().st_uid
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    monkeypatch.setattr(os, "access", lambda *_: False)

    with pytest.raises(StorageFailed, match=f"belongs to another user \\(uid {owner}\\)") as error:
        make_private(str(tmp_path))
    assert error.value.hint is not None
    assert "LIONAGI_HOME" in error.value.hint


def test_private_home_does_not_become_writable(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert run_li("agent", "script", "@say hi", "--home", str(home)).code == 0
    (home / "state.db").chmod(0o444)
    home.chmod(0o555)

    done = run_li("state", "ls", "--home", str(home))

    assert done.err == f"Made {home} private: its mode was 0555 and is 0500 now\n"
    assert (home.stat().st_mode & 0o777, (home / "state.db").stat().st_mode & 0o777) == (0o500, 0o400)
    home.chmod(0o700)
