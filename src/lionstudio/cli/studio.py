"""`li studio`: serve the web UI on this machine until it is stopped.

The server is imported only when it starts: importing it takes longer than most commands take to run.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.output import emit
from lionstudio.errors import InvalidInput, NotFound
from lionstudio.settings import is_url

if TYPE_CHECKING:
    from lionstudio.settings import Settings
    from lionstudio.studio.http.tokens import Token
    from lionstudio.studio.services import Services

_HOST = "127.0.0.1"
_LAST_PORT = 65535
_OPENING_SECONDS = 1.0  # an up-to-date database opens much faster
_ANSWER_SECONDS = 3.0
_LOOK_SECONDS = 0.2  # between two looks whether the browser has used its link

EXAMPLES = (
    ("li studio", "serve the web UI and open it in a browser"),
    ("li studio --port 9000 --no-open", "on another port, without a browser"),
    ("li studio --port 0 --json", "on any free port, with the address as JSON"),
    ("li studio --no-follow", "without importing transcripts of Claude Code and Codex"),
    ("li studio --read-only", "without write access"),
    ("li studio --sign-in", "open the Studio that is running, signed in"),
    ("li studio --sign-out-all", "sign out every browser"),
    ("li studio --host 192.0.2.7 --token-file ~/studio.token", "also for other machines, with your own token"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default=_HOST, help="address to listen on (default %(default)s)")
    parser.add_argument(
        "--port",
        type=_port,
        help="port to listen on; the next free one if it is busy, 0 for any (default: setting studio_port, 8721)",
    )
    parser.add_argument(
        "--open",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="open the web UI in a browser (default: only in a terminal)",
    )
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        help="file with the access token, created if missing (default: studio.token in the home)",
    )
    parser.add_argument(
        "--follow",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="import the transcripts of Claude Code and Codex as they are written (default: setting "
        "follow_transcripts, on; off with --db and --read-only)",
    )
    parser.add_argument("--read-only", action="store_true", help="refuse all requests that change data")
    parser.add_argument(
        "--sign-in", action="store_true", help="sign a browser in to the Studio that is running on the port, and exit"
    )
    parser.add_argument(
        "--sign-out-all", action="store_true", help="sign out every browser, also of a running Studio, and exit"
    )


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C or SIGTERM; both exit with code 0."""
    settings = db_access.settings_of(args)
    if args.sign_in or args.sign_out_all:
        from lionstudio.cli._person import require_person

        # through a proxy, Studio cannot tell an agent that is signed in from a person
        require_person(args, "li studio --sign-in" if args.sign_in else "li studio --sign-out-all")
    if args.sign_out_all:
        return _sign_out_all(settings.db, as_json=vars(args).get("json", False))
    if args.sign_in:
        return _sign_in(args, settings)
    gc.disable()  # what the imports create stays; looking through it again and again takes a tenth of the start
    from lionstudio.runs.callers.caller import this_process
    from lionstudio.studio import server
    from lionstudio.studio.services import open_services

    requested = _checked_port(settings.studio_port) if args.port is None else args.port
    with server.listen(args.host, requested, wide=args.token_file is not None) as listener:
        port = listener.getsockname()[1]
        if requested not in (0, port):
            print(f"Port {requested} is busy; using {port}.", file=sys.stderr)
        if server.is_public_address(listener):
            print("Other machines can reach this Studio; anyone with the token can use it.", file=sys.stderr)
        if settings.studio_url:
            print(f"Listening on {server.server_url(listener)} for a proxy at {settings.studio_url}.", file=sys.stderr)
        token = _load_token(args.token_file, settings.home)
        follow = follows_transcripts(args, settings)
        services = open_services(settings, token.value, read_only=args.read_only, follow_transcripts=follow)
        # the browsers of a hub are signed in to all its Studios, and this one is only new here
        if token.is_new and not is_url(settings.db):
            services.sessions.end_all()
        db_access.log_upgrades(lambda line: services.audit_log.write("upgrade", detail=line))
        studio = server.create_server(services)
        gc.freeze()
        gc.enable()
        url = f"{settings.studio_url}/" if settings.studio_url else server.server_url(listener)
        # valid once and for less than a minute; in the fragment, which browsers do not send
        is_agent = this_process().agent is not None  # it may start Studio, but not sign in
        link = None if is_agent else f"{url}login#code={services.sessions.create_code()}"
        own_url = server.server_url(listener)
        print_address(url, link, own_url, as_json=vars(args).get("json", False))
        if not (vars(args).get("json") or args.open or sys.stdout.isatty()):
            # the link would be in a log that other users may read
            way = f"To sign in, run: {sign_in_command(args.host, port, settings)}"
            if args.read_only:  # it keeps sign-ins in memory, where no other process adds one
                way = "To sign in, start a read-only Studio in a terminal or with --json: it prints a link."
            print(way, file=sys.stderr, flush=True)
        print("Press Ctrl-C to stop.", file=sys.stderr, flush=True)
        _report_background_work(services)
        with ExitStack() as stack:
            if link is not None and (args.open or (args.open is None and sys.stdout.isatty())):
                from lionstudio.cli._toolkit.browser import open_browser

                if file := open_browser(settings.home, link):
                    services.sessions.on_sign_in = file.remove
                    stack.callback(file.remove)
            studio.run(sockets=[listener])
    return 0


