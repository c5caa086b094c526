"""The director of a show in the API: a killed director is not reported as running."""

from __future__ import annotations

from pathlib import Path

from tests.support.builders import write
from tests.support.studio import application

from lionstudio.model.shows.show import Show
from lionstudio.model.status.statuses import ShowStatus
from lionstudio.shows.process.lock import acquire_director_lock
from lionstudio.state.database import Database
from lionstudio.state.shows import put_show
from lionstudio.state.upkeep.doctor import examine


def test_show_with_a_dead_director_is_not_directed(tmp_path: Path) -> None:
    folder = tmp_path / "shows" / "build"
    folder.mkdir(parents=True)
    with application(tmp_path) as studio:
        write(
            studio.services.db.database(), put_show, Show(topic="build", show_dir=str(folder), status=ShowStatus.ACTIVE)
        )

        def told() -> tuple[bool, list[str]]:
            items = [item for item in studio.get("/api/attention")["items"] if item["code"] == "show.undirected"]
            return studio.get("/api/shows/build")["directed"], [item["actions"][0]["command"] for item in items]

        assert told() == (False, [])
        lock = acquire_director_lock(str(folder))
        assert told() == (True, [])
        lock.release()
        assert told() == (False, [])
        (folder / "_director.lock").write_text("")  # what a killed one leaves behind
        assert told() == (False, [f"li show resume build --home {studio.services.settings.home}"])


def test_doctor_reports_a_dead_director(tmp_path: Path) -> None:
    with Database(str(tmp_path / "state.db")) as db:
        write(db, put_show, Show(topic="build", show_dir=str(tmp_path), status=ShowStatus.ACTIVE))

        def told() -> list[str]:
            return db.read(lambda conn: [each.advice for each in examine(conn) if each.code == "show.undirected"])

        lock = acquire_director_lock(str(tmp_path))
        assert told() == []
        lock.release()
        assert told() == []
        (tmp_path / "_director.lock").write_text("")
        assert told() == ["continue it: `li show resume build`"]
