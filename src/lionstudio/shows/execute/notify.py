"""Notifications of a plan: the director sends its questions through the channels that the plan names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lionstudio.model.shows.plan import Notify
from lionstudio.runs.notifications.channels import Channels, Warn, send


def notify(settings: Notify, notification: Mapping[str, Any], env: Mapping[str, str], warn: Warn) -> None:
    """Send the notification through every channel of the plan; a failure is only a warning."""
    send(Channels(settings.desktop, settings.webhook, settings.command), notification, env, warn)
