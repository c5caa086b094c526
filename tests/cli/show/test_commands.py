"""`li show`: plan, list, status, decisions and graph, with real git and without a director."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.builders import git
from tests.support.commands import li, run_li, run_on_terminal

from lionstudio.cli._show.ascii_graph import draw, mermaid
from lionstudio.cli._show.draft import plan_in
from lionstudio.files.shows.followed_plan import digest_of, save_accepted_plan
from lionstudio.model.sessions import Session
from lionstudio.model.shows.decisions import DecisionKind
from lionstudio.model.shows.show import Play
from lionstudio.model.shows.show_files import ACCEPTED_PLAN
from lionstudio.model.status.statuses import PlayStatus, ShowStatus
from lionstudio.model.usage import Usage
from lionstudio.shows.director.state import Transition
from lionstudio.shows.records.decisions import find_decision
from lionstudio.shows.records.play_records import save_final_verdict, save_play, save_transition, update_show
from lionstudio.shows.records.recovery import recover
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.counters import add_usage
from lionstudio.state.sessions import create_session
from lionstudio.state.usage.ledger import settle_ledger

PLAN = """\
---
goal: Two files
agent: script
plays:
  - {name: one, prompt: "@write one.txt 1"}
  - {name: two, prompt: "@write two.txt 2", depends_on: one}
  - {name: three, prompt: "@write three.txt 3", depends_on: [one, two]}
---
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("LIONAGI_DB", "LIONAGI_SESSION_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LIONAGI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LIONAGI_SHOWS", str(tmp_path / "shows"))
    repo = tmp_path / "repo"
    repo.mkdir()
    git(repo, "init", "-q")
    (repo / "a").write_text("a\n")
    git(repo, "add", "a")
    git(repo, "commit", "-qm", "first")
    monkeypatch.chdir(repo)
    (tmp_path / "plan.md").write_text(PLAN)
    return tmp_path


@pytest.fixture
def planned(home: Path) -> Path:
    assert run_li("show", "plan", "speed", "--from", str(home / "plan.md"), "--quiet").code == 0
    return home / "shows" / "speed"


def database(home: Path) -> Database:
    return Database(str(home / "home" / "state.db"))


def advance(show_dir: Path, play: str, *statuses: PlayStatus) -> None:
    with database(show_dir.parents[1]) as db:
        for status in statuses:
            save_play(str(show_dir), db, play, status)


GATED = (PlayStatus.PREPARED, PlayStatus.RUNNING, PlayStatus.RUNNING_COMPLETE, PlayStatus.GATED)


def environ(home: Path) -> dict[str, str]:
    return {"LIONAGI_HOME": str(home / "home"), "LIONAGI_SHOWS": str(home / "shows")}


# ── plan ──


def test_plan_writes_a_template_for_the_current_repository(home: Path) -> None:
    done = run_li("show", "plan", "speed", "--goal", "faster: much")

    path = home / "shows" / "speed" / "_show.md"
    assert (done.code, done.out) == (0, f"{path}\n")
    assert "2 plays: first, second" in done.err
    text = path.read_text()
    assert (f"repo: {home}/repo\n" in text, "base_branch: main\n" in text, 'goal: "faster: much"\n' in text) == (
        True,
        True,
        True,
    )
    with database(home) as db:
        assert recover(str(path.parent), db).show.goal == "faster: much"
    again = run_li("show", "plan", "speed", "--json").json
    assert (again["plays"], again["problems"], again["written"]) == (["first", "second"], [], False)


def test_run_rejects_placeholder_prompts(home: Path) -> None:
    path = home / "shows" / "speed" / "_show.md"
    told = run_li("show", "plan", "speed").err.splitlines()
    assert told[-2:] == [
        f"Replace the placeholder prompts of first, second in {path}",
        "Then run it: li show run speed",
    ]

    refused = run_li("show", "run", "speed")
    assert refused.code == 2
    assert "still have placeholder prompts: first, second" in refused.err
    assert f"edit {path}" in refused.err
    path.write_text(path.read_text().replace("Describe the task for the agent.", "Split the lexer."))
    assert "placeholder prompts: second" in run_li("show", "run", "speed").err
    path.write_text(path.read_text().replace("Describe the task that starts after `first` is merged.", "Use it."))
    assert run_li("show", "plan", "speed").err.endswith("\nRun it: li show run speed\n")


