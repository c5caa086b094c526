"""Randomly changed files and rows of other tools: no exception escapes, and a second import writes nothing."""

from __future__ import annotations

import copy
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import apsw
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.archives import BEGAN, ExternalDbBuilder, conversation, current, legacy_flow, snapshot
from tests.support.builders import trial
from tests.support.hostile import hostile_text, scalars, values

from lionstudio.imports.external_db.importer import import_database
from lionstudio.imports.report import ItemOutcome, Report
from lionstudio.imports.run_folders.importer import import_runs
from lionstudio.imports.shows import import_shows
from lionstudio.state.connection import Connection, plain_errors
from lionstudio.state.messages.rows import get_message

T = TypeVar("T")
RUN = "20260521T101500-a1b2c3"
META = {
    "worktree": "/w",
    "branch": "b",
    "attempt": 1,
    "started_at": BEGAN,
    "ended_at": BEGAN,
    "exit_code": 0,
    "status": "merged",
    "merged_at": BEGAN,
    "merge_sha": "abc",
    "depends_on": ["a"],
    "block_reason": "x",
}
VERDICT = {"gate_passed": True, "feedback": "no", "notes": "fine"}
SHOW = (
    "---\ngoal: ship\nplays:\n  - name: play\n    depends_on: [a]\n---\n## Goal\nx\n- Repo: /r\n**play**\n- deps: [b]\n"
)
quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


class Within:
    """A store in one transaction that is rolled back afterwards; a failed write is rolled back alone."""

    def __init__(self, conn: Connection) -> None:
        self.conn = conn

    def read(self, work: Callable[[Connection], T]) -> T:
        """As Database does."""
        with plain_errors(self.conn.path):
            return work(self.conn)

    def write(self, work: Callable[[Connection], T]) -> T:
        """As Database does."""
        with plain_errors(self.conn.path):
            with self.conn.raw:
                done = work(self.conn)
            return done


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every path in a JSON value that can be changed."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inside for place in places(item, (*path, key)))]


@st.composite
def mutated(draw: st.DrawFn, document: Any) -> Any:
    """The document with a few of its values replaced or removed."""
    changed = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.sampled_from(places(changed)))
        new = draw(st.one_of(values(), scalars, st.just(...)))
        if not place:
            if new is not ...:
                return new
            continue
        holder = changed
        for key in place[:-1]:
            holder = holder[key]
        if new is ...:
            del holder[place[-1]]
        else:
            holder[place[-1]] = new
    return changed


def texts(document: Any) -> st.SearchStrategy[bytes]:
    """A mutated document as a file, sometimes with damaged bytes."""
    whole = mutated(document).map(lambda value: json.dumps(value).encode("utf-8", "surrogatepass"))
    return st.one_of(whole, whole, st.tuples(whole, st.integers(0, 10**6), st.binary(min_size=1, max_size=4)).map(hit))


def hit(given: tuple[bytes, int, bytes]) -> bytes:
    """Bytes overwritten somewhere, and sometimes the end cut off."""
    text, place, junk = given
    at = place % (len(text) + 1)
    return text[:at] if place % 5 == 0 else text[:at] + junk + text[at + len(junk) :]


TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"


def everything(conn: Connection) -> dict[str, Any]:
    """Every row of every table."""
    return {table: conn.all(f'SELECT * FROM "{table}"') for (table,) in conn.all(TABLES)}  # noqa: S608


def settled(conn: Connection, work: Callable[[Within, Report], None]) -> Report:
    """Import twice: the second import writes nothing, and every row can be read."""
    first, second = Report(), Report()
    work(Within(conn), first)
    before = everything(conn)
    work(Within(conn), second)
    assert everything(conn) == before
    assert not second.total(ItemOutcome.IMPORTED)
    assert second.total(ItemOutcome.SKIPPED) == first.total(ItemOutcome.SKIPPED)
    for (id_,) in conn.all("SELECT id FROM messages"):
        get_message(conn, id_)
    assert conn.all("PRAGMA foreign_key_check") == []
    assert conn.value("SELECT count(*) FROM sessions WHERE NOT json_valid(coalesce(node_metadata, '{}'))") == 0
    return first


