"""State functions that read and then write, each called from several connections at the same instant.

Whatever they leave must be what they leave one after the other, in some order: that is the meaning of the write lock.
"""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest
from tests.support.builders import T0, begin, said, say, write
from tests.support.postgres_server import PostgresServer
from tests.support.read_then_write import functions_that_read_then_write
from tests.support.waiting import wait_until

from lionstudio import settings
from lionstudio.errors import LionError
from lionstudio.model.branches import Branch
from lionstudio.model.questions import Answer, AnswerOption, Question, QuestionKind
from lionstudio.model.sessions import Session
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.statuses import PlayStatus, SessionStatus, ShowStatus
from lionstudio.model.status.terminals import Terminal, TerminalState
from lionstudio.model.teams import Team
from lionstudio.model.usage import Usage
from lionstudio.state import branches, definitions, embeddings, sessions, shows, teams
from lionstudio.state.backends import open_database
from lionstudio.state.connection import Connection, Row
from lionstudio.state.database import Database
from lionstudio.state.exchange import mailboxes, notifications, questions, refusals, terminals
from lionstudio.state.hub import machines
from lionstudio.state.imports import doubles, live_branches, session_order, transcript_files
from lionstudio.state.imports.session_merge import Incoming, IncomingBranch, merge
from lionstudio.state.messages.append import append
from lionstudio.state.messages.append_many import PendingRow, append_many
from lionstudio.state.messages.rows import to_row, type_id
from lionstudio.state.runs import labels, titles
from lionstudio.state.sessions import find_session
from lionstudio.state.studio import launches, studio_sessions
from lionstudio.state.upkeep import doctor, prune, remove
from lionstudio.state.usage import ledger
from lionstudio.state.workers import orders, workers

TOGETHER = 3
Call = Callable[[Connection, int], Any]


def world(db: Database) -> None:
    """A row for every function to race for."""
    begin(db, "s", project="demo")
    say(db, "s.main", "m0", "m1", "m2", "m3")
    usage = {"usage": {"input_tokens": 7, "output_tokens": 3}, "model": "m-1"}
    write(db, append, "s.main", said("spent", id="m4", metadata=usage))
    write(db, branches.fork_branch, "s.main", 1, branch_id="s.fork")
    write(db, append, "s.fork", said("forked", id="f0", created_at=T0 + 1))
    write(db, branches.fork_branch, "s.main", 2, branch_id="s.bare")
    begin(db, "ended", status="completed", created_at=T0 - 900)
    begin(db, "empty", note="a note", continues="ended")
    begin(db, "mirrored", source_kind="imported_claude")
    for session_id in ("s", "empty"):
        write(db, labels.add_tags, session_id, ["old", f"of-{session_id}"])
    write(db, definitions.save_version, "agent", "a", "one")
    options = (AnswerOption("a", "A"), AnswerOption("b", "B"))
    for id_, evidence in (("q", {}), ("held", {"hook": "h"}), ("answered", {})):
        question = Question(
            id=id_, kind=QuestionKind.QUESTION, title="?", session_id="s", options=options, evidence=evidence
        )
        write(db, questions.add_question, question)
    write(db, questions.answer_question, "answered", Answer("a"), by="me", origin={})
    write(db, mailboxes.send, said("hello", id="mail", sender="person", recipient="s"))
    write(db, shows.put_show, Show(id="docs.id", topic="docs", show_dir="/docs", created_at=T0))
    write(db, shows.put_play, Play(id="docs.a", show_id="docs.id", name="a", created_at=T0))
    write(db, teams.put_team, Team(id="team", name="team", members=("a", "b"), created_at=T0))
    for number in range(studio_sessions.MOST_CODES - 1):
        write(db, studio_sessions.add_code, f"old{number}", T0, T0 + 60)
    for order_id in ("waiting", "held"):
        write(db, orders.place_order, order_id, "docs", "a", orders.Work.ATTEMPT, {}, shape="x")
    write(db, take_held)
    write(db, workers.register_worker, replace(worker(0), id="old", name="old"))
    write(db, workers.stop_worker, "old")


