"""The program that hooks start: it hands one event to Studio and prints the answer, or nothing at once without Studio.

    client.py TOOL VERSION SOCKET < event

It runs isolated (`-I -S`), imports only built-in modules, and always exits with 0: whatever happens, the terminal
behaves as if it did not exist. A vendor's program may kill it at any time.
"""

import os
import sys

_CONNECT_SECONDS = 1.0
_SEND_SECONDS = 10.0  # a busy Studio reads a long event slowly; it closes the connection after 5 seconds
_LONGEST_SECONDS = 3600.0  # the vendor's own limit of a hook is shorter
_SESSION = "LIONAGI_SESSION_ID"  # a run of ours is recorded already
_MOST_BYTES = 64_000_000


def hand_over(tool: str, version: str, socket_path: str) -> None:
    """Send the event on standard input, and print the answer."""
    if os.environ.get(_SESSION):
        return
    import _socket  # half of the start of `socket`

    folder, name = os.path.split(socket_path)
    try:
        os.chdir(folder)  # the address of a socket is short, the path of a home may be long
        channel = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        channel.settimeout(_CONNECT_SECONDS)
        channel.connect(name)
    except OSError:
        return  # Studio is not running
    event = sys.stdin.buffer.read(_MOST_BYTES)
    channel.settimeout(_SEND_SECONDS)
    channel.sendall(f"{tool} {version} {len(event)}\n".encode() + event)
    channel.settimeout(_LONGEST_SECONDS)
    answer = b""
    while piece := channel.recv(65536):
        answer += piece
    os.write(1, answer)


if __name__ == "__main__":
    try:
        hand_over(*sys.argv[1:4])
    finally:  # whatever was raised: no text reaches the terminal, and the answer of a hook is never "block"
        os._exit(0)
