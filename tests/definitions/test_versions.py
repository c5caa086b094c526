"""Definitions on disk and their versions: search order, saves, and edits made by other programs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.children import environment
from tests.support.sql_trace import traced
from tests.support.trusted import trust_repository

from lionstudio.definitions.versions import (
    EDITED,
    FIRST_SEEN,
    Target,
    etag_of,
    list_recorded,
    new_target,
    record_edits,
    rollback,
    save,
    target_of,
)
from lionstudio.errors import Conflict, InvalidInput, NotFound, StorageFailed
from lionstudio.files.definitions.catalog import (
    Definition,
    find_definition,
    get_definition,
    list_definitions,
    load_value,
)
from lionstudio.state.database import Database
from lionstudio.state.definitions import Version, find_version, list_versions
from lionstudio.system import atomic_write


def agent(folder: Path, name: str, text: str = "prompt") -> Path:
    path = folder / "agents" / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def saved_versions(db: Database, key: str, kind: str = "agent") -> list[tuple[int, str, str | None]]:
    versions = db.read(lambda conn: list_versions(conn, kind, key))
    return [(version.version, version.content, version.message) for version in reversed(versions)]


def test_find_definition_prefers_the_home_then_the_nearest_project(tmp_path: Path) -> None:
    home, outer, inner = tmp_path / "home", tmp_path / "repo", tmp_path / "repo" / "package"
    inner.mkdir(parents=True)
    agent(home, "reviewer", "home")
    agent(outer / ".lionagi", "reviewer", "outer")
    agent(inner / ".lionagi", "reviewer", "inner")
    for repository in (outer, inner):
        trust_repository(home, repository)

    definitions = list_definitions("agent", str(home), str(inner))

    first = str(home / "agents" / "reviewer.md")
    assert [(item.text, item.place.origin, item.shadowed_by) for item in definitions] == [
        ("home", "home", None),
        ("inner", "project", first),
        ("outer", "project", first),
    ]
    assert get_definition("agent", "reviewer", str(home), str(inner)).text == "home"
    assert len({item.key for item in definitions}) == 3
    assert definitions[0].key == "reviewer"
    os.unlink(first)
    assert get_definition("agent", "reviewer", str(home), str(inner)).text == "inner"


def test_find_definition_prefers_folders_and_maps_dashes(tmp_path: Path) -> None:
    agent(tmp_path, "code-reviewer", "file")
    (tmp_path / "agents" / "code-reviewer" / "refs").mkdir(parents=True)
    (tmp_path / "agents" / "code-reviewer" / "code-reviewer.md").write_text("folder")
    (tmp_path / "agents" / "README.md").write_text("not an agent")
    (tmp_path / "agents" / ".hidden.md").write_text("not an agent")

    definitions = list_definitions("agent", str(tmp_path), str(tmp_path))

    assert [(item.text, item.shadowed_by is None) for item in definitions] == [("folder", True), ("file", False)]
    assert get_definition("agent", "code_reviewer", str(tmp_path), str(tmp_path)).text == "folder"


def test_playbooks_end_in_yaml_or_yml(tmp_path: Path) -> None:
    (tmp_path / "playbooks").mkdir()
    for name in ("a.playbook.yaml", "b.yaml", "c.yml", "d.playbook.yml", "e.txt"):
        (tmp_path / "playbooks" / name).write_text("prompt: x")

    assert [item.name for item in list_definitions("playbook", str(tmp_path), str(tmp_path))] == ["a", "b", "c", "d"]


@pytest.mark.parametrize("name", ["../secret", "a/b", "..", "/etc/passwd", "-x", "a\nb"])
def test_definition_name_stays_in_its_folder(name: str, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret")

    with pytest.raises(InvalidInput):
        find_definition("agent", name, str(tmp_path), str(tmp_path))


def test_list_definitions_follows_links_to_files_only(tmp_path: Path) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "linked.md").write_text("from afar")
    (home / "agents").mkdir(parents=True)
    (home / "agents" / "linked").symlink_to(elsewhere)
    (home / "agents" / "file.md").symlink_to(elsewhere / "linked.md")

    definitions = {item.name: item for item in list_definitions("agent", str(home), str(home))}

    assert definitions["file"].text == "from afar"
    assert definitions["linked"].error is not None
    assert "leads out of" in definitions["linked"].error


@pytest.mark.parametrize("kind", ["agent", "playbook"])
def test_project_definition_must_not_link_out_of_its_folder(kind: str, tmp_path: Path) -> None:
    """A cloned repository must not make us read, store and serve the user's other files."""
    (tmp_path / "secret").write_text("prompt: the key")
    folder = tmp_path / "project" / ".lionagi" / f"{kind}s"
    folder.mkdir(parents=True)
    suffix = ".md" if kind == "agent" else ".yaml"
    (folder / f"evil{suffix}").symlink_to(tmp_path / "secret")
    (folder / f"own{suffix}").write_text("prompt: mine")
    (folder / f"same{suffix}").symlink_to(f"own{suffix}")
    trust_repository(tmp_path / "home", tmp_path / "project")

    (evil, own, same) = list_definitions(kind, str(tmp_path / "home"), str(tmp_path / "project"))

    assert (evil.text, own.text, same.text) == (None, "prompt: mine", "prompt: mine")
    assert "leads out of" in str(evil.error)
    found = find_definition(kind, "evil", str(tmp_path / "home"), str(tmp_path / "project"))
    assert found is not None
    assert found.text is None


