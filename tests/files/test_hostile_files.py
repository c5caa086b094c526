"""Hostile folders: every list is complete and fast, with one entry for each broken item."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.hostile_folders import ALIAS_BOMB, DEEP_JSON, DEEP_YAML, as_unprivileged_user, open_folder, plant

from lionstudio.files.definitions.catalog import list_definitions, to_dict
from lionstudio.files.definitions.plugins import list_plugins, list_skills
from lionstudio.files.definitions.plugins import to_dict as plugin_dict
from lionstudio.files.teams.team_file import list_team_files

MANY = 5000
SECONDS = 2.0  # of processor time: other processes do not count

AGENT = "---\nmodel: claude-code/sonnet\neffort: high\ndescription: number {n}\n---\nYou are number {n}.\n"
PLAYBOOK = "description: number {n}\nargs:\n  depth: {{type: int, default: 2}}\nprompt: 'do {{depth}} {{input}}'\n"
SKILL = "---\nname: skill-{n}\ndescription: number {n}\n---\nDo it.\n"


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder that an unprivileged user can reach."""
    with open_folder() as folder:
        yield folder


@contextmanager
def in_time() -> Iterator[None]:
    began = time.process_time()
    yield
    assert time.process_time() - began < SECONDS


def bombed(head: str) -> bytes:
    return f"---\n{head}\n---\nprompt\n".encode()


@pytest.mark.parametrize(
    ("kind", "folder", "suffix", "good", "broken", "bomb"),
    [
        ("agent", "agents", ".md", AGENT, b"---\nmodel: [\n---\n", bombed(ALIAS_BOMB)),
        ("agent", "agents", ".md", AGENT, b"---\nmodel: x", bombed(DEEP_YAML)),
        ("playbook", "playbooks", ".playbook.yaml", PLAYBOOK, b"prompt: [", ALIAS_BOMB.encode()),
        ("playbook", "playbooks", ".yaml", PLAYBOOK, b"prompt: {", DEEP_YAML.encode()),
    ],
)
def test_list_definitions_survives_hostile_files(
    kind: str, folder: str, suffix: str, good: str, broken: bytes, bomb: bytes, tmp_path: Path
) -> None:
    place = tmp_path / "home" / folder
    place.mkdir(parents=True)
    for n in range(MANY):
        (place / f"good-{n:04}{suffix}").write_text(good.format(n=n))
    elsewhere = tmp_path / f"elsewhere{suffix}"
    elsewhere.write_text(good.format(n=-1))
    (place / f"linked{suffix}").symlink_to(elsewhere)
    planted = plant(lambda name: place / f"{name}{suffix}", broken=broken, bomb=bomb)

    with as_unprivileged_user(tmp_path), in_time():
        found = list_definitions(kind, str(tmp_path / "home"), str(tmp_path))
        texts = json.dumps([to_dict(each, whole=True) for each in found])

    bad = {each.path for each in found if each.error is not None}
    assert bad == {str(path) for path in planted.values()}
    assert len(found) == MANY + 1 + len(planted)
    assert next(each for each in found if each.name == "linked").value is not None
    assert len(texts) < 1000 * (MANY + 100), "something blew up on the way to JSON"


def test_list_definitions_unreadable_folder_is_one_entry(tmp_path: Path) -> None:
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents").chmod(0)

    with as_unprivileged_user(tmp_path):
        found = list_definitions("agent", str(tmp_path), str(tmp_path))

    assert [each.error is not None for each in found] == [True]


def test_list_definitions_file_as_folder_is_one_entry(tmp_path: Path) -> None:
    (tmp_path / "agents").write_text("no folder")

    (found,) = list_definitions("agent", str(tmp_path), str(tmp_path))

    assert found.error is not None
    assert "is not a folder" in found.error


def test_read_definition_vanished_file_is_one_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stays", "vanishes"):
        (tmp_path / "agents").mkdir(exist_ok=True)
        (tmp_path / "agents" / f"{name}.md").write_text("prompt")
    real = os.stat

    def vanish(path: str, **options: bool) -> os.stat_result:
        if str(path).endswith("stays.md"):
            (tmp_path / "agents" / "vanishes.md").unlink(missing_ok=True)
        return real(path, **options)

    monkeypatch.setattr(os, "stat", vanish)
    found = list_definitions("agent", str(tmp_path), str(tmp_path))

    assert [(each.name, each.error is None) for each in found] == [("stays", True), ("vanishes", False)]


