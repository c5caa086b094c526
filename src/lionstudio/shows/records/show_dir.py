"""The folder of a show."""

from __future__ import annotations

import os

from lionstudio.errors import InvalidInput
from lionstudio.files.shows.plan_fields import fault_of_slug
from lionstudio.settings import Settings


def find_show_dir(settings: Settings, topic: str) -> str:
    """Return the folder of a topic, which may not exist; a name that could lead elsewhere is refused."""
    if (fault := fault_of_slug(topic)) is not None:
        raise InvalidInput(f"the topic {topic!r:.80} {fault}", hint="li show ls")
    return os.path.join(settings.shows, topic)
