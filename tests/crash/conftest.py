"""Figures that a test found out; `tests/conftest.py` prints them at the end of the run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Figures = Callable[[str], None]


@pytest.fixture
def figures(record_property: Callable[[str, object], None]) -> Figures:
    """Call it with a sentence that belongs into the summary, such as how many kills lost how much."""
    return lambda sentence: record_property("figures", sentence)
