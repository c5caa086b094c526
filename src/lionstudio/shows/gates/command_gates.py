"""Gates that run a program."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence

from lionstudio.model.shows.plan import Gate, GateKind
from lionstudio.runs.prepare.confinement import Confinement
from lionstudio.runs.redaction import StreamRedactor
from lionstudio.shows.gates.verdict import Check, Verdict, combine_checks
from lionstudio.system.run_command import run_command

_MOST_CAUSE = 200  # characters
# what runners print after the cause: rules of make and npm, totals, frames
_NOISE = re.compile(r"make(\[\d+\])?: |npm (ERR|error)|error: Recipe|[=_-]{3}|[\W\d_]*$")
_CAUSE = re.compile(r"error|fail|assert|exception|panic|expected|not ok|cannot|missing", re.IGNORECASE)


def _cause(output: str) -> str:
    """Return the line of a failed command that says most: the last about an error, or the last at all."""
    lines = [line.strip() for line in output.splitlines()]
    lines = [line for line in lines if line and not _NOISE.match(line)]
    cause = next((line for line in reversed(lines) if _CAUSE.search(line)), lines[-1] if lines else "")
    return f": {cause[:_MOST_CAUSE]}" if cause else ""


def run_commands(
    gates: Sequence[Gate],
    cwd: str,
    env: Mapping[str, str],
    confinement: Confinement,
    *,
    logs: str | None = None,
    why_stop: Callable[[], str | None] = lambda: None,
) -> Verdict:
    """Run the command gates in a checkout of the merge result, one after the other, up to the first that fails."""
    checks: list[Check] = []
    sandbox = confinement.sandbox
    for number, gate in enumerate((gate for gate in gates if gate.kind is GateKind.COMMAND), 1):
        log = os.path.join(logs, f"gate-{number}.log") if logs else None
        result = run_command(
            gate.command,
            cwd,
            env,
            timeout=gate.timeout,
            log=log,
            why_stop=why_stop,
            redact=StreamRedactor(),
            sandbox=sandbox,
        )
        outcome = "passed" if result.ok else f"{result.sentence(gate.timeout)}{_cause(result.tail)}"
        check = Check(
            kind=gate.kind,
            title=gate.title,
            passed=result.ok,
            summary=f"`{gate.title}`: {outcome}",
            output=result.tail,
            exit_code=result.code,
            seconds=round(result.seconds, 3),
            log=log,
            confinement=confinement.evidence,
        )
        checks.append(check)
        if not result.ok:
            break
    return combine_checks(checks)
