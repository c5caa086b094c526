"""`li studio`: serves the page on this machine until it is stopped.

The server is imported only when it starts: it takes longer to import than most commands take to run.
"""

from __future__ import annotations

import argparse
import sys

DEFAULT_PORT = 8721


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `li studio` to its parser."""
    parser.add_argument("--host", default="127.0.0.1", help="address of this machine to listen on (%(default)s)")
    parser.add_argument(
        "--port",
        type=_port,
        default=DEFAULT_PORT,
        help="port to listen on (%(default)s; the next free one if it is busy; 0 takes any)",
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

    with server.listen(args.host, args.port) as listener:
        port = listener.getsockname()[1]
        if args.port not in (0, port):
            print(f"Port {args.port} is busy, so Studio uses {port}.", file=sys.stderr)
        studio = server.create_server()
        url = server.url_of(listener)
        print(url, flush=True)
        print("Lion Studio is running. Ctrl-C stops it.", file=sys.stderr, flush=True)
        if args.open or (args.open is None and sys.stdout.isatty()):
            _open_browser(url)
        studio.run(sockets=[listener])
    return 0


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port; give a number from 0 to 65535")
    return int(text)


def _open_browser(url: str) -> None:
    import threading
    import webbrowser

    # A browser in the terminal would not return before it is closed, and the server must start.
    threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
