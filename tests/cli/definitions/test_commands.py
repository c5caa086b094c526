"""`li agents`, `li playbooks`, `li skills` and `li plugins`."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from tests.support.commands import CommandResult, li, run_li, run_on_terminal
from tests.support.trusted import trust_repository

GROUPS = ("agents", "playbooks", "skills", "plugins")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, isolated from the user who runs the tests."""
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
def test_ls_of_an_empty_home_prints_the_searched_folders(group: str, home: Path) -> None:
    done = run_li(group, "ls")

    assert (done.code, done.out) == (0, "")
    assert str(home) in done.err
    assert run_li(group, "ls", "--json").json[group] == []
    assert not home.exists()


@pytest.mark.parametrize("group", GROUPS)
def test_show_of_a_missing_definition_is_not_found(group: str, home: Path) -> None:
    done = run_li(group, "show", "nobody")

    assert (done.code, done.out) == (3, "")
    assert f"li {group} ls" in done.err


def test_ls_formats_for_terminal_json_and_pipe(home: Path) -> None:
    write(home / "agents" / "reviewer.md", '---\nmodel: sonnet\ndescription: "Reviews\\e[31m it"\n---\nprompt')
    write(home / "agents" / "broken.md", "---\nmodel: [\n---\n")
    write(Path(".lionagi/agents/reviewer.md"), "---\nmodel: opus\n---\nprompt")
    trust_repository(home, Path.cwd())

    found = run_li("agents", "ls", "--json").json
    assert [(each["name"], each["origin"], each.get("model"), each["error"] is None) for each in found["agents"]] == [
        ("broken", "home", None, False),
        ("reviewer", "home", "sonnet", True),
        ("reviewer", "project", "opus", True),
    ]
    assert found["places"] == [str(home / "agents"), str(Path.cwd() / ".lionagi" / "agents")]
    piped = run_li("agents", "ls").out.splitlines()
    assert [line.split("\t")[0] for line in piped] == ["broken", "reviewer", "reviewer"]
    output = run_on_terminal("agents", "ls", env=env(home), columns=120).out
    assert "NAME" in output
    assert "1 agent invalid" in output
    assert "not valid YAML" in output
    assert "not used:" in output
    assert "\x1b[31m it" not in output


def test_show_prints_fields_and_problems(home: Path) -> None:
    text = "---\nmodel: sonnet\ntimeout: soon\nrole: x\n---\nYou are it.\x07\n"
    write(home / "agents" / "it.md", text)

    data = run_li("agents", "show", "it", "--json").json["agent"]
    assert (data["text"], data["fields"]["extra"], data["error"]) == (
        text,
        {"role": "x"},
        "line 3: timeout must be an integer from 1 to 2592000 (seconds), not 'soon'",
    )
    assert "You are it." in run_li("agents", "show", "it").out
    assert li("agents", "show", "it", "--text", env=env(home)).out == text
    assert "\x07" not in run_on_terminal("agents", "show", "it", "--text", env=env(home)).out


def test_validate_prints_lines_and_fails_only_for_errors(home: Path) -> None:
    write(home / "playbooks" / "warned.yaml", "prompt: hello {nmae}\n")
    good = run_li("playbooks", "validate")
    assert good.code == 0
    assert f"{home}/playbooks/warned.yaml:1: warning: {{nmae}} in the prompt" in good.out

    draft = write(Path("draft.playbook.yaml"), "description: x\nargs:\n  n: {type: int, default: ten}\n")
    bad = run_li("playbooks", "validate", str(draft), "warned")
    assert bad.code == 1
    assert f"{draft.resolve()}:3: error: the default of n must be of type int, not 'ten'" in bad.out
    assert "→ quote it if it is text, or change the type" in bad.out
    assert bad.out.endswith("2 errors, 1 warning in 2 playbooks.\n")
    wire = run_li("playbooks", "validate", str(draft), "--json").json
    assert (wire["errors"], wire["warnings"]) == (2, 0)
    assert run_li("playbooks", "validate", "missing.yaml").code == 1


def test_new_show_history_diff_rollback(home: Path) -> None:
    made = run_li("agents", "new", "reviewer")
    path = home / "agents" / "reviewer.md"
    assert (made.code, made.out) == (0, f"{path}\n")
    first = path.read_text()
    assert run_li("agents", "validate", "reviewer").code == 0
    assert run_li("agents", "new", "reviewer").code == 1

    path.write_text(first + "One more line.\n")
    history = run_li("agents", "history", "reviewer", "--json").json["versions"]
    assert [(each["version"], each["author"], each["on_disk"]) for each in history] == [
        (2, "disk", True),
        (1, "li", False),
    ]
    assert "+One more line.\n" in run_li("agents", "diff", "reviewer").out
    assert "-One more line.\n" in run_li("agents", "diff", "reviewer", "2", "1").out
    assert "\x1b[32m+One more line.\x1b[0m" in run_on_terminal("agents", "diff", "reviewer", env=env(home)).out

    assert run_li("agents", "rollback", "reviewer", "1").code == 0
    assert path.read_text() == first
    assert run_li("agents", "show", "reviewer", "--text", "--version", "2").out.endswith("One more line.\n")
    path.unlink()
    assert run_li("agents", "rollback", "reviewer", "2").code == 0
    assert path.read_text().endswith("One more line.\n")
    assert run_li("agents", "rollback", "reviewer", "99").code == 3
    assert run_li("agents", "history", "nobody").code == 3
    assert "on disk" in run_on_terminal("agents", "history", "reviewer", env=env(home)).out


