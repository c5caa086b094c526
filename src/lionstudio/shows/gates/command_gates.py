"""Gates that run a program."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from lionstudio.model.shows.plan import Gate, GateKind
from lionstudio.shows.gates.verdict import Check, Verdict, combine_checks
from lionstudio.system.run_command import run_command


def run_commands(
    gates: Sequence[Gate],
    cwd: str,
    env: Mapping[str, str],
    *,
    logs: str | None = None,
    why_stop: Callable[[], str | None] = lambda: None,
) -> Verdict:
    """Run the command gates in a checkout of the merge result, one after the other, up to the first that fails."""
    checks: list[Check] = []
    for number, gate in enumerate((gate for gate in gates if gate.kind is GateKind.COMMAND), 1):
        log = os.path.join(logs, f"gate-{number}.log") if logs else None
        result = run_command(gate.command, cwd, env, timeout=gate.timeout, log=log, why_stop=why_stop)
        outcome = "passed" if result.ok else result.sentence(gate.timeout)
        check = Check(
            kind=gate.kind,
            title=gate.title,
            passed=result.ok,
            summary=f"`{gate.title}`: {outcome}",
            output=result.tail,
            exit_code=result.code,
            seconds=round(result.seconds, 3),
            log=log,
        )
        checks.append(check)
        if not result.ok:
            break
    return combine_checks(checks)
