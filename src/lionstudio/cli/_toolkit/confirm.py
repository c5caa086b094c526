"""Confirmation of irreversible actions: a question on a terminal, --yes elsewhere."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from lionstudio.cli._toolkit.terminal import write_stderr
from lionstudio.errors import InvalidInput


def confirm(
    args: argparse.Namespace, why: str, hint: str = "--dry-run to preview, --yes to confirm"
) -> Callable[[str], bool]:
    """A function that asks a yes/no question; raises at once without --yes and a terminal."""
    if args.yes:
        return lambda _: True
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()):
        raise InvalidInput(f"{why}: confirmation required, but stdin is not a terminal", hint=hint)
    return _ask


def _ask(question: str) -> bool:
    write_stderr(f"{question} [y/N] ")
    answer = sys.stdin.readline()
    if not answer.endswith("\n"):
        write_stderr("\n")
    return answer.strip().lower() in ("y", "yes")
