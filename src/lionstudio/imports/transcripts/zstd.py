"""Compressed transcripts: Codex compresses a rollout that was not touched for a week to `….jsonl.zst`.

The text is decompressed into an unnamed temporary file and read like any other, so an import continues where it was.
"""

from __future__ import annotations

import os
import tempfile
from typing import IO, Any

SUFFIX = ".zst"
_MAX_BYTES = 8 * 2**30  # of decompressed text; the largest reported rollouts have 2 GB
_MOST_RATIO = 200  # of decompressed to compressed bytes; transcripts reach about 20
_MOST_UNCHECKED = 64 * 2**20  # bytes of decompressed text, whatever their ratio
_CHUNK = 1024 * 1024


def plain_name(path: str) -> str:
    """The path of a transcript before it was compressed."""
    return path.removesuffix(SUFFIX)


def unpack(descriptor: int, folder: str) -> int:
    """Decompress into an unnamed file in this folder and return its descriptor; OSError has the reason of a failure."""
    with os.fdopen(descriptor, "rb") as compressed, tempfile.TemporaryFile(dir=folder) as text:
        _copy(compressed, text)
        return os.dup(text.fileno())


def _copy(compressed: IO[bytes], text: IO[bytes]) -> None:
    reader, errors = _reader(compressed)
    most = max(_MOST_UNCHECKED, _MOST_RATIO * os.fstat(compressed.fileno()).st_size)
    size = 0
    try:
        while chunk := reader.read(_CHUNK):
            size += len(chunk)
            if size > _MAX_BYTES:
                raise OSError(0, f"larger than {_MAX_BYTES // 2**30} GB when decompressed")
            if size > most:
                raise OSError(0, f"more than {_MOST_RATIO} times larger when decompressed")
            text.write(chunk)
        text.flush()
    except errors as error:
        raise OSError(0, f"damaged compression ({error})") from None


def _reader(compressed: IO[bytes]) -> tuple[Any, tuple[type[Exception], ...]]:
    """A stream of decompressed bytes and its exceptions for damaged data; built into Python from 3.14 on."""
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        try:
            from backports import zstd
        except ImportError:
            raise OSError(0, "compressed; install the decoder with: pip install backports.zstd") from None
    return zstd.ZstdFile(compressed), (zstd.ZstdError, EOFError)