def take_held(conn: Connection) -> None:
    order = orders.find_order(conn, "held")
    assert order is not None
    orders.take_order(conn, order, "holder")


def merged(conn: Connection, n: int) -> None:
    """The same session as an importer brings it, each time one message longer."""
    messages = [said(f"i{number}", id=f"i{number}") for number in range(2 + n)]
    ids = [message.id for message in messages]

    def fetch(conn: Connection, wanted: Any) -> list[Row]:
        return [to_row(conn, message) for message in messages if message.id in wanted]

    coming = IncomingBranch(Branch(id="i.main", created_at=T0), "i.main.order", ids)
    session = Session(id="i", status=SessionStatus.COMPLETED, created_at=T0)
    merge(conn, Incoming(session, "i.order", ids, [coming], fetch), find_session(conn, "i"))


def ordered(conn: Connection, n: int) -> None:
    append(conn, "s.fork", said("late", id=f"late{n}", created_at=T0 + 0.5 - n / 10))
    session_order.merge_by_time(conn, "s", T0 - 10)


def inserted(conn: Connection, n: int) -> int:
    return live_branches.insert_messages(
        conn, "s", [live_branches.Insertion("s.main", said("in", id=f"in{n}"), "m1", "m1")]
    )


def pending(conn: Connection, n: int) -> None:
    messages = [said("many", id=f"many{n}.{number}") for number in range(2)]
    append_many(conn, "s.main", [PendingRow(message, to_row(conn, message)) for message in messages])


def embedded(conn: Connection, n: int) -> None:
    pk = conn.value("SELECT pk FROM messages WHERE id = 'm0'")
    embeddings.store_embeddings(conn, embeddings.EmbeddingModel(f"model{n}", 2), {pk: [0.5, n]})


def reported(conn: Connection, n: int) -> None:
    state = (TerminalState.WORKING, TerminalState.IDLE, TerminalState.WORKING)[n]
    terminals.save_terminal(conn, Terminal("claude", "c", "s", state, T0, {}, "/", 1, f"event{n}", T0, 0, 0))


def updated(conn: Connection, n: int) -> None:
    facts: dict[str, Any] = {"texts": {"name": f"name{n}"}, "mirror": {"name": f"name{n}"}, "ended_at": None}
    transcript_files.update_session(
        conn, "mirrored", "claude", status=(SessionStatus.RUNNING, SessionStatus.COMPLETED)[n % 2], reasons=(), **facts
    )


def synced_show(conn: Connection, n: int) -> None:
    status = (ShowStatus.ACTIVE, ShowStatus.COMPLETED, ShowStatus.ABORTED)[n]
    show = Show(id=f"id{n}", topic="docs", show_dir="/docs", goal=f"goal{n}", status=status, created_at=T0)
    shows.sync_show(conn, show, shows.find_show(conn, "docs"), via="file")


def synced_play(conn: Connection, n: int) -> None:
    status = (PlayStatus.RUNNING, PlayStatus.GATED, PlayStatus.BLOCKED)[n]
    play = Play(id=f"id{n}", show_id="docs.id", name="a", attempt=n + 1, status=status, created_at=T0)
    shows.sync_play(conn, play, shows.find_play(conn, "docs.id", "a"), via="file")


def asked(conn: Connection, n: int) -> None:
    question = Question(
        id="new", kind=QuestionKind.QUESTION, title=f"{n}?", session_id="s", options=(AnswerOption("a", "A"),)
    )
    questions.add_question(conn, question)


def worker(n: int) -> workers.Worker:
    """Another worker of the same name: the first one wins."""
    return workers.Worker(id=f"w{n}", name="same", labels=(), at_once=1, version="1", shape="x")


