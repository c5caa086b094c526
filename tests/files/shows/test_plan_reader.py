"""Plans: every field is read, and every mistake is reported with its line."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from lionstudio.errors import InvalidInput
from lionstudio.files.shows import plan_fields
from lionstudio.files.shows.plan_checks import check_plan
from lionstudio.files.shows.plan_reader import load_plan, parse_plan, read_plan
from lionstudio.files.shows.plan_template import PATTERN, with_fields
from lionstudio.model.shows.plan import Budget, Gate, GateKind, Notify, Plan, PlannedPlay

WHOLE = """\
---
goal: A faster parser
repo: /src/parser
base_branch: main
agent: claude
concurrency: 2
max_attempts: 5
timeout: 30m
gates:
  - make test
  - person: look at the numbers
  - review: critic
    prompt: Is it fast?
    timeout: 5m
final_gates: [[sh, -c, "make && make bench"]]
budget: {tokens: 1000000, cost: 2.5, time: 2h}
provider_limits: {claude: 1}
setup: npm ci
teardown: [rm -rf node_modules]
copy: [.env, config/local.toml]
notify: {desktop: false, webhook: "https://example.org/hook", command: [say, "a b"]}
plays:
  - name: lexer
    intent: Words first.
    prompt: |
      Write the lexer.
      Test it.
  - name: parser
    playbook: build
    args: {part: parser, fast: yes}
    effort: high
    depends_on: lexer
    agent: codex/gpt
    max_attempts: 1
    timeout: 90s
    gates: []
