"""The caller of a change: Studio changes nothing for an agent, which could use it to leave its own permissions.

The process at the other end of the connection is looked up, and its ancestors: a browser of the user passes, `curl` in
the tree of an agent does not. Reading and validating are free.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from contextlib import suppress

from starlette.types import ASGIApp, Receive, Scope, Send

from lionstudio.errors import LionError
from lionstudio.runs.callers.caller import Caller, find_connected_agent, peer_of
from lionstudio.runs.callers.refusals import record_refusal
from lionstudio.state.runs.active_owners import RunningOwner
from lionstudio.studio.db import StudioDb
from lionstudio.studio.http.audit_log import AuditLog
from lionstudio.studio.http.auth import SAFE_METHODS, is_browser_by_proxy
from lionstudio.studio.http.error_responses import problem_response

CODE = "agent_caller"
ORIGIN = "lion.origin"  # of the scope: where the request came from, for the record of a decision
_FREE = re.compile(r"/api/definitions/[^/]+/[^/]+/validate\Z")


class CallerMiddleware:
    """Refuses a change that an agent asks for; behind authentication, because the lookup costs some milliseconds."""

    def __init__(
        self,
        app: ASGIApp,
        log: AuditLog,
        db: StudioDb | None = None,
        find: Callable[[tuple[str, int] | None, int, bool], Caller] = peer_of,
        terminals: Callable[[], Sequence[RunningOwner]] = tuple,
    ) -> None:
        self.app, self._log, self._db, self._find, self._terminals = app, log, db, find, terminals

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in SAFE_METHODS or _FREE.match(scope["path"]):
            await self.app(scope, receive, send)
            return
        caller = await asyncio.to_thread(self._caller, scope)
        scope[ORIGIN] = caller.origin()
        if caller.agent is None:
            await self.app(scope, receive, send)
            return
        action = f"{scope['method']} {scope['path'][:200]}"
        self._log.write("refused_decision", action=action, reason=caller.agent, origin=caller.origin())
        await asyncio.to_thread(self._record, caller, action)
        refusal = problem_response(
            403,
            CODE,
            f"Only a person may do this, and the caller belongs to an agent: {caller.agent}.",
            hint="use the page in your own browser, or run li in a terminal of your own",
        )
        await refusal(scope, receive, send)

    def _record(self, caller: Caller, action: str) -> None:
        """Count it, for the list of what needs a person; the refusal holds without that."""
        with suppress(LionError):
            if self._db is not None and not self._db.read_only:
                self._db.write(lambda conn: record_refusal(conn, caller.chain, action, caller.agent or ""))

    def _caller(self, scope: Scope) -> Caller:
        server_port = (scope.get("server") or ("", 0))[1]
        caller = self._find(scope.get("client"), server_port, is_browser_by_proxy(scope))
        return caller._replace(agent=caller.agent or find_connected_agent(caller.chain, self._terminals()))
