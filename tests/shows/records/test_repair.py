"""Repair of a play folder that an agent corrupted: only that play is affected, and links are not followed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.support.show_harness import ShowHarness

BAD = [
    '{"status":"bogus","attempt":"x"}',
    '{"status":"pending","attempt":"x"}',
    "[]",
    "no json",
    '{"allowed":"many"}',
    '{"blocked_by":3}',
    '{"started_at":{}}',
]
GATED = {"a": "@write a.txt a", "b": "@write b.txt b"}


@pytest.fixture
def harness(tmp_path: Path) -> ShowHarness:
    return ShowHarness(tmp_path)


@pytest.fixture
def resting(harness: ShowHarness) -> ShowHarness:
    """Create a show whose plays both wait for a person, without a director."""
    harness.write_plan(GATED, gates=[{"person": "look"}])
    harness.direct()
    assert harness.statuses() == {"a": "gated", "b": "gated"}
    return harness


@pytest.mark.parametrize("text", BAD)
def test_repair_escalates_only_the_play_of_an_invalid_file(resting: ShowHarness, text: str) -> None:
    path = resting.show_dir / "a" / "_meta.json"
    path.write_text(text)
    resting.direct()

    assert resting.statuses() == {"a": "escalated", "b": "gated"}
    assert resting.rows() == ("active", {"a": "escalated", "b": "gated"})
    assert "_meta.json" in resting.meta("a")["reason"]
    assert [kept.read_text() for kept in path.parent.glob("_meta.json.*.bad")] == [text]


@pytest.mark.parametrize("what", ["file", "folder", "pipe"])
def test_repair_follows_no_links(resting: ShowHarness, what: str) -> None:
    outside = resting.root / "outside"
    outside.mkdir()
    folder = resting.show_dir / "a"
    (outside / "_meta.json").write_text(json.dumps({"status": "merged", "attempt": 1}))
    before = {path.name: path.read_text() for path in outside.iterdir()}
    if what == "folder":
        folder.rename(resting.root / "away")
        folder.symlink_to(outside)
    else:
        (folder / "_meta.json").unlink()
        if what == "file":
            (folder / "_meta.json").symlink_to(outside / "_meta.json")
        else:
            os.mkfifo(folder / "_meta.json")
    resting.direct()

    assert resting.statuses() == {"a": "escalated", "b": "gated"}
    assert not folder.is_symlink()
    assert {path.name: path.read_text() for path in outside.iterdir()} == before


@pytest.mark.parametrize(
    "spoil",
    [
        "echo {} > $D/_meta.json; echo [] > $D/_meta.json",
        "rm $D/_meta.json; ln -s $O/x $D/_meta.json",
        "mv $D $O/moved; ln -s $O $D",
        "mkfifo $D/_verdict.json",
        "ln -s $O $D/attempts/2",
    ],
)
def test_repair_of_one_play_stops_no_other(harness: ShowHarness, spoil: str) -> None:
    outside = harness.root / "outside"
    outside.mkdir()
    script = harness.root / "spoil.sh"
    script.write_text(f"D={harness.show_dir}/a O={outside}\n{spoil}\n")
    harness.write_plan({"a": f"@run sh {script}", "b": "@write b.txt b"}, max_attempts=2)
    harness.direct()

    assert harness.statuses()["b"] == "merged"
    assert harness.statuses()["a"] in ("escalated", "merged")
    assert [path.name for path in outside.iterdir() if path.name != "moved"] == []
