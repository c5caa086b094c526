"""Redaction: CPU for each megabyte of prose, documentation, code, logs and hostile text, and for a message."""

from __future__ import annotations

import random
import time
from pathlib import Path

from benches.table import Table, at_most, options
from lionstudio.model.redaction.redactor import Redactor

_SIZE = 1_000_000
_ROOT = Path(__file__).parents[1]
_HOSTILE = (
    "-----BEGIN PRIVATE KEY",
    "-----BEGIN PRIVATE KEY-----\n",
    "eyJaaaaaaaaa.eyJ",
    "eyJ.",
    "a",
    "A1",
    "password=",
    'password="',
    "key=",
    "Cookie: a=b; ",
    "://a:b",
    "Authorization: ",
    "sk-",
    "ghp_",
    'token="',
    "secret: ",
    "mysql -p",
    "PASS: a/b ",
    "<password>x</",
)
_MESSAGE = '{"assistant_response":"The parser reads one word after the other and keeps what it has seen on a stack."}'


def _repeated(text: str) -> str:
    return (text * (_SIZE // len(text) + 1))[:_SIZE]


def _prose() -> str:
    """Sentences of the words in our documentation, without its code."""
    words = [word for word in _files("docs", "*.md").split() if word.isalpha()]
    source = random.Random(1)
    sentences = (" ".join(source.choices(words, k=source.randint(6, 16))).capitalize() for _ in range(20_000))
    return _repeated("".join(f"{sentence}{source.choice(('. ', '. ', '. ', ': ', '.'))}\n" for sentence in sentences))


def _files(folder: str, pattern: str) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in sorted((_ROOT / folder).rglob(pattern)))


def _logs() -> str:
    source = random.Random(2)
    lines = (
        f"2026-11-16T19:{n // 60 % 60:02}:{n % 60:02}.{n % 1000:03}Z INFO [worker-{n % 8}] "
        f"request id={source.getrandbits(128):032x} "
        f"path=/api/sessions/{source.getrandbits(32):08x}/messages?after={n} status=200 duration_ms={n % 97}\n"
        for n in range(6000)
    )
    return _repeated("".join(lines))


def _lock_file() -> str:
    return _repeated((_ROOT / "web" / "package-lock.json").read_text(encoding="utf-8"))


def _secrets() -> str:
    """A secret in every line: what the text costs is what masking costs."""
    source = random.Random(3)
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    return _repeated("".join(f"X_TOKEN={''.join(source.choices(letters, k=32))}\n" for _ in range(25_000)))


def _ms(text: str, rounds: int) -> float:
    redactor = Redactor(["a-secret-value-1", "another-secret-value-2"])
    times = []
    for _ in range(rounds):
        start = time.process_time()
        redactor.text(text)
        times.append(time.process_time() - start)
    return min(times) * 1000


def _us(text: str, rounds: int) -> float:
    stored, times = Redactor(["a-secret-value-1", "another-secret-value-2"]).stored, []
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(2000):
            stored(text)
        times.append(time.process_time() - start)
    return min(times) / 2000 * 1e6


def main() -> None:
    args = options(__doc__)
    rounds = 3 if args.quick else 15
    table = Table("Redaction", args)
    table.row("prose, a megabyte", _ms(_prose(), rounds), "ms", at_most(5))
    table.row("documentation, a megabyte", _ms(_repeated(_files("docs", "*.md")), rounds), "ms", at_most(30))
    table.row("code, a megabyte", _ms(_repeated(_files("src", "*.py")), rounds), "ms", at_most(30))
    table.row("logs, a megabyte", _ms(_logs(), rounds), "ms", at_most(30))
    table.row("lock file, a megabyte", _ms(_lock_file(), rounds), "ms", at_most(30))
    worst, unit = max((_ms(_repeated(unit), rounds), unit) for unit in _HOSTILE)
    table.row("hostile text, a megabyte", worst, "ms", at_most(100), note=f"the worst: {unit!r}")
    table.row("a secret in every line, a megabyte", _ms(_secrets(), rounds), "ms")
    table.row("a message of 100 characters", _us(_MESSAGE, rounds), "µs")
    table.close()


if __name__ == "__main__":
    main()
