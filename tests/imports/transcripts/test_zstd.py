"""Rollouts that Codex has compressed: the same transcript under the same name, read once, whatever its clothes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
import zstandard
from tests.support.builders import sql
from tests.support.sql_trace import traced
from tests.support.transcripts import CODEX, Codex, codex, everything, spoken

from lionstudio.imports.report import ItemOutcome, Report
from lionstudio.imports.transcripts.coverage import coverage
from lionstudio.imports.transcripts.sync import Mirror
from lionstudio.state.database import Database


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder of Codex."""
    return tmp_path / "tool"


def talk(root: Path, *, number: int = 0) -> Codex:
    rollout = Codex(root, number=number).begin()
    for turn in range(3):
        rollout.user(f"question {turn}")
        rollout.item("message", role="assistant", content=[{"type": "output_text", "text": f"answer {turn}"}])
    return rollout


def compress(rollout: Codex, *, frames: int = 1) -> Path:
    """As Codex does it: the compressed file first, then the plain one goes."""
    text = rollout.path.read_bytes()
    step = len(text) // frames + 1
    packed = rollout.path.with_name(rollout.path.name + ".zst")
    pieces = [text[at : at + step] for at in range(0, len(text), step)]
    packed.write_bytes(b"".join(zstandard.compress(piece) for piece in pieces))
    os.utime(packed, ns=(os.stat(rollout.path).st_mtime_ns,) * 2)
    rollout.path.unlink()
    return packed


@pytest.mark.parametrize("frames", [1, 4])
def test_one_that_was_never_seen_plain_is_read(db: Database, root: Path, frames: int, tmp_path: Path) -> None:
    rollout = talk(root)
    with Database(str(tmp_path / "plain.db")) as plain:
        codex(plain, root)
        wanted = spoken(plain, rollout.thread, CODEX)
    compress(rollout, frames=frames)
    report = codex(db, root)
    assert (report.messages, report.total(ItemOutcome.IMPORTED)) == (len(wanted), 1)
    assert spoken(db, rollout.thread, CODEX) == wanted
    before = everything(db)
    assert codex(db, root).messages == 0
    assert everything(db) == before


def test_one_that_is_compressed_later_is_the_same_transcript(db: Database, root: Path) -> None:
    rollout = talk(root)
    codex(db, root)
    text = rollout.path.read_bytes()
    packed = compress(rollout)
    with traced(db.conn) as ran:
        assert codex(db, root).messages == 0
    assert not [one for one in ran if "INTO messages" in one.sql]
    assert sql(db, "SELECT path, gone_at FROM mirror_files") == [(str(rollout.path), None)]
    covered = db.read(lambda conn: coverage(conn, CODEX, str(root)))
    assert (covered.mirrored_files, covered.behind_files, covered.kept_files) == (1, 0, 0)
    # resumed: it is unpacked again, and grows
    rollout.path.write_bytes(text)
    packed.unlink()
    rollout.user("one more")
    assert codex(db, root).messages == 1


def test_while_both_are_there_the_plain_one_counts(db: Database, root: Path) -> None:
    rollout = talk(root)
    text = rollout.path.read_bytes()
    compress(rollout)
    rollout.path.write_bytes(text)
    rollout.user("newer")
    assert codex(db, root).messages == 7


def test_a_change_of_clothes_while_it_is_followed(db: Database, root: Path) -> None:
    rollout = talk(root)
    mirror = Mirror(db, CODEX, str(root))
    mirror.run(Report())
    packed = compress(rollout)
    for path in (str(packed), str(rollout.path)):  # as the kernel tells it
        report = Report()
        mirror.read_paths([path], report)
        assert report.messages == 0
        assert report.total(ItemOutcome.SKIPPED) == 0
    assert sql(db, "SELECT gone_at FROM mirror_files") == [(None,)]
    packed.unlink()
    mirror.read_paths([str(packed)], Report())
    [(gone,)] = sql(db, "SELECT gone_at FROM mirror_files")
    assert gone is not None


@pytest.mark.parametrize("damage", [b"", b"not zstd at all", b"\x28\xb5\x2f\xfd" + b"\xff" * 100])
def test_a_damaged_one_is_one_line_of_the_report(db: Database, root: Path, damage: bytes) -> None:
    compress(talk(root, number=1))
    compress(talk(root, number=2)).write_bytes(damage)
    report = codex(db, root)
    assert report.total(ItemOutcome.IMPORTED) == 1
    if damage:
        [item] = [item for item in report.items if item.outcome is ItemOutcome.SKIPPED]
        assert "damaged compression" in (item.reason or "")


def test_one_that_is_cut_short_gives_its_whole_lines_and_the_rest_later(db: Database, root: Path) -> None:
    rollout = talk(root)
    for number in range(2000):
        rollout.user(f"{number} {number * 7919} {number**3}")
    packed = compress(rollout)
    whole = packed.read_bytes()
    packed.write_bytes(whole[: len(whole) // 2])
    first = codex(db, root).messages
    packed.write_bytes(whole)
    assert first + codex(db, root).messages == 2006


def test_without_the_package_it_is_skipped_with_the_reason(
    db: Database, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compress(talk(root))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    monkeypatch.setitem(sys.modules, "compression", None)
    [item] = codex(db, root).items
    assert item.outcome is ItemOutcome.SKIPPED
    assert "pip install zstandard" in (item.reason or "")
    monkeypatch.undo()
    assert codex(db, root).messages == 6


def test_nothing_stays_behind(db: Database, root: Path) -> None:
    compress(talk(root))
    before = set(os.listdir(os.path.dirname(db.path)))
    codex(db, root)
    assert set(os.listdir(os.path.dirname(db.path))) == before
