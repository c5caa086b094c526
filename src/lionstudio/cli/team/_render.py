"""Team messages for a terminal."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from lionstudio.cli._toolkit.escape import body, inline
from lionstudio.cli._toolkit.humanize import ago
from lionstudio.cli._toolkit.terminal import Paint
from lionstudio.model.teams import TeamMessage


def message_lines(messages: Iterable[TeamMessage], paint: Paint, *, full: bool) -> Iterator[str]:
    """Each message with a heading; a long one as its summary, unless `full`."""
    now = time.time()
    for message in messages:
        to = "everyone" if message.recipient == "all" else inline(message.recipient)
        read = f"  read by {', '.join(map(inline, message.read_by))}" if message.read_by else ""
        kind = message.metadata.get("kind")
        label = f"  {inline(str(kind))}" if kind not in (None, "message") else ""
        about = paint(ago(message.created_at, now) + label + read, "dim")
        yield f"{paint(inline(message.sender), 'bold')} → {to}  {about}"
        short = message.summary is not None and not full
        text = f"{message.summary} [{len(message.content):,} characters, --full]" if short else message.content
        yield from (f"  {line}" for line in body(text).splitlines())
