"""The Studio of a demo: its own process on a free port, opened in the browser, stopped with the demo."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from shlex import quote

from lionstudio.cli.studio import print_address
from lionstudio.errors import LionError
from lionstudio.settings import Settings
from lionstudio.system.li_process import li_argv

_STOP_SECONDS = 10.0


@contextmanager
def studio(settings: Settings, *, open_browser: bool) -> Iterator[subprocess.Popen[str]]:
    """Serve the home of the demo during the block."""
    log = os.path.join(settings.home, "studio.log")
    with open(log, "w", encoding="utf-8") as errors:
        server = subprocess.Popen(
            li_argv("studio", "--port", "0", "--json", "--no-open"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            # Ctrl-C goes to the demo, which then stops the Studio
            start_new_session=True,
        )
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        if not line:
            raise LionError("Studio did not start", hint=f"cat {quote(log)}")
        address = json.loads(line)
        print_address(address["url"], address["login"])
        if open_browser:
            # a text browser would block until it is closed, and the show must start
            threading.Thread(target=webbrowser.open, args=(address["login"],), daemon=True).start()
        yield server
    finally:
        server.terminate()
        try:
            server.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        if server.stdout is not None:
            server.stdout.close()
