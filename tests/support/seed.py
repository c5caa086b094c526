"""A home as somebody has it who has worked for weeks: runs of every outcome, shows, teams, definitions. Times are
counted back from now, because the page speaks of "3 min ago"."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from lionstudio.model.branches import Branch
from lionstudio.model.messages import Message, create_message
from lionstudio.model.questions import ALLOW, DENY, Question, QuestionKind
from lionstudio.model.sessions import Session
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.statuses import PlayStatus, ShowStatus
from lionstudio.settings import Settings
from lionstudio.state.branches import create_branch, fork_branch
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.exchange.questions import add_question
from lionstudio.state.messages.append import append
from lionstudio.state.sessions import create_session, finish_session
from lionstudio.state.shows import put_play, put_show
from lionstudio.system.process_identity import identify

_LI = "import sys; from lionstudio.cli.main import main; sys.exit(main())"
_AGENTS = ("reviewer", "implementer", "researcher", "tester", "writer")
_PROJECTS = ("api-gateway", "web-shop", "infra")
_MODELS = ("claude-sonnet-4-5", "gpt-5-codex", "claude-opus-4-1")
_EXITS = {"completed": 0, "failed": 1, "timed_out": 124, "aborted": 130, "cancelled": 143}

# What an agent might say to whoever looks at it in a browser.
HOSTILE = "\n".join(
    (
        "<script>alert('script')</script><img src=x onerror=\"alert('img')\">",
        "<svg onload=alert('svg')><foreignObject><iframe src='javascript:alert(1)'></iframe></foreignObject></svg>",
        "[a link](javascript:alert('link')) [data](data:text/html,<script>alert('data')</script>)",
        "![a picture](http://192.0.2.1/track.png) <style>@import 'http://192.0.2.1/x.css';</style>",
        "\x1b[31mred\x1b[0m \x1b]0;title\x07 \u202egnp.exe \u2066hidden\u2069 __proto__ constructor {{7*7}} ${7*7}",
    )
)


class Seeded(NamedTuple):
    """The names of what tests look for."""

    long: str
    waiting: str
    stale: str
    hostile: str
    topic: str


def rich_home(settings: Settings) -> Seeded:
    """Fill a home."""
    with Database(settings.db) as db:
        seeded = db.write(lambda conn: _fill(conn, Path(settings.shows)))
    _show_folder(Path(settings.shows) / seeded.topic)
    _definitions(Path(settings.home))
    _teams(settings)
    return seeded


def _question(at: float) -> Question:
    command = "psql web_shop -c 'DROP TABLE payments_old'"
    return Question(
        id="question-waiting",
        kind=QuestionKind.PERMISSION,
        title=f"Bash: {command}",
        created_at=at,
        session_id="run-waiting",
        branch_id="run-waiting.main",
        reason="Bash",
        evidence={"tool": "Bash", "arguments": {"command": command}, "cwd": "/home/u/web-shop"},
        options=(ALLOW, DENY),
        takes_text=True,
        takes_arguments=True,
    )


def _fill(conn: Connection, shows: Path) -> Seeded:
    now = time.time()
    _day(conn, now)
    long = _long_run(conn, now)
    begin(conn, "run-waiting", now - 900, agent_name="implementer", project="web-shop", model=_MODELS[0])
    append(conn, "run-waiting.main", say({"instruction": "Remove the old payment tables"}, now - 890))
    add_question(conn, _question(now - 60))
    begin(conn, "run-stale", now - 9 * 3600, agent_name="researcher", project="infra", model=_MODELS[1])
    append(conn, "run-stale.main", say({"instruction": "Compare the queues"}, now - 8.5 * 3600))
    past = now - 30 * 3600
    begin(conn, "run-hostile", past, name=HOSTILE[:180], agent_name="<b>bold</b>", project="<i>x</i>")
    append(conn, "run-hostile.main", say({"instruction": HOSTILE}, past + 10))
    append(conn, "run-hostile.main", say({"assistant_response": HOSTILE}, past + 20))
    append(conn, "run-hostile.main", say({"output": HOSTILE, "action_request_id": "x"}, past + 30))
    finish_session(conn, "run-hostile", "failed", exit_code=1, at=past + 40)
    _show(conn, now, shows)
    return Seeded(long, "run-waiting", "run-stale", "run-hostile", "checkout-flow")


def begin(conn: Connection, id_: str, at: float, **fields: Any) -> str:
    """A running session with one branch; the branch's id."""
    kind = {"invocation_kind": "agent", "source_kind": "live", "provider": "script", **fields}
    create_session(conn, Session(id=id_, created_at=at, started_at=at, **kind))
    create_branch(conn, Branch(id=f"{id_}.main", session_id=id_, name="main", created_at=at))
    return f"{id_}.main"


