"""The channels of notifications. Each has a time limit, and a failure is a sentence without the address or a secret."""

from __future__ import annotations

import http.client
import json
import os
import shlex
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from lionstudio.model.redaction.environment import secrets_in
from lionstudio.runs.environment import plain_environment
from lionstudio.settings import Settings
from lionstudio.system.filenames import absolute_path_entries, which
from lionstudio.system.run_command import run_command

_SECONDS = 10.0
_SCREEN = ("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS")
Warn = Callable[[str], None]


class Channels(NamedTuple):
    """Where notifications go."""

    desktop: bool = False
    webhook: str | None = None
    command: tuple[str, ...] = ()
    apprise: str | None = None

    @classmethod
    def of(cls, settings: Settings) -> Channels:
        command = tuple(shlex.split(settings.notify_command or ""))
        return cls(settings.notify_desktop, settings.notify_webhook, command, settings.notify_apprise)

    def __bool__(self) -> bool:
        return bool(self.desktop or self.webhook or self.command or self.apprise)


def notification_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment of notification programs: no keys, no session, but the variables of the desktop."""
    plain = plain_environment(environ, also=_SCREEN)
    secrets = secrets_in(plain)
    return {name: value for name, value in plain.items() if value not in secrets}


def send(channels: Channels, notification: Mapping[str, Any], env: Mapping[str, str], warn: Warn) -> None:
    """Send a notification through every channel, each in a thread of its own."""
    for name, work in _works(channels, notification, env):
        threading.Thread(target=_try, args=(name, work, warn), daemon=True, name="notify").start()


def _works(
    channels: Channels, notification: Mapping[str, Any], env: Mapping[str, str]
) -> list[tuple[str, Callable[[], None]]]:
    title, text = str(notification.get("title")), str(notification.get("text"))
    works: list[tuple[str, Callable[[], None]]] = []
    if channels.desktop and (argv := desktop_argv(title, text, env)):
        works.append(("the desktop", lambda: _run(argv, "", env)))
    if channels.command:
        works.append(("the command", lambda: _run(list(channels.command), json.dumps(notification) + "\n", env)))
    if channels.webhook is not None:
        url = channels.webhook
        works.append(("the webhook", lambda: post(url, notification)))
    if channels.apprise is not None:
        address = channels.apprise
        works.append(("apprise", lambda: _apprise(address, title, text)))
    return works


def desktop_argv(title: str, text: str, env: Mapping[str, str]) -> list[str] | None:
    """The command of a desktop notification; None without a screen, where it would wait forever for a message bus."""
    if sys.platform == "darwin":
        program = which("osascript", env.get("PATH"))
        script = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run"
        return [program, "-e", script, title, text] if program else None
    program = which("notify-send", env.get("PATH")) if env.get("DISPLAY") or env.get("WAYLAND_DISPLAY") else None
    return [program, "--app-name=Lion Studio", "--", title, text] if program else None


def _try(name: str, work: Callable[[], None], warn: Warn) -> None:
    try:
        work()
    except urllib.error.HTTPError as error:
        warn(f"could not send a notification by {name}: it answered with status {error.code}")
    except http.client.HTTPException:  # its text quotes the address, or the answer
        warn(f"could not send a notification by {name}: its address is not valid, or it does not speak HTTP")
    except (OSError, ValueError) as error:
        # not the error of urllib itself, which may quote the address with its key
        reason = getattr(error, "reason", None) if isinstance(error, urllib.error.URLError) else error
        warn(f"could not send a notification by {name}: {getattr(reason, 'strerror', None) or reason}")


def _run(argv: list[str], text: str, env: Mapping[str, str]) -> None:
    clean = {**env, "PATH": absolute_path_entries(env.get("PATH", os.defpath))}
    result = run_command(argv, os.sep, clean, timeout=_SECONDS, given=text.encode())
    if not result.ok:
        raise ValueError(result.detail or result.sentence(_SECONDS))


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect could lead to another host, which the user did not choose."""

    def redirect_request(self, *_: Any) -> None:
        return None


def post(url: str, notification: Mapping[str, Any]) -> None:
    """POST a notification as JSON; http and https only, and no redirect is followed."""
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
        raise ValueError("its address does not start with http:// or https://")
    headers = {"Content-Type": "application/json", "User-Agent": "lion-studio"}
    request = urllib.request.Request(url, json.dumps(notification).encode(), headers, method="POST")
    with urllib.request.build_opener(_NoRedirects).open(request, timeout=_SECONDS):
        pass


def _apprise(address: str, title: str, text: str) -> None:
    try:
        import apprise  # an extra, and slow to load
    except ImportError:
        raise ValueError("apprise is not installed; run: pip install 'lion-studio[apprise]'") from None
    try:
        target = apprise.Apprise()
        sent = target.add(address) and target.notify(title=title, body=text)
    except Exception as error:  # of any of its services; the text may quote the address
        raise ValueError(f"apprise failed: {type(error).__name__}") from None
    if not sent:
        raise ValueError("the service did not take it")
