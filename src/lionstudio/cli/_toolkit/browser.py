"""Open the sign-in page of Studio in the browser.

A browser gets what it opens as an argument, and every user of the machine can read the arguments of a process. It is
therefore given a file that only its owner can read, which leads to the link with the one-time code.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from html import escape
from pathlib import Path

from lionstudio.cli._toolkit.terminal import say
from lionstudio.errors import LionError
from lionstudio.system.atomic_write import write_file

_PREFIX = "sign-in-"
_VALID_SECONDS = 60.0
_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={link}">
<title>Lion Studio</title>
</head>
<body><p><a href="{link}">Sign in to Lion Studio</a></p></body>
</html>
"""


class SignInFile:
    """The file that leads a browser to a link; removed after its use or a minute."""

    def __init__(self, home: str, link: str) -> None:
        _remove_old(home)
        self.path = os.path.join(home, f"{_PREFIX}{os.urandom(8).hex()}.html")
        write_file(self.path, [_PAGE.format(link=escape(link))])
        self._timer = threading.Timer(_VALID_SECONDS, self.remove)
        self._timer.daemon = True
        self._timer.start()

    def remove(self) -> None:
        self._timer.cancel()
        with suppress(OSError):
            os.unlink(self.path)


def open_browser(home: str, link: str) -> SignInFile | None:
    """Start the browser; None when the file cannot be written, and the printed link must do."""
    import webbrowser

    try:
        file = SignInFile(home, link)
    except LionError as error:
        say(f"The browser was not opened: {error.message}")
        return None
    # A text browser would block until it is closed, and the server must start.
    threading.Thread(target=webbrowser.open, args=(Path(file.path).as_uri(),), daemon=True).start()
    return file


def _remove_old(home: str) -> None:
    """Remove the files of processes that were killed."""
    for path in Path(home).glob(f"{_PREFIX}*.html"):
        with suppress(OSError):
            if time.time() - path.lstat().st_mtime > _VALID_SECONDS:
                path.unlink()
