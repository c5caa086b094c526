"""Lock files that killed git processes left in a git folder of ours; git itself never removes them."""

from __future__ import annotations

import os
from contextlib import suppress

from lionstudio.system.filelock import alone

_LOCKS = ("HEAD.lock", "config.lock", "packed-refs.lock", "shallow.lock")


def remove_stale_locks(git_dir: str, lock: str) -> bool:
    """Remove git's lock files while no process holds the folder's own lock; return whether any was removed.

    Each git process of ours in the folder holds that lock together with the others, so these files belong to nobody.
    """
    removed = False
    with alone(lock) as nobody:
        if nobody:
            paths = [os.path.join(git_dir, name) for name in _LOCKS]
            for folder, _, names in os.walk(os.path.join(git_dir, "refs")):
                paths += [os.path.join(folder, name) for name in names if name.endswith(".lock")]
            for path in paths:
                with suppress(FileNotFoundError):
                    os.unlink(path)
                    removed = True
    return removed
