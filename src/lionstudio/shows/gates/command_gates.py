"""The gates of a play that are programs, and what the gates say together."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from lionstudio.model.shows.plan import Gate, GateKind
from lionstudio.shows.gates.verdict import Check, Verdict, parse_verdict
from lionstudio.system.run_command import CommandResult, run_command

__all__ = ["Check", "Verdict", "joined", "parse_verdict", "run_commands"]

_MOST_OUTPUT = 8_000  # characters of a failed command that its agent is shown


def run_commands(
    gates: Sequence[Gate],
    cwd: str,
    env: Mapping[str, str],
    *,
    logs: str | None = None,
    why_stop: Callable[[], str | None] = lambda: None,
) -> Verdict:
    """Run the command gates in a laid-out merge result, one after the other up to the first that fails."""
    checks: list[Check] = []
    for number, gate in enumerate((gate for gate in gates if gate.kind is GateKind.COMMAND), 1):
        log = os.path.join(logs, f"gate-{number}.log") if logs else None
        outcome = run_command(gate.command, cwd, env, timeout=gate.timeout, log=log, why_stop=why_stop)
        checks.append(_check(gate, outcome, log))
        if not outcome.ok:
            break
    return joined(checks)


def _check(gate: Gate, outcome: CommandResult, log: str | None) -> Check:
    said = "passed" if outcome.ok else outcome.sentence(gate.timeout)
    return Check(
        kind=gate.kind,
        title=gate.title,
        passed=outcome.ok,
        summary=f"`{gate.title}`: {said}",
        output=outcome.tail,
        exit_code=outcome.code,
        seconds=round(outcome.seconds, 3),
        log=log,
    )


def joined(checks: Sequence[Check]) -> Verdict:
    """All that was looked at; the first failure is what counts."""
    failed = next((check for check in checks if not check.passed), None)
    if failed is not None:
        return Verdict(passed=False, summary=failed.summary, feedback=_feedback(failed), checks=tuple(checks))
    number = len(checks)
    summary = f"{number} {'check' if number == 1 else 'checks'} passed" if number else "there was nothing to check"
    return Verdict(passed=True, summary=summary, checks=tuple(checks))


def _feedback(failed: Check) -> str:
    if failed.kind != GateKind.COMMAND:
        return failed.output or failed.summary
    return f"{failed.summary}\n\n{failed.output[-_MOST_OUTPUT:].strip()}".strip()
