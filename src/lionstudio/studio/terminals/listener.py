"""The socket that hooks report to: `run/hooks.sock` in the home, which only its owner can reach.

A hook is a process of the vendor's program. It sends a line `TOOL VERSION SIZE` and an event, and prints what it gets
back: nothing, except for a permission prompt that was answered here. Nothing that it sends can answer a question.
"""

from __future__ import annotations

import asyncio
import os
import socket
import struct
from contextlib import suppress
from typing import NamedTuple

from lionstudio.agents.hooks.hook_settings import socket_path
from lionstudio.agents.hooks.payloads import parse_event
from lionstudio.errors import Busy, InvalidInput, LionError
from lionstudio.model.transcript_tools import TRANSCRIPT_TOOLS
from lionstudio.runs.callers.hook_caller import HookCaller, find_hook_caller
from lionstudio.runs.callers.refusals import record_refusal
from lionstudio.studio.http.audit_log import AuditLog
from lionstudio.studio.terminals.live_terminals import Forged, LiveTerminals
from lionstudio.system.atomic_write import make_folder
from lionstudio.system.filelock import RunLock

MOST_BYTES = 4_000_000  # of one event; a file that an agent writes is in it
_MOST_CONNECTIONS = 256
_MOST_HEAD = 100
_SECONDS = 5.0  # for sending an event
_LONGEST_ADDRESS = 100  # bytes
_ACTION = "report a hook event"


class HookHead(NamedTuple):
    """The first line that a hook sends."""

    tool: str
    version: int
    size: int


class HookListener:
    """Takes the events of hooks while this server runs; one server of a home at a time."""

    def __init__(self, home: str, terminals: LiveTerminals, log: AuditLog, *, enabled: bool) -> None:
        self._path = socket_path(home)
        self._terminals = terminals
        self._log = log
        self._enabled = enabled
        self._closing = asyncio.Event()
        self._open: set[asyncio.StreamWriter] = set()
        self.is_listening = False

    async def run(self) -> None:
        """Listen until the server stops; another server of this home keeps the socket while it runs."""
        while self._enabled and not self._closing.is_set():
            try:
                with RunLock.take(f"{self._path}.lock"):
                    await self._serve()
                    return
            except Busy:
                with suppress(TimeoutError):
                    async with asyncio.timeout(_SECONDS):
                        await self._closing.wait()
            except (LionError, OSError) as error:
                self._log.write("hooks_unavailable", why=str(error))
                return

    async def _serve(self) -> None:
        await self._terminals.start()
        server = await asyncio.start_unix_server(self._handle, sock=_bind(self._path))
        self.is_listening = True
        try:
            await self._closing.wait()
        finally:
            self.is_listening = False
            with suppress(OSError):
                os.unlink(self._path)
            server.close()
            await self._terminals.close()

    def close(self) -> None:
        self._closing.set()
        self._terminals.release()

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            if len(self._open) <= _MOST_CONNECTIONS:
                await self._take(reader, writer)
        except (LionError, OSError, EOFError, TimeoutError) as error:  # the terminal goes on without us
            self._log.write("hook_refused", why=str(error)[:200])
        finally:
            self._open.discard(writer)
            writer.close()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        pid, uid = _peer(writer)
        async with asyncio.timeout(_SECONDS):
            head = _parse_head(await reader.readuntil(b"\n"))
            # looked up while the process waits for us: it cannot end meanwhile
            caller = await asyncio.to_thread(find_hook_caller, pid, uid, head.tool)
            if caller.program is None:
                await self._refuse(caller, caller.refusal or "")
                return
            event = parse_event(head.tool, await reader.readexactly(head.size))
        try:
            answer = await self._terminals.take(event, caller.program, head.version, reader)
        except Forged as forged:
            await self._refuse(caller._replace(is_agent=True), str(forged))
            return
        if answer is not None:
            writer.write(answer.output)
            await writer.drain()
            await self._terminals.delivered(answer)

    async def _refuse(self, caller: HookCaller, reason: str) -> None:
        origin = {"via": "hook", "processes": [f"{process.name} ({process.pid})" for process in caller.chain[:4]]}
        event = "refused_decision" if caller.is_agent else "hook_refused"
        self._log.write(event, action=_ACTION, reason=reason, origin=origin)
        if caller.is_agent:
            await self._terminals.refuse(lambda conn: record_refusal(conn, caller.chain, _ACTION, reason))


def _parse_head(line: bytes) -> HookHead:
    words = line[:_MOST_HEAD].decode("ascii", "replace").split()
    if len(words) != 3 or words[0] not in TRANSCRIPT_TOOLS or not all(word.isdecimal() for word in words[1:]):
        raise InvalidInput("a hook sent something else than an event")
    if int(words[2]) > MOST_BYTES:
        raise InvalidInput(f"an event has more than {MOST_BYTES} bytes")
    return HookHead(words[0], int(words[1]), int(words[2]))


def _peer(writer: asyncio.StreamWriter) -> tuple[int, int]:
    """The process and the user at the other end, from the kernel."""
    size = struct.calcsize("3i")
    credentials = writer.get_extra_info("socket").getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    pid, uid, _ = struct.unpack("3i", credentials)
    return pid, uid


def _bind(path: str) -> socket.socket:
    """A listening socket at a path of any length; one of a server that was killed is replaced."""
    folder, name = os.path.split(path)
    make_folder(folder)
    with suppress(FileNotFoundError):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        is_short = len(os.fsencode(path)) <= _LONGEST_ADDRESS
        listener.bind(path if is_short else f"/proc/self/fd/{descriptor}/{name}")
        os.chmod(path, 0o600)
    except OSError:
        listener.close()
        raise
    finally:
        os.close(descriptor)
    return listener