def test_plan_from_a_file_adds_the_repository(home: Path) -> None:
    done = run_li("show", "plan", "speed", "--from", str(home / "plan.md"), "--json")

    assert (done.code, done.json["plays"], done.json["written"]) == (0, ["one", "two", "three"], True)
    refused = run_li("show", "plan", "speed", "--from", str(home / "plan.md"))
    assert refused.code == 1
    assert "already has a plan" in refused.err
    assert run_li("show", "plan", "speed", "--from", str(home / "plan.md"), "--force").code == 0
    piped = li("show", "plan", "other", "--from", "-", env=environ(home), input=PLAN.encode(), cwd=home / "repo")
    assert piped.code == 0


def test_plan_prints_errors_with_lines_and_writes_nothing(home: Path) -> None:
    (home / "bad.md").write_text(PLAN.replace("depends_on: one", "depends_on: oe").replace("script", "nobody"))

    done = run_li("show", "plan", "speed", "--from", str(home / "bad.md"))

    path = home / "shows" / "speed" / "_show.md"
    assert (done.code, done.out) == (2, "")
    assert f"{path}:7: error: two depends on 'oe', which is not a play of this show (did you mean one?)" in done.err
    assert f"{path}:6: error: one: agent 'nobody' does not exist" in done.err
    assert "nothing written." in done.err
    assert not path.exists()
    assert run_li("show", "ls", "--json").json["shows"] == []


