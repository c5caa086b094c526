"""Receive from a running program and from a person at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

from lionstudio.agents.dialog import Dialog, Said

T = TypeVar("T")


class ProgramAndPerson(Generic[T]):
    """Receives from a program and from a person, in the order of arrival; nothing is lost when it is closed."""

    def __init__(self, receive: Callable[[], Coroutine[Any, Any, T]], dialog: Dialog | None) -> None:
        self._receive = receive
        self._dialog = dialog
        self._message: asyncio.Task[T] | None = None
        self._said: asyncio.Task[Said] | None = None

    async def next(self, within: float | None = None) -> T | Said:
        """The next message of the program, or what the person said; a TimeoutError loses nothing."""
        loop = asyncio.get_running_loop()
        waiting: set[asyncio.Task[Any]] = set()
        if self._dialog is not None:
            self._said = self._said or loop.create_task(self._dialog.receive())
            waiting.add(self._said)
        self._message = self._message or loop.create_task(self._receive())
        await asyncio.wait({*waiting, self._message}, timeout=within, return_when=asyncio.FIRST_COMPLETED)
        if (said := self.said_nowait()) is not None:  # a program that never pauses must not keep a person out
            return said
        if not self._message.done():
            raise TimeoutError
        message, self._message = self._message, None
        return message.result()

    def said_nowait(self) -> Said | None:
        """The words of the person that are here already."""
        if self._said is not None and self._said.done():
            said, self._said = self._said, None
            return said.result()
        return None if self._dialog is None or self._said is not None else self._dialog.receive_nowait()

    async def close(self) -> None:
        tasks = [task for task in (self._message, self._said) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
