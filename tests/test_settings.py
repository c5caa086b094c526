"""Settings: option over environment over project file over home file over default; values refused for each source."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from lionstudio.errors import InvalidInput
from lionstudio.settings import SETTINGS, Settings, describe, find_project_file, ignored_in_project, load_settings


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
        studio_url=None,
        follow_transcripts=True,
        teams_in_db_only=False,
        embed_url=None,
        embed_model=None,
        embed_key_variable=None,
        durability="process",
        sandbox="auto",
        park_minutes=30,
        notify_desktop=False,
        notify_webhook=None,
        notify_command=None,
        notify_apprise=None,
        notify_titles=False,
        notify_failed=False,
        usage_budget_usd=0,
        hub=None,
        origins={item.name: "environment" if item.name == "home" else "default" for item in SETTINGS},
    )
    assert load_settings({}, {}, str(tmp_path)).home == os.path.expanduser("~/.lionagi")


def test_load_settings_home_option_moves_everything(home: Path, project: Path) -> None:
    (project / ".lionagi" / "config.toml").write_text('shows = "/of/the/project"\n')
    other = home.parent / "other"
    environ = {"LIONAGI_DB": "/of/variable.db", "LIONAGI_SHOWS": "/of/variable"}
    settings = load_settings({"home": str(other)}, environ, str(project))
    assert (settings.db, settings.shows) == (str(other / "state.db"), str(other / "shows"))
    other.mkdir()
    (other / "config.toml").write_text('shows = "/of/that/home"\n')
    assert load_settings({"home": str(other)}, environ, str(project)).shows == "/of/that/home"
    assert load(home, project, environ).shows == "/of/variable"


def test_load_settings_source_order(home: Path, project: Path) -> None:
    project_file, home_file = project / ".lionagi" / "config.toml", home / "config.toml"

    def name() -> tuple[str | None, str]:
        settings = load(home, project / "deep" / "er", dict(environ), **flags)
        return settings.project, settings.origins["project"]

    environ: dict[str, str] = {}
    flags: dict[str, Any] = {}
    assert name() == (None, "default")
    home_file.write_text('project = "1"\n')
    assert name() == ("1", str(home_file))
    project_file.write_text('project = "2"\n')
    assert name() == ("2", str(project_file))
    environ["LIONAGI_PROJECT"] = "3"
    assert name() == ("3", "environment")
    flags["project"] = "4"
    assert name() == ("4", "flag")
    flags["project"] = None  # an option that is not set
    environ["LIONAGI_PROJECT"] = ""  # an empty variable counts as unset
    assert name() == ("2", str(project_file))


def test_load_settings_reads_variables(home: Path, tmp_path: Path) -> None:
    environ = {
        "LIONAGI_DB": "/d/x.db",
        "LIONAGI_SHOWS": "/s",
        "LIONAGI_PROJECT": "p",
        "LIONAGI_KEEP_DAYS": "7",
        "LIONAGI_KEEP_N": "8",
        "LIONAGI_PORT": "9",
        "LIONAGI_STUDIO_URL": "https://studio.example.org",
        "LIONAGI_FOLLOW_TRANSCRIPTS": "false",
        "LIONAGI_TEAMS_IN_DB_ONLY": "true",
        "LIONAGI_EMBED_URL": "http://127.0.0.1:1/v1",
        "LIONAGI_EMBED_MODEL": "m",
        "LIONAGI_EMBED_KEY_VARIABLE": "KEY",
        "LIONAGI_DURABILITY": "power",
        "LIONAGI_SANDBOX": "require",
        "LIONAGI_PARK_MINUTES": "5",
        "LIONAGI_NOTIFY_DESKTOP": "true",
        "LIONAGI_NOTIFY_WEBHOOK": "http://127.0.0.1:1/hook",
        "LIONAGI_NOTIFY_COMMAND": "tell me",
        "LIONAGI_NOTIFY_APPRISE": "json://127.0.0.1",
        "LIONAGI_NOTIFY_TITLES": "true",
        "LIONAGI_NOTIFY_FAILED": "1",
        "LIONAGI_USAGE_BUDGET_USD": "50",
        "LIONAGI_HUB": "postgresql://me:secret@hub/lion",
    }

    settings = load(home, tmp_path, environ)

    texts = ("http://127.0.0.1:1/v1", "m", "KEY", "power", "require")
    notify = (True, "http://127.0.0.1:1/hook", "tell me", "json://127.0.0.1", True, True)
    studio = (9, "https://studio.example.org", False)
    assert settings[1:-1] == ("/d/x.db", "/s", "p", 7, 8, *studio, True, *texts, 5, *notify, 50, environ["LIONAGI_HUB"])
    assert {item.variable for item in SETTINGS} == {"LIONAGI_HOME", *environ}


HOSTILE = {item.name: f"{item.name} = {'0' if item.is_integer else chr(34) + '/evil' + chr(34)}" for item in SETTINGS}


def test_project_file_sets_the_project_and_nothing_else(home: Path, project: Path) -> None:
    before = load(home, project)
    file = project / ".lionagi" / "config.toml"
    file.write_text("\n".join(HOSTILE.values()) + "\n")

    after = load(home, project)

    assert after == before._replace(project="/evil", origins={**before.origins, "project": str(file)})
    ignored = ignored_in_project(str(home), str(project))
    assert ignored is not None
    assert all(name in ignored for name in HOSTILE if name != "project")


@pytest.mark.parametrize("what", ["a link", "a linked folder", "a large file"])
def test_project_file_must_be_a_plain_file(home: Path, project: Path, tmp_path: Path, what: str) -> None:
    folder, outside = project / ".lionagi", tmp_path / "outside"
    outside.mkdir()
    (outside / "config.toml").write_text('project = "read"\n')
    if what == "a link":
        (folder / "config.toml").symlink_to(outside / "config.toml")
    elif what == "a linked folder":
        folder.rmdir()
        folder.symlink_to(outside)
    else:
        (folder / "config.toml").write_text('project = "read"\n' + "#" * 200_000)

    assert load(home, project).project is None
    assert "is not used" in str(ignored_in_project(str(home), str(project)))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
@pytest.mark.parametrize("name", ["", "config.toml"])
def test_project_file_of_another_user_is_not_used(home: Path, project: Path, name: str) -> None:
    (project / ".lionagi" / "config.toml").write_text('project = "read"\n')
    os.chown(project / ".lionagi" / name, 12345, 12345)

    assert load(home, project).project is None
    assert "another user" in str(ignored_in_project(str(home), str(project)))


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
    "a server": {"LIONAGI_DB": "mysql://host/db"},
}


@pytest.mark.parametrize("what", REFUSED)
def test_load_settings_refuses_invalid_values(home: Path, tmp_path: Path, what: str) -> None:
    with pytest.raises(InvalidInput, match="environment"):
        load(home, tmp_path, REFUSED[what])


ADDRESSES = [
    *("postgresql:/me:secret@hub/lion", "postgresql:me:secret@hub/lion", "postgres:secret", "me:secret@hub/lion"),
    *("host=hub password=secret dbname=lion", "user=me password=secret", "jdbc:postgresql://me:secret@hub/lion"),
    *("postgresql+psycopg://me:secret@hub/lion", "POSTGRESQL://me:secret@hub/lion"),
]


@pytest.mark.parametrize("name", ["home", "db", "shows", "hub"])
@pytest.mark.parametrize("address", ADDRESSES)
def test_load_settings_takes_no_address_for_a_path(home: Path, tmp_path: Path, name: str, address: str) -> None:
    """A folder would be created that is called like the address, with its password."""
    with pytest.raises(InvalidInput, match="environment") as refused:
        load_settings({}, {"LIONAGI_HOME": str(home), f"LIONAGI_{name.upper()}": address}, str(tmp_path))
    assert "secret" not in f"{refused.value} {refused.value.hint}"


@pytest.mark.parametrize("path", ["a=b/c.db", "12:30/x.db", "me@home/x.db", "postgres/x.db", "/srv/me:x@y/state.db"])
def test_load_settings_takes_odd_paths(home: Path, tmp_path: Path, path: str) -> None:
    assert load(home, tmp_path, {"LIONAGI_DB": path}).db.endswith(path)


@pytest.mark.parametrize("flags", [{"db": "a\0b"}, {"project": "a\0b"}, {"home": ""}, {"shows": "\udcff\ud800"}])
def test_load_settings_refuses_invalid_options(tmp_path: Path, flags: dict[str, str]) -> None:
    with pytest.raises(InvalidInput, match="flag"):
        load_settings({"home": str(tmp_path), **flags}, {}, str(tmp_path))


@pytest.mark.parametrize(
    "text", ["keep_days = ", "[[", "unknown = 1", "keep_days = true", "keep_days = 1.0", "project = 5", "origins = 1"]
)
@pytest.mark.parametrize("where", ["home", "project"])
def test_load_settings_refuses_invalid_files(home: Path, project: Path, text: str, where: str) -> None:
    if where == "project" and text in ("keep_days = true", "keep_days = 1.0"):
        pytest.skip("a project cannot set keep_days at all")
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


def test_describe_hides_keys_of_notifications(tmp_path: Path) -> None:
    addresses = {
        "LIONAGI_NOTIFY_WEBHOOK": "https://me:s3cret@hooks.example.org/services/T0/s3cret?key=s3cret",
        "LIONAGI_NOTIFY_APPRISE": "tgram://s3cret/12345",
    }
    settings = load_settings({}, {"LIONAGI_HOME": str(tmp_path), **addresses}, str(tmp_path))

    values = {item["name"]: item["value"] for item in describe(settings)}
    assert (values["notify_webhook"], values["notify_apprise"]) == ("https://hooks.example.org/…", "tgram://…")


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://me:secret@hub:5432/lion", "postgresql://me@hub:5432/lion"),
        ("postgresql://me:se@cr/e?t@hub/lion?sslmode=require", "postgresql://me@hub/lion?sslmode=require"),
        (
            "postgresql://hub/lion?user=me&password=secret&sslmode=require",
            "postgresql://hub/lion?user=me&sslmode=require",
        ),
        ("postgresql://hub/lion?password=se@cret", "postgresql://hub/lion"),
        ("postgresql://hub/lion?sslpassword=secret", "postgresql://hub/lion"),
        ("/srv/hub.db", "/srv/hub.db"),
    ],
)
def test_describe_shows_the_hub_without_its_password(home: Path, tmp_path: Path, address: str, shown: str) -> None:
    [entry] = [item for item in describe(load(home, tmp_path, {"LIONAGI_HUB": address})) if item["name"] == "hub"]

    assert (entry["value"], entry["hidden"]) == (shown, shown != address)


@pytest.mark.parametrize("value", ["mysql://me:secret@hub/lion", "host=hub password=secret", "", "http://secret"])
def test_load_settings_refuses_a_hub_that_is_not_a_database(home: Path, tmp_path: Path, value: str) -> None:
    with pytest.raises(InvalidInput) as error:
        load(home, tmp_path, hub=value)

    assert "secret" not in str(error.value) + (error.value.hint or "")


@pytest.mark.parametrize("url", ["https://Studio.Example.org/", "https://studio.example.org:443"])
def test_studio_url_is_what_browsers_send(home: Path, tmp_path: Path, url: str) -> None:
    assert load(home, tmp_path, {"LIONAGI_STUDIO_URL": url}).studio_url == "https://studio.example.org"


@pytest.mark.parametrize("url", ["studio.example.org", "https://a.example/lion", "https://u:secret@a.example", "*"])
def test_studio_url_with_more_than_an_origin_is_refused(home: Path, tmp_path: Path, url: str) -> None:
    with pytest.raises(InvalidInput, match="without a path") as refused:
        load(home, tmp_path, {"LIONAGI_STUDIO_URL": url})
    assert "secret" not in str(refused.value)
