"""`li mcp`: serve the recorded history to an agent over the Model Context Protocol."""

from __future__ import annotations

import argparse
import io
import sys

from lionstudio.cli._toolkit import db_access

DESCRIPTION = """\
Serve four tools to an agent, on standard input and output: search and read the recorded history, ask the user a
question and wait for the answer, and send a message to another session. An agent's program starts this command; see
docs/reference/mcp.md."""
EXAMPLES = (
    ("claude mcp add lion -- li mcp", "give the tools to Claude Code"),
    ("codex mcp add lion -- li mcp", "give them to Codex"),
)


def register(parser: argparse.ArgumentParser) -> None:
    """This command has no options of its own."""


def run(args: argparse.Namespace) -> int:
    from lionstudio.cli._mcp.protocol import McpServer
    from lionstudio.cli._mcp.tools import HistoryTools

    settings = db_access.settings_of(args)
    for stream in (sys.stdin, sys.stdout):  # the protocol is UTF-8, whatever the locale
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    McpServer(HistoryTools(settings).list_tools(), sys.stdout).serve(sys.stdin)
    return 0
