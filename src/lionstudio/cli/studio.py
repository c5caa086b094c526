"""`li studio`: serve the web UI on this machine until it is stopped.

The server is imported only when it starts: importing it takes longer than most commands take to run.
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
_OPENING_SECONDS = 1.0  # an up-to-date database opens much faster

EXAMPLES = (
    ("li studio", "serve the web UI and open it in a browser"),
    ("li studio --port 9000 --no-open", "on another port, without a browser"),
    ("li studio --port 0 --json", "on any free port, with the address as JSON"),
    ("li studio --read-only", "without write access"),
    ("li studio --host 192.0.2.7 --token-file ~/studio.token", "also for other machines, with your own token"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default %(default)s)")
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
    parser.add_argument("--read-only", action="store_true", help="refuse all requests that change data")


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C or SIGTERM; both exit with code 0."""
    from lionstudio.studio import server
    from lionstudio.studio.http.tokens import FILE, load_token
    from lionstudio.studio.services import open_services

    settings = db_access.settings_of(args)
    requested = _checked_port(settings.studio_port) if args.port is None else args.port
    with server.listen(args.host, requested, wide=args.token_file is not None) as listener:
        port = listener.getsockname()[1]
        if requested not in (0, port):
            print(f"Port {requested} is busy; using {port}.", file=sys.stderr)
        if server.is_public_address(listener):
            print("Other machines can reach this Studio; anyone with the token can use it.", file=sys.stderr)
        token = load_token(os.path.abspath(args.token_file or os.path.join(settings.home, FILE)))
        services = open_services(settings, token, read_only=args.read_only)
        studio = server.create_server(services)
        url = server.server_url(listener)
        # valid once and for less than a minute; afterwards the page asks for the token
        entry = f"{url}login?code={services.codes.create()}"
        print_address(url, entry, as_json=vars(args).get("json", False))
        print("Press Ctrl-C to stop.", file=sys.stderr, flush=True)
        _report_background_work(services)
        if args.open or (args.open is None and sys.stdout.isatty()):
            _open_browser(entry)
        studio.run(sockets=[listener])
    return 0


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


def print_address(url: str, entry: str, *, as_json: bool = False) -> None:
    """Print the address and the login link: text on a terminal, two lines in a pipe, or JSON."""
    if as_json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"url": url, "login": entry})
    elif sys.stdout.isatty():
        emit(f"Lion Studio is at {url}\nSign in with    {entry}\n                (valid once, for one minute)\n")
    else:
        emit(f"{url}\n{entry}\n")
    sys.stdout.flush()


def _checked_port(port: int) -> int:
    if port > _LAST_PORT:
        raise InvalidInput(f"invalid setting studio_port: {port}", hint="set it to a number from 0 to 65535")
    return port


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or int(text) > _LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port; use a number from 0 to 65535")
    return int(text)


def _open_browser(url: str) -> None:
    import threading
    import webbrowser

    # A text browser would block until it is closed, and the server must start.
    threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
