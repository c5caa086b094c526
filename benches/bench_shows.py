"""The cost of directing a show: CPU and work of the director for each play, with 10 plays and with 40.

Eight plays at a time with scripted agents, real git, and the durable engine. The agents and their supervisors are not
counted: they are the work. Each git process is counted, and its price added as measured in the same run.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import apsw

from benches.stores import clean_up, fresh_path
from benches.table import Table, at_most, options

_AT_A_TIME = 8
_TOPIC = "bench"


def write_show(root: Path, plays: int) -> None:
    """A repository of some files, and a plan in which every play writes one more; each passes one gate."""
    repo = root / "repo"
    repo.mkdir(parents=True)
    for number in range(200):
        (repo / f"file{number}.txt").write_text(f"{number}\n" * 20)
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run(["git", "-C", repo, "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True)
    listed = [
        {"name": f"p{number}", "prompt": f"@write made/{number}.txt {number}\n@say done"} for number in range(plays)
    ]
    head = {"repo": str(repo), "agent": "script", "concurrency": _AT_A_TIME, "gates": [{"command": ["true"]}]}
    folder = root / "shows" / _TOPIC
    folder.mkdir(parents=True)
    (folder / "_show.md").write_text(f"---\n{json.dumps({**head, 'plays': listed})}\n---\n")


def child(root: str) -> None:
    """Direct the show in this process and print its cost."""
    counted: Counter[str] = Counter()
    start_process = subprocess.Popen.__init__

    def counting(self: Any, args: Any, *rest: Any, **more: Any) -> None:
        words = [args] if isinstance(args, str) else list(map(str, args))
        counted["git" if os.path.basename(words[0]) == "git" else "other"] += 1
        start_process(self, args, *rest, **more)

    subprocess.Popen.__init__ = counting  # type: ignore[method-assign]

    def trace(connection: apsw.Connection) -> None:
        def note(_cursor: object, _statement: str, _bindings: object) -> bool:
            counted["statements"] += 1
            return True

        connection.exec_trace = note

    apsw.connection_hooks.append(trace)
    from lionstudio.settings import load_settings
    from lionstudio.shows.process.process import DirectorProcess

    settings = load_settings({}, {"LIONAGI_HOME": f"{root}/home", "LIONAGI_SHOWS": f"{root}/shows"}, "/")
    began = time.monotonic()
    directing = DirectorProcess(
        f"{root}/shows/{_TOPIC}", settings, os.environ, lambda text: print(text, file=sys.stderr)
    )
    status = directing.run()
    directing.close()
    own = resource.getrusage(resource.RUSAGE_SELF)
    result = {
        "status": str(status),
        "cpu": own.ru_utime + own.ru_stime,
        "wall": time.monotonic() - began,
        "rss_mb": own.ru_maxrss / 1024,
        **counted,
    }
    print(json.dumps(result))


def quietest(plays: int, rounds: int) -> dict[str, Any]:
    """The run with the least CPU."""
    return min((measure(plays, number) for number in range(rounds)), key=lambda result: result["cpu"])


def measure(plays: int, number: int) -> dict[str, Any]:
    """One show in its own process."""
    root = Path(fresh_path("show")).parent / f"show-{plays}-{number}"
    write_show(root, plays)
    done = subprocess.run(
        [sys.executable, "-m", "benches.bench_shows", "--child", str(root)], capture_output=True, text=True, check=True
    )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert result["status"] == "completed", done.stderr
    return result


def price_of_loading() -> float:
    """CPU seconds of loading the engine: the yardstick, because a busy machine slows everything down alike."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(3):
        subprocess.run([sys.executable, "-c", "import dbos"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / 3


def price_of_git(root: str) -> float:
    """CPU seconds of one small git process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(40):
        subprocess.run(["git", "--version"], capture_output=True, check=True, cwd=root)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / 40


def main() -> None:
    if "--child" in sys.argv:
        child(sys.argv[-1])
        return
    args = options(__doc__)
    try:
        table = Table("Directing a show, eight plays at a time", args)
        plays = {"few": 10, "many": 20 if args.quick else 40}
        # agents that start and end meanwhile only ever add cost: the minimum counts
        few, many = (quietest(plays[name], 1 if args.quick else 3) for name in ("few", "many"))
        git = price_of_git("/")
        each = {
            name: (result["cpu"] + result["git"] * git) / plays[name] * 1000
            for name, result in (("few", few), ("many", many))
        }
        table.row(
            "director, CPU of a play, least of three shows", many["cpu"] / plays["many"] * 1000, "ms", at_most(150)
        )
        table.row("director and its git, CPU of a play", each["many"], "ms")
        # 150 ms where loading takes 450 ms, as on this kind of machine when it is idle
        yardstick = price_of_loading()
        table.row("the same / loading the engine once", each["many"] / 1000 / yardstick, "×", at_most(0.33))
        table.row(f"the same, {plays['many']} plays / 10 plays", each["many"] / each["few"], "×", at_most(1.2))
        for what in ("git", "statements", "other"):
            name = {"git": "git processes", "statements": "SQL statements", "other": "other processes"}[what]
            table.row(f"{name} of a play", many[what] / plays["many"], "")
            ratio = (many[what] / plays["many"]) / (few[what] / 10)
            table.row(f"{name}, {plays['many']} plays / 10 plays", ratio, "×", at_most(1.2))
        table.row("memory of the director", many["rss_mb"], "MB")
        table.close()
    finally:
        clean_up()


if __name__ == "__main__":
    main()
