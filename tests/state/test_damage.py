"""A damaged row never stops a list, a history, a prune, an export, a search or the doctor."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.support.builders import T0, begin, read, say, write

from lionstudio.model.messages import create_message
from lionstudio.model.shows.play_graph import blocked_by, critical_path
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.computed_state import effective_health, play_state, session_state, show_state, team_state
from lionstudio.model.teams import Team, TeamMessage
from lionstudio.state.branches import fork_branch, history, list_branches
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.messages.export import FORMATS, export
from lionstudio.state.messages.windows import messages_after
from lionstudio.state.runs.dashboard import cards
from lionstudio.state.runs.run_list import list_sessions
from lionstudio.state.sessions import finish_session, get_session
from lionstudio.state.shows import get_show, list_plays, list_shows, put_play, put_show
from lionstudio.state.sqlite.fulltext import index_batch, search
from lionstudio.state.sqlite.open import open_writer
from lionstudio.state.teams import list_teams, put_team, put_team_message, team_messages
from lionstudio.state.upkeep.doctor import examine, list_stale_and_dead
from lionstudio.state.upkeep.liveness import owner_of, proof_of
from lionstudio.state.upkeep.prune import plan_prune, prune

BROKEN_JSON = {
    "cut": "'{\"a\":'",
    "empty": "''",
    "null": "'null'",
    "an array": "'[1,2]'",
    "a word": "'\"word\"'",
    "a number": "17",
    "infinity": "9e999",
    "infinite digits": "'{\"a\":1e999}'",
    "NaN": "'{\"a\":NaN}'",
    "bytes": "x'00ff80'",
    "not UTF-8": "CAST(x'7b2261223a22ff227d' AS TEXT)",
    "half a character": '\'{"a":"\\ud800"}\'',
    "NUL": "CAST(x'7b2261223a2200227d' AS TEXT)",
    "500 levels": '\'{"a":' + "[" * 500 + "]" * 500 + "}'",
    "5,000 levels": '\'{"a":' + "[" * 5000 + "]" * 5000 + "}'",
    "5,000 digits": '\'{"a":' + "9" * 5000 + "}'",
}
JSON_COLUMNS = (
    "UPDATE sessions SET node_metadata = {0}, reason_codes = {0}, owner = {0} WHERE id = 'hurt'",
    "UPDATE branches SET node_metadata = {0} WHERE id = 'hurt.main'",
    "UPDATE messages SET node_metadata = {0}, content = {0}, embedding = {0} WHERE id = 'b'",
    "UPDATE plays SET node_metadata = {0}, depends_on = {0} WHERE name = 'p'",
    "UPDATE shows SET node_metadata = {0}",
    "UPDATE teams SET members = {0}, node_metadata = {0}",
    "UPDATE team_messages SET read_by = {0}, node_metadata = {0}",
)


def session(values: str) -> str:
    return f"UPDATE sessions SET {values} WHERE id = 'hurt'"  # noqa: S608


def message(values: str) -> str:
    return f"UPDATE messages SET {values} WHERE id = 'b'"  # noqa: S608


def order(values: str, where: str) -> str:
    """The order of the damaged session and of its main branch."""
    return f"UPDATE progression_items SET {values} WHERE prog IN (1, 2) AND {where}"  # noqa: S608


def fork(parent: str, at: str) -> str:
    metadata = '{"parent_branch_id":%s,"forked_at_ord":%s}' % (parent, at)  # noqa: UP031
    return f"UPDATE branches SET node_metadata = '{metadata}' WHERE id = 'hurt.main'"  # noqa: S608


DAMAGE = {
    **{
        f"JSON that is {kind}": ";".join(column.replace("{0}", text) for column in JSON_COLUMNS)
        for kind, text in BROKEN_JSON.items()
    },
    "an order without its message": "DELETE FROM messages WHERE id = 'b'",
    "a gap in the order": "DELETE FROM progression_items WHERE prog IN (1, 2) AND ord = 1",
    "an order that starts late": order("ord = ord + 1000", "true"),
    "an order of bytes": order("message_id = x'ff00'", "ord = 1"),
    "an order with a huge place": order("ord = 9223372036854775807", "ord = 2"),
    "an order without a progression": order("prog = prog + 900", "ord = 2"),
    "an order in words": order("ord = 'first'", "ord = 0"),
    "no progression": "DELETE FROM progression_heads WHERE pk IN (1, 2)",
    "a session that points nowhere": session("first_msg_id = 'x', last_msg_id = 'y', progression_id = 'z'"),
    "a branch without a session": "UPDATE branches SET session_id = 'missing' WHERE id = 'hurt.main'",
    "a fork without a parent": fork('"missing"', "1"),
    "a fork of itself": fork('"hurt.main"', "1"),
    "a fork at 2^70": fork('"well.main"', str(2**70)),
    "a fork at a word": fork('"well.main"', '"x"'),
    "a fork of an object": fork('{"a":1}', "1"),
    "a class that is not there": message("lion_class = 77"),
    "a class in words": message("lion_class = 'System'"),
    "a time in words": message("created_at = 'yesterday'"),
    "a time without end": message("created_at = 9e999"),
    "a role in bytes": message("role = x'ff', sender = x'fe'"),
    "a birth in words": session("created_at = 'long ago ~ or so'"),
    "a birth without end": session("created_at = 9e999"),
    "a last message in words": session("last_message_at = 'just now', started_at = 'before'"),
    "a change in words": session("updated_at = 'today', last_message_at = NULL"),
    "an end in bytes": session("ended_at = x'00', started_at = x'01'"),
    "counts in words": session("message_count = 'many', input_tokens = 'some', cost_microusd = 'dear'"),
    "an unknown status": session("status = 'dreaming'"),
    "no status": session("status = NULL"),
    "an unknown kind": session("invocation_kind = 'spell', source_kind = 'hat'"),
    "a name that is not UTF-8": session("name = CAST(x'6e61ff6d65' AS TEXT), project = CAST(x'ff' AS TEXT)"),
    "a role that is not UTF-8": message("role = CAST(x'ff' AS TEXT), sender = CAST(x'fe' AS TEXT)"),
    "an order that is not UTF-8": order("message_id = CAST(x'ff00' AS TEXT)", "ord = 1"),
    "a letter that is not UTF-8": "UPDATE team_messages SET content = CAST(x'61ff' AS TEXT), summary = content",
    "a name in bytes": session("name = x'ff00', project = x'00'"),
    "an owner with odd values": session("""owner = '{"pid":7,"lock_path":5,"start_ticks":"x","boot_id":[1]}'"""),
    "an owner with a huge pid": session("""owner = '{"pid":1180591620717411303424}'"""),
    "extra that is not an object": session("""node_metadata = '{"extra":"word"}'""")
    + "; ALTER TABLE sessions ADD COLUMN more TEXT DEFAULT 'x'",
    "an unknown play status": "UPDATE plays SET status = 'dancing', started_at = 'x', gate_passed = 'maybe'",
    "an unknown show status": "UPDATE shows SET status = 'over', updated_at = 'x'",
    "an unknown team status": "UPDATE teams SET status = 'asleep', updated_at = 'x', member_count = 'two'",
    "a letter in bytes": "UPDATE team_messages SET content = x'ff', sender = x'fe', created_at = 'then'",
}


@pytest.fixture(scope="module")
def well(blank: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session to damage, a healthy one, and one row of every other table."""
    path = Path(shutil.copy(blank, tmp_path_factory.mktemp("well") / "state.db"))
    with Database(str(path)) as db:
        for id_ in ("hurt", "well"):
            begun = begin(db, id_, name=id_, reason_codes=("run.failed.exit_nonzero",), owner={"pid": 7})
            say(db, begun.branch_id, *("abc" if id_ == "hurt" else "xyz"), metadata={"k": 1}, embedding=(1.0,))
            child = write(db, fork_branch, begun.branch_id, 1)
            say(db, child.id, f"{id_} child")
        write(db, append, "hurt.main", create_message({"system_message": "s"}, id="sys", created_at=T0))
        write(db, put_show, Show(id="show", topic="t", show_dir="/t", metadata={"k": 1}))
        write(db, put_play, Play(show_id="show", name="p", depends_on=("q",), session_id="well", metadata={"k": 1}))
        write(db, put_play, Play(show_id="show", name="q"))
        write(db, put_team, Team(id="team", name="n", members=("a",), metadata={"k": 1}))
        write(db, put_team_message, TeamMessage(id="tm", team_id="team", sender="a", content="c"))
    return path


