"""Lines of the Studio log as entries: time, level and a sentence; the raw line stays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lionstudio.model.json_codec import load

_ERRORS = frozenset({"bug", "database", "hooks_unavailable", "following_failed"})
_WARNINGS = frozenset({"denied", "refused_decision", "hook_refused", "unobserved", "notify"})
_SENTENCES: Mapping[str, str] = {
    "bug": "Unexpected error",
    "continued_run": "Continued a run",
    "changed_setting": "Changed a setting",
    "database": "The database could not be opened",
    "denied": "Refused a request",
    "edited": "Edited a run",
    "following": "Follows transcripts",
    "following_failed": "Following transcripts failed",
    "following_stopped": "Stopped following transcripts",
    "hook_refused": "Refused a hook",
    "hooks_unavailable": "Hooks cannot report",
    "launched": "Started a process",
    "notify": "A notification failed",
    "refused_decision": "Refused a decision of an agent",
    "removed": "Removed a run",
    "settled_run": "Recorded the end of a killed run",
    "signed_in": "A browser signed in",
    "signed_out": "A browser signed out",
    "started_studio": "Studio started",
    "stopped": "Stopped a run",
    "stopped_studio": "Studio stopped",
    "unobserved": "Edits of definitions could not be recorded",
    "upgraded_database": "Upgraded the database",
}
_MOST = 300


def log_entry(line: str) -> dict[str, Any]:
    """One line; another program may have written anything."""
    try:
        value = load(line)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        return {"at": None, "level": "info", "event": "", "message": line[:_MOST], "raw": line}
    at, event = value.pop("at", None), str(value.pop("event", ""))
    facts = ", ".join(_fact(name, fact) for name, fact in value.items() if fact is not None)
    message = ": ".join(filter(None, (_SENTENCES.get(event, event), facts)))
    return {
        "at": at if isinstance(at, (int, float)) and not isinstance(at, bool) else None,
        "level": "error" if event in _ERRORS else "warning" if event in _WARNINGS else "info",
        "event": event,
        "message": message if len(message) <= _MOST else message[: _MOST - 1] + "…",
        "raw": line,
    }


def _fact(name: str, value: Any) -> str:
    """A reason stands alone; any other fact has its name, and of many lines the last one says what happened."""
    text = str(value).strip()
    last = text.splitlines()[-1] if text else ""
    return last if name in ("why", "reason") else f"{name} {last}"
