"""The real pgbouncer in transaction mode, where it is installed; in front of a server of the tests."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from contextlib import suppress

from tests.support.postgres_server import PostgresServer, free_port
from tests.support.waiting import wait_until

PROGRAM = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
_SETTINGS = """
[databases]
{database} = host={folder} port={server} user=lion
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {sessions}
max_client_conn = 100
"""


class PgBouncer:
    def __init__(self, server: PostgresServer, database: str, *, sessions: int = 3) -> None:
        assert PROGRAM is not None
        self._database = database
        self.port = free_port()
        path = os.path.join(server.folder, f"pgbouncer-{self.port}.ini")
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                _SETTINGS.format(
                    database=database, folder=server.folder, server=server.port, port=self.port, sessions=sessions
                )
            )
        self._process = server.spawn([PROGRAM, "-q", path])
        wait_until(self._listens, what="pgbouncer does not listen")

    def url(self) -> str:
        return f"postgresql://lion@127.0.0.1:{self.port}/{self._database}"

    def _listens(self) -> bool:
        assert self._process.poll() is None, "pgbouncer ended"
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
            return True
        return False

    def close(self) -> None:
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(10)
