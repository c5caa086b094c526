"""`li kill`: stop a run with everything it started; only ever a process that is proven to be the run's own."""

from __future__ import annotations

import argparse
import signal
import time

from lionstudio.agents.orphans import end_processes_of
from lionstudio.cli import stores
from lionstudio.cli.jsonout import print_json
from lionstudio.cli.parsing import whole_number, words
from lionstudio.cli.runs import exit_code_of, resolve_all
from lionstudio.cli.terminal import say
from lionstudio.errors import LionError, NotFound
from lionstudio.model.statuses import EXIT_CODES, SessionStatus
from lionstudio.state.database import Database
from lionstudio.state.owners import Owner, signal_owner
from lionstudio.state.proofs import owner_of, proof_of
from lionstudio.state.sessions import finish_session, get_session

DESCRIPTION = """\
Stop runs with everything they started. The process that a run recorded is asked to end: it ends its agents, keeps what
they said and marks the run cancelled. One that does not within the grace is killed; then, and for a run whose process
is already dead, what it left running is ended too and the run is marked cancelled. Nothing is signalled on doubt: a
process id that belongs to somebody else by now is recognised."""
EXAMPLES = (
    ("li kill 019e2f3c", "stop a run"),
    ("li kill my-agent --grace 0", "at once"),
)
_DYING = 5.0  # seconds in which a killed process must be seen to be gone


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `li kill`."""
    parser.add_argument("sessions", nargs="+", type=words, metavar="SESSION", help="an id, its beginning, or a name")
    parser.add_argument("--grace", type=whole_number(), default=15, metavar="SECONDS", help="before it is killed (15)")


def run(args: argparse.Namespace) -> int:
    """Stop all of them; 1 when one could not be stopped."""
    settings = stores.settings_of(args)
    with stores.reading(settings.db) as conn:
        wanted = resolve_all(conn, args.sessions)
    outcomes = {session_id: _stop(settings.db, session_id, args.grace) for session_id in wanted}
    if args.json:
        print_json({"schema_version": 1, "sessions": outcomes})
    else:
        for session_id, outcome in outcomes.items():
            say(f"{session_id}: {outcome}", quiet=args.quiet)
    return 0 if all(outcome in ("stopped", "killed", "had ended") for outcome in outcomes.values()) else 1


def _stop(db: str, session_id: str, grace: int) -> str:
    with stores.reading(db) as conn:
        row = get_session(conn, session_id).to_dict()
        if exit_code_of(conn, session_id) is not None:
            return "had ended"
    proof, owner = proof_of(row), owner_of(row)
    if proof.answer == "dead":
        return _clean_up(db, session_id, grace)
    if owner is None or proof.answer != "alive":
        return f"not stopped: {'; '.join(proof.evidence)}"
    try:
        if grace and _ended_after(db, session_id, owner, signal.SIGTERM, grace):
            return "stopped"
        signal_owner(owner, signal.SIGKILL)
    except NotFound:
        pass  # it went by itself just now
    except LionError as error:
        return f"not stopped: {error.message}"
    deadline = time.monotonic() + _DYING
    while proof_of(row).answer != "dead" and time.monotonic() < deadline:
        time.sleep(0.02)
    return _clean_up(db, session_id, grace)


def _clean_up(db: str, session_id: str, grace: int) -> str:
    """The runner is dead: end what it left running, and say of the session what is the case."""
    end_processes_of(session_id, grace=grace)
    with Database(db) as database:
        row = database.read(lambda conn: get_session(conn, session_id))
        if row.status != SessionStatus.RUNNING:
            return "had ended"
        if proof_of(row.to_dict()).answer != "dead":
            return "not stopped: it cannot be told whether it is dead"
        code = EXIT_CODES[SessionStatus.CANCELLED]
        reasons = ["run.cancelled.orchestrator"]
        database.write(
            lambda conn: finish_session(conn, session_id, SessionStatus.CANCELLED, exit_code=code, reasons=reasons)
        )
    return "killed"


def _ended_after(db: str, session_id: str, owner: Owner, number: signal.Signals, seconds: int) -> bool:
    signal_owner(owner, number)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with stores.reading(db) as conn:
            if exit_code_of(conn, session_id) is not None:
                return True
        time.sleep(0.05)
    return False
