"""Telling a person that they are needed: on the desktop, by a webhook, by a command. It never holds the show up."""

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


def notify(how: Notify, told: Mapping[str, Any], env: Mapping[str, str], warn: Warn) -> None:
    """Tell it in every way the plan names; what does not work is said and forgotten."""
    ways: list[Callable[[], None]] = []
    if how.desktop and (program := _desktop(env)):
        ways.append(lambda: _run([program, "--app-name=Lion Studio", str(told["title"]), str(told["text"])], "", env))
    if how.command:
        ways.append(lambda: _run(list(how.command), json.dumps(told) + "\n", env))
    if how.webhook:
        url = how.webhook
        ways.append(lambda: _post(url, told))
    for way in ways:
        threading.Thread(target=_attempt, args=(way, warn), daemon=True, name="notify").start()


def _desktop(env: Mapping[str, str]) -> str | None:
    """Only where there is a screen: without one the program waits for a bus that never comes."""
    if not (env.get("DISPLAY") or env.get("WAYLAND_DISPLAY")):
        return None
    return shutil.which("notify-send", path=env.get("PATH"))


def _attempt(way: Callable[[], None], warn: Warn) -> None:
    try:
        way()
    except (OSError, ValueError, subprocess.SubprocessError, urllib.error.URLError) as error:
        warn(f"a notification did not get through: {error}")


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


def _post(url: str, told: Mapping[str, Any]) -> None:
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"{url[:80]} is no web address")
    request = urllib.request.Request(
        url, json.dumps(told).encode(), {"Content-Type": "application/json"}, method="POST"
    )
    with urllib.request.urlopen(request, timeout=_SECONDS):
        pass
