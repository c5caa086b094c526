"""`artifacts:` of a playbook: the files that its run must deliver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from lionstudio.files.formats import field_rules
from lionstudio.files.formats.field_rules import Problem, Rule, check_fields, error, valid_fields
from lionstudio.files.formats.strict_yaml import Path

_MOST = 100
_LONGEST = 500  # bytes of a path
_RULES: Mapping[str, Rule] = {
    "id": field_rules.text,
    "path": field_rules.text,
    "required": field_rules.boolean,
    "description": field_rules.text,
    "source": field_rules.text,
}


class Artifact(NamedTuple):
    id: str
    path: str  # relative to the folder of the run
    required: bool = True
    description: str | None = None


def parse_artifacts(value: Any) -> tuple[Artifact, ...]:
    """The valid artifacts; `check_artifacts` reports the others."""
    artifacts = []
    for fields in _expected(value):
        valid = valid_fields(fields, _RULES) if isinstance(fields, dict) else {}
        path = valid.get("path")
        if path is not None and _fault(path) is None:
            artifacts.append(
                Artifact(valid.get("id", path), path, valid.get("required", True), valid.get("description"))
            )
    return tuple(artifacts[:_MOST])


def _expected(value: Any) -> list[Any]:
    expected = value.get("expected") if isinstance(value, dict) else None
    return expected if isinstance(expected, list) else []


def _fault(path: str) -> str | None:
    if not path.isprintable() or "\\" in path or len(path.encode("utf-8", "replace")) > _LONGEST:
        return f"has unprintable characters or backslashes, or more than {_LONGEST} bytes"
    if any(part in ("", ".", "..") for part in path.split("/")):
        return "is absolute, or has an empty, `.` or `..` part"
    return None


def check_artifacts(value: Any, lines: Mapping[Path, int]) -> Iterator[Problem]:
    """The problems of `artifacts`."""
    line = lines.get(("artifacts",))
    if not isinstance(value, dict):
        return
    if not isinstance(value.get("expected"), list):
        yield error(
            line, "artifacts.expected must be a list", "write `expected:` and one artifact per line: - path: report.md"
        )
        return
    if len(value["expected"]) > _MOST:
        yield error(line, f"artifacts.expected has more than {_MOST} entries", "name a folder's main file only")
    ids = set()
    for number, fields in enumerate(value["expected"][:_MOST]):
        at = lines.get(("artifacts", "expected", number), line)
        if not isinstance(fields, dict) or not isinstance(fields.get("path"), str):
            yield error(at, f"artifact {number + 1} has no path", "write `- {id: report, path: report.md}`")
            continue
        yield from check_fields(fields, _RULES, lines, ("artifacts", "expected", number))
        if (fault := _fault(fields["path"])) is not None:
            yield error(at, f"the path {fields['path']!r:.60} {fault}", "use a path inside the folder of the run")
        if (name := str(fields.get("id", fields["path"]))) in ids:
            yield error(at, f"two artifacts have the id {name!r:.60}", "give each artifact its own id")
        ids.add(name)
