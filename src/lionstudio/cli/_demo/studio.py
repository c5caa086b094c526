"""The Studio of a demo: a process of its own on any free port, opened in the browser, ended with the demo."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager

from lionstudio.cli.studio import print_address
from lionstudio.errors import LionError
from lionstudio.settings import Settings
from lionstudio.system.li_process import li_argv

_PATIENCE = 10.0


@contextmanager
def studio(settings: Settings, *, open_browser: bool) -> Iterator[subprocess.Popen[str]]:
    """Serve the demo's home for the time of the block."""
    log = os.path.join(settings.home, "studio.log")
    with open(log, "w", encoding="utf-8") as errors:
        server = subprocess.Popen(
            li_argv("studio", "--port", "0", "--json", "--no-open"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            # Ctrl-C is for the demo, which then ends its Studio
            start_new_session=True,
        )
    try:
        assert server.stdout is not None
        said = server.stdout.readline()
        if not said:
            raise LionError("the Studio did not start", hint=f"its log is {log}")
        address = json.loads(said)
        print_address(address["url"], address["login"])
        if open_browser:
            # a browser in the terminal would not return before it is closed, and the show must start
            threading.Thread(target=webbrowser.open, args=(address["login"],), daemon=True).start()
        yield server
    finally:
        server.terminate()
        try:
            server.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        if server.stdout is not None:
            server.stdout.close()
