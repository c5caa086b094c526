"""`li openapi`: prints what Studio's HTTP interface can do, as OpenAPI; no server has to run."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit.output import emit

DESCRIPTION = "Print the OpenAPI description of Studio's HTTP interface; docs/api.md explains it."
EXAMPLES = (
    ("li openapi > openapi.json", "for a generator of clients"),
    ("li openapi | jq '.paths | keys'", "every route"),
)


def register(parser: argparse.ArgumentParser) -> None:
    """`li openapi` has no options of its own."""


def run(args: argparse.Namespace) -> int:
    """Print the document."""
    import json

    from lionstudio.studio.app import create_app

    emit(json.dumps(create_app().openapi(), indent=2) + "\n")
    return 0
