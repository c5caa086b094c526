"""Notifications for a person: on the desktop, by a webhook, by a command. They never delay the show."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any

from lionstudio.model.shows.plan import Notify

_SECONDS = 10.0
Warn = Callable[[str], None]


def notify(settings: Notify, notification: Mapping[str, Any], env: Mapping[str, str], warn: Warn) -> None:
    """Send the notification through every channel of the plan; a failure is only a warning."""
    channels: list[Callable[[], None]] = []
    if settings.desktop and (program := _desktop(env)):
        title, text = str(notification["title"]), str(notification["text"])
        channels.append(lambda: _run([program, "--app-name=Lion Studio", title, text], "", env))
    if settings.command:
        channels.append(lambda: _run(list(settings.command), json.dumps(notification) + "\n", env))
    if settings.webhook:
        url = settings.webhook
        channels.append(lambda: _post(url, notification))
    for channel in channels:
        threading.Thread(target=_send, args=(channel, warn), daemon=True, name="notify").start()


def _desktop(env: Mapping[str, str]) -> str | None:
    """Find the program, if there is a screen: without one it waits forever for a message bus."""
    if not (env.get("DISPLAY") or env.get("WAYLAND_DISPLAY")):
        return None
    return shutil.which("notify-send", path=env.get("PATH"))


def _send(channel: Callable[[], None], warn: Warn) -> None:
    try:
        channel()
    except (OSError, ValueError, subprocess.SubprocessError, urllib.error.URLError) as error:
        warn(f"could not send a notification: {error}")


def _run(argv: list[str], text: str, env: Mapping[str, str]) -> None:
    subprocess.run(
        argv,
        input=text.encode(),
        env=dict(env),
        timeout=_SECONDS,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _post(url: str, notification: Mapping[str, Any]) -> None:
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"{url[:80]} is not a web address")
    request = urllib.request.Request(
        url, json.dumps(notification).encode(), {"Content-Type": "application/json"}, method="POST"
    )
    with urllib.request.urlopen(request, timeout=_SECONDS):
        pass
