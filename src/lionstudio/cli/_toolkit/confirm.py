"""Consent to what cannot be undone: asked for on a terminal, given by --yes anywhere else."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from lionstudio.errors import InvalidInput


def confirm(args: argparse.Namespace, why: str) -> Callable[[str], bool]:
    """A function that asks a question; refused at once where nobody can answer and --yes is missing."""
    if args.yes:
        return lambda _: True
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()):
        raise InvalidInput(f"{why}, and nobody is there to be asked", hint="--dry-run to see the plan, --yes to do it")
    return _ask


def _ask(question: str) -> bool:
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    answer = sys.stdin.readline()
    if not answer.endswith("\n"):
        sys.stderr.write("\n")
    return answer.strip().lower() in ("y", "yes")
