"""A show whose agents misbehave in every way: each play ends with the right status, and the others continue."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.support.show_harness import TOPIC, ShowHarness, leftover_processes

# What each agent does with a shell in its checkout, the status that it ends with, and what the reason must say.
AGENTS = {
    "good": ("echo good > good.txt", "merged", ""),
    "idle": ("true", "merged", ""),
    "commits": ("echo c > c.txt; git add -A; git commit -q -m c; echo more > more.txt", "merged", ""),
    "detached": ("git checkout -q --detach; echo d > d.txt; git add -A; git commit -q -m d", "merged", ""),
    "markers": ("printf '<<<<<<< a\\n1\\n=======\\n2\\n>>>>>>> b\\n' > m.txt", "escalated", "markers remain in m.txt"),
    "deletes": ('rm -rf "$PWD"', "escalated", "was deleted"),
    "unversioned": ("echo u > u.txt; rm -rf .git", "escalated", "its .git folder was deleted"),
    "pointer": ("rm -rf .git; echo 'gitdir: /tmp' > .git", "escalated", ".git was replaced"),
    "rewrites": ("git commit -q --amend -m mine", "escalated", "the history was rewritten"),
    "orphan": ("git checkout -q --orphan other", "escalated", "HEAD does not point to a commit"),
    "nested": ("git init -q inner; echo n > inner/n.txt", "escalated", "inner/ is a nested git repository"),
    "huge": ("truncate -s 1T huge.bin", "escalated", "too large for a repository"),
    "bomb": ("mkfifo .git/objects/pipe", "escalated", "is not a regular file"),
    "forks": (
        "setsid sleep 600 > /dev/null 2>&1 & (trap '' TERM; setsid sleep 600) > /dev/null 2>&1 & echo f > f.txt",
        "merged",
        "",
    ),
    "hooks": (
        "mkdir -p .git/hooks; for h in post-checkout reference-transaction post-index-change pre-commit; do"
        ' printf "#!/bin/sh\\ntouch $TRAP\\n" > .git/hooks/$h; chmod +x .git/hooks/$h; done;'
        ' git config core.fsmonitor "touch $TRAP; false"; git config filter.f.clean "touch $TRAP; cat";'
        ' git config filter.f.smudge "touch $TRAP; cat"; git config diff.external "touch $TRAP";'
        ' git config merge.f.driver "touch $TRAP"; echo "* merge=f diff=f" > .gitattributes; echo h > h.txt',
        "merged",
        "",
    ),
}


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_show_survives_bad_agents(tmp_path: Path) -> None:
    harness = ShowHarness(tmp_path)
    trap = tmp_path / "trap"
    plays = {}
    for name, (script, _, _) in AGENTS.items():
        path = tmp_path / f"{name}.sh"
        path.write_text(f"TRAP={trap}\n{script}\n")
        plays[name] = {"prompt": f"@run sh {path}", "max_attempts": 1}
    harness.write_plan(plays, gates=[{"command": ["test", "-f", "README"]}], concurrency=4)
    harness.direct()
    assert harness.statuses() == {name: status for name, (_, status, _) in sorted(AGENTS.items())}
    for name, (_, status, reason) in AGENTS.items():
        recorded = f"{harness.meta(name).get('reason')} {(harness.show_dir / name / '_verdict.json').read_text()}"
        assert reason in recorded, (name, status, recorded)
    assert {"good.txt", "c.txt", "more.txt", "d.txt", "f.txt", "h.txt"} <= set(harness.files())
    assert {"m.txt", "u.txt", "huge.bin"} & set(harness.files()) == set()
    assert harness.runs() == dict.fromkeys(AGENTS, 1)
    # what could not be merged is in the archive
    assert "u.txt" in harness.git("ls-tree", "--name-only", f"refs/shows/archive/{TOPIC}/unversioned/1").splitlines()
    assert not trap.exists()
    harness.wait_until(lambda: not leftover_processes(harness))
    harness.assert_consistent()
    kept = sorted(name for name in os.listdir(harness.home / "checkouts" / TOPIC) if not name.startswith("."))
    assert set(kept) - {"director.git"} <= {name for name, (_, status, _) in AGENTS.items() if status == "escalated"}
