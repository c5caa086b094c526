"""A plan that is edited while its show runs, end to end."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from tests.support.show_harness import ShowHarness


@pytest.fixture
def theatre(tmp_path: Path) -> ShowHarness:
    return ShowHarness(tmp_path)


def wait_for(path: Path) -> str:
    """A line of a script that waits for a file."""
    return f"@run sh -c 'while [ ! -e {path} ]; do sleep 0.05; done'"


def test_a_play_that_is_dropped_at_work_leaves_when_its_agent_does(theatre: ShowHarness) -> None:
    go = theatre.root / "go"
    theatre.plan({"a": wait_for(go)})
    thread = threading.Thread(target=theatre.direct)
    thread.start()
    theatre.until(lambda: theatre.runs()["a"])
    theatre.plan({"b": "@write b.txt b"})
    theatre.until(lambda: theatre.meta("b"))  # the edit was seen
    go.touch()
    thread.join(60)

    assert theatre.statuses() == {"a": "running_complete", "b": "merged"}
    assert theatre.rows()[0] == "completed"
    assert theatre.runs() == {"a": 1, "b": 1}


def test_plays_that_an_edit_adds_count_for_their_provider(theatre: ShowHarness) -> None:
    go, room, most = theatre.root / "go", theatre.root / "room", theatre.root / "most"
    room.mkdir()
    busy = f"@run sh -c 'touch {room}/$$; ls {room} | wc -l >> {most}; sleep 0.4; rm {room}/$$'"
    limits = {"concurrency": 4, "provider_limits": {"script": 1}}
    theatre.plan({"a": wait_for(go)}, **limits)
    thread = threading.Thread(target=theatre.direct)
    thread.start()
    theatre.until(lambda: theatre.runs()["a"])
    theatre.plan({"a": wait_for(go), **dict.fromkeys("bcd", busy)}, **limits)
    theatre.until(lambda: theatre.meta("d"))
    go.touch()
    thread.join(60)

    assert theatre.rows()[0] == "completed"
    assert most.read_text().split() == ["1", "1", "1"]
