"""`li studio`: serves the page on this machine until it is stopped.

The server is imported only when it starts: it takes longer to import than most commands take to run.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import TYPE_CHECKING

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.output import emit
from lionstudio.errors import InvalidInput

if TYPE_CHECKING:
    from lionstudio.studio.services import Services

_LAST_PORT = 65535
_OPENING_SECONDS = 1.0  # a database that is current is open long before

EXAMPLES = (
    ("li studio", "serve the page and open it in a browser"),
    ("li studio --port 9000 --no-open", "on another port, without a browser"),
    ("li studio --port 0 --json", "on any free port, with its address as JSON"),
    ("li studio --read-only", "to look at, not to change anything"),
    ("li studio --host 192.0.2.7 --token-file ~/studio.token", "for other machines too, with a token of your own"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="address of this machine to listen on (%(default)s)")
    parser.add_argument(
        "--port", type=_port, help="port to listen on (setting: 8721; the next free one if it is busy; 0 takes any)"
    )
    parser.add_argument(
        "--open",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="open the page in a browser (done by itself only in a terminal)",
    )
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        help="where the token is kept, made if it is not there (studio.token in the home)",
    )
    parser.add_argument("--read-only", action="store_true", help="refuse everything that changes something")


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C or SIGTERM; a stop that was asked for is a success."""
    from lionstudio.studio import server
    from lionstudio.studio.http.tokens import FILE, load_token
    from lionstudio.studio.services import open_services

    settings = db_access.settings_of(args)
    wanted = _set_port(settings.studio_port) if args.port is None else args.port
    with server.listen(args.host, wanted, wide=args.token_file is not None) as listener:
        port = listener.getsockname()[1]
        if wanted not in (0, port):
            print(f"Port {wanted} is busy, so Studio uses {port}.", file=sys.stderr)
        if server.is_wide(listener):
            print("Other machines can reach this Studio; whoever has the token can use it.", file=sys.stderr)
        token = load_token(os.path.abspath(args.token_file or os.path.join(settings.home, FILE)))
        services = open_services(settings, token, read_only=args.read_only)
        studio = server.create_server(services)
        url = server.url_of(listener)
        # good once and for less than a minute; afterwards the page asks for the token, or this command runs again
        entry = f"{url}login?code={services.codes.make()}"
        print_address(url, entry, as_json=vars(args).get("json", False))
        print("It runs until Ctrl-C stops it.", file=sys.stderr, flush=True)
        _tell_what_goes_on(services)
        if args.open or (args.open is None and sys.stdout.isatty()):
            _open_browser(entry)
        studio.run(sockets=[listener])
    return 0


def _tell_what_goes_on(services: Services) -> None:
    """What others are at, once; and the upgrade of the database by this server, while it lasts."""
    import threading

    from lionstudio.files.progress_notes import list_progress

    for work in list_progress(services.settings.home):
        far = f", {work.done:,} of {work.total:,}" if work.total else ""
        print(f"{work.what}{far} (process {work.pid}); the page shows how far it is.", file=sys.stderr, flush=True)
    threading.Thread(target=_tell_of_opening, args=(services,), daemon=True).start()


def _tell_of_opening(services: Services) -> None:
    deadline = time.monotonic() + _OPENING_SECONDS
    while services.store.opening_since is None and time.monotonic() < deadline:
        time.sleep(0.02)
    while (began := services.store.opening_since) is not None and time.time() - began < _OPENING_SECONDS:
        time.sleep(0.02)
    if began is None:
        return
    print("The database is made ready, upgraded where it is older; pages wait for it.", file=sys.stderr, flush=True)
    while services.store.opening_since is not None:
        time.sleep(0.1)
    print(f"The database is ready after {time.time() - began:.0f} s.", file=sys.stderr, flush=True)


def print_address(url: str, entry: str, *, as_json: bool = False) -> None:
    """Where Studio is and how to get in: a person gets words, a program two lines or one object."""
    if as_json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"url": url, "login": entry})
    elif sys.stdout.isatty():
        emit(f"Lion Studio is at {url}\nSign in with    {entry}\n                (good once, within a minute)\n")
    else:
        emit(f"{url}\n{entry}\n")
    sys.stdout.flush()


def _set_port(port: int) -> int:
    if port > _LAST_PORT:
        raise InvalidInput(f"the setting studio_port is {port}, which is no port", hint="a number from 0 to 65535")
    return port


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or int(text) > _LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port; give a number from 0 to 65535")
    return int(text)


def _open_browser(url: str) -> None:
    import threading
    import webbrowser

    # A browser in the terminal would not return before it is closed, and the server must start.
    threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
