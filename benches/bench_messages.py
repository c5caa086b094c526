"""10,000 messages of one session as JSON: read and encoded, against other ways of doing the same.

The baseline reads the same rows as tuples and discards them; no way can be faster.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from benches.build import cached
from benches.corpus import fill, numbered
from benches.measure import Contest, cpu_us, p50, timed
from benches.stores import clean_up
from benches.table import Table, at_most, options
from lionstudio.state.connection import Connection
from lionstudio.state.messages.pages import page_after, scope_of_session
from lionstudio.state.messages.windows import messages_after
from lionstudio.state.sqlite.open import open_reader

_COUNT = 10_000
_SESSION = numbered(1)

_ROWS = """
SELECT m.id, m.created_at, m.node_metadata, m.content, m.embedding, m.sender, m.recipient, m.channel, m.role,
       t.lion_class, i.ord, i.message_id
  FROM sessions s
  JOIN progression_heads h ON h.id = s.progression_id
  JOIN progression_items i ON i.prog = h.pk
  LEFT JOIN messages m ON m.id = i.message_id
  LEFT JOIN message_types t ON t.type_id = m.lion_class
 WHERE s.id = :session AND i.ord > :after ORDER BY i.ord LIMIT :limit
"""
_IN_SQL = """
SELECT json_group_array(json_object('ord', ord, 'id', id, 'created_at', created_at, 'metadata', json(metadata),
         'content', json(content), 'sender', sender, 'recipient', recipient, 'channel', channel, 'role', role,
         'lion_class', lion_class))
  FROM (SELECT i.ord, m.id, m.created_at, coalesce(m.node_metadata, '{}') AS metadata, m.content, m.sender,
               m.recipient, m.channel, m.role, t.lion_class
          FROM sessions s
          JOIN progression_heads h ON h.id = s.progression_id
          JOIN progression_items i ON i.prog = h.pk
          LEFT JOIN messages m ON m.id = i.message_id
          LEFT JOIN message_types t ON t.type_id = m.lion_class
         WHERE s.id = :session AND i.ord > :after ORDER BY i.ord LIMIT :limit)
"""
_BOUND = {"session": _SESSION, "after": -1, "limit": _COUNT}


def main() -> None:
    args = options(__doc__)
    try:
        table = Table("10,000 messages as JSON", args)
        path = cached("long-sessions", lambda conn: fill(conn, 3 * _COUNT, _COUNT))
        conn = open_reader(path)
        _check(conn)
        _measure(table, conn, 8 if args.quick else 60)
        conn.close()
        table.close()
    finally:
        clean_up()


def bare(conn: Connection) -> Sequence[object]:
    """Only the rows."""
    return conn.raw.execute(_ROWS, _BOUND).fetchall()


def sent(conn: Connection) -> Sequence[bytes]:
    """The way of the server: checked, truncated, in pieces."""
    return page_after(conn, scope_of_session(conn, _SESSION), -1, _COUNT).pieces


def objects(conn: Connection) -> str:
    """Message objects, dictionaries, one encoding."""
    window = messages_after(conn, _SESSION, limit=_COUNT)
    return json.dumps([{"ord": row.ord, **row.message.to_dict("json")} for row in window if row.message is not None])


def dictionaries(conn: Connection) -> str:
    """Dictionaries made straight from the rows; contents parsed and encoded again."""
    return json.dumps([_dictionary(row, json.loads(row[3])) for row in conn.raw.execute(_ROWS, _BOUND)])


def _dictionary(row: Sequence[Any], content: Any) -> dict[str, Any]:
    return {
        "ord": row[10],
        "id": row[0],
        "created_at": row[1],
        "metadata": row[2] or {},
        "content": content,
        "sender": row[5],
        "recipient": row[6],
        "channel": row[7],
        "role": row[8],
        "lion_class": row[9],
    }


def fragments(conn: Connection) -> str:
    """The stored JSON is inserted between the other fields without parsing."""
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    known: dict[tuple[Any, ...], str] = {}
    pieces = []
    for row in conn.raw.execute(_ROWS, _BOUND):
        rest = row[5:10]
        if rest not in known:
            names = ("sender", "recipient", "channel", "role", "lion_class")
            known[rest] = encode(dict(zip(names, rest, strict=True)))[1:]
        id_, at, metadata, content = row[:4]
        pieces.append(
            f'{{"ord":{row[10]},"id":{encode(id_)},"created_at":{at!r},"metadata":{metadata or "{}"},'
            f'"content":{content},{known[rest]}'
        )
    return f"[{','.join(pieces)}]"


def in_sql(conn: Connection) -> str:
    """One string made by SQLite."""
    return str(conn.raw.execute(_IN_SQL, _BOUND).fetchall()[0][0])


def _check(conn: Connection) -> None:
    """Check that all ways give the same result."""
    expected = json.loads(dictionaries(conn))
    assert len(expected) == _COUNT
    assert json.loads(fragments(conn)) == expected
    assert json.loads(in_sql(conn)) == expected
    whole = json.loads(b"[" + b"".join(sent(conn)) + b"]")
    assert [{name: each[name] for name in expected[0]} for each in whole] == expected


def _measure(table: Table, conn: Connection, seconds: float) -> None:
    ways = {
        "bare rows": bare,
        "what Studio sends": sent,
        "messages_after": lambda conn: messages_after(conn, _SESSION, limit=_COUNT),
        "messages_after, to_dict, json": objects,
        "dictionaries, json": dictionaries,
        "content kept as JSON text": fragments,
        "JSON made by SQLite": in_sql,
    }
    contest = Contest({name: lambda way=way: timed(1, way, conn) for name, way in ways.items()})  # type: ignore[misc]
    contest.run(seconds, warm_up=1)
    for name in ways:
        goal = at_most(30) if name == "what Studio sends" else None
        note = f"{contest.ratio(name, p50):.2f} × bare, CPU {contest.median(name, cpu_us) / 1000:.1f} ms"
        table.row(name, contest.typical(name, 50) / 1000, "ms", goal, note)


if __name__ == "__main__":
    main()
