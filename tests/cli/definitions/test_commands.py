"""`li agents`, `playbooks`, `skills` and `plugins` as people and programs use them."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from tests.support.commands import Said, here, li, on_terminal

GROUPS = ("agents", "playbooks", "skills", "plugins")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, with nothing of the person who runs the tests."""
    monkeypatch.setenv("LIONAGI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    for name in ("LIONAGI_DB", "VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return tmp_path / "home"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def env(home: Path) -> dict[str, str]:
    return {"LIONAGI_HOME": str(home), "CLAUDE_CONFIG_DIR": str(home.parent / "claude")}


def plugin(folder: Path) -> Path:
    write(folder / ".claude-plugin" / "plugin.json", '{"name": "tools", "version": "1.2.0", "description": "Tools"}')
    write(folder / "skills" / "pdf" / "SKILL.md", "---\nname: pdf\ndescription: For PDFs\n---\nDo it.")
    write(folder / "agents" / "helper.md", "---\ndescription: Helps\n---\nYou help.")
    write(folder / "commands" / "git" / "commit.md", "---\ndescription: Commits\n---\nCommit.")
    hooks = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "touch canary"}]}]}}
    write(folder / "hooks" / "hooks.json", json.dumps(hooks))
    write(folder / ".mcp.json", json.dumps({"mcpServers": {"db": {"command": "serve", "env": {"TOKEN": "secret"}}}}))
    return folder


@pytest.mark.parametrize("group", GROUPS)
def test_an_empty_home_says_where_was_looked_and_makes_nothing(group: str, home: Path) -> None:
    done = here(group, "ls")

    assert (done.code, done.out) == (0, "")
    assert str(home) in done.err
    assert here(group, "ls", "--json").json[group] == []
    assert not home.exists()


@pytest.mark.parametrize("group", GROUPS)
def test_what_does_not_exist_is_not_found(group: str, home: Path) -> None:
    done = here(group, "show", "nobody")

    assert (done.code, done.out) == (3, "")
    assert f"li {group} ls" in done.err


def test_a_list_for_people_programs_and_pipes(home: Path) -> None:
    write(home / "agents" / "reviewer.md", '---\nmodel: sonnet\ndescription: "Reviews\\e[31m it"\n---\nprompt')
    write(home / "agents" / "broken.md", "---\nmodel: [\n---\n")
    write(Path(".lionagi/agents/reviewer.md"), "---\nmodel: opus\n---\nprompt")

    found = here("agents", "ls", "--json").json
    assert [(each["name"], each["origin"], each.get("model"), each["error"] is None) for each in found["agents"]] == [
        ("broken", "home", None, False),
        ("reviewer", "project", "opus", True),
        ("reviewer", "home", "sonnet", True),
    ]
    assert found["places"] == [str(Path.cwd() / ".lionagi" / "agents"), str(home / "agents")]
    piped = here("agents", "ls").out.splitlines()
    assert [line.split("\t")[0] for line in piped] == ["broken", "reviewer", "reviewer"]
    seen = on_terminal("agents", "ls", env=env(home), columns=120).out
    assert "NAME" in seen
    assert "1 agent invalid" in seen
    assert "not valid YAML" in seen
    assert "not used:" in seen
    assert "\x1b[31m it" not in seen


def test_show_tells_what_it_says_and_what_is_wrong(home: Path) -> None:
    text = "---\nmodel: sonnet\ntimeout: soon\nrole: x\n---\nYou are it.\x07\n"
    write(home / "agents" / "it.md", text)

    data = here("agents", "show", "it", "--json").json["agent"]
    assert (data["text"], data["fields"]["extra"], data["error"]) == (
        text,
        {"role": "x"},
        "line 3: timeout must be a whole number of seconds from 1 to 2592000, not 'soon'",
    )
    assert "You are it." in here("agents", "show", "it").out
    assert li("agents", "show", "it", "--text", env=env(home)).out == text
    assert "\x07" not in on_terminal("agents", "show", "it", "--text", env=env(home)).out


