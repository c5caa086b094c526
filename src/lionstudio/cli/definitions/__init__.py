"""`li agents`, `playbooks`, `skills` and `plugins`: the same verbs for four kinds of files that people write."""

from __future__ import annotations

import argparse
import textwrap
from importlib import import_module
from typing import Any

from lionstudio.cli.definitions._kinds import NOUNS, Kind

GROUPS = tuple(NOUNS)


class Verb:
    """A verb of one noun, in the shape of a command's module."""

    def __init__(self, noun: Kind, module: Any) -> None:
        self._noun, self._module = noun, module
        self.EXAMPLES: tuple[tuple[str, str], ...] = module.examples(noun)
        self.DESCRIPTION = textwrap.fill(module.description(noun), 110)

    def register(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the command."""
        self._module.register(parser, self._noun)

    def run(self, args: argparse.Namespace) -> int:
        """Do it; the exit code."""
        code: int = self._module.run(args, self._noun)
        return code


def command(group: str, verb: str) -> Verb:
    """The command of a noun and a verb."""
    return Verb(NOUNS[group], import_module(f"lionstudio.cli.definitions.{verb}"))
