"""`li show status`, the live view and `li show log` say why a show does not go on."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from tests.support.commands import run_on_terminal
from tests.support.show_harness import TOPIC, ShowHarness

from lionstudio.cli._show.render import PlainView, ShowLiveView
from lionstudio.cli._show.snapshot import take_snapshot
from lionstudio.state.database import reading


@pytest.fixture
def harness(tmp_path: Path) -> ShowHarness:
    return ShowHarness(tmp_path)


def needs(harness: ShowHarness) -> list[tuple[str, str]]:
    show: dict[str, Any] = json.loads(harness.li("show", "status", TOPIC, "--json").out)["show"]
    return [(need["what"], need["command"]) for need in show["needs"]]


def status(harness: ShowHarness) -> str:
    return run_on_terminal("show", "status", TOPIC, env={**harness.env, "NO_COLOR": "1"}).out


def test_status_names_the_exhausted_budget(harness: ShowHarness) -> None:
    plays: dict[str, Any] = {"a": "@usage 90 20\n@say spent", "b": {"prompt": "@say b", "depends_on": ["a"]}}
    harness.write_plan(plays, budget={"tokens": 100})
    harness.direct()
    command = f"li show approve {TOPIC} --tokens N"
    assert ("token budget exhausted; no play starts", command) in needs(harness)
    assert command in status(harness)
    assert command in harness.li("show", "status", TOPIC).err


def test_status_names_plays_that_await_approval(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@write a.txt a"}, gates=["person"])
    harness.direct()
    assert needs(harness)[0] == ("a awaits your approval", f"li show approve {TOPIC} a")
    home = harness.li("show", "status", TOPIC, "--home", str(harness.home), "--json")
    show = json.loads(home.out)["show"]
    assert show["needs"][0]["command"] == f"li show approve {TOPIC} a --home {harness.home}"


def test_rejection_of_the_final_gates_is_the_reason_of_the_end(harness: ShowHarness) -> None:
    gate = {"command": ["sh", "-c", "echo 'the parts do not fit'; exit 1"]}
    harness.write_plan({"a": "@write a.txt a"}, gates=[], final_gates=[gate])

    done = harness.li("show", "run", TOPIC)

    log = f"li show log {TOPIC} --gate"
    [said] = [line for line in done.err.splitlines() if line.startswith("The final gates failed: ")]
    assert said.endswith(f"exit code 1: the parts do not fit. Their output: {log}")
    assert "Merge it" not in done.err
    assert log in status(harness)
    assert log in harness.li("show", "status", TOPIC).err
    assert "the parts do not fit" in harness.li("show", "log", TOPIC, "--gate").out
    show = json.loads(harness.li("show", "status", TOPIC, "--json").out)["show"]
    assert [reason["code"] for reason in show["state"]["reasons"]] == ["show.aborted.final_gates"]
    with reading(str(harness.home / "state.db")) as conn:
        last = conn.value("SELECT reason_code FROM status_transitions WHERE entity = 'show' ORDER BY id DESC LIMIT 1")
    assert last == "show.aborted.final_gates"


def test_live_view_names_states_as_status_does(harness: ShowHarness, capsys: pytest.CaptureFixture[str]) -> None:
    harness.write_plan({"a": "@write a.txt a"}, gates=["person"])
    harness.direct()
    with reading(str(harness.home / "state.db")) as conn:
        ShowLiveView(plain=True).show(take_snapshot(conn, TOPIC, time.time()))

    assert "awaiting your approval" in capsys.readouterr().out
    assert "awaiting your approval" in status(harness)


def test_status_shows_the_cause_of_a_failed_gate(harness: ShowHarness) -> None:
    gate = {"command": ["sh", "-c", "echo 'add(1, 2): expected 3'; exit 1"]}
    harness.write_plan({"a": {"prompt": "@say a", "max_attempts": 1}}, gates=[gate])
    harness.direct()
    what, command = needs(harness)[0]
    assert what.startswith("a is escalated: `sh -c ")
    assert what.endswith("exit code 1: add(1, 2): expected 3")
    assert command == f"li show redo {TOPIC} a"


def test_refused_plan_edits_are_shown_until_they_are_corrected(
    harness: ShowHarness, capsys: pytest.CaptureFixture[str]
) -> None:
    harness.write_plan({"a": "@write a.txt a"}, gates=["person"])
    assert harness.li("show", "run", TOPIC, "--no-wait").code == 1
    plan = harness.show_dir / "_show.md"
    good = plan.read_text()
    plan.write_text(good.replace('"agent"', '"concurency": 2, "agent"'))

    def refused() -> list[str]:
        return [what for what, _ in needs(harness) if what.startswith("the edited plan is ignored")]

    harness.wait_until(refused)
    assert "unknown key 'concurency' (did you mean concurrency?)" in refused()[0]

    for view in (ShowLiveView(plain=True), PlainView()):
        with reading(str(harness.home / "state.db")) as conn, view:
            view.show(take_snapshot(conn, TOPIC, time.time()))
        assert "the edited plan is ignored" in capsys.readouterr().out
    plan.write_text(good)
    harness.wait_until(lambda: not refused())
    harness.li("show", "abort", TOPIC)
    harness.wait_until_director_exits()


def test_run_reports_a_misspelled_key_once(harness: ShowHarness) -> None:
    harness.write_plan({"a": "@say a"})
    plan = harness.show_dir / "_show.md"
    plan.write_text(plan.read_text().replace('"prompt"', '"promt"'))
    done = harness.li("show", "run", TOPIC)
    assert (done.code, done.out) == (2, "")
    assert "unknown key 'promt'" in done.err
    assert "did you mean prompt?" in done.err
    assert len(done.err.splitlines()) == 2


def test_log_prints_agent_gates_and_attempts(harness: ShowHarness) -> None:
    gate = {"command": ["sh", "-c", "test -e b.txt || { printf 'b.txt is missing\\n\\033[31mred'; exit 1; }"]}
    script = "@run sh -c 'test -e a.txt && touch b.txt; touch a.txt'"
    harness.write_plan({"a": script}, gates=[gate])
    harness.direct()
    first = harness.li("show", "log", TOPIC, "a", "--attempt", "1", "--gate")
    assert first.code == 0
    assert first.out.startswith("==> attempts/1/gate-1.log <==\nb.txt is missing\n")
    assert "\x1b" not in first.out
    whole = harness.li("show", "log", TOPIC, "a", "--attempt", "1")
    session = json.loads((harness.show_dir / "a/attempts/1/attempt.json").read_text())["session_id"]
    assert f"li logs {session}" in whole.err
    assert harness.li("logs", session).code == 0
    record = json.loads(harness.li("show", "log", TOPIC, "a", "--attempt", "1", "--gate", "--json").out.splitlines()[0])
    assert (record["file"], record["text"][:17]) == ("attempts/1/gate-1.log", "b.txt is missing\n")
    for words, message in (((TOPIC, "x"), "play 'x' not found"), ((TOPIC, "a", "--attempt", "9"), "no attempt 9")):
        done = harness.li("show", "log", *words)
        assert (done.code, message in done.err) == (3, True)


def test_log_follows_until_the_play_ends(harness: ShowHarness) -> None:
    go = harness.root / "go"
    gate = {"command": ["sh", "-c", f"echo began; while [ ! -e {go} ]; do sleep 0.05; done; echo ended"]}
    harness.write_plan({"a": "@write a.txt a"}, gates=[gate])
    harness.li("show", "run", TOPIC, "--detach")
    harness.wait_until(lambda: harness.meta("a").get("status") == "running_complete")

    def act(process: subprocess.Popen[bytes]) -> None:
        go.touch()

    shown = run_on_terminal("show", "log", TOPIC, "a", "--gate", "-f", env={**harness.env, "NO_COLOR": "1"}, act=act)
    assert shown.code == 0
    assert [line for line in shown.out.split() if line in ("began", "ended")] == ["began", "ended"]
    harness.wait_until_director_exits()
    director = harness.li("show", "log", TOPIC)
    assert "==> _director.log <==" in director.out