def test_plan_reports_an_unusable_repository(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = home / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    assert run_li("show", "plan", "speed").code != 0
    git(empty, "init", "-q")
    unborn = run_li("show", "plan", "speed", "--from", str(home / "plan.md"))
    assert unborn.code == 2
    assert "error: " in unborn.err
    assert not (home / "shows" / "speed" / "_show.md").exists()


def test_plan_warns_about_a_dirty_tree(home: Path) -> None:
    (home / "repo" / "a").write_text("changed\n")

    done = run_li("show", "plan", "speed", "--from", str(home / "plan.md"))

    assert done.code == 0
    assert "warning:" in done.err


@pytest.mark.parametrize("topic", ["Speed", "../x", "a b", "integration", "-x", "x" * 64])
def test_plan_rejects_unsafe_topics(topic: str, home: Path) -> None:
    for verb in ("plan", "status", "graph", "abort"):
        assert run_li("show", verb, *(["--"] if topic[0] == "-" else []), topic).code == 2
    assert not (home / "shows").exists()


def planner(home: Path, answer: str) -> None:
    """An agent that always gives the same answer."""
    agents = home / "home" / "agents"
    agents.mkdir(parents=True)
    (home / "answer.md").write_text(answer)
    head = f"provider: command\ncommand: [cat, {home}/answer.md]\n"
    (agents / "planner.md").write_text(f"---\n{head}---\nYou plan.\n")


def test_plan_agent_drafts_the_plan(home: Path) -> None:
    planner(home, "Here it is:\n\n```markdown\n---\nplays:\n- {name: one, prompt: go}\n---\nWhy.\n```\n")

    done = run_li("show", "plan", "speed", "--agent", "planner", "--goal", "be fast")

    assert (done.code, done.out) == (0, f"{home}/shows/speed/_show.md\n"), done.err
    text = (home / "shows" / "speed" / "_show.md").read_text()
    assert ("agent: planner\n" in text, "goal: be fast\n" in text, "Why." in text) == (True, True, True)
    named = [each["name"] for each in run_li("state", "ls", "--json").json["sessions"]]
    assert named == ["plan_speed"]
    assert run_li("show", "plan", "other", "--agent", "planner").code == 2


@pytest.mark.parametrize("answer", ["I would rather not.", "```yaml\nplays: [{name: -D, prompt: x}]\n```"])
def test_plan_agent_is_retried_once(answer: str, home: Path) -> None:
    planner(home, answer)

    done = run_li("show", "plan", "speed", "--agent", "planner", "--goal", "be fast")

    assert done.code == 2
    assert "the draft" in done.err
    assert len(run_li("state", "ls", "--json").json["sessions"]) == 2
    assert not (home / "shows" / "speed" / "_show.md").exists()


def test_plan_in_finds_the_plan_in_an_answer() -> None:
    assert plan_in("x\n```yaml\nplays: []\n```\ny") == "---\nplays: []\n---\n"
    assert plan_in("---\nplays: []\n---\n") == "---\nplays: []\n---\n"
    assert plan_in("```\nplays: [1]\n```\n```md\n---\nplays: [2]\n---\n```") == "---\nplays: [2]\n---\n"
    assert plan_in("I would rather not. plays: none") is None


# ── looking ──


def test_status_and_ls_print_every_play(planned: Path) -> None:
    home = planned.parents[1]
    advance(planned, "one", *GATED, PlayStatus.MERGED)
    with database(home) as db:
        save_play(str(planned), db, "two", PlayStatus.PREPARED)
        save_transition(
            str(planned), db, "two", Transition(status=PlayStatus.ESCALATED, attempt=1, reason="no \x1b[31mway")
        )

    status = run_li("show", "status", "speed", "--json").json
    assert [(play["name"], play["status"]) for play in status["show"]["plays"]] == [
        ("one", "merged"),
        ("two", "escalated"),
        ("three", "pending"),
    ]
    assert (status["director"], status["show"]["directed"]) == (None, False)
    assert status["show"]["blocked"] == {"three": ["two"]}
    output = run_on_terminal("show", "status", "speed", env=environ(home), columns=140).out
    assert "1/3 merged" in output
    assert "no \\x1b[31mway" in output
    assert "li show redo speed two" in output
    assert "no director running" in output
    plain = run_li("show", "status", "speed").out.splitlines()
    assert [line.split("\t")[:3] for line in plain] == [
        ["one", "merged", "1"],
        ["two", "escalated", "1"],
        ["three", "pending", "1"],
    ]
    listed = run_li("show", "ls").out.split("\t")
    assert listed[:3] == ["speed", "active", "1/3"]
    assert "speed" in run_on_terminal("show", "ls", "--active", env=environ(home)).out


def _ran(conn: Connection, used: Usage) -> None:
    session = create_session(conn, Session(show_topic="speed", started_at=10.0, ended_at=70.0))
    add_usage(conn, session.id, used)
    settle_ledger(conn, session.id)


def test_status_mentions_unpriced_runs(planned: Path) -> None:
    home = planned.parents[1]
    assert "tokens" not in run_on_terminal("show", "status", "speed", env=environ(home), columns=140).out
    with database(home) as db:
        db.write(lambda conn: _ran(conn, Usage(input_tokens=1000, output_tokens=500, cost_microusd=2_000_000)))
        db.write(lambda conn: _ran(conn, Usage(input_tokens=500)))

    output = run_on_terminal("show", "status", "speed", env=environ(home), columns=140).out
    assert "2.0k total tokens · $2.00 · 2m00s agent time · 1 of 2 runs have no known price" in output
    usage = run_li("show", "status", "speed", "--json").json["usage"]
    assert usage == {
        "input": 1500,
        "output": 500,
        "cache_read": 0,
        "cache_write": 0,
        "total": 2000,
        "tokens": 2000,
        "cost_microusd": 2_000_000,
        "unpriced_tokens": 500,
        "seconds": 120.0,
        "sessions": 2,
        "unpriced": 1,
    }


def test_status_watch_ends_with_the_show(planned: Path) -> None:
    with database(planned.parents[1]) as db:
        save_final_verdict(str(planned), db, {"show_passed": True}, ShowStatus.COMPLETED)

    assert run_li("show", "status", "speed", "--watch").code == 0
    assert run_li("show", "ls", "--active").out == ""


def test_status_reads_a_show_that_is_only_on_disk(home: Path) -> None:
    folder = home / "shows" / "old" / "first"
    folder.mkdir(parents=True)
    (folder.parent / "_show.md").write_text("## Goal\n\nOld times\n")
    (folder / "_meta.json").write_text(json.dumps({"status": "merged", "attempt": 2}))
    (home / "shows" / "broken").mkdir()
    (home / "shows" / "broken" / "_show.md").write_bytes(b"\xff\xfe")

    shows = {each["topic"]: each for each in run_li("show", "ls", "--json").json["shows"]}
    assert (shows["old"]["goal"], shows["old"]["plays"][0]["status"]) == ("Old times", "merged")
    assert "is not UTF-8" in shows["broken"]["error"]
    assert run_li("show", "status", "old").out.startswith("first\tmerged\t2")


def test_graph_formats(planned: Path) -> None:
    assert run_li("show", "graph", "speed").out == (
        "●    one  pending\n├─╮\n│ ●  two  pending\n├─╯\n●    three  pending\n"
    )
    drawn = run_li("show", "graph", "speed", "--mermaid").out.splitlines()
    assert drawn[0] == "flowchart LR"
    assert "  p0 --> p1" in drawn
    found = run_li("show", "graph", "speed", "--json").json
    assert found["edges"] == [
        {"from": "one", "to": "two"},
        {"from": "one", "to": "three"},
        {"from": "two", "to": "three"},
    ]


def test_draw_lanes_of_all_shapes() -> None:
    graph = {
        "a": [],
        "b": ["a"],
        "c": ["a"],
        "d": ["b", "c"],
        "e": ["a"],
        "f": ["d", "e"],
        "z": [],
        "x": ["y"],
        "y": ["x"],
    }

    assert [f"{lanes}{name}".rstrip() for lanes, name in draw(graph)] == [
        "●      a",
        "├─╮",
        "│ ●    b",
        "├─│─╮",
        "│ │ ●  c",
        "│ ├─╯",
        "│ ●    d",
        "│ │",
        "● │    e",
        "├─╯",
        "●      f",
        "●      z",
        "●      x",
        "│",
        "●      y",
    ]
    hostile = Play(show_id="s", name='a"] --> evil["<script>', status=PlayStatus.MERGED)
    assert '"] -->' not in "\n".join(mermaid([hostile]))
    assert "<script" not in "\n".join(mermaid([hostile]))


def test_critical_path_formats(planned: Path) -> None:
    with database(planned.parents[1]) as db:
        save_play(str(planned), db, "one", PlayStatus.PREPARED, started_at=100.0, ended_at=160.0)

    found = run_li("show", "critical-path", "speed", "--json").json
    assert [each["name"] for each in found["critical_path"]] == ["one", "two", "three"]
    assert found["seconds"] == 60.0
    assert run_li("show", "critical-path", "speed").out.splitlines()[0] == "one\tprepared\t60"
    assert "1m00s so far" in run_on_terminal("show", "critical-path", "speed", env=environ(planned.parents[1])).out


# ── deciding ──


def test_decisions_are_written_for_the_next_director(planned: Path) -> None:
    advance(planned, "one", *GATED)

    done = run_li("show", "approve", "speed", "one", "--feedback", "good")

    assert (done.code, done.out) == (0, "speed/one approved\n")
    assert "Continue the show: li show resume speed" in done.err
    found = find_decision(str(planned), "one")
    assert found is not None
    assert (found.kind, found.attempt, found.feedback) == (DecisionKind.APPROVE, 1, "good")
    told = run_li("show", "reject", "speed", "one", "--json").json
    assert (told["directed"], told["decision"]["word"]) == (False, "reject")
    logged = [json.loads(line) for line in (planned / "_decisions.jsonl").read_text().splitlines()]
    assert [(each["what"], each["play"], each["word"]) for each in logged] == [
        ("decision", "one", "approve"),
        ("decision", "one", "reject"),
    ]
    assert json.loads((planned / "one" / "_decision.json").read_text())["decision"] == "reject"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("approve", "speed", "one"), 1, "one is pending; you cannot approve it"),
        (("redo", "speed", "one"), 1, "one is pending; you cannot redo it"),
        (("redo", "speed", "nobody"), 3, "plays of speed: one, two, three"),
        (("redo", "speed"), 2, "PLAY"),
        (("approve", "nothing", "one"), 3, "show nothing not found"),
        (("approve", "speed", "one", "--tokens", "5"), 2, "a budget applies to the whole show"),
        (("approve", "speed", "--cost", "x"), 2, "is not an amount"),
        (("approve", "speed", "--time", "soon"), 2, "is not a duration"),
    ],
)
def test_decisions_reject_invalid_input(arguments: tuple[str, ...], code: int, words: str, planned: Path) -> None:
    done = run_li("show", *arguments)

    assert (done.code, done.out) == (code, "")
    assert words in done.err
    assert not list(planned.rglob("_decision.json"))