@pytest.fixture
def world(well: Path, tmp_path: Path) -> Iterator[Database]:
    with Database(str(shutil.copy(well, tmp_path / "state.db"))) as db:
        yield db


def hurt(db: Database, statement: str) -> None:
    """Write like another tool: without foreign keys and CHECKs."""
    other = apsw.Connection(db.path)
    other.execute("PRAGMA foreign_keys = OFF")
    other.execute("PRAGMA ignore_check_constraints = ON")
    other.execute(statement)
    other.close()


@pytest.mark.parametrize("what", DAMAGE)
def test_damaged_row_stops_nothing(world: Database, what: str) -> None:
    hurt(world, DAMAGE[what])

    assert listed(world) == {"hurt", "well"}
    assert [entry.message_id for entry in read(world, lambda conn: list(history(conn, "well.main")))] == ["x", "y", "z"]
    world.read(read_everything)
    for session in ("hurt", "well"):
        exported(world, session)
    write(world, index_batch)
    pruned(world)
    assert "well" in listed(world)  # a play refers to it


def listed(db: Database) -> set[str]:
    """Every session, page by page of one, each with its state."""
    seen, cursor = [], None
    while True:
        page = read(db, list_sessions, limit=1, cursor=cursor)
        for row in page.rows:
            seen.append(row["id"])
            shown = row | {"owner": None, "reason_codes": json.loads(row["reason_codes"]) if _fine(row) else ()}
            session_state(shown, now=T0, proof=proof_of(row))
            effective_health(shown, now=T0)
        cursor = page.next_cursor
        if cursor is None:
            break
    assert len(seen) == len(set(seen))
    return set(seen)


