"""The database against a dictionary model: after any operations in any order, both agree."""

from __future__ import annotations

import json
import math
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.support.builders import T0, read, said, write

from lionstudio.errors import Conflict, IllegalTransition, LionError
from lionstudio.model.branches import Branch
from lionstudio.model.messages import Message
from lionstudio.model.sessions import Session
from lionstudio.state.branches import branch_entries, create_branch, fork_branch, history
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.messages.windows import messages_after
from lionstudio.state.runs.dashboard import status_counts
from lionstudio.state.runs.run_list import list_sessions
from lionstudio.state.sessions import create_session, finish_session
from lionstudio.state.sqlite.open import open_writer
from lionstudio.state.upkeep.prune import plan_prune, prune

PICK = st.integers(0, 10_000)  # which of those that exist, modulo their number
ENDS = ("completed", "failed", "timed_out", "aborted", "cancelled")


@dataclass
class Order:
    """A progression: ords and ids, ascending."""

    places: list[tuple[int, str]] = field(default_factory=list)

    @property
    def ids(self) -> list[str]:
        return [id_ for _, id_ in self.places]


@dataclass
class Run:
    """A session of the model."""

    status: str = "running"
    count: int = 0
    first: str | None = None
    last: str | None = None


@dataclass
class Line:
    """A branch of the model."""

    session: str
    parent: str | None = None
    at: int = -1


