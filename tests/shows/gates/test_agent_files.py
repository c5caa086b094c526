"""Changed files that steer agents: what is followed, what is not, and the bounds."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.repositories import begun, commit, make_repo, write

from lionstudio.shows.gates import agent_files
from lionstudio.shows.gates.agent_files import changed_steering_files
from lionstudio.system import git as system_git


def changed(tmp_path: Path, before: dict[str, str], links: dict[str, str], after: dict[str, str]) -> list[str]:
    """Return the steering files among `after`, which are written on top of a repository."""
    users = make_repo(tmp_path / "users", before | {"README.md": "hello\n"})
    for name, target in links.items():
        (users / name).parent.mkdir(parents=True, exist_ok=True)
        (users / name).symlink_to(target.format(users=users))
    base = commit(users)
    write(users, after)
    return changed_steering_files(begun(users), base, commit(users))


def test_changed_steering_files_leaves_files_that_are_only_mentioned(tmp_path: Path) -> None:
    before = {
        "CLAUDE.md": "Read src/a.py and https://x.org/@y first; mail ann@src.\n@missing.md\n",
        ".claude/settings.json": '{"permissions": {"allow": ["Edit(src/a.py)"]}}',
        ".mcp.json": '{"mcpServers": {"files": {"command": "npx", "args": ["-y", "@x/files", "./src"]}}}',
    }
    assert changed(tmp_path, before, {}, {"src/a.py": "1\n", "new.md": "\n"}) == []


def test_changed_steering_files_survives_cycles_and_links_out_of_the_repository(tmp_path: Path) -> None:
    links = {"CLAUDE.md": "loop", "loop": "CLAUDE.md", "AGENTS.md": "../../x", "GEMINI.md": "/etc/passwd"}
    before = {".claude/a.md": "@b.md", ".claude/b.md": "@a.md @../../../../etc/passwd"}
    assert changed(tmp_path, before, links, {"x": "1\n", "etc/passwd": "1\n"}) == []


def test_changed_steering_files_follows_an_absolute_link_into_the_repository(tmp_path: Path) -> None:
    links = {"CLAUDE.md": "{users}/docs/AI.md"}
    assert changed(tmp_path, {}, links, {"docs/AI.md": "1\n"}) == ["docs/AI.md (target of CLAUDE.md)"]


@pytest.mark.parametrize(("depth", "expected"), [(5, ["d5.md (target of d4.md)"]), (6, [])])
def test_changed_steering_files_follows_imports_to_depth_five(tmp_path: Path, depth: int, expected: list[str]) -> None:
    before = {"CLAUDE.md": "@d1.md"} | {f"d{number}.md": f"@d{number + 1}.md" for number in range(1, 7)}
    assert changed(tmp_path, before, {}, {f"d{depth}.md": "obey\n"}) == expected


def test_changed_steering_files_starts_few_processes_and_reads_no_large_file(tmp_path: Path) -> None:
    before = {f"p{number}/CLAUDE.md": f"@a{number}.md" for number in range(100)}
    before |= {f"p{number}/a{number}.md": "x" for number in range(100)} | {"CLAUDE.md": "@README.md " * 100_000}
    users = make_repo(tmp_path / "users", before | {"README.md": "hello\n"})
    base = commit(users)
    write(users, {"README.md": "1\n", "p7/a7.md": "obey\n"})
    repo, result = begun(users), commit(users)
    started = system_git.processes_started
    assert changed_steering_files(repo, base, result) == ["p7/a7.md (target of p7/CLAUDE.md)"]
    assert system_git.processes_started - started <= 3 + 2 * 5


def test_changed_steering_files_is_bounded_for_a_hostile_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A play may commit anything before a person looks: the director must not work on it for hours."""
    deep = "/".join("a" * 300)
    resolved: list[str] = []
    resolve = agent_files._Tree._resolve

    def counted(tree: agent_files._Tree, path: str) -> list[str]:
        resolved.append(path)
        return resolve(tree, path)

    monkeypatch.setattr(agent_files, "_MOST_STEPS", 20_000)
    monkeypatch.setattr(agent_files._Tree, "_resolve", counted)
    links = {f"l{number}": "x/../" * 200 + f"l{number + 1}" for number in range(60)}
    after = {
        f".claude/{deep}/x.md": " ".join(f"@a/{number}" for number in range(100_000)),
        ".claude/settings.json": '{"command": "' + "${" * 400_000 + '"}',
        "CLAUDE.md": "@l0 " + "@a/../" * 100_000,
    }
    assert set(changed(tmp_path, {}, links, after)) == set(after)
    assert len(resolved) < 30_000
