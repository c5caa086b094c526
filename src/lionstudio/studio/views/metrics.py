"""Usage as Prometheus metrics: tokens by kind, cost and runs, by model and project."""

from __future__ import annotations

import time
from collections.abc import Iterator

from lionstudio.state.usage.metrics import UsageMetrics, usage_metrics
from lionstudio.studio.db import StudioDb

_KEPT_SECONDS = 30  # the sums read the whole ledger, and a scrape must not cost that each time
_kept: dict[str, tuple[float, list[str]]] = {}  # by the path of the database
_KINDS = ("input", "output", "cache_read", "cache_write")


def usage_lines(db: StudioDb) -> list[str]:
    at, lines = _kept.get(db.path, (0.0, []))
    if time.monotonic() - at > _KEPT_SECONDS or not lines:
        metrics, _ = db.read(usage_metrics)
        lines = list(_lines(metrics))
        _kept[db.path] = (time.monotonic(), lines)
    return lines


def _lines(metrics: UsageMetrics) -> Iterator[str]:
    usage = sorted(metrics.usage.items())
    yield "# TYPE lion_tokens gauge"
    for (model, project), sums in usage:
        for kind, tokens in zip(_KINDS, sums, strict=False):
            yield f'lion_tokens{{kind="{kind}",model="{_escaped(model)}",project="{_escaped(project)}"}} {tokens}'
    yield "# TYPE lion_unpriced_tokens gauge"
    for (model, project), sums in usage:
        labels = f'model="{_escaped(model)}",project="{_escaped(project)}"'
        yield f"lion_unpriced_tokens{{{labels}}} {sums.unpriced_tokens}"
    yield "# TYPE lion_cost_dollars gauge"
    for (model, project), sums in usage:
        labels = f'model="{_escaped(model)}",project="{_escaped(project)}"'
        yield f"lion_cost_dollars{{{labels}}} {sums.cost_microusd / 1e6:.6f}"
    yield "# TYPE lion_runs gauge"
    for (status, model, project), n in sorted(metrics.runs.items()):
        labels = f'status="{_escaped(status)}",model="{_escaped(model)}",project="{_escaped(project)}"'
        yield f"lion_runs{{{labels}}} {n}"


def _escaped(text: str) -> str:
    """Text for a label: an agent may have chosen it."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