class Store(RuleBasedStateMachine):
    """Rules do the same to both; the invariant compares them."""

    blank: Path

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.db = Database(str(shutil.copy(self.blank, Path(self.folder.name) / "state.db")))
        self.sessions: dict[str, Run] = {}
        self.branches: dict[str, Line] = {}
        self.orders: dict[str, Order] = {}  # of sessions and branches by their id; those of deleted ones stay
        self.messages: dict[str, Message] = {}
        self.gone: list[str] = []
        self.made = 0

    def teardown(self) -> None:
        self.db.close()
        self.folder.cleanup()

    def name(self, what: str) -> str:
        self.made += 1
        return f"{what}{self.made}"

    # ── Operations ──────────────────────────────────────────────────────

    @initialize()
    def begin_first(self) -> None:
        self.begin()

    @rule()
    def begin(self) -> None:
        id_ = self.name("s")
        write(self.db, create_session, Session(id=id_, created_at=T0 + self.made))
        self.sessions[id_], self.orders[id_] = Run(), Order()
        self.add_branch(id_)

    @precondition(lambda self: self.sessions)
    @rule(pick=PICK)
    def branch(self, pick: int) -> None:
        self.add_branch(self.chosen(self.sessions, pick))

    def add_branch(self, session: str) -> None:
        id_ = self.name("b")
        write(self.db, create_branch, Branch(id=id_, session_id=session, created_at=T0 + self.made))
        self.branches[id_], self.orders[id_] = Line(session), Order()

    @precondition(lambda self: self.branches)
    @rule(pick=PICK)
    def append_new(self, pick: int) -> None:
        self.append(self.chosen(self.branches, pick), said(id=self.name("m")))

    @precondition(lambda self: self.messages and self.branches)
    @rule(pick=PICK, which=PICK)
    def append_shared(self, pick: int, which: int) -> None:
        """A message that another branch has, of this session or of another."""
        branch, message = self.chosen(self.branches, pick), self.messages[self.chosen(self.messages, which)]
        self.append(branch, message)

    @precondition(lambda self: self.messages and self.branches)
    @rule(which=PICK)
    def append_other_content(self, which: int) -> None:
        id_ = self.chosen(self.messages, which)
        branch = self.chosen(self.branches, which)
        with pytest.raises(Conflict):
            write(self.db, append, branch, said("something else", id=id_))

    def append(self, branch: str, message: Message) -> None:
        session = self.branches[branch].session
        run = self.sessions[session]
        again = message.id in self.own(branch) and message.id in self.messages
        shared = message.id in self.orders[session].ids and message.id in self.messages
        if run.status != "running" and not again:
            with pytest.raises(IllegalTransition):
                write(self.db, append, branch, message)
            return
        assert write(self.db, append, branch, message) == (message.id, session, not again)
        if again:
            return
        self.messages[message.id] = message
        if not shared:
            run.count += 1
            run.first, run.last = run.first or (message.id if not self.orders[session].places else None), message.id
        for owner in (branch,) if shared else (session, branch):
            self.orders.setdefault(owner, Order()).places.append((self.last_ord(owner), message.id))

    @precondition(lambda self: self.branches)
    @rule(pick=PICK, share=st.floats(0, 1), elsewhere=PICK)
    def fork(self, pick: int, share: float, elsewhere: int) -> None:
        parent, session = self.chosen(self.branches, pick), self.chosen(self.sessions, elsewhere)
        ords = [ord_ for ord_, _ in self.orders.get(parent, Order()).places]
        at = ([-1, *ords])[round(share * len(ords))]
        child = write(self.db, fork_branch, parent, at, session_id=session)
        self.branches[child.id] = Line(session, parent, at)

    @precondition(lambda self: self.sessions)
    @rule(pick=PICK, status=st.sampled_from(ENDS))
    def finish(self, pick: int, status: str) -> None:
        session = self.chosen(self.sessions, pick)
        if self.sessions[session].status == "running":
            write(self.db, finish_session, session, status, at=T0)
            self.sessions[session].status = status
        else:
            with pytest.raises(IllegalTransition):
                write(self.db, finish_session, session, status)

    @precondition(lambda self: self.orders)
    @rule(pick=PICK, ids=st.lists(PICK | st.just(None), max_size=6))
    def rewrite(self, pick: int, ids: list[int | None]) -> None:
        """Another tool replaces the order of a branch or a session through the view."""
        owner = self.chosen(self.orders, pick)
        ids_written = [
            self.chosen(self.messages, number) if number is not None and self.messages else "missing" for number in ids
        ]
        if owner in self.branches or owner in self.sessions:
            table = "branches" if owner in self.branches else "sessions"
            other = apsw.Connection(self.db.path)
            other.execute(
                f"UPDATE progressions SET collection = ? WHERE id = (SELECT progression_id FROM {table} WHERE id = ?)",  # noqa: S608
                (json.dumps(ids_written), owner),
            )
            other.close()
            self.orders[owner].places = list(enumerate(ids_written))

    @rule(orphans=st.booleans())
    def prune(self, orphans: bool) -> None:
        """Like the command: on its own connection, while ours caches cursors."""
        conn = open_writer(self.db.path)
        planned = plan_prune(conn, before=math.inf, keep_n=0, orphan_progressions=orphans)
        done = prune(conn)
        conn.close()
        going = self.going()
        assert planned.sessions == done.sessions == len(going)
        self.forget(going, orphans)

    # ── The model ────────────────────────────────────────────────────────

    def going(self) -> set[str]:
        going = {id_ for id_, run in self.sessions.items() if run.status != "running"}
        while True:
            needed = {
                self.branches[line.parent].session
                for line in self.branches.values()
                if line.parent in self.branches and line.session not in going
            }
            if not going & needed:
                return going
            going -= needed

    def forget(self, going: set[str], orphans: bool) -> None:
        branches = {id_ for id_, line in self.branches.items() if line.session in going}
        self.gone += [id_ for id_ in branches if id_ in self.orders]
        self.sessions = {id_: run for id_, run in self.sessions.items() if id_ not in going}
        self.branches = {id_: line for id_, line in self.branches.items() if id_ not in branches}
        if orphans:
            self.orders = {id_: o for id_, o in self.orders.items() if id_ in self.sessions or id_ in self.branches}
        kept = {id_ for order in self.orders.values() for id_ in order.ids}
        kept |= {id_ for run in self.sessions.values() for id_ in (run.first, run.last) if id_}
        self.messages = {id_: message for id_, message in self.messages.items() if id_ in kept}

    def own(self, branch: str) -> list[str]:
        return self.orders[branch].ids if branch in self.orders else []

    def seen_by(self, branch: str) -> list[str]:
        line = self.branches[branch]
        inherited: list[str] = []
        last, parent = line.at, line.parent
        while parent is not None:
            inherited = [id_ for ord_, id_ in self.orders.get(parent, Order()).places if ord_ <= last] + inherited
            last, parent = self.branches[parent].at, self.branches[parent].parent
        return inherited + self.own(branch)

    def chosen(self, things: dict[str, Any], pick: int) -> str:
        return sorted(things)[pick % len(things)]

    def last_ord(self, owner: str) -> int:
        """The ord of the append, which must be after all others."""
        if owner in self.branches:
            given = [entry.ord for entry in read(self.db, lambda conn: list(branch_entries(conn, owner)))][-1]
        else:
            given = read(self.db, messages_after, owner, limit=1000)[-1].ord
        assert all(ord_ < given for ord_, _ in self.orders.get(owner, Order()).places)
        return given

    # ── Comparison ───────────────────────────────────────────────────────

    @invariant()
    def every_history_is_the_same(self) -> None:
        for branch in self.branches:
            entries = read(self.db, lambda conn, branch=branch: list(history(conn, branch)))  # type: ignore[misc]
            assert [entry.message_id for entry in entries] == self.seen_by(branch)
            assert [entry.message for entry in entries] == [self.messages.get(entry.message_id) for entry in entries]

    @invariant()
    def every_session_is_the_same(self) -> None:
        rows = read(self.db, list_sessions, limit=1000).rows
        assert [row["id"] for row in rows] == sorted(self.sessions, key=lambda id_: -int(id_[1:]))
        for row in rows:
            run = self.sessions[row["id"]]
            assert (row["status"], row["message_count"]) == (run.status, run.count)
            window = read(self.db, messages_after, row["id"], limit=1000)
            assert [(entry.ord, entry.message_id) for entry in window] == self.orders[row["id"]].places

    @invariant()
    def the_counts_are_the_same(self) -> None:
        statuses = [run.status for run in self.sessions.values()]
        assert read(self.db, status_counts) == {status: statuses.count(status) for status in statuses}
        ids = self.db.conn.all("SELECT id FROM messages ORDER BY id")
        assert [id_ for (id_,) in ids] == sorted(self.messages)
        pointers = self.db.conn.all("SELECT id, first_msg_id, last_msg_id FROM sessions")
        assert {id_: rest for id_, *rest in pointers} == {id_: [r.first, r.last] for id_, r in self.sessions.items()}

    @invariant()
    def what_is_gone_takes_no_message(self) -> None:
        for branch in self.gone[-2:]:
            with pytest.raises(LionError):
                write(self.db, append, branch, said(id="too-late"))


@pytest.mark.slow
def test_database_matches_a_dictionary_model(blank: Path) -> None:
    Store.blank = blank
    run_state_machine_as_test(Store, settings=settings(max_examples=25, stateful_step_count=30))
