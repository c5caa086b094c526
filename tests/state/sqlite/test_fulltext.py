"""Full-text search: its hits, their positions, and that it never scans the messages."""

from __future__ import annotations

import sys
from typing import Any

import apsw
import pytest
from tests.support.builders import T0, begin, read, said, say, sql, write
from tests.support.sql_trace import traced

from lionstudio.errors import InvalidInput
from lionstudio.model.messages import ActionResponse, Message, create_message
from lionstudio.state.branches import fork_branch
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.embeddings import EmbeddingModel, store_embeddings
from lionstudio.state.messages.append import append
from lionstudio.state.messages.rows import get_message
from lionstudio.state.sessions import finish_session
from lionstudio.state.sqlite import vectors
from lionstudio.state.sqlite.fulltext import count_unindexed, index_batch, search
from lionstudio.state.sqlite.search_hits import Hit
from lionstudio.state.sqlite.search_text import match_expression, snippet
from lionstudio.state.sqlite.vectors import nearest


def search_ids(db: Database, query: str, **more: object) -> list[str]:
    return [hit.message_id for hit in db.read(lambda conn: search(conn, query, **more))]  # type: ignore[arg-type]


def index_all(conn: Connection) -> None:
    while index_batch(conn):
        pass


def test_search_hit_has_its_position(db: Database) -> None:
    session, branch = begin(db, name="n", project="p")
    say(db, branch, "nothing", "a lion sleeps")

    assert read(db, search, "lion") == [Hit("a lion sleeps", session, "n", "p", 1, T0, "user", "a lion sleeps")]


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("sleeping lion", ["m1"]),
        ("LION", ["m3", "m1"]),
        ("lion*", ["m3", "m2", "m1"]),
        ('"lion sleeping"', []),
        ('"the sleeping"', ["m1"]),
        ("lowe", ["m4"]),
        ("Löwe", ["m4"]),
        ("grep 42", ["m5"]),
        ("-lion", ["m3", "m1"]),
        ("don't", ["m6"]),
        ("snake_case", ["m7"]),
        ("case", ["m7"]),
        ("nowhere", []),
    ],
)
def test_search_finds_the_same_with_and_without_the_index(
    db: Database, indexed: bool, query: str, wanted: list[str]
) -> None:
    _, branch = begin(db)
    texts = ["the sleeping lion", "lions roar", "Lion's den", "Der Löwe", None, "don't", "snake_case"]
    for number, text in enumerate(texts, 1):
        if text is None:
            content = {"function": "grep", "arguments": {"n": 42}, "output": ["x"], "action_request_id": "r"}
            write(db, append, branch, create_message(content, id=f"m{number}"))
        else:
            write(db, append, branch, said(text, id=f"m{number}"))
    if indexed:
        db.write(index_all)

    assert search_ids(db, query) == wanted
    assert sorted(search_ids(db, query, ranked=True)) == sorted(wanted)


