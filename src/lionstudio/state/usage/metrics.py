"""Totals of all runs by model and project, for a monitoring system; the number of labels is bounded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from lionstudio.model.usage import UsageSum
from lionstudio.state.connection import Connection
from lionstudio.state.usage.ledger import LEDGER_SUMS

MAX_LABELS = 20  # names of models and of projects; all others are "other"
MAX_LABEL_LENGTH = 100
OTHER = "other"


class UsageMetrics(NamedTuple):
    """Usage by model and project, and numbers of runs by status, model and project."""

    usage: dict[tuple[str, str], UsageSum]
    runs: dict[tuple[str, str, str], int]


_USAGE = f"""
SELECT CASE l.model WHEN '' THEN coalesce(s.model, 'unknown') ELSE l.model END, coalesce(s.project, 'unknown'),
       {LEDGER_SUMS}
  FROM usage_ledger l JOIN sessions s ON s.pk = l.session_pk GROUP BY 1, 2
"""  # noqa: S608  (ours)
_RUNS = """
SELECT coalesce(status, 'unknown'), coalesce(model, 'unknown'), coalesce(project, 'unknown'), count(*)
  FROM sessions GROUP BY 1, 2, 3
"""


def usage_metrics(conn: Connection) -> UsageMetrics:
    """Reads the whole ledger."""
    used, runs = conn.all(_USAGE), conn.all(_RUNS)
    used = [(_cut(row[0]), _cut(row[1]), *row[2:]) for row in used]
    runs = [(row[0], _cut(row[1]), _cut(row[2]), row[3]) for row in runs]
    models = _common([*((row[0], 1) for row in used), *((row[1], row[3]) for row in runs)])
    projects = _common([*((row[1], 1) for row in used), *((row[2], row[3]) for row in runs)])
    usage: dict[tuple[str, str], UsageSum] = {}
    for model, project, *sums in used:
        key = (_label(model, models), _label(project, projects))
        usage[key] = usage.get(key, UsageSum()).plus(UsageSum(*sums))
    counts: Counter[tuple[str, str, str]] = Counter()
    for status, model, project, n in runs:
        counts[status, _label(model, models), _label(project, projects)] += n
    return UsageMetrics(usage, dict(counts))


def _cut(name: Any) -> str:
    """A label before it is counted: two names that are the same in their first characters are one."""
    return str(name)[:MAX_LABEL_LENGTH]


def _common(names: Iterable[tuple[str, int]]) -> frozenset[str]:
    counts: Counter[str] = Counter()
    for name, n in names:
        counts[name] += n
    return frozenset(name for name, _ in counts.most_common(MAX_LABELS))


def _label(name: str, common: frozenset[str]) -> str:
    return name if name in common else OTHER
