"""A command, option, setting, environment variable or route that is not in docs/ fails here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.routing import Route

from commands_reference import BEGIN, shown_actions
from lionstudio.agents import script
from lionstudio.cli._toolkit.args import load
from lionstudio.cli.registry import COMMANDS, GLOBAL_OPTIONS
from lionstudio.cli.run import agent
from lionstudio.files.shows import plan_fields
from lionstudio.model.status.statuses import PlayStatus
from lionstudio.settings import SETTINGS
from lionstudio.studio.app import create_app

ROOT = Path(__file__).resolve().parents[2]
RENEW = "renew docs/reference/commands.md with: make docs"
VARIABLE = re.compile(r"""\bLIONAGI_[A-Z_]+\b|environ(?:\.get)?[\[(]["']([A-Z][A-Z_]+)["']""")


def document(name: str) -> str:
    return (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")


def section(command: str) -> str:
    """What docs/reference/commands.md says of one command."""
    found = re.search(rf"^### li {command}\n(.*?)(?=^##|\Z)", document("commands.md"), re.MULTILINE | re.DOTALL)
    assert found is not None, f"li {command} is not documented; {RENEW}"
    return found[1]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_option_is_documented_with_examples(command: str) -> None:
    shared = {"--help", *(option for option, _, _ in GLOBAL_OPTIONS)}
    text = section(command)

    for action in shown_actions(command):
        for name in () if shared.intersection(action.option_strings) else action.option_strings:
            assert re.search(rf"[`, ]{name}[`, ]", text), f"{name} of li {command} is missing; {RENEW}"
    for example, _ in load(command).EXAMPLES:
        assert example in text, f"an example of li {command} is missing; {RENEW}"


def test_no_command_is_documented_that_does_not_exist() -> None:
    found = re.findall(r"^### li (.*)$", document("commands.md"), re.MULTILINE)

    assert [name for name in found if name not in COMMANDS] == [], RENEW


@pytest.mark.parametrize("option", [option for option, _, _ in GLOBAL_OPTIONS])
def test_what_all_commands_share_is_documented(option: str) -> None:
    assert f"{option}`" in document("commands.md").partition(BEGIN)[0].replace(" DIR`", "`").replace(" FILE`", "`")


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_setting_is_documented(setting: object) -> None:
    name, variable = setting.name, setting.variable  # type: ignore[attr-defined]

    assert re.search(rf"^\| `{name}` \| `{variable}` \|", document("settings.md"), re.MULTILINE)


def variables() -> set[str]:
    """The names of environment variables in our code."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "src").rglob("*.py"))]
    return {match[1] or match[0] for text in texts for match in VARIABLE.finditer(text)}


@pytest.mark.parametrize("variable", sorted(variables()))
def test_every_environment_variable_is_documented(variable: str) -> None:
    assert f"`{variable}`" in document("settings.md")


def routes() -> list[tuple[str, str]]:
    found = [route for route in create_app().routes if isinstance(route, Route)]
    return sorted((method, route.path) for route in found for method in route.methods or () if method != "HEAD")


@pytest.mark.parametrize(("method", "path"), routes())
def test_every_route_is_documented(method: str, path: str) -> None:
    assert f"`{method} {path}`" in document("api.md"), f"docs/reference/api.md does not name {method} {path}"


def keys_of_plans() -> list[tuple[str, str]]:
    tables = {
        "show": plan_fields.PLAN_RULES,
        "a play": plan_fields.PLAY_RULES,
        "a gate": plan_fields.GATE_RULES,
        "the budget": plan_fields.BUDGET_RULES,
        "notify": plan_fields.NOTIFY_RULES,
    }
    return [(table, key) for table, rules in tables.items() for key in rules]


@pytest.mark.parametrize(("table", "key"), keys_of_plans())
def test_every_key_of_a_plan_is_documented(table: str, key: str) -> None:
    pattern = rf"^\| key of (?:the )?{table} \| means \|\n(.*?)\n\n"
    found = re.search(pattern, document("shows.md"), re.MULTILINE | re.DOTALL)
    assert found is not None
    assert re.search(rf"^\| `{key}` \|", found[1], re.MULTILINE), (
        f"docs/reference/shows.md does not name {key} of {table}"
    )


@pytest.mark.parametrize("status", list(PlayStatus))
def test_every_status_of_a_play_is_explained(status: str) -> None:
    assert f"\n| `{status}` |" in document("shows.md")


@pytest.mark.parametrize("word", script._COMMANDS)
def test_every_word_of_the_scripted_agent_is_documented_and_in_the_help(word: str) -> None:
    told = document("agents.md").partition("## The scripted agent")[2].partition("\n## ")[0]

    assert re.search(rf"^\| .*`@{word}\b", told, re.MULTILINE), f"docs/reference/agents.md does not explain @{word}"
    assert f"@{word}" in agent.DESCRIPTION
