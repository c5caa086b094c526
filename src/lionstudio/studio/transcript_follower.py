"""Studio's own follower: `li mirror all --follow` as a child process, restarted when it ends by itself.

A process of its own, so that a first import of gigabytes slows no page. It ends with this server in whatever way that
ends: its standard input is closed then.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from contextlib import suppress

from lionstudio.model.redaction.process import secrets_to_pass
from lionstudio.runs.environment import plain_environment
from lionstudio.settings import Settings
from lionstudio.studio.http.audit_log import AuditLog
from lionstudio.system.li_process import li_argv, li_environment, start_ours_async

_HOME_VARIABLES = ("CLAUDE_CONFIG_DIR", "CODEX_HOME")
_NICENESS = 10  # pages and agents come first
_FIRST_RETRY, _LAST_RETRY = 2.0, 300.0  # seconds
_STABLE_SECONDS = 60.0  # a follower that ran for so long is restarted quickly
_STOP_SECONDS = 2.0
_MOST_ERROR = 500  # characters of the last output


class TranscriptFollower:
    """The switch and the child process; `enabled` may change while the server runs."""

    def __init__(self, settings: Settings, log: AuditLog, *, enabled: bool) -> None:
        self._settings = settings
        self._log = log
        self.enabled = enabled
        self.error: str | None = None  # the last output of a follower that failed
        self.pid: int | None = None
        self._changed = asyncio.Event()
        self._closing = False

    def switch(self, enabled: bool) -> None:
        """Start or stop following, until the server ends."""
        self.enabled = enabled
        self.error = None
        self._changed.set()

    def close(self) -> None:
        self._closing = True
        self._changed.set()

    async def run(self) -> None:
        """Keep a follower running while it is enabled."""
        retry = _FIRST_RETRY
        while not self._closing:
            self._changed.clear()
            if not self.enabled:
                await self._changed.wait()
                continue
            started = time.monotonic()
            ended_by_itself = await self._follow()
            if not ended_by_itself:
                retry = _FIRST_RETRY
                continue
            retry = _FIRST_RETRY if time.monotonic() - started > _STABLE_SECONDS else min(2 * retry, _LAST_RETRY)
            with suppress(TimeoutError):
                async with asyncio.timeout(retry):
                    await self._changed.wait()

    async def _follow(self) -> bool:
        """Run one child until it ends or is no longer wanted; True when it ended by itself."""
        try:
            process = await start_ours_async(
                li_argv("mirror", "all", "--follow", "--while-stdin-open", "--quiet"),
                _environment(self._settings),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                private=secrets_to_pass(),
            )
        except OSError as error:
            self._fail(error.strerror or str(error))
            return True
        self.pid = process.pid
        with suppress(OSError, AttributeError):
            os.setpriority(os.PRIO_PROCESS, process.pid, _NICENESS)
        self._log.write("following", pid=process.pid)
        try:
            async with asyncio.TaskGroup() as group:
                output = group.create_task(_last_output(process.stderr))
                ended, changed = group.create_task(process.wait()), group.create_task(self._changed.wait())
                await asyncio.wait((ended, changed), return_when=asyncio.FIRST_COMPLETED)
                is_unwanted = process.returncode is None
                if is_unwanted:
                    await _stop(process)
                changed.cancel()
        finally:
            self.pid = None
        if is_unwanted:
            self._log.write("following_stopped", pid=process.pid)
            return False
        self._fail(output.result() or f"exit code {process.returncode}")
        return True

    def _fail(self, reason: str) -> None:
        self.error = reason
        self._log.write("following_failed", why=reason)


async def _stop(process: asyncio.subprocess.Process) -> None:
    """Ask it to end, so that it closes ended sessions; kill it after a moment."""
    with suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
    try:
        async with asyncio.timeout(_STOP_SECONDS):
            await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def _last_output(stream: asyncio.StreamReader | None) -> str:
    text = b""
    while stream is not None and (piece := await stream.read(4096)):
        text = (text + piece)[-_MOST_ERROR:]
    return text.decode("utf-8", "replace").strip()


def _environment(settings: Settings) -> dict[str, str]:
    """Our files, and the variables that move a tool's home; no keys, because nothing is sent anywhere."""
    return plain_environment(os.environ, _HOME_VARIABLES) | li_environment(settings)
