"""`li studio`: serves the page on this machine until it is stopped.

The server is imported only when it starts: it takes longer to import than most commands take to run.
"""

from __future__ import annotations

import argparse
import sys

from lionstudio.cli import stores
from lionstudio.cli.output import emit
from lionstudio.errors import InvalidInput

_LAST_PORT = 65535

EXAMPLES = (
    ("li studio", "serve the page and open it in a browser"),
    ("li studio --port 9000 --no-open", "on another port, without a browser"),
    ("li studio --port 0 --json", "on any free port, with its address as JSON"),
)


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `li studio` to its parser."""
    parser.add_argument("--host", default="127.0.0.1", help="address of this machine to listen on (%(default)s)")
    parser.add_argument(
        "--port",
        type=_port,
        help="port to listen on (setting: 8721; the next free one if it is busy; 0 takes any)",
    )
    parser.add_argument(
        "--open",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="open the page in a browser (done by itself only in a terminal)",
    )


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C or SIGTERM; a stop that was asked for is a success."""
    from lionstudio.studio import server

    wanted = _set_port(args) if args.port is None else args.port
    with server.listen(args.host, wanted) as listener:
        port = listener.getsockname()[1]
        if wanted not in (0, port):
            print(f"Port {wanted} is busy, so Studio uses {port}.", file=sys.stderr)
        studio = server.create_server()
        url = server.url_of(listener)
        _print_address(url, as_json=vars(args).get("json", False))
        print("Lion Studio is running. Ctrl-C stops it.", file=sys.stderr, flush=True)
        if args.open or (args.open is None and sys.stdout.isatty()):
            _open_browser(url)
        studio.run(sockets=[listener])
    return 0


def _print_address(url: str, *, as_json: bool) -> None:
    if as_json:
        from lionstudio.cli.jsonout import print_json

        print_json({"url": url})
    else:
        emit(url + "\n")
    sys.stdout.flush()


def _set_port(args: argparse.Namespace) -> int:
    port = stores.settings_of(args).studio_port
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
