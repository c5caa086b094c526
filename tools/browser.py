"""Finds a Chromium for the tests of the page, or installs one: `python tools/browser.py`.

Debian's own where we may install it, else the one that an npm package carries; nothing is fetched from a browser's
own servers, which many machines cannot reach.
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
# Unpacks the program that the package carries, and prints where it lies.
UNPACK = "import('@sparticuz/chromium').then(async (m) => console.log(await m.default.executablePath()))"


def find() -> str | None:
    """The path of a browser that is there: the one named by CHROMIUM, the system's, or the one we installed."""
    named = os.environ.get("CHROMIUM")
    if named:
        return named
    on_path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if on_path or not (PLACE / "node_modules").is_dir():
        return on_path
    return _unpacked()


def install() -> str:
    """The path of a browser, installed if there is none."""
    found = find()
    if found:
        return found
    print("Installing Chromium for the tests of the page (once)…", flush=True)
    if _by_apt():
        found = find()
    else:
        _by_npm()
        found = _unpacked()
    if found is None:
        raise SystemExit("No Chromium could be installed; install one and name it: CHROMIUM=/path/to/chromium")
    return found


def _by_apt() -> bool:
    if not shutil.which("apt-get") or os.geteuid() != 0:
        return False
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for words in (["update", "-q"], ["install", "-qy", "--no-install-recommends", "chromium"]):
        if subprocess.run(["apt-get", *words], env=environment, stdout=subprocess.DEVNULL).returncode:
            return False
    return True


def _by_npm() -> None:
    PLACE.mkdir(parents=True, exist_ok=True)
    # Otherwise npm would look for a project in the folders above.
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
    print(f"The tests of the page use {install()}.", file=sys.stderr)
