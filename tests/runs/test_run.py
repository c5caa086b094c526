"""`li agent`, `flow`, `fanout` and `play` with scripted agents: stored messages, status and exit code."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import time
from pathlib import Path

import pytest
from tests.support.agents import contents, json_lines, li, session, sessions, start
from tests.support.commands import run_on_terminal

from lionstudio.errors import LionError

SAID = "assistant_response"


def test_agent_run_stores_every_message(tmp_path: Path) -> None:
    script = "@think hm\n@say working\n@tool grep found it\n@error fetch no network\n@usage 100 20 1500\n@say done"
    done = li(tmp_path, "agent", "script", script, "--system", "be brief")
    assert (done.returncode, done.stdout) == (0, "working\ndone\n")
    row = session(tmp_path)
    assert (row["status"], row["exit_code"], row["invocation_kind"], row["agent_name"], row["provider"]) == (
        "completed",
        0,
        "agent",
        "script",
        "script",
    )
    assert (row["input_tokens"], row["output_tokens"], row["cost_microusd"], row["message_count"]) == (100, 20, 1500, 9)
    [messages] = contents(tmp_path).values()
    assert messages[0] == {"system_message": "be brief"}
    assert messages[1] == {"instruction": script}
    assert messages[2] == {SAID: "", "thinking": "hm"}
    request, response = messages[4], messages[5]
    assert request == {"function": "grep", "arguments": {}}
    assert response["output"] == "found it"
    assert messages[7]["error"] == "no network"
    assert messages[8] == {SAID: "done"}


def test_run_has_the_first_line_of_its_prompt_as_title(tmp_path: Path) -> None:
    li(tmp_path, "agent", "script", "\n@say " + "long " * 20 + "\n@say two")
    assert session(tmp_path)["title"] == ("@say " + "long " * 20)[:59] + "…"


def test_run_title_is_redacted_before_it_is_shortened(tmp_path: Path) -> None:
    secret = "sk-ant-" + "0123456789abcdef" * 4
    li(tmp_path, "agent", "script", f"@say use this key now: {secret}")
    title = str(session(tmp_path)["title"])
    assert title.startswith("@say use this key now: [REDACTED:anthropic-key:")
    assert "0123456789abcdef" not in title


def test_resumed_run_does_not_take_the_name_of_its_origin(tmp_path: Path) -> None:
    li(tmp_path, "agent", "script", "@say one", "--name", "mine")
    li(tmp_path, "agent", "script", "--resume", "mine", "@say two")
    assert [(row["name"], row["title"]) for row in sessions(tmp_path)] == [(None, "@say two"), ("mine", "@say one")]


def test_tool_results_reference_their_calls(tmp_path: Path) -> None:
    done = li(tmp_path, "agent", "script", "@tool a one\n@tool b two", "--json")
    records = [record for record in json_lines(done.stdout) if record["type"] == "message"]
    requests = {record["id"]: record["content"]["function"] for record in records if record["role"] == "assistant"}
    answers = {
        record["content"]["action_request_id"]: record["content"]["output"]
        for record in records
        if record["role"] == "tool"
    }
    assert {requests[key]: value for key, value in answers.items()} == {"a": "one", "b": "two"}
    assert json_lines(done.stdout)[-1]["status"] == "completed"


def test_sub_agent_gets_its_own_branch(tmp_path: Path) -> None:
    li(tmp_path, "agent", "script", "@say mine\n@agent helper\n@say theirs\n@end\n@say mine again")
    messages = contents(tmp_path)
    assert [item.get(SAID) for item in messages["helper"]] == ["theirs"]
    assert [item.get(SAID) for item in messages["main"]][1:] == ["mine", "mine again"]


@pytest.mark.parametrize(
    ("script", "status", "code", "reason"),
    [("@fail 3 it broke", "failed", 3, []), ("@limit until noon", "failed", 1, ["run.failed.usage_limit"])],
)
def test_failed_agent_sets_status_and_code(
    tmp_path: Path, script: str, status: str, code: int, reason: list[str]
) -> None:
    done = li(tmp_path, "agent", "script", f"@say before\n{script}")
    row = session(tmp_path)
    assert (done.returncode, row["status"], row["exit_code"], row["reason_codes"]) == (code, status, code, reason)
    assert row["ended_at"] is not None
    assert row["message_count"] == 2


def test_timeout_ends_the_run(tmp_path: Path) -> None:
    done = li(tmp_path, "agent", "script", "@say before\n@run sleep 60", "--timeout", "1")
    row = session(tmp_path)
    assert (done.returncode, row["status"], row["reason_codes"]) == (124, "timed_out", ["run.timed_out.deadline"])
    assert row["message_count"] == 3


@pytest.mark.parametrize(
    ("number", "status", "code"),
    [(signal.SIGINT, "aborted", 130), (signal.SIGTERM, "cancelled", 143), (signal.SIGHUP, "aborted", 129)],
)
def test_signals_end_the_process_tree_and_keep_messages(tmp_path: Path, number: int, status: str, code: int) -> None:
    mark = f"{os.getpid()}{number}"
    running = start(tmp_path, "agent", "script", f"@say before\n@run sleep 60.{mark}")
    _until(lambda: _alive(f"sleep 60.{mark}"))
    running.send_signal(number)
    running.communicate(timeout=20)
    row = session(tmp_path)
    assert (running.returncode, row["status"], row["exit_code"]) == (code, status, code)
    assert row["message_count"] == 3
    assert not _alive(f"sleep 60.{mark}")


def test_second_interrupt_forces_quit(tmp_path: Path) -> None:
    stubborn = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('on', flush=True); time.sleep(60)"
    )
    running = start(tmp_path, "agent", "command", "x", "--", sys.executable, "-c", stubborn)
    _until(lambda: bool(sessions(tmp_path)) and sessions(tmp_path)[0]["message_count"] == 2)
    running.send_signal(signal.SIGINT)
    time.sleep(0.3)
    began = time.monotonic()
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=10)
    assert running.returncode == 130
    assert time.monotonic() - began < 3


def test_resume_and_fork_share_history(tmp_path: Path) -> None:
    li(tmp_path, "agent", "script", "@say one\n@say two", "--name", "first")
    first = sessions(tmp_path)[0]["id"]
    resumed = li(tmp_path, "agent", "script", "--resume", "first", "@say three", "--name", "resumed")
    forked = li(tmp_path, "agent", "script", "--fork", "first:1", "@say other", "--name", "forked")
    assert (resumed.returncode, forked.returncode) == (0, 0)
    shown = li(tmp_path, "state", "show", "resumed", "--branch", "main", "--json")
    assert "two" in shown.stdout
    assert "three" in shown.stdout
    shown = li(tmp_path, "state", "show", "forked", "--branch", "main", "--json")
    assert '"one"' in shown.stdout
    assert '"two"' not in shown.stdout
    by_name = {row["name"]: row for row in sessions(tmp_path)}
    assert by_name["first"]["id"] == first
    assert by_name["forked"]["message_count"] == 2


def test_fanout_and_flow_pass_answers(tmp_path: Path) -> None:
    done = li(tmp_path, "fanout", "script", "@say answer", "--workers", "3", "--synthesis", "script")
    assert done.returncode == 0
    assert set(contents(tmp_path)) == {"worker-1", "worker-2", "worker-3", "synthesis"}
    done = li(tmp_path, "flow", "this", "--step", "a=script:@say got {input}", "--step", "b=script:@say then {a}")
    assert done.stdout == "a: got this\nb: then got this\n"
    assert sessions(tmp_path)[0]["invocation_kind"] == "flow"


def test_failed_step_skips_its_dependents(tmp_path: Path) -> None:
    done = li(
        tmp_path,
        "flow",
        "x",
        "--step",
        "a=script:@fail 4 no",
        "--step",
        "b=script:@say {a}",
        "--step",
        "c=script:@say c",
    )
    assert done.returncode == 4
    assert set(contents(tmp_path)) == {"a", "c"}


def test_playbook_runs_with_arguments(tmp_path: Path) -> None:
    (tmp_path / "playbooks").mkdir()
    head = "mode: agent\nmodel: script/x\nargs:\n  mode: {type: str, default: dry}\n"
    text = head + "prompt: |\n  @say {mode} audit of {input}\n"
    (tmp_path / "playbooks" / "audit.yaml").write_text(text)
    done = li(tmp_path, "play", "audit", "the parser", "--arg", "mode=hard")
    assert (done.returncode, done.stdout) == (0, "hard audit of the parser\n")
    row = session(tmp_path)
    assert (row["playbook_name"], row["invocation_kind"], row["title"]) == (
        "audit",
        "play",
        "@say hard audit of the parser",
    )


def test_playbook_steps_share_a_team(tmp_path: Path) -> None:
    li(tmp_path, "team", "create", "crew", "--members", "plan,code")
    li(tmp_path, "team", "send", "crew", "keep it small", "--from", "_cli", "--to", "code")
    (tmp_path / "playbooks").mkdir()
    steps = "steps:\n  plan: {prompt: '@say a plan'}\n  code: {prompt: '@say done', needs: [plan]}\n"
    (tmp_path / "playbooks" / "build.yaml").write_text(f"model: script/x\nteam_mode: crew\n{steps}")
    done = li(tmp_path, "play", "build")
    assert (done.returncode, done.stdout) == (0, "plan: a plan\ncode: done\n")
    prompts = {name: messages[0]["instruction"] for name, messages in contents(tmp_path).items()}
    assert "keep it small" not in prompts["plan"]
    assert "_cli wrote to code: keep it small" in prompts["code"]


def test_agent_definition_sets_options(tmp_path: Path) -> None:
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "poet.md").write_text("---\nprovider: script\nmodel: verse\n---\nYou write verse.\n")
    done = li(tmp_path, "agent", "poet", "@say a rose")
    assert done.stdout == "a rose\n"
    row = session(tmp_path)
    assert (row["agent_name"], row["model"]) == ("poet", "verse")
    assert contents(tmp_path)["main"][0] == {"system_message": "You write verse."}


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["agent", "unknown", "x"], 3, "no agent or provider"),
        (["agent", "script", "@unknown x"], 2, "@unknown is unknown"),
        (["agent", "script", "  "], 2, "prompt is empty"),
        (["agent", "command", "x"], 2, "missing command"),
        (["agent", "command", "x", "--", "no-such-program-anywhere"], 3, "not installed"),
        (["agent", "script", "@say x", "--cwd", "/no/such/folder"], 2, "does not exist"),
        (["agent", "openai", "x"], 2, "missing model"),
        (["agent", "script", "@say x", "--resume", "nothing"], 3, "not found"),
        (["play", "nothing"], 3, "playbook nothing does not exist"),
        (["flow", "x", "--step", "nonsense"], 2, "not a step"),
        (["flow", "x", "--step", "a=script:{b}", "--step", "b=script:{a}"], 2, "cycle"),
    ],
)
def test_invalid_input_starts_no_run(tmp_path: Path, arguments: list[str], code: int, sentence: str) -> None:
    done = li(tmp_path, *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "state.db").exists() or sessions(tmp_path) == []


@pytest.mark.parametrize("printed", ["x" * 1_000_000, '{"half": ', "\udcff\udcfe", '{"role": "assistant"}', "[1, 2"])
def test_command_agent_stores_any_output(tmp_path: Path, printed: str) -> None:
    source = tmp_path / "output"
    source.write_bytes(printed.encode("utf-8", "surrogateescape") + b"\n")
    done = li(tmp_path, "agent", "command", "x", "--", "cat", str(source))
    assert done.returncode == 0
    assert session(tmp_path)["message_count"] == 2


def test_command_agent_stores_lines_that_arrive_together_as_one_message(tmp_path: Path) -> None:
    source = tmp_path / "output"
    lines = [f"{number} INFO parsed module {number % 97}" for number in range(20_000)]
    source.write_text("\n".join(lines) + "\n")

    done = li(tmp_path, "agent", "command", "x", "--", "cat", str(source))

    assert (done.returncode, done.stdout) == (0, source.read_text())
    [[_, *messages]] = contents(tmp_path).values()
    assert "\n".join(message["assistant_response"] for message in messages).split("\n") == lines
    assert max(len(message["assistant_response"]) for message in messages) <= 64 * 1024
    # a pipe is filled by pages, and each read has at least one
    assert len(messages) < len(lines) / 20
    stored = sum(file.stat().st_size for file in tmp_path.rglob("state.db*"))
    assert stored < 3 * source.stat().st_size + 1_000_000  # of an empty database


def test_team_messages_are_marked_read_when_the_run_begins(tmp_path: Path) -> None:
    li(tmp_path, "team", "create", "crew", "--members", "script,other")
    li(tmp_path, "team", "send", "crew", "look at the parser", "--from", "other", "--to", "script")
    assert li(tmp_path, "agent", "script", "@unknown", "--team-mode", "crew").returncode == 2
    assert "look at the parser" in li(tmp_path, "team", "inbox", "crew", "--member", "script").stdout
    done = li(tmp_path, "agent", "script", "@say yes", "--team-mode", "crew")
    assert done.returncode == 0
    [messages] = contents(tmp_path).values()
    assert "other wrote to script: look at the parser" in messages[0]["instruction"]
    assert "look at the parser" not in li(tmp_path, "team", "inbox", "crew", "--member", "script").stdout


def test_agent_environment_names_the_same_database(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.db"
    done = li(tmp_path, "--db", str(elsewhere), "agent", "script", "@run printenv LIONAGI_DB", "--stream-persist")
    assert done.returncode == 0
    assert (tmp_path / "runs").is_dir()
    shown = li(tmp_path, "--db", str(elsewhere), "state", "show", "@run printenv LIONAGI_DB", "--json")
    assert str(elsewhere) in shown.stdout


def _alive(command: str) -> bool:
    wanted = command.split()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                argv = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")[:-1]
            except OSError:
                continue
            if argv == wanted:
                return True
    return False


def _until(condition: object, seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if condition():  # type: ignore[operator]
                return
        except LionError:  # the database may not be there yet
            pass
        time.sleep(0.02)
    raise AssertionError("it did not come to that in time")


def test_team_member_is_chosen_with_as(tmp_path: Path) -> None:
    assert li(tmp_path, "team", "create", "crew", "--members", "ann,bob").returncode == 0
    assert li(tmp_path, "team", "send", "crew", "hello ann", "--as", "bob", "--to", "ann").returncode == 0
    done = li(tmp_path, "agent", "script", "@say yes", "--team-mode", "crew", "--as", "ann")

    assert done.returncode == 0, done.stderr
    prompt = contents(tmp_path)["main"][0]["instruction"]
    assert prompt.startswith("You are ann in the team crew with bob.\n")
    assert "bob wrote to ann: hello ann" in prompt
    commands = [line.partition("run: ")[2] for line in prompt.splitlines() if "run: " in line]
    assert commands == ['li team send crew "your text" --as ann [--to MEMBER]']
    assert "New messages of the team reach you by themselves while you work.\n" in prompt
    assert li(tmp_path, *shlex.split(commands[0].partition(" [")[0])[1:]).returncode == 0


def test_team_member_that_takes_no_messages_is_told_how_to_read_its_inbox(tmp_path: Path) -> None:
    assert li(tmp_path, "team", "create", "crew", "--members", "ann,bob").returncode == 0
    argv = ("agent", "command", "go", "--team-mode", "crew", "--as", "ann", "--", "true")
    assert li(tmp_path, *argv).returncode == 0

    prompt = contents(tmp_path)["main"][0]["instruction"]
    [command] = [line.partition("run: ")[2] for line in prompt.splitlines() if "li team inbox" in line]
    assert command == "li team inbox crew --as ann --mark-read"
    assert li(tmp_path, *command.split()[1:]).stderr.startswith("No new messages for ann.")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--team-mode", "crew", "--as", "eve"],
            "'eve' is not a member of the team crew\n  try: its members: ann, bob",
        ),
        (["--as", "ann"], "--as needs a team"),
    ],
)
def test_team_member_must_exist(tmp_path: Path, options: list[str], message: str) -> None:
    assert li(tmp_path, "team", "create", "crew", "--members", "ann,bob").returncode == 0
    refused = li(tmp_path, "agent", "script", "@say yes", *options)

    assert (refused.returncode, message in refused.stderr) == (2, True)


def test_agent_outside_its_team_is_reported(tmp_path: Path) -> None:
    assert li(tmp_path, "team", "create", "crew", "--members", "ann,bob").returncode == 0
    done = li(tmp_path, "agent", "script", "@say yes", "--team-mode", "crew")

    assert "Not a member of the team: script. Choose one of its members with --as: ann, bob" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "editors"),
    [
        (["fanout", "script", "@say x", "--workers", "3", "--permissions", "edit"], 3),
        (["fanout", "script", "@say x", "--workers", "3", "--permissions", "ask"], 0),
        (["fanout", "script", "@say x", "--workers", "1", "--permissions", "all"], 0),
        (["flow", "--step", "a=script:@say x", "--step", "b=script:@say {a}", "--permissions", "edit"], 0),
        (["flow", "--step", "a=script:@say x", "--step", "b=script:@say y", "--permissions", "edit"], 2),
        (
            [
                "flow",
                *(f"--step={step}" for step in ("a=script:x", "b=script:{a}", "c=script:{b}")),
                "--permissions=all",
            ],
            0,
        ),
    ],
)
def test_agents_that_edit_one_folder_are_warned_about(tmp_path: Path, arguments: list[str], editors: int) -> None:
    done = li(tmp_path, *arguments)

    assert done.returncode == 0, done.stderr
    assert (f"Warning: {editors} agents may edit files" in done.stderr) is (editors > 0)


def test_error_of_an_agent_is_printed_once_on_a_terminal(tmp_path: Path) -> None:
    done = run_on_terminal(
        "fanout", "script", "@fail 3 the disk is full", "--workers", "2", "--home", str(tmp_path), "--no-color"
    )

    assert done.code == 3
    assert done.out.count("worker-1: the disk is full") == 1