def taken_order(conn: Connection, n: int) -> str | None:
    order = orders.find_order(conn, "waiting")
    taken = None if order is None else orders.take_order(conn, order, f"w{n}")
    return None if taken is None else f"{taken.worker_id} {taken.fence}"


STATUSES = ("completed", "failed", "cancelled")
SPENT = Usage(10, 5, cost_microusd=3)
LAUNCH: dict[str, Any] = {"verb": "agent", "target": "script", "options": {}, "log": "/l"}

# Each function that reads and then writes, with a call of it by worker n; or the name of the call that contains it.
RACES: dict[str, Call | str] = {
    "branches.add_metadata": lambda conn, n: branches.add_metadata(conn, "s.main", {f"fact{n}": n}),
    "branches.create_branch": lambda conn, n: branches.create_branch(
        conn, Branch(id="new", session_id="s", name=f"{n}", created_at=T0)
    ),
    "branches.fork_branch": lambda conn, n: branches.fork_branch(conn, "s.main", branch_id=f"fork{n}"),
    "definitions.save_version": lambda conn, n: definitions.save_version(conn, "agent", "a", f"text {n % 2}"),
    "embeddings.store_embeddings": embedded,
    "exchange.mailboxes.send": lambda conn, n: mailboxes.send(
        conn, said("to you", id=f"sent{n % 2}", sender="person", recipient="s")
    ),
    "exchange.questions.add_question": asked,
    "exchange.questions.answer_question": lambda conn, n: questions.answer_question(
        conn, "q", Answer("ab"[n % 2]), by=f"{n}", origin={}
    ),
    "exchange.questions.move_taken": "imports.live_branches.insert_messages",
    "exchange.refusals.add_refusal": lambda conn, n: refusals.add_refusal(
        conn, refusals.Refusal("agent", "answer", "why", "s")
    ),
    "exchange.terminals.save_terminal": reported,
    "exchange.terminals.withdraw_held": lambda conn, n: terminals.withdraw_held(conn, f"reason{n}"),
    "hub.copy_sessions.insert_messages": "tests/crash/test_push_to_postgres.py",
    "hub.copy_sessions.replace_messages": "tests/crash/test_push_to_postgres.py",
    "imports.doubles.move_forks": lambda conn, n: doubles.move_forks(conn, "s.main", [f"m{n}"] * 3, {}),
    "imports.doubles.replace_session": lambda conn, n: doubles.replace_session(conn, "empty", ("s", "mirrored")[n % 2]),
    "imports.live_branches.count_usage": lambda conn, n: live_branches.count_usage(conn, ["s.main"], ["s"]),
    "imports.live_branches.insert_messages": inserted,
    "imports.live_branches.set_message_metadata": lambda conn, n: live_branches.set_message_metadata(
        conn, "m0", {"by": n}
    ),
    "imports.session_merge.merge": merged,
    "imports.session_order.merge_by_time": ordered,
    "imports.session_order.move_after": lambda conn, n: session_order.move_after(conn, "s.main", [f"m{n}"], "m3"),
    "imports.transcript_files.append_if_absent": lambda conn, n: transcript_files.append_if_absent(
        conn, "s.main", said("once", id="once")
    ),
    "imports.transcript_files.close_session": lambda conn, n: transcript_files.close_session(
        conn, "mirrored", "claude", (SessionStatus.COMPLETED, SessionStatus.FAILED)[n % 2]
    ),
    "imports.transcript_files.set_usage": lambda conn, n: transcript_files.set_usage(
        conn, ("s.main", "s.fork")[n % 2], SPENT._replace(input_tokens=20 + n)
    ),
    "imports.transcript_files.update_session": updated,
    "messages.append.append": lambda conn, n: append(conn, "s.main", said("new", id=f"new{n % 2}")).new,
    "messages.append_cursor.cursor_of": lambda conn, n: append(conn, "s.bare", said("first", id=f"bare{n}")).new,
    "messages.append_many.append_many": pending,
    "messages.rows.to_row": "messages.rows.type_id",
    "messages.rows.type_id": lambda conn, n: type_id(conn, f"my.Class{n % 2}"),
    "runs.labels.add_tags": lambda conn, n: labels.add_tags(conn, "s", [f"tag{n}", "same"]),
    "runs.labels.remove_tags": lambda conn, n: labels.remove_tags(conn, "s", ["old"]),
    "runs.labels.rename_session": lambda conn, n: labels.rename_session(conn, "s", f"name{n}"),
    "runs.labels.replace_tags": lambda conn, n: labels.replace_tags(conn, "s", [f"tag{n}"]),
    "runs.labels.set_note": lambda conn, n: labels.set_note(conn, "s", f"note{n}"),
    "runs.titles.set_missing_titles": lambda conn, n: titles.set_missing_titles(conn),
    "sessions.add_metadata": lambda conn, n: sessions.add_metadata(conn, "s", {f"fact{n}": n}, at=T0),
    "sessions.finish_session": lambda conn, n: sessions.finish_session(conn, "s", STATUSES[n], at=T0),
    "shows.put_play": lambda conn, n: shows.put_play(
        conn, Play(id=f"p{n}", show_id="docs.id", name="new", attempt=n + 1, created_at=T0)
    ),
    "shows.put_show": lambda conn, n: shows.put_show(
        conn, Show(id=f"show{n}", topic="new", show_dir=f"/{n}", created_at=T0)
    ),
    "shows.sync_play": synced_play,
    "shows.sync_show": synced_show,
    "shows.transition_play": lambda conn, n: shows.transition_play(
        conn, "docs.id", "a", ("prepared", "blocked", "prepared")[n]
    ),
    "shows.transition_show": lambda conn, n: shows.transition_show(conn, "docs", ("completed", "aborted")[n % 2]),
    "studio.studio_sessions.add_code": lambda conn, n: studio_sessions.add_code(conn, f"code{n}", T0, T0 + 60),
    "teams.transition_team": lambda conn, n: teams.transition_team(conn, "team", "archived"),
    "upkeep.doctor.transition_stale": lambda conn, n: len(doctor.transition_stale(conn, now=T0 + 1e6)),
    "upkeep.prune.plan_prune": "test_prunes_at_the_same_time_delete_once",
    "upkeep.prune.prune": "test_prunes_at_the_same_time_delete_once",
    "upkeep.remove.remove_sessions": lambda conn, n: remove.remove_sessions(conn, ["ended"]).sessions,
    "usage.ledger.rebuild_ledger": lambda conn, n: ledger.rebuild_ledger(conn, "s"),
    "usage.ledger.settle_ledger": lambda conn, n: ledger.settle_ledger(conn, "s"),
    "workers.orders.take_order": lambda conn, n: taken_order(conn, n),
    "workers.workers.register_worker": lambda conn, n: workers.register_worker(conn, worker(n)),
    "workers.workers.remove_worker": lambda conn, n: workers.remove_worker(conn, "old").id,
}
# Functions of one statement, in which the first caller wins.
FIRST_WINS: dict[str, Call] = {
    "claim_launch": lambda conn, n: launches.claim_launch(conn, f"launch{n}", key="k", **LAUNCH),
    "use_code": lambda conn, n: studio_sessions.use_code(conn, "old0", T0),
    "take_answer": lambda conn, n: questions.take_answer(conn, "answered", "s"),
    "record_answer": lambda conn, n: questions.record_answer(conn, "q", Answer("a"), by=f"{n}", origin={}),
    "claim": lambda conn, n: len(notifications.claim(conn, [notifications.NotifiedState("item", "state")])),
    "mark_read": lambda conn, n: mailboxes.mark_read(conn, "s", n),
    "give_away": lambda conn, n: [orders.give_away(conn, order) for order in orders.list_taken(conn)],
    "answer_order": lambda conn, n: orders.answer_order(conn, "held", 1, {"by": n}),
    "release_order": lambda conn, n: orders.release_order(conn, "held", 1),
    "see_machine": lambda conn, n: machines.see_machine(conn, "m", f"name{n}", "1"),
}
CALLS = {name: call for name, call in {**RACES, **FIRST_WINS}.items() if not isinstance(call, str)}


