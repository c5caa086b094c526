"""Search finds the same messages on both databases: one table of queries and hits."""

from __future__ import annotations

import pytest
from tests.support.builders import begin, read, said, say, write

from lionstudio.errors import InvalidInput
from lionstudio.model.messages import ActionRequest, ActionResponse
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.runs.find_names import find_runs
from lionstudio.state.runs.run_list import Filters, list_sessions
from lionstudio.state.sqlite.fulltext import search
from lionstudio.state.sqlite.search_ranges import Scope
from lionstudio.state.sqlite.search_runs import search_runs

TEXTS = {
    "plain": "The quick brown fox jumps over the lazy dog",
    "accents": "Un café crème à la crémerie, s'il vous plaît",
    "snake": "call read_file_at and src/lionstudio/state.py",
    "russian": "Быстрая рыжая лиса",
    "chinese": "敏捷的棕色狐狸 jumps",
    "numbers": "version 3.54.1 of 2026-11-17 costs 1e5",
    "escaped": "half a pair \ud800 and NUL \0 here",
    "mail": "write to fox@example.org or https://example.org/fox?x=1",
}
QUERIES: dict[str, set[str]] = {
    "fox": {"plain", "mail"},
    "FOX": {"plain", "mail"},
    "fo*": {"plain", "mail"},
    "quick fox": {"plain"},
    '"quick brown"': {"plain"},
    '"brown quick"': set(),
    "cafe": {"accents"},
    "CAFÉ": {"accents"},
    "crem*": {"accents"},
    "plait": {"accents"},
    "read_file": {"snake"},
    "file": {"snake"},
    "lionstudio": {"snake"},
    '"src/lionstudio"': {"snake"},
    "лиса": {"russian"},
    "лис*": {"russian"},
    "狐狸": set(),
    "敏捷的棕色狐狸": {"chinese"},
    "jumps": {"plain", "chinese"},
    "54": {"numbers"},
    "2026": {"numbers"},
    "pair": {"escaped"},
    "here": {"escaped"},
    "example": {"mail"},
    "missing": set(),
}


@pytest.fixture
def filled(db: Database) -> Database:
    _, branch = begin(db, name="search")
    for id_, text in TEXTS.items():
        write(db, append, branch, said(text, id=id_))
    return db


def hits(db: Database, query: str, **filters: object) -> set[str]:
    return {hit.message_id for hit in db.read(lambda conn: search(conn, query, **filters))}  # type: ignore[arg-type]


@pytest.mark.parametrize("query", QUERIES)
def test_search_finds_the_same_messages(filled: Database, query: str) -> None:
    assert hits(filled, query) == QUERIES[query]


def test_search_is_newest_first_and_filtered(filled: Database) -> None:
    other = begin(filled, "other", project="p")
    write(filled, append, other.branch_id, said("another fox", id="late"))

    assert [hit.message_id for hit in filled.read(lambda conn: search(conn, "fox"))] == ["late", "mail", "plain"]
    assert hits(filled, "fox project:p") == {"late"}
    assert hits(filled, "fox", session_id="other") == {"late"}
    assert hits(filled, "fox", role="assistant") == set()
    ranked = filled.read(lambda conn: search(conn, "fox", ranked=True))
    assert {hit.message_id for hit in ranked} == {"late", "mail", "plain"}
    result = filled.read(lambda conn: search_runs(conn, "fox", Scope()))
    assert [(run.session_id, run.matches) for run in result.runs] == [("other", 1), ("s", 2)]


def test_search_by_tool_and_file(filled: Database) -> None:
    branch = "s.main"
    call = ActionRequest(
        id="call", content={"function": "Read", "arguments": {"file_path": "src/a.py"}}, role="assistant"
    )
    answer = ActionResponse(id="answer", content={"output": "a fox", "action_request_id": "call"}, role="tool")
    for message in (call, answer):
        write(filled, append, branch, message)

    assert hits(filled, "fox tool:Read") == {"answer"}
    assert hits(filled, "file:src/a.py") == {"call"}


def test_search_forgets_what_is_removed(filled: Database) -> None:
    filled.write(
        lambda conn: conn.execute("UPDATE messages SET content = '{\"instruction\":\"gone\"}' WHERE id = 'plain'")
    )

    assert hits(filled, "quick") == set()
    assert hits(filled, "gone") == {"plain"}


def test_search_refuses_a_query_without_a_word(filled: Database) -> None:
    with pytest.raises(InvalidInput):
        hits(filled, "…")


NAMES = {"Review-Board": "r", "café au lait": "c", "show_topic": "t", "Ünter den Linden": "u", "100% sure": "p"}
TYPED = {
    "review": {"r"},
    "BOARD": {"r"},
    "iew": {"r"},
    "bo": {"r"},
    "oa": set(),
    "ca": {"c"},
    "au": {"c"},
    "top": {"t"},
    "to": {"t"},
    "0% s": {"p"},
    "_": None,
    "ünt": {"u"},
    "un": {"u"},
}


@pytest.mark.parametrize("typed", TYPED)
def test_list_sessions_by_text_finds_the_same_runs(db: Database, typed: str) -> None:
    for name, id_ in NAMES.items():
        begin(db, id_, name=name)
    expected = TYPED[typed]

    if expected is None:
        with pytest.raises(InvalidInput):
            read(db, list_sessions, Filters(text=typed))
    else:
        assert {row["id"] for row in read(db, list_sessions, Filters(text=typed)).rows} == expected


def test_find_runs_by_words_and_parts(db: Database) -> None:
    for name, id_ in NAMES.items():
        begin(db, id_, name=name)
    say(db, "r.main", "a prompt")

    assert {found.id for found in read(db, find_runs, "rev bo")} == {"r"}
    assert {found.id for found in read(db, find_runs, "inden")} == {"u"}
