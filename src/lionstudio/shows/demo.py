"""The show of `li demo`: a small repository, and the plan in demo_plan.md with eight plays, three of which fail.

It needs no network, model or agent program; the files, merges and gates are real.
"""

from __future__ import annotations

import os
import subprocess

from lionstudio.errors import LionError
from lionstudio.files.shows.plan_template import with_fields
from lionstudio.model.status.statuses import PlayStatus
from lionstudio.system.atomic_write import make_folder, write_text
from lionstudio.system.git import program

TOPIC = "lighthouse"
_PLAN = os.path.join(os.path.dirname(__file__), "demo_plan.md")
# Statuses at the end of an unattended run, as docs/reference/shows.md says; a test and the command itself check them.
ENDS_AS = {
    **dict.fromkeys(("outline", "keeper", "storm", "harbour", "island", "contents"), PlayStatus.MERGED),
    "machine": PlayStatus.ESCALATED,
    "afterword": PlayStatus.BLOCKED,
}
_CHECK = """\
# The gate of every play: no chapter is unfinished, and each has a title.
status=0
for chapter in chapters/*.md; do
    if grep -n TODO "$chapter"; then
        echo "$chapter is unfinished: finish the line above"
        status=1
    fi
    if ! head -n 1 "$chapter" | grep -q '^# '; then
        echo "$chapter has no title: begin it with '# '"
        status=1
    fi
done
exit $status
"""
_FILES = {
    "README.md": "# The lighthouse\n\nA little book, written by agents.\n",
    "check.sh": _CHECK,
    "chapters/preface.md": "# Preface\n\nIt begins with a light.\n",
    "setting.txt": "The place is undecided.\n",
}


def make_repository(path: str) -> None:
    """Create a repository with one commit."""
    for name, text in _FILES.items():
        write_text(os.path.join(path, name), text)
    _git(path, "init", "--quiet")
    _git(path, "symbolic-ref", "HEAD", "refs/heads/main")
    _git(path, "add", "--all")
    _git(path, "commit", "--quiet", "-m", "The first page")


def _git(path: str, *args: str) -> None:
    """Run git without the user's configuration."""
    make_folder(path)
    identity = ("-c", "user.name=Lion Demo", "-c", "user.email=demo@localhost")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environ = {**inherited, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    result = subprocess.run([program(), *identity, *args], cwd=path, env=environ, capture_output=True, text=True)
    if result.returncode != 0:
        raise LionError(f"git {args[0]} failed: {result.stderr.strip()}", hint="the demo needs git 2.38 or newer")


def demo_text(repo: str) -> str:
    """Return `_show.md` of the demo for its repository."""
    with open(_PLAN, encoding="utf-8") as file:
        return with_fields(file.read(), {"repo": repo})
