"""Completes live runs from the transcript of their conversation: each record of the vendor is in exactly one session.

A record that a run stored gets an alias, and its exact usage. A record that no run stored is inserted after the record
before it in the file. A prompt that no run sent begins a part of the conversation that a person wrote in a terminal:
it belongs to the mirrored session of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from lionstudio.agents.transcript import MAIN, TranscriptFacts, TranscriptMessage, TranscriptTool, is_record_id
from lionstudio.agents.usage_tally import grown
from lionstudio.imports.transcripts.live_match import LiveMessages, is_prompt
from lionstudio.model.branches import Branch
from lionstudio.model.messages import ActionResponse, Message, System
from lionstudio.model.usage import Usage
from lionstudio.state.branches import branch_entries, create_branch, find_branch, lineage
from lionstudio.state.connection import Connection
from lionstudio.state.imports.live_branches import (
    Insertion,
    LiveBranch,
    add_alias,
    count_usage,
    find_live_branch,
    insert_messages,
    list_live_branches,
    list_session_branches,
    matched_ids,
    place_before_branch,
    set_message_metadata,
    stored_ids,
)
from lionstudio.state.imports.transcript_files import set_usage
from lionstudio.state.usage.ledger import SpentPart

OWN = ""  # instead of a branch: the mirrored session of the file
_ADDED = ("uuid", "parent_uuid", "item_id", "ordinal", "turn_id", "message_id", "model", "effort")


class Completion:
    """The live branches that one transcript completes, in one transaction."""

    def __init__(
        self,
        conn: Connection,
        tool: TranscriptTool,
        facts: TranscriptFacts,
        state: dict[str, Any],
        runs: Sequence[LiveBranch],
        agent_name: str,
    ) -> None:
        self._conn = conn
        self._tool = tool
        self._facts = facts
        self._state = state  # `current`: the branch of the last record; `last`: by branch; `base`, `used`: usage
        self._agent_name = agent_name
        self._is_own_file = facts.lane == MAIN and not facts.parent
        self._runs = list(runs)
        self._live = LiveMessages()
        self._branches: dict[str, LiveBranch] = {}
        self._mains: list[str] = []  # the branches of the conversation and of those it was forked from
        self._lanes: dict[str, str] = {}
        self._insertions: dict[str, list[Insertion]] = {}
        self._touched: set[str] = set()
        self._starts_at: float | None = None  # the time of the first record
        self._last: dict[str, str] = state.setdefault("last", {})
        for session_id in dict.fromkeys(branch.session_id for branch in runs):
            for branch in list_session_branches(conn, session_id):
                self._load(branch)
        for run in runs:
            for ancestor in _ancestors(conn, run):
                self._load(ancestor)
                self._mains.append(ancestor.id)
        self._mains = list(dict.fromkeys([*self._mains, *(run.id for run in runs if not run.is_lane)]))
        completed = [branch_id for branch_id in self._mains if branch_id in self._last]
        if self._is_own_file and completed:
            self._state.setdefault("current", completed[-1])

    def _load(self, branch: LiveBranch) -> None:
        if branch.id in self._branches:
            return
        self._branches[branch.id] = branch
        messages = [entry.message for entry in branch_entries(self._conn, branch.id) if entry.message is not None]
        matched = matched_ids(self._conn, [message.id for message in messages])
        self._live.add(branch.id, messages, matched)
        completed = [message.id for message in messages if message.id in matched or is_record_id(message.id)]
        if completed:  # by an earlier read, or by the merge of a copy
            self._last.setdefault(branch.id, completed[-1])

    # ── records ──────────────────────────────────────────────────────────

    def store(
        self,
        entries: Sequence[TranscriptMessage],
        store_own: Callable[[TranscriptMessage], bool],
        *,
        missing: Collection[str] = (),
    ) -> int:
        """Store records; returns how many were new. `store_own` stores those that no live run has.

        `missing` are records whose rows exist, but have no place in a session any more.
        """
        stored = stored_ids(self._conn, [entry.message.id for entry in entries])
        for id_ in missing:
            stored.pop(id_, None)
        # the instructions of the program are stored once, with the time of their first conversation
        times = [entry.message.created_at for entry in entries if not isinstance(entry.message, System)]
        self._starts_at = times[0] if times else None
        new = 0
        for entry in entries:
            message = entry.message
            known = stored.get(message.id)
            if known is not None and (known in self._live.branch_of or not isinstance(message, System)):
                self._pass(entry, known)
                continue
            branch_id = self._match(entry)
            if branch_id is None:
                branch_id = self._branch_for(entry)
                self._enter(entry, branch_id)
                if branch_id == OWN:
                    new += store_own(entry)
                elif branch_id is not None:
                    self._insert(branch_id, self._linked(message))
        for session_id, insertions in self._insertions.items():
            new += insert_messages(self._conn, session_id, insertions)
        self._insertions = {}
        return new

    def _pass(self, entry: TranscriptMessage, known: str) -> None:
        """A record that is stored already; the next one stands after it."""
        branch_id = self._live.branch_of.get(known, OWN)
        if branch_id != OWN:
            self._last[branch_id] = known
        if entry.lane == self._facts.lane:
            self._enter(entry, branch_id)

    def _enter(self, entry: TranscriptMessage, branch_id: str | None) -> None:
        """Continue with a branch; tokens that were reported before belong to the branch before."""
        if entry.lane != self._facts.lane or branch_id is None or self._state.get("current") == branch_id:
            return
        total = Usage() if entry.total is None else Usage(*entry.total)  # type: ignore[arg-type]
        self._settle(total)
        if branch_id == OWN and self._state.get("current"):
            self._state["continues"] = self._state["current"]
        self._state["current"] = branch_id

    def _settle(self, total: Usage) -> None:
        """Give the tokens since the last change of branches to the current branch."""
        # tokens before the first record are those of a part that was mirrored earlier
        current, base = self._state.get("current", OWN), Usage(*self._state.get("base", ()))
        added = grown(base, total)._replace(cost_microusd=_cost_grown(base, total))
        if any(added[:4]):
            used = self._state.setdefault("used", {})
            used[current] = list(Usage(*used.get(current, ())).plus(added))
        self._state["base"] = list(total)

    def _match(self, entry: TranscriptMessage) -> str | None:
        """Find the message that a run stored for this record; returns its branch."""
        message = entry.message
        request = None
        if isinstance(message, ActionResponse):
            request = self._request(message)
        live = self._live.match(self._candidates(entry), message, request)
        if live is None and entry.lane == self._facts.lane and self._is_own_file and is_prompt(message):
            live = self._prompt_at(message.created_at)
        if live is None:
            return None
        branch_id = self._live.branch_of[live.id]
        self._enter(entry, branch_id)
        self._complete_message(live, message)
        self._touched.add(branch_id)
        self._last[branch_id] = live.id
        return branch_id

    def _candidates(self, entry: TranscriptMessage) -> list[str]:
        lane = self._lane_branch(entry.lane)
        if lane is not None:
            return [lane]
        return self._mains if self._is_own_file and entry.lane == self._facts.lane else []

    def _prompt_at(self, at: float) -> Message | None:
        """The prompt of the run that was active at this time: it may have been sent with more text than was stored."""
        for run in self._runs:
            if run.spans(at) and not run.is_lane and (prompt := self._live.unmatched_prompt(run.id)) is not None:
                return self._live.take(prompt.id)
        return None

    def _complete_message(self, live: Message, record: Message) -> None:
        add_alias(self._conn, record.id, live.id)
        if record.metadata.get("call_id"):
            self._state.setdefault("calls", {})[record.metadata["call_id"]] = live.id
        metadata = {key: record.metadata[key] for key in _ADDED if key in record.metadata} | dict(live.metadata)
        if self._tool.record_id_key is not None:  # its records report their usage one by one
            usage = record.metadata.get("usage")
            if usage is None:
                metadata.pop("usage", None)
            else:
                cost = usage.get("cost_microusd")
                metadata["usage"] = {**usage, "cost_microusd": live.usage.cost_microusd if cost is None else cost}
        if metadata != live.metadata:
            set_message_metadata(self._conn, live.id, metadata)

    def _request(self, response: ActionResponse) -> str | None:
        call = response.metadata.get("call_id")
        request: str | None = self._state.get("calls", {}).get(call) or self._live.calls.get(str(call))
        return request

    def _linked(self, message: Message) -> Message:
        """A response that refers to the request as it is stored."""
        request = self._request(message) if isinstance(message, ActionResponse) else None
        if request is None or request == message.content.get("action_request_id"):
            return message
        return replace(message, content={**message.content, "action_request_id": request})

    # ── branches ─────────────────────────────────────────────────────────

    def _branch_for(self, entry: TranscriptMessage) -> str | None:
        """The branch of a record that no run stored; None for a part of the parent of a fork."""
        if entry.lane != self._facts.lane or not self._is_own_file:
            return self._lane_branch(entry.lane) or self._new_lane(entry)
        current: str | None = self._state.get("current")
        if is_prompt(entry.message):
            return OWN
        if current is not None:
            return self._active_run(entry.message.created_at, current)
        runs = [run for run in self._runs if not run.is_lane]
        at = entry.message.created_at if self._starts_at is None else self._starts_at
        if any(run.has_started(at) for run in runs[:1]):
            return runs[0].id
        return None if any(_begins_with_its_parent(run) for run in runs[:1]) else OWN

    def _active_run(self, at: float, current: str) -> str:
        """The run of a record between two prompts: Codex repeats its context before the prompt of a resumed run."""
        active = [
            run.id
            for run in self._runs
            if not run.is_lane and run.started_at <= at and (run.ended_at is None or at <= run.ended_at)
        ]
        return current if not active or current == OWN or current in active else active[-1]

    def _lane_branch(self, lane: str) -> str | None:
        """The branch of a sub-agent that a run opened."""
        if self._is_own_file and lane == self._facts.lane:
            return None
        if lane in self._lanes:
            return self._lanes[lane]
        branch_id = self._tool.branch_id(self._facts.session, lane)
        call = self._facts.agent.get("toolUseId")
        for branch in self._branches.values():
            is_call = call is not None and branch.metadata.get("call_id") == call
            if branch.id == branch_id or (branch.is_lane and (is_call or branch.metadata.get("lane") == lane)):
                self._lanes[lane] = branch.id
                return branch.id
        return None

    def _new_lane(self, entry: TranscriptMessage) -> str:
        """Create the branch of a sub-agent in the run that started it."""
        run = self._run_of_lane(entry)
        if run is None:
            return OWN
        call = self._facts.agent.get("toolUseId")
        metadata = {"lane": entry.lane, "parent": run.id, "call_id": call, "agent": dict(self._facts.agent) or None}
        branch_id = self._tool.branch_id(self._facts.session, entry.lane)
        if find_branch(self._conn, branch_id) is not None:
            return OWN
        branch = Branch(
            id=branch_id,
            session_id=run.session_id,
            created_at=entry.message.created_at,
            name=self._agent_name if entry.lane == self._facts.lane else entry.lane,
            metadata={key: value for key, value in metadata.items() if value is not None},
        )
        create_branch(self._conn, branch)
        self._branches[branch_id] = run._replace(id=branch_id, metadata=branch.metadata)
        self._lanes[entry.lane] = branch_id
        return branch_id

    def _run_of_lane(self, entry: TranscriptMessage) -> LiveBranch | None:
        if self._is_own_file:  # a sidechain inside the conversation's file
            return self._branches.get(self._state.get("current") or OWN)
        call = self._live.calls.get(str(self._facts.agent.get("toolUseId")))
        if call is not None:
            return self._branches[self._live.branch_of[call]]
        runs = [run for run in self._runs if run.spans(entry.message.created_at)]
        return runs[-1] if runs else None

    def _insert(self, branch_id: str, message: Message) -> None:
        branch = self._branches[branch_id]
        self._touched.add(branch_id)
        after = self._last.get(branch_id)
        session_after = after or self._live.calls.get(str(branch.metadata.get("call_id")))
        if session_after is None:
            session_after = place_before_branch(self._conn, branch_id, branch.session_id, message.created_at)
        self._insertions.setdefault(branch.session_id, []).append(Insertion(branch_id, message, after, session_after))
        self._live.branch_of[message.id] = branch_id
        self._last[branch_id] = message.id

    # ── usage ────────────────────────────────────────────────────────────

    def save_usage(self) -> None:
        """Replace the usage that the stream reported by that of the transcript."""
        if self._tool.record_id_key is not None:
            self._count_messages()
            return
        total = self._facts.total
        if total is None:
            return
        if not self._is_own_file:
            if (branch_id := self._lane_branch(self._facts.lane)) is not None:
                set_usage(self._conn, branch_id, total, self._spent())
            return
        self._settle(total)
        for branch_id, used in self._state.get("used", {}).items():
            own_id = self._tool.branch_id(self._facts.session, MAIN)
            set_usage(self._conn, branch_id or own_id, Usage(*used), self._spent())

    def _spent(self) -> list[SpentPart]:
        return [SpentPart(*one) for one in self._facts.list_spent()]

    def _count_messages(self) -> None:
        for branch_id in self._touched:
            for message in self._live.unmatched(branch_id):
                if message.metadata.get("record") == "result" and "usage" in message.metadata:
                    metadata = {key: value for key, value in message.metadata.items() if key != "usage"}
                    set_message_metadata(self._conn, message.id, metadata)
        count_usage(self._conn, self._touched, {self._branches[id_].session_id for id_ in self._touched})

    @property
    def session_id(self) -> str | None:
        """The session of the last record; None for the mirrored session of the file."""
        branch_id = self._state.get("current") if self._is_own_file else self._lane_branch(self._facts.lane)
        branch = self._branches.get(branch_id or OWN)
        return None if branch is None else branch.session_id


def _ancestors(conn: Connection, run: LiveBranch) -> list[LiveBranch]:
    """The live branches whose records the transcript of a run begins with, oldest first."""
    ancestors: list[LiveBranch] = []
    branch: LiveBranch | None = run
    for ancestor, _ in reversed(lineage(conn, run.id)[:-1]):
        if branch is not None and not _begins_with_its_parent(branch):
            break
        branch = find_live_branch(conn, ancestor)
        ancestors[:0] = [branch] if branch is not None else []
    return ancestors


def _begins_with_its_parent(run: LiveBranch) -> bool:
    """False for a conversation of its own: the program was sent the earlier messages as text."""
    return "parent_branch_id" in run.metadata and not run.metadata.get("history_sent")


def _cost_grown(before: Usage, now: Usage) -> int | None:
    return None if now.cost_microusd is None else max(0, now.cost_microusd - (before.cost_microusd or 0))


def find_runs(conn: Connection, tool: TranscriptTool, facts: TranscriptFacts) -> list[LiveBranch]:
    """The branches of live runs that a transcript completes, oldest first."""
    if not facts.session:
        return []
    threads = dict.fromkeys(thread for thread in (facts.session, facts.parent, facts.thread) if thread)
    for thread in threads:
        if runs := list_live_branches(conn, thread):
            return runs
    # the parent may be a sub-agent that only its transcript knows
    if facts.parent and (branch := find_live_branch(conn, tool.branch_id(facts.session, facts.parent))):
        return [branch]
    return []