def say(content: Mapping[str, Any], at: float, *, used: tuple[int, int, int] | None = None, **fields: Any) -> Message:
    """A message; `used` is tokens in, tokens out, millionths of a dollar."""
    if used:
        names = ("input_tokens", "output_tokens", "cost_microusd")
        fields["metadata"] = {"usage": dict(zip(names, used, strict=True))}
    return create_message(content, created_at=at, **fields)


def _day(conn: Connection, now: float) -> None:
    outcomes = ("completed", "completed", "failed", "completed", "timed_out", "completed", "aborted", "cancelled")
    for number in range(72):
        at = now - 1200 - number * 1150
        names = {"agent_name": _AGENTS[number % 5], "project": _PROJECTS[number % 3], "model": _MODELS[number % 3]}
        if number % 4 == 3:
            names |= {"playbook_name": "ship-it", "invocation_kind": "play"}
        branch = begin(conn, f"run-{number:03}", at, name=f"task {number}", **names)
        append(conn, branch, say({"instruction": f"Task {number}: look at the failing build"}, at))
        used = (4000 + 350 * number, 900 + 40 * number, None if number % 3 == 1 else 21_000 + 3100 * number)
        append(conn, branch, say({"assistant_response": "Done; see the diff."}, at + 40, used=used))  # type: ignore[arg-type]
        status = outcomes[number % 8]
        finish_session(conn, f"run-{number:03}", status, exit_code=_EXITS[status], at=at + 60 + 13 * number)


def _long_run(conn: Connection, now: float) -> str:
    at = now - 3 * 3600
    fields = {"agent_name": "implementer", "project": "api-gateway", "model": _MODELS[0], "cwd": "/srv/api-gateway"}
    branch = begin(conn, "run-long", at, name="rate limits", git_commit="4f1c2d9e8b7a6f5e", **fields)
    append(conn, branch, say({"system_message": "You are a careful engineer."}, at))
    for step in range(40):
        moment = at + 10 + step * 180
        if step % 8 == 0:
            append(conn, branch, say({"instruction": f"Step {step}: add **rate limits** to the gateway."}, moment))
        code = "```python\ndef allow(n: int) -> bool:\n    return n < 10\n```"
        text = f"## Step {step}\nI look at `limits.py` first.\n\n{code}"
        append(conn, branch, say({"assistant_response": text}, moment + 5, used=(9000, 700, 31_000)))
        call = say({"function": "Bash", "arguments": {"command": f"pytest tests/step_{step}.py"}}, moment + 9)
        append(conn, branch, call)
        result: dict[str, Any] = {"output": f"\x1b[32m{step + 1} passed\x1b[0m in 0.4s\n" * (400 if step == 20 else 1)}
        if step in (7, 8, 9, 23):
            result = {"error": f"exit code 1: FAILED tests/step_{step}.py::test_limit - assert 11 < 10"}
        append(conn, branch, say({**result, "action_request_id": call.id}, moment + 30))
    fork = fork_branch(conn, branch, 40, name="try redis")
    append(conn, fork.id, say({"instruction": "Try it with Redis instead."}, at + 5001))
    append(conn, fork.id, say({"assistant_response": "Redis it is."}, at + 5060))
    finish_session(conn, "run-long", "completed", exit_code=0, at=now - 2400)
    return "run-long"


_PLAYS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("schema", "merged", ()),
    ("prices", "merged", ("schema",)),
    ("basket", "merged", ("schema",)),
    ("taxes", "merged", ("prices",)),
    ("checkout-api", "running", ("prices", "basket")),
    ("checkout-page", "gated", ("basket",)),
    ("mails", "gate_failed", ("basket",)),
    ("receipts", "blocked", ("mails",)),
    ("load-test", "pending", ("checkout-api", "checkout-page")),
)


def _show(conn: Connection, now: float, shows: Path) -> None:
    folder = shows / "checkout-flow"
    show = Show(
        id="show-checkout",
        topic="checkout-flow",
        show_dir=str(folder),
        goal="A checkout that survives Black Friday",
        base_branch="main",
        integration_branch="show/checkout-flow/integration",
        created_at=now - 6 * 3600,
        updated_at=now - 120,
    )
    put_show(conn, show)
    for order, (name, status, needs) in enumerate(_PLAYS):
        _play(conn, show, order, name, status, needs, now)
    done = Show(
        id="show-docs",
        topic="docs-refresh",
        show_dir=str(shows / "docs-refresh"),
        goal="Docs that match the code",
        status=ShowStatus.COMPLETED,
        created_at=now - 90_000,
        updated_at=now - 80_000,
    )
    put_show(conn, done)
    for order, name in enumerate(("outline", "write", "review")):
        _play(conn, done, order, name, "merged", (), now - 80_000)