def test_validate_has_file_line_and_advice_and_fails_only_for_errors(home: Path) -> None:
    write(home / "playbooks" / "warned.yaml", "prompt: hello {nmae}\n")
    good = here("playbooks", "validate")
    assert good.code == 0
    assert f"{home}/playbooks/warned.yaml:1: warning: the prompt names {{nmae}}" in good.out

    draft = write(Path("draft.playbook.yaml"), "description: x\nargs:\n  n: {type: int, default: ten}\n")
    bad = here("playbooks", "validate", str(draft), "warned")
    assert bad.code == 1
    assert f"{draft.resolve()}:3: error: the default of n is 'ten', which is no int" in bad.out
    assert "→ quote it if it is text, or change the type" in bad.out
    assert bad.out.endswith("2 errors, 1 warning in 2 playbooks.\n")
    wire = here("playbooks", "validate", str(draft), "--json").json
    assert (wire["errors"], wire["warnings"]) == (2, 0)
    assert here("playbooks", "validate", "missing.yaml").code == 1


def test_new_show_history_diff_rollback(home: Path) -> None:
    made = here("agents", "new", "reviewer")
    path = home / "agents" / "reviewer.md"
    assert (made.code, made.out) == (0, f"{path}\n")
    first = path.read_text()
    assert here("agents", "validate", "reviewer").code == 0
    assert here("agents", "new", "reviewer").code == 1

    path.write_text(first + "One more line.\n")
    history = here("agents", "history", "reviewer", "--json").json["versions"]
    assert [(each["version"], each["author"], each["on_disk"]) for each in history] == [
        (2, "disk", True),
        (1, "li", False),
    ]
    assert "+One more line.\n" in here("agents", "diff", "reviewer").out
    assert "-One more line.\n" in here("agents", "diff", "reviewer", "2", "1").out
    assert "\x1b[32m+One more line.\x1b[0m" in on_terminal("agents", "diff", "reviewer", env=env(home)).out

    assert here("agents", "rollback", "reviewer", "1").code == 0
    assert path.read_text() == first
    assert here("agents", "show", "reviewer", "--text", "--version", "2").out.endswith("One more line.\n")
    path.unlink()
    assert here("agents", "rollback", "reviewer", "2").code == 0
    assert path.read_text().endswith("One more line.\n")
    assert here("agents", "rollback", "reviewer", "99").code == 3
    assert here("agents", "history", "nobody").code == 3
    assert "on disk" in on_terminal("agents", "history", "reviewer", env=env(home)).out


@pytest.mark.parametrize(("group", "text"), [("agents", "You are it.\n"), ("playbooks", "prompt: do it\n")])
def test_new_from_a_file_and_from_standard_input(group: str, text: str, home: Path) -> None:
    write(Path("draft"), text)

    assert here(group, "new", "one", "--from", "draft").code == 0
    assert li(group, "new", "two", "--from", "-", env=env(home), input=text.encode()).code == 0
    found = here(group, "ls", "--json").json[group]
    assert [each["name"] for each in found] == ["one", "two"]
    assert len({each["etag"] for each in found}) == 1


def test_new_respects_what_has_the_name_already(home: Path) -> None:
    write(home / "agents" / "it" / "it.md", "prompt")
    write(Path(".lionagi/agents/mine.md"), "prompt")

    assert here("agents", "new", "it").code == 1
    assert not (home / "agents" / "it.md").exists()
    made = here("agents", "new", "mine")
    assert made.code == 0
    assert "takes precedence (same name)" in made.err


@pytest.mark.parametrize("name", ["../x", "a/b", ".x", "x" * 101])
def test_new_refuses_a_name_that_is_no_name(name: str, home: Path) -> None:
    assert here("agents", "new", name).code == 2
    assert not home.exists()


def test_new_refuses_a_text_with_errors_and_writes_nothing(home: Path) -> None:
    write(Path("draft.md"), "---\ntimeout: soon\n---\nprompt")

    done = here("agents", "new", "it", "--from", "draft.md")

    assert done.code == 2
    assert "line 2: timeout must be" in done.err
    assert not home.exists()


