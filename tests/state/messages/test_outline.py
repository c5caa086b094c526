"""The outline of a run, read in parts."""

from __future__ import annotations

from tests.support.builders import begin, write

from lionstudio.model.messages import create_message
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.messages.outline import Outline, outline
from lionstudio.state.messages.pages import scope_of_session


def parts(db: Database, session: str, limit: int) -> list[Outline]:
    read: list[Outline] = []
    with db.reader() as conn:
        scope = scope_of_session(conn, session)
        while not read or read[-1].has_more:
            last = read[-1].last if read else None
            read.append(outline(conn, scope, -1 if last is None else last, limit))
    return read


def test_outline_parts_add_up_to_the_whole(db: Database) -> None:
    begun = begin(db, "run")
    for number in range(5):
        write(db, append, begun.branch_id, create_message({"instruction": f"step {number}"}))
        call = create_message({"function": "Edit", "arguments": {"file_path": f"{number % 2}.py"}})
        write(db, append, begun.branch_id, call)
        write(db, append, begun.branch_id, create_message({"error": "no", "action_request_id": call.id}))

    [whole] = parts(db, "run", 100)
    read = parts(db, "run", 4)

    assert [part.has_more for part in read] == [True, True, True, False]
    assert "".join(part.kinds for part in read) == whole.kinds == "uce" * 5
    assert [each for part in read for each in part.errors] == whole.errors
    assert [each for part in read for each in part.users] == whole.users == [0, 3, 6, 9, 12]
    assert sum(file["calls"] for part in read for file in part.files) == 5
    assert whole.tools == {"Edit": {"calls": 5, "errors": 5}}


def test_outline_notes_the_files_of_a_patch(db: Database) -> None:
    begun = begin(db, "run")
    calls: list[dict[str, object]] = [{"changes": {"a.py": {}}}, {"command": "echo path"}, {"path": "b.py"}]
    for arguments in calls:
        write(db, append, begun.branch_id, create_message({"function": "apply_patch", "arguments": arguments}))

    [whole] = parts(db, "run", 100)

    assert [file["path"] for file in whole.files] == ["b.py", "a.py"]
