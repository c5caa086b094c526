"""Usage limits: recognise them in error texts, and parse the time they reset."""

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
    """True if an error reports a usage, rate or cost limit. Only for errors: an answer may mention a limit too."""
    return _LIMIT.search(text) is not None


def reset_time(text: str, *, now: datetime | None = None) -> float | None:
    """The time a limit resets, in unix seconds; None when the text does not tell."""
    current = now or datetime.now().astimezone()
    if match := _EPOCH.search(text):
        return float(match[1])
    if match := _ISO.search(text):
        return datetime.fromisoformat(match[1]).timestamp()
    if match := _SPAN.search(text):
        pieces = _PIECE.findall(match[1].lower())
        return current.timestamp() + sum(float(number) * _SECONDS.get(unit, 0) for number, unit in pieces)
    if match := _CLOCK.search(text):
        with suppress(ValueError):
            return _next_clock_time(match, current)
    return None


def _next_clock_time(match: re.Match[str], now: datetime) -> float:
    local = now.astimezone(_zone(match["zone"]) or now.tzinfo)
    hour = int(match["hour"]) % 12 + (12 if match["half"].lower() == "p" else 0)
    reset = local.replace(hour=hour, minute=int(match["minute"] or 0), second=0, microsecond=0)
    if match["month"]:
        month = _MONTHS.index(match["month"].lower()) + 1
        reset = reset.replace(year=int(match["year"] or local.year), month=month, day=int(match["day"]))
        if reset < local and not match["year"]:
            reset = reset.replace(year=reset.year + 1)
    elif reset < local:
        reset += timedelta(days=1)
    return reset.timestamp()


def _zone(name: str | None) -> tzinfo | None:
    with suppress(Exception):  # a zone that this machine does not know counts as local time
        return ZoneInfo(name) if name else None
    return None


def failed(text: str, code: int, *, hint: str | None = None, limit: bool = False, until: float | None = None) -> Ended:
    """The outcome of a run that the provider rejected; a usage limit has its own reason code and reset time."""
    detail = text if hint is None else f"{text} ({hint})"
    if not limit and not is_limit(text):
        return Ended(SessionStatus.FAILED, code or 1, "run.failed.exit_nonzero", detail)
    reset = until or reset_time(text)
    suffix = "" if reset is None else f"; resets at {datetime.fromtimestamp(reset, UTC):%Y-%m-%dT%H:%M:%SZ}"
    return Ended(SessionStatus.FAILED, code or 1, "run.failed.usage_limit", detail + suffix, reset)
