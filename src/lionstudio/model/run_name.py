"""The display name of a run."""

from __future__ import annotations

TYPE_CHECKING = False  # the one in typing is slow to load, and lists in a terminal use this module
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MAX_LENGTH = 60  # characters of a name taken from a prompt


def play_run_name(topic: str, play: str) -> str:
    """The stored name of a play's run; shows and imports find the run by it."""
    return f"show_{topic}_{play}"


def run_name(row: Mapping[str, Any]) -> str:
    """The name given by the user, else `show / play`, else the playbook or agent, else the start of the id."""
    name, topic, play = row.get("name"), row.get("show_topic"), row.get("show_play_name")
    if name and not (topic and play and name == play_run_name(topic, play)):
        return str(name)
    if topic:
        return f"{topic} / {play}" if play else str(topic)
    return str(row.get("playbook_name") or row.get("agent_name") or str(row["id"])[:8])