def test_definitions_of_other_owners_are_ignored(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    agent(tmp_path / "shared" / ".lionagi", "planted")
    os.chown(tmp_path / "shared" / ".lionagi", 12345, 12345)
    below = tmp_path / "shared" / "mine"
    below.mkdir()

    (definition,) = list_definitions("agent", str(tmp_path / "home"), str(below))

    assert definition.error == "not read: it belongs to another user (uid 12345)"
    assert find_definition("agent", "planted", str(tmp_path / "home"), str(below)) is None


def test_load_value_refuses_invalid_definitions(tmp_path: Path) -> None:
    agent(tmp_path, "bad", "---\ntimeout: soon\n---\nprompt")

    with pytest.raises(InvalidInput, match="line 2: timeout must be"):
        load_value(get_definition("agent", "bad", str(tmp_path), str(tmp_path)))
    with pytest.raises(NotFound, match="agent nobody does not exist"):
        get_definition("agent", "nobody", str(tmp_path), str(tmp_path))


# ── history ─────────────────────────────────────────────────────────────────


def seen(db: Database, home: Path) -> list[Version]:
    return record_edits(db, str(home), list_definitions("agent", str(home), str(home)))


def one(home: Path, name: str) -> Definition:
    return get_definition("agent", name, str(home), str(home))


def test_record_edits_adds_versions(db: Database, tmp_path: Path) -> None:
    home = tmp_path / "home"
    path = agent(home, "x", "first")
    assert [item.version for item in seen(db, home)] == [1]
    assert seen(db, home) == []

    path.write_text("second")
    assert [item.version for item in seen(db, home)] == [2]
    path.write_text("first")
    seen(db, home)

    assert saved_versions(db, "x") == [(1, "first", FIRST_SEEN), (2, "second", EDITED), (3, "first", EDITED)]


def test_record_edits_without_edits_costs_one_statement(db: Database, tmp_path: Path) -> None:
    home = tmp_path / "home"
    for n in range(50):
        agent(home, f"a{n}", f"prompt {n}")
    assert len(seen(db, home)) == 50

    definitions = list_definitions("agent", str(home), str(home))
    with traced(db.conn) as ran:
        record_edits(db, str(home), definitions)

    assert ran == []


def test_record_edits_includes_invalid_files(db: Database, tmp_path: Path) -> None:
    agent(tmp_path, "x", "---\nbroken: [\n---\n")

    seen(db, tmp_path)

    assert len(saved_versions(db, "x")) == 1


def test_save_adds_a_version_and_writes_the_file(db: Database, tmp_path: Path) -> None:
    target = new_target("agent", "x", str(tmp_path))

    version = save(db, str(tmp_path), target, "one\n", create=True, author="me", message="created")
    again = save(db, str(tmp_path), target, "two\r\n\ufeff", expected=version.sha256)

    assert Path(target.path).read_bytes().decode() == "two\r\n\ufeff"
    assert (again.version, again.sha256) == (2, one(tmp_path, "x").sha256)
    assert saved_versions(db, "x") == [(1, "one\n", "created"), (2, "two\r\n\ufeff", None)]


def test_save_refuses_to_overwrite_another_edit(db: Database, tmp_path: Path) -> None:
    target = new_target("agent", "x", str(tmp_path))
    version = save(db, str(tmp_path), target, "mine", create=True)
    Path(target.path).write_text("theirs")

    with pytest.raises(Conflict, match="was changed since you opened it"):
        save(db, str(tmp_path), target, "mine again", expected=version.sha256)
    with pytest.raises(Conflict, match="already"):
        save(db, str(tmp_path), target, "new", create=True)
    assert Path(target.path).read_text() == "theirs"

    save(db, str(tmp_path), target, "mine again", expected=f'"{etag_of("theirs")}"')
    assert [item[1] for item in saved_versions(db, "x")] == ["mine", "theirs", "mine again"]


def test_rollback_adds_a_version_and_restores_the_file(db: Database, tmp_path: Path) -> None:
    target = new_target("agent", "x", str(tmp_path))
    save(db, str(tmp_path), target, "one", create=True)
    save(db, str(tmp_path), target, "two")

    assert rollback(db, str(tmp_path), target, 1).version == 3
    assert Path(target.path).read_text() == "one"
    Path(target.path).unlink()
    rollback(db, str(tmp_path), target, 2)
    assert Path(target.path).read_text() == "two"
    assert [item[1] for item in saved_versions(db, "x")] == ["one", "two", "one", "two"]
    with pytest.raises(NotFound, match="version 9 of agent x not found"):
        rollback(db, str(tmp_path), target, 9)


@pytest.mark.parametrize("text", ["a\ud800", "a\0b", "x" * 5_000_001])
def test_save_refuses_invalid_text(text: str, db: Database, tmp_path: Path) -> None:
    target = new_target("agent", "x", str(tmp_path))

    with pytest.raises(InvalidInput):
        save(db, str(tmp_path), target, text, create=True)
    assert saved_versions(db, "x") == []
    assert not Path(target.path).exists()


def test_save_does_not_overwrite_an_unreadable_file(db: Database, tmp_path: Path) -> None:
    path = agent(tmp_path, "x")
    path.write_bytes(b"\xff only copy")

    with pytest.raises(InvalidInput, match="is not UTF-8"):
        save(db, str(tmp_path), new_target("agent", "x", str(tmp_path)), "new")
    assert path.read_bytes() == b"\xff only copy"


def test_save_with_unwritable_file_is_reconciled(db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = new_target("agent", "x", str(tmp_path))
    save(db, str(tmp_path), target, "old", create=True)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic_write, "_write_all", fail)
    with pytest.raises(StorageFailed):
        save(db, str(tmp_path), target, "new")
    monkeypatch.undo()
    assert Path(target.path).read_text() == "old"

    seen(db, tmp_path)
    assert saved_versions(db, "x") == [(1, "old", None), (2, "new", None), (3, "old", EDITED)]


def test_record_edits_waits_for_a_save(db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The list was made before the file was replaced; the text under the lock counts."""
    target = new_target("agent", "x", str(tmp_path))
    save(db, str(tmp_path), target, "old", create=True)
    listed = list_definitions("agent", str(tmp_path), str(tmp_path))
    save(db, str(tmp_path), target, "new")

    assert record_edits(db, str(tmp_path), listed) == []
    assert [item[1] for item in saved_versions(db, "x")] == ["old", "new"]


def test_record_edits_reads_again_after_a_save(db: Database, tmp_path: Path) -> None:
    """A reader that sees the row before the file is replaced would otherwise keep the old text."""
    target = new_target("agent", "x", str(tmp_path))
    save(db, str(tmp_path), target, "old", create=True)
    early = one(tmp_path, "x")
    save(db, str(tmp_path), target, "new")
    looks = iter([[early], [one(tmp_path, "x")]])

    assert [item.text for item in list_recorded(db, str(tmp_path), lambda: next(looks))] == ["new"]
    assert [item.text for item in list_recorded(db, str(tmp_path), lambda: [one(tmp_path, "x")])] == ["new"]


@pytest.mark.crash
@pytest.mark.parametrize(
    ("point", "texts"),
    [
        ("definition.row_written", ["old", "new", "old"]),
        ("file.temporary_written", ["old", "new", "old"]),
        ("definition.file_written", ["old", "new"]),
    ],
)
def test_killed_save_is_reconciled(point: str, texts: list[str], db: Database, tmp_path: Path) -> None:
    home = tmp_path / "home"
    target = new_target("agent", "x", str(home))
    save(db, str(home), target, "old", create=True)
    code = (
        "import sys; from lionstudio.definitions.versions import *\n"
        "from lionstudio.state.backends import open_database\n"
        "save(open_database(sys.argv[1]), sys.argv[2], new_target('agent', 'x', sys.argv[2]), 'new')"
    )
    killed = subprocess.run(
        [sys.executable, "-c", code, db.path, str(home)], env=environment(LIONAGI_CRASH_AT=point), capture_output=True
    )
    assert killed.returncode == -9, killed.stderr

    seen(db, home)

    assert [item[1] for item in saved_versions(db, "x")] == texts
    assert Path(target.path).read_text() == texts[-1]


def test_concurrent_saves_are_all_stored(db: Database, tmp_path: Path) -> None:
    code = (
        "import sys; from lionstudio.definitions.versions import *\n"
        "from lionstudio.state.backends import open_database\n"
        "db = open_database(sys.argv[1])\n"
        "for n in range(5): save(db, sys.argv[2], new_target('agent', 'x', sys.argv[2]), f'{sys.argv[3]} {n}')"
    )
    home = tmp_path / "home"
    command = [sys.executable, "-c", code, db.path, str(home)]
    running = [subprocess.Popen([*command, str(number)], env=environment()) for number in range(6)]
    assert [process.wait() for process in running] == [0] * 6

    saved = saved_versions(db, "x")
    assert sorted(text for _, text, _ in saved) == sorted(f"{number} {n}" for number in range(6) for n in range(5))
    assert [number for number, _, _ in saved] == list(range(1, 31))
    latest = db.read(lambda conn: find_version(conn, "agent", "x"))
    assert latest is not None
    assert latest.content == Path(new_target("agent", "x", str(home)).path).read_text()
    assert record_edits(db, str(home), [one(home, "x")]) == []


def test_project_definitions_have_their_own_versions(db: Database, tmp_path: Path) -> None:
    home, repo = tmp_path / "home", tmp_path / "repo"
    agent(home, "x", "home")
    agent(repo / ".lionagi", "x", "project")
    trust_repository(home, repo)

    definitions = list_definitions("agent", str(home), str(repo))
    record_edits(db, str(home), definitions)

    definition = definitions[1]
    folder = repo / ".lionagi"
    assert target_of(definition) == Target("agent", definition.key, str(folder / "agents" / "x.md"), str(folder))
    assert definition.key.startswith("x@repo-")
    assert [saved_versions(db, key) for key in ("x", definition.key)] == [
        [(1, "home", FIRST_SEEN)],
        [(1, "project", FIRST_SEEN)],
    ]
