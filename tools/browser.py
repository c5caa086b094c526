"""Find a Chromium for the browser tests, or install one: `python tools/browser.py`.

Uses the Debian package if it can be installed, else the browser inside an npm package. Nothing is downloaded from the
browser vendors' servers, which many machines cannot reach.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import web

PLACE = web.ROOT / ".cache" / "browser"
PACKAGE = "@sparticuz/chromium@149.0.0"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# Unpacks the browser inside the package and prints its path.
UNPACK = "import('@sparticuz/chromium').then(async (m) => console.log(await m.default.executablePath()))"


def find() -> str | None:
    """The path of an installed browser: the one in $CHROMIUM, the system's, or ours."""
    named = os.environ.get("CHROMIUM")
    if named:
        return named
    on_path = next((path for name in NAMES if (path := shutil.which(name))), None)
    if on_path or not (PLACE / "node_modules").is_dir():
        return on_path
    return _unpacked()


def install() -> str:
    """The path of a browser, installed if necessary."""
    path = find()
    if path:
        return path
    print("Installing Chromium for the browser tests (once)…", flush=True)
    if _by_apt():
        path = find()
    else:
        _by_npm()
        path = _unpacked()
    if path is None:
        raise SystemExit("Could not install Chromium. Install one and set CHROMIUM=/path/to/chromium")
    return path


def _by_apt() -> bool:
    if not shutil.which("apt-get") or os.geteuid() != 0:
        return False
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (["update", "-q"], ["install", "-qy", "--no-install-recommends", "chromium"]):
        if subprocess.run(["apt-get", *arguments], env=environment, stdout=subprocess.DEVNULL).returncode:
            return False
    return True


def _by_npm() -> None:
    PLACE.mkdir(parents=True, exist_ok=True)
    # Otherwise npm would search the parent folders for a project.
    (PLACE / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    web.npm("install", "--prefix", str(PLACE), "--no-audit", "--no-fund", "--no-package-lock", PACKAGE)


def _unpacked() -> str | None:
    environment = {**os.environ, "TMPDIR": str(PLACE)}
    done = subprocess.run(
        [str(web.node()), "--eval", UNPACK], cwd=PLACE, env=environment, stdout=subprocess.PIPE, text=True
    )
    path = done.stdout.strip()
    return path if done.returncode == 0 and Path(path).is_file() else None


if __name__ == "__main__":
    print(f"Browser tests use {install()}.", file=sys.stderr)
