"""`li hub init`: create or upgrade the tables of a hub, and report what its server lacks."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.output import emit, emit_lines
from lionstudio.cli._toolkit.terminal import say
from lionstudio.errors import InvalidInput
from lionstudio.settings import is_url, without_password

DESCRIPTION = """\
Create or upgrade the tables of a hub on a PostgreSQL server (version 14 or newer), those of the state and those of the
engine of shows, and report what the server lacks. Safe to repeat, and needed after every upgrade of Lion Studio.
--check changes nothing, and every role of the hub may use it: exit code 0 when the hub is ready, 1 when `li hub init`
has something to do, 6 for a server that is too old, a database of a newer version or of another program. Passwords
belong into ~/.pgpass or PGPASSWORD, not into the command line, which other users of the machine can read."""
EXAMPLES = (
    ("li hub init postgresql://lion@db.example.org/lion", "create or upgrade a hub; the password is in ~/.pgpass"),
    ("li hub init", "the same for the server that LIONAGI_DB or the setting db names"),
    ("li hub init --check --json", "report versions and what the server lacks, and change nothing"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("url", metavar="URL", nargs="?", help="address of the database (default: LIONAGI_DB)")
    parser.add_argument("--check", action="store_true", help="report what would be done, and change nothing")


def run(args: argparse.Namespace) -> int:
    return upgrade(_url(args), args)


def upgrade(url: str, args: argparse.Namespace) -> int:
    """Create or upgrade a hub, or with --check only report; also what `li state upgrade` does for a server."""
    # psycopg and the engine are slow to load
    from lionstudio.shows.process.engine_database import check_engine, migrate_engine
    from lionstudio.state.backends import require_library
    from lionstudio.state.postgres.checks import server
    from lionstudio.state.sqlite.open import SCHEMA_VERSION

    require_library()
    with server.connected(url) as conn:
        state, engine = server.check_required(conn) or 0, check_engine(url)
        ready = state == SCHEMA_VERSION and engine.current in (engine.latest, None)
        if not ready:
            server.check_rights(conn)
    if not args.check:
        with server.init_lock(url):
            with server.connected(url) as conn:
                server.add_extensions(conn)
            if not ready:
                server.bring_state_up_to_date(url)
                migrate_engine(url)
            server.add_vectors(url)
    with server.connected(url) as conn:
        facts, shortfalls = server.describe_server(conn), list(server.list_shortfalls(conn))
    done = _verb(args.check, state, SCHEMA_VERSION), _verb(args.check, engine.current, engine.latest)
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json(
            {
                "url": url,
                "check": args.check,
                "ready": ready or not args.check,
                "server": facts._asdict(),
                "state": {"from_version": state or None, "current_version": SCHEMA_VERSION, "result": done[0]},
                "engine": {"from_version": engine.current or None, "current_version": engine.latest, "result": done[1]},
                "missing": [one._asdict() for one in shortfalls],
            }
        )
    else:
        emit(f"Server  {inline(url)}: PostgreSQL {facts.version}, {facts.encoding}, locale {facts.ctype}\n")
        version = "" if engine.current is None else f", version {engine.latest}"
        emit(f"State   {done[0]}, version {SCHEMA_VERSION}\nEngine  {done[1]}{version}\n")
        for one in shortfalls:
            emit_lines([f"{one.missing[0].upper()}{one.missing[1:]}: {one.effect}.", f"  try: {inline(one.advice)}"])
        if not args.check:
            from shlex import quote

            if engine.current is None:  # a role that may only push
                text = f"Ready. Push to it: li config set hub {inline(quote(url))}, then li hub push"
            else:
                text = f"Ready. Start Studio on it: LIONAGI_DB={inline(quote(url))} li studio"
            say(text, quiet=args.quiet)
    return 1 if args.check and not ready else 0


def _url(args: argparse.Namespace) -> str:
    url: str = args.url or db_access.settings_of(args).db
    if not is_url(url):
        raise InvalidInput(
            # not repeated: it may hold a password
            "that is not an address of a PostgreSQL server" if args.url else "no hub is named",
            hint="li hub init postgresql://USER@HOST/DATABASE",
        )
    shown = without_password(url)
    if args.url is not None and shown != url:
        say("The password was on the command line, where other users can read it; put it into ~/.pgpass.")
    return shown


def _verb(check: bool, version: int | None, latest: int) -> str:
    if version is None:
        return "not visible to this role"
    if version == latest:
        return "current"
    verbs = ("would be created", "would be upgraded") if check else ("created", "upgraded")
    return verbs[version > 0]
