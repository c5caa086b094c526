"""Parsers of agents, playbooks and skills: values, and problems with line and hint."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lionstudio.agents.provider import get_provider
from lionstudio.errors import InvalidInput
from lionstudio.files.definitions import agents, playbooks, skills
from lionstudio.files.definitions.agents import Agent
from lionstudio.files.definitions.playbooks import Arg, Playbook, bind, render
from lionstudio.files.formats.field_rules import Problem
from lionstudio.model.providers import PROVIDERS

WHOLE_AGENT = """\
---
model: claude-code/sonnet-4-6
reasoning_effort: high
yolo: false
fast_mode: yes
timeout: 600
resume_on_timeout: once
workload: heavy
account_connectors: [github, slack]
artifact_defaults:
  expected: [report.md]
provider: claude
permissions: edit
tools: Read, Bash(git *)
pass_env: [DEPLOY_STAGE]
args: [--verbose]
role: implementer
pack: [a, b]
---
You are a focused implementer.
"""


def told(found: list[Problem]) -> list[tuple[str, int | None, str]]:
    return [(problem.severity, problem.line, problem.message) for problem in found]


def test_parse_agent_reads_every_field() -> None:
    agent, found = agents.parse("implementer", WHOLE_AGENT)

    assert agent == Agent(
        name="implementer",
        prompt="You are a focused implementer.",
        model="claude-code/sonnet-4-6",
        effort="high",
        yolo=False,
        fast_mode=True,
        timeout=600,
        resume_on_timeout="once",
        workload="heavy",
        account_connectors=("github", "slack"),
        artifact_defaults={"expected": ["report.md"]},
        provider="claude",
        permissions="edit",
        tools=("Read", "Bash(git *)"),
        pass_env=("DEPLOY_STAGE",),
        options={"args": ["--verbose"]},
        extra={"role": "implementer", "pack": ["a", "b"]},
    )
    assert told(found) == [("warning", 3, "reasoning_effort is the old name of effort")]


def test_parse_agent_without_front_matter() -> None:
    agent, found = agents.parse("x", "You are x.\n")

    assert agent == Agent(name="x", prompt="You are x.")
    assert told(found) == [("warning", None, "no provider is named")]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("model: claude//b", "model must be a model such as"),
        ("model: two words", "model must be a model such as"),
        ("model: [a]", "model must be a model such as"),
        ("effort: extreme", "effort must be one of: none, minimal, low"),
        ("timeout: soon", "timeout must be an integer from 1 to 2592000 (seconds)"),
        ("timeout: 0", "timeout must be an integer from 1 to 2592000 (seconds)"),
        ("timeout: yes", "timeout must be an integer from 1 to 2592000 (seconds)"),
        ("idle_timeout: 1.5", "idle_timeout must be an integer from 1 to 2592000 (seconds)"),
        ("yolo: maybe", "yolo must be true or false"),
        ("resume_on_timeout: twice", "resume_on_timeout must be one of: once"),
        ("workload: medium", "workload must be one of: light, heavy"),
        ("account_connectors: github", "account_connectors must be a list of strings"),
        ("artifact_defaults: report.md", "artifact_defaults must be a mapping of keys to values"),
        ("artifact_defaults: {expected: x}", "artifact_defaults.expected must be a list"),
        ("description: [7]", "description must be text"),
    ],
)
def test_parse_agent_error_has_line_and_hint(line: str, message: str) -> None:
    agent, found = agents.parse("x", f"---\nprovider: claude\n{line}\n---\nprompt\n")

    (problem,) = found
    assert (problem.severity, problem.line) == ("error", 3)
    assert problem.message.startswith(message)
    assert problem.hint
    assert getattr(agent, line.partition(":")[0]) in (None, (), {"expected": "x"})


@pytest.mark.parametrize(("model", "known"), [("claude_code/x", True), ("Claude-Code/x", True), ("clod/x", False)])
def test_parse_agent_warns_about_unknown_provider(model: str, known: bool) -> None:
    _, found = agents.parse("x", f"---\nmodel: {model}\n---\nprompt")

    assert [problem.severity for problem in found] == ([] if known else ["warning"])


@pytest.mark.parametrize(
    ("provider", "known"), [("claude-code", True), ("Codex", True), ("banana", False), ("3", False), ("", True)]
)
def test_parse_agent_warns_about_a_provider_that_cannot_start(provider: str, known: bool) -> None:
    _, found = agents.parse("x", f"---\nmodel: claude/x\nprovider: {provider}\n---\nprompt")

    assert told(found) == ([] if known else [("warning", 3, f"unknown provider {provider!r}")])


@pytest.mark.parametrize(
    ("head", "said"),
    [("model: sonnet", False), ("model: claude", True), ("model: claude/sonnet", True), ("provider: codex", True)],
)
def test_parse_agent_warns_without_provider(head: str, said: bool) -> None:
    _, found = agents.parse("x", f"---\n{head}\n---\nprompt")

    assert told(found) == ([] if said else [("warning", 2, "no provider is named")])


def test_the_providers_are_those_that_can_be_started() -> None:
    for entry in PROVIDERS.values():
        assert {get_provider(name).name for name in (entry.name, *entry.aliases)} == {entry.name}


def test_parse_agent_warns_about_empty_prompt() -> None:
    _, found = agents.parse("x", "---\nprovider: claude\n---\n")

    assert told(found) == [("warning", None, "the system prompt is empty")]


def test_parse_skill() -> None:
    skill, found = skills.parse("pdf", "---\nname: pdf-tools\ndescription: For PDFs\nlicense: MIT\n---\nDo it.")

    assert skill == ("pdf-tools", "For PDFs", "Do it.", {"license": "MIT"})
    assert found == []
    assert told(skills.parse("pdf", "text")[1]) == [("warning", None, "the description is missing")]


AUDIT = """\
name: audit
description: Parametric audit
argument-hint: '[--mode MODE]'
model: claude-code/sonnet-4-6
agent: orchestrator
effort: high
max-ops: 25
args:
  mode: {type: str, default: dry, help: "dry | security"}
  depth: {type: int, required: yes}
  strict: {type: bool, default: false}
