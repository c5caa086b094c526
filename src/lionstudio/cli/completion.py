"""`li completion`: the script that teaches a shell to complete `li`, made from the commands and their options."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit.output import emit
from lionstudio.cli._toolkit.shell_scripts import SHELLS

DESCRIPTION = """\
Print the completion script for a shell. It is made from the commands and options of this version: print it
again after an upgrade."""
EXAMPLES = (
    ("source <(li completion bash)", "in ~/.bashrc"),
    ("source <(li completion zsh)", "in ~/.zshrc, after compinit"),
    ("li completion fish > ~/.config/fish/completions/li.fish", "once"),
)


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `li completion`."""
    parser.add_argument("shell", choices=tuple(SHELLS), metavar="SHELL", help="bash, zsh or fish")


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    script = SHELLS[args.shell]()
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"shell": args.shell, "script": script})
    else:
        emit(script)
    return 0
