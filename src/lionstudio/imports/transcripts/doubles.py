"""Merges the copy of a live run, which an older version imported from its transcript, into the run."""

from __future__ import annotations

from typing import Any

from lionstudio.agents.transcript import MAIN, TranscriptFacts, TranscriptMessage, TranscriptTool
from lionstudio.imports.transcripts.completion import Completion, find_runs
from lionstudio.imports.transcripts.live_match import LiveMessages
from lionstudio.imports.transcripts.tools import TOOLS
from lionstudio.model.branches import Branch
from lionstudio.model.coerce import dict_of
from lionstudio.model.messages import Message
from lionstudio.model.usage import Usage
from lionstudio.state.branches import branch_entries, branch_usage, list_branches
from lionstudio.state.connection import Connection
from lionstudio.state.imports.doubles import (
    DoubleRun,
    delete_loose_messages,
    detach_messages,
    list_doubles,
    move_branch,
    move_forks,
    replace_session,
    session_facts,
    set_continues,
)
from lionstudio.state.imports.live_branches import (
    Insertion,
    LiveBranch,
    count_usage,
    insert_messages,
    list_session_branches,
    place_before_branch,
    stored_ids,
)
from lionstudio.state.imports.transcript_files import set_usage


def merge_double(conn: Connection, double: DoubleRun) -> None:
    """Move the records of a copy to the run that recorded them; records of no run stay in the copy."""
    _Merge(conn, TOOLS[double.tool], double).merge()


def merge_copy(conn: Connection, copy_id: str) -> None:
    """Merge a session into live runs if it is a copy of them."""
    for double in list_doubles(conn, copy_id):
        merge_double(conn, double)


class _Merge:
    def __init__(self, conn: Connection, tool: TranscriptTool, double: DoubleRun) -> None:
        self._conn = conn
        self._tool = tool
        self._double = double
        self._branches = list_branches(conn, double.copy_id)
        self._messages = {branch.id: self._read(branch) for branch in self._branches}
        self._usage = {branch.id: branch_usage(conn, branch.id) for branch in self._branches}
        self._main = tool.branch_id(double.conversation, MAIN)

    def _read(self, branch: Branch) -> list[Message]:
        return [entry.message for entry in branch_entries(self._conn, branch.id) if entry.message is not None]

    def merge(self) -> None:
        conn, double = self._conn, self._double
        runs = find_runs(conn, self._tool, TranscriptFacts(session=double.conversation, thread=double.conversation))
        lanes = {branch.id: self._lane_of(branch, runs) for branch in self._branches if branch.id != self._main}
        moved = [id_ for id_, lane in lanes.items() if lane is None]
        detach_messages(conn, double.copy_id, [branch.id for branch in self._branches if branch.id not in moved])
        for branch in self._branches:
            if branch.id in moved:
                self._move(branch, runs)
            else:
                self._complete(branch, lanes.get(branch.id), runs)
        ids = [message.id for messages in self._messages.values() for message in messages]
        delete_loose_messages(conn, ids)
        stored = stored_ids(conn, ids)
        for branch in self._branches:
            if branch.id not in moved:
                move_forks(conn, branch.id, [message.id for message in self._messages[branch.id]], stored)
        if session_facts(conn, double.copy_id)["message_count"]:
            set_continues(conn, double.copy_id, runs[0].session_id, runs[0].started_at)
        else:
            replace_session(conn, double.copy_id, double.session_id)

    def _lane_of(self, branch: Branch, runs: list[LiveBranch]) -> LiveBranch | None:
        """The branch that a run has for the sub-agent of a copied branch."""
        call = dict_of(branch.metadata.get("agent")).get("toolUseId")
        for session_id in dict.fromkeys(run.session_id for run in runs):
            for lane in list_session_branches(self._conn, session_id):
                thread = str(lane.metadata.get("conversation") or lane.metadata.get("lane"))
                is_thread = self._tool.branch_id(self._double.conversation, thread) == branch.id
                if lane.is_lane and (is_thread or (call is not None and lane.metadata.get("call_id") == call)):
                    return lane
        return None

    def _complete(self, branch: Branch, lane: LiveBranch | None, runs: list[LiveBranch]) -> None:
        thread = "" if lane is None else str(lane.metadata.get("lane"))
        session = self._double.conversation
        if branch.id == self._main and self._tool.record_id_key is None:
            thread = session  # Codex names every part of a conversation
        facts = TranscriptFacts(
            session=session, thread=thread, agent=dict(dict_of(branch.metadata.get("agent"))), parent=lane and session
        )
        state: dict[str, Any] = {}
        completion = Completion(self._conn, self._tool, facts, state, runs, str(branch.name))
        entries = [TranscriptMessage(facts.lane, message) for message in self._messages[branch.id]]
        ids = {message.id for message in self._messages[branch.id]}
        kept: list[Message] = []

        def keep(entry: TranscriptMessage) -> bool:
            kept.append(entry.message)
            return False

        completion.store(entries, keep, missing=ids)
        self._keep(branch, kept)
        if self._tool.record_id_key is not None:
            completion.save_usage()
        else:
            self._set_usage(branch, lane, runs)

    def _keep(self, branch: Branch, messages: list[Message]) -> None:
        """Put the messages that belong to no run back into the copy."""
        insertions, last = [], None
        for message in messages:
            insertions.append(Insertion(branch.id, message, last, last))
            last = message.id
        insert_messages(self._conn, self._double.copy_id, insertions)
        count_usage(self._conn, [branch.id], [self._double.copy_id])

    def _set_usage(self, branch: Branch, lane: LiveBranch | None, runs: list[LiveBranch]) -> None:
        """Codex reports sums: the copy has them exactly, for one run; several runs have counted their own."""
        usage = self._usage[branch.id]
        mains = [run for run in runs if not run.is_lane]
        if lane is not None:
            set_usage(self._conn, lane.id, usage)
        elif len(mains) == 1 and not session_facts(self._conn, self._double.copy_id)["message_count"]:
            set_usage(self._conn, mains[0].id, usage)
        else:
            counted = Usage()
            for run in mains:
                counted = counted.plus(branch_usage(self._conn, run.id))
            rest = [max(0, (total or 0) - (part or 0)) for total, part in zip(usage, counted, strict=True)]
            set_usage(self._conn, branch.id, Usage(*rest)._replace(cost_microusd=rest[4] or None))

    def _move(self, branch: Branch, runs: list[LiveBranch]) -> None:
        """Give the branch of a sub-agent that no run knows to the run that started it."""
        messages = self._messages[branch.id]
        at = messages[0].created_at if messages else branch.created_at
        active = [run for run in runs if run.spans(at)] or list(runs)
        run = active[-1]
        live = LiveMessages()
        for known in list_session_branches(self._conn, run.session_id):
            entries = branch_entries(self._conn, known.id)
            live.add(known.id, [entry.message for entry in entries if entry.message is not None], set())
        after = live.calls.get(str(dict_of(branch.metadata.get("agent")).get("toolUseId")))
        if after is None:
            after = place_before_branch(self._conn, branch.id, run.session_id, at)
        move_branch(self._conn, branch.id, run.session_id, run.id)
        insertions, last = [], None
        for message in messages:
            insertions.append(Insertion(branch.id, message, last, last or after))
            last = message.id
        insert_messages(self._conn, run.session_id, insertions)
        if self._tool.record_id_key is not None:
            count_usage(self._conn, [branch.id], [])
        count_usage(self._conn, [], [run.session_id])