def test_approve_rejects_a_play_that_has_not_run(planned: Path) -> None:
    advance(planned, "two", PlayStatus.ESCALATED)

    done = run_li("show", "approve", "speed", "two")

    assert done.code == 1
    assert "two has not run: blocked by one" in done.err


def test_approve_raises_the_budget_or_accepts_the_show(planned: Path) -> None:
    assert run_li("show", "approve", "speed", "--tokens", "500", "--cost", "1.5", "--time", "2h").code == 0
    found = find_decision(str(planned), None)
    assert found is not None
    assert found.budget == {"tokens": 500, "cost_microusd": 1_500_000, "seconds": 7200}
    assert run_li("show", "approve", "speed").out == "speed approved\n"
    accepted = find_decision(str(planned), None)
    assert accepted is not None
    assert (accepted.kind, accepted.attempt, accepted.budget) == (DecisionKind.APPROVE, None, None)


@pytest.mark.parametrize("verb", ["approve", "reject", "redo", "escalate"])
def test_decision_is_refused_when_the_play_is_not_the_one_that_was_shown(verb: str, planned: Path) -> None:
    advance(planned, "one", *GATED)
    with database(planned.parents[1]) as db:
        save_play(str(planned), db, "one", PlayStatus.GATED, attempt=1, collected=1, head="a" * 40)

    for option in (("--attempt", "2"), ("--head", "b" * 40)):
        done = run_li("show", verb, "speed", "one", *option)
        assert (done.code, done.out) == (1, "")
        assert "changed since you saw it; nothing was decided" in done.err
        assert "li show status speed" in done.err
    assert not list(planned.rglob("_decision.json"))
    assert run_li("show", verb, "speed", "one", "--attempt", "1", "--head", "a" * 40).code == 0


