"""The subject of a decision: what a person was shown, what is there now, and the question about what was held back."""

from __future__ import annotations

import argparse
import os

from lionstudio.cli._show.load import LoadedShow
from lionstudio.cli._show.place import place
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.confirm import confirm
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.terminal import say
from lionstudio.errors import Conflict
from lionstudio.files.shows.held_back import HeldBack, find_held_back
from lionstudio.model.shows.show import Play
from lionstudio.model.shows.show_files import PLAN
from lionstudio.system.safe_read import read_text


def load_held_back(args: argparse.Namespace, loaded: LoadedShow, folder: str) -> HeldBack | None:
    """Find what waits for a person; Conflict when it is not what --plan and --commits name."""
    is_team = loaded.show.is_for_workers
    text = str(loaded.show.metadata["plan"]) if is_team else read_text(os.path.join(folder, PLAN))
    held = find_held_back(loaded.show.topic, folder, text, loaded.show.metadata)
    if args.plan is None and args.commits is None:
        return held
    current = held or HeldBack()
    commits = {sha for sha in (args.commits or "").split(",") if sha}
    if (args.plan or None) != current.plan:
        raise _changed(args, f"the plan of {args.topic}")
    if commits != set(current.shas):
        raise _changed(args, f"the integration branch of {args.topic}")
    return held


def check_shown(args: argparse.Namespace, play: Play) -> None:
    """Raise Conflict when the play is not at the attempt and commit that --attempt and --head name."""
    if args.attempt is not None and args.attempt != play.attempt:
        raise _changed(args, f"{play.name} is at attempt {play.attempt}, not {args.attempt}: it")
    if args.head is not None and args.head != play.collected_head:
        raise _changed(args, f"the commit of {play.name}")


def _changed(args: argparse.Namespace, subject: str) -> Conflict:
    where = place(db_access.settings_of(args))
    return Conflict(
        f"{subject} changed since you saw it; nothing was decided", hint=f"li show status {args.topic}{where}"
    )


def confirm_held_back(args: argparse.Namespace, held: HeldBack) -> bool:
    """Return whether the user accepts it."""
    say(f"Approving {inline(args.topic)} accepts:")
    for line in held.lines:
        say(f"  {inline(line)}")
    names = [("--plan", held.plan), ("--commits", ",".join(held.shas))]
    options = "".join(f" {option} {value}" for option, value in names if value)
    hint = f"li show approve {args.topic}{options} --yes{place(db_access.settings_of(args))}"
    return confirm(args, "approve accepts what was held back", hint=hint)("Accept it?")
