"""Search results grouped by run: how many messages match in each, and the first of them.

The newest thousand matches are counted, so the work is bounded whatever the query. A run with many matches is listed
once: its other messages are then counted by their keys, and the search goes on to older runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from lionstudio.state.backends import fulltext
from lionstudio.state.connection import Connection
from lionstudio.state.sqlite.fulltext import find_matches, snapshot
from lionstudio.state.sqlite.search_hits import Hit, Match, RunFacts, load_hits, load_runs, matches_of
from lionstudio.state.sqlite.search_ranges import Scope, list_members
from lionstudio.state.sqlite.search_text import parse_query

COUNTED = 1_000  # matches that are looked up
_SCANNED = 20_000  # matches that are read, those of runs with many matches included
_CHATTY = 100  # matches from which on a run counts as one with many
_LISTED = 20_000  # messages of such a run
_FILTERED = 4_000  # the same with a filter of messages, for which each one is looked up


class RunHits(NamedTuple):
    """A run (None: messages without one), the number of its matches and the first of them."""

    session_id: str | None
    run: RunFacts | None
    matches: int
    hits: list[Hit]


class SearchResult(NamedTuple):
    """`more`: there are older matches, so the counts are minimums; `next` continues after the last run."""

    words: str
    runs: list[RunHits]
    total: int
    more: bool
    next: int | None


class _Tally:
    """The matches of one run."""

    def __init__(self) -> None:
        self.count, self.first = 0, list[Match]()


class _Count(NamedTuple):
    """The matches of each run, whether there are older ones, and the key below which those are."""

    tallies: dict[str | None, _Tally]
    more: bool = False
    below: int | None = None

    def add(self, match: Match, per_run: int) -> _Tally:
        tally = self.tallies.setdefault(match.session_id, _Tally())
        tally.count += 1
        if len(tally.first) < per_run:
            tally.first.append(match)
        return tally


def search_runs(
    conn: Connection,
    query: str,
    scope: Scope,
    *,
    ranked: bool = False,
    runs: int = 20,
    per_run: int = 3,
    max_chars: int = 240,
    below: int | None = None,
) -> SearchResult:
    """Runs with matching messages, the newest match first (`ranked`: the most relevant)."""
    words, scope = parse_query(query, scope)
    with snapshot(conn):
        count = (
            _count_best(conn, words, scope, per_run) if ranked else _count_newest(conn, words, scope, per_run, below)
        )
        tallies = list(count.tallies.items())
        shown = tallies[:runs]
        hits = iter(
            load_hits(conn, [match for _, tally in shown for match in tally.first], words, max_chars, lines=True)
        )
        facts = load_runs(conn, [tally.first[0] for _, tally in shown])
        groups = [
            RunHits(session, facts.get(session or ""), tally.count, [next(hits) for _ in tally.first])
            for session, tally in shown
        ]
    total = sum(tally.count for _, tally in tallies)
    hidden = tallies[runs][1].first[0].pk + 1 if len(tallies) > runs and not ranked else None
    return SearchResult(words, groups, total, count.more, hidden or count.below)


def group_hits(hits: Iterable[Hit], facts: dict[str, RunFacts], per_run: int) -> list[RunHits]:
    """Hits of a ranking by run, in the order of the best one."""
    groups: dict[str | None, list[Hit]] = {}
    for hit in hits:
        groups.setdefault(hit.session_id, []).append(hit)
    return [
        RunHits(session, facts.get(session or ""), len(of_run), of_run[:per_run]) for session, of_run in groups.items()
    ]


def _count_best(conn: Connection, words: str, scope: Scope, per_run: int) -> _Count:
    count = _Count({})
    for match in find_matches(conn, words, scope, ranked=True):
        count.add(match, per_run)
    return count


def _count_newest(conn: Connection, words: str, scope: Scope, per_run: int, below: int | None) -> _Count:
    rows = fulltext(conn).newest_rows(conn, words, scope, *(() if below is None else (below,)))
    most = _FILTERED if scope.of_messages else _SCANNED
    scanned: list[int] = []
    known: dict[int, Match] = {}  # messages of runs with many matches
    count, looked_up = _Count({}), 0
    for match in matches_of(conn, _noting(islice(rows, most), scanned), scope, known):
        if looked_up == COUNTED:
            return count._replace(more=True, below=match.pk + 1)
        looked_up += match.pk not in known
        tally = count.add(match, per_run)
        if tally.count == _CHATTY > per_run and match.session_id is not None and not scope.of_messages:
            members = list_members(conn, Scope(session=match.session_id), _LISTED) or ()
            known |= {pk: Match(pk, match.session_id, None) for pk in members}
    return count._replace(more=True, below=scanned[-1]) if len(scanned) == most else count


def _noting(rows: Iterable[int], noted: list[int]) -> Iterator[int]:
    for pk in rows:
        noted.append(pk)
        yield pk
