"""Confirmation of irreversible actions: a question on a terminal, --yes elsewhere."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from lionstudio.errors import InvalidInput


def confirm(args: argparse.Namespace, why: str) -> Callable[[str], bool]:
    """A function that asks a yes/no question; raises at once without --yes and a terminal."""
    if args.yes:
        return lambda _: True
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()):
        raise InvalidInput(
            f"{why}: confirmation required, but stdin is not a terminal", hint="--dry-run to preview, --yes to confirm"
        )
    return _ask


def _ask(question: str) -> bool:
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    answer = sys.stdin.readline()
    if not answer.endswith("\n"):
        sys.stderr.write("\n")
    return answer.strip().lower() in ("y", "yes")
