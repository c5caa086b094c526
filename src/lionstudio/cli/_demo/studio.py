"""The Studio of a demo: its own process on a free port, opened in the browser, stopped with the demo."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from shlex import quote

from lionstudio.cli._toolkit.browser import open_browser as open_in_browser
from lionstudio.cli.studio import print_address
from lionstudio.errors import LionError
from lionstudio.settings import Settings
from lionstudio.system.li_process import li_argv, start_ours

_STOP_SECONDS = 10.0


@contextmanager
def studio(settings: Settings, *, open_browser: bool) -> Iterator[subprocess.Popen[bytes]]:
    """Serve the home of the demo during the block."""
    log = os.path.join(settings.home, "studio.log")
    with open(log, "w", encoding="utf-8") as errors:
        # in a session of its own: Ctrl-C goes to the demo, which then stops the Studio
        server = start_ours(
            li_argv("studio", "--port", "0", "--json", "--no-open", "--no-follow"),
            os.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
    file = None
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        if not line:
            raise LionError("Studio did not start", hint=f"cat {quote(log)}")
        address = json.loads(line)
        print_address(address["url"], address["login"])
        file = open_in_browser(settings.home, address["login"]) if open_browser and address["login"] else None
        yield server
    finally:
        if file is not None:
            file.remove()
        server.terminate()
        try:
            server.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        if server.stdout is not None:
            server.stdout.close()
