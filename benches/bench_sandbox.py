"""The start of a confined program, beside the same program without confinement: `true`, from start to end."""

from __future__ import annotations

import os
import tempfile
import time

from benches.measure import percentile
from benches.table import Options, Table, at_most, options
from lionstudio.system.run_command import run_command
from lionstudio.system.sandbox.bwrap import find_bwrap
from lionstudio.system.sandbox.sandbox import Sandbox
from lionstudio.system.watchdog import Watchdog


def main() -> None:
    args = options(__doc__)
    bwrap = find_bwrap()
    if bwrap.problem is not None:
        raise SystemExit(bwrap.sentence)
    table = Table("Confined programs", args)
    _measure(table, args)
    table.close()


def _measure(table: Table, args: Options) -> None:
    rounds = 20 if args.quick else 100
    with tempfile.TemporaryDirectory() as folder:
        watchdog = Watchdog()
        try:
            with watchdog.for_programs():
                sandboxes = {"unconfined": None, "confined": Sandbox(writable=(folder,))}
                times: dict[str, list[float]] = {name: [] for name in sandboxes}
                for _ in range(rounds):  # in turn, so that other load on the machine meets both
                    for name, sandbox in sandboxes.items():
                        times[name].append(_run(folder, sandbox))
        finally:
            watchdog.close()
    middle = {name: percentile(each, 50) for name, each in times.items()}
    for name, each in times.items():
        table.row(f"{name}, start to end", middle[name], "ms", note=f"p95 {percentile(each, 95):.0f} ms")
    extra = middle["confined"] - middle["unconfined"]
    table.row("start of a confined process over an unconfined one", extra, "ms", at_most(100))


def _run(folder: str, sandbox: Sandbox | None) -> float:
    began = time.perf_counter()
    result = run_command(["true"], folder, dict(os.environ), timeout=60, sandbox=sandbox)
    assert result.ok, result
    return (time.perf_counter() - began) * 1000


if __name__ == "__main__":
    main()
