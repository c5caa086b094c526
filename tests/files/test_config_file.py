"""Editing config.toml keeps everything but the one setting."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lionstudio.errors import InvalidInput
from lionstudio.files.config_file import edited, write_setting

TEXT = "# mine\nkeep_days = 90  # three months\n\nproject = 'a # b' # why\n"


@pytest.mark.parametrize(
    ("text", "name", "value", "expected"),
    [
        (TEXT, "keep_days", 7, TEXT.replace("90", "7")),
        (TEXT, "project", "x", TEXT.replace("'a # b'", '"x"')),
        (TEXT, "keep_days", None, "# mine\n\nproject = 'a # b' # why\n"),
        (TEXT, "keep_n", 5, TEXT + "keep_n = 5\n"),
        (TEXT, "keep_n", None, TEXT),
        ("", "teams_in_db_only", True, "teams_in_db_only = true\n"),
        ("keep_n = 5", "keep_days", 1, "keep_n = 5\nkeep_days = 1\n"),
        ("keep_n = 5", "keep_n", 6, "keep_n = 6"),
        ('"keep_n" = 5\r\nproject = "p"\r\n', "keep_n", 6, '"keep_n" = 6\r\nproject = "p"\r\n'),
        ("[later]\nkeep_n = 1\n", "keep_n", 2, None),
        ('project = """\nkeep_n = 1\n"""\n', "keep_n", 2, None),
        ("keep_n = ", "keep_n", 2, None),
    ],
)
def test_edited_changes_one_setting(text: str, name: str, value: str | int | None, expected: str | None) -> None:
    if expected is None:
        with pytest.raises(InvalidInput):
            edited(text, name, value)
    else:
        assert edited(text, name, value) == expected


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")))
def test_edited_stores_any_text(value: str) -> None:
    assert tomllib.loads(edited(TEXT, "project", value)) == {"keep_days": 90, "project": value}


def test_write_setting_keeps_a_linked_file_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "dotfiles.toml").write_text(TEXT)
    (tmp_path / "config.toml").symlink_to("dotfiles.toml")

    assert write_setting(str(tmp_path / "config.toml"), "keep_days", 7)
    assert not write_setting(str(tmp_path / "config.toml"), "keep_days", 7)

    assert (tmp_path / "config.toml").is_symlink()
    assert (tmp_path / "dotfiles.toml").read_text() == TEXT.replace("90", "7")
