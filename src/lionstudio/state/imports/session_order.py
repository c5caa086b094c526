"""The order of a mirrored session while its files are read piece by piece: by time, and no record before its parent."""

from __future__ import annotations

from collections.abc import Sequence

from lionstudio.state.connection import Connection
from lionstudio.state.imports.live_branches import update_pointers, write_order
from lionstudio.state.imports.lookup import ids_in
from lionstudio.state.messages.append_cursor import cursor_of

_WINDOW = 64  # messages at the end of a session, where new messages belong almost always


def move_after(conn: Connection, branch_id: str, ids: Sequence[str], after: str) -> None:
    """Move messages of a branch behind a later one, in the branch and in its session."""
    cursor = cursor_of(conn, branch_id)
    for prog in (cursor.prog, cursor.session.prog):
        old = list(ids_in(conn, prog))
        moved = [id_ for id_ in old if id_ in ids]
        if not moved or after not in old or after in moved or old.index(after) < old.index(moved[0]):
            continue
        start = old.index(moved[0])
        rest = [id_ for id_ in old[start:] if id_ not in moved]
        end = rest.index(after) + 1
        write_order(conn, prog, [*rest[:end], *moved, *rest[end:]], start=start)
    update_pointers(conn, cursor.session.id, cursor.session.prog)
    conn.forget_cursors()


_BRANCHES = """
SELECT min(sh.pk), count(*) FROM sessions s JOIN progression_heads sh ON sh.id = s.progression_id
  JOIN branches b ON b.session_id = s.id WHERE s.id = :session
"""
_LAST_ORD = "SELECT max(ord) FROM progression_items WHERE prog = :prog"
_TAIL = """
SELECT i.ord, i.message_id, m.created_at,
       (SELECT bi.prog FROM progression_items bi JOIN progression_heads h ON h.pk = bi.prog
          JOIN branches b ON b.progression_id = h.id
         WHERE bi.message_id = i.message_id AND b.session_id = :session LIMIT 1)
  FROM progression_items i LEFT JOIN messages m ON m.id = i.message_id
 WHERE i.prog = :prog AND i.ord >= :start ORDER BY i.ord
"""


def merge_by_time(conn: Connection, session_id: str, since: float) -> None:
    """Order the messages since this time by their times; those of a branch keep their own order."""
    prog, branches = conn.one(_BRANCHES, {"session": session_id}) or (None, 0)
    if prog is None or branches < 2:
        return
    length = int(conn.value(_LAST_ORD, {"prog": prog}) or 0) + 1
    window = _WINDOW
    while True:
        start = max(0, length - window)
        tail = conn.all(_TAIL, {"session": session_id, "prog": prog, "start": start})
        if start == 0 or not tail or (tail[0][2] or 0.0) <= since:
            break
        window *= 4
    latest: dict[int | None, float] = {}
    times = []
    for _, _, created_at, branch in tail:
        latest[branch] = max(created_at or since, since, latest.get(branch, since))
        times.append(latest[branch])
    order = sorted(range(len(tail)), key=times.__getitem__)
    first = next((at for at, number in enumerate(order) if at != number), None)
    if first is not None:
        write_order(conn, prog, [tail[number][1] for number in order[first:]], start=tail[first][0])
        update_pointers(conn, session_id, prog)
        conn.forget_cursors()