@pytest.mark.parametrize(("group", "text"), [("agents", "You are it.\n"), ("playbooks", "prompt: do it\n")])
def test_new_reads_a_file_or_stdin(group: str, text: str, home: Path) -> None:
    write(Path("draft"), text)

    assert run_li(group, "new", "one", "--from", "draft").code == 0
    assert li(group, "new", "two", "--from", "-", env=env(home), input=text.encode()).code == 0
    found = run_li(group, "ls", "--json").json[group]
    assert [each["name"] for each in found] == ["one", "two"]
    assert len({each["etag"] for each in found}) == 1


def test_new_never_overwrites_an_existing_name(home: Path) -> None:
    write(home / "agents" / "it" / "it.md", "prompt")
    write(Path(".lionagi/agents/mine.md"), "prompt")
    trust_repository(home, Path.cwd())

    assert run_li("agents", "new", "it").code == 1
    assert not (home / "agents" / "it.md").exists()
    made = run_li("agents", "new", "mine")
    assert made.code == 0
    assert "is no longer used here (same name)" in made.err


@pytest.mark.parametrize("name", ["../x", "a/b", ".x", "x" * 101])
def test_new_rejects_an_invalid_name(name: str, home: Path) -> None:
    assert run_li("agents", "new", name).code == 2
    assert not home.exists()


def test_new_rejects_an_invalid_text_and_writes_nothing(home: Path) -> None:
    write(Path("draft.md"), "---\ntimeout: soon\n---\nprompt")

    done = run_li("agents", "new", "it", "--from", "draft.md")

    assert done.code == 2
    assert "line 2: timeout must be" in done.err
    assert not home.exists()


def test_new_edit_records_the_edited_text(home: Path, tmp_path: Path) -> None:
    editor = write(tmp_path / "my editor", '#!/bin/sh\necho "More." >> "$2"\n')
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)

    done = run_on_terminal("agents", "new", "it", "--edit", env={**env(home), "EDITOR": f"'{editor}' --wait"})

    assert done.code == 0
    assert (home / "agents" / "it.md").read_text().endswith("More.\n")
    assert len(run_li("agents", "history", "it", "--json").json["versions"]) == 2
    refused = run_li("agents", "new", "other", "--edit")
    assert (refused.code, "needs a terminal" in refused.err) == (2, True)


def test_ls_works_without_a_writable_database(home: Path) -> None:
    write(home / "agents" / "it.md", "prompt")
    write(home / "state.db", "this is no database")

    done = run_li("agents", "ls")

    assert (done.code, done.out.split("\t")[0]) == (0, "it")
    assert "Could not record edits" in done.err
    assert (home / "state.db").read_text() == "this is no database"


def test_plugins_show_lists_components_without_running_them(home: Path) -> None:
    plugin(home / "plugins" / "tools")
    claude = home.parent / "claude" / "plugins" / "cache" / "market" / "tools" / "1.10.0"
    plugin(claude)
    (claude / ".claude-plugin" / "plugin.json").write_text('{"name": "tools", "version": "1.10.0"}')
    market = home / "marketplace-mine"
    write(market / ".claude-plugin" / "marketplace.json", '{"plugins": [{"name": "bare", "source": "./bare"}, 7]}')
    write(market / "bare" / "skills" / "s" / "SKILL.md", "---\ndescription: x\n---\nx")

    found = run_li("plugins", "ls", "--json").json
    assert [(each["name"], each["version"], each["origin"]) for each in found["plugins"]] == [
        ("bare", None, "marketplace"),
        ("tools", "1.10.0", "claude"),
        ("tools", "1.2.0", "home"),
    ]
    assert found["places"] == [str(home / "plugins"), str(market), str(home.parent / "claude" / "plugins")]
    assert found["plugins"][2]["counts"] == {"skill": 1, "agent": 1, "command": 1, "hook": 1, "server": 1}

    shown = run_li("plugins", "show", "tools", "--json")
    parts = {part["kind"]: part for part in shown.json["plugin"]["components"]}
    assert (shown.json["plugin"]["version"], parts["hook"]["description"]) == ("1.10.0", "Bash: touch canary")
    assert "secret" not in shown.out
    output = run_li("plugins", "show", "tools").out
    assert "hooks  (never run)" in output
    assert run_li("plugins", "validate").code == 0
    assert not list(home.parent.rglob("canary"))

    skills = run_li("skills", "ls", "--json").json["skills"]
    assert [each["name"] for each in skills] == ["bare:s", "tools:pdf", "tools:pdf"]
    assert run_li("skills", "show", "tools:pdf").out.endswith("Do it.\n")


def test_plugins_do_not_follow_paths_outside_their_folder(home: Path, tmp_path: Path) -> None:
    write(tmp_path / "secret" / "x.md", "---\ndescription: secret\n---\nx")
    folder = plugin(home / "plugins" / "tools")
    manifest = {"name": "tools", "agents": ["../../../secret", "/etc"], "skills": "../..", "hooks": "../../hooks.json"}
    (folder / ".claude-plugin" / "plugin.json").write_text(json.dumps(manifest))
    (folder / "agents" / "linked.md").symlink_to(tmp_path / "secret" / "x.md")

    done = run_li("plugins", "validate", "tools")

    assert done.code == 1
    assert done.out.count("leads out of") == 5
    assert "description: secret" not in run_li("plugins", "show", "tools").out


def test_ls_handles_five_thousand_agents(home: Path) -> None:
    (home / "agents").mkdir(parents=True)
    for n in range(5000):
        (home / "agents" / f"a{n:04}.md").write_text(f"---\nmodel: sonnet\n---\nYou are {n}.")
    os.mkfifo(home / "agents" / "pipe.md")

    first = run_li("agents", "ls")

    assert len(first.out.splitlines()) == 5001
    assert len(run_li("agents", "history", "a4999", "--json").json["versions"]) == 1
    assert run_li("agents", "ls") == CommandResult(0, first.out, "")
