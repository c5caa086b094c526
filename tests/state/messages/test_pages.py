"""Pages of messages as JSON: the short statement for whole messages gives what the long one gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import T0, begin, write

from lionstudio.model.messages import create_message
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages import pages
from lionstudio.state.messages.append import append

CONTENTS = (
    '{"instruction":"é \\u0000 \\n"}',
    *("[1,2.5,null]", '"text"', "7", "1e999", "", "{broken"),
    *(b"\xff\x00{", 3.5, None),
)
METADATA = ("{}", '{"lines":3}', "{broken", b"\xff", None, '{"patch":"' + "+line" * 1000 + '","kept":1}')
CHANGE = """
UPDATE messages SET content = :content, node_metadata = :metadata, sender = :sender, created_at = :at WHERE id = :id
"""


@pytest.mark.parametrize("large", [False, True])
def test_page_of_whole_messages_equals_the_page_of_any_messages(tmp_path: Path, large: bool) -> None:
    with Database(str(tmp_path / "state.db")) as db:
        compare(db, large)


def compare(db: Database, large: bool) -> None:
    begun = begin(db)
    rows: list[dict[str, Any]] = [
        {"content": content, "metadata": metadata, "sender": sender, "at": at}
        for content in CONTENTS
        for metadata in METADATA
        for sender, at in ((None, T0), ('a "b"', -1e300))
    ]
    if large:
        rows.insert(5, {**rows[0], "content": json.dumps({"output": "x" * 2 * pages.WHOLE_BYTES})})

    def store(conn: Connection) -> None:
        ids = []
        for number, row in enumerate(rows):
            message = create_message({"instruction": ""}, created_at=T0 + number)
            append(conn, begun.branch_id, message)
            conn.execute(CHANGE, {**row, "id": message.id})
            ids.append(message.id)
        conn.execute("DELETE FROM messages WHERE id = :id", {"id": ids[7]})

    write(db, store)
    with db.reader() as conn:
        scope = pages.scope_of_session(conn, begun.session_id)
        page = pages.page_after(conn, scope, -1, len(rows))
        any_messages = {
            **{"prog": scope.prog, "session": scope.session_id, "branch": scope.branch_id},
            **{"quoted": json.dumps(scope.branch_id), "after": -1, "before": 2**62, "limit": len(rows)},
            **{"cut": pages.WHOLE_BYTES, "preview": pages.PREVIEW_CHARS},
        }
        body = conn.value(pages._WINDOW, any_messages)

    assert scope.branch_id == begun.branch_id
    assert b"".join(page.pieces) == body.decode("utf-8", "replace").encode()
    assert page.length == len(rows)
