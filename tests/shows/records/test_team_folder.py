"""The folder of a show that workers play, written from its rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.builders import read, write
from tests.support.workers import order, play

from lionstudio.errors import InvalidInput
from lionstudio.files.shows.decision_log import list_decisions
from lionstudio.model.shows.show import Show
from lionstudio.model.shows.show_files import ABORT, PLAN, REPLACED_PLAN
from lionstudio.shows.records.decision_rows import put_abort
from lionstudio.shows.records.team_folder import write_folder, write_requests
from lionstudio.state.database import Database
from lionstudio.state.shows import get_show
from lionstudio.state.workers.orders import Work, list_orders


def test_abort_by_row_is_logged_once_with_the_person_and_the_place(path: str, tmp_path: Path) -> None:
    show_dir = str(tmp_path / "calc")
    with Database(path) as database:
        play(database, "calc", "add")
        order(database, "calc", "add", Work.ATTEMPT)
        write(database, put_abort, "calc", "wrong branch", "ann", {"via": "cli"})
        show = read(database, get_show, "calc")
        assert read(database, list_orders, "calc") == []

    for _ in range(2):
        write_requests(show_dir, show)

    (entry,) = list_decisions(show_dir)
    assert (entry.kind, entry.actor, entry.detail, entry.origin) == ("abort", "ann", "wrong branch", {"via": "cli"})
    assert (tmp_path / "calc" / ABORT).read_text() == "wrong branch\n"


def test_write_folder_keeps_an_edit_that_was_not_sent(tmp_path: Path) -> None:
    show = Show(topic="calc", show_dir=str(tmp_path), metadata={"plan": "of the hub"})
    (tmp_path / PLAN).write_text("edited here")

    for _ in range(2):
        write_folder(str(tmp_path), show, [])

    assert (tmp_path / PLAN).read_text() == "of the hub"
    assert (tmp_path / REPLACED_PLAN).read_text() == "edited here"


@pytest.mark.parametrize("play", ["../../evil", "link"])
def test_write_requests_writes_nothing_outside_of_the_show_folder(tmp_path: Path, play: str) -> None:
    """A row of a hub names the plays, also on the machine of a person who only decides."""
    show_dir, evil = tmp_path / "shows" / "calc", tmp_path / "evil"
    show_dir.mkdir(parents=True)
    (show_dir / "link").symlink_to(evil)
    decisions = {play: {"id": "1", "decision": "approve"}}
    show = Show(topic="calc", show_dir=str(show_dir), metadata={"last_decisions": decisions})

    with pytest.raises(InvalidInput):
        write_requests(str(show_dir), show)
    assert not evil.exists()