def test_table_names_every_function_that_reads_and_then_writes() -> None:
    assert functions_that_read_then_write() == set(RACES)
    contained = {call for call in RACES.values() if isinstance(call, str)}
    root = Path(__file__).parents[2]
    assert {name for name in contained if name not in CALLS and not (root / name).exists()} == {
        test_prunes_at_the_same_time_delete_once.__name__
    }


# ── What a database holds, without what each counts or invents for itself ─


class Outcome(NamedTuple):
    answers: tuple[str, ...]  # of the workers, by number
    rows: dict[str, list[str]]


_REFERENCES = {
    "progression_items": """
SELECT h.id, i.ord, i.message_id FROM progression_items i JOIN progression_heads h ON h.pk = i.prog
""",
    "usage_ledger": """
SELECT s.id, l.quarter, l.model, l.input_tokens, l.output_tokens, l.cost_microusd, l.unpriced_tokens
  FROM usage_ledger l JOIN sessions s ON s.pk = l.session_pk
""",
}
_INVENTED = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|\b1[6-9]\d{8}(?:\.\d+)?\b")
_LEFT_OUT = {"schema_meta", "search_state", "search_dirty", "search_zones", "sqlite_sequence"}


def columns_of(db: Database) -> dict[str, str]:
    """The statement that reads each table of a file: all columns but keys and times."""
    statements = dict(_REFERENCES)
    names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%\\_fts%' ESCAPE '\\'"
    for (table,) in db.conn.all(names):
        if table in _LEFT_OUT or table in _REFERENCES:
            continue
        counted = {"pk", "seq", "since", *(["id"] if table == "status_transitions" else [])}
        info = db.conn.all("SELECT name FROM pragma_table_info(:table)", {"table": table})
        kept = [f'"{name}"' for (name,) in info if name not in counted and not re.search(r"(^|_)at$", name)]
        statements[table] = f"SELECT {', '.join(kept)} FROM {table}"  # noqa: S608  (names of our schema)
    return statements


