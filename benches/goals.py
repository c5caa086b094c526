"""The goals of the product, and the rows of the benches that measure each: `python -m benches.goals [FILE …]`.

Without files it takes what `make bench` left in benches/.data/results. A goal is reached when each of its rows is;
a row that no result has is a goal that was not measured.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benches.table import DATA, figure

RESULTS = DATA / "results"


class ProductGoal(NamedTuple):
    """`rows` are regular expressions of the names of rows of one bench."""

    what: str
    limit: str
    bench: str
    rows: tuple[str, ...]


GOALS = (
    ProductGoal("one committed append, synchronous", "≤ 1.15 × bare", "append", ("write, p50 / bare",)),
    ProductGoal("the same, asynchronous, 1 producer", "≤ 1.6 × bare", "append", ("submit × 1, p50 / bare",)),
    ProductGoal(
        "the same, 64 producers in one process",
        "≥ 1.5 × bare throughput, p99 ≤ 20 ms",
        "append",
        ("submit × 64, throughput / bare", "submit × 64, p99"),
    ),
    ProductGoal(
        "one committed append through `record()`, redaction included",
        "≤ 1.3 × bare; asynchronous ≤ 1.6 ×; 64 producers ≥ 1.5 × bare throughput",
        "record",
        (r"record\(\), p50 / bare", r"async record\(\), p50 / bare", r"async record\(\) × 64, throughput / bare"),
    ),
    ProductGoal(
        "append at message 100,000 / at 100", "≤ 1.2 ×", "append", ("write, message 100,000 / message 100, p50",)
    ),
    ProductGoal(
        "commit in one process → event at an SSE client of another",
        "p95 ≤ 10 ms with the doorbell, ≤ 60 ms without",
        "events",
        ("doorbell, event at a client, p95", "without the doorbell, event at a client, p95"),
    ),
    ProductGoal(
        "waiting: Studio with nothing to do",
        "≤ 0.1 % of a core",
        "rest",
        ("Studio with nothing to do, share of a core",),
    ),
    ProductGoal(
        "waiting: a director that waits for a person",
        "≤ 0.1 % of a core",
        "rest",
        ("a director that waits for a person, share of a core",),
    ),
    ProductGoal(
        "page of 100 runs by one filter, or status and one more, 1 M sessions, in SQL",
        "≤ 1 ms",
        "lists",
        (r"1,000,000 sessions, (common|rare|never together|others|text): slowest page, in SQL",),
    ),
    ProductGoal(
        "the same over HTTP", "≤ 10 ms", "http", (r"1,000,000 sessions: page of 100, (no filter|project|status|text)",)
    ),
    ProductGoal(
        "page of 100 runs, 1 M / 1,000 sessions",
        "≤ 1.5 ×",
        "lists",
        ("page at 1,000,000 / at 1,000, (median|slowest) filter",),
    ),
    ProductGoal(
        "any other combination of filters, 100,000 sessions",
        "≤ 10 ms",
        "lists",
        ("100,000 sessions, .*, no index: slowest page, in SQL",),
    ),
    ProductGoal(
        "begin and end of a run, 1 M sessions",
        "≤ 750 µs, ≤ 200 µs",
        "lists",
        ("begin a run, 1,000,000 sessions", "end a run, 1,000,000 sessions"),
    ),
    ProductGoal(
        "disk for a session, 1 M sessions",
        "≤ 1.5 kB",
        "lists",
        ("disk for a session and its branch, 1,000,000 sessions",),
    ),
    ProductGoal(
        "output of a program, recorded, 300,000 lines",
        "≤ 12 × `tee`, ≤ 3 × payload on disk",
        "output",
        ("recorded / tee", "on disk / printed"),
    ),
    ProductGoal(
        "disk for messages of 450 bytes, with search", "≤ 1.8 × payload", "disk", ("disk / payload, with search",)
    ),
    ProductGoal(
        "prefix search (`fo*`), 2.35 M messages",
        "≤ 50 ms",
        "heavy_prefix",
        (r"prefix search fo\*", r"prefix search fo\* ha\*"),
    ),
    ProductGoal(
        "redaction of a megabyte",
        "prose ≤ 5 ms, logs and code ≤ 30 ms, hostile text ≤ 100 ms",
        "redaction",
        ("prose, a megabyte", "code, a megabyte", "logs, a megabyte", "hostile text, a megabyte"),
    ),
    ProductGoal("`li state show --full`", "≤ 3 × `cat` of the same bytes", "show_full", ("show --full / cat",)),
    ProductGoal("its memory", "flat", "show_full", (r"show --full, memory at 4 × the messages",)),
    ProductGoal(
        "start of a confined process",
        "≤ 100 ms over an unconfined one",
        "sandbox",
        ("start of a confined process over an unconfined one",),
    ),
    ProductGoal("every dashboard card, 1 M sessions", "≤ 2 ms", "lists", ("card [a-z_0-9]+",)),
    ProductGoal("10,000 messages of a session as JSON", "≤ 30 ms", "messages", ("what Studio sends",)),
    ProductGoal(
        "page 1,000 / page 1", "≤ 1.3 ×", "lists", ("page 1,000 / page 1, no filter", "page .* / page 1, project")
    ),
    ProductGoal("full-text search, common word, newest first, 1 M messages", "≤ 20 ms", "search", ("common word",)),
    ProductGoal("`li --help`", "≤ 3 × `python -c pass`", "cli", ("li --help / python, median of turns",)),
    ProductGoal("`li state ls`", "≤ 5 × `python -c pass`", "cli", ("li state ls / python, median of turns",)),
    ProductGoal("`li studio`, start → first 200", "≤ 0.7 s", "http", ("li studio: start to the first 200",)),
    ProductGoal("`li studio`, memory at rest", "≤ 90 MB", "http", ("memory at rest",)),
    ProductGoal(
        "a play, CPU of its whole tree without the agent", "≤ 300 ms", "play", ("CPU of a play over its tree",)
    ),
    ProductGoal(
        "run page with 30,000 messages",
        "first paint ≤ 1 s, scrolling stays smooth",
        "page",
        ("30,000 messages: first contentful paint", "30,000 messages: frame while scrolling, p95"),
    ),
    ProductGoal("import of transcripts", "≥ 8,000 messages/s", "mirror", ("read in, by CPU time",)),
    ProductGoal(
        "the first search after it",
        "no index build: ≤ 1.5 × a later one",
        "mirror",
        ("first search after the import / a later one, CPU",),
    ),
    ProductGoal(
        "hub: one committed append",
        "≤ 1.3 × a bare call, ≤ 0.6 × four statements",
        "postgres",
        ("append / one bare call, p50", "append / four bare statements, p50"),
    ),
    ProductGoal("hub: 64 producers", "≥ 2 × one by one", "postgres", ("64 producers / one by one",)),
    ProductGoal(
        "hub: numbers of the feed, 8 producers",
        "≤ 1.3 × a sequence",
        "postgres",
        ("numbering under the lock / a sequence, 8 producers",),
    ),
    ProductGoal(
        "hub: append at message 100,000 / at 100", "≤ 1.2 ×", "postgres", ("append at message 100,000 / at 100, p50",)
    ),
    ProductGoal(
        "hub: commit → event at an SSE client",
        "p95 ≤ 10 ms notified, ≤ 80 ms without",
        "postgres",
        ("hub, notified, event at a client, p95", "hub, not notified, event at a client, p95"),
    ),
    ProductGoal(
        "hub: page of 100 runs, 1 M sessions, in SQL",
        "≤ 1 ms in the server",
        "postgres",
        ("100 of 1,000,000 runs by .*, in SQL",),
    ),
    ProductGoal(
        "hub: full-text search, 1 M messages",
        "≤ 20 ms",
        "postgres",
        ("search for .* in 1,000,000 messages, newest 20",),
    ),
    ProductGoal(
        "hub: nearest 10 of 100,000 embeddings",
        "pgvector ≥ 20 × the client",
        "postgres",
        ("compared by the client / by pgvector",),
    ),
    ProductGoal("hub: first push", "≥ 3,000 messages/s", "postgres", ("first push",)),
    ProductGoal(
        "hub: commit on a machine → event at an SSE client",
        "p95 ≤ 1 s",
        "postgres",
        ("commit here, event at a client of the hub, p95",),
    ),
    ProductGoal(
        "workers: takeover after `kill -9` of a machine",
        "≤ 3 beats and a look",
        "fleet",
        (r"takeover after kill -9 of a machine / 3 beats \+ sweep",),
    ),
    ProductGoal("workers: takeover after a freeze", "≤ 1.3 leases", "fleet", ("takeover after a freeze / lease",)),
    ProductGoal(
        "workers: attempts lost by a restart of the hub", "0", "fleet", ("attempts lost by a restart of the hub",)
    ),
    ProductGoal("workers: three beside one, 30 equal plays", "≤ 0.4 ×", "fleet", ("three workers / one, equal plays",)),
    ProductGoal(
        "workers: cost of a play as a show grows",
        "last / first quarter ≤ 1.2 ×",
        "fleet",
        (r"cost of a play, last / first quarter of .*, 4 workers",),
    ),
)


class Outcome(NamedTuple):
    """What a run of the benches says about a goal: reached, missed, or not measured."""

    goal: ProductGoal
    verdict: str
    figures: str


def outcomes(results: Iterable[Mapping[str, Any]]) -> list[Outcome]:
    """Every goal, with the figures of its rows, or their range."""
    by_bench: dict[str, list[dict[str, Any]]] = {}
    for result in results:
        bench = str(result["command"]).split()[2]
        by_bench[bench] = [] if result["quick"] else list(result["rows"])  # other data than the goals are for
    return [_outcome(goal, by_bench.get(f"benches.bench_{goal.bench}", [])) for goal in GOALS]


def _outcome(goal: ProductGoal, rows: Sequence[Mapping[str, Any]]) -> Outcome:
    of_pattern = [[row for row in rows if re.fullmatch(pattern, row["what"])] for pattern in goal.rows]
    figures = ", ".join(_range(matching) for matching in of_pattern if matching)
    if not all(of_pattern):
        return Outcome(goal, "not measured", figures)
    missed = any(row["verdict"] == "MISS" for matching in of_pattern for row in matching)
    return Outcome(goal, "missed" if missed else "reached", figures)


def _range(rows: Sequence[Mapping[str, Any]]) -> str:
    lowest, highest = (least(rows, key=lambda row: row["value"]) for least in (min, max))
    shown = figure(highest["value"], highest["unit"]).strip()
    return shown if lowest is highest else f"{figure(lowest['value'], '').strip()} to {shown}"


def markdown(results: Iterable[Mapping[str, Any]]) -> str:
    """The goals as a table for docs/reference/performance.md."""
    lines = ["| goal | limit | measured | | bench |", "|---|---|---:|---|---|"]
    for goal, verdict, figures in outcomes(results):
        shown = f"**{verdict}**" if verdict != "reached" else verdict
        lines.append(f"| {goal.what} | {goal.limit} | {figures} | {shown} | `bench_{goal.bench}` |")
    return "\n".join(lines) + "\n"


def read_results(names: Sequence[str]) -> list[dict[str, Any]]:
    """The results in these files, by default those of the last `make bench`."""
    files = [Path(name) for name in names] or sorted(RESULTS.glob("*.json"))
    if not files:
        sys.exit("There are no results; run `make bench` first.")
    return [json.loads(file.read_text()) for file in files]


def main() -> None:
    """Print each goal as reached, missed or not measured."""
    found = outcomes(read_results(sys.argv[1:]))
    for goal, verdict, figures in found:
        print(f"  {goal.what:<76} {verdict:<13} {figures:<22} {goal.limit}".rstrip())
    counts = {word: sum(outcome.verdict == word for outcome in found) for word in ("reached", "missed", "not measured")}
    print("\n" + ", ".join(f"{count} {word}" for word, count in counts.items()))


if __name__ == "__main__":
    main()
