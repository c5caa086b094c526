"""Transcripts that their tool has compressed: Codex packs a rollout that nobody touched for a week as `….jsonl.zst`.

The text is unpacked into a file without a name and read like any other, so it goes on where the plain file was left.
"""

from __future__ import annotations

import os
import tempfile
from typing import IO, Any

SUFFIX = ".zst"
_MOST_BYTES = 8 * 2**30  # of unpacked text; the largest rollouts people report are 2 GB
_CHUNK = 1024 * 1024


def plain_name(path: str) -> str:
    """The name of a transcript as its tool wrote it at first; it is known by that."""
    return path.removesuffix(SUFFIX)


def unpack(descriptor: int, folder: str) -> int:
    """A descriptor of the unpacked text, in a file of that folder without a name; OSError says what is wrong."""
    with os.fdopen(descriptor, "rb") as packed, tempfile.TemporaryFile(dir=folder) as text:
        _copy(packed, text)
        return os.dup(text.fileno())


def _copy(packed: IO[bytes], text: IO[bytes]) -> None:
    reader, errors = _reader(packed)
    size = 0
    try:
        while chunk := reader.read(_CHUNK):
            size += len(chunk)
            if size > _MOST_BYTES:
                raise OSError(0, f"it holds more than {_MOST_BYTES // 2**30} GB")
            text.write(chunk)
        text.flush()
    except errors as error:
        raise OSError(0, f"its compression is damaged ({error})") from None


def _reader(packed: IO[bytes]) -> tuple[Any, tuple[type[Exception], ...]]:
    """A stream of unpacked bytes, and what it raises for damage; Python brings one from 3.14 on."""
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]

        return zstd.ZstdFile(packed), (zstd.ZstdError, EOFError)
    except ImportError:
        pass
    try:
        import zstandard
    except ImportError:
        raise OSError(0, "it is compressed; to read it: pip install zstandard") from None
    return zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True), (zstandard.ZstdError,)