def rows_of(db: Database, statements: dict[str, str]) -> dict[str, list[str]]:
    return {
        table: sorted(_INVENTED.sub("…", repr(tuple(row))) for row in db.conn.all(statement))
        for table, statement in statements.items()
    }


def answer_of(db: Database, call: Call, n: int) -> str:
    try:
        result = db.write(lambda conn: call(conn, n))
    except LionError as error:
        return type(error).__name__
    return str(result) if isinstance(result, (bool, int, str)) else "done"


# ── The races ────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def sqlite_world(blank: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = Path(shutil.copy(blank, tmp_path_factory.mktemp("world") / "state.db"))
    with Database(str(path)) as db:
        world(db)
    return path


@pytest.fixture(scope="module")
def postgres_world(postgres_server: PostgresServer, blank_postgres: str) -> str:
    name = postgres_server.create(blank_postgres)
    with open_database(postgres_server.local_url(name)) as db:
        world(db)
    return name


@pytest.fixture
def worlds(sqlite_world: Path, tmp_path: Path) -> Iterator[str]:
    """Paths of new copies."""
    return (str(shutil.copy(sqlite_world, tmp_path / f"{number}.db")) for number in range(100))


@pytest.fixture
def server_url(
    postgres_server: PostgresServer, postgres_world: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    monkeypatch.setattr(settings, "_server_home", str(tmp_path))
    name = postgres_server.create(postgres_world)
    yield postgres_server.local_url(name)
    postgres_server.drop(name)


_expected: dict[str, tuple[dict[str, str], list[Outcome]]] = {}


def one_after_the_other(worlds: Iterator[str], name: str) -> tuple[dict[str, str], list[Outcome]]:
    """The outcomes of all orders, in files."""
    if name in _expected:
        return _expected[name]
    call = CALLS[name]
    outcomes: list[Outcome] = []
    statements: dict[str, str] = {}
    for order in permutations(range(TOGETHER)):
        with Database(next(worlds)) as db:
            statements = columns_of(db)
            answers = {n: answer_of(db, call, n) for n in order}
            outcomes.append(Outcome(tuple(answers[n] for n in range(TOGETHER)), rows_of(db, statements)))
    _expected[name] = statements, outcomes
    return statements, outcomes


def run_together(path: str, call: Call, ready: Callable[[], None]) -> tuple[str, ...]:
    """Call it from as many connections, after all of them were opened; `ready` is called when they run."""
    answers: dict[int, str] = {}
    errors: list[BaseException] = []
    barrier = threading.Barrier(TOGETHER + 1)

    def work(n: int) -> None:
        try:
            with open_database(path) as db:
                barrier.wait(30)
                answers[n] = answer_of(db, call, n)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(TOGETHER)]
    for thread in threads:
        thread.start()
    barrier.wait(30)
    try:
        ready()
    finally:
        for thread in threads:
            thread.join(60)
    assert errors == []
    return tuple(answers[n] for n in range(TOGETHER))


