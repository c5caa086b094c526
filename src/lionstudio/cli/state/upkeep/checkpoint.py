"""`li state checkpoint`: fold the write-ahead log back into the database file."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.humanize import size
from lionstudio.cli._toolkit.output import emit
from lionstudio.state.sqlite.maintenance import CHECKPOINT_MODES, checkpoint, file_size

EXAMPLES = (
    ("li state checkpoint", "fold the log back and cut it to nothing"),
    ("li state checkpoint --mode PASSIVE", "fold back what is possible without waiting for anybody"),
)
_BUSY_SECONDS = 5.0  # a reader that holds its snapshot longer than that will keep it


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--mode",
        type=str.upper,
        choices=CHECKPOINT_MODES,
        default="TRUNCATE",
        metavar="MODE",
        help=f"{', '.join(CHECKPOINT_MODES)}: how much to wait for others, and whether to cut the log (%(default)s)",
    )


def run(args: argparse.Namespace) -> int:
    """Fold the log back; somebody in the way is exit code 7."""
    path = db_access.settings_of(args).db
    before = file_size(f"{path}-wal")
    with db_access.writing(path, busy_seconds=_BUSY_SECONDS, quiet=args.quiet) as conn:
        done = checkpoint(conn, args.mode)
        after = file_size(f"{path}-wal")
        if done.busy:
            raise db_access.busy(
                path,
                f"the log could not be folded back whole: {done.folded_frames} of {done.log_frames} pages are",
                "end what is in the way, or use --mode PASSIVE",
            )
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"mode": args.mode, **done._asdict(), "wal_bytes_before": before, "wal_bytes_after": after})
    else:
        emit(f"{size(before)} of log before, {size(after)} after.\n" if before else "The log was empty.\n")
    return 0
