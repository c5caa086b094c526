"""Versions of definitions: numbered, never changed, guarded against a lost update."""

from __future__ import annotations

import hashlib

import pytest
from tests.support.builders import read, write

from lionstudio.errors import Conflict, InvalidInput, NotFound
from lionstudio.state.database import Database
from lionstudio.state.definitions import find_version, get_version, list_versions, save_version


def test_save_version_numbers_versions(db: Database) -> None:
    first = write(db, save_version, "agent", "a", "one", path="/a.md", author="ada", message="begin")
    second = write(db, save_version, "agent", "a", "two")

    assert (first.version, second.version) == (1, 2)
    assert first.sha256 == hashlib.sha256(b"one").hexdigest()
    assert read(db, list_versions, "agent", "a") == [second, first]
    assert read(db, get_version, "agent", "a") == second
    assert read(db, get_version, "agent", "a", 1) == first
    assert (first.path, first.author, first.message) == ("/a.md", "ada", "begin")


def test_save_version_separates_kinds_and_names(db: Database) -> None:
    for kind, name in (("agent", "a"), ("playbook", "a"), ("agent", "b"), ("skill", "a"), ("plugin", "a")):
        assert write(db, save_version, kind, name, "text").version == 1


def test_save_version_ignores_the_same_text(db: Database) -> None:
    first = write(db, save_version, "agent", "a", "one")

    assert write(db, save_version, "agent", "a", "one", author="another author") == first
    assert len(read(db, list_versions, "agent", "a")) == 1


def test_save_version_accepts_an_old_text_again(db: Database) -> None:
    for text in ("one", "two", "one"):
        write(db, save_version, "agent", "a", text)

    assert [version.content for version in read(db, list_versions, "agent", "a")] == ["one", "two", "one"]


def test_save_version_rejects_an_outdated_etag(db: Database) -> None:
    base = write(db, save_version, "agent", "a", "one")
    write(db, save_version, "agent", "a", "two", expected=base.sha256)

    with pytest.raises(Conflict, match="changed by another process"):
        write(db, save_version, "agent", "a", "mine", expected=base.sha256)

    assert read(db, get_version, "agent", "a").content == "two"
    assert write(db, save_version, "agent", "new", "text", expected="anything").version == 1


@pytest.mark.parametrize("text", ["", "a\0b", "\ud800", "🦁" * 1000])
def test_save_version_keeps_or_escapes_any_text(db: Database, text: str) -> None:
    saved = write(db, save_version, "agent", "a", text)

    assert read(db, get_version, "agent", "a") == saved
    assert write(db, save_version, "agent", "a", text).version == 1


@pytest.mark.parametrize("name", ["", "x" * 201, "a\nb", "\0"])
def test_save_version_rejects_an_unprintable_name(db: Database, name: str) -> None:
    with pytest.raises(InvalidInput):
        write(db, save_version, "agent", name, "text")


def test_find_version_without_a_version(db: Database) -> None:
    write(db, save_version, "agent", "a", "one")

    assert read(db, find_version, "agent", "missing") is None
    assert read(db, list_versions, "agent", "missing") == []
    for number in (0, 2, -1):
        with pytest.raises(NotFound):
            read(db, get_version, "agent", "a", number)
