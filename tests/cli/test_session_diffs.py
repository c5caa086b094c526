"""Diffs of tool calls as text."""

from __future__ import annotations

import pytest

from lionstudio.cli._session.diffs import diff_text


def test_diff_text_is_a_unified_diff() -> None:
    diffs = [
        {"path": "a.txt", "old": "one\ntwo\n", "new": "one\nthree\n"},
        {"path": "b.txt", "old": None, "new": "new\n"},
    ]

    assert diff_text(diffs).splitlines() == [
        *("--- a/a.txt", "+++ b/a.txt", "@@", " one", "-two", "+three"),
        *("--- /dev/null", "+++ b/b.txt", "@@ -0,0 +1,1 @@", "+new"),
    ]


@pytest.mark.parametrize("diffs", [None, [], "x", {"path": "a"}, [None], [{"path": 1, "old": 2, "new": 3}]])
def test_diff_text_of_anything_else_is_empty(diffs: object) -> None:
    assert diff_text(diffs) == ""
