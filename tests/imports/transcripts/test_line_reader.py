"""The complete lines of a file that another program is writing."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lionstudio.imports.transcripts.line_reader import Line, checksum, read_lines

Open = Callable[[bytes], int]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    descriptors = []

    def write(content: bytes) -> int:
        path = tmp_path / "file"
        path.write_bytes(content)
        descriptors.append(os.open(path, os.O_RDONLY))
        return descriptors[-1]

    yield write
    for descriptor in descriptors:
        os.close(descriptor)


def test_read_lines_yields_lines_with_end_offsets(opened: Open) -> None:
    lines = list(read_lines(opened(b"one\n\ntwo\n"), 0))
    assert lines == [Line(bytearray(b"one"), 4), Line(bytearray(b""), 5), Line(bytearray(b"two"), 9)]


def test_read_lines_leaves_incomplete_line(opened: Open) -> None:
    assert [line.end for line in read_lines(opened(b'{"a":1}\n{"b"'), 0)] == [8]


def test_read_lines_leaves_line_cut_inside_character(opened: Open) -> None:
    cut = '{"a":"é"}'.encode()[:7]
    assert list(read_lines(opened(cut), 0)) == []


def test_read_lines_accepts_complete_object_without_newline(opened: Open) -> None:
    assert list(read_lines(opened(b'{"a":1}'), 0)) == [Line(bytearray(b'{"a":1}'), 7)]


def test_read_lines_late_newline_is_empty_line(opened: Open) -> None:
    assert list(read_lines(opened(b'{"a":1}\n{"b":2}\n'), 7)) == [
        Line(bytearray(b""), 8),
        Line(bytearray(b'{"b":2}'), 16),
    ]


def test_read_lines_skips_too_long_line(opened: Open) -> None:
    content = b"a\n" + b"x" * 3_000_000 + b"\nb\n"
    lines = list(read_lines(opened(content), 0, longest=10_000))
    assert [bytes(line.text) for line in lines if line.text is not None] == [b"a", b"b"]
    assert [line.end for line in lines if line.text is None and not line.within] == [3_000_003]


def test_read_lines_continues_skipping(opened: Open) -> None:
    lines = list(read_lines(opened(b"xxxx rest\nb\n"), 4, within=True))
    assert [(line.text, line.end) for line in lines] == [(None, 10), (bytearray(b"b"), 12)]


def test_read_lines_leaves_line_cut_after_inner_object(opened: Open) -> None:
    assert list(read_lines(opened(b'{"a":{"b":1}'), 0)) == []


@given(st.lists(st.text(max_size=8).map(lambda text: {"a": {"b": text}}), max_size=12), st.integers(0, 400))
def test_read_lines_in_two_parts_equals_once(records: list[Any], cut: int) -> None:
    lines = [json.dumps(record, ensure_ascii=False).encode() for record in records]
    content = b"".join(line + b"\n" for line in lines)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        path.write_bytes(content[:cut])
        result = _read(path, 0)
        path.write_bytes(content)
        result += _read(path, result[-1].end if result else 0)
    assert [bytes(line.text) for line in result if line.text] == lines


def _read(path: Path, start: int) -> list[Line]:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return list(read_lines(descriptor, start))
    finally:
        os.close(descriptor)


def test_checksum_covers_start_and_end(opened: Open) -> None:
    content = bytes(range(256)) * 100
    whole = checksum(opened(content), len(content))
    assert whole == checksum(opened(content + b"more"), len(content))
    assert whole != checksum(opened(b"!" + content[1:]), len(content))
    assert whole != checksum(opened(content[:-1] + b"!"), len(content))
