"""Safe reads, atomic writes, name checks and file locks."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lionstudio.errors import Busy, InvalidInput, LionError, NotFound, StorageFailed
from lionstudio.system import atomic_write, safe_read
from lionstudio.system.filelock import locked
from lionstudio.system.filenames import check_name, fault_of_name, shown


@pytest.mark.parametrize("name", ["reviewer", "a", "über-prüfer", "v1.2_x", "a b", "名前", "x" * 100])
def test_check_name_accepts(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../x",
        "a/b",
        "/etc/passwd",
        "a\\b",
        "a\0b",
        "a\nb",
        "-rf",
        ".hidden",
        " x",
        "x ",
        "\u202ex",
        "\ud800",
        "x" * 101,
        "é" * 51,
        None,
        7,
        b"x",
    ],
)
def test_check_name_refuses(name: object) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_name(name)
    assert refused.value.message.isprintable()


@given(st.text())
def test_check_name_is_one_path_component(name: str) -> None:
    if fault_of_name(name) is None:
        assert os.path.normpath(os.path.join("/top", name)) == f"/top/{name}"
        assert os.path.dirname(f"/top/{name}") == "/top"


@given(st.text(st.characters(codec=None, exclude_categories=())))
def test_shown_is_printable(text: str) -> None:
    assert shown(text).isprintable()


def test_read_text_is_exact(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_bytes(b"\xef\xbb\xbfline\r\nline\n")

    assert safe_read.read_text(str(path)) == "\ufeffline\r\nline\n"


@pytest.mark.parametrize(
    ("content", "reason"), [(b"\xff", "is not UTF-8 (byte 1)"), (b"a\0", "contains NUL"), (b"x" * 11, "larger than")]
)
def test_read_text_refuses_content(content: bytes, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)

    with pytest.raises(InvalidInput, match=f".*{reason.replace('(', '.').replace(')', '.')}"):
        safe_read.read_text(str(path), most=10)


def test_read_bytes_bounds_a_growing_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"x" * 5)
    monkeypatch.setattr(os, "read", lambda _descriptor, size: b"x" * size)

    with pytest.raises(InvalidInput, match="larger than"):
        safe_read.read_bytes(str(path), most=10)


def test_read_bytes_does_not_open_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    done: list[LionError] = []

    def read() -> None:
        try:
            safe_read.read_bytes(str(path))
        except LionError as refused:
            done.append(refused)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    thread.join(5)
    assert "is a pipe" in done[0].message
    with pytest.raises(OSError, match="No such device"):  # the pipe has no reader
        os.open(path, os.O_WRONLY | os.O_NONBLOCK)


def test_read_text_keeps_links_within_root(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "root-beside"
    root.mkdir()
    outside.mkdir()
    (outside / "x").write_text("out")
    (root / "y").write_text("in")
    (root / "inner").symlink_to("y")
    (root / "outer").symlink_to(outside / "x")
    (root / "folder").symlink_to(outside)

    assert safe_read.read_text(str(root / "inner"), root=str(root)) == "in"
    assert safe_read.read_text(str(root / "outer")) == "out"
    for path in ("outer", "folder/x"):
        with pytest.raises(InvalidInput, match="leads out of"):
            safe_read.read_text(str(root / path), root=str(root))


def test_read_text_missing_file(tmp_path: Path) -> None:
    (tmp_path / "dangling").symlink_to("nowhere")

    with pytest.raises(NotFound, match="does not exist"):
        safe_read.read_text(str(tmp_path / "x"))
    with pytest.raises(NotFound, match="a broken symbolic link"):
        safe_read.read_text(str(tmp_path / "dangling"))
    assert safe_read.list_folder(str(tmp_path / "x")) == []


def test_write_text_replaces_file_and_keeps_mode(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text("old and long")
    path.chmod(0o640)

    atomic_write.write_text(str(path), "new é")

    assert path.read_text(encoding="utf-8") == "new é"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["x.md"]


def test_write_text_mode_of_new_file_and_folders(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        atomic_write.write_text(str(tmp_path / "home" / "agents" / "x.md"), "x")
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "home" / "agents" / "x.md").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700


def test_write_text_replaces_the_target_of_a_link(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "dotfiles" / "x.md").write_text("old")
    (tmp_path / "x.md").symlink_to("dotfiles/x.md")

    atomic_write.write_text(str(tmp_path / "x.md"), "new")

    assert (tmp_path / "x.md").is_symlink()
    assert (tmp_path / "dotfiles" / "x.md").read_text() == "new"


def test_write_text_refuses_a_lone_surrogate(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("old")

    with pytest.raises(InvalidInput, match=r"not valid Unicode \(character 2\)"):
        atomic_write.write_text(str(tmp_path / "x"), "a\ud800")
    assert (tmp_path / "x").read_text() == "old"


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_write_text_failure_keeps_the_old_file(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x").write_text("old")

    def fail(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(StorageFailed, match="No space left"):
        atomic_write.write_text(str(tmp_path / "x"), "new")
    monkeypatch.undo()
    assert (tmp_path / "x").read_text() == "old"
    assert os.listdir(tmp_path) == ["x"]


def test_remove_stale_removes_only_old_temporary_files(tmp_path: Path) -> None:
    old, young, foreign = (tmp_path / name for name in (f".li-{'0' * 16}.tmp", f".li-{'1' * 16}.tmp", ".other.tmp"))
    for path in (old, young, foreign):
        path.touch()
    for path in (old, foreign):
        os.utime(path, (time.time() - 2 * atomic_write.STALE_AFTER,) * 2)

    atomic_write.write_text(str(tmp_path / "x"), "x")

    assert sorted(os.listdir(tmp_path)) == [young.name, foreign.name, "x"]


@pytest.mark.crash
@pytest.mark.parametrize("existing", [True, False])
def test_write_text_killed_keeps_the_old_file(existing: bool, tmp_path: Path) -> None:
    path = tmp_path / "x"
    if existing:
        path.write_text("old")
    code = "import sys; from lionstudio.system.atomic_write import write_text; write_text(sys.argv[1], 'new')"
    killed = subprocess.run(
        [sys.executable, "-c", code, str(path)], env={**os.environ, "LIONAGI_CRASH_AT": "file.temporary_written"}
    )

    assert killed.returncode == -9
    assert (path.read_text() if path.exists() else None) == ("old" if existing else None)


def test_locked_is_exclusive_within_its_block(tmp_path: Path) -> None:
    path = str(tmp_path / "folder" / "x.lock")

    with locked(path), pytest.raises(Busy, match="another process holds"), locked(path, timeout=0.05):
        pass
    with locked(path, timeout=0):
        pass


def test_locked_is_freed_when_holder_is_killed(tmp_path: Path) -> None:
    path = str(tmp_path / "x.lock")
    code = "import sys, time; from lionstudio.system.filelock import locked\n"
    code += "with locked(sys.argv[1]): print(flush=True), time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(Busy), locked(path, timeout=0):
            pass
        holder.kill()
        with locked(path, timeout=5):
            pass


def test_locked_does_not_follow_a_link(tmp_path: Path) -> None:
    (tmp_path / "x.lock").symlink_to("elsewhere")

    with pytest.raises(StorageFailed), locked(str(tmp_path / "x.lock")):
        pass
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(("folder_mode", "mode"), [(0o700, 0o600), (0o777, 0o644)])
def test_write_text_does_not_trust_the_umask(tmp_path: Path, folder_mode: int, mode: int) -> None:
    tmp_path.chmod(folder_mode)
    before = os.umask(0)
    try:
        atomic_write.write_text(str(tmp_path / "_show.md"), "a plan")
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "_show.md").stat().st_mode) == mode


def test_private_umask_of_two_threads_is_restored(tmp_path: Path) -> None:
    """As of two threads that create a database each: the first leaves while the second is still inside."""
    before = os.umask(0o022)
    try:
        first, second = atomic_write.private_umask(), atomic_write.private_umask()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        (tmp_path / "inside").touch()
        second.__exit__(None, None, None)
        (tmp_path / "after").touch()
    finally:
        os.umask(before)

    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("inside", "after")] == [0o600, 0o644]
