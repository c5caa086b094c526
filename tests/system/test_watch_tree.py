"""Watches of single files and folders; watches of trees are tested by the follower of transcripts."""

from __future__ import annotations

import os
import select
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from lionstudio.system.watch_tree import ENTRIES, REPLACED, WRITTEN, FolderWatch, PathWatch, watch_paths

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="inotify")


@pytest.fixture
def folders() -> Iterator[FolderWatch]:
    watch = FolderWatch()
    yield watch
    watch.close()


def test_path_watch_reports_the_paths_with_events(tmp_path: Path) -> None:
    log, file, folder = tmp_path / "log", tmp_path / "file", tmp_path / "folder"
    for path in (log, file):
        path.write_text("1")
    folder.mkdir()
    watch = PathWatch({str(log): WRITTEN, str(file): REPLACED, str(folder): ENTRIES})
    try:
        file.write_text("2")
        assert watch.drain() == set(), "written, not replaced"
        log.write_text("2")
        (folder / "new").touch()
        os.replace(log, file)
        assert select.select([watch], [], [], 30)[0] == [watch]
        assert watch.drain() == {str(log), str(file), str(folder)}
    finally:
        watch.close()


def test_watch_paths_returns_none_for_a_missing_path_and_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)

    assert watch_paths({str(tmp_path / "missing"): WRITTEN}) is None
    assert watch_paths({str(tmp_path / "link"): ENTRIES}) is None


def test_folder_watch_sets_the_events_of_a_folder(folders: FolderWatch, tmp_path: Path) -> None:
    names = ("one", "two")
    events = {name: threading.Event() for name in names}
    for name in names:
        (tmp_path / name).mkdir()
        assert folders.notify(str(tmp_path / name), events[name])
    (tmp_path / "one" / "file").write_text("x")

    assert events["one"].wait(30)
    assert not events["two"].is_set()


def test_folder_watch_forgets_one_event_and_keeps_another(folders: FolderWatch, tmp_path: Path) -> None:
    first, second = threading.Event(), threading.Event()
    for event in (first, second):
        folders.notify(str(tmp_path), event)
    folders.forget(str(tmp_path), first)
    (tmp_path / "file").write_text("x")

    assert second.wait(30)
    assert not first.is_set()
    folders.forget(str(tmp_path), second)
    assert folders.notify(str(tmp_path), first), "watched again"
    (tmp_path / "file").write_text("y")
    assert first.wait(30)


def test_folder_watch_refuses_a_missing_folder(folders: FolderWatch, tmp_path: Path) -> None:
    assert not folders.notify(str(tmp_path / "missing"), threading.Event())
