"""Search by run: filters, counts, excerpts, and that a run with many matches does not hide the others."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.builders import T0, begin, read, said, write
from tests.support.sql_trace import traced

from lionstudio.errors import InvalidInput
from lionstudio.model.messages import create_message
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.sessions import finish_session
from lionstudio.state.sqlite import search_runs as module
from lionstudio.state.sqlite.fulltext import index_all, search
from lionstudio.state.sqlite.search_hits import list_tools
from lionstudio.state.sqlite.search_ranges import Scope
from lionstudio.state.sqlite.search_runs import SearchResult, search_runs
from lionstudio.state.sqlite.search_text import context, parse_query, shown_text


def find(db: Database, query: str, scope: Scope = Scope(), **options: Any) -> SearchResult:  # noqa: B008
    return read(db, search_runs, query, scope, **options)


def counts(result: SearchResult) -> list[tuple[str | None, int]]:
    return [(run.session_id, run.matches) for run in result.runs]


def chat(db: Database, session: str, *texts: str, **fields: Any) -> None:
    branch = begin(db, session, **fields).branch_id
    db.write(lambda conn: [append(conn, branch, said(text)) for text in texts])


@pytest.mark.parametrize("indexed", [False, True])
def test_search_runs_counts_the_matches_of_each_run(db: Database, indexed: bool) -> None:
    chat(db, "old", *(["a lion"] * 5), name="first")
    chat(db, "new", "a lion", "a mouse", name="second")
    if indexed:
        index_all(db.conn)

    result = find(db, "lion", per_run=2)

    assert counts(result) == [("new", 1), ("old", 5)]
    assert [len(run.hits) for run in result.runs] == [1, 2]
    assert [run.run.name for run in result.runs if run.run] == ["second", "first"]
    assert (result.total, result.more, result.next) == (6, False, None)
    assert counts(find(db, "lion", ranked=True)) in ([("new", 1), ("old", 5)], [("old", 5), ("new", 1)])


def test_search_runs_lists_other_runs_beside_one_with_many_matches(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat(db, "quiet", "a lion")
    chat(db, "chatty", *(["a lion"] * 3000))
    index_all(db.conn)

    result = find(db, "lion")
    assert counts(result) == [("chatty", 3000), ("quiet", 1)]
    assert (result.total, result.more) == (3001, False)

    monkeypatch.setattr(module, "_SCANNED", 2000)
    result = find(db, "lion")
    assert (counts(result), result.total, result.more) == ([("chatty", 2000)], 2000, True)
    assert counts(find(db, "lion", below=result.next)) == [("chatty", 1000), ("quiet", 1)]


def test_search_runs_looks_up_a_bounded_number_of_messages(db: Database) -> None:
    for number in range(40):
        chat(db, f"s{number:02}", *(["a lion"] * 60))
    index_all(db.conn)
    with db.reader() as conn, traced(conn) as ran:
        result = search_runs(conn, "lion", Scope())

    assert (result.total, result.more, len(result.runs)) == (module.COUNTED, True, 17)
    assert sum(" messages m" in one.sql for one in ran) < 10
    following = find(db, "lion", below=result.next)
    assert following.runs[0].session_id == "s23"


def test_search_runs_pages_by_runs(db: Database) -> None:
    for number in range(5):
        chat(db, f"s{number}", "a lion")

    first = find(db, "lion", runs=2)
    second = find(db, "lion", runs=2, below=first.next)

    assert (counts(first), first.total) == ([("s4", 1), ("s3", 1)], 5)
    assert counts(second) == [("s2", 1), ("s1", 1)]


@pytest.fixture
def worked(db: Database) -> Database:
    """A run whose tool calls name files, in two formats of results."""

    def work(conn: Connection, branch: str) -> None:
        for id_, arguments in (
            ("read", {"file_path": "/srv/app/src/x.py"}),
            ("shell", {"command": "sed -i s/a/b/ src/x.py && pytest"}),
            ("other", {"file_path": "/srv/app/src/x.python"}),
            ("longer", {"file_path": "src/x.py/deeper.py"}),
            ("apart", {"a": "src", "b": "x.py"}),
        ):
            tool = "Bash" if id_ == "shell" else "Read"
            append(conn, branch, create_message({"function": tool, "arguments": arguments}, id=id_, created_at=T0))
        for id_, content in (
            ("told", {"action_request_id": "shell", "output": "pytest passed in src/x.py"}),
            (
                "archived",
                {"function": "Bash", "arguments": {"command": "pytest"}, "output": "ok", "action_request_id": "z"},
            ),
        ):
            append(conn, branch, create_message(content, id=id_, created_at=T0))
        append(conn, branch, said("look at src/x.py with pytest", id="prompt"))

    write(db, work, begin(db, "s", agent_name="coder", project="app").branch_id)
    write(db, finish_session, "s", "failed", exit_code=1)
    return db


def ids(db: Database, query: str, **filters: Any) -> set[str]:
    return {hit.message_id for hit in read(db, search, query, limit=100, **filters)}


def test_search_by_file_finds_the_calls_that_name_it(worked: Database) -> None:
    assert ids(worked, "file:src/x.py") == {"read", "shell"}
    assert ids(worked, "", file="./src/x.py") == {"read", "shell"}
    assert ids(worked, "x.py", file="x.py") == {"read", "shell", "apart"}
    assert ids(worked, "pytest file:src/x.py") == {"shell"}
    assert counts(find(worked, 'file:"src/x.py"')) == [("s", 2)]


def test_search_filters_by_role_tool_agent_and_status(worked: Database) -> None:
    assert ids(worked, "pytest") == {"shell", "told", "archived", "prompt"}
    assert ids(worked, "pytest", role="user") == {"prompt"}
    assert ids(worked, "pytest tool:Bash") == {"shell", "told", "archived"}
    assert ids(worked, "pytest tool:Bash role:tool") == {"told", "archived"}
    assert ids(worked, "pytest agent:coder status:failed", role="user") == {"prompt"}
    assert ids(worked, "pytest", agent="writer") == ids(worked, "pytest status:completed") == set()
    assert read(worked, list_tools) == ["Read", "Bash"]


def test_parse_query_keeps_quoted_filters_as_text() -> None:
    assert parse_query('say "role:user" x', Scope()) == ('say "role:user" x', Scope())
    assert parse_query('a agent:"my agent" b run:s1', Scope()) == ("a b", Scope(agent="my agent", session="s1"))
    assert parse_query("http://x", Scope()) == ("http://x", Scope())
    for query in ("role:boss", "x status:500"):
        with pytest.raises(InvalidInput, match="must be one of") as caught:
            parse_query(query, Scope())
        assert "quote it" in str(caught.value.hint)


def test_shown_text_leaves_ids_and_colours_out() -> None:
    content = {
        "function": "Bash",
        "action_request_id": "01a1-e33b",
        "output": [{"type": "text", "text": "\x1b[32mok\x1b[0m"}],
    }
    assert shown_text(content) == "ok"
    assert shown_text({"function": "Ask", "arguments": {"type": "bug", "id": 7}}) == "bug\n7"


def test_context_has_the_lines_around_the_word() -> None:
    text = "one\n\ntwo\nthe needle is here\nthree\nfour"
    assert context(text, "needle", 200) == "two\nthe needle is here\nthree"
    long = context("a" * 500 + " needle " + "b" * 500, "needle", 60)
    assert "needle" in long
    assert len(long) <= 62
    assert context("needless\nneedle", "needle", 60) == "needless\nneedle"
    assert context("", "needle", 60) == ""
