"""`li state checkpoint`: checkpoint the write-ahead log into the database file."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.humanize import size
from lionstudio.cli._toolkit.output import emit
from lionstudio.state.backends import maintenance
from lionstudio.state.sqlite.maintenance import CHECKPOINT_MODES, file_size

EXAMPLES = (
    ("li state checkpoint", "checkpoint and truncate the log"),
    ("li state checkpoint --mode PASSIVE", "checkpoint without waiting for other processes"),
)
_BUSY_SECONDS = 5.0  # a reader that holds its snapshot longer than that will keep it


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--mode",
        type=str.upper,
        choices=CHECKPOINT_MODES,
        default="TRUNCATE",
        metavar="MODE",
        help=f"{', '.join(CHECKPOINT_MODES)}: SQLite checkpoint mode (default %(default)s)",
    )


def run(args: argparse.Namespace) -> int:
    """Exit code 7 if another process blocks the checkpoint."""
    path = db_access.settings_of(args).db
    before = file_size(f"{path}-wal")
    with db_access.writing(path, busy_seconds=_BUSY_SECONDS, quiet=args.quiet) as conn:
        result = maintenance(path).checkpoint(conn, args.mode)
        after = file_size(f"{path}-wal")
        if result.busy:
            raise db_access.busy(
                path,
                f"incomplete checkpoint: {result.folded_frames} of {result.log_frames} pages written",
                "stop the processes named above, or use --mode PASSIVE",
            )
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"mode": args.mode, **result._asdict(), "wal_bytes_before": before, "wal_bytes_after": after})
    else:
        emit(
            f"Write-ahead log: {size(before)} before, {size(after)} after.\n"
            if before
            else "The write-ahead log was already empty.\n"
        )
    return 0
