"""The program that hooks start."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from lionstudio.agents.hooks import client

_EVENT = b"x" * 3_000_000  # more than the buffer of a socket


def test_hand_over_waits_while_studio_is_busy(tmp_path: Path) -> None:
    """Studio that does not read for more than a second still gets a long event."""
    path = tmp_path / "hooks.sock"
    received = bytearray()

    def answer(listener: socket.socket) -> None:
        channel, _ = listener.accept()
        time.sleep(1.5)
        with channel:
            head, _, rest = channel.recv(65536).partition(b"\n")
            received.extend(rest)
            while len(received) < int(head.split()[2]):
                received.extend(channel.recv(65536))
            channel.sendall(b"answered")

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        thread = threading.Thread(target=answer, args=(listener,), daemon=True)
        thread.start()
        argv = [sys.executable, "-I", "-S", str(client.__file__), "claude", "1", str(path)]
        done = subprocess.run(argv, input=_EVENT, capture_output=True, timeout=30)
        thread.join(30)

    assert (done.returncode, done.stdout, len(received)) == (0, b"answered", len(_EVENT))
