"""Edits of the plan of a running show, end to end."""

from __future__ import annotations

import threading
from pathlib import Path

from tests.support.show_harness import ShowHarness


def wait_for(path: Path) -> str:
    """Return a script line that waits for a file."""
    return f"@run sh -c 'while [ ! -e {path} ]; do sleep 0.05; done'"


def test_plan_edit_removes_a_running_play_when_its_agent_ends(harness: ShowHarness) -> None:
    go = harness.root / "go"
    harness.write_plan({"a": wait_for(go)})
    thread = threading.Thread(target=harness.direct)
    thread.start()
    harness.wait_until(lambda: harness.runs()["a"])
    harness.write_plan({"b": "@write b.txt b"})
    harness.wait_until(lambda: harness.meta("b"))  # the edit was seen
    go.touch()
    thread.join(60)

    assert harness.statuses() == {"a": "running_complete", "b": "merged"}
    assert harness.rows()[0] == "completed"
    assert harness.runs() == {"a": 1, "b": 1}


def test_plan_edit_counts_new_plays_for_their_provider(harness: ShowHarness) -> None:
    go, room, most = harness.root / "go", harness.root / "room", harness.root / "most"
    room.mkdir()
    busy = f"@run sh -c 'touch {room}/$$; ls {room} | wc -l >> {most}; sleep 0.4; rm {room}/$$'"
    limits = {"concurrency": 4, "provider_limits": {"script": 1}}
    harness.write_plan({"a": wait_for(go)}, **limits)
    thread = threading.Thread(target=harness.direct)
    thread.start()
    harness.wait_until(lambda: harness.runs()["a"])
    harness.write_plan({"a": wait_for(go), **dict.fromkeys("bcd", busy)}, **limits)
    harness.wait_until(lambda: harness.meta("d"))
    go.touch()
    thread.join(60)

    assert harness.rows()[0] == "completed"
    assert most.read_text().split() == ["1", "1", "1"]
