"""`li openapi`: print the OpenAPI description of the HTTP API, without a running server."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit.output import emit

DESCRIPTION = "Print the OpenAPI description of the HTTP API. docs/reference/api.md explains the routes."
EXAMPLES = (
    ("li openapi > openapi.json", "for a client generator"),
    ("li openapi | jq '.paths | keys'", "list the routes"),
)


def register(parser: argparse.ArgumentParser) -> None:
    """This command has no options of its own."""


def run(args: argparse.Namespace) -> int:
    import json

    from lionstudio.studio.app import create_app

    emit(json.dumps(create_app().openapi(), indent=2) + "\n")
    return 0
