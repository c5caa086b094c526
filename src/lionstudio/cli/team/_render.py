"""Messages of a team as people read them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from lionstudio.cli._toolkit.escape import body, inline
from lionstudio.cli._toolkit.humanize import ago
from lionstudio.cli._toolkit.terminal import Paint
from lionstudio.model.teams import TeamMessage


def message_lines(messages: Iterable[TeamMessage], paint: Paint, *, whole: bool) -> Iterator[str]:
    """Each message with its head; a long one by its summary, unless the whole is wanted."""
    now = time.time()
    for message in messages:
        to = "everyone" if message.recipient == "all" else inline(message.recipient)
        read = f"  read by {', '.join(map(inline, message.read_by))}" if message.read_by else ""
        kind = message.metadata.get("kind")
        marked = f"  {inline(str(kind))}" if kind not in (None, "message") else ""
        about = paint(ago(message.created_at, now) + marked + read, "dim")
        yield f"{paint(inline(message.sender), 'bold')} → {to}  {about}"
        short = message.summary is not None and not whole
        text = f"{message.summary} [{len(message.content):,} characters; --full]" if short else message.content
        yield from (f"  {line}" for line in body(text).splitlines())