BRANCH = snapshot("b", conversation("m"), metadata={"clone_from": "p"})


@quick
@given(
    texts(current(RUN, "b")) | texts(legacy_flow(RUN, "b", "c")), texts(BRANCH), texts(snapshot("p", conversation("p")))
)
def test_import_runs_survives_mutations(conn: Connection, manifest: bytes, one: bytes, two: bytes) -> None:
    with tempfile.TemporaryDirectory() as home, trial(conn):
        branches = Path(home) / "runs" / RUN / "branches"
        branches.mkdir(parents=True)
        (branches.parent / "run.json").write_bytes(manifest)
        (branches / "b.json").write_bytes(one)
        (branches / "p.json").write_bytes(two)

        report = settled(conn, lambda store, report: import_runs(store, home, report))

        assert report.counts.total() >= 1


@quick
@given(texts(META), texts(VERDICT), texts({"show_passed": True}), st.just(SHOW.encode()) | st.binary(max_size=50))
def test_import_shows_survives_mutations(
    conn: Connection, meta: bytes, verdict: bytes, final: bytes, plan: bytes
) -> None:
    with tempfile.TemporaryDirectory() as root, trial(conn):
        play = Path(root) / "topic" / "play"
        play.mkdir(parents=True)
        (play / "_meta.json").write_bytes(meta)
        (play / "_verdict.json").write_bytes(verdict)
        (play.parent / "_final_verdict.json").write_bytes(final)
        (play.parent / "_show.md").write_bytes(plan)

        report = settled(conn, lambda store, report: import_shows(store, [root], report))

        assert report.counts.total() >= 1


COLUMNS = {
    "sessions": "created_at node_metadata name progression_id updated_at invocation_kind source_kind status started_at "
    "run_id artifact_contract_json",
    "branches": "created_at node_metadata session_id progression_id system_msg_id model",
    "messages": "created_at node_metadata content embedding sender role lion_class",
    "progressions": "collection",
    "shows": "status topic",
    "plays": "depends_on status session_id name",
    "teams": "members name",
    "team_messages": "read_by session_id sender content",
    "definitions": "version kind content",
}
CELLS = [(table, name) for table, names in COLUMNS.items() for name in names.split(" ")]

cells = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.binary(max_size=8),
    hostile_text.map(lambda text: text.encode("utf-8", "replace").decode()),
    values().map(lambda value: json.dumps(value)),
)


@quick
@given(st.lists(st.tuples(st.sampled_from(CELLS), cells), max_size=5))
def test_import_database_survives_mutations(conn: Connection, changes: list[tuple[tuple[str, str], Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder, trial(conn):
        path = Path(folder) / "other.db"
        other = ExternalDbBuilder(path)
        other.session("s", conversation("m"))
        other.add("shows", id="w", topic="t", status="active", created_at=BEGAN, updated_at=BEGAN)
        other.add("plays", id="p", show_id="w", name="a", status="merged", session_id="s", created_at=BEGAN)
        other.add("teams", id="t", name="t", members="[]", created_at=BEGAN, updated_at=BEGAN)
        other.add("team_messages", id="tm", team_id="t", created_at=BEGAN, sender="a", content="x", session_id="s")
        other.add("definitions", id="d", kind="agent", name="n", version=1, content="x", created_at=BEGAN)
        for (table, column), value in changes:
            try:
                other.conn.execute(f"UPDATE {table} SET {column} = ?", (value,))  # noqa: S608
            except apsw.Error:
                continue  # SQLite itself refuses it
        other.close()

        settled(conn, lambda store, report: import_database(store, conn.path, str(path), report))
