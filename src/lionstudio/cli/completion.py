"""`li completion`: print the completion script for a shell, generated from the commands and their options."""

from __future__ import annotations

import argparse

from lionstudio.cli._completion.scripts import SHELLS
from lionstudio.cli._toolkit.output import emit

DESCRIPTION = """\
Print the completion script for a shell. It completes commands, options and their values, and the names in your home:
sessions (id, name or `last`), shows, plays, agents, playbooks, skills, plugins, teams and projects. It holds the
commands and options of this version: print it again after an upgrade."""
EXAMPLES = (
    ("source <(li completion bash)", "add to ~/.bashrc"),
    ("source <(li completion zsh)", "add to ~/.zshrc after compinit"),
    ("li completion fish > ~/.config/fish/completions/li.fish", "run once"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=tuple(SHELLS), metavar="SHELL", help="bash, zsh or fish")


def run(args: argparse.Namespace) -> int:
    script = SHELLS[args.shell]()
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"shell": args.shell, "script": script})
    else:
        emit(script)
    return 0