artifacts:
  expected:
    - {id: report, path: report.md, required: true}
prompt: |
  Run a {mode} audit, {depth} deep. Target: {input}
"""


def test_parse_playbook_reads_every_field() -> None:
    playbook, found = playbooks.parse("audit", AUDIT)

    assert found == []
    assert playbook.args == (
        Arg("mode", "str", "dry", "dry | security"),
        Arg("depth", "int", None, None, True),
        Arg("strict", "bool", False),
    )
    assert (playbook.mode, playbook.agents) == ("agent", ("orchestrator",))
    assert playbook.options["max_ops"] == 25
    assert playbook.options["argument_hint"] == "[--mode MODE]"


@pytest.mark.parametrize(
    ("text", "severity", "line", "message"),
    [
        ("description: x", "error", None, "the prompt is missing"),
        ("description: x\nprompt: ''", "error", 2, "the prompt is missing"),
        ("prompt: x\nworkers: 33", "error", 2, "workers must be an integer from 1 to 32"),
        ("prompt: x\nmax-ops: -1", "error", 2, "max_ops must be an integer from 0 to 50"),
        ("prompt: x\nmode: parallel", "error", 2, "mode must be one of: agent, flow, fanout"),
        ("prompt: x\nargs: [a]", "error", 2, "args must be a mapping of keys to values"),
        ("prompt: x\nargs:\n  a: {type: date}", "error", 3, "type must be one of: str, int, float, bool"),
        (
            "prompt: x\nargs:\n  a: {type: int, default: ten}",
            "error",
            3,
            "the default of a must be of type int, not 'ten'",
        ),
        (
            "prompt: x\nargs:\n  a: {type: int, default: yes}",
            "error",
            3,
            "the default of a must be of type int, not True",
        ),
        ("prompt: x\nargs:\n  a: {type: int, default: x}", "error", 3, "the default of a must be of type int, not 'x'"),
        ("prompt: x\nargs:\n  a: dry", "error", 3, "the argument a must be a mapping"),
        ("prompt: x\nargs:\n  input: {}", "error", 3, "'input' is not a valid argument name"),
        ("prompt: x\nargs:\n  'a.b': {}", "error", 3, "'a.b' is not a valid argument name"),
        ("prompt: hello {nmae}", "warning", 1, "{nmae} in the prompt is not an argument"),
        ("prompt: x\nname: other", "warning", 2, "the name 'other' is ignored"),
        ("prompt: x\nmax-opps: 3", "warning", 2, "unknown field 'max_opps'"),
        ("prompt: x\nmodel: clod/x", "warning", 2, "unknown provider 'clod'"),
    ],
)
def test_parse_playbook_problem_has_its_line(text: str, severity: str, line: int | None, message: str) -> None:
    _, found = playbooks.parse("it", text)

    assert [(problem.severity, problem.line) for problem in found if problem.message.startswith(message)] == [
        (severity, line)
    ], found


def test_parse_playbook_bounds_its_problems() -> None:
    _, found = playbooks.parse("it", "prompt: x\n" + "\n".join(f"unknown-{n}: 1" for n in range(20_000)))

    assert len(found) == playbooks.MOST_COMPLAINTS


def book(prompt: str, *args: Arg) -> Playbook:
    return Playbook("it", prompt, None, "agent", (), args, {}, {})


@pytest.mark.parametrize(
    ("prompt", "text", "values", "expected"),
    [
        ("do {input} now", "x", {}, "do x now"),
        ("do it", "x", {}, "do it\n\nx"),
        ("do it\n", "", {}, "do it\n"),
        ("", "x", {}, "x"),
        ("{mode} {input}", "{mode}", {"mode": "{input}"}, "{input} {mode}"),
        ("{unknown} {input}", "x", {}, "{unknown} x"),
        ("{on} {off} {none} {input}", "", {"on": True, "off": False, "none": None}, "true false {none} "),
        (
            "{0} {} {input.__class__} {input!r} {input:>9} {{input}}",
            "x",
            {},
            "{0} {} {input.__class__} {input!r} {input:>9} {x}",
        ),
        ("{input} $(id) `id` ; %n {{7*7}}", "$(id)", {}, "$(id) $(id) `id` ; %n {{7*7}}"),
    ],
)
def test_render_only_replaces_names(prompt: str, text: str, values: dict[str, Any], expected: str) -> None:
    assert render(book(prompt), text, values) == expected


@given(st.text(), st.text(), st.dictionaries(st.from_regex(r"[a-z]{1,3}\Z", fullmatch=True), st.text(), max_size=3))
def test_render_accepts_any_template(prompt: str, text: str, values: dict[str, str]) -> None:
    rendered = render(book(prompt), text, values)

    assert text in rendered or "{input}" not in prompt
    if "{" not in prompt and not text:
        assert rendered == prompt


def test_bind_converts_arguments() -> None:
    playbook, _ = playbooks.parse("audit", AUDIT)

    assert bind(playbook, {"depth": "3", "strict": "yes"}) == {"mode": "dry", "depth": 3, "strict": True}
    with pytest.raises(InvalidInput, match="missing argument of playbook audit: depth"):
        bind(playbook, {})
    with pytest.raises(InvalidInput, match="unknown argument 'dpth' of playbook audit"):
        bind(playbook, {"dpth": "3"})
    with pytest.raises(InvalidInput, match="depth must be of type int"):
        bind(playbook, {"depth": "three"})
    with pytest.raises(InvalidInput, match="depth must be of type int"):
        bind(playbook, {"depth": "9" * 5000})


def test_words_and_numbers_are_text_where_text_is_expected() -> None:
    """YAML takes `no` for a boolean and `0123` for a number; people mean the text."""
    agent, of_agent = agents.parse("a", "---\nprovider: script\ndescription: no\nmodel: 0123\nyolo: no\n---\nhi\n")
    arguments = "args:\n  flag: {default: no}\n  depth: {type: int, default: 12}\n"
    playbook, of_playbook = playbooks.parse("p", f"prompt: 0123\n{arguments}")

    assert (agent.description, agent.model, agent.yolo, of_agent) == ("no", "0123", False, [])
    assert (playbook.prompt, [arg.default for arg in playbook.args], of_playbook) == ("0123", ["no", 12], [])
