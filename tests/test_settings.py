"""Settings: option over environment over project file over home file over default; values refused for each source."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from lionstudio.errors import InvalidInput
from lionstudio.settings import SETTINGS, Settings, describe, find_project_file, load_settings


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".lionagi").mkdir(parents=True)
    (folder / "deep" / "er").mkdir(parents=True)
    return folder


def load(home: Path, cwd: Path, environ: dict[str, str] | None = None, **flags: Any) -> Settings:
    return load_settings(flags, {"LIONAGI_HOME": str(home), **(environ or {})}, str(cwd))


def test_load_settings_defaults(home: Path, tmp_path: Path) -> None:
    settings = load(home, tmp_path)

    assert settings == Settings(
        home=str(home),
        db=str(home / "state.db"),
        shows=os.path.expanduser("~/khive-work/shows"),
        project=None,
        keep_days=30,
        keep_n=100,
        studio_port=8721,
        teams_in_db_only=False,
        embed_url=None,
        embed_model=None,
        embed_key_variable=None,
        origins={item.name: "environment" if item.name == "home" else "default" for item in SETTINGS},
    )
    assert load_settings({}, {}, str(tmp_path)).home == os.path.expanduser("~/.lionagi")


def test_load_settings_source_order(home: Path, project: Path) -> None:
    project_file, home_file = project / ".lionagi" / "config.toml", home / "config.toml"

    def keep_days() -> tuple[int, str]:
        settings = load(home, project / "deep" / "er", dict(environ), **flags)
        return settings.keep_days, settings.origins["keep_days"]

    environ: dict[str, str] = {}
    flags: dict[str, Any] = {}
    assert keep_days() == (30, "default")
    home_file.write_text("keep_days = 1\n")
    assert keep_days() == (1, str(home_file))
    project_file.write_text("keep_days = 2\n")
    assert keep_days() == (2, str(project_file))
    environ["LIONAGI_KEEP_DAYS"] = "3"
    assert keep_days() == (3, "environment")
    flags["keep_days"] = 4
    assert keep_days() == (4, "flag")
    flags["keep_days"] = None  # an option that is not set
    environ["LIONAGI_KEEP_DAYS"] = ""  # an empty variable counts as unset
    assert keep_days() == (2, str(project_file))


def test_load_settings_reads_variables(home: Path, tmp_path: Path) -> None:
    environ = {
        "LIONAGI_DB": "/d/x.db",
        "LIONAGI_SHOWS": "/s",
        "LIONAGI_PROJECT": "p",
        "LIONAGI_KEEP_DAYS": "7",
        "LIONAGI_KEEP_N": "8",
        "LIONAGI_PORT": "9",
        "LIONAGI_TEAMS_IN_DB_ONLY": "true",
        "LIONAGI_EMBED_URL": "http://127.0.0.1:1/v1",
        "LIONAGI_EMBED_MODEL": "m",
        "LIONAGI_EMBED_KEY_VARIABLE": "KEY",
    }

    settings = load(home, tmp_path, environ)

    assert settings[1:-1] == ("/d/x.db", "/s", "p", 7, 8, 9, True, "http://127.0.0.1:1/v1", "m", "KEY")
    assert {item.variable for item in SETTINGS} == {"LIONAGI_HOME", *environ}


@pytest.mark.parametrize(
    "line", ['db = "/evil.db"', 'home = "/evil"', "teams_in_db_only = true", 'embed_url = "http://evil"']
)
def test_project_file_cannot_set_home_or_db(home: Path, project: Path, line: str) -> None:
    (project / ".lionagi" / "config.toml").write_text(line + "\n")

    settings = load(home, project)

    assert settings[:2] == (str(home), str(home / "state.db"))
    assert (settings.teams_in_db_only, settings.embed_url) == (False, None)


def test_home_file_is_not_a_project_file(home: Path, tmp_path: Path) -> None:
    nested = tmp_path / ".lionagi"
    nested.mkdir()
    (nested / "config.toml").write_text("keep_days = 5\n")

    assert find_project_file(str(tmp_path), str(nested)) is None
    assert find_project_file(str(tmp_path), str(home)) == str(nested / "config.toml")
    assert load_settings({"home": str(nested)}, {}, str(tmp_path)).origins["keep_days"] == str(nested / "config.toml")


def test_find_project_file_prefers_the_nearest(home: Path, project: Path) -> None:
    (project / ".lionagi" / "config.toml").write_text('project = "outer"\n')
    inner = project / "deep" / ".lionagi"
    inner.mkdir()
    (inner / "config.toml").write_text('project = "inner"\n')

    assert load(home, project / "deep" / "er").project == "inner"
    assert load(home, project).project == "outer"


def test_home_option_implies_its_database(home: Path, tmp_path: Path) -> None:
    settings = load_settings(
        {"home": str(home)}, {"LIONAGI_HOME": "/other", "LIONAGI_DB": "/other/x.db"}, str(tmp_path)
    )

    assert settings.db == str(home / "state.db")


def test_load_settings_makes_paths_absolute(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/of/ada")

    settings = load(home, tmp_path, {"LIONAGI_SHOWS": "~/shows", "LIONAGI_DB": "here.db"})

    assert (settings.shows, settings.db) == ("/home/of/ada/shows", str(tmp_path / "here.db"))


REFUSED: dict[str, dict[str, str]] = {
    "words for a number": {"LIONAGI_KEEP_DAYS": "many"},
    "below nothing": {"LIONAGI_KEEP_N": "-1"},
    "half a number": {"LIONAGI_PORT": "1.5"},
    "other digits": {"LIONAGI_KEEP_DAYS": "٣"},
    "too many digits": {"LIONAGI_KEEP_DAYS": "1" * 10},
    "neither yes nor no": {"LIONAGI_TEAMS_IN_DB_ONLY": "perhaps"},
    "a server": {"LIONAGI_DB": "postgresql://host/db"},
}


@pytest.mark.parametrize("what", REFUSED)
def test_load_settings_refuses_invalid_values(home: Path, tmp_path: Path, what: str) -> None:
    with pytest.raises(InvalidInput, match="environment"):
        load(home, tmp_path, REFUSED[what])


@pytest.mark.parametrize("flags", [{"db": "a\0b"}, {"project": "a\0b"}, {"home": ""}, {"shows": "\udcff\ud800"}])
def test_load_settings_refuses_invalid_options(tmp_path: Path, flags: dict[str, str]) -> None:
    with pytest.raises(InvalidInput, match="flag"):
        load_settings({"home": str(tmp_path), **flags}, {}, str(tmp_path))


@pytest.mark.parametrize(
    "text", ["keep_days = ", "[[", "unknown = 1", "keep_days = true", "keep_days = 1.0", "project = 5", "origins = 1"]
)
@pytest.mark.parametrize("where", ["home", "project"])
def test_load_settings_refuses_invalid_files(home: Path, project: Path, text: str, where: str) -> None:
    file = home / "config.toml" if where == "home" else project / ".lionagi" / "config.toml"
    file.write_text(text + "\n")

    with pytest.raises(InvalidInput, match=str(file)):
        load(home, project)


def test_load_settings_refuses_binary_files(home: Path, tmp_path: Path) -> None:
    (home / "config.toml").write_bytes(b"\xff\xfe\0")

    with pytest.raises(InvalidInput, match="cannot be read"):
        load(home, tmp_path)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://me:secret@127.0.0.1:1/v1", "http://127.0.0.1:1/v1"),
        ("http://h/@x?key=secret", "http://h/@x"),
        ("http://h/v1", "http://h/v1"),
        ("me:secret@h", "not an address"),
    ],
)
def test_describe_hides_passwords(url: str, shown: str, tmp_path: Path) -> None:
    settings = load_settings({}, {"LIONAGI_HOME": str(tmp_path), "LIONAGI_EMBED_URL": url}, str(tmp_path))

    assert {item["name"]: item["value"] for item in describe(settings)}["embed_url"] == shown
