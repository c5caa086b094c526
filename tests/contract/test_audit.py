"""`make audit`: a vulnerability fails, a registry that does not answer is named."""

from __future__ import annotations

import json

import pytest

import audit

CLEAN = json.dumps({"dependencies": [{"name": "a", "version": "1", "vulns": []}], "fixes": []})
FOUND = json.dumps(
    {"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "CVE-1", "fix_versions": ["2"]}]}], "fixes": []}
)
UNKNOWN = json.dumps({"dependencies": [{"name": "a", "skip_reason": "not found"}], "fixes": []})
NPM_CLEAN = json.dumps({"vulnerabilities": {}})
NPM_FOUND = json.dumps({"vulnerabilities": {"left": {"severity": "high"}}})
NPM_ERROR = json.dumps({"message": "405 Method Not Allowed"})


@pytest.mark.parametrize(
    ("pip", "npm", "code", "line"),
    [
        (CLEAN, NPM_CLEAN, 0, "PyPI: no known vulnerabilities"),
        (FOUND, NPM_CLEAN, 1, "PyPI: a 1: CVE-1, fixed in 2"),
        (CLEAN, NPM_FOUND, 1, "npm: left: high"),
        ("", NPM_FOUND, 1, "PyPI: not checked, the registry did not answer (unreachable)"),
        (UNKNOWN, NPM_CLEAN, 0, "PyPI: not checked, the registry did not answer (it knows 0 of 1 packages)"),
        (CLEAN, NPM_ERROR, 0, "npm: not checked, the registry did not answer (405 Method Not Allowed)"),
    ],
)
def test_audit_reports_each_registry(
    pip: str, npm: str, code: int, line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(audit, "run_pip_audit", lambda: (pip, "WARNING\nunreachable\n"))
    monkeypatch.setattr(audit, "run_npm_audit", lambda: (npm, ""))
    assert audit.main() == code
    assert line in capsys.readouterr().out.splitlines()
