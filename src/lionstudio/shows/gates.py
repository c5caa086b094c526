"""The gates of a play that are programs, and the verdict that all kinds of gates give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lionstudio.model.plans import Gate

__all__ = ["Check", "Verdict", "parse_verdict", "run_commands"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What one gate said."""

    kind: str  # command | review | person | collect
    title: str
    passed: bool
    summary: str  # one line
    output: str = ""  # the end of what it printed
    exit_code: int | None = None
    seconds: float | None = None
    log: str | None = None  # the file that holds more of the output


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the gates said together: `summary` is one line for a table, `feedback` is for the next attempt."""

    passed: bool
    summary: str
    feedback: str = ""
    checks: tuple[Check, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As `_verdict.json` holds it (`gate_passed` and `feedback` are the names of ADR-0011)."""
        raise NotImplementedError


def run_commands(
    gates: Sequence[Gate],
    cwd: str,
    env: Mapping[str, str],
    *,
    logs: str | None = None,
    why_stop: Callable[[], str | None] = lambda: None,
) -> Verdict:
    """Run the command gates in a laid-out merge result, one after the other up to the first that fails."""
    raise NotImplementedError


def parse_verdict(text: str) -> Verdict:
    """The JSON verdict in a reviewer's answer; InvalidInput says what is wrong with it."""
    raise NotImplementedError