def test_search_filters(db: Database) -> None:
    one, other = begin(db, "one", project="p"), begin(db, "other", project="q")
    write(db, append, one.branch_id, said("lion", id="old", created_at=T0))
    write(db, append, other.branch_id, said("lion", id="new", created_at=T0 + 10))

    assert search_ids(db, "lion", project="p") == ["old"]
    assert search_ids(db, "lion", session_id="other") == ["new"]
    assert search_ids(db, "lion", since=T0 + 1) == ["new"]
    assert search_ids(db, "lion", limit=1) == ["new"]
    assert search_ids(db, "lion", project="other") == []


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("narrowed", [{"project": "mine"}, {"session_id": "mine"}, {"since": T0 + 5}])
def test_search_ranked_ranks_only_messages_in_scope(
    db: Database, indexed: bool, narrowed: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lionstudio.state.sqlite.fulltext._RANKED", 10)
    mine, other = begin(db, "mine", project="mine"), begin(db, "other", project="other")
    write(db, append, mine.branch_id, said("lion lion", id="best", created_at=T0 + 10))
    write(db, append, mine.branch_id, said("a lion among many other words", id="worse", created_at=T0 + 10))
    say(db, other.branch_id, *[f"lion {number}" for number in range(30)])
    if indexed:
        db.write(index_all)

    wanted = ["best", "worse"] if indexed else ["worse", "best"]  # what is not indexed yet has no rank
    assert search_ids(db, "lion", ranked=True, **narrowed) == wanted
    assert len(search_ids(db, "lion", ranked=True, limit=100)) == 10


def test_search_gives_a_shared_message_once(db: Database) -> None:
    one, other = begin(db, "one"), begin(db, "other")
    for begun in (one, other):
        write(db, append, begun.branch_id, said("lion", id="shared"))
    write(db, fork_branch, one.branch_id)

    assert search_ids(db, "lion") == ["shared"]
    assert search_ids(db, "lion", session_id="other") == ["shared"]


def test_search_finds_a_message_without_a_session(db: Database) -> None:
    sql(db, "INSERT INTO messages (id, created_at, content) VALUES ('loose', 5.0, '{\"x\":\"lion\"}')")

    [hit] = read(db, search, "lion")
    assert (hit.message_id, hit.session_id, hit.ord) == ("loose", None, None)


def test_search_reads_damaged_content_as_text(db: Database) -> None:
    sql(db, "INSERT INTO messages (id, created_at, content) VALUES ('cut', 5.0, '{\"x\":\"lion')")
    sql(db, "INSERT INTO messages (id, created_at, content) VALUES ('blob', 5.0, x'00ff')")
    sql(db, "INSERT INTO messages (id, created_at, content) VALUES ('none', 5.0, NULL)")
    db.write(index_all)

    assert search_ids(db, "lion") == ["cut"]


@pytest.mark.parametrize("query", ["", " ", '"', '""', "***", "-", "()", "…"])
def test_search_rejects_a_query_without_a_word(query: str) -> None:
    with pytest.raises(InvalidInput):
        match_expression(query)


def test_index_batch_fills_the_index(db: Database) -> None:
    _, branch = begin(db)
    db.write(lambda conn: [append(conn, branch, said(f"lion {number}")) for number in range(25)])

    counts = [db.write(lambda conn: index_batch(conn, 10)) for _ in range(4)]

    assert counts == [10, 10, 5, 0]
    assert read(db, count_unindexed) == 0
    assert len(search_ids(db, "lion", limit=100)) == 25


def test_search_never_scans_messages(db: Database) -> None:
    """A rare word, a common word and no word at all: messages are only read by key."""
    _, branch = begin(db)
    texts = [f"common {'rare' if number % 500 == 7 else number}" for number in range(2000)]
    db.write(lambda conn: [append(conn, branch, said(text)) for text in texts])
    db.write(index_all)

    for query, most in (("rare", 10), ("common", 30), ("absent", 1)):
        with db.reader() as conn, traced(conn) as ran:
            search(conn, query)
        asked = [one for one in ran if " messages m" in one.sql or "FROM messages " in one.sql]
        assert sum(one.full_scan_steps for one in asked) <= 1
        assert sum(one.steps for one in asked) < most * 120
        assert sum(one.full_scan_steps for one in ran) <= 2 * most * 10


def interleaved(db: Database) -> None:
    """Sessions of three projects that take turns, one of them long ago, and an unindexed tail."""
    branches = [begin(db, f"s{number}", project=f"p{number % 3}").branch_id for number in range(9)]

    def talk(conn: Connection) -> None:
        for number in range(5400):
            branch = branches[number % 8 if number < 5000 else 8]
            word = "lion" if number % 7 else "mouse"
            append(conn, branch, said(word, id=f"m{number}", created_at=T0 + (number if number % 2000 > 90 else 0)))

    db.write(talk)
    for _ in range(10):
        write(db, index_batch)


def expected(db: Database, project: str | None, session_id: str | None, since: float | None) -> list[str]:
    wanted = [
        (pk, id_)
        for pk, id_, at, text, session, its in db.conn.each("""
          SELECT m.pk, m.id, m.created_at, m.content, s.id, s.project FROM messages m
            JOIN progression_items i ON i.message_id = m.id JOIN progression_heads h ON h.pk = i.prog
            JOIN sessions s ON s.progression_id = h.id""")
        if "lion" in text
        and (project in (None, its))
        and (session_id in (None, session))
        and (since is None or at >= since)
    ]
    return [id_ for _, id_ in sorted(wanted, reverse=True)]


def test_search_in_scope_finds_all_matches_in_scope(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    interleaved(db)
    assert count_unindexed(db.conn) > 0
    for few, many, near in ((5_000, 200_000, 16_384), (10, 200_000, 64), (10, 20, 64)):  # at once, later, never listed
        monkeypatch.setattr("lionstudio.state.sqlite.fulltext.FEW", few)
        monkeypatch.setattr("lionstudio.state.sqlite.fulltext.MANY", many)
        monkeypatch.setattr("lionstudio.state.sqlite.fulltext._NEAR", near)
        for narrowed in (
            {},
            {"project": "p1"},
            {"session_id": "s8"},
            {"session_id": "s3"},
            {"since": T0 + 4100},
            {"project": "p2", "since": T0 + 3000},
            {"session_id": "s8", "project": "p1"},
            {"since": T0 + 9999},
        ):
            given: dict[str, Any] = {"project": None, "session_id": None, "since": None, **narrowed}
            assert search_ids(db, "lion", limit=9000, **given) == expected(db, **given)
            assert search_ids(db, "lion", limit=7, **given) == expected(db, **given)[:7]


@pytest.mark.parametrize("narrowed", [{"project": "other"}, {"session_id": "last"}, {"since": T0 + 9999}])
def test_search_in_scope_skips_other_rows(db: Database, narrowed: dict[str, Any]) -> None:
    interleaved(db)
    say(db, begin(db, "last").branch_id, "the mouse")
    db.write(index_all)
    with db.reader() as conn, traced(conn) as ran:
        assert search(conn, "lion", **narrowed) == []

    assert sum(one.steps for one in ran) < 3000


def test_snippet_is_one_line_around_the_word() -> None:
    text = "a " * 300 + "needle\nin   the hay " + "b " * 300

    cut = snippet(text, "needle", 60)

    assert "needle in the hay" in cut
    assert cut.startswith("…")
    assert cut.endswith("…")
    assert len(cut) <= 62
    assert snippet("short", "absent", 60) == "short"


def test_search_keeps_the_order_of_a_changed_message(db: Database) -> None:
    _, branch = begin(db)
    say(db, branch, "one lion", "two", "three lion")
    db.write(index_all)
    sql(db, "UPDATE messages SET content = '{\"instruction\":\"two lion\"}' WHERE id = 'two'")

    assert search_ids(db, "lion") == ["three lion", "two", "one lion"]
    db.write(index_all)
    assert search_ids(db, "lion") == ["three lion", "two", "one lion"]


def test_search_after_a_pk_is_reused_finds_only_the_new_message(db: Database) -> None:
    session, branch = begin(db)
    say(db, branch, "keep", "old words")
    db.write(index_all)
    sql(db, "UPDATE sessions SET last_msg_id = NULL")
    sql(db, "DELETE FROM messages WHERE id = 'old words'")
    say(db, branch, "new thing")

    pks = db.conn.all("SELECT id, pk FROM messages ORDER BY pk")
    assert pks == [("keep", 1), ("new thing", 2)]
    for _ in range(2):
        assert (search_ids(db, "words"), search_ids(db, "thing"), search_ids(db, "keep")) == (
            [],
            ["new thing"],
            ["keep"],
        )
        db.write(index_all)
    write(db, finish_session, session, "completed")


# ── Embeddings ───────────────────────────────────────────────────────────


def test_nearest_orders_by_distance(db: Database) -> None:
    pytest.importorskip("sqlite_vec")
    _, branch = begin(db)
    for id_, vector in {"north": (0.0, 1.0), "east": (1.0, 0.0), "northeast": (1.0, 1.2)}.items():
        write(db, append, branch, said(id_, id=id_, embedding=vector))
    write(db, append, branch, said("other length", embedding=(1.0, 2.0, 3.0)))
    write(db, append, branch, said("none"))

    hits = read(db, nearest, (0.1, 1.0), limit=3)

    assert [hit.message_id for hit in hits] == ["north", "northeast", "east"]
    assert hits[0].distance == pytest.approx(0.005, abs=0.001)


def test_store_embeddings_sets_the_embedding_of_a_message(db: Database) -> None:
    _, branch = begin(db)
    say(db, branch, "m")
    [(pk,)] = sql(db, "SELECT pk FROM messages")
    write(db, store_embeddings, EmbeddingModel("small", 2), {pk: [0.5, -0.25], pk + 1: [1.0, 0.0]})

    assert read(db, get_message, "m").embedding == (0.5, -0.25)


def test_nearest_without_sqlite_vec_names_the_package(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlite_vec", None)

    assert not vectors.load_extension(db.conn)
    with pytest.raises(InvalidInput, match="sqlite-vec") as refusal:
        read(db, nearest, [1.0])
    assert refusal.value.hint is not None
    assert "pip install" in refusal.value.hint


def test_load_extension_disables_loading_afterwards(db: Database) -> None:
    pytest.importorskip("sqlite_vec")
    vectors.load_extension(db.conn)

    with pytest.raises(apsw.SQLError, match="not authorized"):
        db.conn.all("SELECT load_extension('nothing')")


def test_search_accepts_text_of_any_shape() -> None:
    message = ActionResponse(content={"output": [{"a": ["x", 1, 2.5, None, True]}, "y"], "action_request_id": "r"})

    assert message.text == "x\n1\n2.5\ny\nr"
    assert Message(content=None).text == ""
