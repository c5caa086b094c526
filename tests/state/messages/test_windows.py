"""Windows of a session's messages."""

from __future__ import annotations

from tests.support.builders import T0, begin, write

from lionstudio.model.messages import create_message
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.messages.windows import Readable, messages_after, readable_after


def test_readable_after_has_the_same_messages_as_messages_after(db: Database) -> None:
    begun = begin(db)
    contents = [{"instruction": "do it"}, {"assistant_response": "é\n", "thinking": "…"}, {"function": "ls"}]
    for number, content in enumerate(contents):
        message = create_message(content, created_at=T0 + number, metadata={"n": number})
        write(db, append, begun.branch_id, message)

    with db.reader() as conn:
        whole = messages_after(conn, begun.session_id, 0, 10)
        readable = readable_after(conn, begun.session_id, 0, 10)

    assert readable == [
        (ord_, id_, Readable(message.role, message.created_at, message.content, message.metadata))
        for ord_, id_, message in whole
        if message is not None
    ]
    assert len(readable) == 2
