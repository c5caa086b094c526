"""The command that continues a run with the permissions that its denied actions need."""

from __future__ import annotations

import argparse
from shlex import join, quote

from lionstudio.agents.denials import UNSUPPORTED

_EDIT_TOOLS = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit", "apply_patch"})


def allow_hint(args: argparse.Namespace, session_id: str, denied: tuple[str, ...]) -> str:
    """How to continue with the permissions that the denied actions need."""
    if all(tool.endswith(UNSUPPORTED) for tool in denied):
        return "The agent called tools that its program does not have; more permissions do not change that."
    if args.permissions == "all":
        return "The program's own rules denied it: change its settings, or the `tools` of the agent."
    wanted = "edit" if args.permissions != "edit" and _EDIT_TOOLS.issuperset(denied) else "all"
    allows = "file edits" if wanted == "edit" else "every action"
    target = getattr(args, "target", None)
    if target is None:  # of a flow or a playbook, no single conversation continues
        return f"Run it again with --permissions {wanted}, which allows {allows}."
    options = f" --cwd {quote(args.cwd)}" if args.cwd else ""
    options += "".join(f" --pass-env {quote(name)}" for name in getattr(args, "pass_env", ()))
    program = f" -- {join(args.rest)}" if getattr(args, "rest", None) else ""
    return (
        f"Continue with --permissions {wanted}, which allows {allows}:\n"
        f'  li agent {quote(target)} --resume {session_id} --permissions {wanted}{options} "Try again"{program}'
    )
