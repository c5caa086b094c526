"""How much a search reads: unindexed messages, prefixes with many matches, long texts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import apsw
import pytest
from tests.support.builders import T0, begin, read, said
from tests.support.sql_trace import traced
from tests.support.waiting import wait_until

from lionstudio.model.messages import create_message
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.messages.rows import readable_text
from lionstudio.state.sqlite import checkpointer, fulltext, search_scan
from lionstudio.state.sqlite.fulltext import count_unindexed, index_all, index_batch, newest_rows, search
from lionstudio.state.sqlite.search_ranges import Scope
from lionstudio.state.sqlite.search_runs import search_runs


def fill(db: Database, count: int, text: str = "the lion {} sleeps", session: str = "s") -> str:
    branch = begin(db, session, project=session).branch_id
    db.write(lambda conn: [append(conn, branch, said(text.format(number))) for number in range(count)])
    return branch


@contextmanager
def counted_texts(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """The contents that a search parses."""
    parsed: list[Any] = []
    original = readable_text

    def noted(content: Any) -> str:
        parsed.append(content)
        return original(content)

    with monkeypatch.context() as patch:
        patch.setattr(search_scan, "readable_text", noted)
        yield parsed


def pages_read(conn: Connection) -> int:
    """Pages that SQLite has used since the last call."""
    kinds = (apsw.SQLITE_DBSTATUS_CACHE_HIT, apsw.SQLITE_DBSTATUS_CACHE_MISS)
    return sum(conn.raw.status(kind, reset=True)[0] for kind in kinds)


def test_search_reads_the_unindexed_messages_that_it_needs(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(db, 4000)

    with db.reader() as conn, traced(conn) as ran, counted_texts(monkeypatch) as parsed:
        assert len(search(conn, "lion")) == 20
    assert len(parsed) <= 100
    assert sum(one.steps for one in ran) < 10_000
    with db.reader() as conn, counted_texts(monkeypatch) as parsed:
        assert len(search(conn, "3999")) == 1
        assert search(conn, "absent") == []
    assert len(parsed) == 1  # the bytes decide all others


def test_folded_covers_every_character_that_the_tokenizer_folds_to_ascii() -> None:
    raw = apsw.Connection(":memory:")
    tokenizer = raw.fts5_tokenizer(search_scan.TOKENIZER[0], list(search_scan.TOKENIZER[1:]))
    beyond = [chr(code) for code in range(0x80, sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    text = " ".join(f"a{char}b" for char in beyond).encode()
    tokens: Any = tokenizer(text, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_colocated=False)
    folded = {text[start:end] for start, end, token in tokens if token.isascii() and not text[start:end].isascii()}

    assert len(folded) > 400
    assert [word for word in folded if not search_scan._FOLDED.search(word)] == []


def test_scan_uses_the_tokenizer_of_the_index(db: Database) -> None:
    [schema] = db.conn.all("SELECT sql FROM sqlite_schema WHERE name = 'messages_fts'")
    assert f"tokenize = '{' '.join(search_scan.TOKENIZER)}'" in schema[0]


def test_search_for_a_long_prefix_reads_few_pages(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(db, 4000, " ".join(f"lion{letter}{{0}}" for letter in "abcdefghijklmnop"))
    index_all(db.conn)
    with db.reader() as conn:
        pages_read(conn)
        newest = list(islice(newest_rows(conn, "lio*", Scope()), 20))
        whole = pages_read(conn)
        monkeypatch.setattr(fulltext, "_MANY_PAGES", 10)
        assert list(islice(newest_rows(conn, "lio*", Scope()), 20)) == newest
        walked = pages_read(conn)

    assert search_scan.index_pages(db.conn, "lio") > 20
    assert search_scan.index_pages(db.conn, "zebra") <= 1
    assert walked < whole / 3, (walked, whole)


@pytest.mark.parametrize("walked", [0, 7, 100_000])
def test_search_for_a_long_prefix_finds_all_in_scope(
    db: Database, walked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        fill(db, 40, "a lion{} or a mouse" if number % 2 else "a lioness {}", session=f"p{number}")
    index_all(db.conn)
    fill(db, 5, "a lion {}", session="last")
    scopes: tuple[dict[str, Any], ...] = ({}, {"project": "p3"}, {"session_id": "p2"}, {"since": T0}, {"role": "user"})
    queries = ("lion*", "lion* mouse", "lion* mou*", "lion1*", "lion* absent")

    def every() -> list[list[str]]:
        return [
            [hit.message_id for hit in read(db, search, query, limit=1000, **scope)]
            for query in queries
            for scope in scopes
        ]

    indexed = every()
    monkeypatch.setattr(fulltext, "_MANY_PAGES", -1)
    monkeypatch.setattr(fulltext, "_WALKED", walked)
    for few in (20_000, 10):
        monkeypatch.setattr(fulltext, "FEW", few)
        assert every() == indexed
    ranked = [hit.message_id for hit in read(db, search, "lion*", limit=1000, ranked=True)]
    assert sorted(ranked) == sorted(indexed[0])


def test_index_batch_ends_after_a_long_text(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fulltext, "_BATCH_CHARS", 1000)
    branch = fill(db, 3)
    db.write(lambda conn: [append(conn, branch, said("lion " * 300)) for _ in range(3)])
    db.write(lambda conn: append(conn, branch, said("lion")))

    assert [db.write(index_batch) for _ in range(5)] == [4, 1, 1, 1, 0]
    db.conn.execute('UPDATE messages SET content = \'{"instruction":"a mouse"}\'')
    counts = [db.write(index_batch) for _ in range(9)]
    assert (sum(counts), counts[-1], max(counts)) == (7, 0, 4)
    assert (read(db, search, "lion"), len(read(db, search, "mouse"))) == ([], 7)
    assert read(db, count_unindexed) == 0


LONG = '\x1b[31mred\x1b[0m "quoted" C:\\new é\n' * 40_000


def test_snippet_of_a_long_text_reads_a_part_of_it(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"early": f"the lion\n{LONG}", "late": f'{LONG}\nsome "text" about\tthe lion\nand more'}

    def tell(conn: Connection) -> None:
        append(conn, "early.main", create_message({"function": "Bash", "arguments": {"command": "lion"}}, id="call"))
        for id_, text in texts.items():
            content = {"action_request_id": "call", "output": [{"type": "text", "text": text}]}
            append(conn, f"{id_}.main", create_message(content, id=id_))

    for session in texts:
        begin(db, session)
    db.write(tell)
    index_all(db.conn)

    original, parts = Connection.read_bytes, list[int]()

    def noted(*args: Any) -> bytes:
        parts.append(len(part := original(*args)))
        return part

    monkeypatch.setattr(Connection, "read_bytes", noted)
    hits = {hit.message_id: hit for hit in read(db, search, "the lion")}
    assert max(parts) < 300_000
    parts.clear()
    read(db, search, "the lion", session_id="early")
    assert sum(parts) < 300_000 < len(LONG) / 4
    assert {hit.tool for hit in hits.values()} == {"Bash"}
    assert hits["early"].snippet.startswith('the lion red "quoted" C:\\new é red')
    assert hits["late"].snippet.endswith('some "text" about the lion and more')
    shown = [hit.snippet for run in read(db, search_runs, "the lion", Scope()).runs for hit in run.hits]
    assert shown == [
        'red "quoted" C:\\new é\nsome "text" about\tthe lion\nand more',
        'the lion\nred "quoted" C:\\new é',
    ]


def test_long_lived_process_indexes_what_another_left(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpointer, "_QUIET_SECONDS", 0.02)
    with Database(db.path, long_lived=True):
        for session in ("first", "second"):  # the thread has found nothing to do before the second
            fill(db, checkpointer._LEFT_BY_OTHERS, session=session)
            wait_until(lambda: db.read(count_unindexed) == 0)
