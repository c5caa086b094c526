"""Install bubblewrap for the tests of confined programs, if this machine allows it: `python tools/sandbox.py`.

Without it those tests are skipped with the reason, so a failure here is not an error.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys


def install() -> str | None:
    """The path of bwrap, installed if necessary; None when that is not possible."""
    path = shutil.which("bwrap")
    if path or not shutil.which("apt-get") or os.geteuid() != 0:
        return path
    print("Installing bubblewrap for the tests of the sandbox (once)…", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (["update", "-q"], ["install", "-qy", "--no-install-recommends", "bubblewrap"]):
        if subprocess.run(["apt-get", *arguments], env=environment, stdout=subprocess.DEVNULL).returncode:
            return None
    return shutil.which("bwrap")


if __name__ == "__main__":
    path = install()
    print(
        f"Tests of the sandbox use {path}." if path else "Tests of the sandbox are skipped: no bwrap.", file=sys.stderr
    )
