"""Agents that decide about plays themselves: on the command line, over HTTP, and by the ways around both."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.children import environment
from tests.support.commands import LI
from tests.support.show_harness import TOPIC, ShowHarness
from tests.support.studio import server

from lionstudio.model.ids import new_id
from lionstudio.state.database import reading
from lionstudio.state.exchange.refusals import list_refusals
from lionstudio.state.shows import get_show, list_plays
from lionstudio.state.transitions import list_transitions

FAILING_GATE = {"gates": [{"command": ["test", "-f", "wanted"]}], "max_attempts": 1}
CLEAN = 'env -i "PATH=$PATH" "HOME=$HOME" "LIONAGI_HOME=$LIONAGI_HOME" "LIONAGI_SHOWS=$LIONAGI_SHOWS"'
# Ways to run a command so that it seems to have nothing to do with the agent; each writes to $OUT.
ESCAPES = {
    "plain": "{li} >$OUT 2>&1",
    "without an environment": "{clean} {li} >$OUT 2>&1",
    "forked twice, in a session of its own": "(setsid sh -c 'sleep 0.3; {clean} {li} >$OUT 2>&1' </dev/null &)",
    "on a terminal": "{clean} script -qec '{li}' /dev/null </dev/null >$OUT 2>&1",
    "in a tmux server of its own": "tmux -L $$ -f /dev/null new-session -d '{clean} {li} >'$OUT' 2>&1'",
    "in another pid namespace": "{clean} unshare --pid --fork --mount-proc {li} >$OUT 2>&1",
}
TOOLS = {"on a terminal": "script", "in a tmux server of its own": "tmux", "in another pid namespace": "unshare"}


def attack(harness: ShowHarness, name: str, command: str) -> str:
    """Write a script that waits until a person must decide about `a`, and then runs a command; return its @run line."""
    out, meta = harness.root / f"{name}.out", harness.show_dir / "a" / "_meta.json"
    script = harness.root / f"{name}.sh"
    script.write_text(
        f"export LIONAGI_HOME={harness.home} LIONAGI_SHOWS={harness.shows} OUT={out}\n"
        f"for _ in $(seq 600); do grep -q escalated {meta} 2>/dev/null && break; sleep 0.1; done\n"
        f"{command}\n"
        "for _ in $(seq 200); do test -s $OUT && break; sleep 0.1; done\nsleep 0.3\n"
    )
    return f"@run sh {script}"


def approve(play: str = "a") -> str:
    return f"{LI} show approve {TOPIC} {play} --yes"


def decision_log(harness: ShowHarness) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (harness.show_dir / "_decisions.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("way", ESCAPES)
def test_agent_cannot_approve_another_play(harness: ShowHarness, way: str) -> None:
    if way in TOOLS and shutil.which(TOOLS[way]) is None:
        pytest.skip(f"{TOOLS[way]} is not installed")
    if "namespace" in way and subprocess.run(["unshare", "--pid", "--fork", "true"], capture_output=True).returncode:
        pytest.skip("pid namespaces are not allowed here")
    command = ESCAPES[way].format(li=approve(), clean=CLEAN)
    harness.write_plan({"a": {"prompt": "@write a.txt a", **FAILING_GATE}, "b": attack(harness, "attack", command)})

    harness.direct()

    out = (harness.root / "attack.out").read_text()
    assert "only a person decides" in out, out
    assert "li studio" in out  # the hint
    assert harness.statuses() == {"a": "escalated", "b": "merged"}
    assert not (harness.show_dir / "a" / "_decision.json").exists()
    refused = [entry for entry in decision_log(harness) if entry["what"] == "refused"]
    assert [(entry["play"], entry["action"]) for entry in refused] == [("a", f"li show approve {TOPIC} a")]
    assert '"refused_decision"' in (harness.home / "logs" / "studio.log").read_text()
    with reading(str(harness.home / "state.db")) as conn:
        [row] = list_refusals(conn, 10)
    assert (row["action"], row["count"]) == (f"li show approve {TOPIC} a", 1)
    if way != "in another pid namespace":  # which hides the ancestors that name the session
        assert (row["agent"], row["session_id"]) == (f"{TOPIC} / b", harness.meta("b")["session_id"])


EDIT = """
import sqlite3, sys
database, copy, statement = sys.argv[1:]
with sqlite3.connect(database, timeout=30) as conn:
    if copy:
        conn.execute("VACUUM INTO ?", (copy,))
with sqlite3.connect(copy or database, timeout=30) as conn:
    conn.execute(statement)
