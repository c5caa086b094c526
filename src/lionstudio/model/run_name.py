"""The display name of a run, and the title it takes from its prompt."""

from __future__ import annotations

TYPE_CHECKING = False  # the one in typing is slow to load, and lists in a terminal use this module
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MAX_LENGTH = 60  # characters of a title
_FORK = " (fork)"
_LOOKED_AT = 4_000  # characters of a prompt; one may be 100 MB
# the columns that `run_name` reads
NAME_COLUMNS = ("id", "name", "show_topic", "show_play_name", "title", "playbook_name", "agent_name")


def title_of(prompt: str) -> str | None:
    """The first line of a prompt that is not blank, on one line and short; None for an empty prompt."""
    lines = (" ".join(line.split()) for line in prompt[:_LOOKED_AT].lstrip().splitlines())
    line = next((line for line in lines if line), "")
    return (line if len(line) <= MAX_LENGTH else line[: MAX_LENGTH - 1] + "…") or None


def play_run_name(topic: str, play: str) -> str:
    """The stored name of a play's run; shows and imports find the run by it."""
    return f"show_{topic}_{play}"


def fork_name(name: str) -> str:
    """The name of a fork that its caller does not name."""
    return f"{name.removesuffix(_FORK)}{_FORK}"


def run_name(row: Mapping[str, Any]) -> str:
    """The name a person gave, else `show / play`, the title, the playbook or agent, or the start of the id."""
    name, topic, play = row.get("name"), row.get("show_topic"), row.get("show_play_name")
    if name and not (topic and play and name == play_run_name(topic, play)):
        return str(name)
    if topic:
        return f"{topic} / {play}" if play else str(topic)
    return str(row.get("title") or row.get("playbook_name") or row.get("agent_name") or str(row["id"])[:8])