def _play(conn: Connection, show: Show, order: int, name: str, status: str, needs: tuple[str, ...], now: float) -> None:
    began = now - 5 * 3600 + order * 1500
    session = None if status in ("blocked", "pending") else f"{show.id}-{name}"
    if session:
        fields = {"invocation_kind": "show-play", "show_topic": show.topic, "show_play_name": name}
        branch = begin(conn, session, began, agent_name="implementer", model=_MODELS[0], project="web-shop", **fields)
        append(conn, branch, say({"instruction": f"Build {name}."}, began + 2))
        append(conn, branch, say({"assistant_response": f"{name} works."}, now - 40, used=(12_000, 2500, 88_000)))
        if status != "running":
            finish_session(conn, session, "completed", exit_code=0, at=began + 1200)
    passed = {"merged": True, "gate_failed": False}.get(status)
    feedback = "The mail has no plain-text part; add one." if status == "gate_failed" else None
    put_play(
        conn,
        Play(
            id=f"{show.id}.{name}",
            show_id=show.id,
            name=name,
            playbook="ship-it",
            effort="medium",
            status=PlayStatus(status),
            attempt=2 if status == "gate_failed" else 1,
            session_id=session,
            started_at=began if session else None,
            ended_at=began + 1200 if session and status != "running" else None,
            exit_code=0 if passed else None,
            branch=f"show/{show.topic}/{name}",
            merge_sha="9d3f1c0" if status == "merged" else None,
            gate_passed=passed,
            gate_feedback=feedback,
            depends_on=needs,
            sort_order=order,
            created_at=began,
            updated_at=now - 120,
        ),
    )


def _show_folder(folder: Path) -> None:
    for name, status, needs in _PLAYS:
        play = folder / name
        play.mkdir(parents=True)
        (play / "_intent.md").write_text(f"# {name}\n\nBuild **{name}**, with tests.\n")
        (play / "_meta.json").write_text(json.dumps({"status": status, "attempt": 1, "depends_on": list(needs)}))
    (folder / "mails" / "_verdict.json").write_text('{"gate_passed": false, "feedback": "No plain-text part."}')
    (folder / "_show.md").write_text("# Checkout\n\n## Goal\n\nA checkout that survives Black Friday.\n")


def _definitions(home: Path) -> None:
    (home / "agents").mkdir(exist_ok=True)
    (home / "playbooks").mkdir(exist_ok=True)
    for name in _AGENTS:
        text = f"---\ndescription: The {name} of the house\nmodel: claude/sonnet\n---\n\nYou are the {name}.\n"
        (home / "agents" / f"{name}.md").write_text(text)
    (home / "agents" / "broken.md").write_text("---\nmodel: [\n---\n")
    playbook = "description: Build, test, open a pull request\nagent: implementer\nprompt: |\n  Ship {input}.\n"
    (home / "playbooks" / "ship-it.yaml").write_text(playbook)
    (home / "playbooks" / "broken.yaml").write_text("prompt: 3\nmode: dance\n")


def _teams(settings: Settings) -> None:
    li(settings, "team", "create", "checkout", "--members", "implementer,reviewer,tester")
    long = "The basket keeps prices of yesterday. " * 12
    for sender, text in (
        ("reviewer", "Start with the schema."),
        ("implementer", long),
        ("tester", "Two tests are red."),
    ):
        li(settings, "team", "send", "checkout", text, "--from", sender)
    li(settings, "team", "create", "archive-me", "--members", "a,b")


def dead_run(settings: Settings) -> None:
    """A run whose process is proven gone, silent for nine hours."""
    process = subprocess.Popen(["sleep", "60"])
    lock = Path(settings.home, "run-dead.lock")
    lock.touch()
    owner = identify(process.pid, str(lock))._asdict()
    process.kill()
    process.wait()
    with Database(settings.db) as db:
        db.write(lambda conn: begin(conn, "run-dead", time.time() - 9 * 3600, name="left alone", owner=owner))


def li(settings: Settings, *words: str, session: str | None = None) -> str:
    """Run a command with this home, as a program of a session if one is named; what it printed."""
    command = [sys.executable, "-c", _LI, *words, "--home", settings.home]
    within = {} if session is None else {"LIONAGI_SESSION_ID": session}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=settings.home, timeout=60, env={**os.environ, **within}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