"""


def edit_database(harness: ShowHarness, statement: str, copy: str = "") -> str:
    """Return a command that edits the database, or a copy of it, as an agent without a sandbox can."""
    (harness.root / "edit.py").write_text(EDIT)
    return f'{sys.executable} {harness.root}/edit.py {harness.home}/state.db "{copy}" "{statement}"'


@pytest.mark.parametrize("in_copy", [True, False])
def test_agent_cannot_hide_its_session_in_a_pid_namespace(harness: ShowHarness, in_copy: bool) -> None:
    unshare = "unshare --user --map-root-user --pid --fork --mount-proc"
    if subprocess.run([*unshare.split(), "true"], capture_output=True, check=False).returncode:
        pytest.skip("user namespaces are not allowed here")
    copy = str(harness.root / "copy.db") if in_copy else ""
    edit = edit_database(harness, "UPDATE sessions SET owner = NULL", copy)
    option = f"--db {copy}" if copy else ""
    command = f"{edit}; {CLEAN} {unshare} {approve()} {option} >$OUT 2>&1"
    harness.write_plan({"a": {"prompt": "@write a.txt a", **FAILING_GATE}, "b": attack(harness, "attack", command)})

    harness.direct()

    assert "only a person decides" in (harness.root / "attack.out").read_text()
    assert not (harness.show_dir / "a" / "_decision.json").exists()


@pytest.mark.parametrize(
    "command",
    [
        f"show reject {TOPIC} a",
        f"show redo {TOPIC} a",
        f"show escalate {TOPIC} b",
        f"show approve {TOPIC} --tokens 5",
        f"show abort {TOPIC}",
        f"show resume {TOPIC} --detach",
        f"show run {TOPIC} --again --detach",
        "state doctor --transition-stale --yes",
    ],
)
def test_agent_cannot_make_any_decision(harness: ShowHarness, command: str) -> None:
    harness.write_plan(
        {"a": {"prompt": "@write a.txt a", **FAILING_GATE}, "b": attack(harness, "x", f"{LI} {command} >$OUT 2>&1")}
    )
    harness.direct()
    assert "only a person decides" in (harness.root / "x.out").read_text()
    assert harness.statuses() == {"a": "escalated", "b": "merged"}


def test_decision_records_who_made_it_and_from_where(harness: ShowHarness) -> None:
    harness.write_plan({"a": {"prompt": "@write a.txt a", **FAILING_GATE}})
    harness.direct()
    assert harness.li("show", "approve", TOPIC, "a", "--yes").code == 0
    decision = json.loads((harness.show_dir / "a" / "_decision.json").read_text())
    origin = decision["origin"]
    assert origin["via"] == "cli"
    assert f"({os.getpid()})" in " ".join(origin["processes"])
    harness.direct()
    with harness.database() as db:
        show = db.read(lambda conn: get_show(conn, TOPIC))
        play = db.read(lambda conn: list_plays(conn, show.id))[0]
        actors = [(item.source, item.actor) for item in db.read(lambda conn: list_transitions(conn, "play", play.id))]
    decided = [actor for source, actor in actors if source == "decision"]
    assert decided
    assert decided[0] is not None
    assert decided[0].startswith(f"{decision['by']}, on the command line")
    assert '"origin"' in harness.li("show", "log", TOPIC).out


# ── over HTTP ──

POST = """
import json, pathlib, sys, time, urllib.error, urllib.request
token, out, meta, requests = map(pathlib.Path, sys.argv[1:])
deadline = time.time() + 60
while time.time() < deadline and not (meta.exists() and "escalated" in meta.read_text()):
    time.sleep(0.1)
answers = []
for method, url, body in json.loads(requests.read_text()):
    request = urllib.request.Request(url, json.dumps(body).encode() if body is not None else None, method=method)
    request.add_header("Authorization", "Bearer " + token.read_text().strip())
    request.add_header("Content-Type", "application/json")
    request.add_header("If-None-Match", "*")
    try:
        with urllib.request.urlopen(request) as response:
            answers.append([response.status, response.read().decode()])
    except urllib.error.HTTPError as error:
        answers.append([error.code, error.read().decode()])
