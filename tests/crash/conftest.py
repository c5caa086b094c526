"""Figures that a test found out are printed at the end of the run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Figures = Callable[[str], None]


@pytest.fixture
def figures(record_property: Callable[[str, object], None]) -> Figures:
    """Call it with a sentence that belongs into the summary, such as how many kills lost how much."""
    return lambda sentence: record_property("figures", sentence)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the sentences, also those that came from other processes."""
    reports = [report for outcome in ("passed", "failed") for report in terminalreporter.stats.get(outcome, [])]
    lines = [
        f"{report.nodeid}: {text}" for report in reports for name, text in report.user_properties if name == "figures"
    ]
    if lines:
        terminalreporter.section("figures")
        for line in sorted(lines):
            terminalreporter.write_line(line)
