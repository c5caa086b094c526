"""Usage limits and their reset times in error texts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from lionstudio.agents.rate_limits import failed, is_limit, reset_time

NOW = datetime(2026, 11, 15, 10, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "Claude AI usage limit reached|1794800000",
        "5-hour limit reached ∙ resets 3pm",
        "You've hit your session limit · resets 3:30pm (UTC)",
        "You’ve hit your usage limit. Try again at 6:14 PM.",
        "API Error: Request rejected (429) · This request would exceed your account rate limit.",
        "Quota exceeded. Check your plan and billing details.",
        "Credit balance is too low",
        "You're out of extra usage · resets 3am",
        "exceeded retry limit, last status: 429 Too Many Requests",
    ],
)
def test_is_limit_recognises_limits(text: str) -> None:
    assert is_limit(text)


@pytest.mark.parametrize("text", ["API Error: 400 bad request", "Invalid API key", "the context window is full", ""])
def test_is_limit_rejects_other_errors(text: str) -> None:
    assert not is_limit(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("usage limit reached|1794800000", datetime.fromtimestamp(1794800000, UTC)),
        ('"resets_at":1794800000,', datetime.fromtimestamp(1794800000, UTC)),
        ("resets 3pm", datetime(2026, 11, 15, 15, 0, tzinfo=UTC)),
        ("resets 9am", datetime(2026, 11, 16, 9, 0, tzinfo=UTC)),
        ("resets 12am", datetime(2026, 11, 16, 0, 0, tzinfo=UTC)),
        ("resets 3:30pm (Asia/Shanghai)", datetime(2026, 11, 16, 7, 30, tzinfo=UTC)),
        ("resets 3:30pm (No/Where)", datetime(2026, 11, 15, 15, 30, tzinfo=UTC)),
        ("resets Jan 9, 5pm", datetime(2027, 1, 9, 17, 0, tzinfo=UTC)),
        ("try again at Mar 18th, 2033 6:14 PM.", datetime(2033, 3, 18, 18, 14, tzinfo=UTC)),
        ("try again at 6:14 PM.", datetime(2026, 11, 15, 18, 14, tzinfo=UTC)),
        ("try again in 3 days 4 hours 5 minutes.", NOW + timedelta(days=3, hours=4, minutes=5)),
        ("Please try again in 1.5s.", NOW + timedelta(seconds=1.5)),
    ],
)
def test_reset_time_parses(text: str, expected: datetime) -> None:
    assert reset_time(text, now=NOW) == expected.timestamp()


def test_reset_time_uses_local_clock() -> None:
    here = NOW.astimezone(timezone(timedelta(hours=-8)))  # 2 o'clock in the morning

    assert reset_time("resets 3pm", now=here) == datetime(2026, 11, 15, 23, 0, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    "text", ["resets soon", "try again at Feb 31st, 2033 6:14 PM", "resets Foo 3, 5pm", "25pm", ""]
)
def test_reset_time_returns_none_without_time(text: str) -> None:
    assert reset_time(text, now=NOW) is None


def test_failed_includes_reset_time() -> None:
    end = failed("usage limit reached|1794800000", 0)

    assert (end.exit_code, end.reason) == (1, "run.failed.usage_limit")
    assert end.detail == "usage limit reached|1794800000; resets at 2026-11-16T03:33:20Z"
    assert end.resets_at == reset_time("usage limit; resets at 2026-11-16T03:33:20Z") == 1794800000
    assert failed("broken", 3, hint="mend it").detail == "broken (mend it)"
    assert failed("overloaded", 1, until=1794800000).reason == "run.failed.exit_nonzero"