out.write_text(json.dumps(answers))
"""


def test_agent_cannot_use_studio_for_its_decisions(harness: ShowHarness) -> None:
    """With the token of Studio, which an agent without a sandbox can read, from its own process tree."""
    with server(harness.root) as studio:
        canary, url = harness.root / "canary", studio.url.rstrip("/")
        requests: list[Any] = [
            ["POST", f"{url}/api/shows/{TOPIC}/actions", {"action": "approve", "play": "a"}],
            ["POST", f"{url}/api/launches", {"verb": "agent", "target": "script", "prompt": f"@run touch {canary}"}],
            ["PUT", f"{url}/api/definitions/agent/evil", {"text": "---\nprovider: claude\n---\nhello"}],
            ["POST", f"{url}/api/admin/doctor/transition", {"dry_run": False}],
            ["POST", f"{url}/api/login", {"token": "x"}],
            ["GET", f"{url}/api/shows", None],
            ["POST", f"{url}/api/definitions/agent/evil/validate", {"text": "hello"}],
        ]
        out, meta = harness.root / "answers", harness.show_dir / "a" / "_meta.json"
        (harness.root / "post.py").write_text(POST)
        (harness.root / "requests").write_text(json.dumps(requests))
        words = [sys.executable, harness.root / "post.py", harness.home / "studio.token", out, meta]
        run = " ".join(map(str, ["@run", *words, harness.root / "requests"]))
        harness.write_plan({"a": {"prompt": "@write a.txt a", **FAILING_GATE}, "b": run})
        harness.direct()
        answers = json.loads(out.read_text())
        assert [status for status, _ in answers] == [403] * 5 + [200, 200]
        assert {json.loads(body)["code"] for status, body in answers if status == 403} == {"agent_caller"}
        assert harness.statuses() == {"a": "escalated", "b": "merged"}
        assert not canary.exists()
        assert not (harness.home / "agents" / "evil.md").exists()
        assert (harness.home / "logs" / "studio.log").read_text().count('"refused_decision"') == 5
        refused = [item for item in studio.ask("GET", "/api/attention")[1]["items"] if item["kind"] == "refused"]
        assert [(item["rank"], item["title"], item["count"]) for item in refused] == [(3, f"{TOPIC} / b", 1)] * 5
        assert f"POST /api/shows/{TOPIC}/actions" in " ".join(item["evidence"] for item in refused)
        # the same request from a process that is not an agent's
        status, body = studio.ask("POST", f"/api/shows/{TOPIC}/actions", {"action": "reject", "play": "a"})
        assert (status, body["launch"]["exit_code"]) == (201, 0), body
        assert studio.ask("POST", f"/api/shows/{TOPIC}/actions", {"action": "abort"})[0] == 201
        harness.wait_until_director_exits()
    decision = json.loads((harness.show_dir / "a" / "_decision.json").read_text())
    assert decision["origin"]["via"] == "http"
    assert decision["origin"]["pid"] == os.getpid()


# ── agents that the plan allows to decide ──


@pytest.fixture
def judged(harness: ShowHarness) -> ShowHarness:
    """A show with a play that waits for a decision, and the agents judge and other."""
    for name in ("judge", "other"):
        path = harness.home / "agents" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("---\nprovider: script\n---\nprompt\n")
    harness.write_plan({"a": {"prompt": "@write a.txt a", **FAILING_GATE}}, deciders=["judge"])
    harness.direct()
    return harness


def run_agent(harness: ShowHarness, agent: str, command: str, **more: str) -> str:
    out = harness.root / "agent.out"
    out.unlink(missing_ok=True)
    script = harness.root / "agent.sh"
    script.write_text(f"export LIONAGI_HOME={harness.home} LIONAGI_SHOWS={harness.shows}\n{command} >{out} 2>&1\n")
    harness.li("agent", agent, f"@run sh {script}", **more)
    return out.read_text()


def test_decider_of_the_plan_may_decide(judged: ShowHarness) -> None:
    assert "approved" in run_agent(
        judged,
        "judge",
        f"env -i PATH=$PATH HOME=$HOME LIONAGI_HOME={judged.home} LIONAGI_SHOWS={judged.shows} {approve()}",
    )
    decision = json.loads((judged.show_dir / "a" / "_decision.json").read_text())
    assert decision["by"] == "agent judge"
    assert decision["origin"]["session"]
    judged.direct()
    assert judged.statuses() == {"a": "merged"}


def test_decider_may_not_decide_about_the_whole_show(judged: ShowHarness) -> None:
    assert "only a person" in run_agent(judged, "judge", f"{LI} show approve {TOPIC} --tokens 5")


def test_other_agents_may_not_decide(judged: ShowHarness) -> None:
    assert "only a person" in run_agent(judged, "other", approve())
    # an agent that starts a decider is not one
    inner, out = judged.root / "inner.sh", judged.root / "inner.out"
    inner.write_text(f"export LIONAGI_SHOWS={judged.shows}\n{approve()} >{out} 2>&1\n")
    assert "only a person" in run_agent(judged, "other", f"{LI} agent judge '@run sh {inner}'; cat {out}")
    # and the id of a decider's running session proves nothing
    session = new_id()
    decider = subprocess.Popen(
        [LI, "agent", "judge", "@sleep 60", "--session-id", session], env=environment(**judged.env)
    )
    try:
        assert "only a person" in run_agent(judged, "other", f"LIONAGI_SESSION_ID={session} {approve()}")
    finally:
        decider.terminate()
        decider.wait(30)
    assert not (judged.show_dir / "a" / "_decision.json").exists()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE sessions SET agent_name = 'judge' WHERE status = 'running'",
        "UPDATE shows SET node_metadata = json_set(node_metadata, '$.deciders', json_array('other'))",
    ],
)
def test_copied_database_does_not_make_an_agent_a_decider(judged: ShowHarness, statement: str) -> None:
    copy = str(judged.root / "forged.db")
    forge = edit_database(judged, statement, copy)
    answer = run_agent(judged, "other", f"{forge} && {approve()} --db {copy}")
    assert "only a person" in answer, answer
    assert not (judged.show_dir / "a" / "_decision.json").exists()


def test_decider_may_not_decide_about_its_own_play(harness: ShowHarness) -> None:
    path = harness.home / "agents" / "judge.md"
    path.parent.mkdir(parents=True)
    path.write_text("---\nprovider: script\n---\nprompt\n")
    command = f"{LI} show escalate {TOPIC} a >$OUT 2>&1"
    script = attack(harness, "own", command)
    (harness.root / "own.sh").write_text((harness.root / "own.sh").read_text().replace("seq 600", "seq 1"))
    harness.write_plan({"a": {"prompt": script, "agent": "judge"}}, deciders=["judge"])
    assert harness.direct() == "completed"
    assert "only a person" in (harness.root / "own.out").read_text()


def test_deciders_of_a_running_show_do_not_change(judged: ShowHarness) -> None:
    plan = judged.show_dir / "_show.md"
    plan.write_text(plan.read_text().replace('"judge"', '"other"'))
    judged.direct()
    assert "only a person" in run_agent(judged, "other", approve())


# ── ways that are not promised to be closed without a sandbox (docs/how-to/trust.md lists them) ──


def test_file_that_an_agent_writes_is_a_decision_without_a_sandbox(harness: ShowHarness) -> None:
    """An agent that runs as the user can write every file of the user; the record then names no origin."""
    record = json.dumps({"id": "forged", "decision": "approve", "attempt": 1})
    command = f"echo '{record}' > {harness.show_dir}/a/_decision.json; echo done >$OUT"
    harness.write_plan({"a": {"prompt": "@write a.txt a", **FAILING_GATE}, "b": attack(harness, "forge", command)})
    harness.direct()
    assert harness.statuses()["a"] == "merged"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Path]:
    """A service of the user that runs commands for any of their processes, as at, cron, systemd or tmux do."""
    folder, stop = tmp_path / "service", threading.Event()
    folder.mkdir()

    def serve() -> None:
        while not stop.is_set():
            for job in folder.glob("*.job"):
                job.rename(job.with_suffix(".taken"))
                subprocess.run(["sh", job.with_suffix(".taken")], env=environment(), check=False)
            time.sleep(0.05)

    thread = threading.Thread(target=serve)
    thread.start()
    yield folder
    stop.set()
    thread.join()


def test_service_of_the_user_decides_for_an_agent_without_a_sandbox(harness: ShowHarness, service: Path) -> None:
    """Such a process has no agent among its ancestors; the record names the service."""
    variables = f"LIONAGI_HOME={harness.home} LIONAGI_SHOWS={harness.shows}"
    (harness.root / "job.sh").write_text(f"{variables} {approve()} >{harness.root}/by-service.out 2>&1\n")
    command = f"mv {harness.root}/job.sh {service}/x.job"
    script = attack(harness, "by-service", command)
    harness.write_plan({"a": {"prompt": "@write a.txt a", **FAILING_GATE}, "b": script})
    harness.direct()
    assert harness.statuses()["a"] == "merged"
    origin = json.loads((harness.show_dir / "a" / "_decision.json").read_text())["origin"]
    assert f"({os.getpid()})" in " ".join(origin["processes"])
