"""Settings: one frozen object, read once. Option > environment > project file > home file > default.

The option --home implies that home's database and shows, even when LIONAGI_DB or LIONAGI_SHOWS is set. A project's file
comes with a repository that a stranger may have written, so it can set the name of the project and nothing that leads
to execution, deletion or another place on disk.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput

CONFIG = "config.toml"
SANDBOX_MODES = ("auto", "require", "off")  # confine programs where possible, or refuse them, or never


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
    studio_url: str | None
    follow_transcripts: bool
    teams_in_db_only: bool
    embed_url: str | None
    embed_model: str | None
    embed_key_variable: str | None
    durability: str
    sandbox: str
    park_minutes: int
    notify_desktop: bool
    notify_webhook: str | None
    notify_command: str | None
    notify_apprise: str | None
    notify_titles: bool
    notify_failed: bool
    usage_budget_usd: int
    hub: str | None
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
    in_project_file: bool = False
    choices: tuple[str, ...] = ()  # the first is the default


SETTINGS: tuple[Setting, ...] = (
    Setting("home", "LIONAGI_HOME", "folder of state.db, agents, playbooks, teams and logs", "~/.lionagi"),
    Setting("db", "LIONAGI_DB", "database file, or postgresql:// address of a server", "state.db in the home"),
    Setting("shows", "LIONAGI_SHOWS", "folder of the shows", "~/khive-work/shows"),
    Setting(
        "project",
        "LIONAGI_PROJECT",
        "project that runs belong to",
        "name of the git checkout",
        is_text=True,
        in_project_file=True,
    ),
    Setting("keep_days", "LIONAGI_KEEP_DAYS", "days that prune keeps a session", "30", is_integer=True),
    Setting("keep_n", "LIONAGI_KEEP_N", "number of newest sessions that prune always keeps", "100", is_integer=True),
    Setting("studio_port", "LIONAGI_PORT", "port of Studio", "8721", is_integer=True),
    Setting(
        "studio_url",
        "LIONAGI_STUDIO_URL",
        "address of Studio behind a proxy, such as https://studio.example.org",
        "none",
        is_text=True,
    ),
    Setting(
        "follow_transcripts",
        "LIONAGI_FOLLOW_TRANSCRIPTS",
        "import the transcripts of Claude Code and Codex while Studio runs",
        "true",
        is_boolean=True,
    ),
    Setting(
        "teams_in_db_only",
        "LIONAGI_TEAMS_IN_DB_ONLY",
        "keep teams in the database alone, without JSON files",
        "false",
        is_boolean=True,
    ),
    Setting("embed_url", "LIONAGI_EMBED_URL", "OpenAI-compatible endpoint for embeddings", "none", is_text=True),
    Setting(
        "embed_model",
        "LIONAGI_EMBED_MODEL",
        "embedding model of that endpoint, or PACKAGE:NAME of a local one",
        "none",
        is_text=True,
    ),
    Setting(
        "embed_key_variable",
        "LIONAGI_EMBED_KEY_VARIABLE",
        "environment variable with the key of that endpoint",
        "none",
        is_text=True,
    ),
    Setting(
        "durability",
        "LIONAGI_DURABILITY",
        "what a recorded message survives: process (kill -9, a crash) or power (also a power cut)",
        "process",
        choices=("process", "power"),
    ),
    # Not from a project's file: a repository must not lift its own confinement.
    Setting(
        "sandbox",
        "LIONAGI_SANDBOX",
        "confine agents and gates: auto (plays and gates, where possible), require or off",
        SANDBOX_MODES[0],
        in_project_file=False,
        choices=SANDBOX_MODES,
    ),
    Setting(
        "park_minutes",
        "LIONAGI_PARK_MINUTES",
        "minutes that an agent's program is kept while its question waits; it continues when you answer (0: for ever)",
        "30",
        is_integer=True,
    ),
    # Not from a project's file either: a repository must not choose who is told, or what is run.
    Setting(
        "notify_desktop",
        "LIONAGI_NOTIFY_DESKTOP",
        "notify you on the desktop when something needs you",
        "false",
        is_boolean=True,
    ),
    Setting(
        "notify_webhook", "LIONAGI_NOTIFY_WEBHOOK", "address that gets notifications as JSON", "none", is_text=True
    ),
    Setting(
        "notify_command",
        "LIONAGI_NOTIFY_COMMAND",
        "command that gets notifications as JSON on stdin, without a shell",
        "none",
        is_text=True,
    ),
    Setting(
        "notify_apprise",
        "LIONAGI_NOTIFY_APPRISE",
        "address of a service that apprise notifies (extra apprise)",
        "none",
        is_text=True,
    ),
    Setting(
        "notify_titles",
        "LIONAGI_NOTIFY_TITLES",
        "include names and questions in notifications; otherwise only sessions, shows and plays",
        "false",
        is_boolean=True,
    ),
    Setting("notify_failed", "LIONAGI_NOTIFY_FAILED", "notify about failed runs too", "false", is_boolean=True),
    Setting(
        "usage_budget_usd",
        "LIONAGI_USAGE_BUDGET_USD",
        "dollars a month that the Usage page compares the cost with (0: none)",
        "0",
        is_integer=True,
    ),
    # Not from a project's file: a repository must not choose who gets your sessions.
    Setting(
        "hub",
        "LIONAGI_HUB",
        "database of your team that li hub push copies sessions to: postgresql://… or a SQLite file",
        "none",
        is_text=True,
    ),
)


_MOST_PROJECT_BYTES = 100_000
_IN_HOME = frozenset({"db", "shows"})  # --home moves them
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


def load_settings(
    flags: Mapping[str, Any] | None = None, environ: Mapping[str, str] | None = None, cwd: str | None = None
) -> Settings:
    """Read every source; an invalid value is refused with its source."""
    environ = os.environ if environ is None else environ
    flags = {name: value for name, value in (flags or {}).items() if value is not None}
    home, home_origin = _home(flags, environ)
    project_file = find_project_file(cwd or _cwd(), home)
    if project_file is not None and fault_of_project_file(project_file) is not None:
        project_file = None
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
    """Every setting for display; passwords and keys in URLs are removed."""
    shown = {
        "embed_url": _without_secrets,
        "notify_webhook": _host_of,
        "notify_apprise": _scheme_of,
        "hub": without_password,
    }
    addresses = {
        name: url and show(url) for name, show in shown.items() if (url := getattr(settings, name)) is not None
    }
    values = {**settings._asdict(), **addresses}
    return [
        {
            "name": item.name,
            "value": values[item.name],
            "origin": settings.origins[item.name],
            "variable": item.variable,
            "meaning": item.meaning,
            "default": item.default,
            "hidden": values[item.name] != getattr(settings, item.name),
        }
        for item in SETTINGS
    ]


def _without_secrets(url: str) -> str:
    """A URL without user, password and query, which may hold keys."""
    scheme, separator, rest = url.partition("://")
    host, slash, path = rest.partition("?")[0].partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}" if separator else "not an address"


_URL_SCHEMES = ("postgresql://", "postgres://")
_passwords: dict[str, dict[str, str]] = {}


def is_url(db: str) -> bool:
    """Whether the setting `db` names a PostgreSQL server and not a file."""
    return db.startswith(_URL_SCHEMES)


_server_home: str | None = None


def set_server_home(home: str) -> None:
    """Set the folder of the files that belong to a database on a server: the setting `home`."""
    global _server_home
    _server_home = home


def local_folder(db: str) -> str:
    """The folder of locks, spool, run files and logs: that of the database file; for a server, the home."""
    return (_server_home or home_of({})) if is_url(db) else os.path.dirname(os.path.abspath(db))


def real_database(db: str) -> str:
    """The database under its one name: two spellings of a path are the same file."""
    return db if is_url(db) else os.path.realpath(db)


def without_password(address: str) -> str:
    """The URL of a server without its passwords, which `passwords_of` returns from then on; a path as it is.

    Every part of the product passes this URL on, so that no message, argument or row can hold a password.
    """
    if not is_url(address):
        return address
    shown, passwords = _split_passwords(address)
    if passwords:
        _passwords[shown] = passwords
    return shown


def passwords_of(url: str) -> dict[str, Any]:
    """The passwords of a server as options of a connection.

    Those of LIONAGI_DB when the URL was passed on by the process that started us.
    """
    if url not in _passwords:
        without_password(os.environ.get("LIONAGI_DB", ""))
    return _passwords.get(url, {})


def with_password(url: str) -> str:
    """The whole URL, for the environment of our own processes and for nothing else."""
    passwords = passwords_of(url)
    if not passwords:
        return url
    from urllib.parse import quote  # slow to load

    options = "&".join(f"{name}={quote(value, safe='')}" for name, value in passwords.items())
    return f"{url}{'&' if '?' in url else '?'}{options}"


def server_environment(db: str) -> dict[str, str]:
    """The variables by which a process of ours, given only the address of a server, finds its password and home."""
    if not is_url(db):
        return {}
    of_library = {name: value for name, value in os.environ.items() if name.startswith("PG")}
    return {**of_library, "LIONAGI_HOME": local_folder(db), "LIONAGI_DB": with_password(db)}


def _split_passwords(url: str) -> tuple[str, dict[str, str]]:
    from urllib.parse import unquote  # slow to load

    scheme, _, rest = url.partition("://")
    # a password may contain any character, so the last @ ends it, unless that is in the path or the query
    user, at, place = rest.rpartition("@")
    name, colon, password = user.partition(":")
    if "/" in name or "?" in name:
        name, at, colon, place = "", "", "", rest
    passwords = {"password": unquote(password)} if colon else {}
    place, _, query = place.partition("?")
    kept = []
    for option in filter(None, query.split("&")):
        key, _, value = option.partition("=")
        if key in ("password", "sslpassword"):
            passwords[key] = unquote(value)
        else:
            kept.append(option)
    return f"{scheme}://{name}{at}{place}" + (f"?{'&'.join(kept)}" if kept else ""), passwords


def _host_of(url: str) -> str:
    """The service of a webhook, whose path is its key."""
    scheme, separator, rest = _without_secrets(url).partition("://")
    return f"{scheme}{separator}{rest.partition('/')[0]}/…" if separator else scheme


def _scheme_of(url: str) -> str:
    """The service of an apprise address, whose parts are all keys."""
    scheme, separator, _ = url.partition("://")
    return f"{scheme}{separator}…" if separator else "not an address"


def _cwd() -> str:
    try:
        return os.getcwd()
    except OSError:  # the current folder was deleted
        return os.sep


def home_of(flags: Mapping[str, Any]) -> str:
    """The home alone, without reading its files."""
    return _home(flags, os.environ)[0]


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
        if "home" in flags and item.name in _IN_HOME and origin == "environment":
            continue  # --home moves everything
        if origin == project_file and not item.in_project_file:
            continue
        return _parse_value(item, values[item.name], origin), origin
    return _default(item, home, moved="home" in flags), "default"


def _default(item: Setting, home: str, *, moved: bool) -> Any:
    if item.name == "db":
        return os.path.join(home, "state.db")
    if item.name == "shows" and moved:
        return os.path.join(home, "shows")
    if item.choices:
        return item.default
    if item.is_text:
        return None
    if item.is_boolean:
        return _BOOLEANS[item.default]
    return int(item.default) if item.is_integer else _path(item.name, item.default, "default")


def parse_setting(name: str, text: str) -> Any:
    """The value of a setting as config.toml in the home may have it; raises InvalidInput for an invalid one."""
    item = next((item for item in SETTINGS if item.name == name), None)
    if item is None:
        raise InvalidInput(f"unknown setting {name!r:.60}", hint=f"one of: {', '.join(names_in_file())}")
    if item.name == "home":
        raise InvalidInput("home cannot be set in a file", hint=f"export {item.variable}=FOLDER")
    return _parse_value(item, text, "command line")


def check_in_file(name: str) -> None:
    """Refuse a name that config.toml cannot have."""
    if name not in names_in_file():
        raise InvalidInput(f"unknown setting {name!r:.60}", hint=f"one of: {', '.join(names_in_file())}")


def names_in_file() -> list[str]:
    """The settings that config.toml may have."""
    return [item.name for item in SETTINGS if item.name != "home"]


def _parse_value(item: Setting, value: Any, origin: str) -> Any:
    if item.choices:
        if value not in item.choices:
            raise InvalidInput(f"{item.name} must be {' or '.join(item.choices)}, not {value!r:.60} ({origin})")
        return value
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
    if item.name == "db" and is_url(value):
        return without_password(value)
    if item.name == "db" and "://" in value:
        raise InvalidInput(
            f"db {_without_secrets(value)!r:.60} is neither a file nor a PostgreSQL server ({origin})",
            hint="use a path, or postgresql://USER@HOST/DATABASE",
        )
    if item.name == "hub":
        return _parse_hub(value, origin)
    if item.name == "studio_url" and value:
        return _origin_of(value, origin)
    if item.name == "notify_webhook" and value and not value.lower().startswith(("http://", "https://")):
        raise InvalidInput(
            f"notify_webhook must be an http or https address, not {value!r:.60} ({origin})",
            hint="li config set notify_webhook https://HOST/PATH",
        )
    return value if item.is_text else _path(item.name, value, origin)


def _parse_hub(value: str, origin: str) -> str:
    scheme, separator, _ = value.partition("://")
    if separator and scheme not in ("postgresql", "postgres"):
        raise InvalidInput(
            f"hub must be a postgresql:// address or a file, not {scheme!r:.20}:// ({origin})",
            hint="li config set hub postgresql://USER@HOST/DATABASE",
        )
    return value if separator else _path("hub", value, origin)


_ORIGIN = r"https?://([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:]+\])(:[0-9]{1,5})?"


def _origin_of(value: str, origin: str) -> str:
    """Scheme, host and port as browsers send them; Studio answers at the root of its address alone."""
    import re  # slow to load

    url = value.lower().removesuffix("/")
    if re.fullmatch(_ORIGIN, url) is None:
        raise InvalidInput(
            f"studio_url must be an address without a path, not {_without_secrets(value)!r:.60} ({origin})",
            hint="li config set studio_url https://studio.example.org",
        )
    return url.removesuffix(":443" if url.startswith("https:") else ":80")


def is_like_address(text: str) -> bool:
    """Whether a text that should be a path is an address, perhaps a mistyped one, which may hold a password."""
    first = text.partition("/")[0]
    forms = (
        first.startswith(("postgresql:", "postgres:", "host=")),
        "password=" in first,
        "@" in first.partition(":")[2],
    )
    return "://" in text or any(forms)


def local_path(text: str, hint: str) -> str:
    """The absolute path of a file or folder that a person named; an address is refused, and not repeated."""
    if is_like_address(text):
        raise InvalidInput("a path on this machine is needed, not an address", hint=hint)
    return os.path.abspath(os.path.expanduser(text))


def _path(name: str, text: str, origin: str) -> str:
    if is_like_address(text):
        kinds = "a postgresql:// address or a path" if name in ("db", "hub") else "a folder, not an address"
        raise InvalidInput(
            f"{name} must be {kinds} ({origin})", hint="write an address as LIONAGI_DB=postgresql://USER@HOST/DATABASE"
        )
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


def fault_of_project_file(path: str) -> str | None:
    """Why a project's file is not read: it must be a plain file of ours, in a folder of ours."""
    for name in (os.path.dirname(path), path):
        try:
            status = os.lstat(name)
        except OSError as error:
            return f"{name} cannot be read: {error.strerror}"
        if stat.S_ISLNK(status.st_mode):
            return f"{name} is a symbolic link"
        if status.st_uid not in (os.geteuid(), 0):
            return f"{name} belongs to another user (uid {status.st_uid})"
        if status.st_size > _MOST_PROJECT_BYTES:
            return f"{name} is larger than {_MOST_PROJECT_BYTES} bytes"
    return None


def ignored_in_project(home: str, cwd: str | None = None) -> str | None:
    """Describe what the project's file sets without effect, None when there is nothing."""
    path = find_project_file(cwd or _cwd(), home)
    if path is None:
        return None
    fault = fault_of_project_file(path)
    if fault is not None:
        return f"{path} is not used: {fault}"
    allowed = {item.name for item in SETTINGS if item.in_project_file}
    names = sorted(set(_read(path)) - allowed)
    return f"{path} may set only {', '.join(sorted(allowed))}; not used: {', '.join(names)}" if names else None


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
        raise InvalidInput(f"{path} has unknown settings: {', '.join(unknown)}", hint="li config")
    return values