def _fine(row: dict[str, Any]) -> bool:
    return bool(row["reason_codes"] == '["run.failed.exit_nonzero"]')


def read_everything(conn: Connection) -> None:
    """The queries of Studio pages."""
    for id_ in ("hurt", "well"):
        session = get_session(conn, id_)
        session_state(session.to_dict(), now=T0)
        owner_of({"owner": conn.value("SELECT owner FROM sessions WHERE id = :id", {"id": id_})})
        for branch in list_branches(conn, id_):
            for entry in history(conn, branch.id):
                assert entry.message is None or entry.message.text is not None
        for window in messages_after(conn, id_):
            assert window.message is None or window.message.text is not None
    for show in list_shows(conn):
        plays = [play.to_dict() for play in list_plays(conn, show.id)]
        show_state(show.to_dict(), plays)
        for play in plays:
            play_state(play)
        blocked_by(list_plays(conn, show.id))
        critical_path(list_plays(conn, show.id), T0)
        get_show(conn, show.topic)
    for team in list_teams(conn):
        team_state(team.to_dict())
        team_messages(conn, team.id)
    assert cards(conn, T0)["teams_active"] in (0, 1)
    search(conn, "x")
    list(examine(conn, now=T0))
    list_stale_and_dead(conn, now=T0 + 1e6)


def exported(db: Database, session: str) -> None:
    """Every format is complete, and JSON is valid."""
    texts = {form: "".join(read(db, lambda conn, form=form: list(export(conn, session, form)))) for form in FORMATS}  # type: ignore[misc]
    for text in texts.values():
        text.encode()
    whole = strict(texts["json"])
    lines = [strict(line) for line in texts["jsonl"].split("\n")[:-1]]
    assert (whole["id"], lines[0]["id"]) == (session, session)
    messages = [message for branch in whole["branches"] for message in branch["messages"]]
    assert len(messages) == sum(line["type"] == "message" for line in lines)


def strict(text: str) -> Any:
    def refuse(word: str) -> None:
        raise ValueError(word)

    return json.loads(text, parse_constant=refuse)


def pruned(db: Database) -> None:
    """Prune on its own connection, with every session old enough."""
    write(db, lambda conn: conn.execute("UPDATE sessions SET status = 'completed' WHERE status = 'running'"))
    conn = open_writer(db.path)
    try:
        plan_prune(conn, before=math.inf, keep_n=0, orphan_progressions=True)
        prune(conn)
    finally:
        conn.close()


def test_damaged_message_is_shown_as_it_is(world: Database) -> None:
    hurt(world, "UPDATE messages SET content = '{\"cut', node_metadata = 'also cut' WHERE id = 'b'")

    [_, entry, *_] = read(world, lambda conn: list(history(conn, "hurt.main")))

    assert entry.message is not None
    assert entry.message.content == {"unreadable": '{"cut'}
    assert entry.message.metadata == {"unreadable": "also cut"}


def test_missing_message_keeps_its_position(world: Database) -> None:
    hurt(world, "DELETE FROM messages WHERE id = 'b'")

    entries = read(world, lambda conn: list(history(conn, "hurt.main")))

    assert [(entry.message_id, entry.message is None) for entry in entries] == [
        ("a", False),
        ("b", True),
        ("c", False),
        ("sys", False),
    ]


def test_finish_session_with_damaged_columns(world: Database) -> None:
    hurt(world, "UPDATE sessions SET node_metadata = '{cut', owner = 'cut', reason_codes = 'cut' WHERE id = 'hurt'")

    write(world, finish_session, "hurt", "completed")
    assert read(world, get_session, "hurt").status == "completed"
