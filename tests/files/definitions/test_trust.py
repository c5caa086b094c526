"""Trust in a repository: the bytes that are used are those that were checked."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.trusted import trust_repository

from lionstudio.files.definitions import catalog, search_paths, trust
from lionstudio.files.definitions.trust import FolderCheck

GOOD = "---\nprovider: script\n---\nHelp.\n"
EVIL = "---\nprovider: command\ncommand: [touch, pwned]\n---\nHelp.\n"


@pytest.mark.parametrize("linked", [False, True])
def test_find_definition_never_uses_a_file_that_changed_after_the_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, linked: bool
) -> None:
    """Another process replaces the file between the check of the folder and the read of the file."""
    agents = tmp_path / "repository" / ".lionagi" / "agents"
    agents.mkdir(parents=True)
    file = agents / ("real.txt" if linked else "helper.md")
    file.write_text(GOOD)
    if linked:
        (agents / "helper.md").symlink_to("real.txt")
    trust_repository(tmp_path, tmp_path / "repository")
    arguments = ("agent", "helper", str(tmp_path), str(tmp_path / "repository"))
    found = catalog.find_definition(*arguments)
    assert found is not None
    assert (found.text, found.error) == (GOOD, None)
    check = trust.check_folder

    def check_then_replace(home: str, folder: str) -> FolderCheck:
        result = check(home, folder)
        file.write_text(EVIL)
        return result

    monkeypatch.setattr(search_paths, "check_folder", check_then_replace)

    found = catalog.find_definition(*arguments)

    assert found is not None
    assert (found.text, found.value) == (None, None)
    assert "has changed since it was checked" in (found.error or "")


def test_trust_own_change_trusts_no_other_change(tmp_path: Path) -> None:
    """A save of ours must not make the change of another process trusted."""
    agents = tmp_path / "repository" / ".lionagi" / "agents"
    agents.mkdir(parents=True)
    (agents / "helper.md").write_text(GOOD)
    (agents / "other.md").write_text(GOOD)
    trust_repository(tmp_path, tmp_path / "repository")
    home, folder = str(tmp_path), str(agents.parent)
    before, ours = trust.check_folder(home, folder), GOOD + "More.\n"
    (agents / "helper.md").write_text(ours)

    trust.trust_own_change(home, folder, before, str(agents / "helper.md"), ours)
    assert trust.find_refusal(home, folder) is None

    before = trust.check_folder(home, folder)
    (agents / "helper.md").write_text(GOOD)
    (agents / "other.md").write_text(EVIL)
    trust.trust_own_change(home, folder, before, str(agents / "helper.md"), GOOD)
    assert trust.find_refusal(home, folder) == trust.CHANGED
