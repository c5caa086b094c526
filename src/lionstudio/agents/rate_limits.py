"""Usage limits: recognised by what the programs say about them, and when they are over."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from lionstudio.agents.events import Ended
from lionstudio.model.status.statuses import SessionStatus

_LIMIT = re.compile(
    r"(usage|rate|session|weekly|hour)[ _-]limit|limit (has been )?reached|hit your [\w ]{0,20}limit|too many requests"
    r"|quota|out of (extra )?usage|credit balance|billing|\b429\b",
    re.IGNORECASE,
)
_EPOCH = re.compile(r"(?:\||resets_?at\W{1,4})(\d{10})(?!\d)", re.IGNORECASE)
_CLOCK = re.compile(
    r"(?:resets?|try again)(?: at| on)? "
    r"(?:(?P<month>[A-Z][a-z]{2})[a-z]* (?P<day>\d{1,2})(?:st|nd|rd|th)?(?:,? (?P<year>\d{4}))?,? (?:at )?)?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))? ?(?P<half>[ap])\.?m\b\.?(?: \((?P<zone>[\w/+-]+)\))?",
    re.IGNORECASE,
)
_ISO = re.compile(r"resets at (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")
_SPAN = re.compile(r"(?:try again|resets) in ((?:\d+(?:\.\d+)? ?[a-z]+[, ]{0,2}(?:and )?)+)", re.IGNORECASE)
_PIECE = re.compile(r"(\d+(?:\.\d+)?) ?([a-z])")
_SECONDS: Mapping[str, int] = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]


def is_limit(text: str) -> bool:
    """Whether an error speaks of a limit of usage, rate or money; never ask this of an answer."""
    return _LIMIT.search(text) is not None


def reset_time(text: str, *, now: datetime | None = None) -> float | None:
    """When a limit is over, as its text says; None when it does not."""
    moment = now or datetime.now().astimezone()
    if found := _EPOCH.search(text):
        return float(found[1])
    if found := _ISO.search(text):
        return datetime.fromisoformat(found[1]).timestamp()
    if found := _SPAN.search(text):
        pieces = _PIECE.findall(found[1].lower())
        return moment.timestamp() + sum(float(number) * _SECONDS.get(unit, 0) for number, unit in pieces)
    if found := _CLOCK.search(text):
        with suppress(ValueError):
            return _on_the_clock(found, moment)
    return None


def _on_the_clock(found: re.Match[str], now: datetime) -> float:
    """The next time at which a clock shows this."""
    local = now.astimezone(_zone(found["zone"]) or now.tzinfo)
    hour = int(found["hour"]) % 12 + (12 if found["half"].lower() == "p" else 0)
    then = local.replace(hour=hour, minute=int(found["minute"] or 0), second=0, microsecond=0)
    if found["month"]:
        month = _MONTHS.index(found["month"].lower()) + 1
        then = then.replace(year=int(found["year"] or local.year), month=month, day=int(found["day"]))
        if then < local and not found["year"]:
            then = then.replace(year=then.year + 1)
    elif then < local:
        then += timedelta(days=1)
    return then.timestamp()


def _zone(name: str | None) -> tzinfo | None:
    with suppress(Exception):  # a zone that this machine does not know is taken for the local one
        return ZoneInfo(name) if name else None
    return None


def failed(text: str, code: int, *, hint: str | None = None, limit: bool = False, until: float | None = None) -> Ended:
    """The end of a run that its provider refused; a limit has a reason of its own, and the time it is over."""
    detail = text if hint is None else f"{text} ({hint})"
    if not limit and not is_limit(text):
        return Ended(SessionStatus.FAILED, code or 1, "run.failed.exit_nonzero", detail)
    over = until or reset_time(text)
    when = "" if over is None else f"; resets at {datetime.fromtimestamp(over, UTC):%Y-%m-%dT%H:%M:%SZ}"
    return Ended(SessionStatus.FAILED, code or 1, "run.failed.usage_limit", detail + when, over)