def test_new_opens_the_editor_and_records_what_was_written(home: Path, tmp_path: Path) -> None:
    editor = write(tmp_path / "my editor", '#!/bin/sh\necho "More." >> "$2"\n')
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)

    done = on_terminal("agents", "new", "it", "--edit", env={**env(home), "EDITOR": f"'{editor}' --wait"})

    assert done.code == 0
    assert (home / "agents" / "it.md").read_text().endswith("More.\n")
    assert len(here("agents", "history", "it", "--json").json["versions"]) == 2
    refused = here("agents", "new", "other", "--edit")
    assert (refused.code, "needs a terminal" in refused.err) == (2, True)


def test_a_list_works_where_nothing_can_be_written(home: Path) -> None:
    write(home / "agents" / "it.md", "prompt")
    write(home / "state.db", "this is no database")

    done = here("agents", "ls")

    assert (done.code, done.out.split("\t")[0]) == (0, "it")
    assert "Could not record edits" in done.err
    assert (home / "state.db").read_text() == "this is no database"


def test_plugins_are_shown_with_everything_in_them_and_nothing_is_run(home: Path) -> None:
    plugin(home / "plugins" / "tools")
    claude = home.parent / "claude" / "plugins" / "cache" / "market" / "tools" / "1.10.0"
    plugin(claude)
    (claude / ".claude-plugin" / "plugin.json").write_text('{"name": "tools", "version": "1.10.0"}')
    market = home / "marketplace-mine"
    write(market / ".claude-plugin" / "marketplace.json", '{"plugins": [{"name": "bare", "source": "./bare"}, 7]}')
    write(market / "bare" / "skills" / "s" / "SKILL.md", "---\ndescription: x\n---\nx")

    found = here("plugins", "ls", "--json").json
    assert [(each["name"], each["version"], each["origin"]) for each in found["plugins"]] == [
        ("bare", None, "marketplace"),
        ("tools", "1.10.0", "claude"),
        ("tools", "1.2.0", "home"),
    ]
    assert found["places"] == [str(home / "plugins"), str(market), str(home.parent / "claude" / "plugins")]
    assert found["plugins"][2]["counts"] == {"skill": 1, "agent": 1, "command": 1, "hook": 1, "server": 1}

    shown = here("plugins", "show", "tools", "--json")
    parts = {part["kind"]: part for part in shown.json["plugin"]["components"]}
    assert (shown.json["plugin"]["version"], parts["hook"]["description"]) == ("1.10.0", "Bash: touch canary")
    assert "secret" not in shown.out
    seen = here("plugins", "show", "tools").out
    assert "hooks  (never run)" in seen
    assert here("plugins", "validate").code == 0
    assert not list(home.parent.rglob("canary"))

    skills = here("skills", "ls", "--json").json["skills"]
    assert [each["name"] for each in skills] == ["bare:s", "tools:pdf", "tools:pdf"]
    assert here("skills", "show", "tools:pdf").out.endswith("Do it.\n")


def test_a_plugin_that_points_out_of_its_folder_is_not_followed(home: Path, tmp_path: Path) -> None:
    write(tmp_path / "secret" / "x.md", "---\ndescription: secret\n---\nx")
    folder = plugin(home / "plugins" / "tools")
    manifest = {"name": "tools", "agents": ["../../../secret", "/etc"], "skills": "../..", "hooks": "../../hooks.json"}
    (folder / ".claude-plugin" / "plugin.json").write_text(json.dumps(manifest))
    (folder / "agents" / "linked.md").symlink_to(tmp_path / "secret" / "x.md")

    done = here("plugins", "validate", "tools")

    assert done.code == 1
    assert done.out.count("leads out of") == 5
    assert "description: secret" not in here("plugins", "show", "tools").out


def test_five_thousand_agents_are_listed_and_recorded(home: Path) -> None:
    (home / "agents").mkdir(parents=True)
    for n in range(5000):
        (home / "agents" / f"a{n:04}.md").write_text(f"---\nmodel: sonnet\n---\nYou are {n}.")
    os.mkfifo(home / "agents" / "pipe.md")

    first = here("agents", "ls")

    assert len(first.out.splitlines()) == 5001
    assert len(here("agents", "history", "a4999", "--json").json["versions"]) == 1
    assert here("agents", "ls") == Said(0, first.out, "")
