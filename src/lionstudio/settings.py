"""Settings: one frozen object, read once at the edge. Flag > environment > project file > home file > default.

A home given as a flag brings its own database, whatever LIONAGI_DB says. A project's file comes with somebody's
repository, so it may not move the home or the database.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput

CONFIG = "config.toml"


# Tuples, not dataclasses: those take longer to load than a short command takes to run.
class Settings(NamedTuple):
    """Every setting with its value; `origins` says where each came from."""

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
    """Where a setting may be given, and what it is for."""

    name: str
    variable: str
    meaning: str
    default: str
    whole_number: bool = False
    yes_or_no: bool = False
    plain_text: bool = False  # else it is a path; without a default it may be absent
    in_home_file: bool = True
    in_project_file: bool = True


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "home",
        "LIONAGI_HOME",
        "the folder that holds state.db, agents, playbooks, teams and logs",
        "~/.lionagi",
        in_home_file=False,
        in_project_file=False,
    ),
    Setting("db", "LIONAGI_DB", "the database file", "state.db in the home", in_project_file=False),
    Setting("shows", "LIONAGI_SHOWS", "the folder that holds the shows", "~/khive-work/shows"),
    Setting(
        "project",
        "LIONAGI_PROJECT",
        "the name of the project that runs belong to",
        "name of the git top level",
        plain_text=True,
    ),
    Setting("keep_days", "LIONAGI_KEEP_DAYS", "how many days prune lets a session live", "30", whole_number=True),
    Setting("keep_n", "LIONAGI_KEEP_N", "how many of the newest sessions prune always keeps", "100", whole_number=True),
    Setting("studio_port", "LIONAGI_PORT", "the port of the Studio", "8721", whole_number=True),
    Setting(
        "teams_in_db_only",
        "LIONAGI_TEAMS_IN_DB_ONLY",
        "true keeps teams in the database alone, without JSON files",
        "false",
        yes_or_no=True,
        in_project_file=False,
    ),
    # Not from a project's file: a repository must not choose where everything that was said is sent.
    Setting(
        "embed_url",
        "LIONAGI_EMBED_URL",
        "an OpenAI-compatible address that makes embeddings",
        "none",
        plain_text=True,
        in_project_file=False,
    ),
    Setting(
        "embed_model",
        "LIONAGI_EMBED_MODEL",
        "the model for embeddings there, or PACKAGE:NAME of one here",
        "none",
        plain_text=True,
        in_project_file=False,
    ),
    Setting(
        "embed_key_variable",
        "LIONAGI_EMBED_KEY_VARIABLE",
        "the environment variable that holds that address's key",
        "none",
        plain_text=True,
        in_project_file=False,
    ),
)


_YES_OR_NO = {"true": True, "1": True, "false": False, "0": False}


def load_settings(
    flags: Mapping[str, Any] | None = None, environ: Mapping[str, str] | None = None, cwd: str | None = None
) -> Settings:
    """Read every source; a value that cannot be used is refused with the place it came from."""
    environ = os.environ if environ is None else environ
    flags = {name: value for name, value in (flags or {}).items() if value is not None}
    home, home_origin = _home(flags, environ)
    project_file = find_project_file(cwd or _here(), home)
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
    """Every setting as it may be shown: no password that somebody put into an address leaves this process."""
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
    """An address without who signs in there and without its query, where keys are found too."""
    scheme, separator, rest = url.partition("://")
    host, slash, path = rest.partition("?")[0].partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}" if separator else "not an address"


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:  # the folder was removed under us; nothing is above it either
        return os.sep


def _home(flags: Mapping[str, Any], environ: Mapping[str, str]) -> tuple[str, str]:
    # an empty variable counts as none; an empty flag is a mistake that must not fall back to the real home
    for origin, given in (("flag", flags.get("home")), ("environment", environ.get("LIONAGI_HOME") or None)):
        if given is not None:
            return _path("home", given, origin), origin
    return _path("home", "~/.lionagi", "default"), "default"


def _choose(item: Setting, sources: list[tuple[str, Any]], project_file: str | None, home: str) -> tuple[Any, str]:
    named = dict(sources[:1])["flag"]
    for origin, given in sources:
        if given.get(item.name) is None:
            continue
        if item.name == "db" and origin == "environment" and "home" in named:
            continue  # a home named on the command line brings its own database
        if origin == project_file and not item.in_project_file:
            continue
        return _usable(item, given[item.name], origin), origin
    return _default(item, home), "default"


def _default(item: Setting, home: str) -> Any:
    if item.name == "db":
        return os.path.join(home, "state.db")
    if item.plain_text:
        return None
    if item.yes_or_no:
        return _YES_OR_NO[item.default]
    return int(item.default) if item.whole_number else _path(item.name, item.default, "default")


def _usable(item: Setting, value: Any, origin: str) -> Any:
    if item.whole_number:
        text = str(value)
        if not (text.isascii() and text.isdigit() and len(text) <= 9):
            raise InvalidInput(f"{item.name} must be a whole number, not {value!r:.60} ({origin})")
        return int(text)
    if item.yes_or_no:
        answer = _YES_OR_NO.get(str(value).lower())
        if answer is None:
            raise InvalidInput(f"{item.name} must be true or false, not {value!r:.60} ({origin})")
        return answer
    if not isinstance(value, str) or "\0" in value:
        raise InvalidInput(f"{item.name} must be text, not {value!r:.60} ({origin})")
    if item.name == "db" and "://" in value:
        raise InvalidInput(
            f"db {value!r:.60} is not a file ({origin})", hint="other databases are not supported yet; give a file"
        )
    return value if item.plain_text else _path(item.name, value, origin)


def _path(name: str, text: str, origin: str) -> str:
    path = os.path.abspath(os.path.expanduser(text))
    if not text or "\0" in text or not _is_utf8(path):
        raise InvalidInput(f"{name} must be a path in UTF-8, not {text!r:.60} ({origin})")
    return path


def _is_utf8(path: str) -> bool:
    """SQLite takes file names in UTF-8 only."""
    try:
        return path.encode() == os.fsencode(path)
    except UnicodeEncodeError:
        return False


def find_project_file(cwd: str, home: str) -> str | None:
    """The nearest `.lionagi/config.toml` at or above a folder; the home's own does not count."""
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
            # parsed only when there is something to parse: it is slow to load
            import tomllib

            found = tomllib.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}", hint="correct it or move it away") from None
    unknown = sorted(set(found) - {item.name for item in SETTINGS})
    if unknown:
        raise InvalidInput(f"{path} has unknown settings: {', '.join(unknown)}", hint="`li config` lists them all")
    return found
