"""The real programs play on two workers, are frozen for a minute because the hub is away, and go on."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support import machines
from tests.support.agent_programs import Agent
from tests.support.fleet_chaos import Fleet
from tests.support.waiting import wait_until

BEAT = 2.0
FROZEN_SECONDS = 60.0
# The tool call outlasts the freeze: its next second comes after it.
SCRIPT = "@run for n in 1 2 3 4 5 6 7 8; do date +%s.%N >> {name}.txt; sleep 1; done\n@say {name} is done."


@pytest.fixture
def fleet(claude: Agent, codex: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fleet]:
    # the programs enter the network of the model by the id of a process, which a namespace would hide
    monkeypatch.setattr(machines, "namespace_words", lambda: ())
    config = tmp_path / "home" / ".codex" / "config.toml"
    # only variables of the vendors reach an agent of a show
    config.write_text(config.read_text().replace("FAKE_KEY", "OPENAI_FAKE_KEY"))
    env = {**claude.task.env, **codex.task.env, "OPENAI_FAKE_KEY": "test-key"}
    env = {name: value for name, value in env.items() if name != "HOME"}
    fleet = Fleet(tmp_path / "fleet", beat=BEAT, names=("north", "south"), at_once=1, environment=env)
    try:
        yield fleet
    finally:
        fleet.close()


@pytest.mark.timeout(400)
def test_claude_and_codex_are_frozen_for_a_minute_on_two_workers(fleet: Fleet) -> None:
    agents = fleet.root / "person" / "agents"
    agents.mkdir()
    for kind in ("claude", "codex"):
        text = f"---\nprovider: {kind}\npermissions: all\n---\nYou work in a show.\n"
        (agents / f"my-{kind}.md").write_text(text)
    fleet.start()
    fleet.order(
        "real",
        [{"name": kind, "agent": f"my-{kind}", "prompt": SCRIPT.format(name=kind)} for kind in ("claude", "codex")],
        concurrency=2,
    )
    wait_until(lambda: len(works(fleet)) == 2, seconds=120)

    for cutter in fleet.cutters.values():
        cutter.set("swallow")
    wait_until(lambda: [state.get("frozen_since") is not None for state in leases(fleet)] == [True, True], seconds=60)
    before = works(fleet)
    time.sleep(FROZEN_SECONDS)
    assert works(fleet) == before
    for cutter in fleet.cutters.values():
        cutter.set("cut")
        cutter.set("pass")

    assert fleet.wait_until_ended(180), fleet.describe()
    plays = fleet.query("SELECT name, status, attempt FROM plays ORDER BY name")
    assert plays == [("claude", "merged", 1), ("codex", "merged", 1)]
    assert fleet.daemon.merges("real") == {"claude": 1, "codex": 1}
    assert fleet.query("SELECT count(DISTINCT worker_id) FROM orders WHERE work = 'attempt'") == [(2,)]
    assert all(float(state["frozen"]) > 0.9 * FROZEN_SECONDS for state in leases(fleet))
    branch = "refs/heads/show/real/integration"
    for kind in ("claude", "codex"):
        times = [float(line) for line in fleet.daemon.git("show", f"{branch}:{kind}.txt").splitlines()]
        # the limit of a tool call is the program's own clock, which ran on: the call may end right after the thaw
        assert max(after - one for one, after in itertools.pairwise(times)) > 0.9 * FROZEN_SECONDS
    said = fleet.query("SELECT count(*) FROM messages WHERE content LIKE %s", '%"assistant_response"%:%is done.%')
    assert said == [(2,)]


def works(fleet: Fleet) -> dict[str, str]:
    """What the agents have written so far, by file."""
    found = fleet.root.glob("machines/*/home/checkouts/real/**/c*.txt")
    return {path.name: path.read_text() for path in found}


def leases(fleet: Fleet) -> list[dict[str, Any]]:
    """What the supervisors say of their leases."""
    found = sorted(fleet.root.glob("machines/*/shows/real/*/attempts/*/lease.json"))
    return [json.loads(path.read_text()) for path in found]