def test_list_skills_survives_hostile_files(tmp_path: Path) -> None:
    place = tmp_path / "home" / "skills"
    for n in range(MANY):
        (place / f"good-{n:04}").mkdir(parents=True)
        (place / f"good-{n:04}" / "SKILL.md").write_text(SKILL.format(n=n))
    planted = plant(lambda name: place / name / "SKILL.md", broken=b"---\nname: [\n---\n", bomb=bombed(ALIAS_BOMB))
    (place / "round").symlink_to("round")
    (place / "closed-folder").mkdir(mode=0)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "SKILL.md").write_text(SKILL.format(n=1))
    (place / "leads-out").symlink_to(outside)

    with as_unprivileged_user(tmp_path), in_time():
        found = list_skills(str(tmp_path / "home"), str(tmp_path), str(tmp_path / "claude"))

    bad = [each for each in found if each.error is not None]
    assert len(bad) == len(planted) + 3
    assert len(found) == MANY + len(bad)
    (out,) = [each for each in found if each.name == "leads-out"]
    assert out.text is None
    assert out.error is not None
    assert "leads out of" in out.error


def test_list_plugins_survives_hostile_files(tmp_path: Path) -> None:
    place = tmp_path / "home" / "plugins"
    for n in range(500):
        (place / f"good-{n:03}" / ".claude-plugin").mkdir(parents=True)
        (place / f"good-{n:03}" / ".claude-plugin" / "plugin.json").write_text(f'{{"name": "good-{n:03}"}}')
    many = place / "good-000" / "skills"
    for n in range(2000):
        (many / f"skill-{n:04}").mkdir(parents=True)
        (many / f"skill-{n:04}" / "SKILL.md").write_text(SKILL.format(n=n))
    planted = plant(
        lambda name: place / f"bad {name}" / ".claude-plugin" / "plugin.json",
        broken=b'{"name": ',
        bomb=DEEP_JSON.encode(),
    )
    parts = plant(
        lambda name: place / "good-001" / "agents" / f"{name}.md", broken=b"---\nx: [\n---\n", bomb=bombed(ALIAS_BOMB)
    )
    (place / "round").symlink_to(place)
    (place / "leads-out").symlink_to("/usr")

    with as_unprivileged_user(tmp_path), in_time():
        scan = list_plugins(str(tmp_path / "home"), str(tmp_path / "claude"))
        json.dumps([plugin_dict(each, whole=True) for each in scan.plugins])

    # a manifest that is a folder is not a file either, and a folder is found by its name
    assert {each.path for each in scan.plugins if each.error} == {str(path.parent.parent) for path in planted.values()}
    assert len(scan.plugins) == 500 + len(planted)
    of_one = {each.name: each for each in scan.plugins}
    assert len(of_one["good-000"].components) == 2000
    assert len([part for part in of_one["good-001"].components if part.problems]) == len(parts)
    assert not any(each.path.startswith("/usr") for each in scan.plugins)


def test_list_team_files_survives_hostile_files(tmp_path: Path) -> None:
    place = tmp_path / "teams"
    place.mkdir()
    for n in range(MANY):
        message = {"id": f"m{n}", "from": "a", "to": ["b"], "content": "hi", "timestamp": "2026-11-15T20:12:41+00:00"}
        team = {"id": f"t{n:04}", "name": f"team {n}", "members": ["a", "b"], "messages": [message]}
        (place / f"t{n:04}.json").write_text(json.dumps(team))
    planted = plant(lambda name: place / f"{name}.json", broken=b'{"id": "x", "mess', bomb=DEEP_JSON.encode())
    more: dict[str, Callable[[], object]] = {
        "list.json": lambda: [],
        "messages.json": lambda: {"messages": "none"},
        "id.json": lambda: {"id": "../../etc/passwd", "messages": []},
    }
    for name, make in more.items():
        (place / name).write_text(json.dumps(make()))

    with as_unprivileged_user(tmp_path), in_time():
        found = list_team_files(str(tmp_path))

    bad = {each.path for each in found if each.error is not None}
    assert bad == {str(path) for path in planted.values()} | {str(place / name) for name in more}
    assert len(found) == MANY + len(bad)