def assert_one_of(outcome: Outcome, expected: list[Outcome]) -> None:
    if outcome not in expected:
        nearest = min(expected, key=lambda one: sum(one.rows[name] != outcome.rows[name] for name in one.rows))
        assert outcome.answers == nearest.answers
        assert outcome.rows == nearest.rows


_WAITING = """
SELECT count(DISTINCT l.pid) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
 WHERE NOT l.granted AND a.datname = current_database()
"""


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.postgres
def test_calls_at_the_same_instant_on_a_server(name: str, server_url: str, worlds: Iterator[str]) -> None:
    """All of them wait for the write lock before any gets it; then nothing that they read before may count."""
    statements, expected = one_after_the_other(worlds, name)
    with psycopg.connect(server_url) as holder, psycopg.connect(server_url, autocommit=True) as observer:
        holder.execute("SELECT write_lock()")

        def release() -> None:
            wait_until(lambda: observer.execute(_WAITING).fetchone() == (TOGETHER,), what="they do not take the lock")
            holder.rollback()

        answers = run_together(server_url, CALLS[name], release)

    with open_database(server_url) as db:
        assert_one_of(Outcome(answers, rows_of(db, statements)), expected)
        assert db.conn.value("SELECT max(seq) - min(seq) + 1 - count(*) FROM changes") == 0


@pytest.mark.parametrize("name", CALLS)
def test_calls_at_the_same_instant_on_a_file(name: str, worlds: Iterator[str]) -> None:
    statements, expected = one_after_the_other(worlds, name)
    path = next(worlds)

    answers = run_together(path, CALLS[name], lambda: None)

    with Database(path) as db:
        assert_one_of(Outcome(answers, rows_of(db, statements)), expected)


@pytest.mark.postgres
def test_prunes_at_the_same_time_delete_once(server_url: str) -> None:
    """Each plans for itself; a session that a third process begins to need meanwhile stays."""
    barrier = threading.Barrier(2)
    deleted: list[int] = []

    def work() -> None:
        with open_database(server_url) as db:
            prune.plan_prune(db.conn, before=T0 + 1e9, keep_n=0, orphan_progressions=True)
            barrier.wait(30)
            deleted.append(prune.prune(db.conn).sessions)

    with open_database(server_url) as db:
        write(db, sessions.finish_session, "s", "completed")
        play = Play(id="docs.kept", show_id="docs.id", name="kept", session_id="mirrored", created_at=T0)
        write(db, sessions.finish_session, "mirrored", "completed")
        write(db, shows.put_play, play)
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        kept = {id_ for (id_,) in db.conn.all("SELECT id FROM sessions")}
    assert sum(deleted) == 2  # s and ended; empty still runs
    assert kept == {"mirrored", "empty"}
