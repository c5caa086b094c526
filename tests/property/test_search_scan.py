"""A message that is decided by its text matches by the rules of the index."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.builders import trial

from lionstudio.state.connection import Connection
from lionstudio.state.sqlite import fulltext
from lionstudio.state.sqlite.fulltext import index_batch, search

QUERIES = (
    *("foo", "fo*", "FOO bar", '"foo bar"', '"bar foo bar"', "snake_case", "snake_ca*", "k", "s*", "lowe", "Löwe"),
    *(
        "5",
        "100000",
        "10*",
        "07",
        "1e",
        "日本*",
        "日本語",
        "x00",
        "xff",
        "_ foo",
        "u0066oo",
        "text",
        "fo* ba*",
        "fo* lowe",
    ),
)
PIECES = (
    *("foo", "Foo", "fooé", "éfoo", "fo\u0308o", "FÖO", "bar", "bar\u0301", "—foo—", "foo→bar", "snake_case", "case"),
    *("\u212a", "\u017f", "\u0130", "Löwe", "日本語", "日本", "\uff11\uff10", "5", "50", "\x00", "\n", "\t", '"', "\\"),
    *("\\u0066oo", "/", "_", "\U0001f600", "\u00ad", "u", "n"),
)
texts = st.lists(st.sampled_from(PIECES), max_size=6).flatmap(
    lambda pieces: st.sampled_from(["", " "]).map(lambda glue: glue.join(pieces))
)
numbers = st.sampled_from([5, 100000, 1e5, 1e-07, 1.5, 1e16, -3.25])
contents = st.recursive(
    texts | numbers | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["text", "foo", "id"]), inner),
    max_leaves=6,
)


def spellings(content: Any) -> Iterator[str | bytes]:
    """A content as different tools write it, whole and damaged."""
    text = json.dumps(content, ensure_ascii=False)
    yield text
    yield json.dumps(content)
    yield text.replace("1.5", "1.50").replace("100000", "1E5").replace("1e-07", "1e-7")
    yield text[:-1]
    yield text.encode()


_INSERT = "INSERT INTO messages (id, created_at, content) VALUES (hex(randomblob(8)), 1.0, :content)"
_NOT_UTF8 = "INSERT INTO messages (id, created_at, content) VALUES ('odd', 1.0, CAST(x'22ff20666f6f22' AS TEXT))"


def matches(conn: Connection) -> dict[str, list[str]]:
    return {query: [hit.message_id for hit in search(conn, query, limit=1000)] for query in QUERIES}


@given(several=st.lists(contents, max_size=5), walked=st.sampled_from([1, 5, 1000]))
@settings(max_examples=60)
def test_search_matches_the_same_with_and_without_the_index(conn: Connection, several: list[Any], walked: int) -> None:
    with trial(conn), pytest.MonkeyPatch.context() as patch:
        conn.execute(_NOT_UTF8)
        for content in several:
            for spelling in spellings(content):
                conn.execute(_INSERT, {"content": spelling})
        unindexed = matches(conn)
        while index_batch(conn):
            pass
        assert matches(conn) == unindexed
        patch.setattr(fulltext, "_MANY_PAGES", -1)  # every prefix is long
        patch.setattr(fulltext, "_WALKED", walked)
        assert matches(conn) == unindexed
