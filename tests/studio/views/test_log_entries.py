"""Lines of the log as entries."""

from __future__ import annotations

import pytest

from lionstudio.studio.views.log_entries import log_entry


def test_log_entry_has_time_level_and_sentence() -> None:
    line = '{"at": 5.5, "event": "denied", "reason": "wrong_token", "status": 401, "path": "/api/runs"}'

    assert log_entry(line) == {
        "at": 5.5,
        "level": "warning",
        "event": "denied",
        "message": "Refused a request: wrong_token, status 401, path /api/runs",
        "raw": line,
    }


def test_log_entry_of_a_bug_names_the_error() -> None:
    entry = log_entry('{"at": 1, "event": "bug", "why": "Traceback\\n  File x\\nKeyError: 3"}')

    assert (entry["level"], entry["message"]) == ("error", "Unexpected error: KeyError: 3")


@pytest.mark.parametrize("line", ["", "text", "[1]", "{", '{"at": "x"}', '{"at": true, "event": []}'])
def test_log_entry_takes_any_line(line: str) -> None:
    entry = log_entry(line)
    assert (entry["at"], entry["level"], entry["raw"]) == (None, "info", line)