def sign_in_command(host: str, port: int, settings: Settings) -> str:
    """The command that opens this Studio, signed in, from any terminal of the user."""
    from lionstudio.runs.resume_command import location_options

    options = [f"--port {port}" if port != settings.studio_port else "", f"--host {host}" if host != _HOST else ""]
    return " ".join(filter(None, ["li studio --sign-in", *options, location_options(settings, other_terminal=True)]))


def _load_token(file: str | None, home: str) -> Token:
    from lionstudio.studio.http.tokens import FILE, load_token

    path = os.path.abspath(file or os.path.join(home, FILE))
    token = load_token(path, renew=file is None)
    if token.was_exposed:
        print(f"Renewed the token in {path}: other users could read it.", file=sys.stderr)
    return token


def _sign_in(args: argparse.Namespace, settings: Settings) -> int:
    """Open a browser with a new one-time link for the Studio that is running."""
    from lionstudio.studio.http.studio_sessions import CODE_SECONDS, create_code, is_unused

    port = _checked_port(settings.studio_port) if args.port is None else args.port
    if not (settings.studio_url or _answers(args.host, port)):
        raise NotFound(f"no Studio answers on port {port}", hint="start it with li studio, or name its port: --port N")
    with db_access.database(settings.db) as database:
        code, deadline = create_code(database.write, time.time()), time.time() + CODE_SECONDS
        url = f"{settings.studio_url or f'http://{args.host}:{port}'}/"
        link = f"{url}login#code={code}"
        print_address(url, link, as_json=vars(args).get("json", False), always_link=True)
        if args.open or (args.open is None and sys.stdout.isatty()):
            from lionstudio.cli._toolkit.browser import open_browser

            file = open_browser(settings.home, link)
            while time.time() < deadline and database.read(lambda conn: is_unused(conn, code, time.time())):
                time.sleep(_LOOK_SECONDS)
            if file is not None:
                file.remove()
    return 0


def _answers(host: str, port: int) -> bool:
    """Whether a Studio listens there."""
    import json
    from http.client import HTTPConnection, HTTPException

    connection = HTTPConnection(host, port, timeout=_ANSWER_SECONDS)
    try:
        connection.request("GET", "/healthz")
        answer = json.loads(connection.getresponse().read(10_000))
    except (OSError, HTTPException, ValueError):
        return False
    finally:
        connection.close()
    return isinstance(answer, dict) and "version" in answer


def _sign_out_all(path: str, *, as_json: bool) -> int:
    from lionstudio.state.studio.studio_sessions import end_all_sessions

    with db_access.database(path) as database:
        ended = database.write(end_all_sessions)
    if as_json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"signed_out": len(ended)})
    else:
        emit(f"Signed out {len(ended)} {'browser' if len(ended) == 1 else 'browsers'}\n")
    return 0


def follows_transcripts(args: argparse.Namespace, settings: Settings) -> bool:
    """Whether this Studio imports transcripts; not into a database that was named to look at it.

    A hub gets transcripts from the machines that push, unless the setting says otherwise.
    """
    if args.read_only:
        return False
    if args.follow is not None:
        return bool(args.follow)
    is_asked = settings.origins["follow_transcripts"] != "default" or not is_url(settings.db)
    return settings.follow_transcripts and is_asked and settings.origins["db"] != "flag"


def _report_background_work(services: Services) -> None:
    """Print the jobs of other processes once, and the upgrade of the database while it lasts."""
    import threading

    from lionstudio.files.progress_notes import list_progress

    for work in list_progress(services.settings.home):
        progress = f", {work.done:,} of {work.total:,}" if work.total else ""
        print(
            f"{work.what}{progress} (process {work.pid}); the web UI shows the progress.", file=sys.stderr, flush=True
        )
    threading.Thread(target=_report_opening, args=(services,), daemon=True).start()


def _report_opening(services: Services) -> None:
    deadline = time.monotonic() + _OPENING_SECONDS
    while services.db.opening_since is None and time.monotonic() < deadline:
        time.sleep(0.02)
    while (started := services.db.opening_since) is not None and time.time() - started < _OPENING_SECONDS:
        time.sleep(0.02)
    if started is None:
        return
    print("Opening the database, with an upgrade if it is older; pages wait for it.", file=sys.stderr, flush=True)
    while services.db.opening_since is not None:
        time.sleep(0.1)
    print(f"Database ready after {time.time() - started:.0f} s.", file=sys.stderr, flush=True)


def print_address(
    url: str, link: str | None, own_url: str | None = None, *, as_json: bool = False, always_link: bool = False
) -> None:
    """Print the address, and the sign-in link on a terminal or in JSON: other output of a server may be a log.

    `own_url` is where the server listens, which differs behind a proxy. `always_link` is for a command that was asked
    for the link, perhaps by ssh, which has no terminal.
    """
    if as_json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"url": url, "login": link, "listens_at": own_url or url})
    elif sys.stdout.isatty():
        sign_in = f"Sign in with    {link}\n                (valid once, for one minute)\n" if link else ""
        emit(f"Lion Studio is at {url}\n{sign_in}")
    else:
        emit(f"address\t{url}\n" + (f"sign_in\t{link}\n" if always_link and link else ""))
    sys.stdout.flush()


def _checked_port(port: int) -> int:
    if port > _LAST_PORT:
        raise InvalidInput(f"invalid setting studio_port: {port}", hint="set it to a number from 0 to 65535")
    return port


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or int(text) > _LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port; use a number from 0 to 65535")
    return int(text)