---
# Why
"""


def head(text: str) -> str:
    return f"---\nrepo: /r\nagent: a\n{text}---\n"


def problems(text: str, topic: str = "t") -> list[tuple[int | None, str, str | None]]:
    return [(each.line, each.message, each.hint) for each in parse_plan(topic, text)[1]]


def test_load_plan_reads_every_field() -> None:
    plan = load_plan("speed", WHOLE)

    assert plan == Plan(
        topic="speed",
        goal="A faster parser",
        repo="/src/parser",
        base_branch="main",
        agent="claude",
        integration_branch="show/speed/integration",
        concurrency=2,
        max_attempts=5,
        timeout=1800,
        gates=(
            Gate(kind=GateKind.COMMAND, command=("make", "test")),
            Gate(kind=GateKind.PERSON, prompt="look at the numbers"),
            Gate(kind=GateKind.REVIEW, agent="critic", prompt="Is it fast?", timeout=300),
        ),
        final_gates=(Gate(kind=GateKind.COMMAND, command=("sh", "-c", "make && make bench")),),
        budget=Budget(tokens=1_000_000, cost_microusd=2_500_000, seconds=7200),
        provider_limits={"claude": 1},
        setup=(("npm", "ci"),),
        teardown=(("rm", "-rf", "node_modules"),),
        copy=(".env", "config/local.toml"),
        notify=Notify(desktop=False, webhook="https://example.org/hook", command=("say", "a b")),
        plays=(
            PlannedPlay(name="lexer", intent="Words first.", prompt="Write the lexer.\nTest it.\n"),
            PlannedPlay(
                name="parser",
                playbook="build",
                args={"part": "parser", "fast": "true"},
                effort="high",
                depends_on=("lexer",),
                agent="codex/gpt",
                max_attempts=1,
                timeout=90,
                gates=(),
            ),
        ),
    )
    assert [play.line for play in plan.plays] == [23, 28]
    assert [gate.kind for gate in plan.gates_of("lexer")] == ["command", "review", "person"]
    assert (plan.gates_of("parser"), plan.max_attempts_of("parser"), plan.max_attempts_of("lexer")) == ((), 1, 5)
    assert (plan.timeout_of("parser"), plan.timeout_of("lexer")) == (90, 1800)


def test_plan_rules_cover_every_field() -> None:
    made = {"topic", "plays", "line", "waits"}
    assert {each.name for each in fields(Plan) if each.init} - made == set(plan_fields.PLAN_RULES) - {"plays"}
    assert {each.name for each in fields(PlannedPlay)} - made == set(plan_fields.PLAY_RULES)
    assert {each.name for each in fields(Notify)} == set(plan_fields.NOTIFY_RULES)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("---\nagent: a\nplays:\n- {name: x, prompt: y}\n---\n", 1, "missing key repo"),
        (head("goal: g\n"), 1, "missing key plays"),
        (head("plays:\n  - name: a\n"), 5, "the play a has neither a playbook nor a prompt"),
        (head("plays:\n  - prompt: x\n"), 5, "the play has no name"),
        (head("plays:\n  - a\n"), 5, "a play must be a mapping of keys"),
        (head("plays:\n  - {name: a, prompt: x, depends_on: [b]}\n"), 5, "a depends on 'b', which is not a play"),
        (head("plays:\n- {name: a, prompt: x}\n- {name: a, prompt: y}\n"), 6, "duplicate play name a; the first is on"),
        (head("plays:\n- {name: a, prompt: x, depends_on: a}\n"), 5, "dependency cycle: a → a"),
        (head("plays:\n- {name: a, prompt: x, args: {b: 1}}\n"), 5, "args need a playbook"),
        (head("plays:\n- {name: [1], prompt: x}\n"), 5, "name must be text; quote it"),
        (head("plays: 5\n"), 4, "plays must be a list"),
        (head("conkurrency: 4\nplays: [{name: a, prompt: x}]\n"), 4, "unknown key 'conkurrency'"),
        (head("concurrency: 0\nplays: [{name: a, prompt: x}]\n"), 4, "concurrency must be an integer"),
        (
            head("timeout: soon\nplays: [{name: a, prompt: x}]\n"),
            4,
            "timeout must be a number of seconds, or a duration",
        ),
        (head("gates: [make && ls]\nplays: [{name: a, prompt: x}]\n"), 4, "command runs without a shell"),
        (head("gates: [echo $(ls)]\nplays: [{name: a, prompt: x}]\n"), 4, "command runs without a shell"),
        (
            head('gates: ["echo \'x"]\nplays: [{name: a, prompt: x}]\n'),
            4,
            "command must be a command with closed quotes",
        ),
        (head("gates: [5]\nplays: [{name: a, prompt: x}]\n"), 4, "a gate must be a command, a review or a person"),
        (head("gates: [{timeout: 5}]\nplays: [{name: a, prompt: x}]\n"), 4, "a gate must be exactly one of command"),
        (
            head("gates: [{command: a, review: b}]\nplays: [{name: a, prompt: x}]\n"),
            4,
            "a gate must be exactly one of command",
        ),
        (head("budget: {money: 5}\nplays: [{name: a, prompt: x}]\n"), 4, "unknown key 'money'"),
        (head("budget: {cost: -1}\nplays: [{name: a, prompt: x}]\n"), 4, "cost must be an amount in US dollars"),
        (head("copy: [../x]\nplays: [{name: a, prompt: x}]\n"), 4, "copy must be a list of paths inside"),
        (head("copy: [.git/config]\nplays: [{name: a, prompt: x}]\n"), 4, "copy must be a list of paths inside"),
        (head("base_branch: -D\nplays: [{name: a, prompt: x}]\n"), 4, "base_branch must be a branch name"),
        (head("notify: {webhook: 'file:///x'}\nplays: [{name: a, prompt: x}]\n"), 4, "webhook must be a URL"),
        (
            head("integration_branch: main\nplays: [{name: a, prompt: x}]\n"),
            1,
            "integration_branch must be show/t/integration, not 'main'",
        ),
        (
            head("integration_branch: show/t/all\nplays: [{name: a, prompt: x}]\n"),
            1,
            "integration_branch must be show/t/integ",
        ),
        ("---\nrepo: relative\nplays: [{name: a, prompt: x}]\n---\n", 2, "repo must be an absolute path"),
        ("---\nplays: &x []\n---\n", 2, "anchors and aliases"),
        ("no head at all", 1, "missing key repo"),
    ],
)
def test_parse_plan_problem_has_its_line(text: str, line: int, words: str) -> None:
    found = problems(text)

    assert [each for each in found if words in each[1]], found
    assert next(each for each in found if words in each[1])[0] == line
    with pytest.raises(InvalidInput):
        load_plan("t", text)


def test_parse_plan_reports_a_cycle_once() -> None:
    needs = {"a": "c", "b": "a", "c": "b", "d": "a", "free": ""}
    plays = "".join(f"- {{name: {name}, prompt: x, depends_on: [{need}]}}\n" for name, need in needs.items())

    found = problems(head(f"plays:\n{plays}"))

    assert [message for _, message, _ in found] == ["dependency cycle: a → c → b → a"]


def test_parse_plan_suggests_the_nearest_key() -> None:
    text = head("plays:\n- {name: lexer, prompt: x}\n- {name: parser, prompt: y, depends_on: lexr, promt: z}\n")

    assert {hint for _, _, hint in problems(text)} == {"did you mean lexer?", "did you mean prompt?"}


@pytest.mark.parametrize(
    "name",
    [
        "-D",
        "--upload-pack=x",
        "HEAD",
        "Lexer",
        "a b",
        "a/b",
        "..",
        "a..b",
        "a.lock",
        "a.",
        "integration",
        "head",
        "@",
        "x" * 64,
        "",
        "é",
        "a\nb",
        ".git",
        "_meta",
    ],
)
def test_parse_plan_refuses_names_that_git_or_a_shell_misreads(name: str) -> None:
    assert plan_fields.fault_of_slug(name) is not None
    assert any(
        "the topic" in message for _, message, _ in problems(head("plays: [{name: a, prompt: x}]\n"), topic=name)
    )


@pytest.mark.parametrize("name", ["director.git", "lexer.git", "a.lock", ".gates", ".making-a", "integration"])
def test_parse_plan_refuses_names_of_our_own_folders(name: str) -> None:
    plays = "plays:\n- {{name: {}, prompt: x}}\n"
    assert not problems(head(plays.format("fine")))
    assert "name" in " ".join(message for _, message, _ in problems(head(plays.format(name))))


@pytest.mark.parametrize("name", ["a", "lexer", "2024-plan", "a.b_c-d", "x" * 63])
def test_parse_plan_accepts_names(name: str) -> None:
    assert plan_fields.fault_of_slug(name) is None


def test_check_plan_reports_missing_agents_and_playbooks() -> None:
    text = head(
        "gates: [{review: critc}]\nplays:\n- {name: a, prompt: x, agent: missing}\n- {name: b, playbook: bild}\n"
        "- {name: c, prompt: x}\n- {name: d, prompt: x, agent: claude/opus}\n"
    )
    plan = load_plan("t", text)

    found = check_plan(plan, ["build"], ["critic", "claude", "a"])

    assert [(each.line, each.message, each.hint) for each in found] == [
        (6, "a: agent 'missing' does not exist", "li agents ls"),
        (7, "b: playbook 'bild' does not exist", "did you mean build?"),
        (4, "the reviewing agent 'critc' does not exist", "did you mean critic?"),
    ]
    problems_of_c = check_plan(load_plan("t", text.replace("agent: a\n", "")), ["bild"], ["critc", "claude", "missing"])
    assert [each.message for each in problems_of_c] == ["c has no agent"]


def test_read_plan_raises_the_first_problem(tmp_path: Path) -> None:
    folder = tmp_path / "speed"
    folder.mkdir()
    (folder / "_show.md").write_text(head("plays:\n- {name: -D, prompt: x}\nfoo: 1\n"))

    with pytest.raises(InvalidInput) as refusal:
        read_plan(str(folder / "_show.md"))
    assert refusal.value.message.startswith(f"{folder}/_show.md:5: name must be 1 to 63 lowercase letters")
    assert refusal.value.message.endswith("(and 1 more)")


def test_with_fields_keeps_other_lines() -> None:
    text = with_fields(PATTERN, {"goal": "x: y", "repo": "/a b"})
    again = with_fields(text, {"goal": "z", "base_branch": "main"})

    plan = load_plan("t", again)
    assert (plan.goal, plan.repo, plan.base_branch, len(plan.plays)) == ("z", "/a b", "main", 2)
    assert again.count("goal:") == 1
    assert all(line in again.splitlines() for line in PATTERN.splitlines())
    assert with_fields("only text", {"repo": "/r"}) == "---\nrepo: /r\n---\n\nonly text"
