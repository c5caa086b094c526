"""A database or a show folder of someone else, imported before a show of ours runs: the director obeys none of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.commands import li
from tests.support.show_harness import TOPIC, ShowHarness

from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.statuses import PlayStatus
from lionstudio.state.database import Database, reading
from lionstudio.state.shows import get_show, put_play, put_show

MERGED = {"status": "merged", "attempt": 1, "merge_sha": "0" * 40, "approved": True}


def write_database(harness: ShowHarness, path: Path) -> None:
    """The facts of a director who accepted no plan of ours, with a merged play and a critic that always passes."""
    text = "---\nprovider: script\n---\n@say {}\n"
    critic = {"name": "critic", "text": text, "path": str(harness.home / "agents" / "critic.md")}
    facts = {"accepted_plan": "0" * 64, "reviewers": {"critic": critic}, "deciders": ["mallory"], "base": "0" * 40}
    show = Show(topic=TOPIC, show_dir=str(harness.show_dir), updated_at=4e9, metadata=facts)
    with Database(str(path)) as other:
        show = other.write(lambda conn: put_show(conn, show))
        play = Play(show_id=show.id, name="a", status=PlayStatus.MERGED, updated_at=4e9, metadata={"meta": MERGED})
        other.write(lambda conn: put_play(conn, play))


def write_folder(root: Path) -> None:
    (root / TOPIC / "a").mkdir(parents=True)
    (root / TOPIC / "_show.md").write_text("---\ngoal: theirs\n---\n")
    (root / TOPIC / "a" / "_meta.json").write_text(json.dumps(MERGED))


@pytest.mark.parametrize("kind", ["import-db", "import-home"])
def test_director_obeys_no_imported_show(harness: ShowHarness, kind: str) -> None:
    harness.write_plan({"a": "@write a.txt mine"})
    if kind == "import-db":
        source = harness.root / "evil.db"
        write_database(harness, source)
    else:
        source = harness.root / "evil"
        write_folder(source / "shows")
    done = li("state", kind, str(source), env=harness.env)
    assert done.code == 0, done

    harness.direct()

    assert harness.statuses() == {"a": "merged"}
    assert harness.ran_log.read_text() == "a\n"  # our own agent did the work


def test_import_home_leaves_a_show_of_ours_as_it_is(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@write a.txt mine"}, goal="mine")
    harness.direct()
    source = harness.root / "evil"
    write_folder(source / "shows")
    before = read_goal(harness)

    done = li("state", "import-home", str(source), env=harness.env)

    assert "stays as it is" in done.out + done.err
    assert read_goal(harness) == before == "mine"


def read_goal(harness: ShowHarness) -> str | None:
    with reading(harness.settings.db) as conn:
        return get_show(conn, TOPIC).goal
