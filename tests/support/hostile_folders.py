"""Folders as the world fills them: every kind of item that a careless reader hangs, chokes or dies on."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534
MEGABYTE = 1_000_000

ALIAS_BOMB = "\n".join(
    ["a0: &a0 [x, x, x, x, x, x, x, x, x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9))]
)
DEEP_YAML = "a: " + "[" * 5000 + "]" * 5000
DEEP_JSON = "[" * 100_000


def plant(path_of: Callable[[str], Path], *, broken: bytes, bomb: bytes) -> dict[str, Path]:
    """Put one item of every bad kind where `path_of` says a file of that name belongs; name → path."""
    planted = {
        name: path_of(name)
        for name in (
            "not-utf8",
            "broken",
            "bomb",
            "empty",
            "nul",
            "huge",
            "pipe",
            "socket",
            "folder",
            "loop",
            "dangling",
            "device",
            "closed",
            "line\nbreak",
            "\udcff\udcfe",
        )
    }
    for path in planted.values():
        path.parent.mkdir(parents=True, exist_ok=True)
    planted["not-utf8"].write_bytes(b"---\nmodel: \xff\xfe\n---\n\x80")
    planted["broken"].write_bytes(broken)
    planted["bomb"].write_bytes(bomb)
    planted["empty"].touch()
    planted["nul"].write_bytes(b"a\0b")
    with planted["huge"].open("wb") as file:
        file.truncate(300 * MEGABYTE)
    os.mkfifo(planted["pipe"])
    _bind(planted["socket"])
    planted["folder"].mkdir()
    planted["loop"].symlink_to(planted["loop"].name)
    planted["dangling"].symlink_to("nowhere-at-all")
    planted["device"].symlink_to("/dev/zero")
    planted["closed"].write_text("you may not read this")
    planted["closed"].chmod(0)
    planted["line\nbreak"].write_bytes(broken)
    planted["\udcff\udcfe"].write_bytes(broken)
    return planted


def _bind(path: Path) -> None:
    """A socket in the file system; its path may be longer than a bind allows."""
    before = os.getcwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path.name)
    finally:
        os.chdir(before)


@contextmanager
def as_unprivileged_user(folder: Path) -> Iterator[None]:
    """Run the block as an unprivileged user, even where tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    folder.chmod(0o755)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that anybody can reach; every test run closes the one that pytest gives for others."""
    made = Path(tempfile.mkdtemp(prefix="li-test-"))
    try:
        yield made
    finally:
        shutil.rmtree(made)