def test_approve_is_refused_when_the_plan_or_the_commits_are_not_those_that_were_shown(planned: Path) -> None:
    accepted, weaker = (planned / "_show.md").read_text(), "---\nplays: [{name: one, prompt: x}]\n---\n"
    save_accepted_plan(str(planned), accepted.replace("agent: script", "agent: script\ngates: [{command: [make]}]"))
    facts = {"accepted_plan": digest_of((planned / ACCEPTED_PLAN).read_text()), "foreign_commits": ["f" * 40]}
    with database(planned.parents[1]) as db:
        update_show(str(planned), db, **facts)
    shown = ("--plan", digest_of(accepted), "--commits", "f" * 40)
    hint = run_li("show", "approve", "speed").err
    assert f"li show approve speed {' '.join(shown)} --yes" in hint

    for verb, other in (
        ("approve", (*shown[:2], "--yes")),
        ("approve", (*shown[2:], "--yes")),
        ("approve", ("--plan", "", "--commits", "", "--yes")),
        ("reject", (*shown[:3], "e" * 40)),
        ("reject", ("--plan", digest_of(weaker), *shown[2:])),
    ):
        done = run_li("show", verb, "speed", *other)
        assert (done.code, "changed since you saw it" in done.err) == (1, True), (verb, other)
    assert not list(planned.rglob("_decision.json"))
    assert run_li("show", "approve", "speed", *shown, "--yes").code == 0
    (planned / "_decision.json").unlink()
    (planned / "_show.md").write_text(weaker)
    assert run_li("show", "approve", "speed", *shown, "--yes").code == 1


def test_read_decision_ignores_invalid_files(planned: Path) -> None:
    (planned / "one" / "_decision.json").write_text('{"decision": "redo", "attempt": 1, "feedback": 5}')
    by_hand = find_decision(str(planned), "one")
    assert by_hand is not None
    assert (by_hand.kind, by_hand.attempt, by_hand.feedback) == (DecisionKind.REDO, 1, None)
    for text in ("", "{", "[]", '{"decision": "explode"}', '{"word": null}'):
        (planned / "one" / "_decision.json").write_text(text)
        assert find_decision(str(planned), "one") is None


def test_abort_rejects_an_ended_show(planned: Path) -> None:
    with database(planned.parents[1]) as db:
        save_final_verdict(str(planned), db, {"show_passed": True}, ShowStatus.COMPLETED)

    done = run_li("show", "abort", "speed")

    assert done.code == 1
    assert not (planned / "_ABORT").exists()
