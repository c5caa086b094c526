"""Send notifications while Studio runs: for everything that needs a person, grouped, once for each state."""

from __future__ import annotations

import asyncio
import os
import time
from typing import Any

from lionstudio.errors import LionError
from lionstudio.runs.notifications.channels import Channels
from lionstudio.runs.notifications.send import STUDIO_WAITS, send_items
from lionstudio.studio.services import Services
from lionstudio.studio.views.attention import Rank, list_attention

_POLL_SECONDS = 1.0
_LOOK_SECONDS = 30.0  # a run becomes stale without a change
_GAP_SECONDS = 10.0  # between two notifications; what comes meanwhile is grouped


async def keep_notifying(services: Services) -> None:
    """Look when something changed, until the task is cancelled; without a channel, or read-only, nothing is sent."""
    if services.db.read_only or not Channels.of(services.settings):
        return
    notifier = Notifier(services)
    while True:
        await asyncio.sleep(_POLL_SECONDS)
        if notifier.is_due(services.hub.seq, time.monotonic()):
            await asyncio.to_thread(notifier.look, time.monotonic())


class Notifier:
    """Remembers since when each item is there."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._since: dict[tuple[str, str], float] = {}  # by id and state
        self._settled: set[tuple[str, str]] = set()  # sent, by this process or another
        self._seq: int | None = None
        self._looked_at = self._sent_at = float("-inf")
        self._pending = True

    def is_due(self, seq: int | None, now: float) -> bool:
        """Whether an item may have come, or is old enough by now."""
        changed, self._seq = seq != self._seq, seq
        return changed or self._pending or now - self._looked_at > _LOOK_SECONDS

    def look(self, now: float) -> int:
        """Send the items that have been there for a moment; returns how many were sent."""
        services, self._looked_at = self._services, now
        try:
            items, _ = services.db.read(lambda conn: list_attention(conn, services.settings))
            return self._send([item for item in items if self._is_wanted(item)], now)
        except LionError as error:
            services.audit_log.write("notify", why=error.message)
            return 0

    def _is_wanted(self, item: dict[str, Any]) -> bool:
        most = Rank.FAILED if self._services.settings.notify_failed else Rank.STUCK
        return item["rank"] <= most and not item["dismissed"] and item["snoozed_until"] is None

    def _send(self, items: list[dict[str, Any]], now: float) -> int:
        keys = {(item["id"], item["state"]): item for item in items}
        self._since = {key: self._since.get(key, now) for key in keys}
        self._settled &= keys.keys()
        new = {key: item for key, item in keys.items() if key not in self._settled}
        due = {key: item for key, item in new.items() if self._since[key] <= now - STUDIO_WAITS}
        waiting = now - self._sent_at < _GAP_SECONDS
        self._pending = len(due) < len(new) or (waiting and bool(due))
        if not due or waiting:
            return 0
        services = self._services
        log = services.audit_log
        sent = send_items(
            services.db.database(),
            services.settings,
            list(due.values()),
            os.environ,
            lambda text: log.write("notify", why=text),
        )
        self._settled |= due.keys()
        if sent:
            self._sent_at = now
        return sent
