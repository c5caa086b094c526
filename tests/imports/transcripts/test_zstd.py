"""Compressed rollouts: the same transcript under the same key, read once."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from backports.zstd import compress as zstd_compress
from tests.support.builders import sql
from tests.support.sql_trace import traced
from tests.support.transcripts import CODEX, CodexTranscript, all_rows, codex, main_branch

from lionstudio.imports.report import ItemOutcome, Report
from lionstudio.imports.transcripts import zstd
from lionstudio.imports.transcripts.coverage import coverage
from lionstudio.imports.transcripts.sync import Mirror
from lionstudio.state.database import Database


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder of Codex."""
    return tmp_path / "tool"


def talk(root: Path, *, number: int = 0) -> CodexTranscript:
    rollout = CodexTranscript(root, number=number).begin()
    for turn in range(3):
        rollout.user(f"question {turn}")
        rollout.item("message", role="assistant", content=[{"type": "output_text", "text": f"answer {turn}"}])
    return rollout


def compress(rollout: CodexTranscript, *, frames: int = 1) -> Path:
    """Compress as Codex does: write the compressed file, then delete the plain one."""
    text = rollout.path.read_bytes()
    step = len(text) // frames + 1
    packed = rollout.path.with_name(rollout.path.name + ".zst")
    pieces = [text[at : at + step] for at in range(0, len(text), step)]
    packed.write_bytes(b"".join(zstd_compress(piece) for piece in pieces))
    os.utime(packed, ns=(os.stat(rollout.path).st_mtime_ns,) * 2)
    rollout.path.unlink()
    return packed


@pytest.mark.parametrize("frames", [1, 4])
def test_compressed_rollout_is_read(db: Database, root: Path, frames: int, tmp_path: Path) -> None:
    rollout = talk(root)
    with Database(str(tmp_path / "plain.db")) as plain:
        codex(plain, root)
        wanted = main_branch(plain, rollout.thread, CODEX)
    compress(rollout, frames=frames)
    report = codex(db, root)
    assert (report.messages, report.total(ItemOutcome.IMPORTED)) == (len(wanted), 1)
    assert main_branch(db, rollout.thread, CODEX) == wanted
    before = all_rows(db)
    assert codex(db, root).messages == 0
    assert all_rows(db) == before


def test_rollout_compressed_later_is_same_transcript(db: Database, root: Path) -> None:
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


def test_plain_rollout_wins_over_compressed(db: Database, root: Path) -> None:
    rollout = talk(root)
    text = rollout.path.read_bytes()
    compress(rollout)
    rollout.path.write_bytes(text)
    rollout.user("newer")
    assert codex(db, root).messages == 7


def test_follow_rollout_while_it_is_compressed(db: Database, root: Path) -> None:
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
def test_damaged_compression_is_reported(db: Database, root: Path, damage: bytes) -> None:
    compress(talk(root, number=1))
    compress(talk(root, number=2)).write_bytes(damage)
    report = codex(db, root)
    assert report.total(ItemOutcome.IMPORTED) == 1
    if damage:
        [item] = [item for item in report.items if item.outcome is ItemOutcome.SKIPPED]
        assert "damaged compression" in (item.reason or "")


def test_truncated_compression_reads_complete_lines(db: Database, root: Path) -> None:
    rollout = talk(root)
    for number in range(2000):
        rollout.user(f"{number} {number * 7919} {number**3}")
    packed = compress(rollout)
    whole = packed.read_bytes()
    packed.write_bytes(whole[: len(whole) // 2])
    first = codex(db, root).messages
    packed.write_bytes(whole)
    assert first + codex(db, root).messages == 2006


def test_missing_decoder_is_reported(db: Database, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compress(talk(root))
    monkeypatch.setitem(sys.modules, "backports", None)
    monkeypatch.setitem(sys.modules, "compression", None)
    [item] = codex(db, root).items
    assert item.outcome is ItemOutcome.SKIPPED
    assert "pip install backports.zstd" in (item.reason or "")
    monkeypatch.undo()
    assert codex(db, root).messages == 6


@pytest.mark.sqlite
def test_unpack_leaves_no_files(db: Database, root: Path) -> None:
    compress(talk(root))
    before = set(os.listdir(os.path.dirname(db.path)))
    codex(db, root)
    assert set(os.listdir(os.path.dirname(db.path))) == before


def test_unpack_refuses_a_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zstd, "_MOST_UNCHECKED", 2**20)
    bomb = tmp_path / "bomb.jsonl.zst"
    bomb.write_bytes(zstd_compress(b"\0" * (8 * 2**20)))

    with pytest.raises(OSError, match="more than 200 times larger"):
        zstd.unpack(os.open(bomb, os.O_RDONLY), str(tmp_path))

    assert [path.name for path in tmp_path.iterdir()] == ["bomb.jsonl.zst"]
