"""The status of the hub, as this machine sees it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple

from lionstudio.errors import LionError
from lionstudio.hub.connect import HubConnection
from lionstudio.hub.push import Push
from lionstudio.machine import machine_id
from lionstudio.settings import is_url
from lionstudio.state.hub.machines import MachineSums, read_contents
from lionstudio.state.hub.selection import PushFilters


class HubStatus(NamedTuple):
    """Without `schema`, the hub is not reachable, and `reason` says why."""

    hub: str
    reason: str | None = None
    schema: int | None = None
    sessions: int = 0
    messages: int = 0
    machines: tuple[MachineSums, ...] = ()
    pending_sessions: int = 0
    never_pushed: bool = True
    pushes: bool = True  # False: this machine works on the hub itself
    this_machine: str | None = None

    def to_dict(self) -> dict[str, Any]:
        machines = [
            {**one.machine._asdict(), "sessions": one.sessions, "messages": one.messages} for one in self.machines
        ]
        reachable = {"reachable": self.schema is not None, "database_schema": self.schema}
        fields = self._asdict() | reachable | {"machines": machines}
        if self.schema is None:  # not zero, but not known: a script must not take it for "nothing to push"
            fields |= dict.fromkeys(("sessions", "messages", "pending_sessions", "never_pushed"))
        del fields["schema"]
        return fields


def hub_status(hub: HubConnection, path: str, parse_time: Callable[[str], float]) -> HubStatus:
    """The status; an unreachable hub is a status too, and raises nothing."""
    status = HubStatus(hub.name, this_machine=machine_id())
    try:
        contents = hub.read(read_contents)
    except LionError as error:
        return status._replace(reason=error.message)
    status = status._replace(**contents._asdict())
    if is_url(path):
        return status._replace(pushes=False)
    if machine_id() is None or not os.path.exists(path):
        return status
    push = Push(path, hub, PushFilters())
    mark = push.find_mark()
    if mark is not None:
        push = Push(path, hub, PushFilters.from_key(mark.filters, parse_time))
    return status._replace(pending_sessions=len(push.pending().selected), never_pushed=mark is None)
