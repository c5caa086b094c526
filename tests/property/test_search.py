"""Lists and searches against the same filters in plain Python."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unicodedata import combining, normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.builders import T0, said, trial
from tests.support.hostile import hostile_text

from lionstudio.errors import InvalidInput
from lionstudio.model.branches import Branch
from lionstudio.model.json_codec import visible
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import InvocationKind, SessionStatus, SourceKind
from lionstudio.state.branches import create_branch
from lionstudio.state.connection import Connection
from lionstudio.state.messages.append import append
from lionstudio.state.runs.run_list import Filters, list_sessions
from lionstudio.state.sessions import create_session
from lionstudio.state.sqlite.fulltext import index_batch, search
from lionstudio.state.sqlite.open import open_writer
from lionstudio.state.sqlite.search_text import match_expression

WORDS = ("alpha", "Beta", "beta test", "100%", "a_b", 'quo"te', "naïve", "x")
SINCE = st.none() | st.integers(0, 12).map(lambda step: T0 + step)


def _sessions() -> list[Session]:
    """A hundred sessions with all combinations of values, many with the same created_at."""
    return [
        Session(
            id=f"s{number:03}",
            created_at=T0 + number % 12,
            status=list(SessionStatus)[number % 6],
            invocation_kind=[None, *InvocationKind][number * 7 % 6],
            source_kind=[None, *SourceKind][number // 2 % 6],
            project=[None, "p", "Project Q"][number % 3],
            agent_name=[None, *WORDS][number % 9],
            playbook_name=[None, "review", "audit"][number // 5 % 3],
            show_topic=[None, "docs", "alpha"][number // 7 % 3],
            show_play_name=[None, "one"][number // 3 % 2],
            name=WORDS[number % 8] if number % 4 else None,
            machine_id=[None, "m1", "m2"][number // 4 % 3],
        )
        for number in range(100)
    ]


SESSIONS = _sessions()


@pytest.fixture(scope="module")
def listed(blank: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    conn = open_writer(str(shutil.copy(blank, tmp_path_factory.mktemp("listed") / "state.db")))
    with conn.transaction():
        for session in SESSIONS:
            create_session(conn, session)
    yield conn
    conn.close()


filters = st.builds(
    Filters,
    status=st.none() | st.sampled_from(SessionStatus),
    kind=st.none() | st.sampled_from(InvocationKind),
    source=st.none() | st.sampled_from(SourceKind),
    project=st.sampled_from([None, None, "p", "Project Q", "other"]),
    agent=st.none() | st.sampled_from(WORDS),
    playbook=st.sampled_from([None, None, "review", "audit"]),
    show=st.sampled_from([None, None, "docs"]),
    name=st.none() | st.sampled_from(WORDS),
    since=SINCE,
    until=SINCE,
    text=st.none()
    | st.sampled_from(["a", "al", "ALPHA", "eta", "b", "a_b", "10", "0%", "ï", "NA", "Project", "zzz", ""]),
    card=st.none(),
    tag=st.none(),
    model=st.none(),
    machine=st.sampled_from([None, None, "m1", "m2", "gone"]),
)
# each filter alone, two together, and all of them
sparse = st.lists(st.sampled_from(Filters._fields), max_size=3).flatmap(
    lambda names: filters.map(lambda full: Filters(**{name: getattr(full, name) for name in names}))
)


def _found_in(text: str, piece: str) -> bool:
    """Three characters anywhere; fewer at the start of a word, accents ignored."""
    if len(piece) >= 3:
        return piece.lower() in text.lower()
    bare = "".join(letter for letter in normalize("NFD", f"{text}\n{piece}".lower()) if not combining(letter))
    *words, [beginning] = (re.findall(r"[^\W_]+", line) for line in bare.split("\n"))
    return any(word.startswith(beginning) for word in words[0])


def wanted(chosen: Filters) -> list[str]:
    """The ids that a filter selects, newest first."""
    columns = {
        "status": "status",
        "kind": "invocation_kind",
        "source": "source_kind",
        "project": "project",
        "agent": "agent_name",
        "playbook": "playbook_name",
        "show": "show_topic",
        "name": "name",
        "machine": "machine_id",
    }

    def matches(session: Session) -> bool:
        for name, column in columns.items():
            value = getattr(chosen, name)
            if value is not None and getattr(session, column) != value:
                return False
        if chosen.since is not None and session.created_at < chosen.since:
            return False
        if chosen.until is not None and session.created_at >= chosen.until:
            return False
        looked = (
            session.name,
            session.agent_name,
            session.playbook_name,
            session.show_topic,
            session.show_play_name,
            session.project,
        )
        return not chosen.text or any(_found_in(text or "", chosen.text) for text in looked)

    found = [session for session in SESSIONS if matches(session)]
    return [session.id for session in sorted(found, key=lambda s: (s.created_at, s.id), reverse=True)]


@given(chosen=sparse, limit=st.integers(1, 40))
@settings(max_examples=250)
def test_list_sessions_matches_a_filter_in_python(listed: Connection, chosen: Filters, limit: int) -> None:
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = list_sessions(listed, chosen, limit=limit, cursor=cursor)
        seen += [row["id"] for row in page.rows]
        assert len(page.rows) == limit or page.next_cursor is None
        if page.next_cursor is None:
            break
        cursor = page.next_cursor

    assert seen == wanted(chosen)


@given(cursor=hostile_text | st.tuples(st.sampled_from(["1.0", "nan", "-inf", "1e999"]), hostile_text).map("~".join))
def test_list_sessions_rejects_or_answers_any_cursor(listed: Connection, cursor: str) -> None:
    try:
        page = list_sessions(listed, cursor=cursor, limit=3)
    except InvalidInput:
        return
    assert len(page.rows) <= 3


@given(text=hostile_text, name=st.sampled_from(("text", "project", "agent", "playbook", "show", "name")))
@settings(max_examples=150)
def test_list_sessions_accepts_any_text(conn: Connection, text: str, name: str) -> None:
    bound: dict[str, Any] = {name: text}
    with trial(conn):
        create_session(
            conn, Session(id="found", project=text, agent_name=text, playbook_name=text, show_topic=text, name=text)
        )
        create_session(
            conn, Session(id="not", project="-", agent_name="-", playbook_name="-", show_topic="-", name="-")
        )
        try:
            found = [row["id"] for row in list_sessions(conn, Filters()._replace(**bound)).rows]
        except InvalidInput:
            assert name == "text"
            assert len(visible(text)) < 3
            assert re.search(r"[^\W_]", visible(text)) is None
            return

        if name != "text":
            assert found == ["found"]
        elif visible(text) and visible(text) not in "-":
            assert "found" in found


@given(query=hostile_text)
@settings(max_examples=150)
def test_search_never_raises_a_syntax_error(conn: Connection, query: str) -> None:
    with trial(conn):
        create_session(conn, Session(id="s"))
        create_branch(conn, Branch(id="b", session_id="s"))
        append(conn, "b", said(query))
        index_batch(conn)
        append(conn, "b", said(query + " again"))
        for ranked in (False, True):
            try:
                hits = search(conn, query, ranked=ranked)
            except InvalidInput:
                assert re.search(r"\w", query) is None
            else:
                assert len(hits) in (0, 2)


OPERATORS = st.lists(
    st.sampled_from(
        [
            "AND",
            "OR",
            "NOT",
            "NEAR(",
            ")",
            "(",
            "^",
            "*",
            "+",
            "-",
            ":",
            "text:",
            '"',
            "'",
            "{",
            "}",
            ",",
            "\\",
            "word",
            "wo*",
            ";",
            "--",
        ]
    ),
    max_size=8,
)


@given(parts=OPERATORS, glue=st.sampled_from(["", " "]))
@settings(max_examples=200)
def test_match_expression_treats_operators_as_words(conn: Connection, parts: list[str], glue: str) -> None:
    query = glue.join(parts)
    try:
        expression = match_expression(query)
    except InvalidInput:
        return
    conn.all("SELECT rowid FROM messages_fts WHERE messages_fts MATCH :match", {"match": expression})


@given(count=st.sampled_from([1, 300, 3000]))
@settings(max_examples=3)
def test_search_accepts_a_long_query(conn: Connection, count: int) -> None:
    with trial(conn):
        create_session(conn, Session(id="s"))
        create_branch(conn, Branch(id="b", session_id="s"))
        words = " ".join(f"word{number}" for number in range(count))
        append(conn, "b", said(words, id="m"))

        assert [hit.message_id for hit in search(conn, words)] == ["m"]


searched = st.lists(st.sampled_from(["red fox", "red", "Fox in socks", "blue", "ROT föx", "re-d"]), max_size=12)


@given(
    texts=searched,
    marks=st.sets(st.integers(0, 12)),
    changed=st.sets(st.integers(0, 11)),
    gone=st.sets(st.integers(0, 11)),
)
@settings(max_examples=60)
def test_search_is_complete_at_every_moment(
    conn: Connection, texts: list[str], marks: set[int], changed: set[int], gone: set[int]
) -> None:
    with trial(conn):
        create_session(conn, Session(id="s"))
        create_branch(conn, Branch(id="b", session_id="s"))
        there: dict[str, str] = {}

        def compare() -> None:
            for query, meaning in MEANINGS.items():
                newest_first = [id_ for id_, text in reversed(there.items()) if meaning(text)]
                assert [hit.message_id for hit in search(conn, query, limit=100)] == newest_first
                assert sorted(hit.message_id for hit in search(conn, query, limit=100, ranked=True)) == sorted(
                    newest_first
                )

        for number, text in enumerate(texts):
            append(conn, "b", said(text, id=f"m{number}"))
            there[f"m{number}"] = text
            if number in marks:
                index_batch(conn)
        compare()
        for number in changed & set(range(len(texts))):
            conn.execute(
                'UPDATE messages SET content = \'{"instruction":"red again"}\' WHERE id = :id', {"id": f"m{number}"}
            )
            there[f"m{number}"] = "red again"
        compare()
        for number in gone & set(range(len(texts))):
            conn.execute("UPDATE sessions SET first_msg_id = NULL, last_msg_id = NULL")
            conn.execute("DELETE FROM messages WHERE id = :id", {"id": f"m{number}"})
            del there[f"m{number}"]
        compare()
        append(conn, "b", said("one more red", id="last"))
        there["last"] = "one more red"
        compare()
        while index_batch(conn):
            pass
        compare()


def _has(word: str) -> Any:
    return lambda text: word in re.findall(r"\w+", text.lower().replace("ö", "o"))


MEANINGS = {
    "red": _has("red"),
    "FOX": _has("fox"),
    "fox red": lambda text: _has("fox")(text) and _has("red")(text),
    '"red fox"': lambda text: "red fox" in text.lower(),
    "so*": _has("socks"),
}
