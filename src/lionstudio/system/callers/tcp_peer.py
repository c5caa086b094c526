"""The process at the other end of a TCP connection to this machine. Linux only."""

from __future__ import annotations

import ipaddress
import os
import sys
from collections.abc import Callable, Iterable
from typing import NamedTuple

from lionstudio.system.procfs import has_ended, list_pids, read_stat

_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")


class TcpPeer(NamedTuple):
    """The processes that hold a peer's socket. One of `hidden` may hold it too when `holders` is empty."""

    uid: int
    holders: tuple[int, ...]
    hidden: tuple[int, ...]  # processes whose descriptors we may not read


def find_peer(address: str, port: int, server_port: int) -> TcpPeer | None:
    """Find the owner of a socket at `address:port` that is connected to our port; None if it is not on this machine."""
    socket = _find_socket(address, port, server_port)
    if socket is None:
        return None
    uid, inode = socket
    link = f"socket:[{inode}]"
    holders, hidden = _find_holders(link, lambda pid: (f"/proc/{pid}/fd",))
    if not holders:  # a thread may have descriptors of its own
        holders, hidden = _find_holders(link, _thread_folders)
    return TcpPeer(uid, tuple(holders), tuple(hidden))


def _find_holders(link: str, folders_of: Callable[[int], Iterable[str]]) -> tuple[list[int], list[int]]:
    """The processes that hold a socket, and those whose descriptors we may not read."""
    holders, hidden = [], []
    for pid in list_pids():
        try:
            folders = folders_of(pid)
            if any(_target(f"{folder}/{name}") == link for folder in folders for name in os.listdir(folder)):
                holders.append(pid)
        except PermissionError:
            hidden += [] if _has_ended(pid) else [pid]
        except OSError:
            continue
    return holders, hidden


def _has_ended(pid: int) -> bool:
    """Whether a process is a zombie, which holds no descriptor, or gone."""
    try:
        return has_ended(read_stat(pid))
    except (OSError, ValueError, IndexError):
        return True


def _thread_folders(pid: int) -> list[str]:
    return [f"/proc/{pid}/task/{thread}/fd" for thread in os.listdir(f"/proc/{pid}/task")]


def _find_socket(address: str, port: int, server_port: int) -> tuple[int, int] | None:
    wanted = _plain(ipaddress.ip_address(address.partition("%")[0]))
    for table in _TABLES:
        try:
            with open(table, encoding="ascii") as file:
                lines = file.read().splitlines()[1:]
        except OSError:
            continue
        for fields in map(str.split, lines):
            local, remote, inode = _endpoint(fields[1]), _endpoint(fields[2]), int(fields[9])
            if inode and local == (wanted, port) and remote[1] == server_port:
                return int(fields[7]), inode
    return None


Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def _endpoint(text: str) -> tuple[Address, int]:
    """Parse `0100007F:1F90`: words of four bytes in the byte order of the machine, and a port."""
    words, _, port = text.partition(":")
    raw = bytes.fromhex(words)
    if sys.byteorder == "little":
        raw = b"".join(raw[at : at + 4][::-1] for at in range(0, len(raw), 4))
    return _plain(ipaddress.ip_address(raw)), int(port, 16)


def _plain(address: Address) -> Address:
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def _target(path: str) -> str | None:
    try:
        return os.readlink(path)
    except FileNotFoundError:  # closed meanwhile
        return None
