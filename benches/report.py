"""The figures of all benches as the Markdown of docs/reference/performance.md: `python -m benches.report [FILE …]`.

Without files it takes what `make bench` left in benches/.data/results. `--write` puts the figures into the page, in
place of its last section.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benches import goals
from benches.table import figure

_PAGE = Path(__file__).parent.parent / "docs" / "reference" / "performance.md"
_SECTION = "\n## Measured\n\n"


def main() -> None:
    """Print the page's tables, or write them into the page."""
    files = [word for word in sys.argv[1:] if word != "--write"]
    tables = markdown(goals.read_results(files))
    if len(files) == len(sys.argv) - 1:
        print(tables, end="")
        return
    before, heading, _ = _PAGE.read_text(encoding="utf-8").partition(_SECTION)
    _PAGE.write_text(before + heading + tables.rstrip() + "\n", encoding="utf-8")


def markdown(results: Sequence[dict[str, Any]]) -> str:
    """The goals, then a table for each bench under its command, after a description of the machine."""
    return (
        "\n".join(
            [*_setting(results), goals.markdown(results), *(line for result in results for line in _section(result))]
        )
        + "\n"
    )


def _setting(results: Sequence[dict[str, Any]]) -> list[str]:
    found = results[0]["machine"]
    missed = sum(row["verdict"] == "MISS" for result in results for row in result["rows"])
    goals = sum(bool(row["verdict"]) for result in results for row in result["rows"])
    return [
        f"Measured on {found['cores']} cores, {found['system']}, Python {found['python']}, SQLite {found['sqlite']} "
        f"(apsw {found['apsw']}), on a disk. {goals - missed} of {goals} goals are reached.",
        "",
    ]


def _section(result: dict[str, Any]) -> list[str]:
    quick = " (quick: smaller data, fewer rounds)" if result["quick"] else ""
    return [
        f"### {result['title']}",
        "",
        f"`{result['command']}`{quick}, load average {result['load']}{_duration(result)}",
        "",
        "| what | measured | goal | | |",
        "|---|---:|---:|---|---|",
        *(_row(row) for row in result["rows"]),
        "",
    ]


def _duration(result: dict[str, Any]) -> str:
    return f", {result['seconds']:.0f} s" if "seconds" in result else ""


def _row(row: dict[str, Any]) -> str:
    verdict = {"ok": "reached", "MISS": "**missed**", "": ""}[row["verdict"]]
    cells = (row["what"], figure(row["value"], row["unit"]).strip(), row["goal"], verdict, row["note"])
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    main()
