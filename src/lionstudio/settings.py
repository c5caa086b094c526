"""Settings: one frozen object, read once. Option > environment > project file > home file > default.

The option --home implies that home's database, even when LIONAGI_DB is set. A project's file comes with a repository,
so it cannot set the home or the database.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput

CONFIG = "config.toml"


# Tuples, not dataclasses: those take longer to load than a short command takes to run.
class Settings(NamedTuple):
    """The value of every setting; `origins` has the source of each."""

    home: str
    db: str
    shows: str
    project: str | None
    keep_days: int
    keep_n: int
    studio_port: int
    teams_in_db_only: bool
    embed_url: str | None
    embed_model: str | None
    embed_key_variable: str | None
    origins: Mapping[str, str]


class Setting(NamedTuple):
    """A setting: its environment variable, meaning, default, type and allowed sources."""

    name: str
    variable: str
    meaning: str
    default: str
    is_integer: bool = False
    is_boolean: bool = False
    is_text: bool = False  # otherwise a path; a text without a default is None
    in_project_file: bool = True


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "home",
        "LIONAGI_HOME",
        "folder of state.db, agents, playbooks, teams and logs",
        "~/.lionagi",
        in_project_file=False,
    ),
    Setting("db", "LIONAGI_DB", "database file", "state.db in the home", in_project_file=False),
    Setting("shows", "LIONAGI_SHOWS", "folder of the shows", "~/khive-work/shows"),
    Setting("project", "LIONAGI_PROJECT", "project that runs belong to", "name of the git checkout", is_text=True),
    Setting("keep_days", "LIONAGI_KEEP_DAYS", "days that prune keeps a session", "30", is_integer=True),
    Setting("keep_n", "LIONAGI_KEEP_N", "number of newest sessions that prune always keeps", "100", is_integer=True),
    Setting("studio_port", "LIONAGI_PORT", "port of Studio", "8721", is_integer=True),
    Setting(
        "teams_in_db_only",
        "LIONAGI_TEAMS_IN_DB_ONLY",
        "keep teams in the database alone, without JSON files",
        "false",
        is_boolean=True,
        in_project_file=False,
    ),
    # Not from a project's file: a repository must not choose where all messages are sent.
    Setting(
        "embed_url",
        "LIONAGI_EMBED_URL",
        "OpenAI-compatible endpoint for embeddings",
        "none",
        is_text=True,
        in_project_file=False,
    ),
    Setting(
        "embed_model",
        "LIONAGI_EMBED_MODEL",
        "embedding model of that endpoint, or PACKAGE:NAME of a local one",
        "none",
        is_text=True,
        in_project_file=False,
    ),
    Setting(
        "embed_key_variable",
        "LIONAGI_EMBED_KEY_VARIABLE",
        "environment variable with the key of that endpoint",
        "none",
        is_text=True,
        in_project_file=False,
    ),
)


_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


def load_settings(
    flags: Mapping[str, Any] | None = None, environ: Mapping[str, str] | None = None, cwd: str | None = None
) -> Settings:
    """Read every source; an invalid value is refused with its source."""
    environ = os.environ if environ is None else environ
    flags = {name: value for name, value in (flags or {}).items() if value is not None}
    home, home_origin = _home(flags, environ)
    project_file = find_project_file(cwd or _cwd(), home)
    sources = (
        [("flag", flags), ("environment", {item.name: environ.get(item.variable) or None for item in SETTINGS})]
        + ([(project_file, _read(project_file))] if project_file else [])
        + [(os.path.join(home, CONFIG), _read(os.path.join(home, CONFIG)))]
    )
    values: dict[str, Any] = {"home": home}
    origins = {"home": home_origin}
    for item in SETTINGS[1:]:
        values[item.name], origins[item.name] = _choose(item, sources, project_file, home)
    return Settings(**values, origins=origins)


def describe(settings: Settings) -> list[dict[str, Any]]:
    """Every setting for display; passwords in URLs are removed."""
    values = {**settings._asdict(), "embed_url": settings.embed_url and _without_secrets(settings.embed_url)}
    return [
        {
            "name": item.name,
            "value": values[item.name],
            "origin": settings.origins[item.name],
            "variable": item.variable,
            "meaning": item.meaning,
            "default": item.default,
        }
        for item in SETTINGS
    ]


def _without_secrets(url: str) -> str:
    """A URL without user, password and query, which may hold keys."""
    scheme, separator, rest = url.partition("://")
    host, slash, path = rest.partition("?")[0].partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}" if separator else "not an address"


def _cwd() -> str:
    try:
        return os.getcwd()
    except OSError:  # the current folder was deleted
        return os.sep


def _home(flags: Mapping[str, Any], environ: Mapping[str, str]) -> tuple[str, str]:
    # an empty variable counts as unset; an empty option is a mistake that must not fall back to the real home
    for origin, path in (("flag", flags.get("home")), ("environment", environ.get("LIONAGI_HOME") or None)):
        if path is not None:
            return _path("home", path, origin), origin
    return _path("home", "~/.lionagi", "default"), "default"


def _choose(item: Setting, sources: list[tuple[str, Any]], project_file: str | None, home: str) -> tuple[Any, str]:
    flags = dict(sources[:1])["flag"]
    for origin, values in sources:
        if values.get(item.name) is None:
            continue
        if item.name == "db" and origin == "environment" and "home" in flags:
            continue  # --home implies that home's database
        if origin == project_file and not item.in_project_file:
            continue
        return _parse_value(item, values[item.name], origin), origin
    return _default(item, home), "default"


def _default(item: Setting, home: str) -> Any:
    if item.name == "db":
        return os.path.join(home, "state.db")
    if item.is_text:
        return None
    if item.is_boolean:
        return _BOOLEANS[item.default]
    return int(item.default) if item.is_integer else _path(item.name, item.default, "default")


def _parse_value(item: Setting, value: Any, origin: str) -> Any:
    if item.is_integer:
        text = str(value)
        if not (text.isascii() and text.isdigit() and len(text) <= 9):
            raise InvalidInput(f"{item.name} must be an integer, not {value!r:.60} ({origin})")
        return int(text)
    if item.is_boolean:
        boolean = _BOOLEANS.get(str(value).lower())
        if boolean is None:
            raise InvalidInput(f"{item.name} must be true or false, not {value!r:.60} ({origin})")
        return boolean
    if not isinstance(value, str) or "\0" in value:
        raise InvalidInput(f"{item.name} must be text, not {value!r:.60} ({origin})")
    if item.name == "db" and "://" in value:
        raise InvalidInput(
            f"db {value!r:.60} is not a file ({origin})", hint="only SQLite files are supported; use a path"
        )
    return value if item.is_text else _path(item.name, value, origin)


def _path(name: str, text: str, origin: str) -> str:
    path = os.path.abspath(os.path.expanduser(text))
    if not text or "\0" in text or not _is_utf8(path):
        raise InvalidInput(f"{name} must be a path in UTF-8, not {text!r:.60} ({origin})")
    return path


def _is_utf8(path: str) -> bool:
    """SQLite accepts file names in UTF-8 only."""
    try:
        return path.encode() == os.fsencode(path)
    except UnicodeEncodeError:
        return False


def find_project_file(cwd: str, home: str) -> str | None:
    """The nearest `.lionagi/config.toml` in a folder or its parents, except the home's own."""
    folder = os.path.abspath(cwd)
    while True:
        candidate = os.path.join(folder, ".lionagi", CONFIG)
        if os.path.dirname(candidate) != home and os.path.isfile(candidate):
            return candidate
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _read(path: str) -> Mapping[str, Any]:
    try:
        with open(path, "rb") as file:
            # slow to load, so only when there is a file
            import tomllib

            values = tomllib.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}", hint="correct it or move it away") from None
    unknown = sorted(set(values) - {item.name for item in SETTINGS})
    if unknown:
        raise InvalidInput(f"{path} has unknown settings: {', '.join(unknown)}", hint="`li config` lists the settings")
    return values
