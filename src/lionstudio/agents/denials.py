"""Actions that a program did not allow its agent: the run completes, but its state says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from lionstudio.agents.events import Ended
from lionstudio.model.status.reasons import DENIED
from lionstudio.model.status.statuses import SessionStatus

UNSUPPORTED = ": unsupported"  # ends the name of a tool that the program does not have; no permission helps


def completed(denied: Iterable[str]) -> Ended:
    """The end of a run that completed; `denied` are the tools of the actions that were denied."""
    tools = tuple(denied)
    if not tools:
        return Ended(SessionStatus.COMPLETED, 0)
    return Ended(SessionStatus.COMPLETED, 0, DENIED, denial_text(tools), delivery="partial", denied=tools)


def denial_text(tools: tuple[str, ...]) -> str:
    """`3 actions were denied (Bash ×2, Write)`."""
    counts = [f"{tool or 'unknown'} ×{n}" if n > 1 else tool or "unknown" for tool, n in Counter(tools).items()]
    return f"{len(tools)} {'action was' if len(tools) == 1 else 'actions were'} denied ({', '.join(counts)})"


def denial_facts(tools: tuple[str, ...]) -> dict[str, Any]:
    """The denied actions as session metadata."""
    return {"count": len(tools), "tools": dict(Counter(tools))}
