"""The database beside what it holds: messages of 450 bytes with their search index, per byte of text."""

from __future__ import annotations

import random

from benches.corpus import Writer
from benches.stores import begin, clean_up, fresh_path
from benches.table import Table, at_most, options
from lionstudio.model.json_codec import dump
from lionstudio.model.messages import AssistantResponse
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.sqlite.fulltext import index_batch
from lionstudio.state.sqlite.maintenance import checkpoint, file_size, stats

_SESSIONS = 100
_BATCH = 500


def main() -> None:
    args = options(__doc__)
    count = 20_000 if args.quick else 200_000
    try:
        table = Table(f"Disk, {count:,} messages of 450 bytes", args)
        writer = Writer(random.Random(3))
        path = fresh_path("disk")
        payload = 0
        with Database(path) as database:
            branches = [begin(database)[1] for _ in range(_SESSIONS)]
            empty = file_size(path)
            for first in range(0, count, _BATCH):
                branch = branches[first // _BATCH % _SESSIONS]
                batch = [AssistantResponse(content={"assistant_response": writer.text()}) for _ in range(_BATCH)]
                payload += sum(len(dump(message.content)) for message in batch)
                database.write(lambda conn, branch=branch, batch=batch: [append(conn, branch, m) for m in batch])  # type: ignore[misc]
            while database.write(index_batch):
                pass
            checkpoint(database.conn)
            size = file_size(path) - empty
            largest = stats(database.conn, sizes=True)["bytes"]
        table.row("disk / payload, with search", size / payload, "×", at_most(1.8))
        table.row("a message, with search", size / count, "B", note=f"text {payload / count:.0f} B")
        for name, taken in list(largest.items())[:6]:
            table.row(f"of it {name}", taken / count, "B")
        table.close()
    finally:
        clean_up()


if __name__ == "__main__":
    main()
