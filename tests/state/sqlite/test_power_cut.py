"""A power cut at any moment, on a disk that forgets what was not synced: what the setting `durability` promises."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.support.children import PYTHON, ROOT, Event, environment
from tests.support.invariants import assert_whole, check

from lionstudio.state.database import Database

MESSAGES = 150  # enough for a checkpoint in the middle
CUTS = 14
POWER = 'durability = "power"\n'


class Cut(NamedTuple):
    """The files after a power cut; `synced` of the acknowledged events came before the last sync of the log."""

    path: Path
    survivors: str
    acknowledged: list[Event]
    synced: int
    syncs: int


def cut_power(folder: Path, work: str, config: str = "", *, cuts: int = CUTS) -> list[Cut]:
    """Do a work with a config.toml, and return the files as power cuts at several moments of it leave them."""
    (folder / "config.toml").write_text(config)
    words = [work, str(folder / "state.db"), *map(str, (MESSAGES, cuts, 7))]
    command = [*PYTHON, "-m", "tests.support.power_cut", *words]
    env = environment(LIONAGI_HOME=str(folder))
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stderr) == (0, "")
    return [_cut(folder / f"cut-{number}") for number in range(cuts)]


def _cut(folder: Path) -> Cut:
    facts: dict[str, Any] = json.loads((folder / "cut.json").read_text())
    return Cut(folder / "state.db", **facts)


def lost(cut: Cut) -> int:
    """The number of acknowledged messages that are missing; they are the last ones, and the rest is whole."""
    messages = [event for event in cut.acknowledged if "message" in event]
    with Database(str(cut.path)) as database:
        kept = {id_ for (id_,) in database.conn.all("SELECT id FROM messages")}
        left = [event for event in messages if event["message"] in kept]
        assert left == messages[: len(left)], "a message is missing before one that is there"
        assert not check(database.conn, left).violations
    return len(messages) - len(left)


@pytest.mark.parametrize("work", ["recorded", "synchronous", "grouped"])
def test_power_cut_loses_nothing_acknowledged_with_durability_power(tmp_path: Path, work: str) -> None:
    cuts = cut_power(tmp_path, work, POWER)

    for cut in cuts:
        assert_whole(cut.path, cut.acknowledged)
    assert len(cuts[0].acknowledged) >= MESSAGES


@pytest.mark.parametrize("work", ["recorded", "synchronous", "grouped"])
def test_power_cut_loses_only_what_came_after_the_last_sync_by_default(tmp_path: Path, work: str) -> None:
    cuts = cut_power(tmp_path, work)
    losses = [lost(cut) for cut in cuts]

    assert all(loss <= len(cut.acknowledged) - cut.synced for loss, cut in zip(losses, cuts, strict=True))
    assert max(losses) > 0, "the disk forgot nothing, so this proves nothing about durability = power"
    assert all(loss == 0 for loss, cut in zip(losses, cuts, strict=True) if cut.survivors == "all")


def test_commit_of_several_producers_waits_for_the_disk_once(tmp_path: Path) -> None:
    together = cut_power(tmp_path, "grouped", POWER, cuts=1)[0]

    assert together.syncs < len(together.acknowledged) / 2
